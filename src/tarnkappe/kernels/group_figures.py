"""Means, standard deviations, totals and counts of many groups at once, weighted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numba import njit
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

    @property
    def whole_sd(self) -> float:
        """Standard deviation of all values: that within the groups and that between them."""
        there = self.n > 0
        mean, weight = self.mean[there], self.weight[there]
        if not there.any():
            return float("nan")
        middle = np.average(mean, weights=weight)
        return float(np.sqrt(np.average(self.sd[there] ** 2 + (mean - middle) ** 2, weights=weight)))


def group_figures(x: Floats, w: Floats | None, group: Ints, groups: int) -> GroupFigures:
    """Figures of the observed numbers in every group; NaN where a group has none. The numbers must be of a size that can be squared."""
    each = np.empty(0) if w is None else np.ascontiguousarray(w)
    n, weight, total, squares = _sums(np.ascontiguousarray(x), each, group, groups)
    with np.errstate(invalid="ignore"):
        return GroupFigures(n, total / weight, np.sqrt(squares / weight), total, weight)


@njit(cache=True)
def _sums(x: Floats, w: Floats, group: Ints, groups: int) -> tuple[Ints, Floats, Floats, Floats]:
    """Per group: observed values with weight above 0, Σw, Σwx and Σw(x - mean)²."""
    n = np.zeros(groups, np.int64)
    weight, total, squares = np.zeros(groups), np.zeros(groups), np.zeros(groups)
    for i in range(len(x)):
        each = w[i] if len(w) else 1.0
        if not np.isnan(x[i]) and each > 0:
            n[group[i]] += 1
            weight[group[i]] += each
            total[group[i]] += each * x[i]
    mean = total / np.maximum(weight, 1e-300)
    for i in range(len(x)):
        each = w[i] if len(w) else 1.0
        if not np.isnan(x[i]) and each > 0:
            squares[group[i]] += each * (x[i] - mean[group[i]]) ** 2
    return n, weight, total, squares


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
