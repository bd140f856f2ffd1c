"""Whole numbers in place of decimals, without moving totals."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def whole_with_total(x: Floats, order: Ints, starts: Ints) -> Floats:
    """Each value rounded down or up so that the total of every block moves by at most one half.

    The values with the largest remainders go up (largest-remainder rounding); among equal remainders the earlier record
    does. NaN stays NaN and counts for nothing.

    Parameters
    ----------
    x
        The values.
    order, starts
        The blocks, as in `Strata`.
    """
    out = np.floor(x)
    remainder = np.where(np.isnan(x), 0.0, x - out)
    block = np.empty(len(x), dtype=np.int64)
    block[order] = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    ups = np.rint(np.bincount(block, remainder, len(starts) - 1)).astype(np.int64)
    ranked = np.lexsort((np.arange(len(x)), -remainder, block))
    place = np.arange(len(x)) - np.repeat(starts[:-1], np.diff(starts))
    up = ranked[place < np.repeat(ups, np.diff(starts))]
    out[up] += 1.0
    return out
