"""One value for every group: mean or median."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from tarnkappe.kernels.standard import power_scale

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

HUGE = 1e300
"""From here on twice a difference can be too large for a number."""
TINY = 1e-280
"""Below this, halves lose digits."""
SAME = 1e-12
"""Sums of weights that differ by less are the same."""


def group_averages(x: Floats, labels: Ints, weights: Floats | None = None) -> Floats:
    """Replace every row by the mean of its group, weighted with `weights` above 0 where given; rows without a group (-1) stay.

    The mean is the first value plus the mean difference to it: a constant group keeps its value exactly. Halves are taken before
    anything is added, so that the largest numbers do not overflow; columns of tiny numbers are brought up first, which is exact.
    """
    scale = power_scale(x)
    up = np.where(scale < TINY, scale, 1.0)
    out: Floats = _averages(x / up, labels, _or_ones(weights, len(x))) * up
    return out


def _or_ones(weights: Floats | None, n: int) -> Floats:
    return np.ones(n) if weights is None else weights


@njit(cache=True, nogil=True)
def _averages(x: Floats, labels: Ints, weights: Floats) -> Floats:
    n, p = x.shape
    groups = labels.max() + 1 if n else 0
    first, largest, total = np.full(groups, -1, np.int64), np.zeros(groups), np.zeros(groups)
    for i in range(n):
        g = labels[i]
        if g >= 0:
            largest[g] = max(largest[g], weights[i])
            if first[g] < 0:
                first[g] = i
    for i in range(n):
        if labels[i] >= 0:
            total[labels[i]] += weights[i] / largest[labels[i]]
    apart, means = np.zeros((groups, p)), np.empty((groups, p))
    for i in range(n):
        g = labels[i]
        if g >= 0:
            w = weights[i] / largest[g]  # at most 1, so that nothing overflows
            for j in range(p):
                apart[g, j] += (x[i, j] / 2 - x[first[g], j] / 2) * w / total[g]
    for g in range(groups):
        for j in range(p):
            start = x[first[g], j] if first[g] >= 0 else 0.0
            means[g, j] = start + 2 * apart[g, j] if abs(start) < HUGE else 2 * (start / 2 + apart[g, j])
    out = x.copy()
    for i in range(n):
        if labels[i] >= 0:
            for j in range(p):
                out[i, j] = means[labels[i], j]
    return out


def group_medians(x: Floats, labels: Ints, weights: Floats | None = None) -> Floats:
    """Replace every row by the medians of its group; rows without a group (-1) stay.

    Weighted with `weights` above 0 where given: the value at which half of the weight is reached, and the middle to the next value where
    it is reached exactly. Equal weights give the plain median.
    """
    out = x.copy()
    if labels.max(initial=-1) < 0:
        return out
    inside = np.flatnonzero(labels >= 0)
    sizes = np.bincount(labels[inside])
    starts = np.cumsum(sizes) - sizes
    for j in range(x.shape[1]):
        y = x[inside, j]
        order = np.lexsort((y, labels[inside]))
        y = y[order]
        if weights is None:
            low, high = y[starts + (sizes - 1) // 2], y[starts + sizes // 2]
        else:
            low, high = _weighted_middles(y, weights[inside][order], starts, sizes)
        middle = np.where(low == high, low, low / 2 + high / 2)
        out[inside, j] = middle[labels[inside]]
    return out


@njit(cache=True)
def _weighted_middles(y: Floats, w: Floats, starts: Ints, sizes: Ints) -> tuple[Floats, Floats]:
    """Per group of sorted values those at which half of the weight is reached, and passed."""
    low, high = np.zeros(len(starts)), np.zeros(len(starts))
    for g in range(len(starts)):
        if sizes[g] == 0:
            continue
        here = slice(starts[g], starts[g] + sizes[g])
        upto = np.cumsum(w[here] / w[here].max())
        half = upto[-1] / 2
        low[g] = y[here][np.argmax(upto >= half * (1 - SAME))]
        high[g] = y[here][np.argmax(upto > half * (1 + SAME))]
    return low, high
