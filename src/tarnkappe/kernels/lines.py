"""Lines through a cell along one dimension: inside one sum (subtable), or over the whole tree (extended table).

Over the whole tree a line is a path: from the cell down to a code of the lowest level, up to a sum that stays as it is, and down
again to another code of the lowest level, all codes on the second leg with the opposite sign; or up to the total. Such a line
keeps every sum of its dimension. It is the cuboid edge of the table completed by dimension extension (Wettig 2002,
L1229-1297), with the inserted sums left out because nobody publishes them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tarnkappe.kernels.cuboids import MOST_CODES, MOST_LINES, Cells, Lattice, Lines, Need, better, fits
from tarnkappe.kernels.lean import lean

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

WAYS = 6
"""Ways down to the lowest level that are kept for one branch."""
DEEPEST = 24
"""Longest way down."""


class Paths(NamedTuple):
    """Scratch space: ways down from a cell, cheapest first; twice, for this level and the one before."""

    row: Ints
    size: Ints
    rank: Floats
    cost: Floats


class Walk(NamedTuple):
    """Everything a search along one dimension reads."""

    lattice: Lattice
    cells: Cells
    need: Need
    pivot: int
    along: int
    rank: float
    cost: float
    """A line that costs so much is of no use."""


def new_paths() -> Paths:
    shape = (2, WAYS)
    return Paths(
        np.zeros((*shape, DEEPEST), np.int64), np.zeros(shape, np.int64), np.zeros(shape), np.zeros(shape)
    )


@lean
def begin(lines: Lines, j: int) -> None:
    lines.many[j] = 0
    lines.start[j, 0] = 0
    lines.start[j, 1] = 0


@lean
def _put(walk: Walk, lines: Lines, row: int, sign: int) -> None:
    """One more code on the line that is being written."""
    j = walk.along
    line = lines.many[j]
    end = lines.start[j, line + 1]
    if end == MOST_CODES:
        return
    lines.offset[j, end] = walk.lattice.key[row] - walk.lattice.key[walk.pivot]
    lines.sign[j, end] = sign
    lines.start[j, line + 1] = end + 1
    if not walk.cells.hidden[row]:
        lines.rank[j, line] += walk.cells.rank[row]
        lines.cost[j, line] += walk.cells.cost[row]


@lean
def _open(lines: Lines, j: int) -> bool:
    """Begin a line; False when there is no room for more."""
    line = lines.many[j]
    if line == MOST_LINES or lines.start[j, line] + 2 * DEEPEST > MOST_CODES:
        return False
    lines.rank[j, line], lines.cost[j, line] = 0.0, 0.0
    lines.start[j, line + 1] = lines.start[j, line]
    return True


@lean
def _close(lines: Lines, j: int) -> None:
    if lines.start[j, lines.many[j] + 1] > lines.start[j, lines.many[j]]:
        lines.many[j] += 1


@lean
def within(walk: Walk, as_total: int, lines: Lines) -> None:
    """Lines inside one sum: the pivot as its total, or as one of its parts (Wettig 2002, L1338-1350)."""
    lattice, j = walk.lattice, walk.along
    begin(lines, j)
    total = walk.pivot if as_total else lattice.up[walk.pivot, j]
    if total < 0:
        return
    for i in range(lattice.first[j, total], lattice.first[j, total + 1]):
        part = lattice.child[j, i]
        sign = 1 if as_total else -1
        if part != walk.pivot and fits(walk.cells, part, sign, walk.need) and _open(lines, j):
            _put(walk, lines, part, sign)
            _close(lines, j)
    if not as_total and fits(walk.cells, total, 1, walk.need) and _open(lines, j):
        _put(walk, lines, total, 1)
        _close(lines, j)


@lean
def lowest(walk: Walk, lines: Lines) -> None:
    """Lines of two codes, both of the lowest level, below one sum."""
    lattice, j = walk.lattice, walk.along
    begin(lines, j)
    total = lattice.up[walk.pivot, j]
    if total < 0 or lattice.first[j, walk.pivot] < lattice.first[j, walk.pivot + 1]:
        return
    for i in range(lattice.first[j, total], lattice.first[j, total + 1]):
        part = lattice.child[j, i]
        is_leaf = lattice.first[j, part] == lattice.first[j, part + 1]
        if is_leaf and part != walk.pivot and fits(walk.cells, part, -1, walk.need) and _open(lines, j):
            _put(walk, lines, part, -1)
            _close(lines, j)


@lean
def throughout(walk: Walk, most: int, lines: Lines, below: Paths, beside: Paths) -> bool:
    """Lines over the whole tree that climb at most so many levels (see the head of this module).

    Return whether there is more above.
    """
    lattice, cells, need, j = walk.lattice, walk.cells, walk.need, walk.along
    begin(lines, j)
    ways = _ways_down(walk, walk.pivot, 1, (0.0, 0.0), below)
    at, height, rank, cost = walk.pivot, 0, 0.0, 0.0
    while ways > 0:
        total = lattice.up[at, j]
        if total < 0:
            for way in range(ways):
                _write(walk, lines, below, way, height)
            return False
        for i in range(lattice.first[j, total], lattice.first[j, total + 1]):
            branch = lattice.child[j, i]
            if branch != at and fits(cells, branch, -1, need):
                price = _added(cells, branch, rank, cost)
                others = _ways_down(walk, branch, -1, price, beside)
                for way in range(ways):
                    for other in range(others):
                        _write_branch(walk, lines, (below, way, height), (branch, beside, other))
        if not fits(cells, total, 1, need):
            return False
        rank, cost = _added(cells, total, rank, cost)
        if not better(rank, cost, walk.rank, walk.cost):
            return False
        if height == most:
            return True
        at = total
        height += 1
    return False


@lean
def _added(cells: Cells, row: int, rank: float, cost: float) -> tuple[float, float]:
    """The price with one more cell."""
    if cells.hidden[row]:
        return rank, cost
    return rank + cells.rank[row], cost + cells.cost[row]


@lean
def _write(walk: Walk, lines: Lines, below: Paths, way: int, height: int) -> None:
    """The line from the pivot's lowest code up to the total."""
    if not _open(lines, walk.along):
        return
    _put_leg(walk, lines, below, way, height)
    _close(lines, walk.along)


@lean
def _write_branch(
    walk: Walk, lines: Lines, own: tuple[Paths, int, int], other: tuple[int, Paths, int]
) -> None:
    """The line from the pivot's lowest code up and down to the lowest code of another branch."""
    if not _open(lines, walk.along):
        return
    _put_leg(walk, lines, own[0], own[1], own[2])
    branch, beside, way = other
    _put(walk, lines, branch, -1)
    for d in range(beside.size[0, way]):
        _put(walk, lines, beside.row[0, way, d], -1)
    _close(lines, walk.along)


@lean
def _put_leg(walk: Walk, lines: Lines, below: Paths, way: int, height: int) -> None:
    for d in range(below.size[0, way]):
        _put(walk, lines, below.row[0, way, d], 1)
    at = walk.pivot
    for _ in range(height):
        at = walk.lattice.up[at, walk.along]
        _put(walk, lines, at, 1)


@lean
def _ways_down(walk: Walk, top: int, sign: int, price: tuple[float, float], paths: Paths) -> int:
    """The cheapest ways from a cell to the lowest level, the cell itself left out; level by level, the best few kept.

    `price` is what the line costs so far; ways beyond the limit of the walk are not kept.
    """
    lattice, j = walk.lattice, walk.along
    if not better(price[0], price[1], walk.rank, walk.cost):
        return 0
    count, growing = 1, True
    paths.size[0, 0], paths.rank[0, 0], paths.cost[0, 0] = 0, price[0], price[1]
    while growing:
        growing, kept = False, 0
        for way in range(count):
            _copy(paths, (0, way), (1, way))
        for way in range(count):
            size = paths.size[1, way]
            end = paths.row[1, way, size - 1] if size else top
            if lattice.first[j, end] == lattice.first[j, end + 1]:
                kept = _keep(paths, kept, (paths.rank[1, way], paths.cost[1, way]), (way, -1))
            elif size < DEEPEST:
                for i in range(lattice.first[j, end], lattice.first[j, end + 1]):
                    part = lattice.child[j, i]
                    if fits(walk.cells, part, sign, walk.need):
                        rank, cost = _added(walk.cells, part, paths.rank[1, way], paths.cost[1, way])
                        if better(rank, cost, walk.rank, walk.cost):
                            kept = _keep(paths, kept, (rank, cost), (way, part))
                growing = True
        count = kept
    return count


@lean
def _copy(paths: Paths, source: tuple[int, int], target: tuple[int, int]) -> None:
    size = paths.size[source]
    for d in range(size):
        paths.row[target[0], target[1], d] = paths.row[source[0], source[1], d]
    paths.size[target], paths.rank[target], paths.cost[target] = size, paths.rank[source], paths.cost[source]


@lean
def _keep(paths: Paths, kept: int, price: tuple[float, float], way: tuple[int, int]) -> int:
    """Put a way of the level before, with one more cell, into its place among the cheapest; return how many there are."""
    rank, cost = price
    at = kept
    while at > 0 and better(rank, cost, paths.rank[0, at - 1], paths.cost[0, at - 1]):
        at -= 1
    if at == WAYS:
        return kept
    for i in range(min(kept, WAYS - 1), at, -1):
        _copy(paths, (0, i - 1), (0, i))
    _copy(paths, (1, way[0]), (0, at))
    paths.rank[0, at], paths.cost[0, at] = rank, cost
    if way[1] >= 0:
        paths.row[0, at, paths.size[0, at]] = way[1]
        paths.size[0, at] += 1
    return min(kept + 1, WAYS)
