"""Moments, guarded quantiles and correlations that survive huge, tiny and nearly constant numbers.

Numbers are scaled by a power of two, which is exact, and centred before anything is squared. Not-a-number
means not observed; every figure uses the cases it has (available cases), every correlation those that have
both.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tarnkappe.kernels.moment_loops import extent, power_sums
from tarnkappe.kernels.pair_sums import pair_sums
from tarnkappe.kernels.rank_correlations import rank_correlations
from tarnkappe.kernels.standard import power_scale

Floats = NDArray[np.float64]

ROUNDING = 1e-12
"""Numbers that vary by less than this part of their size are constant up to rounding."""
LOST = 1e-3
"""Where less of the spread of a column is left among the records of a pair, it is centred anew: differences would lose digits."""
AROUND, BEYOND = 1, 3
"""A guarded quantile averages so many neighbours on either side and needs so many records beyond them."""


class Moments(NamedTuple):
    """The first four moments with the divisor n (or the sum of weights); NaN where they are not defined."""

    n: int
    mean: float
    sd: float
    skewness: float
    """Third central moment over sd³; not for constants."""
    excess: float
    """Fourth central moment over sd⁴, minus 3; not for constants."""

    @property
    def size(self) -> float:
        """Root mean square: how large the numbers are."""
        return float(np.hypot(self.mean, self.sd))


def moments(x: Floats, w: Floats | None = None) -> Moments:
    """Moments of the observed numbers, weighted with `w` (zero or more) where it is given.

    Source: hoehne2010, 3.3.1 (divisor n) and 4.2.3 (skewness and excess).
    """
    x = np.ascontiguousarray(x)
    weights = np.empty(0) if w is None else np.ascontiguousarray(w)
    n, low, high, most = extent(x, weights)
    if n == 0 or low == high:
        return Moments(n, low if n else np.nan, 0.0 if n else np.nan, np.nan, np.nan)
    largest = max(abs(low), abs(high))
    exponent = int(np.frexp(largest)[1])
    up = np.ldexp(1.0, np.array([-exponent // 2, -exponent - -exponent // 2]))
    mean = 0.0
    for _ in range(2):  # the second pass takes the rounding of the first away
        sums = power_sums(x, weights, up, mean, most)
        mean += sums[1] / sums[0]
    _, _, second, third, fourth = power_sums(x, weights, up, mean, most) / sums[0]
    sd = float(np.sqrt(second))
    varies = high - low > ROUNDING * largest
    skewness = float(third / sd**3) if varies else np.nan
    excess = float(fourth / sd**4 - 3) if varies else np.nan
    return Moments(n, _back(mean, exponent), _back(sd, exponent), skewness, excess)


def relative_error(after: float, before: float, size: float, near: float = ROUNDING) -> tuple[float, bool]:
    """Compare as after / before - 1; near a zero of `before`, as the difference in units of `size`.

    Near means |before| ≤ `near` · size; the second answer is then True. Source: hoehne2010, 4.2.3, for the
    ratio; dav2025, 6.3, for the trouble with zeros.
    """
    if abs(before) <= near * size:
        return ((after - before) / size if size > 0 else 0.0), True
    return after / before - 1, False


def guarded_quantiles(x: Floats, w: Floats | None, shares: Sequence[float]) -> list[float]:
    """Quantiles that show no single record: the mean of three neighbours, with three more records beyond.

    The middle one is the first at which the sorted weights reach the share. NaN where fewer than three
    records lie beyond the three, on either side: there the quantile would tell about the extremes.
    """
    x, w = observed(x, w)
    if w is None:
        places = [max(math.ceil(share * len(x)) - 1, 0) for share in shares]
    else:
        order = np.argsort(x, kind="stable")
        x, reached = x[order], np.cumsum(w[order])
        places = [int(np.searchsorted(reached, share * reached[-1])) if len(x) else 0 for share in shares]
    room = AROUND + BEYOND
    shown = {i for i in places if room <= i < len(x) - room}
    if w is None and shown:
        x = np.partition(x, sorted({i + by for i in shown for by in range(-AROUND, AROUND + 1)}))
    return [_around(x, i) if i in shown else np.nan for i in places]


def _around(x: Floats, i: int) -> float:
    """The mean of a sorted value and its neighbours."""
    return float((x[i - AROUND : i + AROUND + 1] / (2 * AROUND + 1)).sum())


def pearson(x: Floats, least: int = 2) -> Floats:
    """Correlate the columns; NaN for constants and for pairs observed together less than `least` times."""
    sums = pair_sums(x, scale=power_scale(x))
    n = np.maximum(sums.records, 1)
    spread = sums.squares - sums.first**2 / n
    with np.errstate(divide="ignore", invalid="ignore"):
        out: Floats = (sums.products - sums.first * sums.first.T / n) / np.sqrt(spread * spread.T)
    own = np.diag(sums.squares)[:, None]
    sure = (spread > LOST * own) & (spread > ROUNDING**2 * n)
    for i, j in np.argwhere(np.tril(~(sure & sure.T))):
        out[i, j] = out[j, i] = _exact(x[:, i], x[:, j])
    np.fill_diagonal(out, np.diag(out).round())
    return np.where(sums.records >= max(least, 1), np.clip(out, -1, 1), np.nan)


def spearman(x: Floats, least: int = 2) -> Floats:
    """Rank correlations of the columns, ties at their mean rank; NaN as in `pearson`."""
    return rank_correlations(x, least, pearson)


def ranks(x: Floats) -> Floats:
    """Ranks 1, 2, … of the numbers; equal numbers share the mean of their ranks."""
    _, inverse, counts = np.unique(x, return_inverse=True, return_counts=True)
    shared: Floats = np.cumsum(counts) - (counts - 1) / 2
    return shared[inverse.ravel()]


def observed(x: Floats, w: Floats | None) -> tuple[Floats, Floats | None]:
    """Leave out what is not observed or has no weight; bring the largest weight to 1."""
    if w is None:
        return x[~np.isnan(x)], None
    kept = ~np.isnan(x) & (w > 0)
    weights = w[kept]
    return x[kept], weights / weights.max(initial=0) if len(weights) else weights


def _exact(a: Floats, b: Floats) -> float:
    """The correlation of two columns from the records that have both, centred among these alone."""
    both = ~(np.isnan(a) | np.isnan(b))
    return float(np.dot(_unit(a[both]), _unit(b[both])))


def _unit(x: Floats) -> Floats:
    """Centre to mean 0 and scale to length 1; NaN for constants."""
    if len(x) == 0:
        return x
    y, _ = _scaled(x)
    d = y - y.mean()
    d -= d.mean()
    far = float(np.abs(d).max())
    if far <= ROUNDING * float(np.abs(y).max()):
        return np.full(len(x), np.nan)
    d /= far
    unit: Floats = d / np.sqrt(np.sum(d**2))
    return unit


def _scaled(x: Floats) -> tuple[Floats, int]:
    """Bring the numbers into [-1, 1] by a power of two: exact, and no square can overflow."""
    exponent = int(np.frexp(np.abs(x).max())[1])
    return np.ldexp(x, -exponent), exponent


def _back(value: float, exponent: int) -> float:
    return float(np.ldexp(value, exponent))
