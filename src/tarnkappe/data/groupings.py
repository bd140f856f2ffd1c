"""Tables of one measure whose dimensions follow from each other: branch and group, counties and travel areas, codes merged differently.

A record lies in one cell of the lowest level of either table. What lies in the same two cells is one part: a cell of the first table is
the sum of its parts, and so is a cell of the second. Where a cell has one part only, it is that part; parts that neither table has as a
cell are unknown to everybody, and tie the two tables all the same.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from tarnkappe.data.column import Floats, Ints
from tarnkappe.data.table import Table
from tarnkappe.data.tabulate import LaidRecords
from tarnkappe.data.ties import TieBuilder


@dataclass(frozen=True, slots=True, eq=False)
class Grouped:
    """A table with the records behind it."""

    table: Table
    records: LaidRecords
    numbers: Ints
    """The physical cell of every cell."""

    def cell_of_records(self, along: Collection[str]) -> Ints:
        """For every record the physical cell it lies in, on the lowest level along some dimensions and at the total of the others."""
        nodes = np.zeros(self.records.nodes.shape, dtype=np.int64)
        for j, tree in enumerate(self.table.dimensions):
            if tree.name in along:
                mine, before = self.records.nodes[:, j], self.table.merged.get(tree.name)
                nodes[:, j] = mine if before is None else before.leaf(mine)
        row = self.table.find(nodes.astype(np.int32))
        return np.where(row >= 0, self.numbers[row], -1)


def tie_groupings(builder: TieBuilder, one: Ints, other: Ints, amount: Floats, *, counts: bool) -> None:
    """Tie two tables, given the cell of every record in either of them and what the record adds."""
    both = (one >= 0) & (other >= 0)
    pairs, part = np.unique(np.stack([one[both], other[both]]), axis=1, return_inverse=True)
    if len(part) == 0 or (pairs[0] == pairs[1]).all():
        return
    value: Floats = np.bincount(part.reshape(-1), amount[both], minlength=pairs.shape[1]).astype(np.float64)
    places = [np.unique(side, return_inverse=True, return_counts=True) for side in pairs]
    alone = [times[of] == 1 for _, of, times in places]
    number = np.where(alone[0], pairs[0], np.where(alone[1], pairs[1], -1))
    unknown = number < 0
    lowest = -np.inf if (amount < 0).any() else 0.0
    number[unknown] = builder.hidden_cells(value[unknown], lowest, counts=counts)
    for cells, of, _ in places:
        whole = np.ones(len(cells), dtype=np.bool_)
        whole[of[number == cells[of]]] = False  # a cell that is its only part says nothing
        row = np.cumsum(whole) - 1
        part_of = whole[of]
        builder.equations(
            np.concatenate([row[of][part_of], row[whole]]),
            np.concatenate([number[part_of], cells[whole]]),
            np.concatenate([np.ones(int(part_of.sum())), np.full(int(whole.sum()), -1.0)]),
        )
