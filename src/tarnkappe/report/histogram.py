"""From a numeric column to a picture of it that shows no single record.

The range of the picture ends at the 1 % and 99 % quantiles, and never nearer to an end than the third record; what
lies beyond goes into open bins. Edges are round numbers, and a bin of fewer than three records is left empty.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from tarnkappe.data.column import Column, Floats
from tarnkappe.report.axes import FEWEST, SMALLEST, Axis, axis_for
from tarnkappe.vocab import Kind

_MANY = 0.1
"""From this share on, zeros are a group of their own."""
_LARGEST = 1e150
"""Larger numbers get no picture, and what is as far below 1 is drawn as zero: bins must stay finite."""
_DAY = 86_400_000_000


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
    first: int = 0
    """Bins of the axis that are empty on both sides and left out before the first."""


@dataclass(frozen=True, slots=True, eq=False)
class Binning:
    """The values that are drawn, and where they stand on the axis."""

    axis: Axis
    old: Floats
    new: Floats
    zeros: tuple[float, float] | None = None


def binning(before: Column, after: Column) -> Binning | None:
    """Choose the axis for both columns; None when there is too little to show. Many zeros are told, not drawn."""
    old, new = _values(before), _values(after)
    if min(len(old), len(new)) < FEWEST or max(np.abs(old).max(), np.abs(new).max()) > _LARGEST:
        return None
    kinds = {before.kind, after.kind}
    axis = axis_for(kinds, old, new)
    zeros = _zeros(old), _zeros(new)
    if kinds & {Kind.DATE, Kind.DATETIME} or axis.whole or zeros[0] < _MANY:
        return Binning(axis, old, new)
    others = old[old != 0], new[new != 0]
    if min(map(len, others)) < FEWEST:
        return Binning(axis, old, new)
    return Binning(axis_for(kinds, *others), *others, zeros)


def histogram(before: Column, after: Column) -> Histogram | None:
    """Both columns over the same bins; None when there is too little to show."""
    found = binning(before, after)
    if found is None:
        return None
    return replace(_binned(found.axis, found.old, found.new), zeros=found.zeros)


def _values(column: Column) -> Floats:
    """The observed, finite values; dates in days."""
    values = column.numbers()
    values = values[np.isfinite(values)]
    values[np.abs(values) < 1 / _LARGEST] = 0.0
    return values / _DAY if column.kind is Kind.DATETIME else values


def _zeros(values: Floats) -> float:
    """The share of exact zeros; none where it would stand for one or two of them."""
    count = int(np.count_nonzero(values == 0))
    return count / len(values) if count >= SMALLEST else 0.0


def _binned(axis: Axis, old: Floats, new: Floats) -> Histogram:
    shares, hidden = zip(*(_shares(values, axis) for values in (old, new)), strict=True)
    return _trimmed(Histogram(axis, shares[0], shares[1], any(hidden)))


def _shares(values: Floats, axis: Axis) -> tuple[Floats, bool]:
    counts = np.bincount(np.searchsorted(axis.edges, values, side="right"), minlength=len(axis.edges) + 1)
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
    return replace(full, axis=axis, before=full.before[first:last], after=full.after[first:last], first=first)
