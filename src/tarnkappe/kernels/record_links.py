"""Who is found when the records of one file are linked to those of another; ties are chances."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from tarnkappe.kernels import mixed_tree
from tarnkappe.kernels.comparison import side
from tarnkappe.kernels.greedy_matching import greedy
from tarnkappe.kernels.matching import Pairs, Side, assignment
from tarnkappe.kernels.mixed_tree import Space

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
Match = Callable[[Side, Side, int, Space], Pairs]


__all__ = ["Files", "assignment", "by_assignment", "by_nearest", "files", "greedy"]

KNOWN, RELEASED = 1, 2
"""Each file is put into an order of its own."""


class Measured(Protocol):
    """Records of both files as points, and how their distances add up."""

    @property
    def known(self) -> Floats: ...
    @property
    def released(self) -> Floats: ...
    @property
    def category(self) -> Bools: ...
    @property
    def differ(self) -> Floats: ...
    @property
    def gap(self) -> Floats: ...
    @property
    def squared(self) -> bool: ...


class Files(NamedTuple):
    """Two files to be linked within blocks."""

    known: Floats
    released: Floats
    known_block: Ints
    released_block: Ints
    blocks: int
    space: Space


def files(points: Measured, block: tuple[Ints, Ints], blocks: int) -> Files:
    space = Space(points.category, points.differ, points.gap, points.squared)
    return Files(points.known, points.released, *block, blocks, space)


def by_nearest(both: Files, truth: Ints, findable: Bools, nearest: int) -> Floats:
    """For every known record the chance that its own is among the `nearest` released ones of the block."""
    released, of = _different(both.released, both.released_block, both.blocks, RELEASED)
    tree = released.tree(both.blocks, both.space)
    rows = np.flatnonzero(findable)
    nearer, level = mixed_tree.ranks(
        tree, both.known[rows], both.known_block[rows], of[truth[rows]], both.space, nearest
    )
    out = np.zeros(len(findable))
    out[rows] = np.clip((nearest - nearer) / np.maximum(level, 1), 0.0, 1.0)
    return out


def by_assignment(
    both: Files, truth: Ints, findable: Bools, searched: Bools, match: Match = assignment
) -> tuple[Floats, bool]:
    """For every known record the chance to be assigned to its own, and whether the total distance is proven to be the least."""
    who = np.flatnonzero(searched)
    known, known_of = _different(both.known[who], both.known_block[who], both.blocks, KNOWN)
    released, released_of = _different(both.released, both.released_block, both.blocks, RELEASED)
    pairs = match(known, released, both.blocks, both.space)
    width = len(released.times)
    ordered = np.argsort(key := pairs.one * width + pairs.other)
    rows = np.flatnonzero(findable[who])
    one, other = known_of[rows], released_of[truth[who[rows]]]
    at = np.minimum(np.searchsorted(key, one * width + other, sorter=ordered), max(len(key) - 1, 0))
    out = np.zeros(len(searched))
    if len(key):
        found = ordered[at]
        times = np.where(key[found] == one * width + other, pairs.times[found], 0)
        out[who[rows]] = times / (known.times[one] * released.times[other])
    return out, pairs.optimal


def _different(values: Floats, block: Ints, blocks: int, salt: int) -> tuple[Side, Ints]:
    """The different records, in an order that has nothing to do with that of the file: what is equally near is chosen by chance."""
    found = side(values, block, blocks)
    count = len(found.times)
    order = np.random.Generator(np.random.PCG64([salt, count])).permutation(count)
    place = np.empty(count, dtype=np.int64)
    place[order] = np.arange(count)
    of_block = np.repeat(np.arange(blocks), np.diff(found.starts))
    return Side(found.values[order], found.times[order], of_block[order]), place[found.of]
