"""Moments, guarded quantiles and correlations that survive huge, tiny and nearly constant numbers.

Numbers are scaled by a power of two, which is exact, and centred before anything is squared. Not-a-number
means not observed; every figure uses the cases it has (available cases), every correlation those that have
both.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

ROUNDING = 1e-12
"""Numbers that vary by less than this part of their size are constant up to rounding."""
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
    x, w = observed(x, w)
    if len(x) == 0:
        return Moments(0, np.nan, np.nan, np.nan, np.nan)
    y, exponent = _scaled(x)
    mean = _mean(y, w)
    mean += _mean(y - mean, w)  # takes the rounding of the first pass away: a constant is its own mean
    d = y - mean
    far = float(np.abs(d).max())
    if far == 0:
        return Moments(len(x), _back(mean, exponent), 0.0, np.nan, np.nan)
    z = d / far
    squares = z * z
    sd = float(np.sqrt(_mean(squares, w)))
    constant = far <= ROUNDING * float(np.abs(y).max())
    skewness = np.nan if constant else _mean(squares * z, w) / sd**3
    excess = np.nan if constant else _mean(squares * squares, w) / sd**4 - 3
    return Moments(len(x), _back(mean, exponent), _back(sd * far, exponent), skewness, excess)


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
    order = np.argsort(x, kind="stable")
    x = x[order]
    reached = np.arange(1, len(x) + 1) if w is None else np.cumsum(w[order])
    room = AROUND + BEYOND
    out = []
    for share in shares:
        i = int(np.searchsorted(reached, share * reached[-1])) if len(x) else 0
        shown = room <= i < len(x) - room
        out.append(float((x[i - AROUND : i + AROUND + 1] / (2 * AROUND + 1)).sum()) if shown else np.nan)
    return out


def pearson(x: Floats, least: int = 2) -> Floats:
    """Correlate the columns; NaN for constants and for pairs observed together less than `least` times."""
    columns = np.ascontiguousarray(x.T)
    return _pairwise(
        np.isnan(columns), lambda j, both: columns[j] if both is None else columns[j][both], least
    )


def spearman(x: Floats, least: int = 2) -> Floats:
    """Rank correlations of the columns, ties at their mean rank; NaN as in `pearson`."""
    columns = np.ascontiguousarray(x.T)
    codes = [np.unique(column, return_inverse=True)[1].ravel() for column in columns]
    return _pairwise(
        np.isnan(columns), lambda j, both: _ranked(codes[j] if both is None else codes[j][both]), least
    )


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


def _ranked(codes: Ints) -> Floats:
    """Ranks from codes in the order of the values, without sorting again."""
    counts = np.bincount(codes)
    shared: Floats = np.cumsum(counts) - (counts - 1) / 2
    return shared[codes]


def _pairwise(gaps: Bools, scores: Callable[[int, Bools | None], Floats], least: int) -> Floats:
    """Correlate the scores of all pairs of columns: `scores(j, both)` are those of column j among some records, or all."""
    count = len(gaps)
    whole = [None if gaps[j].any() else _unit(scores(j, None)) for j in range(count)]
    out = np.full((count, count), np.nan)
    for i in range(count):
        for j in range(i + 1):
            a, b = whole[i], whole[j]
            if a is None or b is None:
                both = ~(gaps[i] | gaps[j])
                a, b = (_unit(scores(c, both)) for c in (i, j))
            if len(a) >= least:
                out[i, j] = out[j, i] = np.clip(np.dot(a, b), -1, 1) if i != j else np.dot(a, b).round()
    return out


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


def _mean(y: Floats, w: Floats | None) -> float:
    return float(y.mean() if w is None else np.sum(w * y) / np.sum(w))
