"""Estimates with their confidence intervals, and how far two intervals overlap."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from tarnkappe.kernels.moments import Moments, guarded_quantiles, moments, observed
from tarnkappe.kernels.standard import power_scale

Floats = NDArray[np.float64]


class Estimate(NamedTuple):
    """A figure and the ends of its confidence interval."""

    value: float
    low: float
    high: float

    @property
    def width(self) -> float:
        return self.high - self.low

    def holds(self, value: float) -> bool:
        """Whether the value lies in the interval."""
        return self.low <= value <= self.high


def mean_estimate(x: Floats, w: Floats | None, confidence: float) -> Estimate:
    """Mean with its normal interval; weighted, the error of the ratio Σwx / Σw by linearisation."""
    x, w = observed(x, w)
    n, scale = len(x), float(power_scale(x))
    if n < 2:
        return Estimate(np.nan, np.nan, np.nan)
    mean = moments(x, w).mean
    d = x / scale - mean / scale
    squares = float(np.mean(d**2)) if w is None else float(np.mean((w * d) ** 2) / np.mean(w) ** 2)
    half = _half_width(confidence) * np.sqrt(squares / (n - 1)) * scale
    return Estimate(mean, mean - half, mean + half)


def sd_estimate(x: Floats, w: Floats | None, confidence: float) -> Estimate:
    """Standard deviation (divisor n) with the interval sd · exp(±z √((excess + 2) / 4n)): no normal distribution is assumed."""
    found, n = moments(x, w), _effective(x, w)
    if found.n < 2 or np.isnan(found.excess):
        return Estimate(found.sd, np.nan, np.nan)
    apart = float(np.exp(_half_width(confidence) * np.sqrt(max(found.excess + 2, 0.0) / (4 * n))))
    return Estimate(found.sd, found.sd / apart, found.sd * apart)


def variance_estimate(x: Floats, w: Floats | None, confidence: float) -> Estimate:
    """Variance (divisor n): the square of the standard deviation and of the ends of its interval."""
    with np.errstate(over="ignore", under="ignore"):
        return Estimate(*(float(np.square(end)) for end in sd_estimate(x, w, confidence)))


def skewness_estimate(x: Floats, w: Floats | None, confidence: float) -> Estimate:
    """Skewness with the normal interval of its influence function, z³ - 3z - γ - 3/2 γ (z² - 1)."""
    found, z, weight = _standardised(x, w)
    influence = z**3 - 3 * z - found.skewness - 1.5 * found.skewness * (z**2 - 1)
    return _linearised(found.skewness, influence, weight, confidence)


def excess_estimate(x: Floats, w: Floats | None, confidence: float) -> Estimate:
    """Excess with the normal interval of its influence function, z⁴ - κ - 4 γ z - 2 κ (z² - 1) with κ = excess + 3."""
    found, z, weight = _standardised(x, w)
    fourth = found.excess + 3
    influence = z**4 - fourth - 4 * found.skewness * z - 2 * fourth * (z**2 - 1)
    return _linearised(found.excess, influence, weight, confidence)


def quantile_estimate(x: Floats, w: Floats | None, share: float, confidence: float) -> Estimate:
    """A quantile with the interval between two order statistics (Woodruff); guarded: none of the three shows a single record."""
    around = _half_width(confidence) * np.sqrt(share * (1 - share) / max(_effective(x, w), 1.0))
    low, high = max(share - around, 0.0), min(share + around, 1.0)
    return Estimate(*(guarded_quantiles(x, w, (share, low, high))))


def overlap(a: Estimate, b: Estimate) -> float:
    """Mean share of the two intervals that they have in common; below 0 where a gap lies between them, NaN without width.

    ½ [(min U - max L) / (U_a - L_a) + (min U - max L) / (U_b - L_b)]. Sources: dav2025, 6.3; karr2006.
    """
    if a[1:] == b[1:] and not np.isnan(a[1:]).any():
        return 1.0
    if not (a.width > 0 and b.width > 0):
        return float("nan")
    shared = min(a.high, b.high) - max(a.low, b.low)
    with np.errstate(over="ignore"):
        return float(np.divide(shared, a.width) + np.divide(shared, b.width)) / 2


def _standardised(x: Floats, w: Floats | None) -> tuple[Moments, Floats, Floats]:
    """The moments, the values in standard deviations from the mean (none where they do not vary), and weights that add up to 1."""
    x, w = observed(x, w)
    found, scale = moments(x, w), float(power_scale(x))
    if np.isnan(found.excess):
        return found, np.empty(0), np.empty(0)
    weight = np.full(len(x), 1 / len(x)) if w is None else w / w.sum()
    return found, (x / scale - found.mean / scale) / (found.sd / scale), weight


def _linearised(value: float, influence: Floats, weight: Floats, confidence: float) -> Estimate:
    if len(influence) < 2:
        return Estimate(value, np.nan, np.nan)
    n = len(influence)
    half = _half_width(confidence) * float(np.sqrt(np.sum((weight * influence) ** 2) * n / (n - 1)))
    return Estimate(value, value - half, value + half)


def _half_width(confidence: float) -> float:
    return float(ndtri((1 + confidence) / 2))


def _effective(x: Floats, w: Floats | None) -> float:
    """Number of values; weighted, that of Kish: (Σw)² / Σw²."""
    x, w = observed(x, w)
    return (
        float(len(x)) if w is None else float(w.sum() ** 2 / max(float((w**2).sum()), np.finfo(float).tiny))
    )
