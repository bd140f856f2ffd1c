"""Standard deviations of blocks of records, and outliers."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtri

from tarnkappe.kernels.standard import SMALLEST_SPREAD

Floats = NDArray[np.float64]
Integers = NDArray[np.integer]
Bools = NDArray[np.bool_]

NORMAL_MAD = 1.4826
"""Median absolute deviation times this is the standard deviation of normal data."""
FAR, TAIL = 3.0, 0.025
"""An outlier is farther than so many robust standard deviations, or beyond this tail of χ² in all columns together."""


def block_spreads(x: Floats, of: Integers, blocks: int) -> Floats:
    """Population standard deviation of every column in every block; NaN counts for nothing.

    A block without variation, or with a single value, gets the standard deviation of the whole column: the noise
    there is not smaller than elsewhere, and nothing stays as it is.
    """
    out = np.empty((blocks, x.shape[1]))
    for j in range(x.shape[1]):
        there = ~np.isnan(x[:, j])
        y, b = x[there, j], of[there]
        whole = _spread(y, np.zeros(len(y), dtype=np.int64), 1)
        found = whole if blocks == 1 else _spread(y, b, blocks)
        out[:, j] = np.where(found > 0, found, whole)
    return out


def _spread(y: Floats, b: Integers, blocks: int) -> Floats:
    count = np.maximum(np.bincount(b, minlength=blocks), 1)
    centred = y - (np.bincount(b, y, blocks) / count)[b]
    sd = np.sqrt(np.bincount(b, centred**2, blocks) / count)
    out: Floats = np.where(sd > SMALLEST_SPREAD * np.abs(y).max(initial=0.0), sd, 0.0)
    return out


def outliers(x: Floats) -> Bools:
    """Records that lie far out in one column, or in all of them together; gaps count as the middle.

    Columns are standardised by median and median absolute deviation. Together they are judged by the distance in robust
    principal directions (orthogonalised Gnanadesikan-Kettenring, Maronna and Zamar 2002), beyond the 97.5 % point of χ².
    """
    z = _robust(x)
    if not len(x):
        return np.zeros(0, dtype=np.bool_)
    scores = _robust(z @ np.linalg.eigh(_robust_correlation(z))[1])
    far: Bools = (np.abs(z) > FAR).any(axis=1) | ((scores**2).sum(axis=1) > chdtri(x.shape[1], TAIL))
    return far


def _robust(x: Floats) -> Floats:
    """Columns with median 0 and robust standard deviation 1; gaps and constants become 0."""
    out = np.zeros_like(x)
    for j in range(x.shape[1]):
        y = x[~np.isnan(x[:, j]), j]
        if not len(y):
            continue
        middle = np.median(y)
        away = np.abs(y - middle)
        scale = NORMAL_MAD * np.median(away) or np.sqrt(
            np.mean(away**2)
        )  # half of it equal: no median deviation
        if scale > SMALLEST_SPREAD * np.abs(y).max():
            out[:, j] = np.nan_to_num((x[:, j] - middle) / scale)
    return out


def _robust_correlation(z: Floats) -> Floats:
    """(σ²(a + b) - σ²(a - b)) / (σ²(a + b) + σ²(a - b)) with robust σ, for every pair."""
    p = z.shape[1]
    r = np.eye(p)
    for i in range(p):
        for j in range(i):
            plus, minus = (float(np.median(np.abs(z[:, i] + s * z[:, j]))) ** 2 for s in (1, -1))
            r[i, j] = r[j, i] = (plus - minus) / (plus + minus) if plus + minus > 0 else 0.0
    return r
