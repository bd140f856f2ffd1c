"""MDAV microaggregation: groups of k similar records from the rim inwards.

Source: Domingo-Ferrer & Torra (2005), Data Mining and Knowledge Discovery 11(2), algorithm MDAV-generic. The groups are
exactly those of the published algorithm at every size; a k-d tree that shrinks with the records, and a list sorted from
the rim, replace its passes over all of them.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from tarnkappe.kernels.rim import farthest_from_mean, sort_rim
from tarnkappe.kernels.shrinking_tree import Tree, centroid, farthest, nearest, plant, remove

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@njit(cache=True)
def mdav_groups(x: Floats, k: int) -> Ints:
    """Label every row of `x` with its group, 0, 1, …; each group has k to 2k-1 rows.

    Parameters
    ----------
    x
        (n, p) finite values, already standardised.
    k
        Smallest group size, 1 <= k <= n.
    """
    n, p = x.shape
    labels = np.full(n, -1, np.int64)
    tree = plant(x)
    found, distances, c = np.empty(k, np.int64), np.empty(k), np.empty(p)
    centroid(tree, c)
    rim, patience = sort_rim(tree, c), 64
    group = 0
    while tree.size[1] >= 3 * k:  # step 2: two groups per round
        centroid(tree, c)
        r = farthest_from_mean(tree, rim, c)
        s = farthest(tree, x[r])
        _group(tree, x[r], labels, group, found, distances)
        _group(tree, x[s], labels, group + 1, found, distances)
        group += 2
        if rim.head[1] > patience:  # sort anew; less often where sorting did not help (many ties)
            patience = 64 if rim.head[2] > 8 * rim.head[1] else 2 * patience
            rim = sort_rim(tree, c)
    if tree.size[1] >= 2 * k:  # step 3
        centroid(tree, c)
        r = farthest(tree, c)
        _group(tree, x[r], labels, group, found, distances)
        group += 1
    for i in range(n):  # step 4: the remainder, k to 2k-1 rows
        if labels[i] < 0:
            labels[i] = group
    return labels


@njit(cache=True)
def _group(tree: Tree, c: Floats, labels: Ints, group: int, found: Ints, distances: Floats) -> None:
    nearest(tree, c, found, distances)
    for i in found:
        labels[i] = group
        remove(tree, i)


@njit(cache=True)
def mdav_within(x: Floats, order: Ints, starts: Ints, k: int) -> Ints:
    """MDAV in every block of rows: rows order[starts[b]:starts[b+1]] are block b. Blocks below k rows get -1."""
    labels = np.full(len(x), -1, np.int64)
    group = 0
    for b in range(len(starts) - 1):
        rows = order[starts[b] : starts[b + 1]]
        if len(rows) < k or len(rows) == 0:
            continue
        inside = mdav_groups(x[rows], k)
        for i in range(len(rows)):
            labels[rows[i]] = group + inside[i]
        group += inside.max() + 1
    return labels


@njit(cache=True)
def group_means(x: Floats, labels: Ints) -> Floats:
    """Replace every row by the mean of its group; rows without a group (-1) stay.

    The mean is taken as first + mean(x - first): a constant group keeps its value exactly.
    """
    n, p = x.shape
    groups = labels.max() + 1 if n else 0
    first = np.full(groups, -1, np.int64)
    sums, counts = np.zeros((groups, p)), np.zeros(groups, np.int64)
    for i in range(n):
        g = labels[i]
        if g >= 0:
            if first[g] < 0:
                first[g] = i
            counts[g] += 1
            for j in range(p):
                sums[g, j] += x[i, j] - x[first[g], j]
    out = x.copy()
    for i in range(n):
        g = labels[i]
        if g >= 0:
            for j in range(p):
                out[i, j] = x[first[g], j] + sums[g, j] / counts[g]
    return out
