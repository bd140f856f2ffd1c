"""Controlled noise: directions of units chosen so that means and standard deviations stay near the truth.

Source: hoehne2010, 4.2.4 (N15 to N17), eq. 4.2-5 for the noise and the second 4.2-6 for the objective. Departs: the book prints
(1 - f w# + w*) in the last step of both ranking algorithms, a sign error that would amplify what was meant to be made good; it is
(1 + f w# + w*), as in 4.2-5.

A unit is one or several records; a target is a column in a stratum. Values are x (n, m), NaN where there is none; w is the
part of the noise that every value has of its own. All work is in proportion to the number of values.
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

EXHAUSTIVE = 16
"""So many units are tried in every combination."""
NEAR_ZERO = 1e-6
"""A total smaller than this part of the sum of absolute values is no yardstick; that sum is taken."""

TINY = 1e-150
"""Against a largest value of about 1: a stratum with smaller ones weighs nothing."""


class Values(NamedTuple):
    """The data as the loops need it."""

    x: Floats
    w: Floats
    stratum: Ints
    """Stratum of every record."""
    rows: Ints
    starts: Ints
    """The records of unit u are rows[starts[u]:starts[u + 1]]."""
    f: float


class Targets(NamedTuple):
    """What is kept near: weights of the errors of means and standard deviations, and the moments before."""

    mean_weight: Floats
    sd_weight: Floats
    mean: Floats
    sd: Floats
    size: Floats
    """Number of values. All are (strata, m)."""


def targets(x: Floats, stratum: Ints, strata: int, alpha: float) -> Targets:
    """Relative errors of the means with the weight α, of the standard deviations with 1 - α (4.2-6)."""
    there = ~np.isnan(x)
    z = np.where(there, x, 0.0)
    count, total, size = (_sums(v, stratum, strata) for v in (there.astype(np.float64), z, np.abs(z)))
    n = np.maximum(count, 1.0)
    mean = total / n
    sd = np.sqrt(_sums(np.where(there, z - mean[stratum], 0.0) ** 2, stratum, strata) / n)
    yard = np.where(np.abs(total) > NEAR_ZERO * size, np.abs(total), size)
    m = x.shape[1]
    mean_weight = np.divide(alpha, yard * m, out=np.zeros_like(yard), where=yard > TINY)
    sd_weight = np.divide(1 - alpha, sd * m, out=np.zeros_like(sd), where=sd > TINY)
    return Targets(mean_weight, sd_weight, mean, sd, n)


def _sums(v: Floats, stratum: Ints, strata: int) -> Floats:
    return np.stack([np.bincount(stratum, v[:, j], strata) for j in range(v.shape[1])], axis=1)


def scores(x: Floats, unit: Ints, units: int) -> Floats:
    """Size of a unit: the mean of |x| over the mean of the column, over the values it has (step 2 of N17).

    Departs: where a mean is near zero, the mean of |x| takes its place.
    """
    there = ~np.isnan(x)
    z = np.abs(np.where(there, x, 0.0))
    total, size = np.abs(np.where(there, x, 0.0).sum(axis=0)), z.sum(axis=0)
    yard = np.where(total > NEAR_ZERO * size, total, size) / np.maximum(there.sum(axis=0), 1)
    parts = np.where(there, z / np.where(yard > 0, yard, 1.0), 0.0).sum(axis=1)
    count = np.bincount(unit, there.sum(axis=1), units)
    out: Floats = np.bincount(unit, parts, units) / np.maximum(count, 1.0)
    return out


@lean
def _add(v: Values, t: Targets, u: int, sign: float, gained: Floats, squares: Floats) -> None:
    """Add what unit u changes with this sign to the totals and to the sums of squares around the old mean."""
    for at in range(v.starts[u], v.starts[u + 1]):
        i, b = v.rows[at], v.stratum[v.rows[at]]
        for j in range(v.x.shape[1]):
            x = v.x[i, j]
            if not np.isnan(x):
                change = (v.f * sign + v.w[i, j]) * x
                gained[b, j] += change
                squares[b, j] += change * (2 * (x - t.mean[b, j]) + change)


@lean
def _cost_of(weigh: tuple[float, float, float, float], gained: float, squares: float) -> float:
    """Error of one target; `weigh` are its weights, standard deviation and size: numbers are passed on at once, arrays are not."""
    mean_weight, sd_weight, sd, n = weigh
    error = mean_weight * abs(gained)
    if sd_weight > 0:
        variance = max(sd**2 + squares / n - (gained / n) ** 2, 0.0)
        error += sd_weight * abs(np.sqrt(variance) - sd)
    return float(error)


@lean
def _cost_near(v: Values, t: Targets, u: int, gained: Floats, squares: Floats, seen: Bools) -> float:
    """The part of the objective that unit u has a hand in; strata it marks in `seen` are not counted again."""
    cost = 0.0
    for at in range(v.starts[u], v.starts[u + 1]):
        b = v.stratum[v.rows[at]]
        if not seen[b]:
            seen[b] = True
            for j in range(v.x.shape[1]):
                weigh = (t.mean_weight[b, j], t.sd_weight[b, j], t.sd[b, j], t.size[b, j])
                cost += _cost_of(weigh, gained[b, j], squares[b, j])
    return cost


@lean
def _unsee(v: Values, u: int, seen: Bools) -> None:
    for at in range(v.starts[u], v.starts[u + 1]):
        seen[v.stratum[v.rows[at]]] = False


@njit(cache=True)
def ranked_signs(v: Values, t: Targets, order: Ints, first: float, ties: Floats) -> Floats:
    """Directions by multi-dimensional ranking (N17): unit after unit, the one that leaves the smaller error."""
    signs = np.empty(len(order))
    if len(v.rows) == len(order):
        at = v.rows[v.starts[order]]
        signs[order] = _ranked_records(v.x[at], v.w[at], v.stratum[at], v.f, t, first, ties[order])
        return signs
    strata, m = t.mean.shape
    gained, squares = np.zeros((strata, m)), np.zeros((strata, m))
    seen = np.zeros(strata, np.bool_)
    for place in range(len(order)):
        u = order[place]
        sign = first
        if place > 0:
            down = _cost_if(v, t, u, -1.0, gained, squares, seen)
            up = _cost_if(v, t, u, 1.0, gained, squares, seen)
            sign = ties[u] if down == up else (-1.0 if down < up else 1.0)
        signs[u] = sign
        _add(v, t, u, sign, gained, squares)
    return signs


@njit(cache=True)
def _ranked_records(
    x: Floats, w: Floats, stratum: Ints, f: float, t: Targets, first: float, ties: Floats
) -> Floats:
    """The same where every unit is one record, given in order: both ways are tried in one go, and nothing has to be taken back."""
    signs = np.empty(len(x))
    gained, squares = np.zeros(t.mean.shape), np.zeros(t.mean.shape)
    mean, sd, size, mean_weight, sd_weight = t.mean, t.sd, t.size, t.mean_weight, t.sd_weight
    for i in range(len(x)):
        b, down, up, sign = stratum[i], 0.0, 0.0, first
        for j in range(x.shape[1]):
            if not np.isnan(x[i, j]):
                less, more = (w[i, j] - f) * x[i, j], (w[i, j] + f) * x[i, j]
                twice, g, q = 2 * (x[i, j] - mean[b, j]), gained[b, j], squares[b, j]
                weigh = (mean_weight[b, j], sd_weight[b, j], sd[b, j], size[b, j])
                down += _cost_of(weigh, g + less, q + less * (twice + less))
                up += _cost_of(weigh, g + more, q + more * (twice + more))
        if i > 0:
            sign = ties[i] if down == up else (-1.0 if down < up else 1.0)
        signs[i] = sign
        for j in range(x.shape[1]):
            if not np.isnan(x[i, j]):
                change = (f * sign + w[i, j]) * x[i, j]
                gained[b, j] += change
                squares[b, j] += change * (2 * (x[i, j] - mean[b, j]) + change)
    return signs


@lean
def _cost_if(
    v: Values, t: Targets, u: int, sign: float, gained: Floats, squares: Floats, seen: Bools
) -> float:
    """The part of the objective that unit u has a hand in, if it went this way."""
    _add(v, t, u, sign, gained, squares)
    cost = _cost_near(v, t, u, gained, squares, seen)
    _unsee(v, u, seen)
    _take_back(v, t, u, sign, gained, squares)
    return cost


@lean
def _take_back(v: Values, t: Targets, u: int, sign: float, gained: Floats, squares: Floats) -> None:
    for at in range(v.starts[u], v.starts[u + 1]):
        i, b = v.rows[at], v.stratum[v.rows[at]]
        for j in range(v.x.shape[1]):
            x = v.x[i, j]
            if not np.isnan(x):
                change = (v.f * sign + v.w[i, j]) * x
                gained[b, j] -= change
                squares[b, j] -= change * (2 * (x - t.mean[b, j]) + change)


@njit(cache=True)
def one_column_signs(v: Values, column: int, strata: int, order: Ints, first: Floats) -> Floats:
    """Directions by one-dimensional ranking (N16): against the error so far of one column, in every stratum.

    Departs: a unit whose value is negative goes the other way, since there a factor below 1 raises the total.
    """
    signs = np.empty(len(order))
    gained, begun = np.zeros(strata), np.zeros(strata, np.bool_)
    for u in order:
        total, change, b = 0.0, 0.0, 0
        for i in v.rows[v.starts[u] : v.starts[u + 1]]:
            b = v.stratum[i]
            total += v.x[i, column]
            change += v.w[i, column] * v.x[i, column]
        sign = -1.0 if gained[b] > 0 else 1.0
        if not begun[b]:
            sign, begun[b] = first[b], True
        signs[u] = sign if total >= 0 else -sign
        gained[b] += v.f * signs[u] * total + change
    return signs


@njit(cache=True, nogil=True)
def objective(v: Values, t: Targets, signs: Floats) -> float:
    """ZF of 4.2-6 for given directions."""
    strata, m = t.mean.shape
    gained, squares = np.zeros((strata, m)), np.zeros((strata, m))
    for u in range(len(signs)):
        _add(v, t, u, signs[u], gained, squares)
    return _cost(t, gained, squares)


@lean
def _cost(t: Targets, gained: Floats, squares: Floats) -> float:
    cost = 0.0
    for b in range(t.mean.shape[0]):
        for j in range(t.mean.shape[1]):
            weigh = (t.mean_weight[b, j], t.sd_weight[b, j], t.sd[b, j], t.size[b, j])
            cost += _cost_of(weigh, gained[b, j], squares[b, j])
    return cost


@njit(cache=True)
def exchanged_signs(v: Values, t: Targets, signs: Floats, pairs: Ints) -> Floats:
    """Local search of N15: two units exchange their directions where the objective falls; their balance stays."""
    signs = signs.copy()
    strata, m = t.mean.shape
    gained, squares = np.zeros((strata, m)), np.zeros((strata, m))
    seen = np.zeros(strata, np.bool_)
    for u in range(len(signs)):
        _add(v, t, u, signs[u], gained, squares)
    for k in range(len(pairs)):
        one, two = pairs[k, 0], pairs[k, 1]
        if signs[one] == signs[two]:
            continue
        before = _near_both(v, t, one, two, gained, squares, seen)
        _turn(v, t, one, two, signs, gained, squares)
        if _near_both(v, t, one, two, gained, squares, seen) >= before:
            _turn(v, t, one, two, signs, gained, squares)
    return signs


@lean
def _near_both(
    v: Values, t: Targets, one: int, two: int, gained: Floats, squares: Floats, seen: Bools
) -> float:
    cost = _cost_near(v, t, one, gained, squares, seen) + _cost_near(v, t, two, gained, squares, seen)
    _unsee(v, one, seen)
    _unsee(v, two, seen)
    return cost


@lean
def _turn(v: Values, t: Targets, one: int, two: int, signs: Floats, gained: Floats, squares: Floats) -> None:
    for u in (one, two):
        _take_back(v, t, u, signs[u], gained, squares)
        signs[u] = -signs[u]
        _add(v, t, u, signs[u], gained, squares)


@njit(cache=True)
def best_signs(v: Values, t: Targets, units: int) -> Floats:
    """The best of all balanced directions (N15), unit by unit in the order of a Gray code; for few units."""
    strata, m = t.mean.shape
    gained, squares = np.zeros((strata, m)), np.zeros((strata, m))
    signs = np.full(units, -1.0)
    for u in range(units):
        _add(v, t, u, signs[u], gained, squares)
    best, found, balance = signs.copy(), np.inf, -units
    for step in range(1, 2**units + 1):
        if abs(balance) <= 1:
            cost = _cost(t, gained, squares)
            if cost < found:
                best, found = signs.copy(), cost
        u = 0
        while u < units - 1 and not (step >> u) & 1:
            u += 1
        _take_back(v, t, u, signs[u], gained, squares)
        balance -= int(2 * signs[u])
        signs[u] = -signs[u]
        _add(v, t, u, signs[u], gained, squares)
    return best


def balanced(signs: Floats, order: Ints) -> Floats:
    """Turn the smallest units of the more frequent direction until both are as frequent: |Σ w#| ≤ 1."""
    signs = signs.copy()
    too_many = int(abs(signs.sum())) // 2
    if too_many:
        common = np.sign(signs.sum())
        last = order[::-1]
        signs[last[signs[last] == common][:too_many]] *= -1
    return signs
