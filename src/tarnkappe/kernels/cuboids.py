"""Cuboids of a table: the cells spanned by one line per dimension through a cell, and the cheapest of them.

A *line* is a set of codes along one dimension, each with a sign, so that moving these codes by +1 or -1 keeps every sum of
that dimension. One line per dimension gives a cuboid: the signs multiply, and moving its corners by ±ε keeps every sum of the
table. In a table without subtotals a line is a pair of codes, and this is the cuboid of the Quader method
(Wettig 2002, L1096-1151; parity L1167): two parts of a sum have opposite signs, a part and its total the same.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from tarnkappe.kernels.lean import lean

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Rows = NDArray[np.int32]

MOST_STEPS = 20_000
"""Partial cuboids that one search looks at before it is content with the best so far."""
MOST_LINES = 4096
DENSE = 4
"""Keys are looked up directly where there are at most so many times as many of them as cells."""
MOST_CODES = 16_384
ANYBODY, NO_SINGLE, NOT_BANNED = 0, 1, 2
"""Which single-respondent cells may be corners: all, only the pivot's own, all but those of banned owners."""


class Lattice(NamedTuple):
    """The structure of a table: who stands above, below and beside whom."""

    key: Ints
    """Sorted; one number per cell, the sum of code × stride."""
    up: Rows
    """(cells, dimensions) the cell one step up; -1 where there is none."""
    first: Rows
    child: Rows
    """Along dimension j the parts of cell c are child[j, first[j, c]:first[j, c+1]]."""
    slots: Rows
    """By key the cell, where most keys are taken: neighbours of a cell are neighbours here. Else a hash table of the keys; -1
    where empty."""
    direct: bool
    """The first of the two."""


class Cells(NamedTuple):
    """What is known of every cell while a pattern grows."""

    hidden: Bools
    barred: Bools
    """Open cells that must not be hidden."""
    down: Floats
    up: Floats
    """How far the attacker's prior bounds lie below and above the value."""
    rank: Floats
    cost: Floats
    """Price of hiding an open cell: the sum of ranks decides, ties go to the smaller sum of costs."""
    owner: Ints
    """The respondent of a single-respondent cell; -1 for other cells."""
    banned: Bools
    """By owner: whose cells may not be corners."""
    spare: Bools
    """Cells that may be shown again: neither primary nor hidden beforehand."""
    size: Floats
    """Values without their signs."""


class Need(NamedTuple):
    """What a cuboid must do for its pivot."""

    up: float
    down: float
    span: float
    """The pivot must be able to move so far up, so far down, and so far in both directions together,"""
    share: float
    """and by this share of the largest corner."""
    own: int
    """The owner of the pivot, who needs no protection against himself; -1."""
    singles: int
    """ANYBODY, NO_SINGLE or NOT_BANNED."""
    frozen: int
    """1: only hidden cells may be corners; 0: open ones too."""


class Lines(NamedTuple):
    """Candidate lines through the pivot, for every dimension; the pivot itself is left out of each."""

    many: Ints
    start: Ints
    order: Ints
    """By price, cheapest first."""
    rank: Floats
    cost: Floats
    offset: Ints
    """Difference of keys from the pivot."""
    sign: Ints


class Corners(NamedTuple):
    """Scratch space: partial cuboids after 0, 1, … dimensions, and the best whole one."""

    size: Ints
    row: Ints
    sign: Ints
    best_row: Ints
    best_sign: Ints
    at: Ints
    """By step, the next line."""
    along: Ints
    """By step, the dimension: those with few lines first."""
    sums: Floats
    """(6, dimensions + 1) the least rank and cost of the dimensions to come; rank, cost, room up and down of the partial cuboids."""


class Found(NamedTuple):
    """The best cuboid; its corners are the first `size` of `best_row`, `best_sign`, the pivot first."""

    size: int
    """0: there is none."""
    rank: float
    cost: float
    up: float
    down: float


def new_lattice(key: Ints, up: Rows) -> Lattice:
    """The structure of a table from the cells above every cell."""
    cells, dimensions = up.shape
    first = np.zeros((dimensions, cells + 1), np.int32)
    child = np.full((dimensions, cells), -1, np.int32)
    for j in range(dimensions):
        parts = np.flatnonzero(up[:, j] >= 0)
        child[j, : len(parts)] = parts[np.argsort(up[parts, j], kind="stable")]
        first[j, 1:] = np.cumsum(np.bincount(up[parts, j], minlength=cells))
    direct = int(key.max(initial=0)) < DENSE * cells
    return Lattice(key, up, first, child, _placed(key) if direct else hashed(key), direct)


def _placed(key: Ints) -> Rows:
    slots = np.full(int(key.max(initial=0)) + 1, -1, np.int32)
    slots[key] = np.arange(len(key), dtype=np.int32)
    return slots


NONE = Found(0, np.inf, np.inf, 0.0, 0.0)


def new_lines(dimensions: int) -> Lines:
    shape, codes = (dimensions, MOST_LINES), (dimensions, MOST_CODES)
    return Lines(
        np.zeros(dimensions, np.int64), np.zeros((dimensions, MOST_LINES + 1), np.int64),
        np.zeros(shape, np.int64), np.zeros(shape), np.zeros(shape), np.zeros(codes, np.int64), np.zeros(codes, np.int64),
    )  # fmt: skip


def new_corners(dimensions: int, most: int) -> Corners:
    shape = (dimensions + 1, most)
    return Corners(
        np.zeros(dimensions + 1, np.int64), np.zeros(shape, np.int64), np.zeros(shape, np.int64),
        np.zeros(most, np.int64), np.zeros(most, np.int64), np.zeros(dimensions, np.int64), np.zeros(dimensions, np.int64), np.zeros((6, dimensions + 1)),
    )  # fmt: skip


@njit(cache=True)
def hashed(key: Ints) -> Rows:
    """A hash table of distinct keys."""
    size = 2
    while size < 2 * len(key):
        size *= 2
    slots = np.full(size, -1, np.int32)
    for row in range(len(key)):
        at = _slot(key[row], size)
        while slots[at] >= 0:
            at = (at + 1) & (size - 1)
        slots[at] = row
    return slots


@lean
def _slot(key: int, size: int) -> np.int64:
    h = np.uint64(key) * np.uint64(0x9E3779B97F4A7C15)
    return np.int64((h ^ (h >> np.uint64(29))) & np.uint64(size - 1))


@lean
def row_of(lattice: Lattice, key: int) -> int:
    """The cell with a key; -1 where the table has none."""
    size = len(lattice.slots)
    if lattice.direct:
        return lattice.slots[key] if key < size else -1
    at = _slot(key, size)
    while lattice.slots[at] >= 0 and lattice.key[lattice.slots[at]] != key:
        at = (at + 1) & (size - 1)
    row: int = lattice.slots[at]
    return row


@lean
def usable(cells: Cells, row: int, need: Need) -> bool:
    """Say whether the cell may be a corner."""
    if not cells.hidden[row] and (need.frozen or cells.barred[row]):
        return False
    if need.singles == ANYBODY:
        return True
    owner = cells.owner[row]
    if owner < 0 or owner == need.own:
        return True
    return need.singles == NOT_BANNED and not cells.banned[owner]


@lean
def fits(cells: Cells, row: int, sign: int, need: Need) -> bool:
    """Say whether the cell may be a corner and can move as far as the pivot must."""
    if not usable(cells, row, need):
        return False
    ahead, back = (cells.up[row], cells.down[row]) if sign > 0 else (cells.down[row], cells.up[row])
    return bool(ahead >= need.up and back >= need.down)


@lean
def better(rank: float, cost: float, than_rank: float, than_cost: float) -> bool:
    """Fewer (or lighter) new cells, then the smaller cost."""
    return rank < than_rank - 1e-9 or (rank < than_rank + 1e-9 and cost < than_cost)


@lean
def cheapest(
    lattice: Lattice, cells: Cells, pivot: int, need: Need, lines: Lines, best: Found, space: Corners
) -> Found:
    """The cheapest cuboid among all products of one line per dimension (Wettig 2002, L1102-1105, L1207-1217).

    `best` is the best one so far, or NONE; it is returned if no better one is found. Depth first over the dimensions, cheap lines first. A branch is left when it already costs as much as the best cuboid,
    or when a corner is missing, must stay open, or cannot move far enough (the range criterion).
    """
    dimensions = len(lines.many)
    space.at[:] = 0
    space.sums[:] = 0.0
    least_rank, least_cost, rank, cost, up, down = space.sums
    along = space.along
    for j in range(dimensions):
        if lines.many[j] == 0:
            return best
        _sort(lines, j)
        place = j
        while place > 0 and lines.many[along[place - 1]] > lines.many[j]:
            along[place] = along[place - 1]
            place -= 1
        along[place] = j
    for j in range(dimensions - 1, -1, -1):
        d = along[j]
        least_rank[j] = least_rank[j + 1] + lines.rank[d, lines.order[d, 0]]
        least_cost[j] = least_cost[j + 1] + _least(lines.cost[d], lines.many[d])
    up[0], down[0] = cells.up[pivot], cells.down[pivot]
    space.size[0], space.row[0, 0], space.sign[0, 0] = 1, pivot, 1
    at, j, steps = space.at, 0, 0
    while j >= 0:
        d = along[j]
        if at[j] == lines.many[d] or steps > MOST_STEPS:
            at[j] = 0
            j -= 1
            continue
        line = lines.order[d, at[j]]
        at[j] += 1
        limit_rank, limit_cost = best.rank - least_rank[j + 1], best.cost - least_cost[j + 1]
        if not better(rank[j] + lines.rank[d, line], cost[j] + lines.cost[d, line], limit_rank, limit_cost):
            at[j] = lines.many[d]
            continue
        steps += 1
        if not _spread(
            lattice, cells, need, lines, space, (j, d, line), (rank, cost, up, down, limit_rank, limit_cost)
        ):
            continue
        if j + 1 < dimensions:
            j += 1
            continue
        best = Found(
            space.size[dimensions], rank[dimensions], cost[dimensions], up[dimensions], down[dimensions]
        )
        for i in range(best.size):
            space.best_row[i], space.best_sign[i] = space.row[dimensions, i], space.sign[dimensions, i]
    return best


@lean
def _least(values: Floats, count: int) -> float:
    out: float = values[0]
    for i in range(1, count):
        out = min(out, values[i])
    return out


@lean
def _sort(lines: Lines, j: int) -> None:
    """Heap sort of the lines by rank, then cost, then position; nothing is allocated."""
    count, order = lines.many[j], lines.order[j]
    for i in range(count):
        order[i] = i
    for top in range(count // 2 - 1, -1, -1):
        _sift(lines, j, top, count)
    for end in range(count - 1, 0, -1):
        order[0], order[end] = order[end], order[0]
        _sift(lines, j, 0, end)


@lean
def _sift(lines: Lines, j: int, top: int, end: int) -> None:
    order = lines.order[j]
    while 2 * top + 1 < end:
        child = 2 * top + 1
        if child + 1 < end and _before(lines, j, order[child], order[child + 1]):
            child += 1
        if not _before(lines, j, order[top], order[child]):
            return
        order[top], order[child] = order[child], order[top]
        top = child


@lean
def _before(lines: Lines, j: int, a: int, b: int) -> bool:
    if lines.rank[j, a] != lines.rank[j, b]:
        return bool(lines.rank[j, a] < lines.rank[j, b])
    if lines.cost[j, a] != lines.cost[j, b]:
        return bool(lines.cost[j, a] < lines.cost[j, b])
    return a < b


@lean
def _largest(cells: Cells, space: Corners, j: int, corners: int, size: int) -> float:
    """The largest corner of a partial cuboid: those that were there, and those that a line adds."""
    largest = 0.0
    for c in range(size):
        row = space.row[j, c] if c < corners else space.row[j + 1, c]
        largest = max(largest, cells.size[row])
    return largest


@lean
def _spread(
    lattice: Lattice, cells: Cells, need: Need, lines: Lines, space: Corners,
    step: tuple[int, int, int], tally: tuple[Floats, Floats, Floats, Floats, float, float],
) -> bool:  # fmt: skip
    """Multiply a partial cuboid by a line; False when the result is not allowed or not better than the best."""
    j, d, line = step
    rank, cost, up, down, limit_rank, limit_cost = tally
    first, last, corners = lines.start[d, line], lines.start[d, line + 1], space.size[j]
    if corners * (last - first + 1) > space.row.shape[1]:
        return False
    total_rank, total_cost, most_up, most_down = rank[j], cost[j], up[j], down[j]
    size = corners
    for i in range(first, last):
        for c in range(corners):
            row = row_of(lattice, lattice.key[space.row[j, c]] + lines.offset[d, i])
            sign = space.sign[j, c] * lines.sign[d, i]
            if row < 0 or not fits(cells, row, sign, need):
                return False
            most_up = min(most_up, cells.up[row] if sign > 0 else cells.down[row])
            most_down = min(most_down, cells.down[row] if sign > 0 else cells.up[row])
            if most_up + most_down < need.span:
                return False
            if not cells.hidden[row]:
                total_rank += cells.rank[row]
                total_cost += cells.cost[row]
                if not better(total_rank, total_cost, limit_rank, limit_cost):
                    return False
            space.row[j + 1, size], space.sign[j + 1, size] = row, sign
            size += 1
    wide = need.share <= 0.0 or most_up + most_down >= need.share * _largest(cells, space, j, corners, size)
    if not wide or not better(total_rank, total_cost, limit_rank, limit_cost):
        return False
    for c in range(corners):
        space.row[j + 1, c], space.sign[j + 1, c] = space.row[j, c], space.sign[j, c]
    space.size[j + 1] = size
    rank[j + 1], cost[j + 1], up[j + 1], down[j + 1] = total_rank, total_cost, most_up, most_down
    return True
