"""Telling two groups apart by a distance: the area under the ROC curve with an interval, and shares below a limit.

Sources: hanleymcneil1982 (the area as the chance that one of the first group is nearer, and its variance); newcombe2006 (method 5: the
interval of all areas that the data does not contradict, which also works where the area is 0 or 1).
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from tarnkappe.kernels.ranks import mid_ranks

Floats = NDArray[np.float64]

_HALVINGS = 60
_EXPECTED_MAXIMUM = math.sqrt(math.pi / 2) * math.log(2)
"""Mean of Kolmogorov's distribution."""


def area(first: Floats, second: Floats) -> float:
    """The chance that a random distance of the first group is smaller than one of the second; a tie counts one half."""
    ranks = mid_ranks(np.concatenate([first, second]))
    m, n = len(first), len(second)
    return 1 - float(ranks[:m].sum() - m * (m + 1) / 2) / (m * n)


def area_interval(found: float, m: int, n: int, z: float) -> tuple[float, float]:
    """All areas whose distance from the one found is at most z standard errors (newcombe2006, method 5)."""
    return _edge(found, 0.0, m, n, z), _edge(found, 1.0, m, n, z)


def _edge(found: float, outside: float, m: int, n: int, z: float) -> float:
    inside = found
    for _ in range(_HALVINGS):
        middle = (inside + outside) / 2
        if abs(found - middle) > z * math.sqrt(_variance(middle, m, n)):
            outside = middle
        else:
            inside = middle
    return inside


def _variance(area: float, m: int, n: int) -> float:
    """hanleymcneil1982 for two exponential distributions, with the mean group size in both terms (newcombe2006)."""
    half = (m + n) / 2
    return area * (1 - area) / (m * n) * (2 * half - 1 - (3 * half - 3) / ((2 - area) * (1 + area)))


def caught(first: Floats, second: Floats, share: float) -> int:
    """How many of the first group are as near as a limit that at most this share of the second group reaches.

    The limit is the largest of the kind "nearer than a distance that occurs in the second group".
    """
    ordered = np.sort(second)
    allowed = math.floor(share * len(second) + 1e-9)
    if allowed >= len(ordered):
        return len(first)
    return int(np.sum(first < ordered[allowed]))


def advantage(first: Floats, second: Floats) -> float:
    """The largest difference, over all limits, between the shares of both groups that are at least as near."""
    limits = np.unique(np.concatenate([first, second]))
    shares = (np.searchsorted(np.sort(group), limits, "right") / len(group) for group in (first, second))
    return max(0.0, float(np.max(next(shares) - next(shares))))


def advantage_by_chance(m: int, n: int) -> float:
    """An upper limit of the mean of that difference where the groups do not differ, for large groups (Kolmogorov)."""
    return min(1.0, _EXPECTED_MAXIMUM * math.sqrt(1 / m + 1 / n))
