"""The attacker's interval of every hidden cell: the least and the largest value that all published sums allow.

The arguments, the cheap ones first: (1) Subtraction: a sum with one hidden cell gives it away; several sums together fix
a cell that no solution of the homogeneous system moves (rank). (2) A deviation that is
feasible on a neighbourhood of hidden cells, all others held fixed, proves for every cell it moves that its interval reaches
at least so far. A few programs that push all unproven cells of a neighbourhood at once prove most of them together. (3) What
is left is pushed one by one, and neighbourhoods grow. (4) Only what is still open is solved over its whole connected
component, which is exact.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from tarnkappe.attack.hidden import Hidden, hidden
from tarnkappe.data.column import Bools, Floats, Ints
from tarnkappe.data.relations import Relations
from tarnkappe.solve import Polytope, Session, Solver
from tarnkappe.solve.highs import Highs

SIZES = (100, 400, 1600)
"""Neighbourhoods that are tried before a whole component."""
ROUNDS = 8
"""Times that all unproven cells of a neighbourhood are pushed together."""
HOPELESS = 0.8
"""When neighbourhoods of a size leave more than this share unproven, larger ones are not tried."""
SMALL = 400
"""Components up to this size are solved whole at once."""
CLOSE = 1e-7
"""An interval reaches its goal when it is short of it by less than this share of the cell's size."""


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


@dataclass(frozen=True, slots=True, eq=False)
class Asked:
    """What must be known: how far down and up every cell's interval must reach; inf asks for the exact end."""

    down: Floats
    up: Floats


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
    return _Search(hidden(relations, value, suppressed, low, high), value, asked, solver or Highs()).result(
        suppressed
    )


class _Search:
    def __init__(self, system: Hidden, value: Floats, asked: Asked, solver: Solver) -> None:
        size = len(value)
        self.system, self.value, self.solver = system, value, solver
        self.slack = CLOSE * np.maximum(1.0, np.abs(value))
        self.want_down = np.minimum(np.where(system.unknown, asked.down, 0.0), system.down)
        self.want_up = np.minimum(np.where(system.unknown, asked.up, 0.0), system.up)
        self.down, self.up = np.zeros(size), np.zeros(size)
        self.end_down, self.end_up = ~system.unknown, ~system.unknown
        self.fixed = np.zeros(size, dtype=np.bool_)
        self.seen, self.solved = system.scratch(), 0

    def result(self, suppressed: Bools) -> Intervals:
        for cells in self.system.components():
            self._component(cells)
        proof = np.where(suppressed, np.uint8(Proof.NEIGHBOURHOOD), np.uint8(Proof.OPEN))
        at_bounds = (self.down >= self.system.down - self.slack, self.up >= self.system.up - self.slack)
        exact = (self.end_down | at_bounds[0]) & (self.end_up | at_bounds[1])
        proof[exact & suppressed] = Proof.COMPONENT
        proof[self.fixed] = Proof.RANK
        proof[self.system.given_away] = Proof.SUBTRACTION
        by = np.full(len(self.value), -1, dtype=np.int64)
        by[self.system.given_away] = self.system.by
        return Intervals(self.value - self.down, self.value + self.up, exact, proof, by, self.solved)

    def _component(self, cells: Ints) -> None:
        fixed = cells[self.system.determined(cells)]
        self.end_down[fixed] = self.end_up[fixed] = self.fixed[fixed] = True
        for size in SIZES if len(cells) > SMALL else ():
            unproven = self._open(cells)
            for cell in unproven:
                if self._lacks(np.array([cell]))[0]:
                    self._neighbourhood(self.system.around(int(cell), size, self.seen))
            if len(self._open(cells)) > HOPELESS * len(unproven):
                break
        self._together(cells)
        left = self._open(cells)
        if len(left):
            session = self.solver.open(self.system.polytope(cells))
            place = {int(c): i for i, c in enumerate(cells)}
            for cell in left:
                self._ask(session, cells, int(cell), place[int(cell)], whole=True)

    def _neighbourhood(self, cells: Ints) -> None:
        """Push everything around a cell, then the cell itself, which stands first."""
        session = self._together(cells)
        if session and self._lacks(cells[:1])[0]:
            self._ask(session, cells, int(cells[0]), 0, whole=False)

    def _together(self, cells: Ints) -> Session | None:
        """Push all unproven cells at once, each towards a side it lacks; stop when that proves little."""
        wants = np.maximum(self.want_down, self.want_up)[cells]
        if not np.isfinite(wants).all() or not self._lacks(cells).any():
            return None
        free = self.system.polytope(cells)
        cap = np.where(wants > 0, wants, np.inf)
        session = self.solver.open(
            Polytope(free.matrix, np.maximum(free.low, -cap), np.minimum(free.high, cap))
        )
        for turn in range(ROUNDS):
            up, down = self._lacks_up(cells), self._lacks_down(cells)
            upward = up & (~down | ((np.arange(len(cells)) + turn) % 2 == 0))
            side = np.where(upward, 1.0, np.where(down, -1.0, 0.0))
            self._learn(
                cells, session.farthest(np.where(wants > 0, side / np.maximum(wants, 1e-300), 0.0)).point
            )
            lacking = int((up | down).sum())
            if int(self._lacks(cells).sum()) > 0.8 * lacking:
                break
        return session

    def _lacks(self, cells: Ints) -> Bools:
        return self._lacks_down(cells) | self._lacks_up(cells)

    def _open(self, cells: Ints) -> Ints:
        """Cells whose goal is not proven yet, the most demanding first."""
        left = cells[self._lacks(cells)]
        return left[np.argsort(-(self.want_down + self.want_up)[left], kind="stable")]

    def _lacks_down(self, cells: Ints) -> Bools:
        return ~self.end_down[cells] & (self.down[cells] < self.want_down[cells] - self.slack[cells])

    def _lacks_up(self, cells: Ints) -> Bools:
        return ~self.end_up[cells] & (self.up[cells] < self.want_up[cells] - self.slack[cells])

    def _ask(self, session: Session, cells: Ints, cell: int, at: int, *, whole: bool) -> None:
        """Push one cell both ways, as far as it lacks something."""
        one = np.array([cell])
        if self._lacks_up(one)[0]:
            point = session.largest(at).point
            self.up[cell] = np.inf if point is None else self.up[cell]
            self._learn(cells, point)
            self.end_up[cell] |= whole
        if self._lacks_down(one)[0]:
            point = session.smallest(at).point
            self.down[cell] = np.inf if point is None else self.down[cell]
            self._learn(cells, point)
            self.end_down[cell] |= whole

    def _learn(self, cells: Ints, point: Floats | None) -> None:
        """A feasible deviation moves many cells: each is proven to reach so far."""
        self.solved += 1
        if point is not None:
            self.up[cells] = np.maximum(self.up[cells], point)
            self.down[cells] = np.maximum(self.down[cells], -point)
