"""How much likelier an attacker's record is if it belongs to a released one than if it belongs to anybody.

The hit-miss model of copas1990: with probability 1 - e a value is a hit and differs from the released one by a normal error with standard
deviation σ (a category does not differ at all), else it is a miss, and anybody's. With g, the density of anybody's values, the ratio of
a pair is ∏ ((1 - e) f(y - x)/g(y) + e) over the keys that are known on both sides. The probability that record l is the one sought is
then π_l R_l / (Σ π_h R_h + π_0): the posterior of paass1988 with f_0 = ∏ g as the density of those who are not in the release.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from tarnkappe.kernels.comparison import Side

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

LEAST_NOISE = 1e-6
"""Below this a standard deviation counts as none; equal values stay equal after rounding."""
EXACT = 1e300
"""Steepness of a category: whatever differs is no hit."""
_STEPS = 200
_ROOT = float(np.sqrt(2 * np.pi))
_BOX = float(np.sqrt(3.0))
"""A box of ±√3 σ has the standard deviation σ."""


class Errors(NamedTuple):
    """The error model of one key."""

    noise: float
    """σ; 0 for categories."""
    miss: float
    """e"""


class Ratios(NamedTuple):
    """What the ratios of the pairs are made of."""

    gain: Floats
    """(different known records, keys): the ratio of a hit without error, (1 - e) f(0)/g(y)."""
    steep: Floats
    """1/(2σ²) of every key."""
    miss: Floats


class Found(NamedTuple):
    """For every different known record what its block holds."""

    total: Floats
    """Σ R over released records."""
    highest: Floats
    ties: Ints
    """Released records that reach the highest ratio."""


def frequency(y: Floats, released: Floats, count: int) -> Floats:
    """G of categories: how frequent the value is in the release, never 0."""
    there = released[~np.isnan(released)].astype(np.int64)
    shares = (np.bincount(there, minlength=count) + 0.5) / (len(there) + 0.5 * count)
    return np.where(np.isnan(y), 1.0, shares[np.where(np.isnan(y), 0, y).astype(np.int64)])


def density(y: Floats, released: Floats, noise: float) -> Floats:
    """G of numbers: released values within reach of the error, per unit of the scale; never 0."""
    ordered = np.sort(released[~np.isnan(released)])
    reach = _BOX * max(noise, LEAST_NOISE)
    inside = np.searchsorted(ordered, y + reach, "right") - np.searchsorted(ordered, y - reach, "left")
    return np.where(np.isnan(y), 1.0, (inside + 0.5) / ((len(ordered) + 1) * 2 * reach))


def category_errors(y: Floats, x: Floats, g: Floats) -> Errors:
    """The share of misses from true pairs: a miss agrees by chance with probability g."""
    both = ~np.isnan(y) & ~np.isnan(x)
    apart = float((y[both] != x[both]).sum())
    return Errors(0.0, min((apart + 0.5) / (float((1 - g[both]).sum()) + 1.0), 1.0))


def number_errors(y: Floats, x: Floats, released: Floats, noise: float | None) -> Errors:
    """Standard deviation of hits and share of misses from true pairs, by EM from a small and from a large σ: the likelier one counts.

    A `noise` that is given stays as it is.
    """
    both = ~np.isnan(y) & ~np.isnan(x)
    y, apart = y[both], (y - x)[both]
    if not len(apart):
        return Errors(max(noise or 0.0, LEAST_NOISE), 0.5)
    begin = [1.4826 * float(np.median(np.abs(apart))), float(np.sqrt(np.mean(apart**2)))]
    starts = begin if noise is None else [noise]
    tried = [
        _fitted(y, apart, released, max(start, LEAST_NOISE), fixed=noise is not None) for start in starts
    ]
    return max(tried, key=lambda found: found[1])[0]


def _fitted(y: Floats, apart: Floats, released: Floats, noise: float, *, fixed: bool) -> tuple[Errors, float]:
    miss, likelihood = 0.05, -np.inf
    for _ in range(_STEPS):
        g = density(y, released, noise)
        hit = (1 - miss) * np.exp(-0.5 * np.minimum((apart / noise) ** 2, 1400.0)) / (noise * _ROOT)
        both = hit + miss * g
        before, likelihood = likelihood, float(np.log(both).sum())
        if abs(likelihood - before) < 1e-8 * len(y):
            break
        sure = hit / both
        miss = float(((1 - sure).sum() + 0.5) / (len(y) + 1.0))
        if not fixed:
            noise = max(float(np.sqrt((sure * apart**2).sum() / max(sure.sum(), 1e-300))), LEAST_NOISE)
    return Errors(noise, miss), likelihood


def ratios(g: Floats, errors: list[Errors]) -> Ratios:
    """The pieces of the ratios from g, (different known records, keys), and the errors of every key."""
    miss, noise = np.array([e.miss for e in errors]), np.array([e.noise for e in errors])
    number = noise > 0
    safe = np.where(number, np.maximum(noise, LEAST_NOISE), 1.0)
    top = np.where(number, 1 / (safe * _ROOT), 1.0)
    return Ratios((1 - miss) * top / g, np.where(number, 1 / (2 * safe**2), EXACT), miss)


@njit(cache=True, inline="always")
def _ratio(a: Floats, i: int, b: Floats, j: int, parts: Any) -> float:
    product = 1.0
    for key in range(len(parts.miss)):
        apart = a[i, key] - b[j, key]
        if apart == apart:  # noqa: PLR0124 - false where a value is unknown
            far = apart * apart * parts.steep[key]
            product *= parts.miss[key] + (parts.gain[i, key] * np.exp(-far) if far < 700 else 0.0)
    return product


@njit(cache=True)
def searched(one: Side, other: Side, parts: Ratios) -> Found:
    """Go through the released records of the block of every different known record; no pair is kept."""
    total, highest = np.zeros(len(one.values)), np.zeros(len(one.values))
    ties = np.zeros(len(one.values), np.int64)
    for block in range(len(one.starts) - 1):
        for i in range(one.starts[block], one.starts[block + 1]):
            for j in range(other.starts[block], other.starts[block + 1]):
                ratio = _ratio(one.values, i, other.values, j, parts)
                total[i] += ratio * other.times[j]
                if ratio > highest[i]:
                    highest[i], ties[i] = ratio, other.times[j]
                elif ratio == highest[i]:
                    ties[i] += other.times[j]
    return Found(total, highest, ties)


@njit(cache=True)
def of_pairs(one: Side, rows: Ints, other: Side, columns: Ints, parts: Ratios) -> Floats:
    """The ratios of some pairs."""
    out = np.empty(len(rows))
    for k in range(len(rows)):
        out[k] = _ratio(one.values, rows[k], other.values, columns[k], parts)
    return out


def posterior(ratio: Floats, total: Floats, size: Ints, absent: float) -> Floats:
    """The probability of a released record with this ratio; each of `size` in the block is as likely beforehand, nobody is with `absent`."""
    each = (1 - absent) / np.maximum(size, 1)
    whole = each * total + absent
    return np.where(whole > 0, each * ratio / np.where(whole > 0, whole, 1.0), 0.0)
