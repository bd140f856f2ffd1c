"""k-Ward: clusters that grow by Ward's criterion until each has k contributors, split again where they are large enough.

Sources: hoehne2010, 2.2.6 (M08, groups of variable size); domingoferrer2002 (k-Ward). In every set two groups of k are formed around the
record farthest from the mean and the record farthest from that one; then the two clusters whose union adds least to the sum of
squares are merged, but never two that both have k contributors; a cluster that holds two groups is treated likewise.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class Clusters(NamedTuple):
    """Clusters of the rows of one set; a cluster that went into another has size 0."""

    mean: Floats
    size: Ints
    names: Ints
    """The first k contributors of every cluster."""
    many: Ints
    """How many of them there are."""
    near: Ints
    """The cluster it would be merged with; kept for clusters with fewer than k contributors."""
    cost: Floats


@njit(cache=True)
def ward_within(x: Floats, who: Ints, order: Ints, starts: Ints, k: int) -> Ints:
    """Label the rows of every block; blocks with fewer than k contributors get -1."""
    labels = np.full(len(x), -1, np.int64)
    group = 0
    for b in range(len(starts) - 1):
        rows = order[starts[b] : starts[b + 1]]
        if len(rows) < k or len(np.unique(who[rows])) < k:
            continue
        inside = ward_groups(x[rows], who[rows], k)
        labels[rows] = group + inside
        group += inside.max() + 1
    return labels


@njit(cache=True)
def ward_groups(x: Floats, who: Ints, k: int) -> Ints:
    """Label every row of `x`; at least k contributors stand behind it."""
    labels = np.full(len(x), -1, np.int64)
    open_sets = [np.arange(len(x))]
    group = 0
    while len(open_sets) > 0:
        rows = open_sets.pop()
        seeds = _seeds(x[rows], who[rows], k)
        if seeds.max() < 1:  # no second group of k contributors: one group
            labels[rows] = group
            group += 1
            continue
        parts = _merged(x[rows], who[rows], seeds, k)
        for part in np.unique(parts):
            open_sets.append(rows[parts == part])  # noqa: PERF401 - compiled
    return labels


@njit(cache=True)
def _seeds(x: Floats, who: Ints, k: int) -> Ints:
    """0 and 1 for the rows of the first two groups, -1 for the others."""
    seeds = np.full(len(x), -1, np.int64)
    if len(x) < 2 * k:
        return seeds
    centre = np.zeros(x.shape[1])
    for i in range(len(x)):
        centre += x[i]
    r = int(np.argmax(_apart(x, centre / len(x))))
    s = int(np.argmax(_apart(x, x[r])))
    _ball(x, who, r, seeds, 0, k)
    if not _ball(x, who, s, seeds, 1, k):
        seeds[:] = -1
    return seeds


@njit(cache=True)
def _apart(x: Floats, c: Floats) -> Floats:
    d = np.zeros(len(x))
    for i in range(len(x)):
        for j in range(x.shape[1]):
            d[i] += (x[i, j] - c[j]) ** 2
    return d


@njit(cache=True)
def _ball(x: Floats, who: Ints, centre: int, seeds: Ints, seed: int, k: int) -> bool:
    """Mark the free rows nearest to one of them until k contributors are together; False where there are not so many."""
    names, many = np.empty(k, np.int64), 0
    for i in np.argsort(_apart(x, x[centre]), kind="mergesort"):
        if seeds[i] < 0:
            seeds[i] = seed
            many = _named(names, many, who[i])
            if many == k:
                return True
    return False


@njit(cache=True)
def _named(names: Ints, many: int, name: int) -> int:
    """Add a contributor to a list of at most k different ones; return how many there are now."""
    if many == len(names):
        return many
    for t in range(many):
        if names[t] == name:
            return many
    names[many] = name
    return many + 1


@njit(cache=True)
def _merged(x: Floats, who: Ints, seeds: Ints, k: int) -> Ints:
    """The cluster of every row once each has k contributors."""
    n, p = x.shape
    cluster = np.where(seeds >= 0, seeds, 0)
    free = 2
    for i in range(n):
        if seeds[i] < 0:
            cluster[i] = free
            free += 1
    c = Clusters(
        np.zeros((free, p)), np.zeros(free, np.int64), np.empty((free, k), np.int64), np.zeros(free, np.int64),
        np.full(free, -1, np.int64), np.full(free, np.inf),
    )  # fmt: skip
    for i in range(n):
        at = cluster[i]
        c.size[at] += 1
        c.mean[at] += (x[i] - c.mean[at]) / c.size[at]
        c.many[at] = _named(c.names[at], c.many[at], who[i])
    for a in range(free):
        _look(c, a, k)
    into = np.arange(free)
    while True:
        a = int(np.argmin(c.cost))
        if c.cost[a] == np.inf:
            break
        b = c.near[a]
        _join(c, a, b)
        into[a] = b
        c.cost[a] = np.inf
        for other in range(free):
            if other == b or (
                c.size[other] > 0 and c.cost[other] < np.inf and (c.near[other] == a or c.near[other] == b)
            ):
                _look(c, other, k)
    for i in range(n):
        at = cluster[i]
        while into[at] != at:
            at = into[at]
        cluster[i] = at
    return cluster


@njit(cache=True)
def _join(c: Clusters, a: int, b: int) -> None:
    total = c.size[a] + c.size[b]
    c.mean[b] += (c.mean[a] - c.mean[b]) * (c.size[a] / total)
    for t in range(c.many[a]):
        c.many[b] = _named(c.names[b], c.many[b], c.names[a, t])
    c.size[b], c.size[a] = total, 0


@njit(cache=True)
def _look(c: Clusters, a: int, k: int) -> None:
    """Find the cluster that costs least to merge with; clusters with k contributors look for none."""
    c.cost[a] = np.inf
    if c.many[a] >= k:
        return
    for b in range(len(c.size)):
        if b != a and c.size[b] > 0:
            d = 0.0
            for j in range(c.mean.shape[1]):
                d += (c.mean[a, j] - c.mean[b, j]) ** 2
            d *= c.size[a] * c.size[b] / (c.size[a] + c.size[b])
            if d < c.cost[a]:
                c.cost[a], c.near[a] = d, b
