"""Means, standard deviations, totals and counts of many groups at once, weighted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class GroupFigures(NamedTuple):
    """Per group: observed values, and mean, standard deviation (divisor Σw), total, Σw of them."""

    n: Ints
    mean: Floats
    sd: Floats
    total: Floats
    weight: Floats


def group_figures(x: Floats, w: Floats | None, group: Ints, groups: int) -> GroupFigures:
    """Figures of the observed numbers in every group; NaN where a group has none. The numbers must be of a size that can be squared."""
    there = ~np.isnan(x) if w is None else ~np.isnan(x) & (w > 0)
    x, group = x[there], group[there]
    each = np.ones(len(x)) if w is None else w[there]
    n = np.bincount(group, minlength=groups)
    weight: Floats = np.bincount(group, each, groups).astype(np.float64)
    total: Floats = np.bincount(group, each * x, groups).astype(np.float64)
    with np.errstate(invalid="ignore"):
        mean = total / weight
        d = x - mean[group]
        sd = np.sqrt(np.bincount(group, each * d**2, groups) / weight)
    return GroupFigures(n, mean, sd, total, weight)


def class_of(x: Floats, cuts: Sequence[float]) -> Ints:
    """Number of the class between rising cuts, counted from 0; one more than the last where the number is not observed."""
    out = np.searchsorted(np.asarray(cuts), x, side="left").astype(np.int64)
    out[np.isnan(x)] = len(cuts) + 1
    return out


def weighted_cuts(x: Floats, w: Floats | None, parts: int) -> list[float]:
    """Values that cut the observed numbers into parts of equal weight; fewer where values are tied."""
    there = ~np.isnan(x) if w is None else ~np.isnan(x) & (w > 0)
    x = x[there]
    if not len(x):
        return []
    order = np.argsort(x, kind="stable")
    reached = np.cumsum(np.ones(len(x)) if w is None else w[there][order])
    at = np.searchsorted(reached, reached[-1] * np.arange(1, parts) / parts)
    return sorted({float(v) for v in x[order][at]})
