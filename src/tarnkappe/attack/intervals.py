"""The attacker's interval of every hidden cell: the least and the largest value that all published sums allow.

The arguments, the cheap ones first: (1) Subtraction: a sum with one hidden cell gives it away. (2) Pushes: programs that push all
unproven cells of a connected component at once; the possible table they find proves for every cell it moves that its interval
reaches at least so far, and a few of them prove nearly all cells. (3) What is left is pushed one by one on growing
neighbourhoods of hidden cells, all others held fixed. (4) Only what is still open is solved over its whole component, which is
exact. (5) Cells that nothing has moved are pushed together to both sides with random weights: if even that moves none, they are fixed.
Whoever asks may hand in movements (see `attack.cuboids`); each is multiplied out over all sums before it is believed. Where only a few
cells are left after that, (3) comes before (2).

Where values are whole numbers only movements by whole numbers prove anything. What programs over the reals allow and no such
movement shows is searched for among whole numbers, as far as that is cheap; the rest is marked as relaxed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from tarnkappe.attack.closeness import sizes
from tarnkappe.attack.hidden import Hidden, fixed_by, hidden
from tarnkappe.attack.progress import say
from tarnkappe.attack.pushes import Wants, push, whole_parts
from tarnkappe.attack.witnesses import Witnesses
from tarnkappe.data.column import Bools, Floats, Ints
from tarnkappe.data.relations import Relations
from tarnkappe.language import Text
from tarnkappe.solve import Polytope, Session, Solver
from tarnkappe.solve.highs import Highs

SIZES = (100, 400, 1600)
"""Neighbourhoods that are tried before a whole component."""
MORE_SIZES = (*SIZES, 6400, 20_000)
"""The same where only a few cells are left,"""
PATIENCE = 5
"""until so many in a row fail with one size."""
HOPELESS = 0.8
"""When neighbourhoods of a size leave more than this share unproven, larger ones are not tried."""
FEW = 0.02
"""Where no more than this share of a component is unproven, neighbourhoods are tried before pushes."""
SMALL = 400
"""Components up to this size are solved whole at once."""
CLOSE = 1e-7
"""An interval reaches its goal when it is short of it by less than this share of the cell's size."""
LITTLE = 1e-3
"""Cells that nothing has moved yet are pushed by this share of their size."""
SEARCHED = (60, 600)
"""Whole numbers are searched for over neighbourhoods of these sizes,"""
MOST_SEARCHES = 400
"""and so often at most."""


_SOLVED = Text(
    "intervals of {cells} hidden cells: {solved} linear programs solved",
    "Intervalle von {cells} verborgenen Zellen: {solved} lineare Programme gelöst",
)


class Proof(IntEnum):
    """How the interval of a cell was found."""

    OPEN = 0
    SUBTRACTION = 1
    """Exactly disclosed by subtracting."""
    RANK = 4
    """Exactly disclosed by several sums together."""
    NEIGHBOURHOOD = 2
    """At least so wide: a deviation of few cells shows it."""
    COMPONENT = 3
    """Exactly so wide: solved over everything it is tied to."""
    PUSHED = 5
    """At least so wide: a possible table shows it, found for many cells together."""


@dataclass(frozen=True, slots=True, eq=False)
class Intervals:
    """What an attacker finds. Where `exact` is false the true interval is at least as wide."""

    low: Floats
    high: Floats
    exact: Bools
    proof: NDArray[np.uint8]
    by: Ints
    """The relation that gives a cell away by subtraction; -1 elsewhere."""
    solved: int
    """Linear programs that were solved."""
    relaxed: Bools | None = None
    """Cells whose interval could be found only as if values need not be whole; None: none."""


@dataclass(frozen=True, slots=True, eq=False)
class Asked:
    """What must be known: how far down and up every cell's interval must reach; inf asks for the exact end."""

    down: Floats
    up: Floats
    whole: bool = field(default=False, kw_only=True)
    """Values are whole numbers, and the attacker knows it."""
    shown: Witnesses | None = field(default=None, kw_only=True)
    """Movements that may prove something; believed when they are possible."""


def intervals(
    relations: Relations,
    value: Floats,
    suppressed: Bools,
    low: Floats,
    high: Floats,
    asked: Asked,
    solver: Solver | None = None,
) -> Intervals:
    """The attacker's intervals, each found as far as it is asked for."""
    if asked.whole:
        low, high = np.ceil(low - CLOSE), np.floor(high + CLOSE)
        asked = replace(asked, down=np.ceil(asked.down - CLOSE), up=np.ceil(asked.up - CLOSE))
    system = hidden(relations, value, suppressed, low, high)
    search = _Search(system, value, asked, solver or Highs())
    if asked.shown is not None:
        search.believe(asked.shown)
    return search.result(suppressed)


class _Search:
    def __init__(self, system: Hidden, value: Floats, asked: Asked, solver: Solver) -> None:
        size = len(value)
        self.system, self.value, self.solver, self.whole = system, value, solver, asked.whole
        self.size = sizes(value)
        self.slack = CLOSE * self.size
        self.want_down = np.minimum(np.where(system.unknown, asked.down, 0.0), system.down)
        self.want_up = np.minimum(np.where(system.unknown, asked.up, 0.0), system.up)
        self.down, self.up = np.zeros(size), np.zeros(size)
        self.end_down, self.end_up = ~system.unknown, ~system.unknown
        self.fixed, self.relaxed, self.near = (np.zeros(size, dtype=np.bool_) for _ in range(3))
        self.seen, self.solved, self.searched = system.scratch(), 0, 0

    def believe(self, shown: Witnesses) -> None:
        """Take over what possible movements prove, for every cell they move."""
        possible, size = self.system.possible(shown), np.diff(shown.start)
        if self.whole:
            broken = np.repeat(np.arange(len(size)), size)[shown.amount != np.rint(shown.amount)]
            possible[broken] = False
        good = np.repeat(possible, size)
        cell, amount = shown.cell[good], shown.amount[good]
        np.maximum.at(self.up, cell, amount)
        np.maximum.at(self.down, cell, -amount)
        moved = np.flatnonzero(self.down + self.up > 0)
        self.near[moved[~self._lacks(moved)]] = True

    def result(self, suppressed: Bools) -> Intervals:
        for cells in self.system.components():
            self._component(cells)
        at_bounds = (self.down >= self.system.down - self.slack, self.up >= self.system.up - self.slack)
        exact = (self.end_down | at_bounds[0]) & (self.end_up | at_bounds[1]) & ~self.relaxed
        proof = np.where(suppressed, np.uint8(Proof.PUSHED), np.uint8(Proof.OPEN))
        proof[self.near] = Proof.NEIGHBOURHOOD
        proof[exact & suppressed] = Proof.COMPONENT
        proof[self.fixed] = Proof.RANK
        proof[self.system.given_away] = Proof.SUBTRACTION
        by = np.full(len(self.value), -1, dtype=np.int64)
        by[self.system.given_away] = self.system.by
        return Intervals(
            self.value - self.down, self.value + self.up, exact, proof, by, self.solved, self.relaxed
        )

    def _component(self, cells: Ints) -> None:
        left = self._lacks(cells)
        if left.any() and np.isfinite(self.want_down[cells]).all() and np.isfinite(self.want_up[cells]).all():
            if left.mean() < FEW:
                self._few(cells, self._open, self._ask_near)
            self._push(cells, self.want_down, self.want_up)
            self._neighbourhoods(cells)
            if len(cells) > SMALL and not self.whole:
                self._few(cells, self._open, self._end_near)
        self._one_by_one(cells)
        if len(self._still(cells)) < FEW * len(cells):
            self._few(cells, self._still, self._nudge)
        self._unmoved(cells)

    # -- many at once -----------------------------------------------------------------------------------------

    def _push(self, cells: Ints, down: Floats, up: Floats) -> None:
        wants = Wants(down[cells], up[cells], self.slack[cells])
        wants.proven_down, wants.proven_up = self.down[cells], self.up[cells]
        self.solved += push(self.system, cells, wants, self.solver, whole=self.whole)
        self.up[cells] = np.maximum(self.up[cells], wants.proven_up)
        self.down[cells] = np.maximum(self.down[cells], wants.proven_down)

    def _unmoved(self, cells: Ints) -> None:
        """Find out whether cells that nothing has moved so far can move at all.

        If neither g · d nor -g · d can be positive for random weights g, every possible deviation d is 0 wherever g is not (with
        probability 1).
        """
        draw = np.random.default_rng(1)
        while len(left := self._still(cells)):
            at = np.flatnonzero(np.isin(cells, left))
            cap = np.full(len(cells), np.inf)
            cap[at] = 1.0 if self.whole else LITTLE * self.size[cells[at]]
            weights = np.zeros(len(cells))
            weights[at] = draw.uniform(1.0, 2.0, len(at)) * draw.choice((-1.0, 1.0), len(at)) / cap[at]
            free = self.system.polytope(cells)
            session = self.solver.open(
                Polytope(free.matrix, np.maximum(free.low, -cap), np.minimum(free.high, cap))
            )
            for side in (weights, -weights):
                self._learn(cells, free, session.farthest(side).point)
            if len(self._still(cells)) == len(left):
                break
        if len(left) and self.whole:  # what moves by broken numbers only may still be fixed
            self.want_down[left] = np.minimum(1.0, self.system.down[left])
            self.want_up[left] = np.minimum(1.0, self.system.up[left])
            self._one_by_one(cells)
        elif len(left):
            self.end_down[left] = self.end_up[left] = True
            self.fixed[cells[self.system.determined(cells)]] = True
            self.fixed &= self.end_down & self.end_up

    def _still(self, cells: Ints) -> Ints:
        """Cells that nothing has moved and that are not known to be fixed."""
        moved = self.down[cells] + self.up[cells] > self.slack[cells]
        return cells[~moved & ~(self.end_down[cells] & self.end_up[cells])]

    def _nudge(self, cell: int, size: int) -> None:
        """Move one cell a little, up or else down, all others held fixed but those nearest to it."""
        near, one = self.system.around(cell, size, self.seen), np.array([cell])
        little = 1.0 if self.whole else LITTLE * float(self.size[cell])
        free = _capped(self.system.polytope(near), little, little)
        session = self.solver.open(free)
        for ask in (session.largest, session.smallest):
            if len(self._still(one)):
                self._learn(near, free, ask(0).point)
        if len(self._still(one)) and not self.whole:
            self._fix(cell, self.system.both(near)[1])

    def _fix(self, cell: int, outer: Polytope) -> None:
        """See whether the sums around a cell alone, whatever is beyond, fix it."""
        if outer.matrix.shape[0] and fixed_by(outer.matrix)[0]:
            self.fixed[cell] = self.end_down[cell] = self.end_up[cell] = True

    # -- one by one -------------------------------------------------------------------------------------------

    def _neighbourhoods(self, cells: Ints) -> None:
        for size in SIZES if len(cells) > SMALL else ():
            unproven = self._open(cells)
            for cell in unproven:
                if self._lacks(np.array([cell]))[0]:
                    self._ask_near(int(cell), size)
            self.near[unproven] = True
            if len(self._open(cells)) > HOPELESS * len(unproven):
                break

    def _few(self, cells: Ints, left: Callable[[Ints], Ints], ask: Callable[[int, int], None]) -> None:
        """A few cells that are left, on neighbourhoods that grow: a program over a large component takes longer."""
        for size in (size for size in MORE_SIZES if 2 * size <= len(cells)):
            failed, waiting = 0, left(cells)
            for cell in waiting:
                one = np.array([cell])
                if len(left(one)) and failed < PATIENCE:
                    ask(int(cell), size)
                    failed = failed + 1 if len(left(one)) else 0
            self.near[np.setdiff1d(waiting, left(cells))] = True

    def _ask_near(self, cell: int, size: int) -> None:
        """Push one cell both ways, all others held fixed but those nearest to it."""
        near = self.system.around(cell, size, self.seen)
        self._ask(self.solver.open(self._as_wanted(near)), near, 0, end=False)

    def _end_near(self, cell: int, size: int) -> None:
        """The ends of an interval among the cells nearest to it.

        With all other cells held fixed a cell reaches at least so far, with all sums forgotten in which others may move at most so
        far: where both agree, it is the end.
        """
        near, one = self.system.around(cell, size, self.seen), np.array([cell])
        inner, outer = (self._cap(free, near) for free in self.system.both(near))
        self._ask(self.solver.open(inner), near, 0, end=False)
        if len(self._still(one)):
            self._fix(cell, outer)
        beyond = self.solver.open(outer)
        for lacks, reach, ended, most in (
            (self._lacks_up, self.up, self.end_up, beyond.largest),
            (self._lacks_down, self.down, self.end_down, beyond.smallest),
        ):
            if lacks(one)[0]:
                ended[cell] = abs(most(0).value) <= reach[cell] + self.slack[cell]
                self.solved += 1

    def _as_wanted(self, cells: Ints) -> Polytope:
        """Deviations of some cells; the first goes no farther than it must."""
        return self._cap(self.system.polytope(cells), cells)

    def _cap(self, free: Polytope, cells: Ints) -> Polytope:
        return _capped(free, self.want_down[cells[0]], self.want_up[cells[0]])

    def _one_by_one(self, cells: Ints) -> None:
        """What is left, over the whole component."""
        left = self._open(cells)
        if len(left):
            session = self.solver.open(self.system.polytope(cells))
            place = {int(c): i for i, c in enumerate(cells)}
            for cell in left:
                self._ask(session, cells, place[int(cell)], end=True)

    def _ask(self, session: Session, cells: Ints, at: int, *, end: bool) -> None:
        """Push one cell both ways, as far as it lacks something; with `end` the answer is the end of its interval."""
        one, cell = cells[at : at + 1], int(cells[at])
        free = self.system.polytope(cells) if self.whole else None
        for sign, lacks, reach, ended in (
            (1, self._lacks_up, self.up, self.end_up),
            (-1, self._lacks_down, self.down, self.end_down),
        ):
            if not lacks(one)[0]:
                continue
            found = session.largest(at) if sign > 0 else session.smallest(at)
            self._learn(cells, free, found.point)
            if found.point is None:
                reach[cell] = np.inf
            if end:
                ended[cell] = True
                if self.whole:
                    self._settle(cell, sign, np.floor(sign * found.value + CLOSE))

    def _settle(self, cell: int, sign: int, limit: float) -> None:
        """Whole numbers: how far a cell gets, when the reals allow `limit`."""
        reach, want = (self.up, self.want_up) if sign > 0 else (self.down, self.want_down)
        goal = min(limit, want[cell])
        if reach[cell] >= goal or not np.isfinite(goal):
            return
        for size in SEARCHED:
            near = self.system.around(cell, size, self.seen)
            free = self._as_wanted(near)
            session = self.solver.open(Polytope(free.matrix, free.low, free.high, whole=True))
            if self.searched >= MOST_SEARCHES:
                break
            self.searched += 1
            found = session.largest(0) if sign > 0 else session.smallest(0)
            self._learn(near, free, found.point)
            if reach[cell] >= goal or (found.proven and len(near) < size):
                return
        reach[cell], self.relaxed[cell] = goal, True

    def _lacks(self, cells: Ints) -> Bools:
        return self._lacks_down(cells) | self._lacks_up(cells)

    def _open(self, cells: Ints) -> Ints:
        """Cells whose goal is not proven yet, the most demanding first."""
        left = cells[self._lacks(cells)]
        return left[np.argsort(-(self.want_down[left] + self.want_up[left]), kind="stable")]

    def _lacks_down(self, cells: Ints) -> Bools:
        return ~self.end_down[cells] & (self.down[cells] < self.want_down[cells] - self.slack[cells])

    def _lacks_up(self, cells: Ints) -> Bools:
        return ~self.end_up[cells] & (self.up[cells] < self.want_up[cells] - self.slack[cells])

    def _learn(self, cells: Ints, free: Polytope | None, point: Floats | None) -> None:
        """A possible deviation moves many cells: each is proven to reach so far."""
        self.solved += 1
        say(_SOLVED, solved=self.solved, cells=int(self.system.unknown.sum()))
        if point is None:
            return
        if self.whole and free is not None:
            point = whole_parts(free.matrix, point)
        self.up[cells] = np.maximum(self.up[cells], point)
        self.down[cells] = np.maximum(self.down[cells], -point)


def _capped(free: Polytope, down: float, up: float) -> Polytope:
    """The first cell goes no farther than so."""
    free.low[0], free.high[0] = max(free.low[0], -down), min(free.high[0], up)
    return free
