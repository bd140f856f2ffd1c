"""Clusters around centres (k-means) from a fixed start, so that nothing is random."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tarnkappe.kernels.robust import covariance, main_axis

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

ROUNDS = 25


def centre_clusters(x: Floats, who: Ints, clusters: int, k: int) -> Ints:
    """The cluster of every row, 0, 1, …; none has fewer than k contributors, so there can be fewer clusters than asked for.

    The start are equal parts along the first principal component. A cluster with too few contributors is dissolved into the
    nearest of the others.
    """
    part = (
        np.argsort(np.argsort(x @ main_axis(covariance(x)), kind="stable"), kind="stable")
        * clusters
        // len(x)
    )
    centres = _means(x, part)
    for _ in range(ROUNDS):
        new = _nearest(x, centres)
        if np.array_equal(new, part):
            break
        part, centres = new, _means(x, new)
    while len(centres) > 1:
        part = np.unique(part, return_inverse=True)[1]
        many = np.bincount(np.unique(np.stack([part, who]), axis=1)[0])
        if (many >= k).all():
            break
        centres = np.delete(_means(x, part), np.argmin(many), axis=0)
        part = _nearest(x, centres)
    return np.unique(part, return_inverse=True)[1].astype(np.int64)


def _means(x: Floats, part: Ints) -> Floats:
    part = np.unique(part, return_inverse=True)[1]
    counts = np.bincount(part)
    return np.stack([np.bincount(part, x[:, j]) / counts for j in range(x.shape[1])], axis=1)


def _nearest(x: Floats, centres: Floats) -> Ints:
    best, least = np.zeros(len(x), dtype=np.int64), np.full(len(x), np.inf)
    for number, centre in enumerate(centres):
        d = ((x - centre) ** 2).sum(axis=1)
        best[d < least] = number
        least = np.minimum(least, d)
    return best
