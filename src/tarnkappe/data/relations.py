"""The sums of a table as a sparse system: coefficient × value adds up to zero in every relation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from tarnkappe.data.column import Ints
from tarnkappe.data.table import Nodes, Table


@dataclass(frozen=True, slots=True, eq=False)
class Relations:
    """Relation r is over the cells cell[start[r]:start[r+1]]; the total has -1, its parts have +1."""

    cells: int
    """How many cells there are in all."""
    start: Ints
    cell: Ints
    coefficient: NDArray[np.float64]
    total: Ints
    """The cell that is the sum, for naming a relation; -1 for a relation that is no plain sum."""
    along: Ints
    """The dimension along which it adds up; -1 for a relation that is no plain sum."""

    def __len__(self) -> int:
        return len(self.start) - 1

    def matrix(self) -> csr_array:
        """Relations × cells."""
        return csr_array((self.coefficient, self.cell, self.start), shape=(len(self), self.cells))

    def renumbered(self, numbers: Ints, cells: int) -> Relations:
        """The same relations over cells with other numbers."""
        total = np.where(self.total >= 0, numbers[self.total], -1)
        return Relations(cells, self.start, numbers[self.cell], self.coefficient, total, self.along)


def only(relations: Relations, which: Ints) -> Relations:
    """Some of the relations, in the order given."""
    sizes = np.diff(relations.start)[which]
    start = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    at = np.arange(start[-1]) + np.repeat(relations.start[which] - start[:-1], sizes)
    return Relations(
        relations.cells, start, relations.cell[at], relations.coefficient[at], relations.total[which], relations.along[which]
    )  # fmt: skip


def relations_of(table: Table) -> Relations:
    """All sums of a table: along every dimension, each inner cell and its children."""
    return sums_of(table.up)


def sums_of(up: Nodes) -> Relations:
    """All sums between cells that know the cell one step up along each dimension."""
    return joined([_along(up[:, j].astype(np.int64), j) for j in range(up.shape[1])], len(up))


def joined(parts: Sequence[Relations], cells: int) -> Relations:
    """Several sets of relations over the same cells as one."""
    offsets = np.cumsum([0, *(len(p.cell) for p in parts)])
    starts = [p.start[:-1] + offset for p, offset in zip(parts, offsets, strict=False)]
    return Relations(
        cells,
        np.concatenate([*starts, [offsets[-1]]]).astype(np.int64),
        np.concatenate([p.cell for p in parts]),
        np.concatenate([p.coefficient for p in parts]),
        np.concatenate([p.total for p in parts]),
        np.concatenate([p.along for p in parts]),
    )


def _along(up: Ints, j: int) -> Relations:
    children = np.flatnonzero(up >= 0)
    children = children[np.argsort(up[children], kind="stable")]
    totals, first, sizes = np.unique(up[children], return_index=True, return_counts=True)
    start = np.concatenate([[0], np.cumsum(sizes + 1)]).astype(np.int64)
    cell = np.empty(start[-1], dtype=np.int64)
    coefficient = np.ones(start[-1])
    cell[start[:-1]], coefficient[start[:-1]] = totals, -1.0
    shift = np.repeat(start[:-1] + 1 - first, sizes)
    cell[np.arange(len(children)) + shift] = children
    return Relations(len(up), start, cell, coefficient, totals, np.full(len(totals), j, dtype=np.int64))
