"""Rank correlations of all pairs of columns, each over the records that have both values.

Every column is sorted once. Columns with the same gaps are ranked once and correlated together; for the other pairs the ranks
are corrected for the records that the partner does not have, which costs two look-ups per record.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Codes = NDArray[np.int32]

BLOCK = 512


class _Ordered(NamedTuple):
    """A column as codes in the order of its values, -1 where there is none."""

    codes: Codes
    counts: Codes
    """How often each code occurs."""
    gaps: Ints
    """Records without a value."""


def rank_correlations(x: Floats, least: int, pearson: Callable[[Floats, int], Floats]) -> Floats:
    """Correlations of ranks, ties at their mean rank; NaN for constants and pairs with fewer than `least` records."""
    count = x.shape[1]
    coded = [_ordered(np.ascontiguousarray(column)) for column in x.T]
    alike: dict[bytes, list[int]] = {}
    for j, column in enumerate(coded):
        alike.setdefault(column.gaps.tobytes(), []).append(j)
    out = np.full((count, count), np.nan)
    for group in alike.values():
        out[np.ix_(group, group)] = pearson(_ranks([coded[j] for j in group]), least)
    for i in range(count):
        for j in range(i):
            if coded[i].gaps.tobytes() != coded[j].gaps.tobytes():
                n, r = _pair(*coded[i], *coded[j])
                out[i, j] = out[j, i] = r if n >= max(least, 1) else np.nan
    return out


def _ordered(x: Floats) -> _Ordered:
    codes, counts = _dense(x, np.argsort(x))
    return _Ordered(codes, counts, np.flatnonzero(codes < 0))


def _ranks(columns: list[_Ordered]) -> Floats:
    """Ranks of columns with the same gaps, over the records that have values."""
    there = (
        np.delete(np.arange(len(columns[0].codes)), columns[0].gaps) if len(columns[0].gaps) else slice(None)
    )
    parts = [_doubled(c.counts)[c.codes[there]] for c in columns]
    out = np.empty((len(parts[0]), len(parts)), order="F")
    for j, part in enumerate(parts):
        out[:, j] = part
    return out


@njit(cache=True)
def _dense(x: Floats, order: Ints) -> tuple[Codes, Codes]:
    """Codes of the values in their order, -1 where there is none, and how often each occurs; `order` sorts x, gaps last."""
    codes = np.full(len(x), -1, np.int32)
    counts = np.zeros(len(x), np.int32)
    code = -1
    last = 0.0
    for at in order:
        value = x[at]
        if np.isnan(value):
            break
        if code < 0 or value != last:
            code += 1
            last = value
        codes[at] = code
        counts[code] += 1
    return codes, counts[: code + 1]


@njit(cache=True)
def _doubled(counts: Codes) -> Codes:
    """Twice the rank of every code less twice the mean rank; equal values share the mean of their ranks."""
    out = np.empty(len(counts), np.int32)  # a column of 10⁹ records would be too long
    below, n = 0, counts.sum()
    for code in range(len(counts)):
        out[code] = 2 * below + counts[code] - n
        below += counts[code]
    return out


@njit(cache=True)
def _without(codes: Codes, counts: Codes, gone: Ints) -> Codes:
    """How often each code occurs without some records."""
    out = counts.copy()
    for at in gone:
        if codes[at] >= 0:
            out[codes[at]] -= 1
    return out


@njit(cache=True)
def _size(counts: Codes, ranks: Codes) -> float:
    """Sum of the squared ranks."""
    total = 0.0
    for start in range(0, len(counts), BLOCK):
        part = 0.0
        for code in range(start, min(start + BLOCK, len(counts))):
            part += np.float64(counts[code]) * ranks[code] * ranks[code]
        total += part
    return total


@njit(cache=True)
def _pair(
    a: Codes, a_counts: Codes, a_gaps: Ints, b: Codes, b_counts: Codes, b_gaps: Ints
) -> tuple[int, float]:
    """Number of records that have both values, and the correlation of their ranks among these; NaN where one is constant."""
    left, right = _without(a, a_counts, b_gaps), _without(b, b_counts, a_gaps)
    first, second = _doubled(left), _doubled(right)
    size = _size(left, first) * _size(right, second)
    n = left.sum()
    if n == 0 or size == 0:
        return n, np.nan
    total = 0.0
    for start in range(0, len(a), BLOCK):
        part = 0.0
        for i in range(start, min(start + BLOCK, len(a))):
            if a[i] >= 0 and b[i] >= 0:
                part += np.float64(first[a[i]]) * second[b[i]]
        total += part
    return n, total / np.sqrt(size)
