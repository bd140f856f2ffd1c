"""Symmetric distributions around 0 with a gap in the middle and an end outside.

The normal distribution restricted to smallest ≤ |z| ≤ largest (Kim and Winkler, in hoehne2010, 2.2.2 and 4.2.2, N04)
and the uniform one. Drawn by inversion: no value is drawn twice, and a million take a moment.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import erfcx, log_ndtr, ndtr, ndtri, ndtri_exp

Floats = NDArray[np.float64]

TAIL = 30.0
"""Beyond so many standard deviations probabilities are too small for numbers, and their logarithms are taken."""
UNIFORM = 100.0
"""A normal law that ends at this part of its standard deviation is practically uniform."""
NEAREST = 1e-12
"""Below this standard deviation, all of a number sits at its smallest value."""


def bounded_normal(u: Floats, sign: Floats, smallest: float, largest: float) -> Floats:
    """Standard normal numbers with smallest ≤ |z| ≤ largest, from uniform numbers and random signs.

    Inverted from the tail, where the distribution function is exact.
    """
    if smallest > TAIL:
        low, high = log_ndtr(-largest), log_ndtr(-smallest)
        beyond = np.exp(low - high)
        size = -ndtri_exp(high + np.log(beyond + u * (1 - beyond)))
    else:
        low, high = ndtr(-largest), ndtr(-smallest)
        size = -ndtri(low + u * (high - low))
    out: Floats = np.copysign(np.clip(size, smallest, largest), sign)
    return out


def beyond(z: Floats) -> Floats:
    """How probable it is that a standard normal number lies as far out or farther, on either side: uniform between 0 and 1."""
    out: Floats = 2 * ndtr(-np.abs(z))
    return out


def bounded_variance(smallest: float, largest: float) -> float:
    """Variance of a standard normal number with smallest ≤ |z| ≤ largest."""
    if (largest - smallest) * max(largest, 1.0) < 1e-4:  # narrow: practically uniform
        return (smallest**2 + smallest * largest + largest**2) / 3
    if smallest > TAIL:  # the same, both divided by the density at the smallest value
        end = np.exp((smallest - largest) * (smallest + largest) / 2)
        rim = largest * end if end else 0.0
        return float(1 + (smallest - rim) / (_mills(smallest) - (end * _mills(largest) if end else 0.0)))
    share = ndtr(-smallest) - ndtr(-largest)
    rim = largest * _density(largest) if np.isfinite(largest) else 0.0
    return float(1 + (smallest * _density(smallest) - rim) / share)


def underlying_sd(smallest: float, largest: float) -> float:
    """Standard deviation σ of a normal number before it is restricted, so that afterwards the variance is 1.

    Limits are in units of the result. It exists where smallest < 1 and the uniform distribution between the limits
    has a variance above 1; in the limit of that, the law is uniform.
    """

    def excess(sigma: float) -> float:
        return sigma**2 * bounded_variance(smallest / sigma, largest / sigma) - 1

    if smallest == 0 and not np.isfinite(largest):
        return 1.0
    low = max(1e-3, smallest / TAIL)
    while low > NEAREST and excess(low) > 0:
        low /= 4
    return float(brentq(excess, low, 1e3)) if low > NEAREST else low


def uniform_end(smallest: float) -> float:
    """The outer end h of a uniform number with smallest ≤ |z| ≤ h that has the variance 1: (h² + h·g + g²)/3 = 1."""
    return float((np.sqrt(12 - 3 * smallest**2) - smallest) / 2)


def least_sd(tolerance: float, useful_share: float, smallest: float = 0.0, largest: float = np.inf) -> float:
    """Standard deviation of normal factors that leaves at most this share of values useful; infinite where none does.

    Useful is a value that is off by at most `tolerance`: s = f / Φ⁻¹((1 + p) / 2) (hoehne2010, 4.2.2, the inequality
    above table 2). Departs: table 2 of the book was made with the density in place of the distribution function and
    is too small; where changes have a `largest` size, more of those that are left are useful, and the standard deviation is larger.
    """
    plain = float(tolerance / ndtri((1 + useful_share) / 2))

    def excess(sigma: float) -> float:
        return useful(tolerance / sigma, smallest / sigma, largest / sigma) - useful_share

    if excess(plain) <= 1e-6 * useful_share:
        return plain
    widest = UNIFORM * largest
    return float(brentq(excess, plain, widest)) if excess(widest) < 0 else np.inf


def useful(tolerance: float, smallest: float, largest: float) -> float:
    """The share of standard normal numbers with smallest ≤ |z| ≤ largest that have |z| ≤ tolerance."""
    if tolerance <= smallest:
        return 0.0
    share = ndtr(-smallest) - ndtr(-largest)
    return float((ndtr(-smallest) - ndtr(-min(tolerance, largest))) / share)


def _density(z: float) -> float:
    return float(np.exp(-(z**2) / 2) / np.sqrt(2 * np.pi))


def _mills(z: float) -> float:
    """Probability beyond z over the density there."""
    return float(np.sqrt(np.pi / 2) * erfcx(z / np.sqrt(2)))
