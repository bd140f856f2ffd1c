"""Mondrian: records split into small blocks of neighbours (LeFevre, DeWitt and Ramakrishnan 2006)."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@njit(cache=True)
def blocks(places: Ints, start: Ints, k: int, kinds: Ints, variety: int) -> Ints:
    """The block of every record.

    A block is split at the median of the key with the largest range, related to the range of the whole key, as long as both
    halves have k records and `variety` different kinds; where that key cannot be split, the next one is tried.

    Parameters
    ----------
    places
        Records × keys: the place of every value in the order of its key.
    start
        A number per record; records with different numbers never come together.
    kinds
        A number per record, 0, 1, …: the sensitive values that must be different.
    """
    n = len(places)
    order = np.argsort(start, kind="mergesort")
    label = np.empty(n, dtype=np.int64)
    widths = _ranges(places, order, 0, n)
    waiting = _pieces(start, order)
    found = 0
    while len(waiting):
        a, b = waiting.pop()
        middle = _split(places, order, (a, b), k, widths, kinds, variety) if b - a >= 2 * k else a
        if middle == a:
            label[order[a:b]] = found
            found += 1
        else:
            waiting.append((a, middle))
            waiting.append((middle, b))
    return label


@njit(cache=True)
def _pieces(start: Ints, order: Ints) -> list[tuple[int, int]]:
    """Where records with equal numbers begin and end."""
    pieces = [(0, 0) for _ in range(0)]
    begin = 0
    for i in range(1, len(order) + 1):
        if i == len(order) or start[order[i]] != start[order[begin]]:
            pieces.append((begin, i))
            begin = i
    return pieces


@njit(cache=True)
def _ranges(places: Ints, order: Ints, a: int, b: int) -> Floats:
    """The range of every key among the records at the places a … b - 1 of the order."""
    out = np.zeros(places.shape[1])
    for j in range(places.shape[1]):
        if b > a:
            low = high = places[order[a], j]
            for i in range(a + 1, b):
                low, high = min(low, places[order[i], j]), max(high, places[order[i], j])
            out[j] = high - low
    return out


@njit(cache=True)
def _split(
    places: Ints, order: Ints, ends: tuple[int, int], k: int, widths: Floats, kinds: Ints, variety: int
) -> int:
    """Put the lower half of a block before the upper; where the upper begins, or where the block does if it stays whole."""
    a, b = ends
    relative = _ranges(places, order, a, b) / np.maximum(widths, 1)
    while relative.max() > 0:
        j = np.argmax(relative)
        relative[j] = 0
        values = np.sort(places[order[a:b], j])
        for cut in (values[(b - a) // 2], values[(b - a) // 2] + 1):  # ties at the median go up, then down
            lower = places[order[a:b], j] < cut
            middle = a + int(np.count_nonzero(lower))
            if min(middle - a, b - middle) < k:
                continue
            parted = np.concatenate((order[a:b][lower], order[a:b][~lower]))
            if (
                min(_different(kinds, parted[: middle - a]), _different(kinds, parted[middle - a :]))
                >= variety
            ):
                order[a:b] = parted
                return middle
    return a


@njit(cache=True)
def _different(kinds: Ints, records: Ints) -> int:
    """How many different kinds some records have."""
    ordered = np.sort(kinds[records])
    return 1 + int(np.count_nonzero(ordered[1:] != ordered[:-1]))
