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
SOME = 20_000
"""Cells that are tried for the sake of sums above them."""


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
    search = _Search(table, trees)
    inner = np.flatnonzero(lowest)
    wanting = inner[wanted[inner] > 0]
    for start in range(0, len(wanting), MOST):
        left = wanting[start : start + MOST]
        for _ in range(TRIES):
            left = left[search.lacks(left, wanted)]
            search.learn(left)
    sums = np.flatnonzero(~lowest & (wanted > 0))
    for _ in range(TRIES):  # sums move with cells below them
        if search.lacks(sums, wanted).any():
            search.learn(search.some_of(inner))
    return search.up, search.down


def _room(table: Moves, row: Ints, sign: Ints) -> Floats:
    """How far every corner can go its way; nowhere where there is no cell, anywhere where there is no corner."""
    way = np.where(sign > 0, table.up[row], table.down[row])
    return np.where(sign == 0, np.inf, np.where(row < 0, 0.0, way))


class _Search:
    """What is proven so far."""

    def __init__(self, table: Moves, trees: list[_Tree]) -> None:
        self.table, self.trees = table, trees
        self.up, self.down = np.zeros(len(table.key)), np.zeros(len(table.key))
        self.chance = np.random.default_rng(0)  # any choice is a proof, so it need not be secret

    def lacks(self, cells: Ints, wanted: Floats) -> Bools:
        return np.asarray(self.up[cells] + self.down[cells] < wanted[cells])

    def some_of(self, cells: Ints) -> Ints:
        return self.chance.choice(cells, SOME, replace=False) if len(cells) > SOME else cells

    def learn(self, cells: Ints) -> None:
        """Try one cuboid through each of some cells."""
        if not len(cells):
            return
        row, sign = self._cuboids(cells)
        for side in (sign, -sign):
            reach = _room(self.table, row, side).min(axis=1)[:, None]
            np.maximum.at(self.up, row, np.where((side > 0) & (row >= 0), reach, 0.0))
            np.maximum.at(self.down, row, np.where((side < 0) & (row >= 0), reach, 0.0))

    def _cuboids(self, cells: Ints) -> tuple[Ints, Ints]:
        """Rows of the corners and their signs; -1 where the table has no such cell."""
        key = self.table.key
        wanted, sign = np.zeros((len(cells), 1), dtype=np.int64), np.ones((len(cells), 1), dtype=np.int64)
        for j, tree in enumerate(self.trees):
            nodes, signs = tree.lines(self.table.nodes[cells, j].astype(np.int64), self.chance)
            wanted = (wanted[:, :, None] + nodes[:, None, :] * self.table.strides[j]).reshape(len(cells), -1)
            sign = (sign[:, :, None] * signs[:, None, :]).reshape(len(cells), -1)
        at = np.minimum(np.searchsorted(key, wanted), len(key) - 1)
        return np.where(key[at] == wanted, at, -1), sign


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
