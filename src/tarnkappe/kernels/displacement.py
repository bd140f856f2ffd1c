"""How far the numbers of the same records moved.

Sources: dav2025, 6.3 (MSE, MAE, mean variation); domingoferrer2001 (mean variation, called IL1); yancey2002 (IL1s: the divisor √2 · s, the standard deviation of
the difference of two independent draws of the column). An old public routine multiplies by √2 where it should divide: its IL1s is twice ours.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

NEAR = 0.01
"""A number is near zero if it is smaller than this part of what is usual in its column: its relative change says nothing."""


class Displacement(NamedTuple):
    """What one column lost, over the cells that both files show."""

    cells: int
    il1s: float
    mean_variation: float
    mae: float
    mse: float
    """In standard deviations, and in variances, of the original column."""
    guarded: int
    """Cells near zero, whose change was divided by the standard deviation instead of by the value."""


def displacement(x: Floats, y: Floats, s: float) -> Displacement:
    """Compare a column cell by cell; `s` is its original standard deviation, above 0. Where either is NaN, the cell is left out."""
    there = ~(np.isnan(x) | np.isnan(y))
    if not there.any():
        return Displacement(0, np.nan, np.nan, np.nan, np.nan, 0)
    near = _near_zero(np.abs(x[there]), s)
    with np.errstate(over="ignore"):
        x, moved = x[there] / s, np.abs(y[there] - x[there]) / s
        squares = float(np.mean(moved**2))
        varied = float(np.mean(moved / np.where(near, 1.0, np.abs(x))))
        mae = float(np.mean(moved))
    return Displacement(len(x), mae / np.sqrt(2), varied, mae, squares, int(near.sum()))


def _near_zero(size: Floats, s: float) -> NDArray[np.bool_]:
    """Sizes below a hundredth of the standard deviation and of the usual size, the median of those that are not 0."""
    usual = size[size > 0]
    out: NDArray[np.bool_] = size < NEAR * min(s, float(np.median(usual)) if len(usual) else s)
    return out


def lengths(x: Floats, y: Floats, s: Floats) -> tuple[Floats, Floats]:
    """How far each record moved, in standard deviations: the sum over the columns (L1) and the straight line (L2); gaps count 0."""
    first, second = np.zeros(len(x)), np.zeros(len(x))
    with np.errstate(over="ignore"):
        for j in range(x.shape[1]):
            moved = np.nan_to_num(np.abs(y[:, j] - x[:, j]) / s[j], nan=0.0, posinf=np.inf)
            first += moved
            second += moved**2
    return first, np.sqrt(second)
