"""Loops over one column that need no memory of their own: extent and power sums.

Sums run in blocks, so that rounding does not grow with the number of records.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

Floats = NDArray[np.float64]

BLOCK = 512


@njit(cache=True)
def extent(x: Floats, w: Floats) -> tuple[int, float, float, float]:
    """Number of observed values with weight above 0, the smallest, the largest and their largest weight; no weights: empty."""
    n, low, high, most = 0, np.inf, -np.inf, 0.0
    for i in range(len(x)):
        weight = w[i] if len(w) else 1.0
        if np.isnan(x[i]) or not weight > 0:
            continue
        n += 1
        low, high, most = min(low, x[i]), max(high, x[i]), max(most, weight)
    return n, low, high, most


@njit(cache=True)
def power_sums(x: Floats, w: Floats, up: Floats, centre: float, most: float) -> Floats:
    """Σw and Σw·d to the powers 1 to 4 with d = x·up[0]·up[1] - centre and weights over the largest one."""
    out = np.zeros(5)
    for start in range(0, len(x), BLOCK):
        s0 = s1 = s2 = s3 = s4 = 0.0
        for i in range(start, min(start + BLOCK, len(x))):
            weight = w[i] / most if len(w) else 1.0
            if np.isnan(x[i]) or not weight > 0:
                continue
            d = x[i] * up[0] * up[1] - centre
            square = d * d
            s0 += weight
            s1 += weight * d
            s2 += weight * square
            s3 += weight * square * d
            s4 += weight * square * square
        out += np.array([s0, s1, s2, s3, s4])
    return out
