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


def pair_sums(
    x: Floats, w: Floats | None = None, scale: Floats | float = 1.0, centre: Floats | None = None
) -> PairSums:
    """Sums of the columns over `scale`, which must bring them to a size that can be squared; around another centre where one is given."""
    columns = x.shape[1]
    if centre is None:
        centre = column_means(x, w, scale)
    records, weight, products, first, squares = np.zeros((5, columns, columns))
    for start in range(0, len(x), ROWS):
        z = x[start : start + ROWS] / scale - centre
        each = np.ones(len(z)) if w is None else np.maximum(w[start : start + ROWS], 0.0)
        masks, at = _masks(z, each)
        count = masks.T @ masks
        weighted = z if w is None else z * each[:, None]
        records += count[np.ix_(at, at)]
        weight += (count if w is None else (masks * each[:, None]).T @ masks)[np.ix_(at, at)]
        products += weighted.T @ z
        first += (weighted.T @ masks)[:, at]
        squares += ((weighted * z).T @ masks)[:, at]
    return PairSums(records, weight, products, first, squares)


def _masks(z: Floats, w: Floats) -> tuple[Floats, NDArray[np.intp]]:
    """The different patterns of records that count as columns of 0 and 1, and which of them each column has; gaps of z become 0.

    Columns without a gap share the first pattern, so that they cost one product and not one each.
    """
    there = ~np.isnan(z)
    with_gaps = np.flatnonzero(~there.all(axis=0))
    at = np.zeros(z.shape[1], dtype=np.intp)
    at[with_gaps] = np.arange(1, len(with_gaps) + 1)
    masks = np.empty((len(z), len(with_gaps) + 1), order="F")
    masks[:, 0] = w > 0
    masks[:, 1:] = there[:, with_gaps] & (w > 0)[:, None]
    z[~there] = 0.0
    if not masks[:, 0].all():
        z[masks[:, 0] == 0] = 0.0
    return masks, at


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
