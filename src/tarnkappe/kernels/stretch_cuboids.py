"""Stretching ranges along cuboids of the lowest level: the quick way to give a cell its whole range where sums cross.

The corners of a cuboid over siblings move in turn up and down by the same amount, and no sum changes. For a cell that must reach
an end of its range, the cuboid is taken whose corners have to be stretched at the least cost; corners that lie within their
ranges anyway cost nothing. Cells that no cuboid helps are left to linear programs.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

MOST = 4000
"""Cuboids through a cell that are looked at."""


class Places(NamedTuple):
    """Where cells stand: keys in ascending order, and for every node of all dimensions in turn its siblings on the lowest level."""

    key: Ints
    strides: Ints
    nodes: Ints
    """(cells, dimensions) counted from the start of each dimension."""
    first: Ints
    """Where the nodes of a dimension begin in `start`."""
    start: Ints
    many: Ints
    """Siblings of a node are sibling[start:start+many], itself among them."""
    sibling: Ints


class State(NamedTuple):
    """Ranges while they are stretched; all but the first three and the cost are changed in place."""

    value: Floats
    least: Floats
    most: Floats
    cost: Floats
    low: Floats
    high: Floats
    up: Floats
    down: Floats
    """How far a cell is proven to reach."""
    protects: Ints
    """The cell that a stretched one protects; -1 for the others."""


def places(key: Ints, strides: Ints, nodes: Ints, parents: list[Ints]) -> Places:
    """Find the siblings of every node."""
    start: list[Ints] = []
    many: list[Ints] = []
    sibling: list[Ints] = []
    first = [0]
    for parent in parents:
        leaf = ~np.isin(np.arange(len(parent)), parent)
        leaves = np.flatnonzero(leaf & (parent >= 0))
        leaves = leaves[np.argsort(parent[leaves], kind="stable")]
        begin = np.searchsorted(parent[leaves], parent)
        start.append(begin + sum(len(s) for s in sibling))
        end = np.searchsorted(parent[leaves], parent, side="right")
        many.append(np.where(leaf & (parent >= 0), end - begin, 0))
        sibling.append(leaves)
        first.append(first[-1] + len(parent))
    joined = (np.concatenate(part).astype(np.int64) for part in (start, many, sibling))
    return Places(key, strides, nodes, np.array(first, dtype=np.int64), *joined)


@njit(cache=True)
def stretch(at: Places, state: State, along: Ints, cells: Ints, cheaper: float) -> None:
    """Give cells of the lowest level their whole ranges where a cuboid does it; `along` are the dimensions with sums."""
    corners = 2 ** len(along)
    tried = np.empty((2, corners), np.int64)
    for cell in cells:
        for side in (1.0, -1.0):
            far = state.high[cell] - state.value[cell] if side > 0 else state.value[cell] - state.low[cell]
            reached = state.up[cell] if side > 0 else state.down[cell]
            if far > reached and _cheapest(at, state, along, cell, side * far, cheaper, tried):
                _move(state, tried[1], cell, side * far)


@njit(cache=True)
def _cheapest(
    at: Places, state: State, along: Ints, cell: int, far: float, cheaper: float, tried: Ints
) -> bool:  # fmt: skip
    """The corners of the cheapest cuboid into the second row of `tried`; False if there is none."""
    ways = 1
    for j in along:
        ways *= at.many[at.first[j] + at.nodes[cell, j]]
    least = np.inf
    step = max(1, ways // MOST)
    for way in range(0, ways, step):
        if _corners(at, along, cell, way, tried[0]):
            price = _price(state, tried[0], far, cheaper, least)
            if price < least:
                least = price
                tried[1] = tried[0]
    return least < np.inf


@njit(cache=True)
def _corners(at: Places, along: Ints, cell: int, way: int, rows: Ints) -> bool:
    """The rows of the corners of a cuboid, the cell first; False where a corner is missing or a partner is the cell itself."""
    rows[0] = 0
    size = 1
    for j in along:
        node = at.nodes[cell, j]
        own = at.first[j] + node
        way, number = way // at.many[own], way % at.many[own]
        other = at.sibling[at.start[own] + number]
        if other == node:
            return False
        for i in range(size):
            rows[size + i] = rows[i] + (other - node) * at.strides[j]
        size *= 2
    for i in range(size):
        wanted = at.key[cell] + rows[i]
        rows[i] = np.searchsorted(at.key, wanted)
        if rows[i] == len(at.key) or at.key[rows[i]] != wanted:
            return False
    return True


@njit(cache=True)
def _sign(corner: int) -> float:
    """+1 for corners that move with the first, -1 for the others."""
    odd = False
    while corner > 0:
        odd ^= corner & 1 == 1
        corner >>= 1
    return -1.0 if odd else 1.0


@njit(cache=True)
def _price(state: State, rows: Ints, far: float, cheaper: float, limit: float) -> float:
    """What it costs that all corners move; infinite where one cannot."""
    total = 0.0
    for i in range(1, len(rows)):
        c = rows[i]
        to = state.value[c] + _sign(i) * far
        beyond = max(to - state.high[c], state.low[c] - to, 0.0)
        if beyond > 0.0:
            if to < state.least[c] or to > state.most[c]:
                return np.inf
            total += beyond * state.cost[c] * (cheaper if state.high[c] > state.low[c] else 1.0)
            if total >= limit:
                return np.inf
    return total


@njit(cache=True)
def _move(state: State, rows: Ints, cell: int, far: float) -> None:
    """Stretch the ranges of the corners, and note how far they reach."""
    for i in range(len(rows)):
        c, by = rows[i], _sign(i) * far
        to = state.value[c] + by
        if to < state.low[c] or to > state.high[c]:
            state.low[c], state.high[c] = min(state.low[c], to), max(state.high[c], to)
            if state.protects[c] == -1:
                state.protects[c] = cell
        state.up[c], state.down[c] = max(state.up[c], by), max(state.down[c], -by)
