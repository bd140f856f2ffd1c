"""Inequality of a distribution: Gini, Theil, and the Lorenz curve; weighted, with bootstrap intervals.

Source: dav2025, 6.4 (Gini as 2 Σ i x_(i) / (n Σ x) - (n + 1) / n); theil1967. Values may be negative, then Gini can exceed 1; a sum that is not above 0
leaves everything undefined.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

GROUPS, SINGLE = 1_000, 500
"""For the bootstrap, sorted records in the middle are taken in so many groups of neighbours; so many at either end each on its own."""
REPLICATES = 200
SEED = 20_261_116


def ascending(x: Floats, w: Floats | None) -> tuple[Floats, Floats | None]:
    """The numbers in their order, with their weights; what follows is faster on them."""
    if w is None:
        return np.sort(x), None
    order = np.argsort(x, kind="stable")
    return x[order], w[order]


def lorenz(x: Floats, w: Floats | None) -> tuple[Floats, Floats]:
    """Share of the records (or weights) and share of the sum up to each record, ascending; both begin with 0."""
    order = np.argsort(x, kind="stable")
    x, w = x[order], np.ones(len(x)) if w is None else w[order]
    people, sums = np.cumsum(w), np.cumsum(w * x)
    return np.append(0.0, people / people[-1]), np.append(0.0, sums / sums[-1])


def gini(x: Floats, w: Floats | None = None) -> float:
    """One minus twice the area under the Lorenz curve; NaN where the sum is not above 0."""
    if not _sum(x, w) > 0:
        return float("nan")
    people, sums = lorenz(x, w)
    return 1 - float(np.sum(np.diff(people) * (sums[1:] + sums[:-1])))


def gini_without(x: Floats, w: Floats | None, group: Ints, groups: int) -> Floats:
    """The Gini coefficient without each group of records; NaN where the sum of the others is not above 0."""
    order = np.argsort(x, kind="stable")
    weight = np.ones(len(x)) if w is None else w[order]
    return _gini_without(x[order], weight, group[order], groups)


@njit(cache=True)
def _gini_without(x: Floats, w: Floats, group: Ints, groups: int) -> Floats:
    """Σ w x (2 C + w) / (Σw Σwx) - 1 with C the weights before, of ascending numbers, without each group."""
    before, area, amount = np.zeros(groups), np.zeros(groups), np.zeros(groups)
    reached = 0.0
    for i in range(len(x)):
        part = w[i] * x[i]
        for g in range(groups):
            if g != group[i]:
                area[g] += part * (2 * (reached - before[g]) + w[i])
                amount[g] += part
        before[group[i]] += w[i]
        reached += w[i]
    out = np.full(groups, np.nan)
    for g in range(groups):
        if amount[g] > 0:
            out[g] = area[g] / ((reached - before[g]) * amount[g]) - 1
    return out


def theil(x: Floats, w: Floats | None = None) -> float:
    """Mean of r ln r with r = x / mean; zeros count 0, NaN with negative values or where the sum is not above 0."""
    total = _sum(x, w)
    if not total > 0 or (x < 0).any():
        return float("nan")
    part = np.full(len(x), 1 / len(x)) if w is None else w / w.sum()
    ratio = x / float(part @ x)
    return max(float(part @ (ratio * np.log(np.where(ratio > 0, ratio, 1.0)))), 0.0)


def lorenz_distance(a: tuple[Floats, Floats], b: tuple[Floats, Floats]) -> float:
    """Largest vertical distance of two Lorenz curves."""
    return max(float(np.abs(np.interp(one[0], *two) - one[1]).max()) for one, two in ((a, b), (b, a)))


def gini_interval(x: Floats, w: Floats | None, confidence: float) -> tuple[float, float]:
    """Percentile bootstrap of the Gini coefficient with a fixed seed; every record is drawn a Poisson number of times.

    Of many records, neighbours in the middle of the order are drawn together: their values hardly differ, the extremes keep their weight.
    """
    values, weight, records = _grouped(x, w)
    draw = np.random.default_rng(SEED)
    found = np.array([gini(values, draw.poisson(records) * weight) for _ in range(REPLICATES)])
    found = found[~np.isnan(found)]
    if len(found) < REPLICATES / 2:
        return float("nan"), float("nan")
    low, high = np.quantile(found, [(1 - confidence) / 2, (1 + confidence) / 2])
    return float(low), float(high)


def _grouped(x: Floats, w: Floats | None) -> tuple[Floats, Floats, Ints]:
    """Sorted groups of neighbours: mean value, mean weight, records."""
    order = np.argsort(x, kind="stable")
    x, w = x[order], np.ones(len(x)) if w is None else w[order]
    n = len(x)
    if n <= GROUPS + 2 * SINGLE:
        return x, w, np.ones(n, dtype=np.int64)
    middle = np.linspace(SINGLE, n - SINGLE, GROUPS + 1).astype(np.int64)
    starts = np.concatenate([np.arange(SINGLE), middle[:-1], np.arange(n - SINGLE, n)])
    records = np.diff(np.append(starts, n))
    weights = np.add.reduceat(w, starts)
    values: Floats = np.add.reduceat(w * x, starts) / weights
    return values, weights / records, records


def _sum(x: Floats, w: Floats | None) -> float:
    return float(x.sum() if w is None else w @ x)
