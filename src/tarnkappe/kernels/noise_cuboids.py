"""Cuboids for noise: corners that can move together by ±ε so that every sum of the table stays right.

Source: Wettig (2002), parity L1167, falsification instead of suppression L1313-1315. One line per dimension spans a cuboid. A line goes
from the cell to another code under the same sum; where the dimension has levels it runs from the lowest level up, with one
sign, and down again to the lowest level, with the other, so that no sum in between breaks.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

MOST = 400_000
"""Corners that are looked at together."""
ENOUGH = 100
"""Climb no higher when there are so many lines."""
WAYS = 8
"""Ways down from a sum that are tried."""


class Room(NamedTuple):
    """How far every cell may move, and what it costs."""

    up: Floats
    down: Floats
    barred: Bools
    fresh: Bools
    """Not changed so far; cuboids with few such cells are preferred, then cheap ones."""
    cost: Floats


class Cuboid(NamedTuple):
    """Corners, the pivot first, and their signs; how far it can move up and down."""

    row: Ints
    sign: Ints
    up: float
    down: float


class Lines(NamedTuple):
    """Lines of one shape: nodes (lines, codes) and the sign of every code."""

    nodes: Ints
    sign: Ints


class Grid:
    """A table as keys: sorted, the sum of node × stride; and the tree of every dimension in preorder."""

    def __init__(self, key: Ints, strides: Ints, parents: Sequence[NDArray[np.int32]]) -> None:
        self.key, self.strides, self.parents = key, strides, parents
        self._lines: dict[tuple[int, int], list[Lines]] = {}

    def rows(self, wanted: Ints) -> Ints:
        """The row of every key; -1 where there is no such cell."""
        at = np.minimum(np.searchsorted(self.key, wanted), len(self.key) - 1)
        return np.where(self.key[at] == wanted, at, -1)

    def lines(self, along: int, node: int) -> list[Lines]:
        """The lines through a node, short ones first."""
        if (along, node) not in self._lines:
            self._lines[along, node] = lines_through(self.parents[along].astype(np.int64), node)
        return self._lines[along, node]

    def node(self, row: int, along: int) -> int:
        size = len(self.parents[along])
        return int(self.key[row] // self.strides[along] % size)

    def cheapest(self, pivot: int, up: float, down: float, room: Room) -> Cuboid | None:
        """The cheapest of the smallest cuboids that let a cell move so far both ways; None where there is none."""
        shapes = [self._fitting(pivot, j, up, down, room) for j in range(len(self.parents))]
        ways = sorted(product(*shapes), key=lambda shape: np.prod([lines.nodes.shape[1] for lines in shape]))
        for way in ways:
            found = self._best(pivot, way, up, down, room)
            if found is not None:
                return found
        return None

    def _fitting(self, pivot: int, along: int, up: float, down: float, room: Room) -> list[Lines]:
        """Lines whose cells beside the pivot are there and can move; the cheapest if there are too many."""
        node, out = self.node(pivot, along), []
        most = max(1, int((MOST / 4 ** len(self.parents)) ** (1 / len(self.parents))))
        for lines in self.lines(along, node):
            row = self.rows(self.key[pivot] + (lines.nodes - node) * self.strides[along])
            fits = _fits(row, lines.sign, up, down, room)
            cost = np.where(room.fresh, room.cost, 0.0)[row].sum(axis=1)
            best = np.flatnonzero(fits)
            best = best[np.argsort(cost[best], kind="stable")[:most]]
            if len(best):
                out.append(Lines(lines.nodes[best], lines.sign))
        return out

    def _best(self, pivot: int, way: Sequence[Lines], up: float, down: float, room: Room) -> Cuboid | None:
        """All products of one line per dimension at once."""
        keys, sign = np.zeros((1, 1), dtype=np.int64), np.ones(1, dtype=np.int64)
        for lines, stride in zip(way, self.strides, strict=True):
            keys = keys[:, None, :, None] + (lines.nodes * stride)[None, :, None, :]
            keys = keys.reshape(-1, keys.shape[2] * keys.shape[3])
            sign = (sign[:, None] * lines.sign).reshape(-1)
        row = self.rows(keys)
        good = np.flatnonzero(_fits(row, sign, up, down, room))
        if not len(good):
            return None
        new, cost = room.fresh[row[good]], room.cost[row[good]]
        at = row[good[np.lexsort(((new * cost).sum(axis=1), new.sum(axis=1)))[0]]]
        first = np.argsort(at != pivot, kind="stable")
        at, sign = at[first], sign[first] * sign[first[0]]
        reach = (np.where(s > 0, room.up[at], room.down[at]) for s in (sign, -sign))
        return Cuboid(at, sign, *(float(r.min()) for r in reach))


def _fits(row: Ints, sign: Ints, up: float, down: float, room: Room) -> Bools:
    """Which rows of corners are all there, may change, and can move as far as needed."""
    there = (row >= 0) & ~room.barred[row]
    high, low = np.where(sign > 0, up, down), np.where(sign > 0, down, up)
    return np.asarray((there & (room.up[row] >= high) & (room.down[row] >= low)).all(axis=1))


def lines_through(parent: Ints, node: int) -> list[Lines]:
    """All lines through a node by shape; the node's own side has the sign +1."""
    end = _ends(parent)
    leaf = end == np.arange(len(parent)) + 1
    own = [_chain(parent, a, node) for a in np.flatnonzero(leaf[node : end[node]])[:WAYS] + node]
    if parent[node] < 0:
        return _by_shape([(chain, []) for chain in own])
    found: list[tuple[list[int], list[int]]] = []
    climbed: list[int] = []
    top = node
    while parent[top] >= 0 and len(found) < ENOUGH:
        above = int(parent[top])
        others = np.flatnonzero(leaf[above : end[above]]) + above
        others = others[(others < top) | (others >= end[top])]
        found += [(chain + climbed, _below(parent, int(b), above)) for chain in own for b in others]
        climbed.append(above)
        top = above
    return _by_shape(found)


def _by_shape(found: list[tuple[list[int], list[int]]]) -> list[Lines]:
    shapes: dict[tuple[int, int], list[list[int]]] = {}
    for plus, minus in found:
        shapes.setdefault((len(plus), len(minus)), []).append(plus + minus)
    return [
        Lines(np.array(nodes, dtype=np.int64), np.repeat([1, -1], shape))
        for shape, nodes in sorted(shapes.items(), key=lambda item: sum(item[0]))
    ]


def _chain(parent: Ints, leaf: int, node: int) -> list[int]:
    """From a leaf up to a node, which stands first."""
    return _below(parent, int(leaf), int(parent[node]))[::-1]


def _below(parent: Ints, leaf: int, stop: int) -> list[int]:
    """From a leaf upward, as far as below a node."""
    chain = []
    while leaf != stop:
        chain.append(leaf)
        leaf = int(parent[leaf])
    return chain


def _ends(parent: Ints) -> Ints:
    """Where the part of every node ends; nodes are in preorder."""
    end = np.arange(len(parent), dtype=np.int64) + 1
    for node in range(len(parent) - 1, 0, -1):
        end[parent[node]] = max(end[parent[node]], end[node])
    return end
