"""Whom the nearest original record belongs to."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import KDTree

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def links(original: Floats, masked: Floats) -> tuple[Bools, Ints]:
    """For every masked record: does its own original lie nearer than any other, and which original lies nearest?

    Of originals that are equal the first one stands for all, and no record is linked to one of them.
    """
    distinct, first, which, times = np.unique(
        original, axis=0, return_index=True, return_inverse=True, return_counts=True
    )
    which = which.ravel()
    if len(distinct) < 2:
        return np.full(len(original), len(original) == 1), first[which].astype(np.int64)
    found, nearest = KDTree(distinct).query(masked, k=[1, 2])
    found, nearest = np.asarray(found), np.asarray(nearest)
    own = (nearest[:, 0] == which) & (times[which] == 1)
    linked: Bools = own & (found[:, 0] < found[:, 1] * (1 - 1e-12))
    return linked, first[nearest[:, 0]].astype(np.int64)
