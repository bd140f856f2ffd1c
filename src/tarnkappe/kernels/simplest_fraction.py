"""The simplest fraction near a number: what a quotient of two whole numbers gives away when it is printed with all its digits.

The fraction with the smallest terms in an interval is found by continued fractions (Graham, Knuth and Patashnik 1994, 4.5, the
Stern-Brocot tree, walked in whole stretches).
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]

_MOST_STEPS = 64
"""More than a quotient of two numbers of 53 bits needs."""
_LARGEST = 2.0**53


@njit(cache=True)
def simplest(low: float, high: float) -> tuple[float, float]:
    """Numerator and denominator of the simplest fraction between two positive numbers; (0, 0) where its terms are no exact numbers."""
    p_before, q_before, p, q = 0.0, 1.0, 1.0, 0.0
    for _ in range(_MOST_STEPS):
        whole = np.floor(low)
        last = whole if whole == low else whole + 1
        if last <= high:
            p, q = last * p + p_before, last * q + q_before
            return (p, q) if max(p, q) < _LARGEST else (0.0, 0.0)
        p_before, q_before, p, q = p, q, whole * p + p_before, whole * q + q_before
        if max(p, q) >= _LARGEST:
            break
        low, high = 1 / (high - whole), 1 / (low - whole)
    return 0.0, 0.0


@njit(cache=True)
def fractions_behind(quotients: Floats, width: float, doubt: float) -> tuple[Floats, Floats]:
    """For every positive quotient the terms of the simplest fraction that differs by `width` of it at most; 0 where that says nothing.

    Among numbers drawn at random the simplest fraction in an interval has terms whose product is about one through the relative
    width of the interval, so much smaller terms are no accident: their product times the width must be below `doubt`.
    """
    p, q = np.zeros(len(quotients)), np.zeros(len(quotients))
    for i in range(len(quotients)):
        r = quotients[i]
        if np.isfinite(r) and r > 0:
            above, below = simplest(r * (1 - width), r * (1 + width))
            if above * below * 2 * width < doubt:
                p[i], q[i] = above, below
    return p, q
