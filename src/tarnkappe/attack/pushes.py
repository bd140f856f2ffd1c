"""Many proofs at once: one linear program pushes all cells that still lack something, each towards a side it lacks.

Its optimum is a possible table, so it proves for every cell it moves that the interval reaches so far. A few rounds with sides drawn
at random prove nearly everything, even where all hidden cells hang together. Where cells are whole numbers only those parts of a
movement count that are whole.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from scipy.sparse import csc_array
from scipy.sparse.csgraph import connected_components

from tarnkappe.attack.hidden import Hidden
from tarnkappe.data.column import Bools, Floats, Ints
from tarnkappe.solve import Polytope, Solver

ROUNDS = 20
GAIN = 0.2
"""A round that proves less than this share of what was left counts as idle; two of them in a row are the last."""
WHOLE = 1e-6


@dataclass(slots=True, eq=False)
class Wants:
    """How far down and up some cells must reach, and how far they are proven to reach."""

    down: Floats
    up: Floats
    slack: Floats
    proven_down: Floats = field(init=False)
    proven_up: Floats = field(init=False)

    def __post_init__(self) -> None:
        self.proven_down, self.proven_up = np.zeros(len(self.down)), np.zeros(len(self.up))

    def lacks_down(self) -> Bools:
        return self.proven_down < self.down - self.slack

    def lacks_up(self) -> Bools:
        return self.proven_up < self.up - self.slack

    def learn(self, point: Floats) -> None:
        self.proven_up = np.maximum(self.proven_up, point)
        self.proven_down = np.maximum(self.proven_down, -point)


def push(system: Hidden, cells: Ints, wants: Wants, solver: Solver, *, whole: bool = False) -> int:
    """Push some cells, all others staying, until rounds prove little more; return how many programs were solved."""
    free = system.polytope(cells)
    want = np.maximum(wants.down, wants.up)
    draw, idle = np.random.default_rng(0), 0  # any choice is a proof, so it need not be secret
    for turn in range(ROUNDS):
        up, down = wants.lacks_up(), wants.lacks_down()
        left = int(up.sum() + down.sum())
        if not left or idle > 1:
            return turn
        upward = up & (~down | (draw.random(len(cells)) < 0.5))
        side = np.where(upward, 1.0, np.where(down, -1.0, 0.0))
        cap = np.where(side == 0, np.inf, want)
        session = solver.open(Polytope(free.matrix, np.maximum(free.low, -cap), np.minimum(free.high, cap)))
        point = session.farthest(np.where(side == 0, 0.0, side / np.where(want > 0, want, 1.0))).point
        assert point is not None  # what is pushed is bounded
        wants.learn(whole_parts(free.matrix, point) if whole else point)
        still = int(wants.lacks_up().sum() + wants.lacks_down().sum())
        idle = idle + 1 if still > (1 - GAIN) * left else 0
    return ROUNDS


def whole_parts(matrix: csc_array, point: Floats) -> Floats:
    """The parts of a movement that move by whole numbers; parts that share a sum stand or fall together."""
    nearest = np.rint(point)
    moved = np.flatnonzero(np.abs(point) > WHOLE)
    part = abs(matrix[:, moved])
    _, label = connected_components(part.T @ part, directed=False)
    broken = np.zeros(len(moved), dtype=np.bool_)
    broken[label[np.abs(point - nearest)[moved] > WHOLE]] = True
    out = np.zeros(len(point))
    out[moved] = np.where(broken[label], 0.0, nearest[moved])
    return out
