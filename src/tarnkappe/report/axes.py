"""Where the bins of a histogram lie: at round numbers, within quantiles that no single record decides."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tarnkappe.data.column import Floats
from tarnkappe.vocab import Kind

SMALLEST = 3
"""Fewest records that a part of a picture may stand for."""
FEWEST = 10
"""A column with fewer observed values gets no picture."""
_MOST_BINS = 20
_PER_BIN = 6
"""Fewer records have fewer bins: about so many records in each."""
_WIDE, _SKEWED = 100.0, 0.1
"""Bins grow with the value where the range spans two powers of ten and half of the values lie in its first tenth."""
_HEAVY = 10.0
_EPOCH = 1970 * 12
_CALENDAR = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)


@dataclass(frozen=True, slots=True)
class Axis:
    """Bin i stands at i … i+1; the first and the last bin are open."""

    edges: NDArray[np.floating[Any]]
    ticks: tuple[tuple[float, float | str], ...]
    """Place on the axis, and the number there or what is written there."""
    whole: bool = False
    """One bin per whole number."""
    days: bool = False
    """The edges are days since 1970."""


def axis_for(kinds: set[Kind], old: Floats, new: Floats) -> Axis:
    """Choose the bins for both sides of a column; dates are given in days."""
    low, high = _range(old, new)
    bins = max(5, min(_MOST_BINS, min(len(old), len(new)) // _PER_BIN))
    if kinds & {Kind.DATE, Kind.DATETIME}:
        return _calendar(low, high, bins)
    if kinds == {Kind.INTEGER} and high - low <= bins + 4:
        return _whole(low, high)
    least = _least_positive(old, new) if low >= 0 else 0.0
    if least > 0 and high >= _WIDE * least and np.median(old) <= _SKEWED * high:
        return _decades(least, high, bins)
    return _even(*_range(old, new, share=_left_out(low, high, old)), bins, new)


def _range(*sides: Floats, share: float = 0.01) -> tuple[float, float]:
    """From one quantile to the other, with at least `SMALLEST` records at or beyond either."""
    lows, highs = [], []
    for values in sides:
        nth = max(SMALLEST, math.ceil(share * len(values))) - 1
        ordered = np.partition(values, (nth, len(values) - 1 - nth))
        lows.append(float(ordered[nth]))
        highs.append(float(ordered[len(values) - 1 - nth]))
    return min(lows), max(highs)


def _left_out(low: float, high: float, values: Floats) -> float:
    """1 % at each end; 5 % where the tails are so heavy that the middle half would be a single bar."""
    first, third = np.quantile(values, (0.25, 0.75))
    return 0.05 if high - low > _HEAVY * (third - first) else 0.01


def _least_positive(*sides: Floats) -> float:
    """Where the positive values begin: 0 when there are too few of them."""
    positive = [values[values > 0] for values in sides]
    if min(len(p) for p in positive) < FEWEST:
        return 0.0
    return _range(*positive)[0]


def _whole(low: float, high: float) -> Axis:
    """One bin per whole number, its name below the middle."""
    values = np.arange(low, high + 2)
    every = max(1, math.ceil(len(values) / 12))
    ticks = tuple(
        (i + 1.5, _named(v, low, high)) for i, v in enumerate(values[:-1].tolist()) if i % every == 0
    )
    return Axis(values, ticks, whole=True)


def _even(low: float, high: float, bins: int, new: Floats) -> Axis:
    """Bins of one width. Rounded values lie in the middle of a bin, so that rounding shows no shift."""
    step = _nice((high - low) / (bins - 2) if high > low else max(abs(low), 1.0))
    first, last = math.floor(low / step), max(math.ceil(high / step), math.floor(low / step) + 1)
    named = 4 if f"{step:.0e}"[0] == "5" else 5
    named = named if last - first >= 2 * named else 1 if last - first <= 6 else 2
    with np.errstate(over="ignore"):
        shift = 0.5 if np.mean(new == np.rint(new / step) * step) > 0.5 else 0.0
    marks = np.arange(first, last + 1 + (shift > 0))
    places = [(i + 1.0 + shift, m * step) for i, m in enumerate(marks.tolist()) if m % named == 0]
    ticks = tuple((place, _named(value, low, high) if step >= 1 else value) for place, value in places)
    return Axis((marks - shift) * step, ticks)


def _named(value: float, low: float, high: float) -> float | str:
    """Years are written without a separator."""
    return f"{value:.0f}" if 1800 <= low <= high <= 2100 else value


def _decades(low: float, high: float, bins: int) -> Axis:
    """Bins of equal ratio, parts of a power of ten or several of them; powers of ten are named."""
    start, end = math.log10(low), math.log10(high)
    step = next(
        (s for s in (0.1, 0.2, 0.25, 0.5) if (end - start) / s <= bins + 4), math.ceil((end - start) / bins)
    )
    marks = np.arange(math.floor(start / step), math.ceil(end / step) + 1)
    every = max(1, round(1 / step))
    ticks = tuple((i + 1.0, 10.0 ** round(m * step)) for i, m in enumerate(marks.tolist()) if m % every == 0)
    return Axis(10.0 ** (marks * step), ticks)


def _calendar(low: float, high: float, bins: int) -> Axis:
    """Whole months or years, as many in a bin as the span needs; months are counted from the year 0."""
    first, last = (
        int(np.datetime64(round(day), "D").astype("M8[M]").astype(int)) + _EPOCH for day in (low, high)
    )
    months = last - first + 1
    sizes = (1, 3, 6, *(12 * years for years in _CALENDAR))
    step = next((s for s in sizes if months / s <= bins + 4), 12 * math.ceil(months / bins / 12))
    marks = np.arange(first // step * step, last + step + 1, step)
    every = step * max(1, math.ceil(len(marks) / 5))
    ticks = (
        (i + 1.0, str(np.datetime64(m - _EPOCH, "M"))) for i, m in enumerate(marks.tolist()) if m % every == 0
    )
    named = tuple((place, month[:-3] if step % 12 == 0 else month) for place, month in ticks)
    return Axis((marks - _EPOCH).astype("M8[M]").astype("M8[D]").astype(np.float64), named, days=True)


def _nice(step: float) -> float:
    """The next 1, 2 or 5 times a power of ten."""
    power = 10.0 ** math.floor(math.log10(step))
    return next((m * power for m in (1, 2, 5) if m * power >= step * (1 - 1e-9)), 10 * power)
