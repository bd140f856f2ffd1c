"""What one true value of a record tells about its others, when the released record is known.

Source: hoehne2010, 4.2.2 (equation 4.2-4, row-constant factors); the shift by regression is its counterpart for added noise that
follows the covariances of the data.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]


def factors(x: Floats, y: Floats) -> Floats:
    """True over released: what undoes a factor; not a number where either is unknown or nothing was released but zero."""
    known = ~np.isnan(x) & ~np.isnan(y) & (y != 0)
    with np.errstate(over="ignore"):
        out: Floats = np.divide(x, y, out=np.full(len(x), np.nan), where=known)
    return out


def scaled_back(y: Floats, factor: Floats) -> Floats:
    """Every released value times the factor of its record; as released where the factor is unknown."""
    usable = np.isfinite(factor)
    with np.errstate(over="ignore"):
        out: Floats = y * np.where(usable, factor, 1.0)[:, None]
    return out


def shifted_back(y: Floats, x: Floats, l: int) -> Floats:  # noqa: E741 -- the book's letter for the known column
    """Every released value plus β times the error of the known one, β from the regression of the released columns on column l."""
    error = np.where(np.isnan(x[:, l]) | np.isnan(y[:, l]), 0.0, x[:, l] - y[:, l])
    slopes = np.array([_slope(y[:, l], y[:, j]) for j in range(y.shape[1])])
    out: Floats = y + error[:, None] * slopes
    return out


def medians(y: Floats) -> Floats:
    """The median of every column over what is shown; 0 where nothing is."""
    return np.array([np.median(shown) if len(shown := c[~np.isnan(c)]) else 0.0 for c in y.T])


def by_typical_ratio(y: Floats, x: Floats, l: int) -> Floats:  # noqa: E741
    """The known value times the median ratio of the released columns: what can be said without finding the record."""
    guess = np.full(x.shape, np.nan)
    for j in range(x.shape[1]):
        ratios = factors(y[:, j], y[:, l])
        seen = ratios[np.isfinite(ratios)]
        with np.errstate(over="ignore", invalid="ignore"):
            guess[:, j] = x[:, l] * (np.median(seen) if len(seen) else np.nan)
    return guess


def unique_hits(known: Floats, released: Floats, reach: float) -> Bools:
    """For every row of `known`: is its own row of `released` the only one within `reach` in every coordinate?

    Rows with gaps are not found. Equal released rows are told apart by nobody.
    """
    from scipy.spatial import KDTree  # noqa: PLC0415 -- loaded when first used

    out = np.zeros(len(known), dtype=np.bool_)
    can = np.isfinite(released).all(axis=1)
    rows = np.flatnonzero(can & np.isfinite(known).all(axis=1))
    if not len(rows):
        return out
    distinct, which, times = np.unique(released[can], axis=0, return_inverse=True, return_counts=True)
    at = np.full(len(known), -1, dtype=np.int64)
    at[can] = which.ravel()
    far, place = (np.asarray(a) for a in KDTree(distinct).query(known[rows], k=[1, 2], p=np.inf))
    alone = (far[:, 0] <= reach) & (far[:, 1] > reach)
    out[rows] = alone & (place[:, 0] == at[rows]) & (times[at[rows]] == 1)
    return out


def _slope(a: Floats, b: Floats) -> float:
    """Slope of the regression of b on a; 0 where a does not vary."""
    both = ~np.isnan(a) & ~np.isnan(b)
    if np.count_nonzero(both) < 2:
        return 0.0
    a, b = a[both] - a[both].mean(), b[both] - b[both].mean()
    spread = float((a * a).sum())
    return float((a * b).sum()) / spread if spread > 0 else 0.0
