"""The Quader (hypercube) step for one cell: its cheapest cuboid, and a second one where single respondents look on."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from tarnkappe.kernels.cuboids import (
    ANYBODY,
    NO_SINGLE,
    NONE,
    NOT_BANNED,
    Cells,
    Corners,
    Found,
    Lattice,
    Lines,
    Need,
    better,
    cheapest,
    new_corners,
    new_lines,
)
from tarnkappe.kernels.lines import Paths, Walk, lowest, new_paths, throughout, within

Ints = NDArray[np.int64]
Rows = NDArray[np.int32]
Bytes = NDArray[np.int8]

LOWEST, THROUGHOUT, STAGED = -1, -2, -3
"""Where lines are looked for: on the lowest level, over the whole tree, or over the tree only if the lowest level has none.
A number from 0 up means one subtable: bit j is set where the cell is the total along dimension j."""


class Space(NamedTuple):
    """Scratch space of a search, and the one or two cuboids that it found."""

    lines: Lines
    corners: Corners
    below: Paths
    beside: Paths
    row: Rows
    sign: Bytes
    size: Ints


class Goal(NamedTuple):
    """What one cell needs."""

    pivot: int
    up: float
    down: float
    span: float
    own: int
    guard: float
    """The span that must be left, beside `up` and `down`, to the owner of any other single-respondent cell; negative: such
    owners are not reckoned with."""


def new_space(dimensions: int, most: int) -> Space:
    return Space(
        new_lines(dimensions), new_corners(dimensions, most), new_paths(), new_paths(),
        np.zeros((2, most), np.int32), np.zeros((2, most), np.int8), np.zeros(2, np.int64),
    )  # fmt: skip


@njit(cache=True)
def look(lattice: Lattice, cells: Cells, pivot: int, need: Need, reach: int, space: Space) -> Found:
    """The cheapest cuboid of a cell among the lines within reach."""
    dimensions = lattice.up.shape[1]
    lines = space.lines
    if reach >= 0:
        for j in range(dimensions):
            within(Walk(lattice, cells, need, pivot, j, np.inf, np.inf), bool((reach >> j) & 1), lines)
        return cheapest(lattice, cells, pivot, need, lines, NONE, space.corners)
    best = NONE
    if reach != THROUGHOUT:
        for j in range(dimensions):
            lowest(Walk(lattice, cells, need, pivot, j, np.inf, np.inf), lines)
        best = cheapest(lattice, cells, pivot, need, lines, NONE, space.corners)
        if best.size > 0 or reach == LOWEST:
            return best
    height, more = 0, True
    while more:
        more = False
        for j in range(dimensions):
            walk = Walk(lattice, cells, need, pivot, j, best.rank, best.cost)
            more |= throughout(walk, height, lines, space.below, space.beside)
        best = cheapest(lattice, cells, pivot, need, lines, best, space.corners)
        more &= best.rank > 0.0 or best.cost > 0.0
        height += 1
    return best


@njit(cache=True)
def secure(lattice: Lattice, cells: Cells, goal: Goal, reach: int, frozen: bool, space: Space) -> tuple[bool, float, float]:
    """Find what protects a cell; nothing is hidden yet. Return whether there is anything, and what it costs.

    A cuboid whose other corners are no single-respondent cells protects against outsiders and insiders alike. Otherwise two
    cuboids do that share no single respondent: whoever knows a corner of one faces the other (Wettig 2002, L1105-1123).
    """
    singles = ANYBODY if goal.guard < 0 else NO_SINGLE
    need = Need(goal.up, goal.down, goal.span, goal.own, singles, frozen)
    plain = look(lattice, cells, goal.pivot, need, reach, space)
    _keep(space, 0, plain)
    space.size[1] = 0
    if goal.guard < 0 or (plain.size > 0 and plain.rank <= 0.0 and plain.cost <= 0.0):
        return plain.size > 0, plain.rank, plain.cost
    need = Need(goal.up, goal.down, goal.span, goal.own, ANYBODY, frozen)
    first = look(lattice, cells, goal.pivot, need, reach, space)
    if first.size == 0 or not better(first.rank, first.cost, plain.rank, plain.cost):
        return plain.size > 0, plain.rank, plain.cost
    saved_row, saved_sign = space.row[0].copy(), space.sign[0].copy()
    _keep(space, 0, first)
    second = _second(lattice, cells, goal, reach, frozen, space)
    rank, cost = first.rank + second.rank, first.cost + second.cost
    if second.size > 0 and better(rank, cost, plain.rank, plain.cost):
        _keep(space, 1, second)
        return True, rank, cost
    space.row[0], space.sign[0], space.size[0] = saved_row, saved_sign, plain.size
    return plain.size > 0, plain.rank, plain.cost


@njit(cache=True)
def _second(lattice: Lattice, cells: Cells, goal: Goal, reach: int, frozen: bool, space: Space) -> Found:
    """A cuboid that shares no single respondent with the first one; the first one counts as hidden."""
    row = space.row[0, : space.size[0]].copy()
    fresh = ~cells.hidden[row]
    for r in row:
        cells.hidden[r] = True
        if cells.owner[r] >= 0 and cells.owner[r] != goal.own:
            cells.banned[cells.owner[r]] = True
    need = Need(goal.up, goal.down, goal.guard, goal.own, NOT_BANNED, frozen)
    found = look(lattice, cells, goal.pivot, need, reach, space)
    for i in range(len(row)):
        if fresh[i]:
            cells.hidden[row[i]] = False
        if cells.owner[row[i]] >= 0:
            cells.banned[cells.owner[row[i]]] = False
    return found


@njit(cache=True)
def _keep(space: Space, which: int, found: Found) -> None:
    space.size[which] = found.size
    for i in range(found.size):
        space.row[which, i] = space.corners.best_row[i]
        space.sign[which, i] = space.corners.best_sign[i]
