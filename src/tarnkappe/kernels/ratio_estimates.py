"""Ratios of two sums over records, and sums, with their confidence intervals.

The error of a ratio Σa/Σb is that of its linearisation: Σ(a - rb)²/(Σb)² with n/(n - 1), whatever the distributions are.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from tarnkappe.kernels.estimates import Estimate

Floats = NDArray[np.float64]


def ratio_estimate(a: Floats, b: Floats, confidence: float) -> Estimate:
    """Σa/Σb; nothing where the lower sum is not above 0."""
    n, below = len(a), float(b.sum())
    if n < 2 or not below > 0:
        return Estimate(np.nan, np.nan, np.nan)
    ratio = float(a.sum()) / below
    error = float(np.sqrt(n / (n - 1) * ((a - ratio * b) ** 2).sum())) / below
    return _around(ratio, error, confidence)


def sum_estimate(a: Floats, confidence: float) -> Estimate:
    """The sum of records of which another draw could have brought others, and another number of them: error √Σa²."""
    return _around(float(a.sum()), float(np.sqrt((a**2).sum())), confidence)


def _around(value: float, error: float, confidence: float) -> Estimate:
    half = float(ndtri((1 + confidence) / 2)) * error
    return Estimate(value, value - half, value + half)
