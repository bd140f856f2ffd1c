"""Which record gets whose value: exchanges inside blocks of records, in numpy alone.

A block is a stretch of `order`; `starts` has one entry more than there are blocks. Every function gives `source`: record i
takes the value of the record source[i]; source[i] == i means that it keeps its own.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tarnkappe.kernels.ranks import ascending

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def at_random(order: Ints, starts: Ints, generator: np.random.Generator, first: Ints | None = None) -> Ints:
    """The records block by block, within a block in random order; with `first`, by ascending `first` and then at random."""
    shuffled = generator.permutation(len(order))
    if first is not None:
        shuffled = shuffled[np.argsort(first[order[shuffled]], kind="stable")]
    if len(starts) > 2:
        block = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
        shuffled = shuffled[np.argsort(block[shuffled], kind="stable")]
    out: Ints = order[shuffled]
    return out


def how_many(sizes: Ints, rate: float) -> Ints:
    """Records of each block that take part: the share, rounded up, two at least and none where there is no second."""
    wanted = np.ceil(sizes * rate * (1 - 1e-12)).astype(np.int64)
    out: Ints = np.where(sizes < 2, 0, np.clip(wanted, 2, sizes))
    return out


def round_robin(order: Ints, starts: Ints, counts: Ints) -> Ints:
    """The first `counts` records of every block take the value of the next one, the last of them that of the first.

    In random order this is a random permutation without a fixed point: every record gets the value of another.
    """
    source = np.arange(len(order))
    place = np.arange(len(order)) - np.repeat(starts[:-1], np.diff(starts))
    size = np.repeat(counts, np.diff(starts))
    chosen = place < size
    follows = np.flatnonzero(chosen) + 1
    wraps = place[chosen] + 1 == size[chosen]
    follows[wraps] -= size[chosen][wraps]
    source[order[chosen]] = order[follows]
    return source


def half_swap(values: NDArray[Any], generator: np.random.Generator, order: Ints, starts: Ints) -> Ints:
    """Carlson and Salabasis: two random halves of every block, each sorted, exchange their values rank by rank.

    In a block of odd size one random record sits out.
    """
    mixed = at_random(order, starts, generator)
    sizes = np.diff(starts)
    half = np.repeat(sizes // 2, sizes)
    place = np.arange(len(mixed)) - np.repeat(starts[:-1], sizes)
    side = np.where(place < half, 0, np.where(place < 2 * half, 1, 2))
    halves = np.stack([sizes // 2, sizes // 2, sizes % 2], axis=1).ravel()
    by_rank = ascending(values, mixed, np.concatenate([[0], np.cumsum(halves)]))
    partner = np.arange(len(mixed))
    partner[side == 0] += half[side == 0]
    partner[side == 1] -= half[side == 1]
    source = np.arange(len(mixed))
    source[by_rank] = by_rank[partner]
    return source
