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
    """(p, n): the points in the order of the tree, coordinate by coordinate."""
    record: Ints
    """Original index of every place."""
    start: Ints
    end: Ints
    """Places [start, end) of every node."""
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
    points = np.empty((p, n))
    for i in range(n):
        for j in range(p):
            points[j, i] = x[record[i], j]
    tree = Grove(
        points,
        record,
        start,
        end,
        np.full((2 * leaves, p), np.inf),
        np.full((2 * leaves, p), -np.inf),
        leaves,
    )
    for node in range(2 * leaves - 1, 0, -1):
        _enclose(tree, node)
    return tree


@njit(cache=True)
def _enclose(tree: Grove, node: int) -> None:
    for j in range(len(tree.points)):
        if node < tree.leaves:
            tree.low[node, j] = min(tree.low[2 * node, j], tree.low[2 * node + 1, j])
            tree.high[node, j] = max(tree.high[2 * node, j], tree.high[2 * node + 1, j])
        else:
            for v in tree.points[j, tree.start[node] : tree.end[node]]:
                tree.low[node, j] = min(tree.low[node, j], v)
                tree.high[node, j] = max(tree.high[node, j], v)


@njit(cache=True)
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
                out[i] = min(most, out[i] + _in_leaf(tree, node, q, but[i], reach[i], apart))
                continue
            near, far = 2 * node, 2 * node + 1
            a, b = _at_least(tree, near, q), _at_least(tree, far, q)
            if b < a:
                near, far, a, b = far, near, b, a
            for child, bound in ((far, b), (near, a)):  # the nearer one goes on top of the stack
                if bound < reach[i]:
                    nodes[top] = child
                    top += 1
    return out


@njit(cache=True)
def _in_leaf(tree: Grove, node: int, q: Floats, but: int, reach: float, apart: Floats) -> int:
    first, size = tree.start[node], tree.end[node] - tree.start[node]
    apart[:size] = 0.0
    for j in range(len(q)):
        row, v = tree.points[j, first : first + size], q[j]
        for t in range(size):
            apart[t] += (row[t] - v) * (row[t] - v)
    found = 0
    for t in range(size):
        found += apart[t] < reach
    if found > 0:
        for t in range(size):
            if tree.record[first + t] == but and apart[t] < reach:
                found -= 1
    return found


@njit(cache=True)
def _at_least(tree: Grove, node: int, q: Floats) -> float:
    """No point of the node is nearer than this."""
    d = 0.0
    for j in range(len(q)):
        e = max(tree.low[node, j] - q[j], q[j] - tree.high[node, j], 0.0)
        d += e * e
    return d
