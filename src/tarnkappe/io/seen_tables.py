"""A published table as its readers have it, from its rows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tarnkappe.data.column import Floats
from tarnkappe.data.hierarchy import Hierarchy
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.seen import SeenTable


def seen_table(
    name: str, measure: str, dimensions: Sequence[Hierarchy], rows: Microdata, *, signed: bool
) -> SeenTable:
    """The cells of a published table: one row each, a column of codes for every dimension."""
    codes = [_places(tree, rows) for tree in dimensions]
    return SeenTable(
        name=name, measure=measure, dimensions=tuple(dimensions),
        codes=np.column_stack(codes) if codes else np.zeros((len(rows), 0), dtype=np.int64),
        value=_numbers(rows, "value"), status=rows.column("status").texts(),
        low=_numbers(rows, "low"), high=_numbers(rows, "high"), signed=signed,
    )  # fmt: skip


def _places(tree: Hierarchy, rows: Microdata) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """Each code is looked up once."""
    shown = rows.column(tree.name).texts().astype(str)
    codes, inverse = np.unique(shown, return_inverse=True)
    return tree.positions(codes)[inverse].astype(np.int64)


def _numbers(rows: Microdata, name: str) -> Floats:
    column = rows.columns.get(name)
    known = column is not None and column.kind.is_number
    return column.numbers() if column is not None and known else np.full(len(rows), np.nan)
