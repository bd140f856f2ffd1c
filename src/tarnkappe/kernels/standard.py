"""Columns on a common scale, without overflow and with gaps."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Ints = NDArray[np.integer]

SMALLEST_SPREAD = 1e-12
"""A column that varies less than this, against its largest value, counts as constant."""


SMALLEST_NORMAL = float(np.finfo(np.float64).smallest_normal)
"""Numbers nearer to zero than this have fewer digits the smaller they are: what is claimed of results, to 10⁻⁹ of the values, cannot hold."""


def lacks_digits(x: Floats) -> Bools:
    """Numbers that are not zero but too near to it to have all their digits."""
    out: Bools = (x < SMALLEST_NORMAL) & (x > -SMALLEST_NORMAL) & (x != 0)
    return out


def power_scale(x: Floats) -> Floats:
    """A power of two per column near its largest value: dividing by it is exact and nothing overflows. Gaps (NaN) do not count."""
    largest = np.maximum(np.fmax.reduce(x, axis=0, initial=0.0), -np.fmin.reduce(x, axis=0, initial=0.0))
    out: Floats = np.ldexp(1.0, np.frexp(np.where(largest > 0, largest, 1.0))[1] - 1)
    return out


def standardised(x: Floats, there: Bools) -> Floats:
    """Mean 0 and population standard deviation 1 over the values that are there; constants and gaps become 0."""
    count, whole = np.maximum(there.sum(axis=0), 1), bool(there.all())
    out: Floats = x - (x if whole else np.where(there, x, 0.0)).sum(axis=0) / count
    if not whole:
        out[~there] = 0.0
    spread = np.sqrt((out**2).sum(axis=0) / count)
    varies = spread > SMALLEST_SPREAD
    out /= np.where(varies, spread, 1.0)
    if not varies.all():
        out *= varies
    return out


def standardised_within(x: Floats, there: Bools, of: Ints, blocks: int) -> Floats:
    """As `standardised`, every block of records by itself; `of` is the block of every record."""
    if blocks <= 1:
        return standardised(x, there)
    out = np.zeros_like(x)
    for j in range(x.shape[1]):
        rows = np.flatnonzero(there[:, j])
        y, b = x[rows, j], of[rows]
        size = np.zeros(blocks)
        np.maximum.at(size, b, np.abs(y))
        unit = power_scale(size[None, :])  # of each block: small ones beside large ones keep their digits
        count = np.maximum(np.bincount(b, minlength=blocks), 1)
        y = y / unit[b]
        y -= (np.bincount(b, y, blocks) / count)[b]
        spread = np.sqrt(np.bincount(b, y**2, blocks) / count)
        varies = spread > SMALLEST_SPREAD
        out[rows, j] = y / np.where(varies, spread, np.inf)[b]
    return out
