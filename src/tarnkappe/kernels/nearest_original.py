"""Is the true original of a masked record among the nearest ones?"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tarnkappe.kernels.grove import plant
from tarnkappe.kernels.nearer import Asked, nearer
from tarnkappe.kernels.on_cores import on_cores, slices

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

SAFE = 1 - 1e-9
"""Equally near ones do not count as nearer, and rounding must not make them so."""
TIED = 1 + 1e-12
"""Where a tie decides, rounding must not break it."""

SHORT = 12
"""So many leaves are looked into where an answer may be left open: who is not found there costs more to look for than to draw anew."""


class Originals:
    """The records an attacker has, ready to be searched."""

    def __init__(self, points: Floats) -> None:
        self.points = np.ascontiguousarray(points, dtype=np.float64)
        self._tree = plant(self.points)

    def recognised(self, masked: Floats, own: Ints, rank_limit: int) -> Bools:
        """Masked records to which fewer than `rank_limit` other originals are nearer than the original `own`."""
        reach = self._apart(masked, own) * SAFE**2
        out: Bools = nearer(self._tree, Asked(masked, own, reach), rank_limit) < rank_limit
        return out

    def doubted(self, masked: Floats, own: Ints, rank_limit: int, lead: float) -> Bools:
        """All who would be recognised if the others lay farther away by `lead`, and some of whom a short search does not tell."""
        reach = np.maximum(np.sqrt(self._apart(masked, own)) * SAFE - lead, 0.0) ** 2
        out: Bools = nearer(self._tree, Asked(masked, own, reach), rank_limit, SHORT) < rank_limit
        return out

    def linked(self, masked: Floats, own: Ints) -> Bools:
        """Masked records to which the original `own` is nearer than any other; where another is as near, it is not."""
        reach = np.nextafter(self._apart(masked, own) * TIED**2, np.inf)
        out: Bools = nearer(self._tree, Asked(masked, own, reach), 1) == 0
        return out

    def _apart(self, masked: Floats, own: Ints) -> Floats:
        """Squared distances to the own originals."""

        def apart(rows: slice) -> Floats:
            d = masked[rows] - self.points[own[rows]]
            out: Floats = np.einsum("ij,ij->i", d, d)
            return out

        return np.concatenate(on_cores(apart, slices(len(own)), len(own)))


def marks(codes: Ints, count: int) -> Floats:
    """A category as coordinates, so that two different ones are apart by 1; codes from -1 to count - 1."""
    out = np.zeros((len(codes), count + 1))
    out[np.arange(len(codes)), codes + 1] = np.sqrt(0.5)
    return out
