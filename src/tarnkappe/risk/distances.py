"""How far apart two records are: keys on a common scale, with a stated worth of every difference and of every gap."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

from tarnkappe.data.column import Bools, Floats
from tarnkappe.kernels.standard import SMALLEST_SPREAD
from tarnkappe.risk.key_scales import Placed, Scale, placed
from tarnkappe.risk.outside import Outside

Distance = Literal["standardised", "mahalanobis", "gower"]
Unknown = Literal["average", "agrees"]


@dataclass(frozen=True, eq=False)
class Points:
    """The records of both files as points, and how their distances add up over the keys (see `kernels.mixed_tree`)."""

    known: Floats
    released: Floats
    category: Bools
    differ: Floats
    gap: Floats
    squared: bool


def points(
    outside: Outside, distance: Distance, scale: Scale, importance: Mapping[str, float], unknown: Unknown
) -> Points:
    """Put both files into one space.

    standardised: the root of the sum of squared differences, each key in its standard deviation, so that on average every key adds
    the same; two different categories add as much as makes this true for them. mahalanobis: the same, after the correlations of the
    numbers are taken out; unknown numbers count as the mean. gower: the sum of differences in parts of the range, 1 for two different
    categories (gower1971). A weight of a key multiplies what it adds. An unknown value adds what the key adds on average, or nothing.
    """
    keys = placed(outside, scale)
    squared = distance != "gower"
    ready = [
        _categories(key, squared=squared) if key.count else _numbers(key, squared=squared) for key in keys
    ]
    weights = np.array([importance.get(key.name, 1.0) for key in keys])
    known, released = (
        np.column_stack(side) for side in zip(*((r.known, r.released) for r in ready), strict=True)
    )
    category = np.array([key.count > 0 for key in keys])
    if distance == "mahalanobis" and not category.all():
        known[:, ~category], released[:, ~category] = _whitened(known[:, ~category], released[:, ~category])
    spread = np.where(category, 1.0, np.sqrt(weights) if squared else weights)
    average = np.array([r.average for r in ready]) * weights
    gap = average if unknown == "average" else np.zeros(len(keys))
    differ = np.array([r.differ for r in ready]) * weights
    return Points(known * spread, released * spread, category, differ, gap, squared)


@dataclass(frozen=True, eq=False)
class _Ready:
    """One key, scaled; what two different categories add, and what two records add on average."""

    known: Floats
    released: Floats
    differ: float
    average: float


def _categories(key: Placed, *, squared: bool) -> _Ready:
    known, released = (_shares(values, key.count) for values in (key.known, key.released))
    unlike = 1 - float(released @ released)
    differ = (2 / unlike if unlike > SMALLEST_SPREAD else 0.0) if squared else 1.0
    return _Ready(key.known, key.released, differ, differ * max(1 - float(known @ released), 0.0))


def _shares(values: Floats, count: int) -> Floats:
    times = np.bincount(values[~np.isnan(values)].astype(np.int64), minlength=count)
    out: Floats = times / max(int(times.sum()), 1)
    return out


def _numbers(key: Placed, *, squared: bool) -> _Ready:
    """A number that does not vary in the release tells no record from another: it becomes 0."""
    there, had = (values[~np.isnan(values)] for values in (key.released, key.known))
    centre = float(there.mean()) if len(there) else 0.0
    both = np.concatenate([there, had])
    width = _spread(there) if squared else float(np.ptp(both)) if len(both) else 0.0
    if _spread(there) <= SMALLEST_SPREAD * max(float(np.abs(there).max(initial=0.0)), 1e-300) or width == 0:
        known, released = (np.where(np.isnan(values), np.nan, 0.0) for values in (key.known, key.released))
        return _Ready(known, released, 0.0, 0.0)
    known, released = ((values - centre) / width for values in (key.known, key.released))
    return _Ready(known, released, 0.0, _average(known, released, squared=squared))


def _spread(values: Floats) -> float:
    return float(values.std()) if len(values) else 0.0


def _average(known: Floats, released: Floats, *, squared: bool) -> float:
    """The mean of (x - y)² or |x - y| over all pairs of known and released values."""
    x, y = np.sort(known[~np.isnan(known)]), released[~np.isnan(released)]
    if not len(x) or not len(y):
        return 0.0
    if squared:
        return float(x.var() + y.var() + (x.mean() - y.mean()) ** 2)
    below = np.searchsorted(x, y)
    sums = np.concatenate([[0.0], np.cumsum(x)])
    apart = y * below - sums[below] + (sums[-1] - sums[below]) - y * (len(x) - below)
    return float(apart.mean() / len(x))


def _whitened(known: Floats, released: Floats) -> tuple[Floats, Floats]:
    """Numbers whose correlations, as the release has them, are gone; a gap counts as the mean of the release, which is 0."""
    from tarnkappe.kernels.robust import covariance, whitening  # noqa: PLC0415 - slow to load

    known, released = np.nan_to_num(known), np.nan_to_num(released)
    turn = whitening(covariance(released))
    return known @ turn, released @ turn
