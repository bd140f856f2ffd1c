"""How far records lie from the core of the data, and how near to the next one.

Sources: templmeindl2008 (robust Mahalanobis distances in disclosure risk); rousseeuw1999 (minimum covariance determinant);
croux1999 (factor that makes the covariance of the core that of a normal cloud).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammainc, gammaincinv

from tarnkappe.kernels.robust import CUT, SMALL, core

Floats = NDArray[np.float64]


def robust_distances(x: Floats) -> Floats:
    """Robust Mahalanobis distance of every row; about √χ² with as many degrees of freedom as columns if the data is normal.

    Where the core is flat, as when more than half of a column is zero, the distance from it is measured by the standard deviation of
    all points in that direction.
    """
    p = x.shape[1]
    centre, scatter = core(x)
    consistent = CUT / gammainc(p / 2 + 1, gammaincinv(p / 2, CUT))  # χ² with p and p + 2 degrees
    values, axes = np.linalg.eigh(scatter * consistent)
    turned = (x - centre) @ axes
    flat = values <= SMALL * max(float(values[-1]), 0.0)
    spread = np.where(flat, (turned**2).mean(axis=0), values)
    usable = spread > SMALL**2 * max(float(spread.max()), 0.0)
    out: Floats = np.sqrt((turned**2 / np.where(usable, spread, 1.0))[:, usable].sum(axis=1))
    return out


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
