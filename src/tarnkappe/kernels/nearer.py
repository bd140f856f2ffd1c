"""How many points lie nearer than a known distance?

An attacker's success needs no nearest neighbour: it is enough to know whether somebody else lies nearer than the right one. The
search starts in the leaf where the question lies and goes on with the nearest box; it ends when enough points are found, and never
looks into boxes beyond the known distance. Questions from one leaf come one after the other: what they look at is still in the fast memory.

Where the short numbers of the tree show with room for all rounding who is near, that is enough; otherwise the distance is measured
on the points as they are.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from tarnkappe.kernels.grove import LEAF, Grove
from tarnkappe.kernels.lean import inlined
from tarnkappe.kernels.on_cores import on_cores, slices

Floats = NDArray[np.float64]
Shorts = NDArray[np.float32]
Ints = NDArray[np.int64]

FIRST = 3
"""So many axes, the widest, are looked at first: often they already show that nobody is near."""
SOON = 32
"""So many leaves are looked into nearest first; whoever is near is nearly always found there. After that any order will do."""
ALL = 2**62
"""No limit on the leaves that are looked into."""
ROUNDING = 1.2e-7
"""Largest relative error of a number of half the length."""
TINY = float(np.finfo(np.float32).tiny)


class Asked(NamedTuple):
    """Questions: from where, without whom, and how far (squared)."""

    queries: Floats
    but: Ints
    reach: Floats


class Reach(NamedTuple):
    """A squared distance: as it is, and in the tree surely within and possibly within."""

    exact: float
    sure: np.float32
    wide: np.float32


class Paper(NamedTuple):
    """What a search writes on."""

    turned: Floats
    q: Shorts
    """The question as the tree holds points."""
    apart: Shorts
    """Distances in a leaf."""
    nodes: Ints
    bounds: Shorts
    """Open boxes and their distances."""


def nearer(tree: Grove, asked: Asked, most: int, leaves: int = ALL) -> Ints:
    """For every question, how many points have a squared distance below its reach; no more than `most` are counted.

    The point with the index `but` is left out. With a limit on the `leaves` a search looks into, some may be overlooked.
    """
    n = len(asked.reach)
    home = np.concatenate(on_cores(lambda rows: _homes(tree, asked.queries[rows]), slices(n), n))
    order, out = np.argsort(home), np.empty(n, np.int64)

    def search(part: slice) -> None:
        at = order[part]
        some = Asked(asked.queries[at], asked.but[at], asked.reach[at])
        out[at] = _searched(tree, some, home[at], most, leaves)

    on_cores(search, slices(n), n)
    return out


@njit(cache=True, nogil=True)
def _homes(tree: Grove, queries: Floats) -> Ints:
    """The leaf where every query lies."""
    home, paper = np.empty(len(queries), np.int64), _paper(queries.shape[1])
    q = paper.q
    for i in range(len(queries)):
        _turn(tree, queries[i], paper)
        node = 1
        while node < tree.leaves:
            node = 2 * node + (q[tree.axis[node]] > tree.cut[node])
        home[i] = node
    return home


@inlined
def _turn(tree: Grove, query: Floats, paper: Paper) -> float:
    """A query as the tree holds points; returned is how far it lies from their middle, squared."""
    turned, p, far = paper.turned, len(query), 0.0
    for k in range(p):
        turned[k] = 0.0
    for j in range(p):
        v = query[j] - tree.middle[j]
        for k in range(p):
            turned[k] += v * tree.axes[j, k]
    for k in range(p):
        paper.q[k] = turned[k]
        far += turned[k] * turned[k]
    return far


@njit(cache=True)
def _paper(p: int) -> Paper:
    space = (SOON + 2) * 64
    q, apart = np.empty(p, np.float32), np.empty(LEAF, np.float32)
    return Paper(np.empty(p), q, apart, np.empty(space, np.int64), np.empty(space, np.float32))


@njit(cache=True, nogil=True)
def _searched(tree: Grove, asked: Asked, home: Ints, most: int, leaves: int) -> Ints:
    """Answer questions, each from its leaf."""
    n, p = asked.queries.shape
    out, paper = np.empty(n, np.int64), _paper(p)
    size = np.sqrt((tree.axes[:, 0] ** 2).sum())
    shift = 1e-14 * size * np.abs(tree.middle).sum()
    for i in range(n):
        far, known = np.sqrt(_turn(tree, asked.queries[i], paper)), np.sqrt(asked.reach[i]) * size
        room = (p + 8) * ROUNDING * (2 * far + known) + shift
        sure, wide = max(known - room, 0.0) ** 2, (known + room) ** 2 + TINY
        reach = Reach(asked.reach[i], np.float32(sure), np.float32(wide))
        out[i] = _found(tree, asked.queries[i], asked.but[i], reach, home[i], (most, leaves), paper)
    return out


@inlined
def _found(
    tree: Grove, query: Floats, but: int, reach: Reach, home: int, limits: tuple[int, int], paper: Paper
) -> int:
    """How many are found: in the leaf of the question first, then in the nearest of the boxes that lie open."""
    most, leaves = limits
    found, looked = _in_leaf(tree, home, query, but, reach, most, paper), 1
    top = _sisters(tree, home, reach.wide, paper) if found < most else 0
    while top > 0 and found < most and looked < leaves:
        node, top = _next(paper, top, looked)
        node, top = _down(tree, node, reach.wide, paper, top)
        if node > 0:
            found += _in_leaf(tree, node, query, but, reach, most - found, paper)
            looked += 1
    return found


@inlined
def _sisters(tree: Grove, node: int, wide: np.float32, paper: Paper) -> int:
    """Open the sisters of all boxes on the way up from a leaf; returned is how many boxes are open."""
    top = 0
    while node > 1:
        bound = _at_least(tree.low, tree.high, node ^ 1, paper.q)
        if bound <= wide:
            paper.nodes[top], paper.bounds[top] = node ^ 1, bound
            top += 1
        node //= 2
    return top


@inlined
def _next(paper: Paper, top: int, looked: int) -> tuple[int, int]:
    """Take the nearest open box, later on the one opened last; returned with how many are left."""
    at = top - 1
    if looked < SOON:
        for k in range(top - 1):
            at = k if paper.bounds[k] < paper.bounds[at] else at
    node = paper.nodes[at]
    paper.nodes[at], paper.bounds[at] = paper.nodes[top - 1], paper.bounds[top - 1]
    return node, top - 1


@inlined
def _down(tree: Grove, node: int, wide: np.float32, paper: Paper, top: int) -> tuple[int, int]:
    """From a box to its nearest leaf, opening the others on the way; 0 where all are too far away."""
    while 0 < node < tree.leaves:
        near, far = 2 * node, 2 * node + 1
        a, b = _at_least(tree.low, tree.high, near, paper.q), _at_least(tree.low, tree.high, far, paper.q)
        if b < a:
            near, far, a, b = far, near, b, a
        if b <= wide:
            paper.nodes[top], paper.bounds[top] = far, b
            top += 1
        node = near if a <= wide else 0
    return node, top


@inlined
def _in_leaf(tree: Grove, node: int, query: Floats, but: int, reach: Reach, most: int, paper: Paper) -> int:
    """How many of a leaf are within reach, up to `most`."""
    leaf, found = node - tree.leaves, 0
    if not _any_near(tree.points, leaf, paper, reach.wide):
        return 0
    for t in range(LEAF):
        if paper.apart[t] <= reach.wide:
            record = tree.record[leaf, t]
            if record >= 0 and record != but:
                found += paper.apart[t] < reach.sure or _squared(tree.exact, record, query) < reach.exact
                if found == most:
                    break
    return found


@inlined
def _any_near(points: Shorts, leaf: int, paper: Paper, wide: np.float32) -> bool:
    """Squared distances of a leaf into `apart`; is one within `wide`?"""
    first, p = min(FIRST, len(paper.q)), len(paper.q)
    for t in range(LEAF):
        paper.apart[t] = np.float32(0.0)
    _add(points, leaf, paper, 0, first)
    if not _any_within(paper.apart, wide):
        return False
    _add(points, leaf, paper, first, p)
    return _any_within(paper.apart, wide)


@inlined
def _add(points: Shorts, leaf: int, paper: Paper, first: int, last: int) -> None:
    """Squared differences along some axes."""
    apart = paper.apart
    for j in range(first, last):
        v = paper.q[j]
        for t in range(LEAF):
            apart[t] += (points[leaf, j, t] - v) * (points[leaf, j, t] - v)


@inlined
def _any_within(apart: Shorts, wide: np.float32) -> bool:
    found = 0
    for t in range(LEAF):
        found += apart[t] <= wide
    return found > 0


@inlined
def _squared(exact: Floats, record: int, query: Floats) -> float:
    d = 0.0
    for j in range(len(query)):
        d += (exact[record, j] - query[j]) * (exact[record, j] - query[j])
    return d


@njit(cache=True, fastmath={"reassoc", "nnan", "nsz"})
def _at_least(low: Shorts, high: Shorts, node: int, q: Shorts) -> np.float32:
    """No point of the node is nearer than this; the order of the sum is free, and so it is computed side by side."""
    d = np.float32(0.0)
    for j in range(len(q)):
        e = max(low[node, j] - q[j], q[j] - high[node, j], np.float32(0.0))
        d += e * e
    return d
