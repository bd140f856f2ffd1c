"""Records exchange with the nearest one that is still free: a k-d tree from which records are taken, searched from the leaf upwards.

The tree of every block is planted once and serves all columns that exchange in it. The search starts where the record lies and climbs:
beside each box on the way up lies its sister, and nearly all of them are too far away. Boxes are not made smaller when records
go; a node only knows the first record left in it, which also decides ties.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from tarnkappe.kernels.lean import inlined
from tarnkappe.kernels.shrinking_tree import halve

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Shorts = NDArray[np.int32]

LEAF = 16
"""A leaf holds at most this many records."""


class Grounds(NamedTuple):
    """Where the records of all blocks lie; those of a block in the order of its tree."""

    points: Floats
    row: Ints
    """Which record lies at a place."""
    place: Shorts
    """Where in its block each record lies."""
    boxes: Floats
    """(nodes, 2p): the least and largest values in every node, block by block."""
    roots: Ints
    """Where the nodes of every block begin, one entry more than there are blocks.

    Nodes are counted 1, 2, 3, … in heap order; node i has the children 2i and 2i + 1, and leaf i of a block of n records has those from
    i n / leaves on.
    """


class Pool(NamedTuple):
    """The records of a block that are still free; they are numbered in the order in which they choose."""

    points: Floats
    boxes: Floats
    record: Shorts
    """Which record lies at a place; as many as there are records where it is taken."""
    first: Shorts
    """The first record still in the node; as many as there are records where none is."""
    source: Shorts
    """The place whose record gives its values to a place."""
    leaves: int
    """The first leaf; leaves are the nodes from here on."""


def nearest_partners(grounds: Grounds, order: Ints, starts: Ints, counts: Ints) -> Ints:
    """In every block the first records of `order` exchange with the nearest record that is still free.

    Goes on until `counts` records of the block, or one more, have exchanged. Where an odd number must, the last one makes
    a ring of three with the pair before it. Ties go to the record that stands first in `order`.
    """
    source = np.arange(len(grounds.place))
    _exchanged(grounds, order, starts, counts, source)
    return source


@njit(cache=True, nogil=True)
def grounds_of(x: Floats, order: Ints, starts: Ints) -> Grounds:
    """Plant the trees of blocks of rows of `x`; in which order the rows of a block come does not matter."""
    roots = np.zeros(len(starts), np.int64)
    for b in range(len(starts) - 1):
        roots[b + 1] = roots[b] + 2 * _leaves(starts[b + 1] - starts[b])
    points, row, place = x[order], order.copy(), np.zeros(len(x), np.int32)
    boxes = np.empty((roots[-1], 2 * x.shape[1]))
    for b in range(len(starts) - 1):
        first, last = starts[b], starts[b + 1]
        _plant(points[first:last], row[first:last])
        _enclose(points[first:last], boxes[roots[b] : roots[b + 1]])
        for i in range(first, last):
            place[row[i]] = i - first
    return Grounds(points, row, place, boxes, roots)


@inlined
def _leaves(n: int) -> int:
    leaves = 1
    while leaves * LEAF < n:
        leaves *= 2
    return leaves


@njit(cache=True)
def _plant(points: Floats, row: Ints) -> None:
    """Bring the records of a block into the order of the tree."""
    n, leaves, wide = len(row), _leaves(len(row)), 1
    while wide < leaves:
        for i in range(wide):
            halve(points, row, i * n // wide, (2 * i + 1) * n // (2 * wide), (i + 1) * n // wide)
        wide *= 2


@inlined
def _enclose(points: Floats, boxes: Floats) -> None:
    n, p = points.shape
    leaves = len(boxes) // 2
    for node in range(2 * leaves - 1, 0, -1):
        for j in range(p):
            if node < leaves:
                boxes[node, j] = min(boxes[2 * node, j], boxes[2 * node + 1, j])
                boxes[node, p + j] = max(boxes[2 * node, p + j], boxes[2 * node + 1, p + j])
                continue
            leaf = node - leaves
            boxes[node, j], boxes[node, p + j] = np.inf, -np.inf
            for i in range(leaf * n // leaves, (leaf + 1) * n // leaves):
                boxes[node, j] = min(boxes[node, j], points[i, j])
                boxes[node, p + j] = max(boxes[node, p + j], points[i, j])


@njit(cache=True, nogil=True)
def _exchanged(grounds: Grounds, order: Ints, starts: Ints, counts: Ints, source: Ints) -> None:
    for b in range(len(counts)):
        if counts[b] < 2:
            continue
        first, last = starts[b], starts[b + 1]
        n, nodes = last - first, grounds.roots[b + 1] - grounds.roots[b]
        pool = Pool(
            grounds.points[first:last], grounds.boxes[grounds.roots[b] : grounds.roots[b + 1]],
            np.empty(n, np.int32), np.empty(nodes, np.int32), np.arange(n).astype(np.int32), nodes // 2,
        )  # fmt: skip
        _pair(pool, grounds.place[order[first:last]], counts[b])
        row = grounds.row[first:last]
        for i in range(n):
            source[row[i]] = row[pool.source[i]]


@njit(cache=True)
def _pair(pool: Pool, at: Shorts, count: int) -> None:
    """Records at the places `at` choose one after the other."""
    _fill(pool, at)
    nodes, bounds, done, one = np.empty(64, np.int64), np.empty(64), 0, 0
    for i in range(len(at)):
        if done >= count:
            break
        if pool.record[at[i]] != i:
            continue
        _take(pool, at[i])
        found = _nearest(pool, at[i], nodes, bounds)
        if found < 0:
            pool.source[at[i]], pool.source[one] = pool.source[one], at[i]
            break
        _take(pool, found)
        pool.source[at[i]], pool.source[found] = found, at[i]
        done, one = done + 2, at[i]


@inlined
def _fill(pool: Pool, at: Shorts) -> None:
    """All records are free."""
    for i in range(len(at)):
        pool.record[at[i]] = i
    for node in range(2 * pool.leaves - 1, 0, -1):
        pool.first[node] = _first(pool, node)


@inlined
def _first(pool: Pool, node: int) -> int:
    if node < pool.leaves:
        return int(min(pool.first[2 * node], pool.first[2 * node + 1]))
    first, leaf = len(pool.record), node - pool.leaves
    for i in range(leaf * len(pool.record) // pool.leaves, (leaf + 1) * len(pool.record) // pool.leaves):
        first = min(first, pool.record[i])
    return first


@inlined
def _home(pool: Pool, place: int) -> int:
    """The leaf of a place."""
    return pool.leaves + ((place + 1) * pool.leaves - 1) // len(pool.record)


@inlined
def _take(pool: Pool, place: int) -> None:
    """Take a record away; nodes that have an earlier one do not notice."""
    i, node = pool.record[place], _home(pool, place)
    pool.record[place] = len(pool.record)
    while node >= 1 and pool.first[node] == i:
        pool.first[node] = _first(pool, node)
        node //= 2


@inlined
def _nearest(pool: Pool, place: int, nodes: Ints, bounds: Floats) -> int:
    """The place of the free record nearest to a place; -1 where none is left."""
    c, node = pool.points[place], _home(pool, place)
    best, apart = _in_leaf(pool, node, c, -1, np.inf)
    while node > 1:
        sister = node ^ 1
        if pool.first[sister] < len(pool.record):
            bound = _at_least(pool.boxes, sister, c)
            if _worth(pool, sister, bound, best, apart):
                nodes[0], bounds[0] = sister, bound
                best, apart = _search(pool, c, best, apart, nodes, bounds)
        node //= 2
    return best


@inlined
def _search(pool: Pool, c: Floats, best: int, apart: float, nodes: Ints, bounds: Floats) -> tuple[int, float]:
    """The place known to be best, or a better one below the first of `nodes`, and its squared distance."""
    top = 1
    while top > 0:
        top -= 1
        node = nodes[top]
        if not _worth(pool, node, bounds[top], best, apart):
            continue
        if node >= pool.leaves:
            best, apart = _in_leaf(pool, node, c, best, apart)
            continue
        near, far = 2 * node, 2 * node + 1
        a, b = _at_least(pool.boxes, near, c), _at_least(pool.boxes, far, c)
        if b < a:
            near, far, a, b = far, near, b, a
        nodes[top], bounds[top], nodes[top + 1], bounds[top + 1] = far, b, near, a
        top += 2
    return best, apart


@inlined
def _in_leaf(pool: Pool, node: int, c: Floats, best: int, apart: float) -> tuple[int, float]:
    n, leaf = len(pool.record), node - pool.leaves
    for k in range(leaf * n // pool.leaves, (leaf + 1) * n // pool.leaves):
        if pool.record[k] < n:
            d = 0.0
            for j in range(len(c)):
                d += (pool.points[k, j] - c[j]) * (pool.points[k, j] - c[j])
            if d < apart or (d == apart and best >= 0 and pool.record[k] < pool.record[best]):
                best, apart = k, d
    return best, apart


@inlined
def _worth(pool: Pool, node: int, bound: float, best: int, apart: float) -> bool:
    """Can the node hold a record that is nearer, or as near and earlier?"""
    if pool.first[node] == len(pool.record):
        return False
    return bound < apart or (bound == apart and pool.first[node] < pool.record[best])


@inlined
def _at_least(boxes: Floats, node: int, c: Floats) -> float:
    """No record of the node is nearer than this."""
    d, p = 0.0, len(c)
    for j in range(p):
        e = max(boxes[node, j] - c[j], c[j] - boxes[node, p + j], 0.0)
        d += e * e
    return d
