"""Attackers who contribute themselves: the sole contributor of a cell knows it, and so do two who act together.

A deviation that moves no cell of an insider proves an interval against him. The arguments, the cheap ones first: (1) Pushes of many
cells at once with all cells of insiders held fixed: what moves then is safe from every coalition. (2) Pushes with the cells of
every second insider held fixed, once for each digit of a code in which of any two insiders each has a 1 where the other has a 0:
a cell that moves is safe from those held. (3) For what is left, one movement that leaves the cells of all insiders in doubt alone, else
one for each. (4) What has none is solved, with the insider's cells held fixed. A neighbourhood whose sums, all others forgotten, are
already too tight proves a breach; else it grows, up to the whole component. Coalitions are looked at as far as a proof moves their cells.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import comb
from typing import NamedTuple

import numpy as np

from tarnkappe.attack.blind import BlindMovements
from tarnkappe.attack.hidden import Hidden
from tarnkappe.attack.intervals import CLOSE
from tarnkappe.attack.pushes import Wants, push
from tarnkappe.attack.shares import Shares
from tarnkappe.data.column import Bools, Floats, Ints
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
    """How far the interval reaches for them, at most."""


def breaches(
    system: Hidden,
    owner: Ints,
    want_down: Floats,
    want_up: Floats,
    coalition: int,
    solver: Solver,
    shares: Shares | None = None,
) -> Iterator[Breach]:
    """Cells that an insider, or up to `coalition` together, can narrow below what is required.

    `owner` gives for every cell its sole contributor, -1 where there are several. Cells of the attackers themselves are
    not counted: they know them. `shares` tells what contributors know of a cell by their own share in it.
    """
    attack = _Attack(system, np.where(system.unknown, owner, -1), want_down, want_up, solver)
    for cells in system.components():
        yield from _component(attack, cells, coalition, shares)


class _Attack(NamedTuple):
    system: Hidden
    owner: Ints
    down: Floats
    up: Floats
    solver: Solver


def _component(attack: _Attack, cells: Ints, coalition: int, shares: Shares | None) -> Iterator[Breach]:
    wanted = cells[(attack.down[cells] > 0) | (attack.up[cells] > 0)]
    owners = np.unique(attack.owner[cells])
    owners = owners[owners >= 0]
    if not len(wanted) or not len(owners):
        return
    suspects = _suspects(attack, cells, wanted, owners, coalition)
    search = _Search(attack, shares)
    for cell, others in suspects:
        yield from search.cell(cell, others, coalition)


# -- many at once -----------------------------------------------------------------------------------------------------


def _suspects(
    attack: _Attack, cells: Ints, wanted: Ints, owners: Ints, coalition: int
) -> Iterator[tuple[int, Ints | None]]:
    """Cells that pushes leave open, each with the insiders who may see too much; None: all."""
    safe = _pushed(attack, cells, wanted, np.ones(len(owners), dtype=np.bool_), owners)
    left = wanted[~(safe[0] & safe[1])]
    if coalition > 1:
        yield from ((int(cell), None) for cell in left)
        return
    codes = _codes(len(owners))
    held = codes.astype(np.float64)
    cleared = [np.zeros((codes.shape[1], len(left)), dtype=np.bool_) for _ in range(2)]
    for digit in range(codes.shape[1] if len(left) else 0):
        for side, proven in enumerate(_pushed(attack, cells, left, codes[:, digit], owners)):
            cleared[side][digit] = proven
    for at, cell in enumerate(left):
        doubt = (held @ cleared[0][:, at] == 0) | (held @ cleared[1][:, at] == 0)
        doubt &= owners != attack.owner[cell]
        if doubt.any():
            yield int(cell), owners[doubt]


def _pushed(attack: _Attack, cells: Ints, wanted: Ints, held: Bools, owners: Ints) -> tuple[Bools, Bools]:
    """Which of the wanted cells are proven downward and upward with the cells of some owners held fixed."""
    of = np.searchsorted(owners, attack.owner[cells])
    fixed = (attack.owner[cells] >= 0) & held[np.minimum(of, len(owners) - 1)]
    free = cells[~fixed]
    asked = np.isin(free, wanted)
    down, up = (np.where(asked, want[free], 0.0) for want in (attack.down, attack.up))
    wants = Wants(down, up, CLOSE * np.maximum(1.0, np.maximum(down, up)))
    push(attack.system, free, wants, attack.solver)
    proven = []
    for lacks in (wants.lacks_down(), wants.lacks_up()):
        good = np.zeros(len(attack.owner), dtype=np.bool_)
        good[free] = ~lacks
        proven.append(good[wanted])
    return proven[0], proven[1]


def _codes(count: int) -> Bools:
    """Different words with as many ones as zeros: of any two each has a 1 where the other has a 0."""
    digits = 2
    while comb(digits, digits // 2) < count:
        digits += 2
    out, word = np.zeros((count, digits), dtype=np.bool_), (1 << digits // 2) - 1
    for row in out:
        row[:] = [(word >> k) & 1 for k in range(digits)]
        low = word & -word  # the next word with as many ones (Gosper)
        high = word + low
        word = high | (((word ^ high) // low) >> 2)
    return out


# -- one by one -------------------------------------------------------------------------------------------------------


class _Near(NamedTuple):
    """A neighbourhood: programs with all other cells fixed, and with all sums forgotten that reach beyond it."""

    cells: Ints
    inner: Session
    outer: Session
    all: bool
    """It is the whole component."""


class _Search:
    def __init__(self, attack: _Attack, shares: Shares | None) -> None:
        self.attack, self.shares = attack, shares
        self.blind = BlindMovements(attack.system, attack.owner, attack.solver)
        self.seen = attack.system.scratch()
        self._cell = -1
        self._opened: list[_Near] = []

    def cell(self, cell: int, suspects: Ints | None, coalition: int) -> Iterator[Breach]:
        """For single insiders only the suspects; else every set of insiders that a proof so far depends on."""
        if suspects is not None:
            yield from self._single(cell, suspects)
            return
        waiting: list[tuple[int, ...]] = [()]
        tried: set[tuple[int, ...]] = set()
        while waiting:
            group = waiting.pop()
            if group in tried:
                continue
            tried.add(group)
            reach = self._reach(cell, group)
            if group and not reach.enough:
                yield Breach(cell, group, reach.down, reach.up)
            elif len(group) < coalition:
                others = reach.moved - {int(self.attack.owner[cell]), *group}
                waiting += [tuple(sorted((*group, other))) for other in sorted(others)]

    def _single(self, cell: int, suspects: Ints) -> Iterator[Breach]:
        """One movement that is blind to all suspects, else one for each; what is left is solved."""
        needs = [self._need(cell, (int(s),)) for s in suspects]
        if self.blind.hide(cell, max(n.down for n in needs), max(n.up for n in needs), suspects):
            return
        for suspect, need in zip(suspects.tolist(), needs, strict=True):
            if len(needs) > 1 and self.blind.hide(cell, need.down, need.up, np.array([suspect])):
                continue
            reach = self._reach(cell, (suspect,))
            if not reach.enough:
                yield Breach(cell, (suspect,), reach.down, reach.up)

    def _reach(self, cell: int, group: tuple[int, ...]) -> _Reach:
        """How far the interval reaches with the cells of a group fixed, and whose cells the proof moves."""
        need = self._need(cell, group)
        found = _Reach(0.0, 0.0, set(), enough=False)
        for number in range(len(SIZES) + 1):
            near = self._around(cell, number)
            mine = np.isin(self.attack.owner[near.cells], group) & (near.cells != cell)
            found = self._inner(near, mine, need)
            if found.enough or near.all:
                break
            if group:
                most = self._ends(near.outer, mine)
                if not need.met(*most):
                    return _Reach(*most, set(), enough=False)
        return found

    def _need(self, cell: int, group: tuple[int, ...]) -> _Need:
        down, up = float(self.attack.down[cell]), float(self.attack.up[cell])
        if self.shares is not None and group:
            rest = self.shares.rest(cell, group)
            down = min(down, rest)
            if rest <= 0 < self.shares.value[cell]:  # nobody else's value is in it
                up = 0.0
        return _Need(down, up, CLOSE * max(1.0, down, up))

    def _inner(self, near: _Near, held: Bools, need: _Need) -> _Reach:
        near.inner.hold(np.flatnonzero(held))
        moved: set[int] = set()
        ends = []
        owner = self.attack.owner[near.cells]
        for sign, found in ((-1, near.inner.smallest(0)), (1, near.inner.largest(0))):
            ends.append(np.inf if found.point is None else sign * float(found.point[0]))
            if found.point is not None:
                moves = np.abs(found.point) > MOVED * np.abs(found.point).max(initial=0.0)
                moved |= {int(o) for o in owner[moves] if o >= 0}
        return _Reach(ends[0], ends[1], moved, need.met(*ends))

    @staticmethod
    def _ends(session: Session, held: Bools) -> tuple[float, float]:
        session.hold(np.flatnonzero(held))
        return -session.smallest(0).value, session.largest(0).value

    def _around(self, cell: int, number: int) -> _Near:
        """A neighbourhood of a cell with programs over it, kept while the same cell is looked at."""
        if self._cell != cell:
            self._cell, self._opened = cell, []
        if number == len(self._opened):
            size = SIZES[number] if number < len(SIZES) else len(self.attack.owner)
            cells = self.attack.system.around(cell, size, self.seen)
            inner, outer = (self._capped(free, cell) for free in self.attack.system.both(cells))
            opened = self.attack.solver.open
            self._opened.append(_Near(cells, opened(inner), opened(outer), len(cells) < size))
        return self._opened[number]

    def _capped(self, free: Polytope, cell: int) -> Polytope:
        """The first cell need not go farther than required: a shorter way moves fewer other cells."""
        free.low[0] = max(free.low[0], -self.attack.down[cell])
        free.high[0] = min(free.high[0], self.attack.up[cell])
        return free


class _Need(NamedTuple):
    down: float
    up: float
    slack: float

    def met(self, down: float, up: float) -> bool:
        return down >= self.down - self.slack and up >= self.up - self.slack


class _Reach(NamedTuple):
    down: float
    up: float
    moved: set[int]
    enough: bool
