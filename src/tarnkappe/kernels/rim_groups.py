"""Groups of similar records from the rim inwards: around the record farthest from the mean, or around the most distant pair.

`who` numbers contributors 0, 1, …: a group reaches out until it has k of them, and a group (of pairs: the first of the two) is only taken when k
contributors are left for the others. With one record each, these are groups of k records.

Sources: hoehne2010, 3.1 (M07, M09); domingoferrer2005 (MDAV-generic); solanas2006 (V-MDAV, groups that grow).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from tarnkappe.kernels.rim import Rim, farthest_from_mean, sort_rim
from tarnkappe.kernels.shrinking_tree import Tree, centroid, farthest, nearest, plant, remove, squared

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

CENTRE, PAIR, BOTH, ABSORB = 0, 1, 2, 3
"""Groups around the record farthest from the mean; around the most distant pair; around the former and the record farthest from it; around pairs, with
the last two groups taking all that is left."""
PATIENCE = 64
LIST = 1024
"""Up to so many neighbours come from the tree, more from sorting all that is left."""


class Owners(NamedTuple):
    """Who stands behind the records that are left."""

    who: Ints
    left: Ints
    """Records left of every contributor."""
    many: Ints
    """[contributors with records left]"""


@njit(cache=True)
def rim_groups(x: Floats, who: Ints, k: int, way: int, gain: float) -> Ints:
    """Label every row of `x` with its group; the rest, which no group can be taken from, is the last one.

    Of pairs less than a group can be left: then each row joins the group whose mean is nearest. Source: hoehne2010, 3.1 with footnote 9 (M07).

    Parameters
    ----------
    x
        (n, p) finite values, already standardised.
    who
        Contributor of every row; at least k different ones.
    k
        Contributors per group.
    way
        CENTRE, PAIR, BOTH or ABSORB.
    gain
        With a number above 0 a group of fewer than 2k - 1 rows takes one more as long as the row nearest to it is nearer
        than `gain` times that row's distance to the others.
    """
    labels = np.full(len(x), -1, np.int64)
    tree = plant(x)
    c = np.empty(x.shape[1])
    centroid(tree, c)
    rim = sort_rim(tree, c)
    left = np.bincount(who)
    owners = Owners(who, left, np.array([np.count_nonzero(left)]))
    group, sorted_at, patience, ends = 0, tree.size[1], PATIENCE, np.empty(2, np.int64)
    going = tree.size[1] > 0
    while going:
        count = _ends(tree, rim, way, c, ends)
        for e in range(count):
            members = _take(tree, x[ends[e]], owners, k, 0 if e == 1 and way != BOTH else k)
            going = len(members) > 0
            if not going:
                break
            if gain > 0:
                members = _grow(tree, owners, members, k, gain)
            labels[members] = group
            group += 1
        going = going and tree.size[1] > 0
        if going and (rim.head[1] > patience or tree.size[1] < sorted_at // 2):
            if tree.size[1] >= sorted_at // 2:  # sort anew; less often where sorting did not help (many ties)
                patience = PATIENCE if rim.head[2] > 8 * rim.head[1] else 2 * patience
            centroid(tree, c)
            rim, sorted_at = sort_rim(tree, c), tree.size[1]
    if group > 0 and (way == ABSORB or owners.many[0] < k):
        _join(x, labels, group - 2 if way == ABSORB else 0, group)
    labels[labels < 0] = group
    return labels


@njit(cache=True)
def _join(x: Floats, labels: Ints, first: int, groups: int) -> None:
    """Label the rows without a group with that of groups first:groups whose mean is nearest; of equals the first."""
    means, sizes = np.zeros((groups, x.shape[1])), np.zeros(groups)
    rest = np.flatnonzero(labels < 0)
    for i in range(len(x)):
        if labels[i] >= 0:
            sizes[labels[i]] += 1
            means[labels[i]] += (x[i] - means[labels[i]]) / sizes[labels[i]]
    for lone in rest:
        apart = np.empty(groups - first)
        for g in range(first, groups):
            apart[g - first] = ((x[lone] - means[g]) ** 2).sum()
        labels[lone] = first + np.argmin(apart)


@njit(cache=True)
def rim_groups_within(
    x: Floats, who: Ints, order: Ints, starts: Ints, k: int, way: int, gain: float
) -> Ints:  # fmt: skip
    """The same in every block, as in `mdav_within`; blocks with fewer than k contributors get -1."""
    labels = np.full(len(x), -1, np.int64)
    group = 0
    for b in range(len(starts) - 1):
        rows = order[starts[b] : starts[b + 1]]
        if len(rows) < k:
            continue
        names = np.unique(who[rows])
        if len(names) < k:
            continue
        inside = rim_groups(x[rows], np.searchsorted(names, who[rows]), k, way, gain)
        labels[rows] = group + inside
        group += inside.max() + 1
    return labels


@njit(cache=True)
def _ends(tree: Tree, rim: Rim, way: int, c: Floats, ends: Ints) -> int:
    """The records around which the next groups are built; how many."""
    if way in (PAIR, ABSORB):
        farthest_pair(tree, rim, ends)
        return 2
    centroid(tree, c)
    ends[0] = farthest_from_mean(tree, rim, c)
    if way == CENTRE:
        return 1
    ends[1] = farthest(tree, tree.points[tree.place[ends[0]]])
    return 2


@njit(cache=True)
def farthest_pair(tree: Tree, rim: Rim, ends: Ints) -> None:
    """Write the two records left that lie farthest apart; the pair with the smallest indices of equals.

    Records come by their distance r to a point inside. Two of them are at most r + r' apart, so that the search ends at
    the first record for which twice its r is less than the best distance found.
    """
    best = -1.0
    head, size = rim.head[0], len(rim.ids)
    while head < size and not tree.alive[tree.place[rim.ids[head]]]:
        head += 1
    rim.head[0] = head
    for t in range(head, size):
        if 4.0 * rim.distance[t] ** 2 * (1 + 1e-9) < best:
            break
        i = rim.ids[t]
        if not tree.alive[tree.place[i]]:
            continue
        j = farthest(tree, tree.points[tree.place[i]], best)
        if j < 0:
            continue
        d = squared(tree, tree.place[j], tree.points[tree.place[i]])
        a, b = min(i, j), max(i, j)
        if d > best or (d == best and (a < ends[0] or (a == ends[0] and b < ends[1]))):
            best, ends[0], ends[1] = d, a, b


@njit(cache=True)
def _take(tree: Tree, centre: Floats, owners: Owners, k: int, leave: int) -> Ints:
    """Take the nearest records until k contributors are together; nothing where fewer than `leave` would be left."""
    m, size = k, 0
    found = np.empty(0, np.int64)
    while size == 0 and len(found) < tree.size[1]:
        found = _neighbours(tree, centre, min(m, tree.size[1]))
        size = _enough(found, owners.who, k)
        m *= 4
    taken = found[:size]
    gone = 0
    for i in taken:
        owners.left[owners.who[i]] -= 1
        gone += owners.left[owners.who[i]] == 0
    if owners.many[0] - gone < leave:
        for i in taken:
            owners.left[owners.who[i]] += 1
        return taken[:0]
    owners.many[0] -= gone
    for i in taken:
        remove(tree, i)
    return taken


@njit(cache=True)
def _neighbours(tree: Tree, centre: Floats, m: int) -> Ints:
    """The m records left that are nearest to a point, nearest first."""
    if m <= LIST:
        found, distances = np.empty(m, np.int64), np.empty(m)
        nearest(tree, centre, found, distances)
        return found
    ids = np.sort(tree.record[tree.alive])
    apart = np.empty(len(ids))
    for t in range(len(ids)):
        apart[t] = squared(tree, tree.place[ids[t]], centre)
    return ids[np.argsort(apart, kind="mergesort")[:m]]


@njit(cache=True)
def _enough(found: Ints, who: Ints, k: int) -> int:
    """How many of the records, nearest first, it takes to have k contributors; 0 where all have fewer."""
    different = 0
    names = np.empty(k, np.int64)
    for t in range(len(found)):
        new = True
        for s in range(different):
            if names[s] == who[found[t]]:
                new = False
                break
        if new:
            names[different] = who[found[t]]
            different += 1
            if different == k:
                return t + 1
    return 0


@njit(cache=True)
def _grow(tree: Tree, owners: Owners, members: Ints, k: int, gain: float) -> Ints:
    """Take the record nearest to a member as long as it lies nearer to the group than `gain` times to the others."""
    size = len(members)
    inside = np.empty(max(size, 2 * k), np.int64)
    inside[:size] = members
    one, d1, two, d2 = np.empty(1, np.int64), np.empty(1), np.empty(2, np.int64), np.empty(2)
    while size < 2 * k - 1 and tree.size[1] > 1:
        near, near_d = -1, np.inf
        for i in inside[:size]:
            nearest(tree, tree.points[tree.place[i]], one, d1)
            if d1[0] < near_d or (d1[0] == near_d and one[0] < near):
                near, near_d = one[0], d1[0]
        nearest(tree, tree.points[tree.place[near]], two, d2)
        apart = d2[1] if two[0] == near else d2[0]
        last = owners.left[owners.who[near]] == 1
        if near_d >= gain * gain * apart or (last and owners.many[0] == k):
            break
        owners.left[owners.who[near]] -= 1
        owners.many[0] -= last
        remove(tree, near)
        inside[size] = near
        size += 1
    return inside[:size]
