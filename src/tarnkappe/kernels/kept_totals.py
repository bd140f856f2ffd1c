"""Totals of blocks as they were, after values were multiplied."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

DOMINANT, SMALLEST = 0.5, 3
"""Where one contributor makes up more than this share, or fewer have values other than zero, keeping the total undoes the noise."""
BACK = 1e-6
"""A value that is off by less than this part is the one it was."""


def with_totals(x: Floats, y: Floats, of: NDArray[np.integer], blocks: int) -> Floats:
    """Spread what a total has gained or lost over the values of its block, in proportion to their size.

    Signs and zeros stay as long as factors differ from 1 by less than a half. One column, without gaps.
    """
    gained, size = np.bincount(of, y - x, blocks), np.bincount(of, np.abs(y), blocks)
    part: Floats = gained / np.where(size > 0, size, 1.0)
    kept: Floats = y - np.abs(y) * part[of]
    return kept


def dominated(x: Floats, of: NDArray[np.integer], who: NDArray[np.int64], blocks: int) -> int:
    """Blocks in which keeping the total would bring values back: dominated by one contributor, or with too few who have any but zero.

    `who` is the contributor of every value, or the unit whose values change together; those of one count together.
    """
    radix = int(who.max(initial=0)) + 1
    pairs, one = np.unique(of.astype(np.int64) * radix + who, return_inverse=True)
    part, block = np.bincount(one, np.abs(x), len(pairs)), pairs // radix
    size = np.bincount(block, part, blocks)
    count = np.bincount(block, part != 0, blocks)
    largest = np.zeros(blocks)
    np.maximum.at(largest, block, part)
    return int(np.count_nonzero((count > 0) & ((largest > DOMINANT * size) | (count < SMALLEST))))


def undone(x: Floats, kept: Floats, of: NDArray[np.integer], blocks: int) -> int:
    """Blocks in which all values have come back, because all of them had changed by the same factor."""
    there = np.bincount(of, x != 0, blocks)
    moved = np.bincount(of, np.abs(kept - x) > BACK * np.abs(x), blocks)
    return int(np.count_nonzero((there > 0) & (moved == 0)))
