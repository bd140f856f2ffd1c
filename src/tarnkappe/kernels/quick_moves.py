"""Cheap proofs that cells can move: cuboids tried at random, for all cells at once.

In every dimension a cell either moves against a sibling, or together with all sums above it. The product of these lines keeps
every sum, so however it was chosen, it proves for each of its corners that the corner can move as far as the tightest one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Nodes = NDArray[np.int32]

TRIES = 60
MOST = 200_000
"""Cells that are tried together."""


class Moves(NamedTuple):
    """A table: keys in ascending order, their nodes, and how far every cell may move up and down."""

    key: Ints
    strides: Ints
    nodes: Nodes
    parents: Sequence[Nodes]
    up: Floats
    down: Floats


def proven(table: Moves, wanted: Floats) -> tuple[Floats, Floats]:
    """How far up and down every cell is proven to reach; a cell is tried until both together are what is wanted."""
    trees = [_Tree(parent.astype(np.int64)) for parent in table.parents]
    lowest = np.all([tree.leaf[table.nodes[:, j]] for j, tree in enumerate(trees)], axis=0)
    up, down = np.zeros(len(table.key)), np.zeros(len(table.key))
    chance = np.random.default_rng(0)
    for _ in range(TRIES):
        left = np.flatnonzero(lowest & (up + down < wanted))[:MOST]
        if not len(left):
            break
        row, sign = _cuboids(table, trees, left, chance)
        for side in (sign, -sign):
            reach = _room(table, row, side).min(axis=1)[:, None]
            np.maximum.at(up, row, np.where((side > 0) & (row >= 0), reach, 0.0))
            np.maximum.at(down, row, np.where((side < 0) & (row >= 0), reach, 0.0))
    return up, down


def _room(table: Moves, row: Ints, sign: Ints) -> Floats:
    """How far every corner can go its way; nowhere where there is no cell, anywhere where there is no corner."""
    way = np.where(sign > 0, table.up[row], table.down[row])
    return np.where(sign == 0, np.inf, np.where(row < 0, 0.0, way))


def _cuboids(table: Moves, trees: list[_Tree], cells: Ints, chance: np.random.Generator) -> tuple[Ints, Ints]:
    """One cuboid through each of some cells: rows of its corners and their signs."""
    wanted, sign = np.zeros((len(cells), 1), dtype=np.int64), np.ones((len(cells), 1), dtype=np.int64)
    for j, tree in enumerate(trees):
        nodes, signs = tree.lines(table.nodes[cells, j].astype(np.int64), chance)
        wanted = (wanted[:, :, None] + nodes[:, None, :] * table.strides[j]).reshape(len(cells), -1)
        sign = (sign[:, :, None] * signs[:, None, :]).reshape(len(cells), -1)
    at = np.minimum(np.searchsorted(table.key, wanted), len(table.key) - 1)
    return np.where(table.key[at] == wanted, at, -1), sign


class _Tree:
    """A dimension: the way from every node to the total, and the siblings of every leaf."""

    def __init__(self, parent: Ints) -> None:
        self.leaf = ~np.isin(np.arange(len(parent)), parent)
        way = [np.arange(len(parent))]
        while (way[-1] > 0).any():
            way.append(np.where(way[-1] > 0, parent[way[-1]], -1))
        self.way = np.stack(way, axis=1)
        leaves = np.flatnonzero(self.leaf)
        self.sorted = leaves[np.argsort(parent[leaves], kind="stable")]
        above = parent[self.sorted]
        self.first = np.searchsorted(above, parent)
        self.count = np.searchsorted(above, parent, side="right") - self.first

    def lines(self, node: Ints, chance: np.random.Generator) -> tuple[Ints, Ints]:
        """A line through each node: the way up with the sign +1, or a sibling with -1; 0 where the line is shorter."""
        nodes = self.way[node]
        signs = np.where(nodes >= 0, 1, 0)
        other = self.sorted[self.first[node] + (chance.random(len(node)) * self.count[node]).astype(np.int64)]
        beside = (chance.random(len(node)) < 0.5) & (other != node)
        if nodes.shape[1] > 1:
            nodes[beside, 1], signs[beside, 1] = other[beside], -1
            signs[beside, 2:] = 0
        return np.maximum(nodes, 0), signs
