"""Noise with the covariance of the data, block by block."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from tarnkappe.kernels.unit_noise import White
from tarnkappe.kernels.white_noise import Covariance, coloured, covariance, orthogonal_white

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def proportional_noise(x: Floats, blocks: Iterable[Ints], d: float, white: White) -> Floats:
    """Noise with the covariance d·Σ of every block; small blocks and columns constant in theirs take that of all.

    Records with gaps get their part of a whole draw.
    """
    every = covariance(x)
    out = np.empty_like(x)
    for rows in blocks:
        c = own_or(every, x[rows])
        out[rows] = coloured(white(rows), c, d)
    return out


def own_or(every: Covariance, x: Floats) -> Covariance:
    """The covariance of a block where it has enough records, otherwise that of all."""
    if np.count_nonzero(~np.isnan(x).any(axis=1)) < x.shape[1] + 2:
        return every
    c = covariance(x)
    return Covariance(np.where(c.sd > 0, c.sd, every.sd), c.r)


def exact_noise(x: Floats, blocks: Iterable[Ints], d: float, white: White) -> Floats:
    """As above, but over the records without gaps mean 0, covariance d·Σ and no correlation with the data, exactly.

    Every block must have at least 2p + 2 records without gaps and p columns that vary.
    """
    out = np.empty_like(x)
    for rows in blocks:
        whole = rows[~np.isnan(x[rows]).any(axis=1)]
        c = covariance(x[whole])
        out[rows] = coloured(white(rows), c, d)
        out[whole] = coloured(orthogonal_white(white(whole), x[whole]), c, d)
    return out
