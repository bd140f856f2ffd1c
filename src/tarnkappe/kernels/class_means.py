"""Classes of numbers: limits from quantiles, means of classes."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def rounded_quantiles(values: Floats, count: int) -> list[float]:
    """Limits of `count` classes with equally many values, rounded so that they do not show a value.

    They are rounded to the leading digit of the median distance between quantiles half a class apart; limits
    that fall together are one.
    """
    halves = np.quantile(values, np.arange(1, 2 * count) / (2 * count))
    gaps = np.diff(halves)
    gap = float(np.median(gaps[gaps > 0])) if (gaps > 0).any() else 0.0
    digits = -math.floor(math.log10(gap)) if gap else 0
    return sorted({round(limit, digits) + 0.0 for limit in halves[1::2].tolist()})


def class_means(values: Floats, ids: Ints, size: int) -> Floats:
    """The mean of every class, at most its largest and at least its smallest value, without overflow."""
    _, exponent = np.frexp(np.abs(values).max(initial=1.0))
    sums = np.bincount(ids, np.ldexp(values, -exponent), minlength=size)
    with np.errstate(over="ignore"):
        means = np.ldexp(sums / np.bincount(ids, minlength=size), exponent)
    low, high = np.full(size, np.inf), np.full(size, -np.inf)
    np.minimum.at(low, ids, values)
    np.maximum.at(high, ids, values)
    return np.clip(means, low, high)
