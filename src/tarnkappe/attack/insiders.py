"""Attackers who contribute themselves: the sole contributor of a cell knows it, and two who act together know a cell of theirs alone.

A deviation that moves no cell of an insider proves an interval against him. The arguments, the cheap ones first: (1) Pushes of many
cells at once with all cells of insiders held fixed: what moves then is safe from every coalition. (2) Pushes with the cells of
every second insider held fixed, once for each digit of a code in which of any two insiders each has a 1 where the other has a 0:
a cell that moves is safe from those held. (3) For what is left, one movement that leaves the cells of all insiders in doubt alone, else
one for each. (4) What has none is solved, with the insider's cells held fixed. A neighbourhood whose sums, all others forgotten, are
already too tight proves a breach; else it grows, up to the whole component. Coalitions are looked at as far as a proof moves their cells.

About counts only movements by whole numbers prove anything; where a program over the reals has no such one, whole numbers are searched for.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import comb
from typing import NamedTuple

import numpy as np

from tarnkappe.attack.blind import BlindMovements
from tarnkappe.attack.circles import Circles
from tarnkappe.attack.closeness import sizes, unit_of
from tarnkappe.attack.hidden import Hidden
from tarnkappe.attack.intervals import CLOSE
from tarnkappe.attack.progress import say
from tarnkappe.attack.pushes import Wants, push, whole_parts
from tarnkappe.attack.shares import Shares
from tarnkappe.data.column import Bools, Floats, Ints
from tarnkappe.language import Text
from tarnkappe.solve import Polytope, Session, Solver

SIZES = (12, 30, 80, 300, 1200)
"""Neighbourhoods, small first: the fewer cells a proof moves, the fewer insiders have to be looked at."""
MOVED = 1e-9
"""A cell is moved when its deviation is more than this share of the largest one."""
LEAST = 1e-6
"""A cell of which nothing is required is in doubt when its interval is at least this share of it wide; a count must be able to differ by 1."""
FARTHEST = 1000.0
"""Where a cell need only be in doubt, no other moves farther than so many times its way."""
SEARCHED = 600
"""Whole numbers are searched for among so many cells at most."""


_PUSHED = Text(
    "insiders: {cells} cells in doubt, group {done} of {all}",
    "Beteiligte: {cells} fragliche Zellen, Gruppe {done} von {all}",
)
_CELLS = Text(
    "insiders: {done} cells looked at one by one, of {wanted} to be protected",
    "Beteiligte: {done} Zellen einzeln geprüft, von {wanted} zu schützenden",
)


@dataclass(frozen=True, slots=True)
class Breach:
    """A cell whose interval is too narrow for somebody inside."""

    cell: int
    insiders: tuple[int, ...]
    """Numbers of the contributors or owners who see too much."""
    down: float
    up: float
    """How far the interval reaches for them, at most."""


class Owed(NamedTuple):
    """How far down and up the interval of every cell must reach for everybody who does not know it anyway."""

    down: Floats
    up: Floats
    either: Bools
    """One of the two sides is enough: nothing is required of the cell but that nobody knows it exactly."""
    whole: bool = False
    """Values are whole numbers, and insiders know it."""
    unit: float = 1.0
    """What is usual in the table, at most 1: what is close is a share of it."""


def owed_of(
    system: Hidden, needs: Bools, required: tuple[Floats, Floats], value: Floats, *, whole: bool = False
) -> Owed:
    """What cells in need are owed: what is required below and above, and at least some doubt, as far as prior knowledge leaves it."""
    lower, upper = (np.ceil(r - CLOSE) if whole else r for r in required)
    either = needs & (lower <= 0) & (upper <= 0)
    doubt = np.ones(len(value)) if whole else LEAST * sizes(value)
    down, up = (
        np.minimum(np.where(either, doubt, np.where(needs, need, 0.0)), room)
        for need, room in ((lower, system.down), (upper, system.up))
    )
    return Owed(down, up, either, whole, unit_of(value))


def breaches(
    system: Hidden, inside: Circles, owed: Owed, solver: Solver, shares: Shares | None = None
) -> Iterator[Breach]:
    """Cells that an insider, or as many together as `inside` tells of, can narrow below what is owed.

    Cells of the attackers themselves are not counted: they know them. `shares` tells what contributors know of a cell by their
    own share in it.
    """
    attack = _Attack(system, inside.within(system.unknown), owed, solver)
    for cells in system.components():
        yield from _component(attack, cells, shares)


class _Attack(NamedTuple):
    system: Hidden
    inside: Circles
    owed: Owed
    solver: Solver

    @property
    def together(self) -> int:
        """So many insiders act together."""
        return int(self.inside.members.shape[1])

    def enough(self, cells: Ints, down: Bools, up: Bools) -> Bools:
        """Whether cells have what they are owed, with what is proven of either side."""
        owed, either = self.owed, self.owed.either[cells]
        down, up = down & (~either | (owed.down[cells] > 0)), up & (~either | (owed.up[cells] > 0))
        return np.where(either, down | up, down & up)


def _component(attack: _Attack, cells: Ints, shares: Shares | None) -> Iterator[Breach]:
    wanted = cells[(attack.owed.down[cells] > 0) | (attack.owed.up[cells] > 0)]
    if not len(wanted) or not attack.inside.some[cells].any():
        return
    search = _Search(attack, shares)
    for number, (cell, others) in enumerate(_suspects(attack, cells, wanted)):
        say(_CELLS, done=number, wanted=len(wanted))
        yield from search.cell(cell, others)


# -- many at once -----------------------------------------------------------------------------------------------------


def _suspects(attack: _Attack, cells: Ints, wanted: Ints) -> Iterator[tuple[int, Ints | None]]:
    """Cells that pushes leave open, each with the insiders who may see too much; None: all."""
    left = wanted[~attack.enough(wanted, *_pushed(attack, cells, wanted, attack.inside.some[cells]))]
    if attack.together > 1:
        yield from ((int(cell), None) for cell in left)
        return
    sole = attack.inside.sole
    owners = np.unique(sole[cells][sole[cells] >= 0])
    codes, of = _codes(len(owners)), np.searchsorted(owners, sole[cells])
    held = codes.astype(np.float64)
    cleared = [np.zeros((codes.shape[1], len(left)), dtype=np.bool_) for _ in range(2)]
    for digit in range(codes.shape[1] if len(left) else 0):
        say(_PUSHED, done=digit, all=codes.shape[1], cells=len(left))
        fixed = (sole[cells] >= 0) & codes[np.minimum(of, len(owners) - 1), digit]
        for side, proven in enumerate(_pushed(attack, cells, left, fixed)):
            cleared[side][digit] = proven
    for at, cell in enumerate(left):
        down, up = (held @ side[:, at] > 0 for side in cleared)
        doubt = ~attack.enough(np.full(len(owners), cell), down, up) & (owners != sole[cell])
        if doubt.any():
            yield int(cell), owners[doubt]


def _pushed(attack: _Attack, cells: Ints, wanted: Ints, fixed: Bools) -> tuple[Bools, Bools]:
    """Which of the wanted cells are proven downward and upward with some cells held fixed; not those that need only be in doubt."""
    free = cells[~fixed]
    asked = np.isin(free, wanted[~attack.owed.either[wanted]])
    down, up = (np.where(asked, want[free], 0.0) for want in (attack.owed.down, attack.owed.up))
    close = CLOSE * np.maximum(attack.owed.unit, np.maximum(down, up))
    wants = Wants(down, up, np.minimum(close, np.maximum(down, up) / 2))
    push(attack.system, free, wants, attack.solver, whole=attack.owed.whole)
    proven = []
    for lacks in (wants.lacks_down(), wants.lacks_up()):
        good = np.zeros(len(attack.system.unknown), dtype=np.bool_)
        good[free] = ~lacks & ~attack.owed.either[free]
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
    free: Polytope
    inner: Session
    outer: Session
    all: bool
    """It is the whole component."""


class _Search:
    def __init__(self, attack: _Attack, shares: Shares | None) -> None:
        self.attack, self.shares = attack, shares
        self.blind = BlindMovements(attack.system, attack.inside.sole, attack.solver, whole=attack.owed.whole)
        self.seen = attack.system.scratch()
        self._cell = -1
        self._opened: list[_Near] = []

    def cell(self, cell: int, suspects: Ints | None) -> Iterator[Breach]:
        """For single insiders only the suspects; else every set of insiders that a proof so far depends on."""
        if suspects is not None:
            yield from self._single(cell, suspects)
            return
        waiting: list[frozenset[int]] = [frozenset()]
        tried: set[frozenset[int]] = set()
        own = self.attack.inside.of(cell)
        while waiting:
            group = waiting.pop()
            if group in tried or (own and own <= group):
                continue
            tried.add(group)
            reach = self._reach(cell, tuple(sorted(group)))
            if group and not reach.enough:
                yield Breach(cell, tuple(sorted(group)), reach.down, reach.up)
                continue
            larger = sorted((group | more for more in reach.moved if not more <= group), key=sorted)
            waiting += [wider for wider in larger if len(wider) <= self.attack.together]

    def _single(self, cell: int, suspects: Ints) -> Iterator[Breach]:
        """One movement that is blind to all suspects, else one for each; what is left is solved."""
        needs = [self._need(cell, (int(s),)) for s in suspects]
        if self._hidden(cell, _widest(needs), suspects):
            return
        for suspect, need in zip(suspects.tolist(), needs, strict=True):
            if len(needs) > 1 and self._hidden(cell, need, np.array([suspect])):
                continue
            reach = self._reach(cell, (suspect,))
            if not reach.enough:
                yield Breach(cell, (suspect,), reach.down, reach.up)

    def _hidden(self, cell: int, need: _Need, insiders: Ints) -> bool:
        """Whether movements that these insiders cannot see give a cell what it needs."""
        if not need.either:
            return self.blind.hide(cell, need.down, need.up, insiders)
        sides = ((need.down, 0.0), (0.0, need.up))
        return need.nothing or any(
            self.blind.hide(cell, down, up, insiders) for down, up in sides if down + up > 0
        )

    def _reach(self, cell: int, group: tuple[int, ...]) -> _Reach:
        """How far the interval reaches with the cells of a group fixed, and who knows the cells that the proof moves."""
        need = self._need(cell, group)
        found = _Reach(0.0, 0.0, set(), enough=False)
        for number in range(len(SIZES) + 1):
            near = self._around(cell, number)
            mine = self.attack.inside.known(near.cells, group) & (near.cells != cell)
            found = self._inner(near, mine, need)
            if found.enough or near.all:
                break
            if group:
                most = self._ends(near.outer, mine)
                if not need.met(*most):
                    return _Reach(*most, set(), enough=False)
        return found

    def _need(self, cell: int, group: tuple[int, ...]) -> _Need:
        owed = self.attack.owed
        down, up = float(owed.down[cell]), float(owed.up[cell])
        if self.shares is not None and group:
            rest = self.shares.rest(cell, group)
            down = min(down, rest)
            if rest <= 0 < self.shares.value[cell]:  # nobody else's value is in it
                up = 0.0
        return _Need(
            down, up, min(CLOSE * max(owed.unit, down, up), max(down, up) / 2), bool(owed.either[cell])
        )

    def _inner(self, near: _Near, held: Bools, need: _Need) -> _Reach:
        near.inner.hold(np.flatnonzero(held))
        moved: set[frozenset[int]] = set()
        ends = []
        for sign, wanted in ((-1, need.down), (1, need.up)):
            found = near.inner.smallest(0) if sign < 0 else near.inner.largest(0)
            point = found.point
            if self.attack.owed.whole and point is not None:
                point = self._whole(near, held, sign, wanted, point)
            ends.append(np.inf if point is None else sign * float(point[0]))
            if point is not None:
                moves = np.abs(point) > MOVED * np.abs(point).max(initial=0.0)
                moves &= self.attack.inside.some[near.cells]
                moved |= {self.attack.inside.of(int(c)) for c in near.cells[moves]}
        return _Reach(ends[0], ends[1], moved, need.met(*ends))

    def _whole(self, near: _Near, held: Bools, sign: int, wanted: float, point: Floats) -> Floats:
        """A movement by whole numbers: the parts of one over the reals that are whole, else one that is searched for."""
        parts = whole_parts(near.free.matrix, point)
        if sign * parts[0] >= min(wanted, np.floor(sign * point[0] + CLOSE)) or len(point) > SEARCHED:
            return parts
        low, high = (np.where(held, 0.0, end) for end in (near.free.low, near.free.high))
        session = self.attack.solver.open(
            Polytope(near.free.matrix, np.ceil(low - CLOSE), np.floor(high + CLOSE), whole=True)
        )
        found = session.largest(0) if sign > 0 else session.smallest(0)
        return parts if found.point is None else found.point

    @staticmethod
    def _ends(session: Session, held: Bools) -> tuple[float, float]:
        session.hold(np.flatnonzero(held))
        return -session.smallest(0).value, session.largest(0).value

    def _around(self, cell: int, number: int) -> _Near:
        """A neighbourhood of a cell with programs over it, kept while the same cell is looked at."""
        if self._cell != cell:
            self._cell, self._opened = cell, []
        if number == len(self._opened):
            count = len(self.attack.system.unknown)
            size = SIZES[number] if number < len(SIZES) else count
            cells = self.attack.system.around(cell, size, self.seen)
            inner, outer = (self._capped(free, cell) for free in self.attack.system.both(cells))
            opened = self.attack.solver.open
            self._opened.append(_Near(cells, inner, opened(inner), opened(outer), len(cells) < size))
        return self._opened[number]

    def _capped(self, free: Polytope, cell: int) -> Polytope:
        """The first cell need not go farther than required: a shorter way moves fewer other cells.

        Where it need only move at all, nothing goes far: solvers are right up to a share of the numbers before them.
        """
        if self.attack.owed.either[cell] and not self.attack.owed.whole:
            most = FARTHEST * max(self.attack.owed.down[cell], self.attack.owed.up[cell])
            np.clip(free.low, -most, None, out=free.low)
            np.clip(free.high, None, most, out=free.high)
        free.low[0] = max(free.low[0], -self.attack.owed.down[cell])
        free.high[0] = min(free.high[0], self.attack.owed.up[cell])
        return free


class _Need(NamedTuple):
    down: float
    up: float
    slack: float
    either: bool

    @property
    def nothing(self) -> bool:
        return self.down <= 0 and self.up <= 0

    def met(self, down: float, up: float) -> bool:
        below, above = down >= self.down - self.slack, up >= self.up - self.slack
        if not self.either:
            return below and above
        return self.nothing or (below and self.down > 0) or (above and self.up > 0)


def _widest(needs: Sequence[_Need]) -> _Need:
    """What is enough for all."""
    return needs[0]._replace(down=max(n.down for n in needs), up=max(n.up for n in needs))


class _Reach(NamedTuple):
    down: float
    up: float
    moved: set[frozenset[int]]
    enough: bool
