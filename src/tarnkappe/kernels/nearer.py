"""How many points lie nearer than a known distance: a k-d tree with large leaves that are read in one go.

An attacker's success needs no nearest neighbour: it is enough to know whether somebody else lies nearer than the right one. The
search ends when enough such points are found, and elsewhere looks into boxes nearer than the known distance only.

Boxes are narrow along the principal axes of the points, and numbers of half the length are read twice as fast: so the tree holds the
points that way. It only says who may be near, with room for all rounding; the distance of those few is measured on the points as they are.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from tarnkappe.kernels.on_cores import on_cores
from tarnkappe.kernels.shrinking_tree import halve

Floats = NDArray[np.float64]
Shorts = NDArray[np.float32]
Ints = NDArray[np.int64]

LEAF = 64
"""A leaf holds at most this many points; their distances are computed side by side."""
APART = 8
"""So many parts of the tree grow side by side."""
FIRST = 3
"""So many axes, the widest, are looked at first: often they already show that nobody is near."""
ROUNDING = 1.2e-7
"""Largest relative error of a number of half the length."""
LEAST = 1e-100
"""Points that lie nearer together are one point to the tree: made larger, their squares would overflow."""


class Grove(NamedTuple):
    """Nodes 1, 2, 3, … in heap order; node i has the children 2i and 2i + 1."""

    exact: Floats
    """The points as they are."""
    points: Shorts
    """(leaves, p, LEAF): the points of every leaf in one piece of memory, axis by axis; infinite where it has fewer."""
    record: Ints
    """(leaves, LEAF): their original indices; -1 where there is none."""
    low: Shorts
    high: Shorts
    """The box of every node."""
    home: Ints
    """The leaf of every point."""
    leaves: int
    """The first leaf; leaves are the nodes from here on."""


class Asked(NamedTuple):
    """Questions: where, and how far from there."""

    queries: Floats
    short: Shorts
    """The same, turned like the points of the tree."""
    but: Ints
    reach: Floats
    """(n, 2): squared distances, the wider one first."""
    wide: Shorts
    """Nobody within reach is farther away in the tree than this."""


class Trees(NamedTuple):
    """A grove and how points come into it: shifted, turned to their principal axes, and made no larger than 1."""

    grove: Grove
    middle: Floats
    axes: Floats

    @property
    def record(self) -> Ints:
        return self.grove.record


def plant(x: Floats) -> Trees:
    """Build the tree over the rows of `x`."""
    middle: Floats = x.mean(axis=0) if len(x) else np.zeros(x.shape[1])
    turned = x - middle
    size = max(float(turned.max(initial=0.0)), -float(turned.min(initial=0.0)))
    size = max(size, LEAST) if size else 1.0
    turned /= size
    vectors = np.ascontiguousarray(np.linalg.eigh(turned.T @ turned)[1][:, ::-1])
    return Trees(_grown(x, turned @ vectors), middle, vectors / size)


def nearer(trees: Trees, queries: Floats, but: Ints, reach: Floats, most: int) -> Ints:
    """For every query, how many points have a squared distance below its two reaches, the wider one first: (n, 2).

    The point with the index `but` of the query is left out. No more than `most` are counted, and the search ends when so many lie
    within the narrower reach; who wants to know about one reach only gives it twice.
    """
    turned = (queries - trees.middle) @ trees.axes
    size = np.abs(trees.axes).max(initial=0.0)
    far, known = np.sqrt((turned**2).sum(axis=1)), np.sqrt(reach[:, 0]) * np.linalg.norm(trees.axes[:, 0])
    room = (len(trees.axes) + 8) * ROUNDING * (2 * far + known)
    room += 1e-14 * size * np.abs(trees.middle).sum()
    with np.errstate(over="ignore"):
        wide = ((known + room) ** 2 + np.finfo(np.float32).tiny).astype(np.float32)
        short = turned.astype(np.float32)
    out: Ints = _searched(trees.grove, Asked(queries, short, but, reach, wide), most)
    return out


def _grown(x: Floats, z: Floats) -> Grove:
    """The tree over the rows of `z`, which are those of `x` turned, and come into the order of the tree."""
    n, p = z.shape
    leaves = 1
    while leaves * LEAF < n:
        leaves *= 2
    tree = Grove(
        x,
        np.full((leaves, p, LEAF), np.inf, np.float32),
        np.full((leaves, LEAF), -1, np.int64),
        np.full((2 * leaves, p), np.inf, np.float32),
        np.full((2 * leaves, p), -np.inf, np.float32),
        np.empty(n, np.int64),
        leaves,
    )
    record = np.arange(n)
    start, end = np.zeros(2 * leaves, np.int64), np.full(2 * leaves, n)
    apart = min(APART, leaves)
    _divide(z, record, start, end, (1, apart))
    on_cores(lambda node: _below(tree, z, record, start, end, node), range(apart, 2 * apart), n)
    for node in range(apart - 1, 0, -1):
        _enclose(tree, node)
    return tree


@njit(cache=True, nogil=True)
def _divide(z: Floats, record: Ints, start: Ints, end: Ints, nodes: tuple[int, int]) -> None:
    """Halve the records of some nodes between their children."""
    for node in range(nodes[0], nodes[1]):
        middle = (start[node] + end[node]) // 2
        halve(z, record, start[node], middle, end[node])
        start[2 * node], end[2 * node] = start[node], middle
        start[2 * node + 1], end[2 * node + 1] = middle, end[node]


@njit(cache=True, nogil=True)
def _below(tree: Grove, z: Floats, record: Ints, start: Ints, end: Ints, root: int) -> None:
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
def _fill(tree: Grove, z: Floats, record: Ints, leaf: int) -> None:
    for t in range(len(record)):
        tree.record[leaf, t] = record[t]
        tree.home[record[t]] = leaf
        for j in range(z.shape[1]):
            tree.points[leaf, j, t] = z[t, j]


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
def _searched(tree: Grove, asked: Asked, most: int) -> Ints:
    """Look into boxes and leaves within `wide`, and count those whose exact distance is below `reach`."""
    short, but, wide = asked.short, asked.but, asked.wide
    out = np.zeros((len(short), 2), np.int64)
    nodes, apart = np.empty(64, np.int64), np.empty(LEAF, np.float32)
    points, low, high, home, leaves = tree.points, tree.low, tree.high, tree.home, tree.leaves
    for i in range(len(short)):
        q, top, leaf = short[i], 1, home[but[i]]
        if _may_be_near(points, leaf, q, wide[i], apart):  # the neighbours of its own point are often enough
            _count(tree, leaf, apart, asked, i, out[i])
            if out[i, 1] >= most:
                continue
            out[i] = 0
        nodes[0] = 1
        while top > 0 and out[i, 1] < most:
            top -= 1
            node = nodes[top]
            if node >= leaves:
                leaf = node - leaves
                if _may_be_near(points, leaf, q, wide[i], apart):
                    _count(tree, leaf, apart, asked, i, out[i])
                continue
            near, far = 2 * node, 2 * node + 1
            a, b = _at_least(low, high, near, q), _at_least(low, high, far, q)
            if b < a:
                near, far, a, b = far, near, b, a
            for child, bound in ((far, b), (near, a)):  # the nearer one goes on top of the stack
                if bound <= wide[i]:
                    nodes[top] = child
                    top += 1
    return np.minimum(out, most)


@njit(cache=True)
def _may_be_near(points: Shorts, leaf: int, q: Shorts, wide: float, apart: Shorts) -> bool:
    """Squared distances of a leaf into `apart`; is one within `wide`?"""
    first = min(FIRST, len(q))
    apart[:] = np.float32(0.0)
    _add(points, leaf, q, (0, first), apart)
    if not _any_within(apart, wide):
        return False
    _add(points, leaf, q, (first, len(q)), apart)
    return _any_within(apart, wide)


@njit(cache=True)
def _count(tree: Grove, leaf: int, apart: Shorts, asked: Asked, i: int, out: Ints) -> None:
    """Count those of a leaf within either reach of a question, the distance of those within `wide` being measured exactly."""
    query, reach = asked.queries[i], asked.reach[i]
    for t in range(LEAF):
        record = tree.record[leaf, t]
        if apart[t] <= asked.wide[i] and record >= 0 and record != asked.but[i]:
            d = 0.0
            for j in range(len(query)):
                d += (tree.exact[record, j] - query[j]) * (tree.exact[record, j] - query[j])
            out[0] += d < reach[0]
            out[1] += d < reach[1]


@njit(cache=True)
def _add(points: Shorts, leaf: int, q: Shorts, axes: tuple[int, int], apart: Shorts) -> None:
    """Squared differences along some axes."""
    for j in range(axes[0], axes[1]):
        v = q[j]
        for t in range(LEAF):
            apart[t] += (points[leaf, j, t] - v) * (points[leaf, j, t] - v)


@njit(cache=True)
def _any_within(apart: Shorts, wide: float) -> bool:
    found = 0
    for t in range(LEAF):
        found += apart[t] <= wide
    return found > 0


@njit(cache=True, fastmath={"reassoc", "nnan", "nsz"})
def _at_least(low: Shorts, high: Shorts, node: int, q: Shorts) -> np.float32:
    """No point of the node is nearer than this; the order of the sum is free, and so it is computed side by side."""
    d = np.float32(0.0)
    for j in range(len(q)):
        e = max(low[node, j] - q[j], q[j] - high[node, j], np.float32(0.0))
        d += e * e
    return d
