"""Covariance and correlation matrices, weighted, of the cases that have both values."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tarnkappe.kernels.moments import ROUNDING

Floats = NDArray[np.float64]


def covariances(x: Floats, w: Floats | None = None, least: int = 2) -> Floats:
    """Covariances with divisor n (or Σw), each over the records that have both values; NaN where fewer than `least` have.

    The columns must be of a size that can be squared: divide them by `power_scale` before.
    """
    there = ~np.isnan(x)
    if w is not None:
        there &= (w > 0)[:, None]
    if there.all():
        return _together(x, w) if len(x) >= least else np.full((x.shape[1],) * 2, np.nan)
    out = np.full((x.shape[1], x.shape[1]), np.nan)
    for i in range(x.shape[1]):
        for j in range(i + 1):
            both = there[:, i] & there[:, j]
            if both.sum() >= least:
                found = _together(x[both][:, [i, j]], None if w is None else w[both])
                out[i, j] = out[j, i] = found[0, 1]
    return out


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
