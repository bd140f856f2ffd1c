"""Drawing without replacement, every unit of a stratum with the same chance."""

from __future__ import annotations

import numpy as np
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
