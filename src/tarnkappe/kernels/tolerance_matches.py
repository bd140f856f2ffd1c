"""How many records of one file agree with each record of another, number by number, for a list of tolerances at once."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

_ROUNDING = 1e-9
"""Relative: a difference of exactly the tolerance counts as within, whatever the last digit is."""


class Fits(NamedTuple):
    """For every known record and every tolerance."""

    counts: Ints
    """Released records that fit."""
    own: Bools
    """Is the own one among them?"""


class Side(NamedTuple):
    """Records of one file."""

    values: Floats
    """(records, keys); NaN where nothing is known, which agrees with everything."""
    block: Ints
    """Only records of one block are compared."""


def matches(known: Side, released: Side, unit: Floats, truth: Ints, tolerances: Floats) -> Fits:
    """Count for every known record the released ones that lie, on every key, within ± tolerance · unit of its value.

    `unit` has the shape of the known values; where it is 0, only the same value agrees. `tolerances` are ascending; `truth` is the place
    of the own released record, or -1. In every block the records are sorted by the key that leaves fewest to be looked at.
    """
    low, high = _range(known.values, unit, tolerances[-1] if len(tolerances) else 0.0)
    key = _rarest(low, high, released.values)
    order = np.lexsort((released.values[:, key], released.block))  # NaN comes last in its block
    blocks = int(max(known.block.max(initial=-1), released.block.max(initial=-1))) + 1
    starts = np.searchsorted(released.block[order], np.arange(blocks + 1))
    gaps = np.bincount(released.block, weights=np.isnan(released.values[:, key]), minlength=blocks)
    ends = starts[1:] - gaps.astype(np.int64)
    place = (key, order, starts, ends)
    return Fits(*_counted(known, released, unit, truth, tolerances, (low[:, key], high[:, key]), place))


def _range(values: Floats, unit: Floats, tolerance: float) -> tuple[Floats, Floats]:
    """From where to where released values fit; a little more is no harm, each is looked at again."""
    with np.errstate(over="ignore"):
        reach = tolerance * unit * (1 + 2 * _ROUNDING)
        return values - reach, values + reach


def _rarest(low: Floats, high: Floats, released: Floats) -> int:
    """The key in which the fewest released values lie in the range of a known one, on average."""
    cost = []
    for j in range(released.shape[1]):
        there = np.sort(released[~np.isnan(released[:, j]), j])
        inside = np.searchsorted(there, high[:, j], "right") - np.searchsorted(there, low[:, j])
        looked_at = np.where(np.isnan(low[:, j]), len(there), inside)
        cost.append(float(looked_at.mean()) + len(released) - len(there))
    return int(np.argmin(cost))


@njit(cache=True)
def _needed(x: Floats, y: Floats, unit: Floats, most: float) -> float:
    """The tolerance from which on two records agree; more than `most` as soon as it is."""
    worst = 0.0
    for j in range(len(x)):
        if np.isnan(x[j]) or np.isnan(y[j]) or x[j] == y[j]:
            continue
        apart = abs(y[j] - x[j])
        if apart > most * unit[j] * (1 + _ROUNDING):
            return np.inf
        worst = max(worst, apart / unit[j] / (1 + _ROUNDING))
    return worst


@njit(cache=True)
def _counted(
    known: Side,
    released: Side,
    unit: Floats,
    truth: Ints,
    tolerances: Floats,
    range_of: tuple[Floats, Floats],
    place: tuple[int, Ints, Ints, Ints],
) -> tuple[Ints, Bools]:
    n, levels = len(truth), len(tolerances)
    counts, own = np.zeros((n, levels), np.int64), np.zeros((n, levels), np.bool_)
    low, high = range_of
    key, order, starts, ends = place
    sorted_key = released.values[order, key]
    most = tolerances[levels - 1]
    for i in range(n):
        block = known.block[i]
        start, end, stop = starts[block], ends[block], starts[block + 1]
        first, last = np.int64(start), np.int64(end)
        if not np.isnan(low[i]):
            first = start + np.int64(np.searchsorted(sorted_key[start:end], low[i]))
            last = start + np.int64(np.searchsorted(sorted_key[start:end], high[i], "right"))
        for begin, until in ((first, last), (end, stop)):
            for at in range(begin, until):
                other = order[at]
                needed = _needed(known.values[i], released.values[other], unit[i], most)
                level = np.searchsorted(tolerances, needed)
                if level < levels:
                    counts[i, level] += 1
                    if other == truth[i]:
                        own[i, level] = True
        for more in range(1, levels):
            counts[i, more] += counts[i, more - 1]
            own[i, more] = own[i, more] or own[i, more - 1]
    return counts, own
