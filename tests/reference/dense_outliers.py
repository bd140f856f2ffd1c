"""Outlier risk with the distances of all pairs, as dRiskRMD of sdcMicro computes it, in units of the true values."""

import numpy as np

from tarnkappe.kernels.outlying import robust_distances


def dense_outliers(x, y, width, radius, *, joint=False):
    """Shares unsafe, and unsafe without another released record within the radius."""
    x, y = ((v - x.mean(axis=0)) / x.std(axis=0) for v in (x, y))
    half = width * robust_distances(x)
    inside = np.abs(y - x) <= half[:, None]
    unsafe = inside.all(axis=1) if joint else inside.any(axis=1)
    apart = np.sqrt(((y[:, None, :] - y[None, :, :]) ** 2).sum(axis=2))
    np.fill_diagonal(apart, np.inf)
    return unsafe.mean(), (unsafe & (apart.min(axis=1) > radius)).mean()
