"""Stretch published ranges until an attacker finds for every protected cell its whole range; sums may cross.

For a cell and a direction the cheapest deviation of the table is sought that moves the cell to the end of its range: a linear
program in which cells move freely within their ranges and at a cost beyond them. The ranges that this deviation leaves are
stretched so that it stays inside. Afterwards it is feasible by construction, and stays so, because ranges only grow.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csc_array

from tarnkappe.data.column import Bools, Floats, Ints
from tarnkappe.data.relations import Relations, relations_of
from tarnkappe.data.table import Table
from tarnkappe.errors.release import SolverFailed
from tarnkappe.kernels.lattice import strides_of
from tarnkappe.kernels.stretch_cuboids import State, places, stretch
from tarnkappe.kernels.unknowns import Incidence, surroundings
from tarnkappe.solve import Polytope, Solver
from tarnkappe.solve.highs import Highs

SIZES = (120, 600, 3000)
"""Neighbourhoods that are tried before the whole table."""
CLOSE = 1e-6
DEAR = 20.0
"""A sum costs so many times as much as a part of it: masks stay as far down as possible."""
CHEAPER = 0.25
"""What it costs to stretch a range that is there already, as a share of a new one."""


@dataclass(frozen=True, slots=True, eq=False)
class Ranges:
    """Every cell with its range; an open cell has the range of its value alone."""

    value: Floats
    low: Floats
    high: Floats
    least: Floats
    most: Floats
    """No range is stretched beyond these."""
    cost: Floats
    """Of stretching by 1; above 0."""


def costs(rank: Floats, aggregation: Ints) -> Floats:
    """Cells with a high rank are cheap, sums are dear."""
    order = np.argsort(np.argsort(-rank, kind="stable"), kind="stable")
    return np.asarray(DEAR ** np.minimum(aggregation, 5) * (1.0 + order / max(len(rank), 1)))


def stretched(
    table: Table, ranges: Ranges, cells: Ints, *, quick: bool = True
) -> tuple[Floats, Floats, Ints]:
    """The ranges after stretching, and for every cell that was touched the one it protects (-1 for the others).

    Cells that cannot be given their whole range have the number -2 there. With `quick` cuboids come first and linear programs
    only where they do not help.
    """
    work = _Work(relations_of(table), ranges, Highs())
    if quick:
        work.along_cuboids(table, cells)
    for cell in cells:
        work.protect(int(cell))
    return work.low, work.high, work.protects


class _Work:
    def __init__(self, relations: Relations, ranges: Ranges, solver: Solver) -> None:
        self.ranges, self.solver = ranges, solver
        self.low, self.high = ranges.low.copy(), ranges.high.copy()
        self.down, self.up = np.zeros(len(ranges.value)), np.zeros(len(ranges.value))
        self.protects = np.full(len(ranges.value), -1, dtype=np.int64)
        by_relation = relations.matrix()
        self.by_cell = by_relation.tocsc()
        self.tied = Incidence(
            *(a.astype(np.int64) for m in (by_relation, self.by_cell) for a in (m.indptr, m.indices))
        )
        self.movable = (ranges.most > ranges.least) | (ranges.high > ranges.low)
        self.seen = np.zeros(len(ranges.value) + 1, dtype=np.int64)

    def along_cuboids(self, table: Table, cells: Ints) -> None:
        """Let cells of the lowest level reach the ends of their ranges where a cuboid over their siblings does it."""
        r, strides = self.ranges, strides_of([len(h) for h in table.dimensions])
        assert strides is not None  # the table has keys
        at = places(
            table.key,
            strides,
            table.cells.astype(np.int64),
            [h.parent.astype(np.int64) for h in table.dimensions],
        )
        along = np.flatnonzero((table.up >= 0).any(axis=0)).astype(np.int64)
        state = State(
            r.value, r.least, r.most, r.cost, self.low, self.high, self.up, self.down, self.protects
        )
        stretch(at, state, along, cells, CHEAPER)

    def protect(self, cell: int) -> None:
        """Let a cell reach both ends of its range."""
        value = self.ranges.value[cell]
        for far, reached in ((self.high[cell] - value, self.up), (self.low[cell] - value, self.down)):
            if abs(far) > reached[cell] + CLOSE and not self._reach(cell, float(far)):
                self.protects[cell] = -2

    def _reach(self, cell: int, far: float) -> bool:
        found: tuple[Ints, Floats] | None = None
        for near in self._neighbourhoods(cell):
            point = self._cheapest(near, far)
            if point is None:
                continue
            found = near, point
            if not self._masks_a_sum(*found):
                break
        if found is not None:
            self._stretch(cell, *found)
        return found is not None

    def _neighbourhoods(self, cell: int) -> Iterator[Ints]:
        for size in (*SIZES, len(self.low)):
            near = surroundings(self.tied, self.movable, cell, size, self.seen)
            yield near
            if len(near) < size:
                return

    def _cheapest(self, near: Ints, far: float) -> Floats | None:
        """Deviations of the cells around one (the first) that move it by `far`, at the least cost; None if there are none.

        The deviation of a cell is the sum of three variables: within its range, beyond it upward and beyond it downward.
        """
        r, (low, high) = self.ranges, (self.low[near], self.high[near])
        up, down = np.flatnonzero(r.most[near] > high), np.flatnonzero(low > r.least[near])
        free = [low - r.value[near], np.zeros(len(up)), np.zeros(len(down))]
        ends = [high - r.value[near], (r.most[near] - high)[up], (low - r.least[near])[down]]
        free[0][0] = ends[0][0] = far
        price = r.cost[near] * np.where(high > low, CHEAPER, 1.0)
        matrix = self._moving(near, near[up], near[down])
        session = self.solver.open(Polytope(matrix, np.concatenate(free), np.concatenate(ends)))
        try:
            point = session.farthest(-np.concatenate([np.zeros(len(near)), price[up], price[down]])).point
        except SolverFailed:  # nothing moves so far
            return None
        if point is None:
            return None
        within, above, below = np.split(point, [len(near), len(near) + len(up)])
        within[up] += above
        within[down] -= below
        return within

    def _moving(self, within: Ints, above: Ints, below: Ints) -> csc_array:
        """The sums that some cells stand in, the last group with the opposite sign."""
        part = self.by_cell[:, np.concatenate([within, above, below])]
        sign = np.ones(part.shape[1])
        sign[len(within) + len(above) :] = -1.0
        relations, row = np.unique(part.indices, return_inverse=True)
        data = part.data * np.repeat(sign, np.diff(part.indptr))
        return csc_array((data, row.astype(np.int32), part.indptr), shape=(len(relations), part.shape[1]))

    def _outside(self, near: Ints, point: Floats) -> Bools:
        at = self.ranges.value[near] + point
        return np.asarray((at < self.low[near] - CLOSE) | (at > self.high[near] + CLOSE))

    def _masks_a_sum(self, near: Ints, point: Floats) -> bool:
        new = self._outside(near, point) & (self.low[near] == self.high[near])
        return bool((self.ranges.cost[near][new] >= DEAR).any())

    def _stretch(self, cell: int, near: Ints, point: Floats) -> None:
        at, outside = self.ranges.value[near] + point, self._outside(near, point)
        touched = near[outside]
        self.low[touched] = np.minimum(self.low[touched], np.floor(at[outside] + CLOSE))
        self.high[touched] = np.maximum(self.high[touched], np.ceil(at[outside] - CLOSE))
        self.protects[touched] = np.where(self.protects[touched] == -1, cell, self.protects[touched])
        self.up[near], self.down[near] = np.maximum(self.up[near], point), np.maximum(self.down[near], -point)
