"""Standard deviations of blocks of records, and outliers."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtri

from tarnkappe.kernels.middle_size import middle_size
from tarnkappe.kernels.on_cores import on_cores, slices
from tarnkappe.kernels.standard import SMALLEST_SPREAD

Floats = NDArray[np.float64]
Integers = NDArray[np.integer]
Bools = NDArray[np.bool_]

NORMAL_MAD = 1.4826
"""Median absolute deviation times this is the standard deviation of normal data."""
JUDGED = 10
"""With fewer records a block has no middle and no spread to judge them by; the whole file has."""
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


def block_outliers(x: Floats, blocks: Sequence[Integers]) -> Bools:
    """As `outliers`, every block by itself; the records of blocks that are too small by the whole file."""
    small = len(blocks) == 1 or any(len(rows) < JUDGED for rows in blocks)
    out = outliers(x) if small else np.zeros(len(x), dtype=np.bool_)
    for rows in blocks if len(blocks) > 1 else ():
        if len(rows) >= JUDGED:
            out[rows] = outliers(x[rows])
    return out


def outliers(x: Floats) -> Bools:
    """Records that lie far out in one column, or in all of them together; gaps count as the middle.

    Columns are standardised by median and median absolute deviation. Together they are judged by the distance in robust
    principal directions (orthogonalised Gnanadesikan-Kettenring, Maronna and Zamar 2002), beyond the 97.5 % point of χ².
    """
    z = _robust(x)
    if not len(x):
        return np.zeros(0, dtype=np.bool_)
    directions, limit = np.linalg.eigh(_robust_correlation(z))[1], chdtri(x.shape[1], TAIL)
    scores = np.empty(z.shape, order="F")

    def turn(rows: slice) -> None:
        scores[rows] = z[rows] @ directions

    on_cores(turn, slices(len(z)), len(z))
    scores = _robust(scores)
    far = np.empty(len(z), dtype=np.bool_)

    def judge(rows: slice) -> None:
        far[rows] = (np.abs(z[rows]) > FAR).any(axis=1) | ((scores[rows] ** 2).sum(axis=1) > limit)

    on_cores(judge, slices(len(z)), len(z))
    return far


def _robust(x: Floats) -> Floats:
    """Columns with median 0 and robust standard deviation 1; gaps and constants become 0."""
    out = np.zeros(x.shape, order="F")

    def standardise(j: int) -> None:
        out[:, j] = _standardised(x[:, j])

    on_cores(standardise, range(x.shape[1]), len(x))
    return out


def _standardised(x: Floats) -> Floats:
    y = x[~np.isnan(x)]
    if not len(y):
        return np.zeros(len(x))
    middle = np.median(y)
    away = np.abs(y - middle)
    # where half of them are equal the median deviation is 0
    scale = NORMAL_MAD * np.median(away, overwrite_input=True) or np.sqrt(np.mean(away**2))
    if scale <= SMALLEST_SPREAD * np.abs(y).max():
        return np.zeros(len(x))
    out: Floats = np.nan_to_num((x - middle) / scale)
    return out


def _robust_correlation(z: Floats) -> Floats:
    """(σ²(a + b) - σ²(a - b)) / (σ²(a + b) + σ²(a - b)) with robust σ, for every pair."""
    r, pairs = np.eye(z.shape[1]), list(combinations(range(z.shape[1]), 2))
    for (i, j), found in zip(
        pairs, on_cores(lambda p: _alike(z[:, p[0]], z[:, p[1]]), pairs, len(z)), strict=True
    ):
        r[i, j] = r[j, i] = found
    return r


def _alike(a: Floats, b: Floats) -> float:
    plus, minus = (middle_size(a, b, sign) ** 2 for sign in (1.0, -1.0))
    return (plus - minus) / (plus + minus) if plus + minus > 0 else 0.0
