"""Stretch published ranges until an attacker finds for every protected cell its whole range; sums may cross.

For a cell and a direction the cheapest deviation of the table is sought that moves the cell to the end of its range: a linear
program in which cells move freely within their ranges and at a cost beyond them. The ranges that this deviation leaves are
stretched so that it stays inside. Afterwards it is feasible by construction, and stays so, because ranges only grow.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csc_array, hstack, vstack

from tarnkappe.data.column import Bools, Floats, Ints
from tarnkappe.data.relations import Relations
from tarnkappe.errors.release import SolverFailed
from tarnkappe.kernels.unknowns import Incidence, surroundings
from tarnkappe.solve import Polytope, Solver
from tarnkappe.solve.highs import Highs

SIZES = (400, 3000)
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
    relations: Relations, ranges: Ranges, cells: Ints, solver: Solver | None = None
) -> tuple[Floats, Floats, Ints]:
    """The ranges after stretching, and for every cell that was touched the one it protects (-1 for the others).

    Cells that cannot be given their whole range have the number -2 there.
    """
    work = _Work(relations, ranges, solver or Highs())
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
        """Deviations of the cells around one (the first) that move it by `far`, at the least cost; None if there are none."""
        r = self.ranges
        low, high = self.low[near] - r.value[near], self.high[near] - r.value[near]
        low[0] = high[0] = far
        beyond_up, beyond_down = r.most[near] - self.high[near], self.low[near] - r.least[near]
        up, down = np.flatnonzero(beyond_up > 0), np.flatnonzero(beyond_down > 0)
        price = r.cost[near] * np.where(self.high[near] > self.low[near], CHEAPER, 1.0)
        tied = self.by_cell[:, near].tocsc()
        tied = tied[np.flatnonzero(np.diff(tied.tocsr().indptr)), :].tocsc()
        total = np.concatenate([np.zeros(len(near)), price[up], price[down], [-1.0]])
        moves = hstack([tied, tied[:, up], -tied[:, down], csc_array((tied.shape[0], 1))])
        bounds = (
            np.concatenate([low, np.zeros(len(up) + len(down) + 1)]),
            np.concatenate([high, beyond_up[up], beyond_down[down], [np.inf]]),
        )
        polytope = Polytope(csc_array(vstack([moves, csc_array(total[None, :])])), *bounds)
        try:
            point = self.solver.open(polytope).smallest(len(total) - 1).point
        except (
            SolverFailed
        ):  # the port asks only feasible questions; here no answer means that nothing moves so far
            return None
        if point is None:
            return None
        out = point[: len(near)].copy()
        out[up] += point[len(near) : len(near) + len(up)]
        out[down] -= point[len(near) + len(up) : -1]
        return out

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
