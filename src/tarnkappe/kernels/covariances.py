"""Covariance and correlation matrices, weighted, of the cases that have both values."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tarnkappe.kernels.moments import ROUNDING
from tarnkappe.kernels.pair_sums import PairSums, pair_sums
from tarnkappe.kernels.standard import power_scale

Floats = NDArray[np.float64]


def covariances(x: Floats, w: Floats | None = None, least: int = 2, scale: Floats | float = 1.0) -> Floats:
    """Covariances with divisor n (or Σw), each over the records that have both values; NaN where fewer than `least` have.

    The columns over `scale` must be of a size that can be squared: `power_scale`. For a pair, with z the columns less their means,
    Σz_i z_j / n - (Σz_i)(Σz_j) / n² over the records that have both.
    """
    return covariances_of(pair_sums(x, w, scale), least)


def covariances_of(sums: PairSums, least: int = 2) -> Floats:
    """Covariances from sums over pairs of columns."""
    with np.errstate(divide="ignore", invalid="ignore"):
        shift = sums.first / sums.weight
        out: Floats = sums.products / sums.weight - shift * shift.T
    return np.where(sums.records >= max(least, 1), (out + out.T) / 2, np.nan)


def correlations_of(sums: PairSums, least: int = 2) -> Floats:
    """Correlations from sums over pairs of columns, each with the spread of the records that have both; NaN where one does not vary."""
    n = np.where(sums.weight > 0, sums.weight, np.nan)
    spread = sums.squares / n - (sums.first / n) ** 2
    size = np.sqrt(np.where(spread > ROUNDING**2, spread, np.nan))
    out: Floats = np.clip(covariances_of(sums, least) / size / size.T, -1, 1)
    return out


def correlations(x: Floats, w: Floats | None = None) -> Floats:
    """Correlations of complete records; NaN for columns that do not vary."""
    found = covariances(x, w, 1)
    sd = np.sqrt(np.diag(found))
    flat = sd <= ROUNDING * power_scale(x)
    sd[flat] = np.nan
    out: Floats = found / sd / sd[:, None]
    np.fill_diagonal(out, np.where(flat, np.nan, 1.0))
    return out
