"""Which pairs belong together, learnt without knowing any: a mixture of two classes over patterns of agreement, fitted by EM.

Model of Fellegi and Sunter (fellegisunter1969) with keys independent within a class; the EM steps of winkler1988 over counted patterns
instead of pairs. P(pattern) = p ∏ m_j(level) + (1 - p) ∏ u_j(level). A key that is unknown in a pair tells nothing about that pair.

Two things are known beforehand and keep EM from finding other classes than the one that is meant: no more pairs belong together than one
to one, and a closer agreement never speaks against a pair, so m_j/u_j must not rise with the level.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Levels = NDArray[np.int8]

STEPS = 20_000
SMALL = 1e-6
"""EM ends when no probability moves further than this."""
ALPHA = 0.01
"""Pairs added to every level, so that what was not seen is not impossible."""


class Shown(NamedTuple):
    """The patterns that occur."""

    levels: Levels
    """(patterns, keys); the last level of a key means unknown."""
    counts: Floats
    sizes: Ints
    """Levels of every key without the unknown one."""


class Model(NamedTuple):
    """Both classes of pairs."""

    p: float
    """Share of the pairs that belong together."""
    m: Floats
    """(keys, levels): probability of a level among pairs that belong together."""
    u: Floats
    """The same among all other pairs."""
    steps: int
    """EM steps that were made; `STEPS` where it did not come to rest."""


def weights(levels: Levels, sizes: Ints, model: Model) -> Floats:
    """log2(m/u) of every pattern, added up over the keys that are known in it."""
    out = np.zeros(len(levels))
    for key, size in enumerate(sizes):
        ratio = np.log2(model.m[key, :size]) - np.log2(model.u[key, :size])
        out += np.append(ratio, 0.0)[levels[:, key]]
    rounded: Floats = np.round(out, 9)  # sums that differ by rounding only are ties
    return rounded


def posterior(weight: Floats, p: float) -> Floats:
    """The probability that a pair of this weight belongs together."""
    if p >= 1:
        return np.ones_like(weight)
    odds = np.exp2(np.clip(weight, -1000, 1000)) * (p / (1 - p))
    return np.asarray(odds / (1 + odds))


def shares(shown: Shown, worth: Floats) -> Floats:
    """Relative frequency of every level of every key over pairs that count as much as `worth` says."""
    out = np.zeros((len(shown.sizes), int(shown.sizes.max())))
    for key, size in enumerate(shown.sizes):
        sums = np.bincount(shown.levels[:, key], weights=worth, minlength=size + 1)[:size] + ALPHA
        out[key, :size] = sums / sums.sum()
    return out


def start(shown: Shown, most: float) -> Model:
    """Where EM begins: other pairs agree as often as all pairs do, those that belong together nearly always."""
    u = shares(shown, shown.counts)
    m = np.zeros_like(u)
    for key, size in enumerate(shown.sizes):
        falling = 0.9 * 0.25 ** np.arange(size)
        m[key, :size] = falling / falling.sum()
    return Model(most, m, u, 0)


def fitted(shown: Shown, begin: Model, most: float, *, free: tuple[bool, bool]) -> Model:
    """Run EM from `begin`; the share of pairs that belong together never exceeds `most`.

    `free` says whether that share, and the probabilities of the other pairs, are estimated or stay as they are.
    """
    p, m, u = begin.p, begin.m.copy(), begin.u.copy()
    steps = _em(shown.levels, shown.counts, shown.sizes, (p, most), m, u, free)
    return Model(float(steps[1]), m, u, int(steps[0]))


@njit(cache=True)
def _em(
    levels: Levels,
    counts: Floats,
    sizes: Ints,
    share: tuple[float, float],
    m: Floats,
    u: Floats,
    free: tuple[bool, bool],
) -> tuple[int, float]:
    p, most = share
    total = counts.sum()
    matched, other = np.empty_like(m), np.empty_like(u)
    for step in range(STEPS):
        matched[:], other[:] = ALPHA, ALPHA
        log_m, log_u = np.log(np.maximum(m, 1e-300)), np.log(np.maximum(u, 1e-300))
        inside, expected = np.log(p) - np.log1p(-p), 0.0
        for i in range(len(levels)):
            odds = inside
            for key in range(len(sizes)):
                if levels[i, key] < sizes[key]:
                    odds += log_m[key, levels[i, key]] - log_u[key, levels[i, key]]
            g = counts[i] / (1 + np.exp(-odds)) if odds > -700 else 0.0
            expected += g
            for key in range(len(sizes)):
                if levels[i, key] < sizes[key]:
                    matched[key, levels[i, key]] += g
                    other[key, levels[i, key]] += counts[i] - g
        moved = _renew(other, u, sizes) if free[1] else 0.0
        _order(matched, u, sizes)
        moved = max(moved, _renew(matched, m, sizes))
        if free[0]:
            new = min(max(expected / total, 1e-300), most)
            moved = max(moved, abs(new - p) / most)
            p = new
        if moved < SMALL:
            return step + 1, p
    return STEPS, p


@njit(cache=True)
def _renew(sums: Floats, shares: Floats, sizes: Ints) -> float:
    """Shares from sums; how far the largest of them moved."""
    moved = 0.0
    for key in range(len(sizes)):
        total = sums[key, : sizes[key]].sum()
        for level in range(sizes[key]):
            new = sums[key, level] / total
            moved = max(moved, abs(new - shares[key, level]))
            shares[key, level] = new
    return moved


@njit(cache=True)
def _order(sums: Floats, u: Floats, sizes: Ints) -> None:
    """Pool neighbouring levels of `sums` until sums/u falls with the level: the likeliest m under that order (robertson1988)."""
    first, mass, width = np.empty(sums.shape[1], np.int64), np.empty(sums.shape[1]), np.empty(sums.shape[1])
    for key in range(len(sizes)):
        pools = 0
        for level in range(sizes[key]):
            first[pools], mass[pools], width[pools] = level, sums[key, level], u[key, level]
            pools += 1
            while pools > 1 and mass[pools - 1] * width[pools - 2] > mass[pools - 2] * width[pools - 1]:
                mass[pools - 2] += mass[pools - 1]
                width[pools - 2] += width[pools - 1]
                pools -= 1
        for pool in range(pools):
            end = first[pool + 1] if pool + 1 < pools else sizes[key]
            for level in range(first[pool], end):
                sums[key, level] = mass[pool] * u[key, level] / width[pool]
