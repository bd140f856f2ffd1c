"""Totals of blocks as they were, after values were multiplied."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

DOMINANT, SMALLEST = 0.5, 3
"""Where one unit makes up more than this share, or fewer units have values other than zero, keeping the total undoes the noise."""
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


def dominated(x: Floats, of: NDArray[np.integer], unit: Ints, blocks: int) -> int:
    """Blocks in which keeping the total would bring values back: dominated by one unit, or with too few that have any.

    The values of a unit are changed together, so that only those of other units hide them.
    """
    size = np.bincount(of, np.abs(x), blocks)
    block, who = of[x != 0].astype(np.int64), unit[x != 0]
    pairs, number = np.unique(block * (int(unit.max(initial=0)) + 1) + who, return_inverse=True)
    owner = np.zeros(len(pairs), dtype=np.int64)
    owner[number] = block
    count, largest = np.bincount(owner, minlength=blocks), np.zeros(blocks)
    np.maximum.at(largest, owner, np.bincount(number, np.abs(x[x != 0]), len(pairs)))
    return int(np.count_nonzero((count > 0) & ((largest > DOMINANT * size) | (count < SMALLEST))))


def undone(x: Floats, kept: Floats, of: NDArray[np.integer], blocks: int) -> int:
    """Blocks in which all values have come back, because all of them had changed by the same factor."""
    there = np.bincount(of, x != 0, blocks)
    moved = np.bincount(of, np.abs(kept - x) > BACK * np.abs(x), blocks)
    return int(np.count_nonzero((there > 0) & (moved == 0)))
