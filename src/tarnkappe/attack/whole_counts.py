"""Counts among other numbers: what whole numbers of units add to sums, relations and size classes.

Where all hidden cells are counts, `attack.intervals` reckons with whole numbers itself. Where counts are tied to other measures, a cell that
programs over the reals can move may still be fixed: half a firm is nobody. Components of a moderate size are searched for movements in which
every count moves by whole numbers; larger ones are judged as if counts could be broken numbers.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from tarnkappe.attack.closeness import sizes
from tarnkappe.attack.hidden import Hidden
from tarnkappe.attack.intervals import CLOSE, Intervals
from tarnkappe.data.column import Bools, Floats, Ints
from tarnkappe.solve import Polytope, Solver

LARGEST = 250
"""So many unknown cells at most may hang together where movements by whole numbers are searched for."""
NEAR = 40
"""They are first looked for among so many cells around."""


def whole_counts(
    found: Intervals,
    system: Hidden,
    value: Floats,
    counts: Bools,
    goals: tuple[Floats, Floats],
    solver: Solver,
) -> Intervals:
    """Intervals in which counts are whole numbers; `goals` says how far below and above its value a cell must be able to lie."""
    search = _Search(system, value, counts, goals, solver)
    for cells in system.components():
        if len(cells) <= LARGEST and counts[cells].any() and not counts[cells].all():
            search.component(cells)
    return search.narrowed(found)


@dataclass(slots=True, eq=False)
class _Search:
    system: Hidden
    value: Floats
    counts: Bools
    goals: tuple[Floats, Floats]
    solver: Solver
    reach: tuple[Floats, Floats] = field(init=False)
    """How far down and up movements by whole numbers were found."""
    ended: tuple[Bools, Bools] = field(init=False)
    """No such movement goes farther."""
    unsure: Bools = field(init=False)
    seen: Ints = field(init=False)
    slack: Floats = field(init=False)

    def __post_init__(self) -> None:
        size = len(self.value)
        self.reach = np.zeros(size), np.zeros(size)
        self.ended = np.zeros(size, np.bool_), np.zeros(size, np.bool_)
        self.unsure = np.zeros(size, np.bool_)
        self.seen, self.slack = self.system.scratch(), CLOSE * sizes(self.value)
        self.goals = np.minimum(self.goals[0], self.system.down), np.minimum(self.goals[1], self.system.up)

    def component(self, cells: Ints) -> None:
        for cell in cells:
            for side in (0, 1):
                if self._lacks(int(cell), side):
                    near = self.system.around(int(cell), NEAR, self.seen)
                    self._ask(near, int(cell), side)
                if self._lacks(int(cell), side):
                    self._end(cells, int(cell), side)

    def _lacks(self, cell: int, side: int) -> bool:
        return bool(self.reach[side][cell] < self.goals[side][cell] - self.slack[cell])

    def _end(self, cells: Ints, cell: int, side: int) -> None:
        """Over everything that a cell is tied to: the answer is the end, unless the search was cut short."""
        proven = self._ask(cells, cell, side)
        if not self._lacks(cell, side):
            return
        self.ended[side][cell] = proven
        if not proven:
            self.unsure[cell], self.reach[side][cell] = True, self.goals[side][cell]

    def _ask(self, cells: Ints, cell: int, side: int) -> bool:
        """Move a cell as far as it must, all others held fixed but some; True where the search went to its end."""
        at = int(np.flatnonzero(cells == cell)[0])
        free = self.system.polytope(cells)
        goal = self.goals[side][cell]
        free.low[at], free.high[at] = (-goal, 0.0) if side == 0 else (0.0, goal)
        session = self.solver.open(Polytope(free.matrix, free.low, free.high, whole=self.counts[cells]))
        best = session.smallest(at) if side == 0 else session.largest(at)
        if best.point is None:
            self.reach[side][cell] = np.inf
            return best.proven
        self.reach[0][cells] = np.maximum(self.reach[0][cells], -best.point)
        self.reach[1][cells] = np.maximum(self.reach[1][cells], best.point)
        return best.proven

    def narrowed(self, found: Intervals) -> Intervals:
        """The intervals, no wider than whole numbers allow where that is known."""
        low = np.where(self.ended[0], np.maximum(found.low, self.value - self.reach[0]), found.low)
        high = np.where(self.ended[1], np.minimum(found.high, self.value + self.reach[1]), found.high)
        relaxed = self.unsure if found.relaxed is None else found.relaxed | self.unsure
        return replace(
            found, low=low, high=high, exact=found.exact | (self.ended[0] & self.ended[1]), relaxed=relaxed
        )
