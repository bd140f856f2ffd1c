"""Sparse counts of sensitive values among records, compiled: sort, link and merge."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from tarnkappe.kernels.hashing import _enter, _room, _slot

Ints = NDArray[np.int64]
Codes = NDArray[Any]


@njit(cache=True)
def counted(ids: Codes, codes: Codes, rows: int, values: int) -> tuple[Ints, Codes, Codes]:
    """Count the values in every class, in ascending order of the values; codes below 0 are left out.

    Two counting sorts, by value and then by class: time and memory grow with the records.
    """
    begin = np.zeros(values + 1, np.int64)
    for code in codes:
        if code >= 0:
            begin[code + 1] += 1
    begin = np.cumsum(begin)
    kept = begin[values]
    by_value = np.empty(kept, ids.dtype)
    place = begin[:-1].copy()
    for i in range(len(codes)):
        if codes[i] >= 0:
            by_value[place[codes[i]]] = ids[i]
            place[codes[i]] += 1
    return _runs(by_value, begin, rows)


@njit(cache=True)
def _runs(by_value: Codes, begin: Ints, rows: int) -> tuple[Ints, Codes, Codes]:
    """Turn the classes of all records, sorted by value, into counts by class and value."""
    last = np.full(rows, -1, np.int64)
    starts = np.zeros(rows + 1, np.int64)
    for v in range(len(begin) - 1):
        for i in range(begin[v], begin[v + 1]):
            if last[by_value[i]] != v:
                last[by_value[i]] = v
                starts[by_value[i] + 1] += 1
    starts = np.cumsum(starts)
    values = np.empty(starts[rows], np.int32)
    counts = np.zeros(starts[rows], np.int32)
    place = starts[:-1] - 1
    last[:] = -1
    for v in range(len(begin) - 1):
        for i in range(begin[v], begin[v + 1]):
            row = by_value[i]
            if last[row] != v:
                last[row] = v
                place[row] += 1
                values[place[row]] = v
            counts[place[row]] += 1
    return starts, values, counts


@njit(cache=True)
def linked(codes: Codes, here: Ints, there: Ints, compared: Ints) -> tuple[Ints, Ints, int]:
    """Number the rows `there` by what they have in the compared columns; find the number of each row `here`, or -1."""
    table = np.full(_room(len(there)), -1, np.int64)
    slots = np.empty(len(there), np.int64)
    _enter(codes, there, compared, table, slots)
    number = np.full(len(table), -1, np.int64)
    of_there = np.empty(len(there), np.int64)
    count = 0
    for k in range(len(there)):
        if number[slots[k]] < 0:
            number[slots[k]] = count
            count += 1
        of_there[k] = number[slots[k]]
    of_here = np.empty(len(here), np.int64)
    for k in range(len(here)):
        of_here[k] = number[_slot(codes, here[k], compared, table)]
    return of_there, of_here, count


@njit(cache=True)
def merged(
    starts: Ints, members: Ints, source: tuple[Ints, Codes, Codes], values: int
) -> tuple[Ints, Codes, Codes]:
    """Add up the counts of several rows of `source`: the new row i is made of members[starts[i]:starts[i + 1]]."""
    begin, shown, times = source
    most = 0
    for row in members:
        most += begin[row + 1] - begin[row]
    out_values, out_counts = np.empty(most, np.int32), np.empty(most, np.int32)
    out_starts = np.zeros(len(starts), np.int64)
    sums, touched = np.zeros(values, np.int32), np.empty(values, np.int32)
    end = 0
    for i in range(len(starts) - 1):
        seen = 0
        for k in range(starts[i], starts[i + 1]):
            for e in range(begin[members[k]], begin[members[k] + 1]):
                if sums[shown[e]] == 0:
                    touched[seen] = shown[e]
                    seen += 1
                sums[shown[e]] += times[e]
        touched[:seen].sort()
        for t in touched[:seen]:
            out_values[end], out_counts[end] = t, sums[t]
            sums[t] = 0
            end += 1
        out_starts[i + 1] = end
    return out_starts, out_values[:end].copy(), out_counts[:end].copy()


@njit(cache=True)
def told(codes: Codes, weights: NDArray[np.float64], persons: Any, released: Any) -> NDArray[np.float64]:
    """Add up, for every row as a person, the weights of the released rows that agree where neither is wild."""
    sums = np.zeros(len(codes), np.float64)
    for r in range(len(released.wild)):
        there = released.rows[released.starts[r] : released.starts[r + 1]]
        for p in range(len(persons.wild)):
            here = persons.rows[persons.starts[p] : persons.starts[p + 1]]
            compared = np.flatnonzero(~(persons.wild[p] | released.wild[r]))
            of_there, of_here, count = linked(codes, here, there, compared)
            total = np.zeros(count, np.float64)
            for k in range(len(there)):
                total[of_there[k]] += weights[there[k]]
            for k in range(len(here)):
                if of_here[k] >= 0:
                    sums[here[k]] += total[of_here[k]]
    return sums
