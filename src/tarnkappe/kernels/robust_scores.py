"""How far numbers lie from the middle of their group, in robust standard deviations."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

NORMAL = 1.4826022185056018
"""Median absolute deviation times this is the standard deviation of a normal distribution."""
FEWEST = 10
"""Groups with fewer numbers are compared with the whole file."""


def robust_scores(numbers: Floats, groups: Ints, count: int) -> Floats:
    """|x - median| / (1.4826 · median absolute deviation), in the own group; NaN where the number is NaN.

    Where more than half of a group are equal, all others of it are infinitely far away.
    """
    there = np.flatnonzero(~np.isnan(numbers))
    out = np.full(len(numbers), np.nan)
    if not len(there):
        return out
    x, g = numbers[there], groups[there]
    few = np.bincount(g, minlength=count) < FEWEST
    g = np.where(few[g], count, g)
    middle = _medians(x, g, count + 1)
    if few.any():
        middle[count] = np.median(x)
    away = np.abs(x - middle[g])
    spread = _medians(away, g, count + 1)
    if few.any():
        spread[count] = np.median(np.abs(x - middle[count]))
    with np.errstate(divide="ignore", invalid="ignore"):
        out[there] = np.where(away == 0, 0.0, away / (NORMAL * spread[g]))
    return out


def _medians(x: Floats, g: Ints, count: int) -> Floats:
    """The median of every group; NaN where it is empty."""
    order = np.lexsort((x, g))
    sizes = np.bincount(g, minlength=count)
    starts = np.cumsum(sizes) - sizes
    out = np.full(count, np.nan)
    there = sizes > 0
    low, high = (starts + (sizes - 1) // 2)[there], (starts + sizes // 2)[there]
    ordered = x[order]
    out[there] = (ordered[low] + ordered[high]) / 2
    return out
