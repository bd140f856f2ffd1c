"""Limits that leave a share of the values of every block beyond them, and enough contributors or none."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Bools = NDArray[np.bool_]
Ints = NDArray[np.int64]


class Tails(NamedTuple):
    """What is known of the upper end of every block."""

    limit: Ints
    """The rank that is the limit by the share: what is larger lies beyond it; -1 where a block has no values."""
    people: Ints
    """Contributors beyond it."""
    at_top: Ints
    """Contributors that share the largest value."""
    further_in: Ints
    """The largest limit with enough contributors beyond it; -1 where there is none, or half of the values or more lie beyond it."""


def upper_limits(rank: Ints, block: Ints, who: Ints, blocks: int, share: float, enough: int) -> Tails:
    """Limits by the share of the values beyond them; for lower limits turn the ranks around.

    Parameters
    ----------
    rank
        Values as whole numbers from 0.
    block, who
        Block and contributor of every value, numbered from 0.
    blocks
        How many blocks there are.
    share
        At most this share of the values of a block lies beyond its limit.
    enough
        Contributors that it takes beyond a limit.
    """
    radix = int(rank.max(initial=0)) + 1
    keys, starts = _sorted(block * radix + rank, radix, blocks)
    best, bounds = _sorted(_largest_each(block * radix + rank, block, who), radix, blocks)
    size = np.diff(starts)
    there = size > 0
    beyond = np.floor(share * size + 1e-9).astype(np.int64)  # the fuzz lets a share of 0.29 of 100 be 29
    limit = _at(keys, starts[1:] - 1 - beyond, there)
    people = bounds[1:] - np.searchsorted(best, limit, side="right")
    at_top = bounds[1:] - np.searchsorted(best, _at(keys, starts[1:] - 1, there), side="left")
    known = np.diff(bounds) >= enough
    needed = _at(best, bounds[1:] - enough, known)  # the largest value of the last contributor that it takes
    below = np.searchsorted(keys, needed, side="left") - 1
    known &= below >= starts[:-1]
    further = _at(keys, below, known)
    known &= 2 * (starts[1:] - np.searchsorted(keys, further, side="right")) < size
    return Tails(
        np.where(there, limit % radix, -1),
        np.where(there, people, 0),
        np.where(there, at_top, 0),
        np.where(known, further % radix, -1),
    )


def _sorted(keys: Ints, radix: int, blocks: int) -> tuple[Ints, Ints]:
    """Ascending keys, and where those of each block begin."""
    keys = np.sort(keys)
    return keys, np.searchsorted(keys, np.arange(blocks + 1) * radix)


def _largest_each(keys: Ints, block: Ints, who: Ints) -> Ints:
    """The largest key of every contributor in every block."""
    order = np.lexsort((keys, who, block))
    b, w = block[order], who[order]
    last = np.append((b[1:] != b[:-1]) | (w[1:] != w[:-1]), True)[: len(b)]
    largest: Ints = keys[order[last]]
    return largest


def _at(keys: Ints, places: Ints, there: Bools) -> Ints:
    """The keys at some places; 0 where there is none."""
    if not there.any():
        return np.zeros(len(places), dtype=np.int64)
    return np.where(there, keys[np.where(there, places, 0)], 0)
