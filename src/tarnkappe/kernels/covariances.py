"""Covariance and correlation matrices, weighted, of the cases that have both values."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tarnkappe.kernels.moments import ROUNDING

Floats = NDArray[np.float64]


def covariances(x: Floats, w: Floats | None = None, least: int = 2) -> Floats:
    """Covariances with divisor n (or Σw), each over the records that have both values; NaN where fewer than `least` have.

    The columns must be of a size that can be squared: divide them by `power_scale` before. All pairs come from products of
    matrices: of the numbers, centred once and 0 in gaps (z), and of what is there (m). Then for a pair
    Σz_i z_j / Σm_i m_j - (Σz_i m_j)(Σm_i z_j) / (Σm_i m_j)².
    """
    there = ~np.isnan(x) if w is None else ~np.isnan(x) & (w > 0)[:, None]
    m = there.astype(np.float64)
    weight = m if w is None else m * w[:, None]
    together = weight.T @ m
    many = m.T @ m >= max(least, 1)
    filled = np.where(there, x, 0.0)
    centre = (weight * filled).sum(axis=0) / np.where(np.diag(many), np.diag(together), 1.0)
    z = np.where(there, filled - centre, 0.0)
    scaled = z if w is None else z * w[:, None]
    with np.errstate(divide="ignore", invalid="ignore"):
        shift = (scaled.T @ m) / together
        out: Floats = (scaled.T @ z) / together - shift * shift.T
    return np.where(many, (out + out.T) / 2, np.nan)


def correlations(x: Floats, w: Floats | None = None) -> Floats:
    """Correlations of complete records; NaN for columns that do not vary."""
    found = _together(x, w)
    sd = np.sqrt(np.diag(found))
    flat = sd <= ROUNDING * np.abs(x).max(axis=0, initial=0.0)
    sd[flat] = np.nan
    out: Floats = found / sd / sd[:, None]
    np.fill_diagonal(out, np.where(flat, np.nan, 1.0))
    return out


def _together(x: Floats, w: Floats | None) -> Floats:
    part = np.full(len(x), 1 / len(x)) if w is None else w / w.sum()
    centred = x - part @ x
    centred -= part @ centred  # takes the rounding of the first pass away
    out: Floats = (centred * part[:, None]).T @ centred
    return (out + out.T) / 2
