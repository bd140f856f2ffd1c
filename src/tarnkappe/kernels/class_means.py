"""Classes of numbers: limits from quantiles, means of classes."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_AT_ONCE = 2**19
"""Quantiles that are worked out at a time."""


def rounded_quantiles(values: Floats, count: int) -> list[float]:
    """Limits of `count` classes with equally many values, rounded so that they do not show a value.

    They are rounded to the leading digit of the median distance between quantiles half a class apart; limits
    that fall together are one.
    """
    limits: list[float] = block_limits(np.sort(values), np.array([0, len(values)]), count)[0].tolist()
    return limits


def block_limits(values: Floats, starts: Ints, count: int) -> tuple[Floats, Ints]:
    """The limits of `rounded_quantiles` in every block: one after the other, and where those of a block begin.

    Parameters
    ----------
    values
        Finite, block after block, ascending in each.
    starts
        Where each block begins; one more entry than there are blocks. A block without values has no limits.
    count
        Number of classes.
    """
    limits: list[float] = []
    sizes = np.zeros(len(starts), dtype=np.int64)
    full = np.flatnonzero(np.diff(starts))
    for some in np.array_split(full, 1 + len(full) * count // _AT_ONCE):
        for block, row, digits in zip(some.tolist(), *_quantiles(values, starts, some, count), strict=True):
            found = sorted({_rounded(limit, digits) for limit in row})
            limits += found
            sizes[block + 1] = len(found)
    return np.array(limits, dtype=np.float64), np.cumsum(sizes)


def _quantiles(values: Floats, starts: Ints, blocks: Ints, count: int) -> tuple[list[list[float]], list[int]]:
    """The quantiles of some blocks that have values, and the digits to which they are rounded."""
    first, last = starts[blocks], starts[blocks + 1] - 1
    halves = _between(values, first, last, np.arange(1, 2 * count) / (2 * count))
    with np.errstate(over="ignore"):
        gaps = np.diff(halves, axis=1)
    gaps = np.where(
        np.isfinite(gaps), gaps, np.diff(halves / 2, axis=1)
    )  # at the end of all numbers a half will do
    gaps = np.sort(np.where(gaps > 0, gaps, np.inf), axis=1)
    count_of = np.count_nonzero(np.isfinite(gaps), axis=1)
    digits = [_digits(row[:n]) for row, n in zip(gaps, count_of.tolist(), strict=True)]
    return halves[:, 1::2].tolist(), digits


def _digits(gaps: Floats) -> int:
    """Decimal places of the leading digit of the median of ascending numbers; 0 where there is none."""
    if not len(gaps):
        return 0
    low, high = float(gaps[(len(gaps) - 1) // 2]), float(gaps[len(gaps) // 2])
    middle = (low + high) / 2 if low + high < math.inf else low
    return -math.floor(math.log10(middle))


def _rounded(limit: float, digits: int) -> float:
    """Rounded as people do; infinite where the result is too large for a number. Zero has no sign."""
    try:
        return round(limit, digits) + 0.0
    except OverflowError:
        return math.copysign(math.inf, limit)


def _between(values: Floats, first: Ints, last: Ints, shares: Floats) -> Floats:
    """Quantiles by linear interpolation, as numpy has them: one row per block, one column per share."""
    place = (last - first)[:, None] * shares
    below = np.floor(place).astype(np.int64)
    part = place - below
    low = values[first[:, None] + below]
    high = values[first[:, None] + np.minimum(below + 1, (last - first)[:, None])]
    with np.errstate(over="ignore", invalid="ignore"):
        gap = high - low
        near = np.where(part < 0.5, low + gap * part, high - gap * (1 - part))
    out: Floats = np.where(np.isfinite(gap), near, low * (1 - part) + high * part)
    return out


def class_means(values: Floats, ids: Ints, size: int) -> Floats:
    """The mean of every class, at most its largest and at least its smallest value, without overflow."""
    low, high = np.full(size, np.inf), np.full(size, -np.inf)
    np.minimum.at(low, ids, values)
    np.maximum.at(high, ids, values)
    _, exponent = np.frexp(np.maximum(np.abs(low), np.abs(high)))
    sums = np.bincount(ids, np.ldexp(values, -exponent[ids]), minlength=size)
    with np.errstate(over="ignore"):
        means = np.ldexp(sums / np.bincount(ids, minlength=size), exponent)
    return np.clip(means, low, high)
