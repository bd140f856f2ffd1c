"""How many points lie nearer than a known distance: a k-d tree with large leaves that are read in one go.

An attacker's success needs no nearest neighbour: it is enough to know whether somebody else lies nearer than the right one. The
search ends when enough such points are found, and elsewhere looks into boxes nearer than the known distance only.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from tarnkappe.kernels.shrinking_tree import halve

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

LEAF = 64
"""A leaf holds at most this many points; their distances are computed side by side."""


class Grove(NamedTuple):
    """Nodes 1, 2, 3, … in heap order; node i has the children 2i and 2i + 1."""

    points: Floats
    """(leaves, p, LEAF): the points of every leaf in one piece of memory, coordinate by coordinate; infinite where it has fewer."""
    record: Ints
    """(leaves, LEAF): their original indices; -1 where there is none."""
    low: Floats
    high: Floats
    """The box of every node."""
    leaves: int
    """The first leaf; leaves are the nodes from here on."""


@njit(cache=True)
def plant(x: Floats) -> Grove:
    """Build the tree over the rows of `x`."""
    n, p = x.shape
    leaves = 1
    while leaves * LEAF < n:
        leaves *= 2
    record = np.arange(n)
    start, end = np.zeros(2 * leaves, np.int64), np.zeros(2 * leaves, np.int64)
    end[1] = n
    for node in range(1, leaves):
        middle = (start[node] + end[node]) // 2
        halve(x, record, start[node], middle, end[node])
        start[2 * node], end[2 * node] = start[node], middle
        start[2 * node + 1], end[2 * node + 1] = middle, end[node]
    tree = Grove(
        np.full((leaves, p, LEAF), np.inf),
        np.full((leaves, LEAF), -1, np.int64),
        np.full((2 * leaves, p), np.inf),
        np.full((2 * leaves, p), -np.inf),
        leaves,
    )
    for leaf in range(leaves):
        first, last = start[leaves + leaf], end[leaves + leaf]
        for t in range(last - first):
            tree.record[leaf, t] = record[first + t]
            for j in range(p):
                tree.points[leaf, j, t] = x[record[first + t], j]
    for node in range(2 * leaves - 1, 0, -1):
        _enclose(tree, node)
    return tree


@njit(cache=True)
def _enclose(tree: Grove, node: int) -> None:
    for j in range(tree.low.shape[1]):
        if node < tree.leaves:
            tree.low[node, j] = min(tree.low[2 * node, j], tree.low[2 * node + 1, j])
            tree.high[node, j] = max(tree.high[2 * node, j], tree.high[2 * node + 1, j])
        else:
            for v in tree.points[node - tree.leaves, j]:
                if v < np.inf:
                    tree.low[node, j] = min(tree.low[node, j], v)
                    tree.high[node, j] = max(tree.high[node, j], v)


@njit(cache=True, nogil=True)
def nearer(tree: Grove, queries: Floats, but: Ints, reach: Floats, most: int) -> Ints:
    """For every query, how many points have a squared distance below its `reach`; no more than `most` are counted.

    The point with the index `but` of the query is left out.
    """
    out = np.zeros(len(queries), np.int64)
    nodes, apart = np.empty(64, np.int64), np.empty(LEAF)
    for i in range(len(queries)):
        q, top = queries[i], 1
        nodes[0] = 1
        while top > 0 and out[i] < most:
            top -= 1
            node = nodes[top]
            if node >= tree.leaves:
                leaf = node - tree.leaves
                found = _in_leaf(tree.points[leaf], tree.record[leaf], q, but[i], reach[i], apart)
                out[i] = min(most, out[i] + found)
                continue
            near, far = 2 * node, 2 * node + 1
            a, b = _at_least(tree.low, tree.high, near, q), _at_least(tree.low, tree.high, far, q)
            if b < a:
                near, far, a, b = far, near, b, a
            for child, bound in ((far, b), (near, a)):  # the nearer one goes on top of the stack
                if bound < reach[i]:
                    nodes[top] = child
                    top += 1
    return out


@njit(cache=True)
def _in_leaf(points: Floats, record: Ints, q: Floats, but: int, reach: float, apart: Floats) -> int:
    """Half of the coordinates first: often they already show that nobody is near."""
    half = len(q) // 2
    apart[:] = 0.0
    _add(points, q, 0, half, apart)
    if half > 0 and not _any_below(apart, reach):
        return 0
    _add(points, q, half, len(q), apart)
    found = 0
    for t in range(LEAF):
        found += apart[t] < reach
    if found > 0:
        for t in range(LEAF):
            if record[t] == but and apart[t] < reach:
                found -= 1
    return found


@njit(cache=True)
def _add(points: Floats, q: Floats, first: int, last: int, apart: Floats) -> None:
    """Squared differences of some coordinates."""
    for j in range(first, last):
        v = q[j]
        for t in range(LEAF):
            apart[t] += (points[j, t] - v) * (points[j, t] - v)


@njit(cache=True)
def _any_below(apart: Floats, reach: float) -> bool:
    found = 0
    for t in range(LEAF):
        found += apart[t] < reach
    return found > 0


@njit(cache=True, fastmath={"reassoc", "nnan", "nsz"})
def _at_least(low: Floats, high: Floats, node: int, q: Floats) -> float:
    """No point of the node is nearer than this; the order of the sum is free, and so it is computed side by side."""
    d = 0.0
    for j in range(len(q)):
        e = max(low[node, j] - q[j], q[j] - high[node, j], 0.0)
        d += e * e
    return d
