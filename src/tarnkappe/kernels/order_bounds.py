"""Bounds that averages of sorted values give for certain.

Source: hoehne2010, 3.2, inequalities 3.2-3 to 3.2-5.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def order_bounds(y: Floats) -> tuple[Floats, Floats]:
    """Low and high end of the true value behind every released one, if these are means of groups of sorted values.

    A group of g equal values v lies between its neighbours b < v < a; as the others are at most a and at least b, a single value
    is at least g·v - (g-1)·a and at most g·v - (g-1)·b. Below the lowest group lies 0 if no value is negative, else nothing. A group of
    one is the value itself.
    """
    v, at, g = np.unique(y, return_inverse=True, return_counts=True)
    if not len(v):
        return np.zeros(0), np.zeros(0)
    below = np.append(0.0 if v[0] >= 0 else -np.inf, v[:-1])
    above = np.append(v[1:], np.inf)
    others = g - 1.0
    low = np.where(others > 0, g * v - np.where(others > 0, others, 1.0) * above, v)
    high = np.where(others > 0, g * v - np.where(others > 0, others, 1.0) * below, v)
    at = at.ravel()
    return np.maximum(below, low)[at], np.minimum(above, high)[at]
