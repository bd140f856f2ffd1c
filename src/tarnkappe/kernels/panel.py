"""Records of one unit in consecutive periods, and how their values grew."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def consecutive(unit: Ints, period: Ints) -> tuple[Ints, Ints]:
    """Positions of the earlier and the later record of every pair of neighbouring periods of a unit.

    A period in which a unit has several records has no successor and no predecessor: nobody can say which follows which.
    """
    order = np.lexsort((period, unit))
    u, t = unit[order], period[order]
    same = (u[1:] == u[:-1]) & (t[1:] == t[:-1])
    twice = np.append(same, False) | np.append(False, same)
    follows = (u[1:] == u[:-1]) & ~twice[1:] & ~twice[:-1]
    return order[:-1][follows], order[1:][follows]


def growth(first: Floats, second: Floats) -> Floats:
    """Growth as a part of the mean size, 2 (b - a) / (|a| + |b|): from -2 to 2, 0 where both are 0, defined where the first is 0."""
    size = (np.abs(first) + np.abs(second)) / 2
    out: Floats = np.where(size == 0, 0.0, second - first) / np.where(size == 0, 1.0, size)
    return out
