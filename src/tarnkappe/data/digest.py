"""A fingerprint of data: equal for the same records in the same order, different as soon as one cell is another."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

import numpy as np

from tarnkappe.data.column import Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.table import Table


def digest_of(data: Microdata) -> str:
    """What the columns hold, cell by cell; roles and hierarchies do not count."""
    return _digest(
        part
        for name, column in data.columns.items()
        for part in (name.encode(), column.kind.value.encode(), *_cells(column))
    )


def digest_of_cells(table: Table) -> str:
    """The codes of a table and the value of every cell."""
    codes = (f"{h.name}\0{code}".encode() for h in table.dimensions for code in h.codes)
    return _digest((table.key.tobytes(), table.value.tobytes(), *codes))


def _digest(parts: Iterable[bytes]) -> str:
    digest = hashlib.blake2b(digest_size=32)
    for part in parts:
        digest.update(len(part).to_bytes(8, "little"))
        digest.update(part)
    return digest.hexdigest()


def _cells(column: Column) -> tuple[bytes, ...]:
    values = np.ascontiguousarray(column.values)
    state = b"" if column.state is None else np.ascontiguousarray(column.state).tobytes()
    categories = () if column.categories is None else tuple(str(one).encode() for one in column.categories)
    return (str(values.dtype).encode(), values.tobytes(), state, *categories)
