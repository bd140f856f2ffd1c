"""Categories as uniform numbers and back, with frequencies of their own in every stratum.

Source: hoehne2010, 2.2.1, transformation after Sullivan (C-f), L620-645.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def uniform_columns(codes: Ints, shares: Floats, z: Floats) -> Floats:
    """D = 1 - h(1 - Z) where the record has the category, Z(1 - h) where it has another one, Z where it has none.

    Parameters
    ----------
    codes
        Category of every record, 0 … a-1; below 0 where there is none.
    shares
        (n, a) relative frequencies of the categories in the stratum of every record, or (1, a) where there are no strata.
    z
        (n, a - 1) uniform numbers.
    """
    h = shares[:, :-1]
    has = codes[:, None] == np.arange(h.shape[1])
    d: Floats = np.where(has, 1 - h * (1 - z), z * (1 - h))
    return np.where(codes[:, None] < 0, z, d)


def categories_of(d: Floats, shares: Floats) -> Ints:
    """The category with the largest D among those with D ≥ 1 - h, the last one where there is none.

    D may have left the interval from 0 to 1. A category that the stratum does not have is never taken; where the last is such a one, the
    category is taken that comes nearest to being there.
    """
    h, last = shares[:, :-1], shares.shape[1] - 1
    able = h > 0
    there = able & (d >= 1 - h)
    largest = np.where(there, d, -np.inf).argmax(axis=1) if last else np.zeros(len(d), dtype=np.int64)
    nearest = np.where(able, d - (1 - h), -np.inf).argmax(axis=1) if last else largest
    otherwise = np.where(shares[:, last] > 0, last, nearest)
    out: Ints = np.where(there.any(axis=1), largest, otherwise).astype(np.int64)
    return out
