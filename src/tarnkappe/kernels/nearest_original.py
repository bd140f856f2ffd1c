"""Is the true original of a masked record among the nearest ones?"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tarnkappe.kernels.nearer import nearer, plant
from tarnkappe.kernels.on_cores import CORES, WORTH, on_cores

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

SAFE = 1 - 1e-9
"""Equally near ones do not count as nearer, and rounding must not make them so."""
TIED = 1 + 1e-12
"""Where a tie decides, rounding must not break it."""


class Originals:
    """The records an attacker has, ready to be searched."""

    def __init__(self, points: Floats) -> None:
        self.points = np.ascontiguousarray(points, dtype=np.float64)
        self._tree = plant(self.points)
        record = self._tree.record[self._tree.record >= 0]
        self._place = np.empty(len(self.points), dtype=np.int64)
        self._place[record] = np.arange(len(record))

    def recognised(self, masked: Floats, own: Ints, rank_limit: int) -> Bools:
        """Masked records to which fewer than `rank_limit` other originals are nearer than the original `own`."""
        return self.recognised_by(masked, own, rank_limit, 0.0)[0]

    def recognised_by(self, masked: Floats, own: Ints, rank_limit: int, lead: float) -> tuple[Bools, Bools]:
        """Who is recognised, and who would be if all others lay farther away by `lead`."""
        known = np.sqrt(self._apart(masked, own)) * SAFE
        reach = np.stack([known, np.maximum(known - lead, 0.0)], axis=1) ** 2
        found = self._nearer(masked, own, reach, rank_limit) < rank_limit
        return found[:, 0], found[:, 1]

    def linked(self, masked: Floats, own: Ints) -> Bools:
        """Masked records to which the original `own` is nearer than any other; where another is as near, it is not."""
        reach = np.nextafter(self._apart(masked, own) * TIED**2, np.inf)
        out: Bools = self._nearer(masked, own, np.stack([reach, reach], axis=1), 1)[:, 0] == 0
        return out

    def _apart(self, masked: Floats, own: Ints) -> Floats:
        out: Floats = ((masked - self.points[own]) ** 2).sum(axis=1)
        return out

    def _nearer(self, masked: Floats, own: Ints, reach: Floats, most: int) -> Ints:
        """Ask for neighbours one after the other: what they look at is still in the fast memory."""
        order = np.argsort(self._place[own])
        parts = np.array_split(order, CORES if len(order) >= WORTH else 1)
        found = on_cores(
            lambda at: nearer(self._tree, masked[at], own[at], reach[at], most), parts, len(order)
        )
        out = np.empty((len(own), 2), dtype=np.int64)
        out[order] = np.concatenate(found)
        return out


def marks(codes: Ints, count: int) -> Floats:
    """A category as coordinates, so that two different ones are apart by 1; codes from -1 to count - 1."""
    out = np.zeros((len(codes), count + 1))
    out[np.arange(len(codes)), codes + 1] = np.sqrt(0.5)
    return out
