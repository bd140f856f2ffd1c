"""Is the true original of a masked record among the nearest ones?"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

SAFE = 1 - 1e-9
"""Equally near ones do not count as nearer, and rounding must not make them so."""


class Originals:
    """The records an attacker has, ready to be searched."""

    def __init__(self, points: Floats) -> None:
        self.points = points
        self._tree = cKDTree(points)

    def recognised(self, masked: Floats, asked: Bools, rank_limit: int) -> Bools:
        """Masked records, of those asked for, to which fewer than `rank_limit` other originals are nearer than their own.

        Row i of `masked` belongs to row i of the originals.
        """
        out = np.zeros(len(masked), dtype=np.bool_)
        rows = np.flatnonzero(asked)
        if rank_limit >= len(masked):
            return asked
        own = np.sqrt(((masked[rows] - self.points[rows]) ** 2).sum(axis=1))
        near = np.asarray(self._tree.query(masked[rows], k=[rank_limit])[0])
        out[rows] = near[:, 0] >= own * SAFE
        return out


def marks(codes: Ints, count: int) -> Floats:
    """A category as coordinates, so that two different ones are apart by 1; codes from -1 to count - 1."""
    out = np.zeros((len(codes), count + 1))
    out[np.arange(len(codes)), codes + 1] = np.sqrt(0.5)
    return out
