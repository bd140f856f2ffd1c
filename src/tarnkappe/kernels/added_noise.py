"""Noise added to a file record by record, and where it hardly moved anything: no copy of the file is made on the way."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]


@njit(cache=True, nogil=True)
def filled_covariance(x: Floats, scale: Floats) -> Floats:
    """Covariances of the columns over their scale, as if a gap had the value of the mean; divisor √(n_j n_k), gaps not counted."""
    m = x.shape[1]
    count, mean, out, centred = np.zeros(m), np.zeros(m), np.zeros((m, m)), np.empty(m)
    for i in range(len(x)):
        for j in range(m):
            if not np.isnan(x[i, j]):
                count[j] += 1
                mean[j] += x[i, j] / scale[j]
    count = np.maximum(count, 1.0)
    mean /= count
    for i in range(len(x)):
        for j in range(m):
            centred[j] = 0.0 if np.isnan(x[i, j]) else x[i, j] / scale[j] - mean[j]
        for j in range(m):
            for k in range(m):
                out[j, k] += centred[j] * centred[k]
    return out / np.sqrt(np.outer(count, count))


@njit(cache=True, nogil=True)
def add_noise(x: Floats, scale: Floats, root: Floats, white: Floats) -> None:
    """Put x + scale·root·e in the place of white noise e, record by record."""
    m, turned, moved = x.shape[1], root.T.copy(), np.empty(x.shape[1])
    for i in range(len(x)):
        for j in range(m):
            moved[j] = x[i, j] / scale[j]
        for k in range(m):
            for j in range(m):
                moved[j] += white[i, k] * turned[k, j]
        for j in range(m):
            white[i, j] = moved[j] * scale[j]


@njit(cache=True, nogil=True)
def near_in_any(x: Floats, y: Floats, scale: Floats, part: float) -> Bools:
    """Records in which at least one value is off by less than this part of it."""
    out = np.zeros(len(x), np.bool_)
    for i in range(len(x)):
        for j in range(x.shape[1]):
            old = x[i, j] / scale[j]
            if abs(y[i, j] / scale[j] - old) < part * abs(old):
                out[i] = True
                break
    return out
