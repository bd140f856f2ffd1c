"""Minimal sample uniques: the smallest sets of keys on which a record is the only one (SUDA2).

The search goes through the sets of keys depth first and refines the partition of the records key by key, keeping only classes
of two or more: a record that is alone on some keys is alone on all larger sets, so it is minimal there and nowhere beyond.
Sets are visited with their keys in descending order, which brings every set after all of its subsets; a unique record is
therefore minimal exactly if no minimal set found for it before lies inside (manning2008, sections 3 and 4, use the same two facts).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Codes = NDArray[np.int32]

MOST_KEYS = 62
"""A set of keys is the bits of one whole number."""


class Minimal(NamedTuple):
    """Every minimal sample unique: a record and the set of keys that makes it unique."""

    records: Ints
    sets: Ints
    """Bit c is set where key c belongs to the set."""


def minimal_uniques(codes: Codes, largest: int) -> Minimal:
    """Find all minimal sample uniques of at most `largest` keys.

    Parameters
    ----------
    codes
        (records, keys), 0 or more; a negative code is never part of a set, and no other cell equals it.
    largest
        Largest number of keys of a set.
    """
    categories = int(codes.max(initial=0)) + 1
    records, sets = _search(np.ascontiguousarray(codes.T), categories, largest)
    return Minimal(records, sets)


@njit(cache=True)
def _search(columns: Codes, categories: int, largest: int) -> tuple[Ints, Ints]:
    keys, n = columns.shape
    found_record, found_set, before = np.empty(1024, np.int64), np.empty(1024, np.int64), np.empty(1024, np.int64)
    last = np.full(n, -1, np.int64)
    """The newest entry of every record; `before` leads to the older ones."""
    count = 0
    rows = np.empty((keys + 1, n), np.int64)
    starts = np.empty((keys + 1, n // 2 + 2), np.int64)
    groups = np.zeros(keys + 1, np.int64)
    rows[0] = np.arange(n)
    starts[0, 0], starts[0, 1], groups[0] = 0, n, 1
    chosen, depth, here = np.empty(keys + 1, np.int64), 1, 0
    tally, place, touched = np.zeros(categories, np.int64), np.empty(categories, np.int64), np.empty(categories, np.int64)
    chosen[1] = keys
    while depth > 0:
        if chosen[depth] < keys:
            here &= ~(1 << chosen[depth])
        chosen[depth] -= 1
        if chosen[depth] < 0 or (depth > 1 and chosen[depth] <= chosen[depth - 1]):
            depth -= 1
            continue
        column = columns[chosen[depth]]
        here |= 1 << chosen[depth]
        filled, made = 0, 0
        for g in range(groups[depth - 1]):
            group = rows[depth - 1, starts[depth - 1, g] : starts[depth - 1, g + 1]]
            seen = 0
            for i in group:
                c = column[i]
                if c >= 0:
                    if tally[c] == 0:
                        touched[seen] = c
                        seen += 1
                    tally[c] += 1
            for t in range(seen):
                c = touched[t]
                if tally[c] > 1:
                    starts[depth, made] = filled
                    place[c] = filled
                    filled += tally[c]
                    made += 1
            for i in group:
                c = column[i]
                if c < 0:
                    continue
                if tally[c] > 1:
                    rows[depth, place[c]] = i
                    place[c] += 1
                elif _minimal(here, last[i], found_set, before):
                    if count == len(found_set):
                        found_record, found_set, before = _doubled(found_record), _doubled(found_set), _doubled(before)
                    found_record[count], found_set[count], before[count] = i, here, last[i]
                    last[i] = count
                    count += 1
            for t in range(seen):
                tally[touched[t]] = 0
        starts[depth, made] = filled
        groups[depth] = made
        if made > 0 and depth < largest and depth < keys:
            depth += 1
            chosen[depth] = keys
    return found_record[:count], found_set[:count]


@njit(cache=True)
def _minimal(here: int, entry: int, sets: Ints, before: Ints) -> bool:
    """Whether no set found for the record before is part of this one."""
    while entry >= 0:
        if sets[entry] & here == sets[entry]:
            return False
        entry = before[entry]
    return True


@njit(cache=True)
def _doubled(array: Ints) -> Ints:
    larger = np.empty(2 * len(array), np.int64)
    larger[: len(array)] = array
    return larger
