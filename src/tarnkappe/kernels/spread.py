"""Groups that keep their mean and their variance: a lower part and an upper part, each with one value.

With g values, g1 of them in the lower part, mean m and standard deviation σ (divisor g):
lower value m - σ √((g - g1) / g1), upper value m + σ √(g1 / (g - g1)). Source: hoehne2010, 3.3.2 (M15 to M17). Where values have weights, g and g1
are sums of weights.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

LEAST = 2
"""Values in each part: one alone could be computed back."""


@njit(cache=True)
def spread_sorted(
    x: Floats, weights: Floats, labels: Ints, starts: Ints, upper: int, keep_sign: bool  # noqa: FBT001 - compiled
) -> tuple[Floats, int]:  # fmt: skip
    """Replace sorted values by the two values of their group.

    Parameters
    ----------
    x, starts
        Values that rise within every block; block b is starts[b]:starts[b+1].
    weights
        How much each value counts, above 0.
    labels
        Groups of neighbours, rising; -1 where a block has none.
    upper
        Values in the upper part; 0 for half of them.
    keep_sign
        `x` is not negative and must not become so: the upper part is made smaller, then the group is joined with the next lower ones,
        at the lower end with the next higher ones, until the lower value is not negative.

    Returns
    -------
    The new values, and how many values stand in groups whose lower value is negative all the same.
    """
    out, bad = x.copy(), 0
    stops = np.empty(len(x) + 1, np.int64)
    for b in range(len(starts) - 1):
        first, stop, top = starts[b], starts[b + 1], 0
        if first == stop or labels[first] < 0:
            continue
        while stop > first:
            start = _first(labels, stop)
            total, mean, squares = _moments(x, weights, start, stop, (0.0, 0.0, 0.0))
            while (
                keep_sign
                and _negative(weights[start:stop], mean, squares / total)
                and (start > first or top > 0)
            ):
                if start > first:
                    below = _first(labels, start)
                    total, mean, squares = _moments(x, weights, below, start, (total, mean, squares))
                    start = below
                else:
                    top -= 1
                    total, mean, squares = _moments(x, weights, stop, stops[top], (total, mean, squares))
                    stop = stops[top]
            variance = squares / total
            needed = total / (1 + mean * mean / variance) if keep_sign and variance > 0 else 0.0
            low, part, rest = _low(weights[start:stop], upper, needed)
            value = _lower(mean, variance, part, rest)
            bad += stop - start if keep_sign and value < 0 else 0
            out[start : start + low] = value
            out[start + low : stop] = mean + np.sqrt(variance * part / rest)
            stops[top] = stop
            top += 1
            stop = start
    return out, bad


@njit(cache=True)
def _moments(
    x: Floats, weights: Floats, start: int, stop: int, so_far: tuple[float, float, float]
) -> tuple[float, float, float]:
    """Weight, mean and weighted squares around it, with further values."""
    for i in range(start, stop):
        so_far = _with(so_far, x[i], weights[i])
    return so_far


@njit(cache=True)
def _negative(weights: Floats, mean: float, variance: float) -> bool:
    """Whether the lower value is negative even with the smallest upper part."""
    return _lower(mean, variance, weights[:-LEAST].sum(), weights[-LEAST:].sum()) < 0


@njit(cache=True)
def _first(labels: Ints, stop: int) -> int:
    start = stop - 1
    while start > 0 and labels[start - 1] == labels[stop - 1]:
        start -= 1
    return start


@njit(cache=True)
def _with(so_far: tuple[float, float, float], value: float, weight: float) -> tuple[float, float, float]:
    """One more value (Welford, with weights): nothing cancels, and equal values have no spread at all."""
    total, mean, squares = so_far
    if total == 0:
        return weight, value, 0.0
    d = value - mean
    total += weight
    mean += d * weight / total
    return total, mean, squares + max(weight * d * (value - mean), 0.0)


@njit(cache=True)
def _lower(mean: float, variance: float, part: float, rest: float) -> float:
    """The lower value, from the weights of the lower part and of the rest: each summed by itself, for a small one would be lost in a difference."""
    value = mean - np.sqrt(variance * rest / part)
    return 0.0 if abs(value) <= 1e-14 * abs(mean) else value


@njit(cache=True)
def _low(weights: Floats, upper: int, needed: float) -> tuple[int, float, float]:
    """How many values make the lower part, their weight and that of the others: as asked, or more until they have the weight that is needed."""
    count = len(weights)
    low = count - upper if upper > 0 else count // 2
    low = max(min(low, count - LEAST), LEAST)
    part = weights[:low].sum()
    while part < needed and low < count - LEAST:
        part += weights[low]
        low += 1
    return low, part, weights[low:].sum()


@njit(cache=True)
def spread_records(x: Floats, values: Floats, weights: Floats, labels: Ints) -> Floats:
    """Cut every group into two halves of similar records; in each column the half with the larger mean gets the upper value.

    Halves are alike in `x`, standardised; the `values` are replaced, and count with `weights`. Source: hoehne2010, 3.3.2 (M17). Which half is the upper one is
    decided for each column apart: the columns of one half must not
    all be upper, or the correlation within the group would become one.
    """
    out = values.copy()
    order = np.argsort(labels, kind="mergesort")
    start = 0
    while start < len(order):
        stop = start + 1
        while stop < len(order) and labels[order[stop]] == labels[order[start]]:
            stop += 1
        if labels[order[start]] >= 0:
            rows = order[start:stop]
            _spread_group(values, weights, _half(x, rows), rows, out)
        start = stop
    return out


@njit(cache=True)
def _spread_group(x: Floats, weights: Floats, one: NDArray[np.bool_], rows: Ints, out: Floats) -> None:
    g, part, rest = len(rows), 0.0, 0.0
    for t in range(g):
        part += weights[rows[t]] if one[t] else 0.0
        rest += 0.0 if one[t] else weights[rows[t]]
    for j in range(x.shape[1]):
        so_far, lean = (0.0, 0.0, 0.0), 0.0
        for t in range(g):
            so_far = _with(so_far, x[rows[t], j], weights[rows[t]])
        total, mean, squares = so_far
        for t in range(g):
            lean += weights[rows[t]] * (x[rows[t], j] - mean) if one[t] else 0.0
        low, high = (rest, part) if lean > 0 else (part, rest)
        down, up = np.sqrt(squares / total * high / low), np.sqrt(squares / total * low / high)
        for t in range(g):
            out[rows[t], j] = mean + up if one[t] == (lean > 0) else mean - down


@njit(cache=True)
def _half(x: Floats, rows: Ints) -> NDArray[np.bool_]:
    """The record farthest from the mean of the group and its nearest neighbours, half of the records."""
    g, p = len(rows), x.shape[1]
    centre = np.zeros(p)
    for i in rows:
        centre += x[i] / g
    far, d = np.zeros(g), np.zeros(g)
    for t in range(g):
        far[t] = ((x[rows[t]] - centre) ** 2).sum()
    end = rows[np.argmax(far)]
    for t in range(g):
        d[t] = ((x[rows[t]] - x[end]) ** 2).sum()
    one = np.zeros(g, np.bool_)
    one[np.argsort(d, kind="mergesort")[: g // 2]] = True
    return one
