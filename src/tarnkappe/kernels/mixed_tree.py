"""Nearest records where keys are numbers, categories and gaps: exact, by k-d trees, one for every block.

The distance of two records is a sum over the keys. Numbers add |x - y| or its square (they come scaled), categories that differ add a
fixed amount, and an unknown value on either side adds the `gap` of its key, whatever the other value is. Bounds of a node are
computed with the same operations in the same order as distances; rounding keeps their order, so pruning is exact.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

LEAF = 12
"""A leaf holds at most this many points."""
TIE, TINY = 1e-9, 1e-18
"""Distances that differ by less, relative or absolute, count as equal: rounding must not make one the nearer."""


class Space(NamedTuple):
    """How distances add up."""

    category: Bools
    """Keys that are categories."""
    differ: Floats
    """What two different categories add."""
    gap: Floats
    """What an unknown value adds."""
    squared: bool


class Tree(NamedTuple):
    """All points and the boxes around them; every block has a root."""

    points: Floats
    times: Ints
    """How many records stand behind a point."""
    leaves: Ints
    """The points in the order of the leaves."""
    root: Ints
    start: Ints
    end: Ints
    """Places [start, end) of every node in `leaves`."""
    child: Ints
    """The left child, the right one follows it; -1 for a leaf."""
    low: Floats
    high: Floats
    """Box of the values that are known."""
    gaps: NDArray[np.uint8]
    """0 no gap among the values of a key, 1 some, 2 nothing but gaps."""
    total: Ints
    """Records in every node."""
    price: Floats
    least_price: Floats
    """What a point costs beside its distance, and the least of it in every node; 0 to begin with."""


@njit(cache=True)
def plant(points: Floats, times: Ints, order: Ints, starts: Ints, space: Space) -> Tree:
    """Build the trees: `order` holds the points of the blocks one after the other, `starts` where each begins."""
    n, p = points.shape
    most = 2 * (2 * n // LEAF + len(starts)) + 1
    tree = Tree(
        points, times, order.copy(), np.full(len(starts) - 1, -1, np.int64), np.zeros(most, np.int64), np.zeros(most, np.int64),
        np.full(most, -1, np.int64), np.empty((most, p)), np.empty((most, p)), np.zeros((most, p), np.uint8), np.zeros(most, np.int64),
        np.zeros(n), np.zeros(most),
    )  # fmt: skip
    nodes = 0
    for b in range(len(starts) - 1):
        if starts[b] == starts[b + 1]:
            continue
        tree.root[b] = nodes
        tree.start[nodes], tree.end[nodes] = starts[b], starts[b + 1]
        first, nodes = nodes, nodes + 1
        while first < nodes:
            _enclose(tree, first)
            if tree.end[first] - tree.start[first] > LEAF and _split(tree, first, nodes, space):
                nodes += 2
            first += 1
    return tree


@njit(cache=True)
def _enclose(tree: Tree, node: int) -> None:
    size = tree.end[node] - tree.start[node]
    for j in range(tree.points.shape[1]):
        low, high, missing = np.inf, -np.inf, 0
        for place in range(tree.start[node], tree.end[node]):
            x = tree.points[tree.leaves[place], j]
            if np.isnan(x):
                missing += 1
            else:
                low, high = min(low, x), max(high, x)
        tree.low[node, j], tree.high[node, j] = low, high
        tree.gaps[node, j] = 2 if missing == size else 1 if missing else 0
    for place in range(tree.start[node], tree.end[node]):
        tree.total[node] += tree.times[tree.leaves[place]]


@njit(cache=True)
def _split(tree: Tree, node: int, child: int, space: Space) -> bool:
    """Halve a node along the key that keeps its records farthest apart; False where they are all alike."""
    widest, along = 0.0, -1
    for j in range(tree.points.shape[1]):
        wide = _width(tree, node, j, space)
        if wide > widest:
            widest, along = wide, j
    if along < 0:
        return False
    a, z = tree.start[node], tree.end[node]
    rows = tree.leaves[a:z].copy()
    values = tree.points[rows, along]
    tree.leaves[a:z] = rows[np.argsort(np.where(np.isnan(values), np.inf, values), kind="mergesort")]
    tree.child[node] = child
    tree.start[child], tree.end[child] = a, (a + z) // 2
    tree.start[child + 1], tree.end[child + 1] = (a + z) // 2, z
    return True


@njit(cache=True)
def _width(tree: Tree, node: int, j: int, space: Space) -> float:
    if tree.gaps[node, j] == 2:
        return 0.0
    span = tree.high[node, j] - tree.low[node, j]
    if space.category[j]:
        wide = space.differ[j] if span > 0 else 0.0
    else:
        wide = span * span if space.squared else span
    return max(wide, space.gap[j]) if tree.gaps[node, j] == 1 else wide


@njit(cache=True)
def _apart(tree: Tree, point: int, query: Floats, space: Space) -> float:
    """Distance of a point from a query."""
    out = 0.0
    for j in range(len(query)):
        x, y = tree.points[point, j], query[j]
        if np.isnan(x) or np.isnan(y):
            out += space.gap[j]
        elif space.category[j]:
            out += space.differ[j] if x != y else 0.0
        else:
            d = abs(x - y)
            out += d * d if space.squared else d
    return out


@njit(cache=True)
def _least(tree: Tree, node: int, query: Floats, space: Space) -> float:
    """No point of the node is nearer to the query than this."""
    out = 0.0
    for j in range(len(query)):
        y, gaps = query[j], tree.gaps[node, j]
        if np.isnan(y) or gaps == 2:
            out += space.gap[j]
            continue
        low, high = tree.low[node, j], tree.high[node, j]
        if space.category[j]:
            d = space.differ[j] if y < low or y > high else 0.0
        else:
            d = max(low - y, y - high, 0.0)
            d = d * d if space.squared else d
        out += min(d, space.gap[j]) if gaps == 1 else d
    return out


@njit(cache=True)
def _most(tree: Tree, node: int, query: Floats, space: Space) -> float:
    """No point of the node is farther from the query than this."""
    out = 0.0
    for j in range(len(query)):
        y, gaps = query[j], tree.gaps[node, j]
        if np.isnan(y) or gaps == 2:
            out += space.gap[j]
            continue
        low, high = tree.low[node, j], tree.high[node, j]
        if space.category[j]:
            d = 0.0 if low == y and high == y else space.differ[j]
        else:
            d = max(abs(low - y), abs(high - y))
            d = d * d if space.squared else d
        out += max(d, space.gap[j]) if gaps == 1 else d
    return out


@njit(cache=True)
def ranks(
    tree: Tree, queries: Floats, blocks: Ints, own: Ints, space: Space, limit: int
) -> tuple[Ints, Ints]:
    """For every query: how many records of its block are nearer than the point `own`, counted to `limit`; how many as near as it.

    The own record is among those as near. Where `limit` others are nearer, the second number does not matter.
    """
    n = len(queries)
    nearer, level = np.zeros(n, np.int64), np.zeros(n, np.int64)
    stack = np.empty(256, np.int64)
    for i in range(n):
        truth = _apart(tree, own[i], queries[i], space)
        from_, to = truth * (1 - TIE) - TINY, truth * (1 + TIE) + TINY
        stack[0], top = tree.root[blocks[i]], 1
        while top and nearer[i] < limit:
            top -= 1
            node = stack[top]
            least, most = _least(tree, node, queries[i], space), _most(tree, node, queries[i], space)
            if least > to:
                continue
            if most < from_:
                nearer[i] += tree.total[node]
            elif least >= from_ and most <= to:
                level[i] += tree.total[node]
            elif tree.child[node] >= 0:
                stack[top], stack[top + 1] = tree.child[node], tree.child[node] + 1
                top += 2
            else:
                for place in range(tree.start[node], tree.end[node]):
                    point = tree.leaves[place]
                    d = _apart(tree, point, queries[i], space)
                    nearer[i] += tree.times[point] if d < from_ else 0
                    level[i] += tree.times[point] if from_ <= d <= to else 0
    return nearer, level


@njit(cache=True)
def reprice(tree: Tree, price: Floats) -> None:
    """Set what every point costs beside its distance."""
    tree.price[:] = price
    for node in range(len(tree.start) - 1, -1, -1):
        least, child = np.inf, tree.child[node]
        if child >= 0:
            least = min(tree.least_price[child], tree.least_price[child + 1])
        else:
            for place in range(tree.start[node], tree.end[node]):
                least = min(least, price[tree.leaves[place]])
        tree.least_price[node] = least


@njit(cache=True)
def nearest(
    tree: Tree, queries: Floats, blocks: Ints, space: Space, wanted: Ints
) -> tuple[Ints, Ints, Floats]:
    """The points of least distance and price together, as many as `wanted` or as the block has; equal ones by their number.

    Distances here are lengths: the root is taken where keys add squares. Returns where the points of each query begin (one entry
    more than queries), the points, and distance and price together.
    """
    starts = np.zeros(len(queries) + 1, np.int64)
    for i in range(len(queries)):
        root = tree.root[blocks[i]]
        there = tree.end[root] - tree.start[root] if root >= 0 else 0
        starts[i + 1] = starts[i] + min(wanted[i], there)
    found, far = np.empty(starts[-1], np.int64), np.full(starts[-1], np.inf)
    stack, bound = np.empty(256, np.int64), np.empty(256)
    for i in range(len(queries)):
        a, z = starts[i], starts[i + 1]
        if a < z:
            stack[0], bound[0] = tree.root[blocks[i]], 0.0
            _collect(tree, queries[i], space, found[a:z], far[a:z], stack, bound)
    return starts, found, far


@njit(cache=True)
def lengths(tree: Tree, queries: Floats, space: Space, starts: Ints, found: Ints) -> Floats:
    """Distances of the points found for every query, without prices."""
    out = np.empty(len(found))
    for i in range(len(queries)):
        for at in range(starts[i], starts[i + 1]):
            out[at] = _length(_apart(tree, found[at], queries[i], space), space)
    return out


@njit(cache=True)
def all_lengths(tree: Tree, queries: Floats, chosen: Ints, space: Space) -> Floats:
    """Distances of all queries from the chosen points, without prices."""
    out = np.empty((len(queries), len(chosen)))
    for i in range(len(queries)):
        for k in range(len(chosen)):
            out[i, k] = _length(_apart(tree, chosen[k], queries[i], space), space)
    return out


@njit(cache=True)
def _length(d: float, space: Space) -> float:
    return np.sqrt(d) if space.squared else d


@njit(cache=True)
def _collect(
    tree: Tree, query: Floats, space: Space, found: Ints, far: Floats, stack: Ints, bound: Floats
) -> None:
    top, size = 1, 0
    while top:
        top -= 1
        node = stack[top]
        if size == len(found) and bound[top] > far[-1]:
            continue
        child = tree.child[node]
        if child < 0:
            for place in range(tree.start[node], tree.end[node]):
                point = tree.leaves[place]
                d = _length(_apart(tree, point, query, space), space) + tree.price[point]
                size = _keep(found, far, size, point, d)
            continue
        left = _length(_least(tree, child, query, space), space) + tree.least_price[child]
        right = _length(_least(tree, child + 1, query, space), space) + tree.least_price[child + 1]
        first = child + 1 if right < left else child
        stack[top], bound[top] = 2 * child + 1 - first, max(left, right)
        stack[top + 1], bound[top + 1] = first, min(left, right)
        top += 2


@njit(cache=True)
def _keep(found: Ints, far: Floats, size: int, point: int, d: float) -> int:
    """Put a point in its place among the nearest so far."""
    last = len(found) - 1
    if size > last and (d > far[last] or (d == far[last] and point > found[last])):
        return size
    at = min(size, last)
    while at > 0 and (far[at - 1] > d or (far[at - 1] == d and found[at - 1] > point)):
        far[at], found[at] = far[at - 1], found[at - 1]
        at -= 1
    far[at], found[at] = d, point
    return min(size + 1, last + 1)
