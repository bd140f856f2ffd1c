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
Bools = NDArray[np.bool_]

LOWEST, THROUGHOUT, STAGED = -1, -2, -3
"""Where lines are looked for: on the lowest level, over the whole tree, or over the tree only if the lowest level has none.
A number from 0 up means one subtable: bit j is set where the cell is the total along dimension j."""


class Space(NamedTuple):
    """Scratch space of a search, and the one or two cuboids that it found."""

    lines: Lines
    corners: Corners
    below: Paths
    beside: Paths
    row: Ints
    sign: Ints
    size: Ints
    fresh: Bools


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
        np.zeros((2, most), np.int64), np.zeros((2, most), np.int64), np.zeros(2, np.int64), np.zeros(most, np.bool_),
    )  # fmt: skip


@njit(cache=True)
def look(lattice: Lattice, cells: Cells, pivot: int, need: Need, reach: int, space: Space) -> Found:
    """The cheapest cuboid of a cell among the lines within reach."""
    best, height, more = NONE, np.int64(0), True
    staged = reach if reach >= 0 or reach == THROUGHOUT else LOWEST
    while more:
        more = False
        for j in range(lattice.up.shape[1]):
            walk = Walk(lattice, cells, need, pivot, j, best.rank, best.cost)
            if staged >= 0:
                within(walk, (staged >> j) & 1, space.lines)
            elif staged == LOWEST:
                lowest(walk, space.lines)
            else:
                more |= throughout(walk, height, space.lines, space.below, space.beside)
        best = cheapest(lattice, cells, pivot, need, space.lines, best, space.corners)
        if staged == THROUGHOUT:
            more &= best.rank > 0.0 or best.cost > 0.0
            height += 1
        elif reach == STAGED and best.size == 0:
            staged, more = THROUGHOUT, True
    return best


@njit(cache=True)
def secure(lattice: Lattice, cells: Cells, goal: Goal, how: tuple[int, int], space: Space) -> tuple[bool, float, float]:
    """Find what protects a cell; nothing is hidden yet. Return whether there is anything, and what it costs.

    A cuboid whose other corners are no single-respondent cells protects against outsiders and insiders alike. Otherwise two
    cuboids do that share no single respondent: whoever knows a corner of one faces the other (Wettig 2002, L1105-1123).
    `how` says where to look (see LOWEST …) and whether only hidden cells may be used (1) or open ones too (0).
    """
    reach, frozen = how
    singles, span, plain, first = NO_SINGLE if goal.guard >= 0 else ANYBODY, goal.span, NONE, NONE
    space.size[:] = 0
    while True:
        need = Need(goal.up, goal.down, span, goal.own, singles, frozen)
        found = look(lattice, cells, goal.pivot, need, reach, space)
        if singles == NO_SINGLE or goal.guard < 0:
            plain = found
            _keep(space, 0, plain)
            if goal.guard < 0 or (plain.rank <= 0.0 and plain.cost <= 0.0):
                break
            singles = ANYBODY
        elif singles == ANYBODY:
            first = found
            if first.size == 0 or not better(first.rank, first.cost, plain.rank, plain.cost):
                break
            _keep(space, 1, first)
            _ban(cells, space, goal.own, True)
            singles, span = NOT_BANNED, goal.guard
        else:
            _ban(cells, space, goal.own, False)
            rank, cost = first.rank + found.rank, first.cost + found.cost
            if found.size > 0 and better(rank, cost, plain.rank, plain.cost):
                _keep(space, 0, found)
                return True, rank, cost
            break
    space.size[1] = 0
    return plain.size > 0, plain.rank, plain.cost


@njit(cache=True)
def _ban(cells: Cells, space: Space, own: int, on: bool) -> None:
    """While a second cuboid is looked for, the first counts as hidden and its single respondents are shut out."""
    for i in range(space.size[1]):
        row = space.row[1, i]
        if on:
            space.fresh[i] = not cells.hidden[row]
            cells.hidden[row] = True
        elif space.fresh[i]:
            cells.hidden[row] = False
        if cells.owner[row] >= 0 and cells.owner[row] != own:
            cells.banned[cells.owner[row]] = on


@njit(cache=True)
def _keep(space: Space, which: int, found: Found) -> None:
    space.size[which] = found.size
    for i in range(found.size):
        space.row[which, i] = space.corners.best_row[i]
        space.sign[which, i] = space.corners.best_sign[i]
