"""Minimal sample uniques: the smallest sets of keys on which a record is the only one (SUDA2).

The search goes through the sets of keys depth first and refines the partition of the records key by key, keeping only classes
of two or more: a record that is alone on some keys is alone on all larger sets, so beyond it cannot be minimal (manning2008). Sets are visited with their keys in descending order, which brings every set after all of its subsets. A record
that is alone on a set is minimal there exactly if it was not alone on the set without any one of its keys; those sets were
visited with the record still there, because it was not alone on the keys that lead to them.
"""

from __future__ import annotations

from math import comb
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from tarnkappe.kernels.classes import classes

Ints = NDArray[np.int64]
Codes = NDArray[np.int32]

MOST_SETS = 2**14
"""The search keeps one bit per record and set."""
MOST_KEYS = 24


class Minimal(NamedTuple):
    """Every minimal sample unique: a record and the set of keys that makes it unique."""

    records: Ints
    sets: Ints
    """Bit c is set where key c belongs to the set."""


def sets_up_to(keys: int, largest: int) -> int:
    """Number of sets of 1 to `largest` of the keys."""
    return sum(comb(keys, size) for size in range(1, largest + 1))


def minimal_uniques(codes: Codes, largest: int) -> Minimal:
    """Find all minimal sample uniques of at most `largest` keys.

    Parameters
    ----------
    codes
        (records, keys), 0 or more; a negative code (-1 or -2) is never part of a set, and no other cell equals it.
    largest
        Largest number of keys of a set; at most `MOST_SETS` sets and `MOST_KEYS` keys.
    """
    keys, categories = codes.shape[1], int(codes.max(initial=0)) + 1
    kept = _twice_at_most(codes, categories)
    alone = np.zeros((len(kept), -(-sets_up_to(keys, largest) // 8)), np.uint8)
    records, sets = _search(np.ascontiguousarray(codes[kept].T), categories, largest, alone)
    return Minimal(kept[records], sets)


def _twice_at_most(codes: Codes, categories: int) -> Ints:
    """The first two records of all that are equal: the others change nothing, as nobody is alone among two."""
    found = classes((column, categories) for column in codes.T)
    order = np.argsort(found.ids, kind="stable")
    starts = np.cumsum(found.sizes) - found.sizes
    kept: Ints = np.sort(order[np.concatenate([starts, starts[found.sizes > 1] + 1])])
    return kept


@njit(cache=True)
def _search(columns: Codes, categories: int, largest: int, alone: NDArray[np.uint8]) -> tuple[Ints, Ints]:
    """Walk through the sets; `alone` has a bit for every record and every set in the order of visits."""
    keys, n = columns.shape
    found_record, found_set, count = np.empty(1024, np.int64), np.empty(1024, np.int64), 0
    rows, starts = np.empty((keys + 1, n), np.int64), np.empty((keys + 1, n // 2 + 2), np.int64)
    groups, chosen = np.zeros(keys + 1, np.int64), np.empty(keys + 1, np.int64)
    rows[0], starts[0, 0], starts[0, 1], groups[0] = np.arange(n), 0, n, 1
    tally, place = np.zeros(categories, np.int64), np.empty(categories, np.int64)
    touched, visit, visits = np.empty(categories, np.int64), np.zeros(1 << keys, np.int32), 0
    depth, here = 1, 0
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
        visit[here] = visits
        visits += 1
        filled, made = 0, 0
        for g in range(groups[depth - 1]):
            group = rows[depth - 1, starts[depth - 1, g] : starts[depth - 1, g + 1]]
            seen = _tallied(group, column, tally, touched)
            for t in range(seen):
                c = touched[t]
                if tally[c] > 1:
                    starts[depth, made] = place[c] = filled
                    filled += tally[c]
                    made += 1
            for i in group:
                c = column[i]
                if c >= 0 and tally[c] > 1:
                    rows[depth, place[c]] = i
                    place[c] += 1
                elif c >= 0:
                    alone[i, visit[here] >> 3] |= np.uint8(1 << (visit[here] & 7))
                    if _minimal(alone[i], visit, here, chosen, depth):
                        if count == len(found_set):
                            found_record, found_set = _doubled(found_record), _doubled(found_set)
                        found_record[count], found_set[count] = i, here
                        count += 1
            for t in range(seen):
                tally[touched[t]] = 0
        starts[depth, made] = filled
        groups[depth] = made
        if made > 0 and depth < largest:
            depth += 1
            chosen[depth] = keys
    return found_record[:count], found_set[:count]


@njit(cache=True)
def _tallied(group: Ints, column: Codes, tally: Ints, touched: Ints) -> int:
    """Count the codes of a group; return how many there are, listed in `touched`."""
    seen = 0
    for i in group:
        c = column[i]
        if c >= 0:
            if tally[c] == 0:
                touched[seen] = c
                seen += 1
            tally[c] += 1
    return seen


@njit(cache=True)
def _minimal(alone: NDArray[np.uint8], visit: NDArray[np.int32], here: int, chosen: Ints, depth: int) -> bool:
    """Whether the record was not alone on the set without one of its keys; without the newest one it was not."""
    for d in range(1, depth):
        before = visit[here & ~(1 << chosen[d])]
        if alone[before >> 3] >> (before & 7) & 1:
            return False
    return True


@njit(cache=True)
def _doubled(array: Ints) -> Ints:
    larger = np.empty(2 * len(array), np.int64)
    larger[: len(array)] = array
    return larger
