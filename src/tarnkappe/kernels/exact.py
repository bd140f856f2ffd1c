"""Decimal numbers without rounding: values as people write them, held as whole numbers."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

WHOLE = 2.0**53
"""Below this every whole number is a float, and sums and products of whole numbers are exact."""
MOST_DECIMALS = 6


def decimals(values: Floats) -> int | None:
    """The number of decimals that all values get by with; None where six do not suffice or a number is too large."""
    largest = float(np.abs(values).max(initial=0.0))
    for places in range(MOST_DECIMALS + 1):
        shift = 10.0**places
        if largest * shift >= WHOLE:
            return None
        if np.array_equal(np.rint(values * shift) / shift, values):
            return places
    return None


def shifted(values: Floats, places: int) -> Floats:
    """Values with so many decimals as whole numbers."""
    out: Floats = np.rint(values * 10.0**places)
    return out


def written(value: float) -> Fraction:
    """The number that people mean: 17.6 is 176/10, not the binary number nearest to it."""
    return Fraction(repr(float(value)))


def added(values: Floats, of: Ints, groups: int) -> Floats:
    """The sum of every group; decimal numbers are added without rounding."""
    places = decimals(values)
    if places is None or float(np.abs(values).sum()) * 10.0**places >= WHOLE:
        return np.bincount(of, weights=values, minlength=groups).astype(np.float64)
    return np.bincount(of, weights=shifted(values, places), minlength=groups) / 10.0**places
