"""Drawing without replacement, every unit of a stratum with the same chance."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_FUZZ = 1e-9
"""0.29 of 100 is 29 although the product is a little less."""


def simple(stratum: Ints, share: Floats, generator: np.random.Generator) -> Bools:
    """Any units of every stratum; their number is the share of it, rounded down or up by chance without bias."""
    sizes = np.bincount(stratum, minlength=len(share))
    want = sizes * share
    whole = np.floor(want + _FUZZ)
    number = whole + (generator.random(len(share)) < want - whole)
    ranked = np.lexsort((generator.random(len(stratum)), stratum))
    first = np.concatenate([[0], np.cumsum(sizes)])[:-1]
    place = np.arange(len(stratum)) - np.repeat(first, sizes)
    chosen = np.zeros(len(stratum), dtype=np.bool_)
    chosen[ranked[place < np.repeat(number, sizes)]] = True
    return chosen


def systematic(stratum: Ints, share: Floats, generator: np.random.Generator) -> Bools:
    """Units at equal steps through every stratum, from a random start: unit i is drawn when ⌊i·share + u⌋ rises."""
    sizes = np.bincount(stratum, minlength=len(share))
    order = np.argsort(stratum, kind="stable")
    first = np.concatenate([[0], np.cumsum(sizes)])[:-1]
    place = np.arange(len(stratum)) - np.repeat(first, sizes)
    step = np.repeat(share, sizes)
    start = np.repeat(generator.random(len(share)), sizes)
    rises = np.floor((place + 1) * step + start + _FUZZ) > np.floor(place * step + start + _FUZZ)
    chosen = np.empty(len(stratum), dtype=np.bool_)
    chosen[order] = rises
    return chosen


@njit(cache=True)
def add_sorted_sample(chance: Floats, first: Ints, size: Ints, values: Floats, total: Floats) -> None:
    """Add a sample with replacement, in ascending order, to `total`; `values` are ascending in every stratum.

    A sorted sample is the sorted values, each as often as it was drawn. Place i draws from the `size[i]` values from `first[i]` on.
    """
    times = np.zeros(len(values), np.int32)
    for i in range(len(values)):
        times[first[i] + int(chance[i] * size[i])] += 1
    at = 0
    for i in range(len(values)):
        for _ in range(times[i]):
            total[at] += values[i]
            at += 1
