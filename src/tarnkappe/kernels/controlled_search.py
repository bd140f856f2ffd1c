"""Controlled noise by search: the best of all directions, exchanges in pairs, and the best of many draws.

Source: hoehne2010, 4.2.3 (N14) and 4.2.4 (N15). Terms as in `controlled`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from tarnkappe.kernels.controlled import Targets, Values, cost_in, cost_of, sums, turn
from tarnkappe.kernels.lean import lean

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Words = NDArray[np.uint64]

EXHAUSTIVE = 16
"""So many units are tried in every combination."""
ALONGSIDE = 16
"""So many units, one after the other, meet as many others that also lie one after the other: memory is read in pieces."""
AT_ONCE = 64
"""At most so many draws are made of one draw of spreads: one bit each."""
FEW = 1000
"""One for so many records: where a few records decide, each draw has spreads of its own."""
TOGETHER = 256
"""So many records are read for one draw after the other: they stay in the fast memory."""


@njit(cache=True)
def best_signs(v: Values, t: Targets, units: int) -> Floats:
    """The best of all balanced directions (N15), unit by unit in the order of a Gray code; for few units."""
    signs = np.full(units, -1.0)
    gained, squares = sums(v, t, signs)
    best, found, balance = signs.copy(), np.inf, -units
    for step in range(1, 2**units + 1):
        if abs(balance) <= 1:
            cost = 0.0
            for b in range(len(gained)):
                cost += cost_in(t, b, gained, squares)
            if cost < found:
                best, found = signs.copy(), cost
        u = 0
        while u < units - 1 and not (step >> u) & 1:
            u += 1
        turn(v, t, u, signs[u], gained, squares)
        balance -= int(2 * signs[u])
        signs[u] = -signs[u]
    return best


def balanced(signs: Floats) -> Floats:
    """Turn the smallest units of the more frequent direction, the last ones, until both are as frequent: |Σ w#| ≤ 1."""
    signs = signs.copy()
    too_many = int(abs(signs.sum())) // 2
    if too_many:
        common = np.flatnonzero(signs == np.sign(signs.sum()))
        signs[common[-too_many:]] *= -1
    return signs


@njit(cache=True)
def exchanged_signs(v: Values, t: Targets, signs: Floats, rounds: int, rng: np.random.Generator) -> Floats:
    """Local search of N15: two units exchange their directions where the objective falls; their balance stays.

    In every round each unit, from the largest to the smallest, meets another one, by chance.
    """
    signs, units = signs.copy(), len(signs)
    gained, squares = sums(v, t, signs)
    cost, tried = np.empty(len(gained)), np.full(len(gained), np.inf)
    for b in range(len(gained)):
        cost[b] = cost_in(t, b, gained, squares)
    away = 0
    for place in range(rounds * units):
        if place % ALONGSIDE == 0:
            away = 1 + int(rng.random() * (units - 1))
        one, two = place % units, (place + away) % units
        for _ in range(ALONGSIDE):
            if signs[two] != signs[one]:
                break
            two = (two + 1) % units
        if signs[one] == signs[two]:
            continue
        for u in (one, two):
            turn(v, t, u, signs[u], gained, squares)
        falls = 0.0
        for u in (one, two):
            falls += _falls_by(v, t, u, gained, squares, cost, tried)
        for u in (one, two):
            if falls > 0:
                signs[u] = -signs[u]
            else:
                turn(v, t, u, -signs[u], gained, squares)
            _settle(v, u, falls, cost, tried)
    return signs


@lean
def _falls_by(
    v: Values, t: Targets, u: int, gained: Floats, squares: Floats, cost: Floats, tried: Floats
) -> float:
    """How much less the strata of a unit cost now, but for those already `tried`."""
    falls = 0.0
    for i in range(v.starts[u], v.starts[u + 1]):
        b = v.stratum[i]
        if tried[b] == np.inf:
            tried[b] = cost_in(t, b, gained, squares)
            falls += cost[b] - tried[b]
    return falls


@lean
def _settle(v: Values, u: int, falls: float, cost: Floats, tried: Floats) -> None:
    """What was tried is the cost from now on, if it falls."""
    for i in range(v.starts[u], v.starts[u + 1]):
        b = v.stratum[i]
        if falls > 0 and tried[b] < np.inf:
            cost[b] = tried[b]
        tried[b] = np.inf


class Draws(NamedTuple):
    """Several draws of noise from one draw of spreads, which are symmetric around 0.

    Draw r of the record at place p of the strata has the change s·(f + a·w)·x, with s and a from the bit r of two words and w from the
    place p + shift[r], from the last one on to the first. So each draw by itself is one like any other, and the errors of two of them
    are not correlated: all they have in common are the spreads, without regard to whose they are.
    """

    w: Floats
    """(m, n)."""
    ups: Words
    """Does the unit of the record go up?"""
    alike: Words
    """Does the spread go the same way?"""
    shift: Ints


def drawn(draws: Draws, r: int, order: Ints) -> Floats:
    """(n, m) spreads of draw r for the records, which have this order in the strata."""
    out = np.empty(draws.w.shape[::-1])
    out[order] = np.roll(draws.w, -draws.shift[r], axis=1).T
    out *= (spelled(draws.ups, r) * spelled(draws.alike, r))[:, None]
    return out


def spelled(words: Words, r: int) -> Floats:
    """Bit r of every word: 1 or -1."""
    return np.where((words >> np.uint64(r)) & np.uint64(1), 1.0, -1.0)


class _Block(NamedTuple):
    """Some records, column by column: values (0 where there is none), twice their distance from the mean, and what a draw does to them."""

    x: Floats
    twice: Floats
    shift: Floats
    turn: Floats


@njit(cache=True, nogil=True)
def costs_of(x: Floats, f: float, t: Targets, draws: Draws, order: Ints, starts: Ints) -> Floats:
    """ZF of 4.2-6 for every draw; gaps are NaN, `order` and `starts` give the records of every stratum."""
    n, m, number = len(x), x.shape[1], len(draws.shift)
    cost, gained, squares = np.zeros(number), np.zeros((number, m)), np.zeros((number, m))
    block = _Block(np.empty((m, TOGETHER)), np.empty((m, TOGETHER)), np.empty(TOGETHER), np.empty(TOGETHER))
    for b in range(len(starts) - 1):
        gained[:], squares[:] = 0.0, 0.0
        for first in range(starts[b], starts[b + 1], TOGETHER):
            records = order[first : min(first + TOGETHER, starts[b + 1])]
            _read(x, t.mean[b], records, block)
            for r in range(number):
                _direct(draws, r, f, records, block)
                at = (first + draws.shift[r]) % n
                here = min(len(records), n - at)
                _add(block, (0, here), draws.w, at, gained[r], squares[r])
                _add(block, (here, len(records)), draws.w, at - n, gained[r], squares[r])
        for j in range(m):
            weigh = (t.mean_weight[b, j], t.sd_weight[b, j], t.sd[b, j], t.size[b, j])
            for r in range(number):
                cost[r] += cost_of(weigh, gained[r, j], squares[r, j])
    return cost


@lean
def _read(x: Floats, mean: Floats, records: Ints, block: _Block) -> None:
    for p in range(len(records)):
        for j in range(len(mean)):
            value = x[records[p], j]
            block.x[j, p] = 0.0 if np.isnan(value) else value
            block.twice[j, p] = 2 * (block.x[j, p] - mean[j])


@lean
def _direct(draws: Draws, r: int, f: float, records: Ints, block: _Block) -> None:
    """The shift of every record in draw r, and the sign of its spread."""
    bit = np.uint64(1) << np.uint64(r)
    for p in range(len(records)):
        up, alike = draws.ups[records[p]] & bit, draws.alike[records[p]] & bit
        block.shift[p] = f if up else -f
        block.turn[p] = 1.0 if up == alike else -1.0


@njit(cache=True, fastmath={"reassoc", "contract"})
def _add(block: _Block, places: tuple[int, int], w: Floats, at: int, gained: Floats, squares: Floats) -> None:
    """Add what a draw changes at some places; the order of the sums is free, and so they are computed side by side."""
    first, last = places
    shift, turn = block.shift[first:last], block.turn[first:last]
    for j in range(len(w)):
        x, twice, own = block.x[j, first:last], block.twice[j, first:last], w[j, at + first : at + last]
        gain, square = 0.0, 0.0
        for p in range(len(x)):
            change = (shift[p] + turn[p] * own[p]) * x[p]
            gain += change
            square += change * (twice[p] + change)
        gained[j] += gain
        squares[j] += square
