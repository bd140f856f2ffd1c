"""Records exchange with the nearest one that is still free: a k-d tree from which records are taken, searched from the leaf upwards.

The search starts where the record lies and climbs: beside each box on the way up lies its sister, and nearly all of them are too far
away. Boxes are not made smaller when records go; a node only knows the first record left in it, which also decides ties.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from tarnkappe.kernels.lean import lean
from tarnkappe.kernels.shrinking_tree import halve

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

LEAF = 8
"""A leaf holds at most this many records."""


class Pool(NamedTuple):
    """Nodes 1, 2, 3, … in heap order; node i has the children 2i and 2i + 1."""

    points: Floats
    """The records in the order of the tree."""
    record: Ints
    """Which record lies at a place."""
    place: Ints
    """Where a record lies."""
    home: Ints
    """The leaf of every place."""
    start: Ints
    """The places of leaf i are start[i] … start[i + 1] - 1."""
    low: Floats
    high: Floats
    """The box of every node, of all that were ever in it."""
    first: Ints
    """The first record still in the node; as many as there are records where none is."""
    leaves: int
    """The first leaf; leaves are the nodes from here on."""


@njit(cache=True, nogil=True)
def nearest_partners(x: Floats, order: Ints, starts: Ints, counts: Ints) -> Ints:
    """In every block the first records of `order` exchange with the nearest record that is still free.

    Goes on until `counts` records of the block, or one more, have exchanged. Where an odd number must, the last one makes
    a ring of three with the pair before it. Ties go to the record that stands first in `order`.
    """
    source = np.arange(len(order))
    for b in range(len(counts)):
        if counts[b] < 2:
            continue
        members = order[starts[b] : starts[b + 1]]
        pool = _filled(x[members])
        done, one, other = 0, 0, 0
        for i in range(len(members)):
            if done >= counts[b]:
                break
            if pool.first[1] > i:
                continue
            _take(pool, i)
            found = _nearest(pool, i)
            if found < 0:
                source[members[i]], source[one] = source[one], members[i]
                break
            _take(pool, found)
            one, other = members[i], members[found]
            source[one], source[other] = other, one
            done += 2
    return source


@njit(cache=True)
def _filled(points: Floats) -> Pool:
    """The points come into the order of the tree."""
    n, p = points.shape
    leaves = 1
    while leaves * LEAF < n:
        leaves *= 2
    record, start = np.arange(n), np.zeros(leaves + 1, np.int64)
    start[1:] = n
    wide = 1
    while wide < leaves:
        for i in range(wide - 1, -1, -1):  # from behind: what is still to be read is not overwritten
            a, b = start[i], start[i + 1]
            halve(points, record, a, (a + b) // 2, b)
            start[2 * i], start[2 * i + 1], start[2 * i + 2] = a, (a + b) // 2, b
        wide *= 2
    place, home = np.empty(n, np.int64), np.empty(n, np.int64)
    for leaf in range(leaves):
        for i in range(start[leaf], start[leaf + 1]):
            place[record[i]], home[i] = i, leaves + leaf
    low, high = np.full((2 * leaves, p), np.inf), np.full((2 * leaves, p), -np.inf)
    pool = Pool(points, record, place, home, start, low, high, np.full(2 * leaves, n), leaves)
    for node in range(2 * leaves - 1, 0, -1):
        _enclose(pool, node)
        pool.first[node] = _first(pool, node)
    return pool


@njit(cache=True)
def _enclose(pool: Pool, node: int) -> None:
    for j in range(pool.low.shape[1]):
        if node < pool.leaves:
            pool.low[node, j] = min(pool.low[2 * node, j], pool.low[2 * node + 1, j])
            pool.high[node, j] = max(pool.high[2 * node, j], pool.high[2 * node + 1, j])
        else:
            for i in range(pool.start[node - pool.leaves], pool.start[node - pool.leaves + 1]):
                pool.low[node, j] = min(pool.low[node, j], pool.points[i, j])
                pool.high[node, j] = max(pool.high[node, j], pool.points[i, j])


@lean
def _first(pool: Pool, node: int) -> int:
    if node < pool.leaves:
        return int(min(pool.first[2 * node], pool.first[2 * node + 1]))
    first = len(pool.record)
    for i in range(pool.start[node - pool.leaves], pool.start[node - pool.leaves + 1]):
        first = min(first, pool.record[i])
    return first


@lean
def _take(pool: Pool, i: int) -> None:
    """Take a record away; nodes that have an earlier one do not notice."""
    pool.record[pool.place[i]] = len(pool.record)
    node = pool.home[pool.place[i]]
    while node >= 1 and pool.first[node] == i:
        pool.first[node] = _first(pool, node)
        node //= 2


@njit(cache=True)
def _nearest(pool: Pool, i: int) -> int:
    """The free record nearest to the record `i`; -1 where none is left."""
    c, stack = pool.points[pool.place[i]], np.empty(64, np.int64)
    node = pool.home[pool.place[i]]
    best, apart = _search(pool, node, c, len(pool.record), np.inf, stack)
    while node > 1:
        best, apart = _search(pool, node ^ 1, c, best, apart, stack)
        node //= 2
    return best if best < len(pool.record) else -1


@lean
def _search(pool: Pool, root: int, c: Floats, best: int, apart: float, stack: Ints) -> tuple[int, float]:
    """The best known record, or a better one below a node, and its squared distance."""
    stack[0], top = root, 1
    while top > 0:
        top -= 1
        node = stack[top]
        if not _worth(pool, node, c, best, apart):
            continue
        if node < pool.leaves:
            near, far = 2 * node, 2 * node + 1
            if _at_least(pool, far, c) < _at_least(pool, near, c):
                near, far = far, near
            stack[top], stack[top + 1] = far, near
            top += 2
            continue
        for k in range(pool.start[node - pool.leaves], pool.start[node - pool.leaves + 1]):
            if pool.record[k] < len(pool.record):
                d = _squared(pool, k, c)
                if d < apart or (d == apart and pool.record[k] < best):
                    best, apart = pool.record[k], d
    return best, apart


@lean
def _worth(pool: Pool, node: int, c: Floats, best: int, apart: float) -> bool:
    """Can the node hold a record that is nearer, or as near and earlier?"""
    if pool.first[node] == len(pool.record):
        return False
    d = _at_least(pool, node, c)
    return bool(d < apart or (d == apart and pool.first[node] < best))


@lean
def _at_least(pool: Pool, node: int, c: Floats) -> float:
    """No record of the node is nearer than this."""
    d = 0.0
    for j in range(len(c)):
        e = max(pool.low[node, j] - c[j], c[j] - pool.high[node, j], 0.0)
        d += e * e
    return d


@lean
def _squared(pool: Pool, place: int, c: Floats) -> float:
    d = 0.0
    for j in range(len(c)):
        d += (pool.points[place, j] - c[j]) * (pool.points[place, j] - c[j])
    return d
