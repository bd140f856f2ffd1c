"""Covariances and correlations of all pairs of columns with their confidence intervals."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.special import ndtri

from tarnkappe.data.column import Floats, Ints
from tarnkappe.data.quantities import LEAST
from tarnkappe.kernels.covariances import correlations_of, covariances_of
from tarnkappe.kernels.estimates import Estimate
from tarnkappe.kernels.jackknife import groups, half_width, pairs_without, standard_error
from tarnkappe.kernels.moments import spearman
from tarnkappe.kernels.pair_sums import PairSums, pair_sums
from tarnkappe.kernels.standard import power_scale

Pairs = Callable[[int, int], Estimate]
"""The estimate of a pair of columns by their places."""
MOST = 1 - 1e-12
"""A correlation nearer to 1 is 1: Fisher's z has no end there."""


def covariance_estimates(x: Floats, w: Floats | None, rows: Ints, confidence: float) -> Pairs:
    """Covariances (divisor n) with intervals from leaving out groups of records."""
    scale = power_scale(x)
    value = covariances_of(pair_sums(x, w, scale), LEAST)
    half = _half(pairs_without(x, w, groups(rows), scale, covariances_of), confidence, len(x))
    with np.errstate(over="ignore", under="ignore"):
        unit = np.outer(scale, scale)
        return _pairs(value * unit, (value - half) * unit, (value + half) * unit)


def correlation_estimates(x: Floats, w: Floats | None, rows: Ints, confidence: float) -> Pairs:
    """Pearson correlations with intervals from leaving out groups of records, on the scale of Fisher's z."""

    def fisher(sums: PairSums) -> Floats:
        return _fisher(correlations_of(sums, LEAST))

    scale = power_scale(x)
    value = correlations_of(pair_sums(x, w, scale), LEAST)
    half = _half(pairs_without(x, w, groups(rows), scale, fisher), confidence, len(x))
    return _back(value, half)


def rank_estimates(x: Floats, w: Floats | None, rows: Ints, confidence: float) -> Pairs:
    """Spearman correlations with the intervals of Bonett and Wright (2000): z ± u √((1 + r² / 2) / (n - 3))."""
    del w, rows
    there = (~np.isnan(x)).astype(np.float64)
    n = there.T @ there
    value = spearman(x, LEAST)
    with np.errstate(divide="ignore", invalid="ignore"):
        half = float(ndtri((1 + confidence) / 2)) * np.sqrt((1 + value**2 / 2) / (n - 3))
    return _back(value, half)


def _half(without: Floats, confidence: float, records: int) -> Floats:
    return half_width(standard_error(without), confidence, records)


def _fisher(r: Floats) -> Floats:
    return np.arctanh(np.clip(r, -MOST, MOST))


def _back(value: Floats, half: Floats) -> Pairs:
    z = _fisher(value)
    return _pairs(value, np.tanh(z - half), np.tanh(z + half))


def _pairs(value: Floats, low: Floats, high: Floats) -> Pairs:
    def estimate(i: int, j: int) -> Estimate:
        return Estimate(float(value[i, j]), float(low[i, j]), float(high[i, j]))

    return estimate
