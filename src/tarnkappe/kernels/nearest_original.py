"""Is the true original of a masked record among the nearest ones?"""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

from tarnkappe.kernels.nearer import nearer, plant

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

THREADS = min(os.cpu_count() or 1, 4)
MANY = 10_000
"""From so many questions on they are asked on several cores at once; the answers do not depend on it."""
SAFE = 1 - 1e-9
"""Equally near ones do not count as nearer, and rounding must not make them so."""
TIED = 1 + 1e-12
"""Where a tie decides, rounding must not break it."""


class Originals:
    """The records an attacker has, ready to be searched."""

    def __init__(self, points: Floats) -> None:
        self.points = np.ascontiguousarray(points, dtype=np.float64)
        self._tree = plant(self.points)

    def recognised(self, masked: Floats, own: Ints, rank_limit: int) -> Bools:
        """Masked records to which fewer than `rank_limit` other originals are nearer than the original `own`."""
        out: Bools = self._nearer(masked, own, self._apart(masked, own) * SAFE**2, rank_limit) < rank_limit
        return out

    def linked(self, masked: Floats, own: Ints) -> Bools:
        """Masked records to which the original `own` is nearer than any other; where another is as near, it is not."""
        reach = np.nextafter(self._apart(masked, own) * TIED**2, np.inf)
        out: Bools = self._nearer(masked, own, reach, 1) == 0
        return out

    def _apart(self, masked: Floats, own: Ints) -> Floats:
        out: Floats = ((masked - self.points[own]) ** 2).sum(axis=1)
        return out

    def _nearer(self, masked: Floats, own: Ints, reach: Floats, most: int) -> Ints:
        """Ask for neighbours one after the other: what they look at is still in the fast memory."""
        place = np.empty(len(self.points), dtype=np.int64)
        record = self._tree.record[self._tree.record >= 0]
        place[record] = np.arange(len(place))
        order = np.argsort(place[own])
        parts = np.array_split(order, THREADS if len(order) > MANY else 1)
        with ThreadPoolExecutor(len(parts)) as pool:
            found = pool.map(lambda at: nearer(self._tree, masked[at], own[at], reach[at], most), parts)
            out = np.empty(len(own), dtype=np.int64)
            out[order] = np.concatenate(list(found))
        return out


def marks(codes: Ints, count: int) -> Floats:
    """A category as coordinates, so that two different ones are apart by 1; codes from -1 to count - 1."""
    out = np.zeros((len(codes), count + 1))
    out[np.arange(len(codes)), codes + 1] = np.sqrt(0.5)
    return out
