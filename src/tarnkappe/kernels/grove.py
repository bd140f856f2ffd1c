"""A k-d tree with large leaves that are read in one go, for points in many dimensions that stay as they are.

Boxes are narrow along the principal axes of the points, and numbers of half the length are read twice as fast: so the tree holds the
points that way. It tells who may be near; where rounding matters, distances are measured on the points as they are.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from tarnkappe.kernels.lean import inlined
from tarnkappe.kernels.on_cores import on_cores, slices
from tarnkappe.kernels.shrinking_tree import halve

Floats = NDArray[np.float64]
Shorts = NDArray[np.float32]
Ints = NDArray[np.int64]

LEAF = 64
"""A leaf holds at most this many points; their distances are computed side by side."""
APART = 8
"""So many parts of the tree grow side by side."""
SAMPLE = 10_000
"""Principal axes are found from about so many points; any would do, good ones are faster."""
LEAST = 1e-100
"""Points that lie nearer together are one point to the tree: made larger, their squares would overflow."""


class Grove(NamedTuple):
    """Nodes 1, 2, 3, … in heap order; node i has the children 2i and 2i + 1."""

    exact: Floats
    """The points as they are."""
    middle: Floats
    axes: Floats
    """How points come into the tree: shifted, turned to their principal axes, and made no larger than 1."""
    points: Shorts
    """(leaves, p, LEAF): the points of every leaf in one piece of memory, axis by axis; infinite where it has fewer."""
    record: Ints
    """(leaves, LEAF): their original indices; -1 where there is none."""
    low: Shorts
    high: Shorts
    """The box of every node."""
    axis: Ints
    cut: Shorts
    """Where a node is divided: along which axis, and the largest value to the left."""
    leaves: int
    """The first leaf; leaves are the nodes from here on."""


def plant(x: Floats) -> Grove:
    """Build the tree over the rows of `x`."""
    middle: Floats = x.mean(axis=0) if len(x) else np.zeros(x.shape[1])
    ends = np.stack([x.min(axis=0), x.max(axis=0)]) if len(x) else middle
    size = float(np.abs(ends - middle).max(initial=0.0))
    size = max(size, LEAST) if size else 1.0
    axes = np.eye(x.shape[1]) / size
    if len(x) > LEAF:  # one leaf is read as a whole, whatever its axes
        some = (x[:: 1 + len(x) // SAMPLE] - middle) / size
        axes = np.ascontiguousarray(np.linalg.eigh(some.T @ some)[1][:, ::-1]) / size
    return _grown(x, middle, axes, turned(x, middle, axes))


def turned(x: Floats, middle: Floats, axes: Floats) -> Shorts:
    """Points as the tree holds them."""
    z = np.empty(x.shape, np.float32)

    def turn(rows: slice) -> None:
        with np.errstate(over="ignore"):  # what lies too far outside is infinitely far
            z[rows] = (x[rows] - middle) @ axes

    on_cores(turn, slices(len(x)), len(x))
    return z


def _grown(x: Floats, middle: Floats, axes: Floats, z: Shorts) -> Grove:
    """The tree over the rows of `z`, which are those of `x` turned, and come into the order of the tree."""
    n, p = z.shape
    leaves = 1
    while leaves * LEAF < n:
        leaves *= 2
    tree = Grove(
        x, middle, axes,
        np.full((leaves, p, LEAF), np.inf, np.float32), np.full((leaves, LEAF), -1, np.int64),
        np.full((2 * leaves, p), np.inf, np.float32), np.full((2 * leaves, p), -np.inf, np.float32),
        np.zeros(leaves, np.int64), np.zeros(leaves, np.float32), leaves,
    )  # fmt: skip
    record = np.arange(n)
    start, end = np.zeros(2 * leaves, np.int64), np.full(2 * leaves, n)
    apart = min(APART, leaves)
    wide = 1
    while wide < apart:
        on_cores(lambda node: _divide(z, record, start, end, (node, node + 1)), range(wide, 2 * wide), n)
        wide *= 2
    on_cores(lambda node: _below(tree, z, record, start, end, node), range(apart, 2 * apart), n)
    for node in range(apart - 1, 0, -1):
        _enclose(tree, node)
    return tree


@njit(cache=True, nogil=True)
def _divide(z: Shorts, record: Ints, start: Ints, end: Ints, nodes: tuple[int, int]) -> None:
    """Halve the records of some nodes between their children."""
    for node in range(nodes[0], nodes[1]):
        middle = (start[node] + end[node]) // 2
        halve(z, record, start[node], middle, end[node])
        start[2 * node], end[2 * node] = start[node], middle
        start[2 * node + 1], end[2 * node + 1] = middle, end[node]


@njit(cache=True, nogil=True)
def _below(tree: Grove, z: Shorts, record: Ints, start: Ints, end: Ints, root: int) -> None:
    """All from a node down to its leaves."""
    first, last = root, root + 1
    while first < tree.leaves:
        _divide(z, record, start, end, (first, last))
        first, last = 2 * first, 2 * last
    for node in range(first, last):
        _fill(tree, z[start[node] : end[node]], record[start[node] : end[node]], node - tree.leaves)
    while last > root:
        for node in range(first, last):
            _enclose(tree, node)
        first, last = first // 2, last // 2


@njit(cache=True)
def _fill(tree: Grove, z: Shorts, record: Ints, leaf: int) -> None:
    for t in range(len(record)):
        tree.record[leaf, t] = record[t]
        for j in range(z.shape[1]):
            tree.points[leaf, j, t] = z[t, j]


@inlined
def _enclose(tree: Grove, node: int) -> None:
    """The box of a node, and where it is divided: along its widest axis."""
    low, high, axis = tree.low, tree.high, 0
    for j in range(low.shape[1]):
        if node < tree.leaves:
            low[node, j] = min(low[2 * node, j], low[2 * node + 1, j])
            high[node, j] = max(high[2 * node, j], high[2 * node + 1, j])
            axis = j if high[node, j] - low[node, j] > high[node, axis] - low[node, axis] else axis
        else:
            for v in tree.points[node - tree.leaves, j]:
                if v < np.inf:
                    low[node, j] = min(low[node, j], v)
                    high[node, j] = max(high[node, j], v)
    if node < tree.leaves:
        tree.axis[node], tree.cut[node] = axis, high[2 * node, axis]
