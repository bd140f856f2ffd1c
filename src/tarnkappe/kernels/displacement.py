"""How far the numbers of the same records moved.

Sources: dav2025, 6.3 (MSE, MAE, mean variation); domingoferrer2001 (mean variation, called IL1); yancey2002 (IL1s: the divisor √2 · s, the standard deviation of
the difference of two independent draws of the column). An old public routine multiplies by √2 where it should divide: its IL1s is twice ours.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

Floats = NDArray[np.float64]

BLOCK = 512
"""Sums run in blocks, so that rounding does not grow with the number of records."""
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
    x, y = np.ascontiguousarray(x), np.ascontiguousarray(y)
    cells, small = _counted(x, y, NEAR * s)
    if not cells:
        return Displacement(0, np.nan, np.nan, np.nan, np.nan, 0)
    near = min(NEAR * s, NEAR * _usual(x[~np.isnan(y)], s)) if small else 0.0
    moved, squared, varied, guarded = _moved(x, y, s, near)
    return Displacement(
        cells, moved / cells / np.sqrt(2), varied / cells, moved / cells, squared / cells, guarded
    )


def _usual(x: Floats, s: float) -> float:
    """The usual size of the numbers: the median of those that are not 0."""
    size = np.abs(x)
    there = size[size > 0]
    return float(np.median(there)) if len(there) else s


@njit(cache=True)
def _counted(x: Floats, y: Floats, bound: float) -> tuple[int, int]:
    """Cells that both files show, and how many of them were below a bound in size."""
    cells = small = 0
    for i in range(len(x)):
        if not (np.isnan(x[i]) or np.isnan(y[i])):
            cells += 1
            small += abs(x[i]) < bound
    return cells, small


@njit(cache=True)
def _moved(x: Floats, y: Floats, s: float, near: float) -> tuple[float, float, float, int]:
    """Sums of |y - x| / s, of its square and of |y - x| / |x|, with s for |x| below `near`; and how often that was."""
    moved, squared, varied, guarded = 0.0, 0.0, 0.0, 0
    for start in range(0, len(x), BLOCK):
        first = second = third = 0.0
        for i in range(start, min(start + BLOCK, len(x))):
            if np.isnan(x[i]) or np.isnan(y[i]):
                continue
            d = abs(y[i] - x[i]) / s
            first += d
            second += d * d
            if abs(x[i]) < near:
                third += d
                guarded += 1
            elif d > 0:
                third += d / (abs(x[i]) / s)
        moved, squared, varied = moved + first, squared + second, varied + third
    return moved, squared, varied, guarded


def cells_of(x: Floats, y: Floats) -> Floats:
    """Number of cells of each record that both files show."""
    out = np.zeros(len(x))
    for j in range(x.shape[1]):
        out += ~(np.isnan(x[:, j]) | np.isnan(y[:, j]))
    return out


def lengths(x: Floats, y: Floats, s: Floats) -> tuple[Floats, Floats]:
    """How far each record moved, in standard deviations: the sum over the columns (L1) and the straight line (L2); gaps count 0."""
    first, second = np.zeros(len(x)), np.zeros(len(x))
    for j in range(x.shape[1]):
        _lengthened(first, second, np.ascontiguousarray(x[:, j]), np.ascontiguousarray(y[:, j]), s[j])
    return first, np.sqrt(second)


@njit(cache=True)
def _lengthened(first: Floats, second: Floats, x: Floats, y: Floats, s: float) -> None:
    for i in range(len(x)):
        if not (np.isnan(x[i]) or np.isnan(y[i])):
            d = abs(y[i] - x[i]) / s
            first[i] += d
            second[i] += d * d
