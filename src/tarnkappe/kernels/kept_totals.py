"""Totals of blocks as they were, after values were multiplied."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

DOMINANT, SMALLEST = 0.5, 3
"""Where one value makes up more than this share, or fewer values are not zero, keeping the total undoes the noise."""


def with_totals(x: Floats, y: Floats, of: NDArray[np.integer], blocks: int) -> Floats:
    """Spread what a total has gained or lost over the values of its block, in proportion to their size.

    Signs and zeros stay as long as factors differ from 1 by less than a half. One column, without gaps.
    """
    gained, size = np.bincount(of, y - x, blocks), np.bincount(of, np.abs(y), blocks)
    part: Floats = gained / np.where(size > 0, size, 1.0)
    kept: Floats = y - np.abs(y) * part[of]
    return kept


def undone(x: Floats, of: NDArray[np.integer], blocks: int) -> int:
    """Blocks in which keeping the total would bring values back: dominated by one, or with too few that are not zero."""
    size = np.bincount(of, np.abs(x), blocks)
    count = np.bincount(of, x != 0, blocks)
    largest = np.zeros(blocks)
    np.maximum.at(largest, of, np.abs(x))
    return int(np.count_nonzero((count > 0) & ((largest > DOMINANT * size) | (count < SMALLEST))))
