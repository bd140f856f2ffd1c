"""How far records lie from the core of the data, and how near to the next one.

Sources: templmeindl2008 (robust Mahalanobis distances in disclosure risk); rousseeuw1999 (minimum covariance determinant);
croux1999 (factor that makes the covariance of the core that of a normal cloud).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammainc, gammaincinv

from tarnkappe.kernels.robust import CUT, SMALL, core

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Ellipsoid:
    """Centre, axes and variances along them of the core of some points."""

    centre: Floats
    axes: Floats
    spread: Floats

    @staticmethod
    def of(x: Floats) -> Ellipsoid:
        """The core of the rows of `x`.

        Where it is flat, as when more than half of a column is zero, the variance of all points in that direction counts; directions
        without any count for nothing.
        """
        p = x.shape[1]
        centre, scatter = core(x)
        consistent = CUT / gammainc(p / 2 + 1, gammaincinv(p / 2, CUT))  # χ² with p and p + 2 degrees
        values, axes = np.linalg.eigh(scatter * consistent)
        flat = values <= SMALL * max(float(values[-1]), 0.0)
        spread = np.where(flat, (((x - centre) @ axes) ** 2).mean(axis=0), values)
        usable = spread > SMALL**2 * max(float(spread.max()), 0.0)
        return Ellipsoid(centre, axes, np.where(usable, spread, np.inf))

    def distances(self, y: Floats) -> Floats:
        """Mahalanobis distance of every row."""
        out: Floats = np.hypot.reduce((y - self.centre) @ self.axes / np.sqrt(self.spread), axis=1)
        return out

    def farthest(self, steps: Floats) -> Floats:
        """By how much the distance of a row changes at most when its numbers change by no more than `steps`."""
        out: Floats = np.hypot.reduce(steps @ np.abs(self.axes) / np.sqrt(self.spread), axis=1)
        return out


def normal_edge(columns: int, beyond: float) -> float:
    """The distance that this share of a normal cloud exceeds: the root of a quantile of χ²."""
    return float(np.sqrt(2 * gammaincinv(columns / 2, 1 - beyond)))


def robust_distances(x: Floats) -> Floats:
    """Robust Mahalanobis distance of every row; about √χ² with as many degrees of freedom as columns if the data is normal."""
    return Ellipsoid.of(x).distances(x)


def nearest_other(y: Floats) -> Floats:
    """Distance of every row to the nearest other one; infinite for a row that is alone. Memory grows with the rows, not the pairs."""
    from scipy.spatial import KDTree  # noqa: PLC0415 -- loaded when first used

    if not len(y):
        return np.zeros(0)
    distinct, which, times = np.unique(y, axis=0, return_inverse=True, return_counts=True)
    which = which.ravel()
    if len(distinct) < 2:
        return np.where(times[which] > 1, 0.0, np.inf)
    apart = np.asarray(KDTree(distinct).query(distinct, k=[2])[0])[:, 0]
    return np.where(times[which] > 1, 0.0, apart[which])
