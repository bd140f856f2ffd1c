"""Intervals around released values, and how many of them hold a given value.

Sources: mateosanz2004 (intervals by standard deviation, SDID); domingoferrer2001 (intervals by rank).
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Scale = Literal["sd", "rank", "value"]


def intervals(shown: Floats, centres: Floats, scale: Scale, width: float) -> tuple[Floats, Floats]:
    """Low and high ends around the centres: `width` standard deviations, parts of all ranks, or parts of the centre to each side.

    `shown` are the released values of the column without gaps; the standard deviation has the divisor n - 1, as in sdcMicro.
    """
    if scale == "rank":
        return _by_rank(np.sort(shown), centres, width)
    if scale == "sd":
        half = np.full(len(centres), width * shown.std(ddof=1) if len(shown) > 1 else 0.0)
    else:
        half = width * np.abs(centres)
    return centres - half, centres + half


def holding(low: Floats, high: Floats, x: Floats) -> Ints:
    """For every x the number of intervals it lies in: those that begin up to it, less those that end before."""
    begun = np.searchsorted(np.sort(low), x, side="right")
    ended = np.searchsorted(np.sort(high), x, side="left")
    return np.asarray(begun - ended, dtype=np.int64)


def _by_rank(ordered: Floats, centres: Floats, width: float) -> tuple[Floats, Floats]:
    """From so many ranks below to so many above; equal values share all their ranks."""
    if not len(ordered):
        return np.full(len(centres), np.nan), np.full(len(centres), np.nan)
    reach = int(np.floor(width * len(ordered) + 1e-9))
    first = np.searchsorted(ordered, centres, side="left") - reach
    last = np.searchsorted(ordered, centres, side="right") - 1 + reach
    top = len(ordered) - 1
    return ordered[np.clip(first, 0, top)], ordered[np.clip(last, 0, top)]
