"""Standard errors from leaving out one group of records after the other.

The records are put into groups by a hash of their number, so a record of two files is in the same group of both, whatever the order:
what two files of the same persons have in common cancels in the error of a difference. The error of a figure is
√((G - 1) / G · Σ (figure without group g - mean of these)²). Source: kott2001 (delete-a-group jackknife).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numba import njit
from numpy.typing import NDArray
from scipy.special import stdtrit

from tarnkappe.kernels.moment_loops import extent
from tarnkappe.kernels.moments import ROUNDING, Moments, guarded_quantiles
from tarnkappe.kernels.pair_sums import PairSums, column_means, pair_sums

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

GROUPS = 50


def groups(rows: Ints) -> Ints:
    """The group of every record, from the number it has (splitmix64)."""
    z = rows.astype(np.int64).view(np.uint64) + np.uint64(0x9E3779B97F4A7C15)
    with np.errstate(over="ignore"):
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    z ^= z >> np.uint64(31)
    return (z % np.uint64(GROUPS)).astype(np.int64)


def standard_error(left_out: Floats) -> Floats:
    """Errors of figures from what they are without each group, one row per group; NaN where a figure cannot be had without one."""
    count = len(left_out)
    apart = left_out - left_out.mean(axis=0)
    out: Floats = np.sqrt((count - 1) / count * (apart**2).sum(axis=0))
    return out


def half_width(error: Floats | float, confidence: float, records: int) -> Floats:
    """Half the width of the interval: Student's t with as many degrees of freedom as groups less one."""
    freedom = max(min(GROUPS, records) - 1, 1)
    out: Floats = np.asarray(error) * float(stdtrit(freedom, (1 + confidence) / 2))
    return out


def moments_without(x: Floats, w: Floats | None, group: Ints) -> list[Moments]:
    """The moments of the observed numbers without each group."""
    x = np.ascontiguousarray(x)
    weights = np.empty(0) if w is None else np.ascontiguousarray(w)
    n, low, high, most = extent(x, weights)
    if n == 0 or low == high:
        return [Moments(n, low if n else np.nan, 0.0 if n else np.nan, np.nan, np.nan)] * GROUPS
    largest = max(abs(low), abs(high))
    exponent = int(np.frexp(largest)[1])
    up = np.ldexp(1.0, np.array([-exponent // 2, -exponent - -exponent // 2]))
    centre = 0.0
    for _ in range(2):
        sums = _group_sums(x, weights, group, up, centre, most)
        total = sums.sum(axis=0)
        centre += total[1] / total[0]
    sums = _group_sums(x, weights, group, up, centre, most)
    left = sums.sum(axis=0) - sums
    return [_moments(one, n, centre, exponent, varies=high - low > ROUNDING * largest) for one in left]


def _moments(sums: Floats, n: int, centre: float, exponent: int, *, varies: bool) -> Moments:
    """Moments from power sums around a centre near the mean."""
    if not sums[0] > 0:
        return Moments(n, np.nan, np.nan, np.nan, np.nan)
    d, second, third, fourth = sums[1:] / sums[0]
    square = max(second - d**2, 0.0)
    sd = float(np.sqrt(square))
    with np.errstate(divide="ignore", invalid="ignore"):
        skewness = np.float64(third - 3 * d * second + 2 * d**3) / sd**3 if varies else np.nan
        excess = (
            np.float64(fourth - 4 * d * third + 6 * d**2 * second - 3 * d**4) / square**2 - 3
            if varies
            else np.nan
        )
    return Moments(
        n,
        float(np.ldexp(centre + d, exponent)),
        float(np.ldexp(sd, exponent)),
        float(skewness),
        float(excess),
    )


@njit(cache=True)
def _group_sums(x: Floats, w: Floats, group: Ints, up: Floats, centre: float, most: float) -> Floats:
    """Σw and Σw·d to the powers 1 to 4 of every group, with d = x·up[0]·up[1] - centre and weights over the largest one."""
    out = np.zeros((GROUPS, 5))
    for i in range(len(x)):
        weight = w[i] / most if len(w) else 1.0
        if np.isnan(x[i]) or not weight > 0:
            continue
        d = x[i] * up[0] * up[1] - centre
        square = d * d
        row = out[group[i]]
        row[0] += weight
        row[1] += weight * d
        row[2] += weight * square
        row[3] += weight * square * d
        row[4] += weight * square * square
    return out


def quantile_without(x: Floats, w: Floats | None, group: Ints, share: float) -> Floats:
    """A guarded quantile without each group: moved by what the share below it changes, over the density there; NaN where ties leave none."""
    weight = np.ones(len(x)) if w is None else w
    near = min(share, 1 - share, 0.5 * len(x) ** -0.2)  # Bofinger's rate
    at, low, high = guarded_quantiles(x, w, (share, share - near / 2, share + near / 2))
    spacing = (np.nan_to_num(high, nan=at) - np.nan_to_num(low, nan=at)) / (
        near * (2 - np.isnan([low, high]).sum()) / 2
    )
    below = np.bincount(group, weight * (x <= at), GROUPS)
    whole = np.bincount(group, weight, GROUPS)
    moved = (below.sum() - below) / (whole.sum() - whole) - below.sum() / whole.sum()
    out: Floats = at - moved * (spacing if spacing > 0 else np.nan)
    return out


def pairs_without(
    x: Floats, w: Floats | None, group: Ints, scale: Floats | float, figure: Callable[[PairSums], Floats]
) -> Floats:
    """A figure of all pairs of columns without each group, one matrix per group."""
    centre = column_means(x, w, scale)
    order = np.argsort(group, kind="stable")
    ends = np.searchsorted(group[order], np.arange(1, GROUPS))
    parts = [pair_sums(x[at], None if w is None else w[at], scale, centre) for at in np.split(order, ends)]
    total = [np.sum(side, axis=0) for side in zip(*parts, strict=True)]
    return np.array([figure(PairSums(*(t - p for t, p in zip(total, part, strict=True)))) for part in parts])
