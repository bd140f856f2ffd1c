"""Loops over one column that need no memory of their own: extent, power sums, rank correlation.

Sums run in blocks, so that rounding does not grow with the number of records.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Codes = NDArray[np.int32]

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


@njit(cache=True)
def dense(x: Floats, order: Ints) -> tuple[Codes, Ints]:
    """Codes of the values in their order, -1 where there is none, and how often each occurs; `order` sorts x, gaps last."""
    codes = np.full(len(x), -1, np.int32)
    counts = np.zeros(len(x), np.int64)
    code = -1
    last = 0.0
    for at in order:
        if np.isnan(x[at]):
            break
        if code < 0 or x[at] != last:
            code += 1
            last = x[at]
        codes[at] = code
        counts[code] += 1
    return codes, counts[: code + 1]


@njit(cache=True)
def middle_ranks(counts: Ints) -> Floats:
    """Rank of every code less the mean rank; equal values share the mean of their ranks."""
    out = np.empty(len(counts))
    below, middle = 0, (counts.sum() + 1) / 2
    for code in range(len(counts)):
        out[code] = below + (counts[code] + 1) / 2 - middle
        below += counts[code]
    return out


@njit(cache=True)
def rank_correlation(a: Codes, a_counts: Ints, b: Codes, b_counts: Ints) -> tuple[int, float]:
    """Number of records that have both values, and the correlation of their ranks among these; NaN where one is constant."""
    left, right = a_counts.copy(), b_counts.copy()
    n = 0
    for i in range(len(a)):
        if a[i] >= 0 and b[i] >= 0:
            n += 1
        elif a[i] >= 0:
            left[a[i]] -= 1
        elif b[i] >= 0:
            right[b[i]] -= 1
    first, second = middle_ranks(left), middle_ranks(right)
    size = np.sum(left * first**2) * np.sum(right * second**2)
    if n == 0 or size == 0:
        return n, np.nan
    total = 0.0
    for start in range(0, len(a), BLOCK):
        part = 0.0
        for i in range(start, min(start + BLOCK, len(a))):
            if a[i] >= 0 and b[i] >= 0:
                part += first[a[i]] * second[b[i]]
        total += part
    return n, total / np.sqrt(size)
