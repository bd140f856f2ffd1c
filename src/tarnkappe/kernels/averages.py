"""One value for every group: mean, median, whole numbers."""

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


def group_averages(x: Floats, labels: Ints) -> Floats:
    """Replace every row by the mean of its group; rows without a group (-1) stay.

    The mean is the first value plus the mean difference to it: a constant group keeps its value exactly. Halves are taken before
    anything is added, so that the largest numbers do not overflow; columns of tiny numbers are brought up first, which is exact.
    """
    scale = power_scale(x)
    up = np.where(scale < TINY, scale, 1.0)
    out: Floats = _averages(x / up, labels) * up
    return out


@njit(cache=True)
def _averages(x: Floats, labels: Ints) -> Floats:
    n, p = x.shape
    groups = labels.max() + 1 if n else 0
    first, counts = np.full(groups, -1, np.int64), np.zeros(groups, np.int64)
    for i in range(n):
        g = labels[i]
        if g >= 0:
            counts[g] += 1
            if first[g] < 0:
                first[g] = i
    apart, means = np.zeros((groups, p)), np.empty((groups, p))
    for i in range(n):
        g = labels[i]
        if g >= 0:
            for j in range(p):
                apart[g, j] += (x[i, j] / 2 - x[first[g], j] / 2) / counts[g]
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


def group_medians(x: Floats, labels: Ints) -> Floats:
    """Replace every row by the medians of its group; rows without a group (-1) stay."""
    out = x.copy()
    if labels.max(initial=-1) < 0:
        return out
    inside = np.flatnonzero(labels >= 0)
    sizes = np.bincount(labels[inside])
    starts = np.cumsum(sizes) - sizes
    for j in range(x.shape[1]):
        y = x[inside, j]
        y = y[np.lexsort((y, labels[inside]))]
        low, high = y[starts + (sizes - 1) // 2], y[starts + sizes // 2]
        middle = np.where(low == high, low, low / 2 + high / 2)
        out[inside, j] = middle[labels[inside]]
    return out


@njit(cache=True)
def whole_groups(x: Floats, labels: Ints, block: Ints) -> Floats:
    """Whole numbers that stay equal within groups; the total of a block moves by at most half the size of its last group.

    What rounding one group adds or takes is made up for in the next one. Groups of a block have neighbouring numbers; rows
    without a group (-1) stay.
    """
    out = x.copy()
    groups = labels.max() + 1 if len(labels) else 0
    size, where = np.zeros(groups, np.int64), np.full(groups, -1, np.int64)
    for i in range(len(x)):
        if labels[i] >= 0:
            size[labels[i]] += 1
            where[labels[i]] = i
    value = np.zeros(groups)
    owed = 0.0
    for g in range(groups):
        if size[g] == 0:
            continue
        if g > 0 and where[g - 1] >= 0 and block[where[g]] != block[where[g - 1]]:
            owed = 0.0
        value[g] = np.rint(x[where[g]] + owed / size[g])
        owed += (x[where[g]] - value[g]) * size[g]
    for i in range(len(x)):
        if labels[i] >= 0:
            out[i] = value[labels[i]]
    return out
