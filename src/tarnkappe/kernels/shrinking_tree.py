"""A k-d tree from which points are taken away.

Every node knows the box, the sum, the number and the smallest index of the points still in it, kept exact on every
removal by going up from the leaf. So the farthest point, the nearest points and the mean of what is left cost
about log n instead of n, and the mean does not drift: it is always a sum over the tree, never a difference.

Ties are decided by the smaller index, everywhere, so the answers are those of a plain scan in the order of the
records. Bounds are computed with the same operations as distances; rounding keeps their order, and pruning is exact.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

LEAF = 8
"""A leaf holds at most this many points."""


class Tree(NamedTuple):
    """Nodes 1, 2, 3, … in heap order; node i has the children 2i and 2i + 1."""

    points: Floats
    """The points in the order of the tree."""
    record: Ints
    """Original index of every place."""
    place: Ints
    """Place of every original index."""
    alive: NDArray[np.bool_]
    start: Ints
    end: Ints
    """Places [start, end) of every node."""
    low: Floats
    high: Floats
    total: Floats
    size: Ints
    """Points still in the node."""
    first: Ints
    """Smallest original index still in the node."""
    leaves: int
    """The first leaf; leaves are the nodes from here on."""


@njit(cache=True)
def plant(x: Floats) -> Tree:
    """Build the tree over the rows of `x` (at least one)."""
    n, p = x.shape
    leaves = 1
    while leaves * LEAF < n:
        leaves *= 2
    nodes = 2 * leaves
    points, index = x.copy(), np.arange(n)
    start, end = np.zeros(nodes, np.int64), np.zeros(nodes, np.int64)
    end[1] = n
    for node in range(1, leaves):
        middle = (start[node] + end[node]) // 2
        halve(points, index, start[node], middle, end[node])
        start[2 * node], end[2 * node] = start[node], middle
        start[2 * node + 1], end[2 * node + 1] = middle, end[node]
    place = np.empty(n, np.int64)
    place[index] = np.arange(n)
    tree = Tree(
        points, index, place, np.ones(n, np.bool_), start, end, np.empty((nodes, p)), np.empty((nodes, p)),
        np.zeros((nodes, p)), np.zeros(nodes, np.int64), np.full(nodes, n, np.int64), leaves,
    )  # fmt: skip
    for node in range(nodes - 1, 0, -1):
        _refresh(tree, node)
    return tree


@njit(cache=True)
def halve(points: NDArray[np.floating[Any]], index: Ints, a: int, middle: int, b: int) -> None:
    """Order rows [a, b) so that the lower half along the widest axis comes first (quickselect), `index` with them.

    The rows themselves move: they are always read one after the other.
    """
    if b - a < 2:
        return
    low, high = points[a].copy(), points[a].copy()
    for i in range(a + 1, b):
        for j in range(points.shape[1]):
            low[j], high[j] = min(low[j], points[i, j]), max(high[j], points[i, j])
    axis = np.argmax(high - low)
    if high[axis] == low[axis]:
        return
    left, right = a, b - 1
    while left < right:
        pivot = points[(left + right) // 2, axis]
        i, j = left, right
        while i <= j:
            while points[i, axis] < pivot:
                i += 1
            while points[j, axis] > pivot:
                j -= 1
            if i <= j:
                index[i], index[j] = index[j], index[i]
                for k in range(points.shape[1]):
                    points[i, k], points[j, k] = points[j, k], points[i, k]
                i += 1
                j -= 1
        if middle <= j:
            right = j
        elif middle >= i:
            left = i
        else:
            return


@njit(cache=True)
def _refresh(tree: Tree, node: int) -> None:
    """Make a node's summary right, its children's being right."""
    p = tree.points.shape[1]
    count = 0
    first = len(tree.points)
    for j in range(p):
        tree.total[node, j] = 0.0
    if node >= tree.leaves:
        for i in range(tree.start[node], tree.end[node]):
            if tree.alive[i]:
                for j in range(p):
                    v = tree.points[i, j]
                    tree.total[node, j] += v
                    tree.low[node, j] = v if count == 0 else min(tree.low[node, j], v)
                    tree.high[node, j] = v if count == 0 else max(tree.high[node, j], v)
                count += 1
                first = min(first, tree.record[i])
    else:
        for child in (2 * node, 2 * node + 1):
            if tree.size[child] > 0:
                for j in range(p):
                    low, high = tree.low[child, j], tree.high[child, j]
                    tree.total[node, j] += tree.total[child, j]
                    tree.low[node, j] = low if count == 0 else min(tree.low[node, j], low)
                    tree.high[node, j] = high if count == 0 else max(tree.high[node, j], high)
                count += tree.size[child]
                first = min(first, tree.first[child])
    tree.size[node] = count
    tree.first[node] = first


@njit(cache=True)
def remove(tree: Tree, i: int) -> None:
    """Take the point with original index `i` away."""
    place = tree.place[i]
    tree.alive[place] = False
    node = 1
    while node < tree.leaves:
        node *= 2
        if place >= tree.end[node]:
            node += 1
    while node >= 1:
        _refresh(tree, node)
        node //= 2


@njit(cache=True)
def centroid(tree: Tree, out: Floats) -> None:
    """Write the mean of the points that are left."""
    for j in range(len(out)):
        out[j] = tree.total[1, j] / tree.size[1]


@njit(cache=True)
def squared(tree: Tree, place: int, c: Floats) -> float:
    """Squared distance between `c` and the point at a place of the tree."""
    d = 0.0
    for j in range(len(c)):
        e = tree.points[place, j] - c[j]
        d += e * e
    return d


@njit(cache=True)
def _at_most(tree: Tree, node: int, c: Floats) -> float:
    """No point of the node is farther than this."""
    d = 0.0
    for j in range(len(c)):
        e = max(abs(tree.low[node, j] - c[j]), abs(tree.high[node, j] - c[j]))
        d += e * e
    return d


@njit(cache=True)
def _at_least(tree: Tree, node: int, c: Floats) -> float:
    """No point of the node is nearer than this."""
    d = 0.0
    for j in range(len(c)):
        e = max(tree.low[node, j] - c[j], c[j] - tree.high[node, j], 0.0)
        d += e * e
    return d


@njit(cache=True)
def farthest(tree: Tree, c: Floats, beyond: float = -1.0) -> int:
    """Original index of the point farthest from `c`; -1 when none is left whose squared distance is `beyond` or more."""
    best, best_distance = len(tree.record), beyond
    nodes, bounds = np.empty(64, np.int64), np.empty(64)
    top = 0
    if tree.size[1] > 0:
        nodes[0], bounds[0], top = 1, np.inf, 1
    while top > 0:
        top -= 1
        node = nodes[top]
        if bounds[top] < best_distance or (bounds[top] == best_distance and tree.first[node] > best):
            continue
        if node >= tree.leaves:
            for i in range(tree.start[node], tree.end[node]):
                if tree.alive[i]:
                    d = squared(tree, i, c)
                    if d > best_distance or (d == best_distance and tree.record[i] < best):
                        best, best_distance = tree.record[i], d
            continue
        near, far = 2 * node, 2 * node + 1  # the promising child goes on top of the stack
        a = _at_most(tree, near, c) if tree.size[near] > 0 else -1.0
        b = _at_most(tree, far, c) if tree.size[far] > 0 else -1.0
        if a > b or (a == b and tree.first[near] < tree.first[far]):
            near, far, a, b = far, near, b, a
        for child, bound in ((near, a), (far, b)):
            if bound >= 0:
                nodes[top], bounds[top] = child, bound
                top += 1
    return best if best < len(tree.record) else -1


@njit(cache=True)
def nearest(tree: Tree, c: Floats, found: Ints, distances: Floats) -> int:
    """Write the original indices of the len(found) points nearest to `c`, nearest first; return how many."""
    k, have = len(found), 0
    nodes, bounds = np.empty(64, np.int64), np.empty(64)
    top = 0
    if tree.size[1] > 0:
        nodes[0], bounds[0], top = 1, 0.0, 1
    while top > 0:
        top -= 1
        node = nodes[top]
        if have == k and (
            bounds[top] > distances[k - 1]
            or (bounds[top] == distances[k - 1] and tree.first[node] > found[k - 1])
        ):
            continue
        if node >= tree.leaves:
            for i in range(tree.start[node], tree.end[node]):
                if tree.alive[i]:
                    have = _keep(found, distances, have, tree.record[i], squared(tree, i, c))
            continue
        near, far = 2 * node, 2 * node + 1
        a = _at_least(tree, near, c) if tree.size[near] > 0 else np.inf
        b = _at_least(tree, far, c) if tree.size[far] > 0 else np.inf
        if b < a or (a == b and tree.first[far] < tree.first[near]):
            near, far, a, b = far, near, b, a
        for child, bound in ((far, b), (near, a)):
            if tree.size[child] > 0:
                nodes[top], bounds[top] = child, bound
                top += 1
    return have


@njit(cache=True)
def _keep(found: Ints, distances: Floats, have: int, i: int, d: float) -> int:
    """Insert into the sorted list of the nearest so far."""
    k = len(found)
    at = have
    while at > 0 and (d < distances[at - 1] or (d == distances[at - 1] and i < found[at - 1])):
        at -= 1
    if at == k:
        return have
    for j in range(min(have, k - 1), at, -1):
        found[j], distances[j] = found[j - 1], distances[j - 1]
    found[at], distances[at] = i, d
    return min(have + 1, k)
