"""From a numeric column to a picture of it that shows no single record.

The range of the picture ends at the 1 % and 99 % quantiles, and never nearer to an end than the third record; what
lies beyond goes into open bins. Edges are round numbers, and a bin of fewer than three records is left empty.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tarnkappe.data.column import Column, Floats
from tarnkappe.vocab import Kind

SMALLEST = 3
"""Fewest records that a bar of a picture may stand for."""
FEWEST = 10
"""A column with fewer observed values gets no picture."""
_BINS = 20
_WIDE = 100.0
"""Where the largest values are this many times the smallest ones, the bins grow with the value."""
_HEAVY = 10
_MANY = 0.1
"""From this share on, zeros are a group of their own."""
_LARGEST = 1e300
"""Beyond this, differences of values are no longer finite."""
_DAY = 86_400_000_000


@dataclass(frozen=True, slots=True)
class Axis:
    """Bin i stands at i … i+1; the first and the last bin are open."""

    edges: NDArray[np.floating[Any]]
    ticks: tuple[tuple[float, float], ...]
    """Place on the axis and value."""
    years: bool = False
    """The values of the ticks are years, not quantities."""
    whole: bool = False
    """One bin per whole number."""


@dataclass(frozen=True, slots=True)
class Histogram:
    """Shares of the observed records by bin, before and after."""

    axis: Axis
    before: Floats
    after: Floats
    hidden: bool
    """Some bin held fewer than three records and was left empty."""
    zeros: tuple[float, float] | None = None
    """Shares of exact zeros before and after, where they are told and not drawn."""


def histogram(before: Column, after: Column) -> Histogram | None:
    """Both columns over the same bins; None when there is too little to show."""
    old, new = _values(before), _values(after)
    if min(len(old), len(new)) < FEWEST or max(np.abs(old).max(), np.abs(new).max()) > _LARGEST:
        return None
    found = _binned(_axis(before, after, old, new), old, new)
    zeros = tuple(_told(int(np.count_nonzero(values == 0)), len(values)) for values in (old, new))
    others = old[old != 0], new[new != 0]
    if found.axis.whole or zeros[0] < _MANY or min(map(len, others)) < FEWEST:
        return found
    return replace(_binned(_axis(before, after, *others), *others), zeros=(zeros[0], zeros[1]))


def _binned(axis: Axis, old: Floats, new: Floats) -> Histogram:
    shares, hidden = zip(*(_shares(values, axis.edges) for values in (old, new)), strict=True)
    return _trimmed(Histogram(axis, shares[0], shares[1], any(hidden)))


def _told(count: int, of: int) -> float:
    return count / of if count >= SMALLEST else 0.0


def _values(column: Column) -> Floats:
    """The observed, finite values; dates in days."""
    values = column.numbers()
    values = values[np.isfinite(values)]
    return values / _DAY if column.kind is Kind.DATETIME else values


def _shares(values: Floats, edges: NDArray[np.floating[Any]]) -> tuple[Floats, bool]:
    counts = np.bincount(np.searchsorted(edges, values, side="right"), minlength=len(edges) + 1)
    small = (counts > 0) & (counts < SMALLEST)
    return np.where(small, 0, counts) / len(values), bool(small.any())


def _trimmed(full: Histogram) -> Histogram:
    """Without the empty bins at both ends."""
    used = np.flatnonzero((full.before > 0) | (full.after > 0))
    if not len(used):
        return full
    first, last = int(used[0]), int(used[-1]) + 1
    ticks = tuple((place - first, value) for place, value in full.axis.ticks if first <= place <= last)
    axis = replace(full.axis, ticks=ticks)
    return replace(full, axis=axis, before=full.before[first:last], after=full.after[first:last])


# -- where the bins lie ---------------------------------------------------------------------------------------


def _axis(before: Column, after: Column, old: Floats, new: Floats) -> Axis:
    low, high = _range(old, new)
    kinds = {before.kind, after.kind}
    if kinds & {Kind.DATE, Kind.DATETIME}:
        return _calendar(low, high)
    if kinds == {Kind.INTEGER} and high - low <= _BINS + 4:
        return _whole(low, high)
    least = _least_positive(old, new) if low >= 0 else 0.0
    if least > 0 and high >= _WIDE * least:
        return _decades(least, high)
    return _even(*_range(old, new, share=_middle(low, high, old)), new)


def _range(*sides: Floats, share: float = 0.01) -> tuple[float, float]:
    """From the 1 % to the 99 % quantile, at least `SMALLEST` records away from the ends."""
    lows, highs = [], []
    for values in sides:
        nth = max(SMALLEST, math.ceil(share * len(values))) - 1
        ordered = np.partition(values, (nth, len(values) - 1 - nth))
        lows.append(float(ordered[nth]))
        highs.append(float(ordered[len(values) - 1 - nth]))
    return min(lows), max(highs)


def _middle(low: float, high: float, values: Floats) -> float:
    """Heavy tails go into the open bins: 5 % at each end where the middle half would be a single bar."""
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
    ticks = tuple((i + 1.5, float(v)) for i, v in enumerate(values[:-1]) if i % every == 0)
    return Axis(values, ticks, years=_look_like_years(low, high, 1), whole=True)


def _even(low: float, high: float, new: Floats) -> Axis:
    """Bins of one width. Rounded values lie in the middle of a bin, so that rounding shows no shift."""
    step = _nice((high - low) / (_BINS - 2) if high > low else max(abs(low), 1.0))
    first, last = math.floor(low / step), max(math.ceil(high / step), math.floor(low / step) + 1)
    named = 4 if f"{step:.0e}"[0] == "5" else 5
    named = named if last - first >= named else 1
    shift = 0.5 if np.mean(new == np.rint(new / step) * step) > 0.5 else 0.0
    marks = np.arange(first, last + 1 + (shift > 0))
    ticks = tuple((i + 1.0 + shift, m * step) for i, m in enumerate(marks.tolist()) if m % named == 0)
    return Axis((marks - shift) * step, ticks, years=_look_like_years(low, high, step))


def _look_like_years(low: float, high: float, step: float) -> bool:
    """Years are written without a separator."""
    return 1800 <= low <= high <= 2100 and step >= 1


def _decades(low: float, high: float) -> Axis:
    """Bins of equal ratio, ten or fewer per power of ten; the powers of ten are named."""
    span = math.log10(high / low)
    per = next((p for p in (10, 5, 4, 2) if p * span <= _BINS + 4), 1)
    first, last = math.floor(per * math.log10(low)), math.ceil(per * math.log10(high))
    powers = np.arange(first, last + 1)
    ticks = tuple((i + 1.0, 10.0 ** (p // per)) for i, p in enumerate(powers.tolist()) if p % per == 0)
    return Axis(10.0 ** (powers / per), ticks)


def _calendar(low: float, high: float) -> Axis:
    """Whole years; a span of less than three years by months."""
    first, last = (np.datetime64(round(day), "D") for day in (low, high))
    years = (last - first).astype(int) / 365.25
    if years < 3:
        months = np.arange(first.astype("M8[M]"), last.astype("M8[M]") + 2)
        return Axis(_days(months), _year_ticks(months, 1), years=True)
    step = next(s for s in (1, 2, 5, 10, 20, 50, 100, 1000, 10_000) if years / s <= _BINS + 4)
    start = int(first.astype("M8[Y]").astype(int)) + 1970
    marks = (
        np.arange(start // step * step, int(last.astype("M8[Y]").astype(int)) + 1970 + step + 1, step) - 1970
    )
    return Axis(_days(marks.astype("M8[Y]")), _year_ticks(marks.astype("M8[Y]"), step * 5), years=True)


def _days(dates: np.ndarray) -> Floats:
    return dates.astype("M8[D]").astype(np.float64)


def _year_ticks(dates: np.ndarray, every: int) -> tuple[tuple[float, float], ...]:
    first_months = dates.astype("M8[M]").astype(int)
    return tuple(
        (i + 1.0, float(m // 12 + 1970))
        for i, m in enumerate(first_months.tolist())
        if m % 12 == 0 and (m // 12 + 1970) % every == 0
    )


def _nice(step: float) -> float:
    """The next 1, 2 or 5 times a power of ten."""
    power = 10.0 ** math.floor(math.log10(step))
    return next((m * power for m in (1, 2, 5) if m * power >= step * (1 - 1e-9)), 10 * power)
