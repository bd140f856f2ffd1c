"""Trees as arrays: a node is a position, `parent` holds the position of its parent, -1 for a root."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]


def depths(parent: NDArray[Any]) -> tuple[Ints, Ints]:
    """Steps from every node up to its root, and the nodes that lie on a cycle (their depth means nothing).

    Pointer doubling: every round looks twice as far up, so the work grows with the logarithm of the depth.
    """
    root = parent < 0
    up = np.where(root, np.arange(len(parent)), parent).astype(np.int64)
    depth = (~root).astype(np.int64)
    for _ in range(len(parent).bit_length()):
        depth += depth[up]
        further = up[up]
        if np.array_equal(further, up):
            break
        up = further
    # Whoever climbs from below a cycle for at least as many steps as there are nodes ends on the cycle.
    return depth, np.unique(up[~root[up]])


def preorder(parent: NDArray[Any], depth: NDArray[Any]) -> Ints:
    """The nodes of one tree, every node before its children and every subtree in one piece.

    Children come in the order of their positions. Work is linear, with a few array operations per layer.
    """
    layers = _layers(depth)
    size = np.ones(len(parent), dtype=np.int64)
    for layer in reversed(layers[1:]):
        np.add.at(size, parent[layer], size[layer])
    place = np.zeros(len(parent), dtype=np.int64)
    for layer in layers[1:]:
        siblings = layer[np.argsort(parent[layer], kind="stable")]
        above = parent[siblings]
        passed = np.cumsum(size[siblings]) - size[siblings]
        first = np.searchsorted(above, above)
        place[siblings] = place[above] + 1 + passed - passed[first]
    return np.argsort(place)


def _layers(depth: NDArray[Any]) -> list[Ints]:
    by_depth = np.argsort(depth, kind="stable")
    ends = np.searchsorted(depth[by_depth], np.arange(int(depth.max(initial=-1)) + 2))
    return [by_depth[a:b] for a, b in pairwise(ends.tolist())]


def lifted(parent: NDArray[Any], high_enough: Bools) -> Ints:
    """For every node the nearest that is high enough: itself or an ancestor. The root always is."""
    up = np.where(high_enough | (parent < 0), np.arange(len(parent)), parent).astype(np.int64)
    while not np.array_equal(further := up[up], up):
        up = further
    return up
