"""Sums over all pairs of columns, each over the records that have both values, a block of records at a time."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

ROWS = 8192
"""Records in a block: small enough for a cache, large enough for products of matrices."""


class PairSums(NamedTuple):
    """For every pair (i, j), over the records that have both, with z the column less its mean."""

    records: Floats
    weight: Floats
    """Σw."""
    products: Floats
    """Σw z_i z_j."""
    first: Floats
    """Σw z_i."""
    squares: Floats
    """Σw z_i²."""


def pair_sums(x: Floats, w: Floats | None = None, scale: Floats | float = 1.0) -> PairSums:
    """Sums of the columns over `scale`, which must bring them to a size that can be squared."""
    columns = x.shape[1]
    centre = column_means(x, w, scale)
    records, weight, products, first, squares = np.zeros((5, columns, columns))
    for start in range(0, len(x), ROWS):
        part = x[start : start + ROWS] / scale - centre
        there = ~np.isnan(part)
        each = None if w is None else w[start : start + ROWS]
        if each is not None:
            there &= (each > 0)[:, None]
        m = there.astype(np.float64)
        z = np.where(there, part, 0.0)
        count = m.T @ m
        records += count
        weighted = z if each is None else z * each[:, None]
        weight += count if each is None else (m * each[:, None]).T @ m
        products += weighted.T @ z
        first += weighted.T @ m
        squares += (weighted * z).T @ m
    return PairSums(records, weight, products, first, squares)


def column_means(x: Floats, w: Floats | None, scale: Floats | float = 1.0) -> Floats:
    """Means of the values that are there; 0 where there are none."""
    total, size = np.zeros((2, x.shape[1]))
    for start in range(0, len(x), ROWS):
        part = x[start : start + ROWS] / scale
        there = ~np.isnan(part)
        each = np.ones(len(part)) if w is None else np.maximum(w[start : start + ROWS], 0.0)
        total += each @ np.where(there, part, 0.0)
        size += each @ there
    out: Floats = total / np.where(size > 0, size, 1.0)
    return out
