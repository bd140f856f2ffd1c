"""The Quader (hypercube) step for one cell: its cheapest cuboid, and a second one where single respondents look on."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
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
from tarnkappe.kernels.lean import lean
from tarnkappe.kernels.lines import Paths, Walk, lowest, new_paths, throughout, within

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

OUTSIDE, PLAIN, MAIN_FIRST, MAIN_SECOND, OTHER_FIRST, OTHER_SECOND = range(6)
"""Attempts at a cell: for outsiders only; one cuboid without single respondents; two cuboids, the first with none but the largest
contributor; two cuboids that share none."""
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
    """(3, corners) the first and the second cuboid, and one that waits for its second."""
    sign: Ints
    size: Ints
    fresh: Bools
    """Corners of the waiting cuboid that are open."""


class Goal(NamedTuple):
    """What one cell needs."""

    pivot: int
    up: float
    down: float
    span: float
    own: int
    """The owner of the cell if it is a single-respondent cell; -1."""
    main: int
    """The largest contributor; -1."""
    rest: float
    """What he must be left below the cell: he knows his own share in it."""
    share: float
    """The share of the largest corner that the span must be; 0: any."""
    guard: float
    """The span that must be left, beside `up` and `down`, to the owner of any other single-respondent cell; negative: such
    owners are not reckoned with."""


def new_space(dimensions: int, most: int) -> Space:
    return Space(
        new_lines(dimensions), new_corners(dimensions, most), new_paths(), new_paths(),
        np.zeros((3, most), np.int64), np.zeros((3, most), np.int64), np.zeros(3, np.int64), np.zeros(most, np.bool_),
    )  # fmt: skip


@lean
def look(lattice: Lattice, cells: Cells, pivot: int, need: Need, reach: int, space: Space) -> Found:
    """The cheapest cuboid of a cell among the lines within reach."""
    best, height, more = NONE, 0, True
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


@lean
def secure(
    lattice: Lattice, cells: Cells, goal: Goal, how: tuple[int, int], space: Space
) -> tuple[bool, float, float]:
    """Find what protects a cell; nothing is hidden yet. Return whether there is anything, and what it costs.

    A cuboid whose other corners are no single-respondent cells protects against outsiders and insiders alike. Otherwise two
    cuboids do that share no single respondent: whoever knows a corner of one faces the other (Wettig 2002, L1105-1123).
    `how` says where to look (see LOWEST …) and whether only hidden cells may be used (1) or open ones too (0).
    """
    reach, frozen = how
    rank, cost, first = np.inf, np.inf, NONE
    space.size[:] = 0
    stage = PLAIN if goal.guard >= 0 else OUTSIDE
    while stage <= OTHER_SECOND:
        second = stage in (MAIN_SECOND, OTHER_SECOND)
        own = goal.main if stage == MAIN_FIRST else goal.own
        singles = NO_SINGLE if stage in (PLAIN, MAIN_FIRST) else NOT_BANNED if second else ANYBODY
        down = goal.down if not second or _ban(cells, space, goal, 1) else goal.rest
        span, share = (goal.guard, 0.0) if second else (goal.span, goal.share)
        need = Need(goal.up, down, span, share, own, singles, frozen)
        found = look(lattice, cells, goal.pivot, need, reach, space)
        if second:
            _ban(cells, space, goal, 0)
            if found.size > 0 and better(first.rank + found.rank, first.cost + found.cost, rank, cost):
                rank, cost = first.rank + found.rank, first.cost + found.cost
                _keep(space, 1, found)
                _copy(space, 2, 0)
        elif stage in (OUTSIDE, PLAIN):
            rank, cost = found.rank, found.cost
            _keep(space, 0, found)
        else:
            first = found
            _keep(space, 2, found)
        if stage == OUTSIDE or (rank <= 0.0 and cost <= 0.0):
            break
        stage += 1
        if stage == MAIN_FIRST and (goal.main < 0 or goal.own >= 0):
            stage = OTHER_FIRST
        elif stage in (MAIN_SECOND, OTHER_SECOND) and not better(first.rank, first.cost, rank, cost):
            stage += 1
    return space.size[0] > 0, rank, cost


@lean
def _ban(cells: Cells, space: Space, goal: Goal, on: int) -> bool:
    """While a second cuboid is looked for, the first counts as hidden and its single respondents are shut out.

    Return whether there is any but the largest contributor to the cell.
    """
    others = False
    for i in range(space.size[2]):
        row = space.row[2, i]
        if on:
            space.fresh[i] = not cells.hidden[row]
            cells.hidden[row] = True
        elif space.fresh[i]:
            cells.hidden[row] = False
        if cells.owner[row] >= 0 and cells.owner[row] != goal.own:
            cells.banned[cells.owner[row]] = on == 1
            others |= cells.owner[row] != goal.main
    return others


@lean
def _keep(space: Space, which: int, found: Found) -> None:
    space.size[which] = found.size
    for i in range(found.size):
        space.row[which, i] = space.corners.best_row[i]
        space.sign[which, i] = space.corners.best_sign[i]


@lean
def _copy(space: Space, source: int, target: int) -> None:
    space.size[target] = space.size[source]
    for i in range(space.size[source]):
        space.row[target, i], space.sign[target, i] = space.row[source, i], space.sign[source, i]
