"""The record farthest from the mean, found among the records at the rim.

While groups are taken away at the rim the mean of the rest hardly moves. So records are sorted once by their distance
to an old mean; with the mean moved by δ, a record at old distance d is now at most d + δ away (triangle inequality), and
the search ends at the first record that cannot win any more. When too many records lie within δ of each other the tree
answers instead, and after enough such answers the records are sorted anew.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from tarnkappe.kernels.shrinking_tree import Tree, farthest, squared

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

LOOK = 512
"""Records looked at before the tree is asked."""
SLACK = 1 + 1e-9
"""Rounding of distances and of δ is far below this."""


class Rim(NamedTuple):
    """Records left, farthest from `centre` first."""

    ids: Ints
    distance: Floats
    centre: Floats
    head: Ints
    """[first record that may be left, answers by the tree, answers found here]"""


@njit(cache=True)
def sort_rim(tree: Tree, centre: Floats) -> Rim:
    """Sort what is left by distance to `centre`; equal distances by index."""
    ids = np.sort(tree.record[tree.alive])
    distance = np.empty(len(ids))
    for i in range(len(ids)):
        distance[i] = -np.sqrt(squared(tree, tree.place[ids[i]], centre))
    order = np.argsort(distance, kind="mergesort")
    return Rim(ids[order], -distance[order], centre.copy(), np.zeros(3, np.int64))


@njit(cache=True)
def farthest_from_mean(tree: Tree, rim: Rim, mean: Floats) -> int:
    """The record farthest from `mean`; of equals the one with the smallest index."""
    moved = 0.0
    for j in range(len(mean)):
        moved += (mean[j] - rim.centre[j]) ** 2
    moved = np.sqrt(moved) * SLACK
    best, best_distance = -1, -1.0
    head, size = rim.head[0], len(rim.ids)
    while head < size and not tree.alive[tree.place[rim.ids[head]]]:
        head += 1
    rim.head[0] = head
    for t in range(head, min(head + LOOK, size)):
        if (rim.distance[t] + moved) ** 2 * SLACK < best_distance:
            rim.head[2] += 1
            return best
        i = rim.ids[t]
        if tree.alive[tree.place[i]]:
            d = squared(tree, tree.place[i], mean)
            if d > best_distance or (d == best_distance and i < best):
                best, best_distance = i, d
    if head + LOOK >= size:
        return best
    rim.head[1] += 1
    return farthest(tree, mean)
