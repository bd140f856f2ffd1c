"""Attackers who contribute themselves: the sole contributor of a cell knows it, and so do two who act together.

For every cell with a requirement a deviation is found that proves it; it holds against everybody whose own cells it does
not move. Only for those whose cells it moves another deviation must be found, with their cells held fixed. So the work
grows with the few cells a deviation moves, not with the number of contributors.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from tarnkappe.attack.hidden import Hidden
from tarnkappe.attack.intervals import CLOSE
from tarnkappe.data.column import Floats, Ints
from tarnkappe.solve import Polytope, Session, Solver

SIZES = (12, 30, 80, 300, 1200)
"""Neighbourhoods, small first: the fewer cells a proof moves, the fewer insiders have to be looked at."""
MOVED = 1e-9
"""A cell is moved when its deviation is more than this share of the largest one."""


@dataclass(frozen=True, slots=True)
class Breach:
    """A cell whose interval is too narrow for somebody inside."""

    cell: int
    insiders: tuple[int, ...]
    """Numbers of the contributors or owners who see too much."""
    down: float
    up: float
    """How far the interval reaches for them."""


def breaches(
    system: Hidden, owner: Ints, want_down: Floats, want_up: Floats, coalition: int, solver: Solver
) -> Iterator[Breach]:
    """Cells that an insider, or up to `coalition` together, can narrow below what is required.

    `owner` gives for every cell its sole contributor, -1 where there are several. Cells of the attackers themselves are
    not counted: they know them.
    """
    search = _Search(system, owner, solver)
    for cell in np.flatnonzero(system.unknown & ((want_down > 0) | (want_up > 0))):
        yield from search.cell(int(cell), float(want_down[cell]), float(want_up[cell]), coalition)


class _Search:
    def __init__(self, system: Hidden, owner: Ints, solver: Solver) -> None:
        self.system, self.owner, self.solver = system, owner, solver
        self.seen = system.scratch()
        self._cell = -1
        self._opened: list[tuple[Ints, Session]] = []

    def cell(self, cell: int, down: float, up: float, coalition: int) -> Iterator[Breach]:
        """Try every set of insiders that a proof so far depends on."""
        waiting: list[tuple[int, ...]] = [()]
        tried: set[tuple[int, ...]] = set()
        slack = CLOSE * max(1.0, down, up)
        while waiting:
            group = waiting.pop()
            if group in tried:
                continue
            tried.add(group)
            reach = self._reach(cell, down, up, group)
            if group and (reach.down < down - slack or reach.up < up - slack):
                yield Breach(cell, group, reach.down, reach.up)
            elif len(group) < coalition:
                others = reach.moved - {int(self.owner[cell]), *group}
                waiting += [tuple(sorted((*group, other))) for other in others]

    def _reach(self, cell: int, down: float, up: float, group: tuple[int, ...]) -> _Reach:
        """How far the interval is proven to reach with the cells of a group fixed, and whose cells the proof moves."""
        slack = CLOSE * max(1.0, down, up)
        for number, size in enumerate((*SIZES, len(self.owner))):
            near, session = self._around(cell, number, size, down, up)
            session.hold(np.flatnonzero(np.isin(self.owner[near], group) & (near != cell)))
            found = _Reach(0.0, 0.0, set())
            for side, optimum in ((1, session.largest(0)), (-1, session.smallest(0))):
                found = found.with_side(side, optimum.point, self.owner[near])
            if (found.up >= up - slack and found.down >= down - slack) or len(near) < size:
                break
        return found

    def _around(self, cell: int, number: int, size: int, down: float, up: float) -> tuple[Ints, Session]:
        """A neighbourhood of a cell with a program over it, kept while the same cell is looked at."""
        if self._cell != cell:
            self._cell, self._opened = cell, []
        if number == len(self._opened):
            near = self.system.around(cell, size, self.seen)
            self._opened.append((near, self.solver.open(self._as_far_as_needed(near, down, up))))
        return self._opened[number]

    def _as_far_as_needed(self, cells: Ints, down: float, up: float) -> Polytope:
        """The first cell need not go farther than required: a shorter way moves fewer other cells."""
        free = self.system.polytope(cells)
        low, high = free.low.copy(), free.high.copy()
        low[0], high[0] = max(low[0], -down), min(high[0], up)
        return Polytope(free.matrix, low, high)


class _Reach(NamedTuple):
    down: float
    up: float
    moved: set[int]

    def with_side(self, side: int, point: Floats | None, owner: Ints) -> _Reach:
        moved = set(self.moved)
        reach = np.inf
        if point is not None:
            moves = np.abs(point) > MOVED * np.abs(point).max(initial=0.0)
            moved |= {int(o) for o in owner[moves] if o >= 0}
            reach = float(side * point[0])
        return _Reach(self.down, reach, moved) if side > 0 else _Reach(reach, self.up, moved)
