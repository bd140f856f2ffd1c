"""Every combination of codes as a cell: that nobody is in it may be what must not be told."""

from __future__ import annotations

from dataclasses import replace
from math import prod

import numpy as np

from tarnkappe.data.table import Contributions, Table
from tarnkappe.errors.tables import TableTooWide
from tarnkappe.kernels.lattice import strides_of

MOST = 20_000_000
"""More cells than that are not listed."""


def with_empty_cells(table: Table) -> Table:
    """The table with its empty cells, as zeros to which nobody contributes."""
    sizes = [len(h) for h in table.dimensions]
    strides = strides_of(sizes)
    if strides is None or prod(sizes) > MOST:
        raise TableTooWide(name=table.name)
    empty = np.ones(prod(sizes), dtype=np.bool_)
    empty[table.key] = False
    key = np.flatnonzero(empty)
    cells = np.stack([key // stride % size for stride, size in zip(strides, sizes, strict=True)], axis=1)
    return replace(
        table,
        cells=np.concatenate([table.cells, cells.astype(np.int32)]),
        value=np.concatenate([table.value, np.zeros(len(key))]),
        contributions=_nobody_else(table.contributions, len(key)),
        owners=_nobody_else(table.owners, len(key)),
        unweighted=None if table.unweighted is None else with_empty_cells(table.unweighted),
    )


def _nobody_else(kept: Contributions | None, more: int) -> Contributions | None:
    if kept is None:
        return None
    largest = kept.largest.shape[1]
    return Contributions(
        np.concatenate([kept.count, np.zeros(more, dtype=kept.count.dtype)]),
        np.concatenate([kept.largest, np.zeros((more, largest))]),
        np.concatenate([kept.who, np.full((more, largest), -1, dtype=kept.who.dtype)]),
        None if kept.size is None else np.concatenate([kept.size, np.zeros(more)]),
        None if kept.weight is None else np.concatenate([kept.weight, np.zeros(more)]),
    )
