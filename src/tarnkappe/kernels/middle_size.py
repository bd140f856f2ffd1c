"""The median size of sums of two columns, in two passes and without a copy of them."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

Floats = NDArray[np.float64]

SHIFT = 47
"""The first 16 bits of a number that is not negative, its exponent and four digits more, put it into one of 2^16 bins in their order."""


def middle_size(a: Floats, b: Floats, sign: float) -> float:
    """The median of |a + sign · b|, exactly; there is at least one and none is NaN."""
    candidates, before = _around_the_middle(a, b, sign)
    places = [(len(a) - 1) // 2 - before, len(a) // 2 - before]
    low, high = np.partition(candidates, places)[places]
    return float(low + (high - low) / 2 if high > low else low)


@njit(cache=True, nogil=True)
def _around_the_middle(a: Floats, b: Floats, sign: float) -> tuple[Floats, int]:
    """The sizes in the bins that hold the middle one or two, and how many are smaller."""
    counts = np.zeros(1 << (63 - SHIFT), np.int64)
    for i in range(len(a)):
        counts[np.float64(abs(a[i] + sign * b[i])).view(np.int64) >> SHIFT] += 1
    first, before = 0, 0
    while before + counts[first] <= (len(a) - 1) // 2:
        before += counts[first]
        first += 1
    last, upto = first, before + counts[first]
    while upto <= len(a) // 2:
        last += 1
        upto += counts[last]
    out, filled = np.empty(upto - before), 0
    for i in range(len(a)):
        size = abs(a[i] + sign * b[i])
        if first <= np.float64(size).view(np.int64) >> SHIFT <= last:
            out[filled] = size
            filled += 1
    return out, before
