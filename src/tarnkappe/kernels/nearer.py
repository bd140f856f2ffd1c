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

from tarnkappe.kernels.grove import LEAF, Grove, turned
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


class Question(NamedTuple):
    """One of them: where it lies as asked, and as the tree holds points."""

    query: Floats
    q: Shorts
    but: int
    reach: Reach


class Paper(NamedTuple):
    """What a search writes on."""

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
    asked = asked._replace(queries=np.ascontiguousarray(asked.queries))
    z = turned(asked.queries, tree.middle, tree.axes)
    home, out = np.empty(n, np.int64), np.empty(n, np.int64)
    on_cores(lambda rows: _homes(tree, z[rows], home[rows]), slices(n), n)
    order = np.argsort(home)
    on_cores(lambda part: _search(tree, asked, z, home, order[part], (most, leaves), out), slices(n), n)
    return out


@njit(cache=True, nogil=True)
def _homes(tree: Grove, z: Shorts, home: Ints) -> None:
    """The leaf where every question lies."""
    for i in range(len(z)):
        node = 1
        while node < tree.leaves:
            node = 2 * node + (z[i, tree.axis[node]] > tree.cut[node])
        home[i] = node


@njit(cache=True, nogil=True)
def _search(
    tree: Grove, asked: Asked, z: Shorts, home: Ints, some: Ints, limits: tuple[int, int], out: Ints
) -> None:
    """Answer some questions, which lie at `z` in the tree, each from its leaf."""
    p = z.shape[1]
    space = (SOON + 2) * 64
    paper = Paper(np.empty(LEAF, np.float32), np.empty(space, np.int64), np.empty(space, np.float32))
    size = np.sqrt((tree.axes[:, 0] ** 2).sum())
    shift = 1e-14 * size * np.abs(tree.middle).sum()
    for i in some:
        far, known = np.sqrt(_square(z[i])), np.sqrt(asked.reach[i]) * size
        room = (p + 8) * ROUNDING * (2 * far + known) + shift
        sure, wide = max(known - room, 0.0) ** 2, (known + room) ** 2 + TINY
        reach = Reach(asked.reach[i], np.float32(sure), np.float32(wide))
        question = Question(asked.queries[i], z[i], asked.but[i], reach)
        out[i] = _found(tree, question, home[i], limits, paper)


@inlined
def _square(q: Shorts) -> float:
    """How far a question lies from the middle of the points, squared."""
    far = 0.0
    for v in q:
        far += float(v) * float(v)
    return far


@inlined
def _found(tree: Grove, question: Question, home: int, limits: tuple[int, int], paper: Paper) -> int:
    """How many are found: in the leaf of the question first, then in the nearest of the boxes that lie open."""
    most, leaves = limits
    found, looked = _in_leaf(tree, home, question, most, paper), 1
    top = _sisters(tree, home, question, paper) if found < most else 0
    while top > 0 and found < most and looked < leaves:
        node, top = _next(paper, top, looked)
        node, top = _down(tree, node, question, paper, top)
        if node > 0:
            found += _in_leaf(tree, node, question, most - found, paper)
            looked += 1
    return found


@inlined
def _sisters(tree: Grove, node: int, question: Question, paper: Paper) -> int:
    """Open the sisters of all boxes on the way up from a leaf; returned is how many boxes are open."""
    top = 0
    while node > 1:
        bound = _at_least(tree.low, tree.high, node ^ 1, question.q)
        if bound <= question.reach.wide:
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
def _down(tree: Grove, node: int, question: Question, paper: Paper, top: int) -> tuple[int, int]:
    """From a box to its nearest leaf, opening the others on the way; 0 where all are too far away."""
    q, wide = question.q, question.reach.wide
    while 0 < node < tree.leaves:
        near, far = 2 * node, 2 * node + 1
        a, b = _at_least(tree.low, tree.high, near, q), _at_least(tree.low, tree.high, far, q)
        if b < a:
            near, far, a, b = far, near, b, a
        if b <= wide:
            paper.nodes[top], paper.bounds[top] = far, b
            top += 1
        node = near if a <= wide else 0
    return node, top


@inlined
def _in_leaf(tree: Grove, node: int, question: Question, most: int, paper: Paper) -> int:
    """How many of a leaf are within reach, up to `most`."""
    leaf, found, reach = node - tree.leaves, 0, question.reach
    if not _any_near(tree.points, leaf, question.q, paper.apart, reach.wide):
        return 0
    for t in range(LEAF):
        if paper.apart[t] <= reach.wide:
            record = tree.record[leaf, t]
            if record >= 0 and record != question.but:
                near = paper.apart[t] < reach.sure
                found += near or _squared(tree.exact, record, question.query) < reach.exact
                if found == most:
                    break
    return found


@inlined
def _any_near(points: Shorts, leaf: int, q: Shorts, apart: Shorts, wide: np.float32) -> bool:
    """Squared distances of a leaf into `apart`; is one within `wide`?"""
    first, p = min(FIRST, len(q)), len(q)
    for t in range(LEAF):
        apart[t] = np.float32(0.0)
    _add(points, leaf, q, apart, (0, first))
    if not _any_within(apart, wide):
        return False
    _add(points, leaf, q, apart, (first, p))
    return _any_within(apart, wide)


@inlined
def _add(points: Shorts, leaf: int, q: Shorts, apart: Shorts, axes: tuple[int, int]) -> None:
    """Squared differences along some axes."""
    for j in range(axes[0], axes[1]):
        v = q[j]
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
