"""Neighbouring classes merged until each is large enough."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

Bools = NDArray[np.bool_]
Ints = NDArray[np.int64]


@njit(cache=True)
def class_begins(block: Ints, counts: Ints, at_least: int) -> Bools:
    """Which classes begin a merged class, other than the first of a block: from below, as soon as both sides are large enough.

    Parameters
    ----------
    block
        The block of every class; those of one block together and ascending.
    counts
        Records of every class.
    at_least
        Records that a merged class must hold.
    """
    begins = np.zeros(len(counts), np.bool_)
    here, left, first = 0, 0, 0
    for i in range(len(counts)):
        if i == 0 or block[i] != block[i - 1]:
            first, here, left = i, 0, 0
            while first < len(counts) and block[first] == block[i]:
                left += counts[first]
                first += 1
        elif here >= at_least and left >= at_least:
            begins[i] = True
            here = 0
        here += counts[i]
        left -= counts[i]
    return begins
