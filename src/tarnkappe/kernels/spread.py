"""Groups that keep their mean and their variance: a lower part and an upper part, each with one value.

With g values, g1 of them in the lower part, mean m and standard deviation σ (divisor g):
lower value m - σ √((g - g1) / g1), upper value m + σ √(g1 / (g - g1)). Source: hoehne2010, 3.3.2 (M15 to M17).
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
def spread_sorted(x: Floats, labels: Ints, starts: Ints, upper: int, keep_sign: bool) -> tuple[Floats, int]:  # noqa: FBT001 - compiled
    """Replace sorted values by the two values of their group.

    Parameters
    ----------
    x, starts
        Values that rise within every block; block b is starts[b]:starts[b+1].
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
            count, mean, squares = _moments(x, start, stop)
            while keep_sign and _negative(count, mean, squares) and (start > first or top > 0):
                if start > first:
                    below = _first(labels, start)
                    for i in range(below, start):
                        count, mean, squares = _with(count, mean, squares, x[i])
                    start = below
                else:
                    top -= 1
                    for i in range(stop, stops[top]):
                        count, mean, squares = _with(count, mean, squares, x[i])
                    stop = stops[top]
            low = _low(count, mean, squares, upper, keep_sign)
            value = _lower(count, mean, squares, low)
            bad += count if keep_sign and value < 0 else 0
            out[start : start + low] = value
            out[start + low : stop] = mean + np.sqrt(squares / count * low / (count - low))
            stops[top] = stop
            top += 1
            stop = start
    return out, bad


@njit(cache=True)
def _moments(x: Floats, start: int, stop: int) -> tuple[int, float, float]:
    count, mean, squares = 0, 0.0, 0.0
    for i in range(start, stop):
        count, mean, squares = _with(count, mean, squares, x[i])
    return count, mean, squares


@njit(cache=True)
def _negative(count: int, mean: float, squares: float) -> bool:
    """Whether the lower value is negative even with the smallest upper part."""
    return _lower(count, mean, squares, count - LEAST) < 0


@njit(cache=True)
def _first(labels: Ints, stop: int) -> int:
    start = stop - 1
    while start > 0 and labels[start - 1] == labels[stop - 1]:
        start -= 1
    return start


@njit(cache=True)
def _with(count: int, mean: float, squares: float, value: float) -> tuple[int, float, float]:
    """One more value (Welford): nothing cancels."""
    d = value - mean
    mean += d / (count + 1)
    return count + 1, mean, squares + d * (value - mean)


@njit(cache=True)
def _lower(count: int, mean: float, squares: float, low: int) -> float:
    value = mean - np.sqrt(squares / count * (count - low) / low)
    return 0.0 if abs(value) <= 1e-14 * abs(mean) else value


@njit(cache=True)
def _low(count: int, mean: float, squares: float, upper: int, keep_sign: bool) -> int:  # noqa: FBT001 - compiled
    """How many values make the lower part: as asked, or more where the lower value would else be negative."""
    low = count - upper if upper > 0 else count // 2
    low = max(min(low, count - LEAST), LEAST)
    if keep_sign and squares > 0:
        needed = count / (1 + mean * mean / (squares / count))
        low = min(max(low, int(np.ceil(needed))), count - LEAST)
    return low


@njit(cache=True)
def spread_records(x: Floats, values: Floats, labels: Ints) -> Floats:
    """Cut every group into two halves of similar records; in each column the half with the larger mean gets the upper value.

    Halves are alike in `x`, standardised; the `values` are replaced. Source: hoehne2010, 3.3.2 (M17). Which half is the upper one is decided for each column apart: the columns of one half must not
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
            _spread_group(values, _half(x, order[start:stop]), order[start:stop], out)
        start = stop
    return out


@njit(cache=True)
def _spread_group(x: Floats, one: NDArray[np.bool_], rows: Ints, out: Floats) -> None:
    g, p, size = len(rows), x.shape[1], len(rows) // 2
    for j in range(p):
        count, mean, squares, total = 0, 0.0, 0.0, 0.0
        for t in range(g):
            count, mean, squares = _with(count, mean, squares, x[rows[t], j])
        for t in range(g):
            total += x[rows[t], j] - mean if one[t] else 0.0
        low = g - size if total > 0 else size
        down, up = np.sqrt(squares / g * (g - low) / low), np.sqrt(squares / g * low / (g - low))
        for t in range(g):
            out[rows[t], j] = mean + up if one[t] == (total > 0) else mean - down


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
