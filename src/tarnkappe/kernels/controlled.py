"""Controlled noise: directions of units chosen so that means and standard deviations stay near the truth.

Source: hoehne2010, 4.2.4 (N16 and N17), eq. 4.2-5 for the noise and the second 4.2-6 for the objective. Departs: the book prints
(1 - f w# + w*) in the last step of both ranking algorithms, a sign error that would amplify what was meant to be made good; it is
(1 + f w# + w*), as in 4.2-5.

A unit is one or several records; a target is a column in a stratum. Values are x (n, m), 0 where there is none; w is the part of
the noise that every value has of its own. All work is in proportion to the number of values, and goes through them in their order.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from tarnkappe.kernels.lean import lean

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

NEAR_ZERO = 1e-6
"""A total smaller than this part of the sum of absolute values is no yardstick; that sum is taken."""

TINY = 1e-150
"""Against a largest value of about 1: a stratum with smaller ones weighs nothing."""


class Values(NamedTuple):
    """The data as the loops need it: unit after unit, as they are ranked."""

    x: Floats
    w: Floats
    stratum: Ints
    """Stratum of every record."""
    starts: Ints
    """The records of unit u are starts[u], …, starts[u + 1] - 1."""
    f: float


class Order(NamedTuple):
    """Units from the largest to the smallest, and their records one after the other."""

    units: Ints
    records: Ints
    starts: Ints

    def values(self, x: Floats, w: Floats, stratum: Ints, f: float) -> Values:
        """Records as the file has them, in this order; gaps become 0."""
        x = x[self.records]
        gaps = np.isnan(x)
        if gaps.any():
            x[gaps] = 0.0
        return Values(x, w[self.records], stratum[self.records], self.starts, f)

    def as_numbered(self, signs: Floats) -> Floats:
        """Signs in the order of the numbers of the units."""
        out = np.empty(len(signs))
        out[self.units] = signs
        return out


def from_large_to_small(size: Floats, unit: Ints, chance: Floats) -> Order:
    """Units by size, equal ones by chance; `unit` is the one of every record."""
    units = np.argsort(-size)
    if not np.diff(size[units]).all():
        units = np.lexsort((chance, -size))
    place, counts = _inverse(units)[unit], np.bincount(unit, minlength=len(units))[units]
    records = np.argsort(place, kind="stable") if len(unit) > len(units) else _inverse(place)
    return Order(units, records, np.concatenate([[0], np.cumsum(counts)]).astype(np.int64))


def _inverse(order: Ints) -> Ints:
    out = np.empty(len(order), dtype=np.int64)
    out[order] = np.arange(len(order))
    return out


class Targets(NamedTuple):
    """What is kept near: weights of the errors of means and standard deviations, and the moments before."""

    mean_weight: Floats
    sd_weight: Floats
    mean: Floats
    sd: Floats
    size: Floats
    """Number of values. All are (strata, m)."""


def targets(x: Floats, stratum: Ints, strata: int, alpha: float) -> Targets:
    """Relative errors of the means with the weight α, of the standard deviations with 1 - α (4.2-6). Gaps are NaN."""
    n, mean, sd, yard = _moments(x, stratum, strata)
    m = x.shape[1]
    mean_weight = np.divide(alpha, yard * m, out=np.zeros_like(yard), where=yard > TINY)
    sd_weight = np.divide(1 - alpha, sd * m, out=np.zeros_like(sd), where=sd > TINY)
    return Targets(mean_weight, sd_weight, mean, sd, n)


@njit(cache=True, nogil=True)
def _moments(x: Floats, stratum: Ints, strata: int) -> tuple[Floats, Floats, Floats, Floats]:
    """Number (at least 1), mean and standard deviation of every target, and what its total is measured by."""
    shape = (strata, x.shape[1])
    count, total, size, squares = np.zeros(shape), np.zeros(shape), np.zeros(shape), np.zeros(shape)
    for i in range(len(x)):
        b = stratum[i]
        for j in range(x.shape[1]):
            if not np.isnan(x[i, j]):
                count[b, j] += 1
                total[b, j] += x[i, j]
                size[b, j] += abs(x[i, j])
    count = np.maximum(count, 1.0)
    mean = total / count
    for i in range(len(x)):
        b = stratum[i]
        for j in range(x.shape[1]):
            if not np.isnan(x[i, j]):
                squares[b, j] += (x[i, j] - mean[b, j]) ** 2
    yard = np.where(np.abs(total) > NEAR_ZERO * size, np.abs(total), size)
    return count, mean, np.sqrt(squares / count), yard


def scores(x: Floats, unit: Ints, units: int) -> Floats:
    """Size of a unit: the mean of |x| over the mean of the column, over the values it has (step 2 of N17). Gaps are NaN.

    Departs: where a mean is near zero, the mean of |x| takes its place.
    """
    count, _, _, yard = _moments(x, np.zeros(len(x), dtype=np.int64), 1)
    yard = yard[0] / count[0]
    out: Floats = _mean_sizes(x, np.where(yard > 0, yard, 1.0), unit, units)
    return out


@njit(cache=True, nogil=True)
def _mean_sizes(x: Floats, yard: Floats, unit: Ints, units: int) -> Floats:
    total, count = np.zeros(units), np.zeros(units)
    for i in range(len(x)):
        for j in range(x.shape[1]):
            if not np.isnan(x[i, j]):
                total[unit[i]] += abs(x[i, j]) / yard[j]
                count[unit[i]] += 1
    return total / np.maximum(count, 1.0)


@lean
def add(v: Values, t: Targets, u: int, sign: float, gained: Floats, squares: Floats) -> None:
    """Add what unit u changes with this sign to the totals and to the sums of squares around the old mean."""
    for i in range(v.starts[u], v.starts[u + 1]):
        b = v.stratum[i]
        for j in range(v.x.shape[1]):
            x = v.x[i, j]
            change = (v.f * sign + v.w[i, j]) * x
            gained[b, j] += change
            squares[b, j] += change * (2 * (x - t.mean[b, j]) + change)


@lean
def turn(v: Values, t: Targets, u: int, sign: float, gained: Floats, squares: Floats) -> None:
    """Add what unit u changes by turning from this sign to the other: both sums are linear in it."""
    for i in range(v.starts[u], v.starts[u + 1]):
        b = v.stratum[i]
        for j in range(v.x.shape[1]):
            x = v.x[i, j]
            change = -2 * v.f * sign * x
            gained[b, j] += change
            squares[b, j] += 2 * change * (x - t.mean[b, j] + v.w[i, j] * x)


@lean
def cost_of(weigh: tuple[float, float, float, float], gained: float, squares: float) -> float:
    """Error of one target; `weigh` are its weights, standard deviation and size: numbers are passed on at once, arrays are not."""
    mean_weight, sd_weight, sd, n = weigh
    error = mean_weight * abs(gained)
    if sd_weight > 0:
        variance = max(sd**2 + squares / n - (gained / n) ** 2, 0.0)
        error += sd_weight * abs(np.sqrt(variance) - sd)
    return float(error)


@lean
def cost_in(t: Targets, b: int, gained: Floats, squares: Floats) -> float:
    """The part of the objective that belongs to a stratum."""
    cost = 0.0
    for j in range(t.mean.shape[1]):
        weigh = (t.mean_weight[b, j], t.sd_weight[b, j], t.sd[b, j], t.size[b, j])
        cost += cost_of(weigh, gained[b, j], squares[b, j])
    return cost


@njit(cache=True)
def objective(v: Values, t: Targets, signs: Floats) -> float:
    """ZF of 4.2-6 for given directions."""
    gained, squares = sums(v, t, signs)
    cost = 0.0
    for b in range(len(gained)):
        cost += cost_in(t, b, gained, squares)
    return cost


@njit(cache=True)
def sums(v: Values, t: Targets, signs: Floats) -> tuple[Floats, Floats]:
    """Changes of the totals and of the sums of squares with given directions."""
    gained, squares = np.zeros(t.mean.shape), np.zeros(t.mean.shape)
    for u in range(len(signs)):
        add(v, t, u, signs[u], gained, squares)
    return gained, squares


@njit(cache=True)
def ranked_signs(v: Values, t: Targets, first: float, ties: Floats) -> Floats:
    """Directions by multi-dimensional ranking (N17): unit after unit, the one that leaves the smaller error."""
    if len(v.x) == len(ties):
        return _ranked_records(v, t, first, ties)
    signs = np.empty(len(ties))
    gained, squares = np.zeros(t.mean.shape), np.zeros(t.mean.shape)
    seen = np.zeros(len(t.mean), np.bool_)
    for u in range(len(signs)):
        add(v, t, u, -1.0, gained, squares)
        down = _cost_near(v, t, u, gained, squares, seen)
        turn(v, t, u, -1.0, gained, squares)
        up = _cost_near(v, t, u, gained, squares, seen)
        sign = ties[u] if down == up else (-1.0 if down < up else 1.0)
        signs[u] = sign if u > 0 else first
        if signs[u] < 0:
            turn(v, t, u, 1.0, gained, squares)
    return signs


@lean
def _cost_near(v: Values, t: Targets, u: int, gained: Floats, squares: Floats, seen: Bools) -> float:
    """The part of the objective that unit u has a hand in; `seen` is all false before and after."""
    cost = 0.0
    for i in range(v.starts[u], v.starts[u + 1]):
        b = v.stratum[i]
        if not seen[b]:
            seen[b] = True
            cost += cost_in(t, b, gained, squares)
    for i in range(v.starts[u], v.starts[u + 1]):
        seen[v.stratum[i]] = False
    return cost


@njit(cache=True)
def _ranked_records(v: Values, t: Targets, first: float, ties: Floats) -> Floats:
    """The same where every unit is one record: both ways are tried in one go, and nothing has to be taken back."""
    x, w, stratum, f = v.x, v.w, v.stratum, v.f
    signs = np.empty(len(x))
    gained, squares = np.zeros(t.mean.shape), np.zeros(t.mean.shape)
    mean, sd, size, mean_weight, sd_weight = t.mean, t.sd, t.size, t.mean_weight, t.sd_weight
    for i in range(len(x)):
        b, down, up, sign = stratum[i], 0.0, 0.0, first
        for j in range(x.shape[1]):
            less, more = (w[i, j] - f) * x[i, j], (w[i, j] + f) * x[i, j]
            twice, g, q = 2 * (x[i, j] - mean[b, j]), gained[b, j], squares[b, j]
            weigh = (mean_weight[b, j], sd_weight[b, j], sd[b, j], size[b, j])
            down += cost_of(weigh, g + less, q + less * (twice + less))
            up += cost_of(weigh, g + more, q + more * (twice + more))
        if i > 0:
            sign = ties[i] if down == up else (-1.0 if down < up else 1.0)
        signs[i] = sign
        for j in range(x.shape[1]):
            change = (f * sign + w[i, j]) * x[i, j]
            gained[b, j] += change
            squares[b, j] += change * (2 * (x[i, j] - mean[b, j]) + change)
    return signs


@njit(cache=True)
def one_column_signs(v: Values, strata: int, first: Floats) -> Floats:
    """Directions by one-dimensional ranking (N16): against the error so far of the first column, in every stratum.

    Departs: a unit whose value is negative goes the other way, since there a factor below 1 raises the total.
    """
    signs = np.empty(len(v.starts) - 1)
    gained, begun = np.zeros(strata), np.zeros(strata, np.bool_)
    for u in range(len(signs)):
        total, change, b = 0.0, 0.0, 0
        for i in range(v.starts[u], v.starts[u + 1]):
            b = v.stratum[i]
            total += v.x[i, 0]
            change += v.w[i, 0] * v.x[i, 0]
        sign = -1.0 if gained[b] > 0 else 1.0
        if not begun[b]:
            sign, begun[b] = first[b], True
        signs[u] = sign if total >= 0 else -sign
        gained[b] += v.f * signs[u] * total + change
    return signs
