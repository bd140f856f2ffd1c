"""Hash tables over records, compiled: number equal keys, count rows that agree on some columns.

Open addressing with linear probing. A table holds positions of records, not keys, so it stays small, and a
hit is always confirmed by comparing the records themselves: answers are exact whatever the hashes do.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

Bools = NDArray[np.bool_]
Ints = NDArray[np.int64]
Index = NDArray[Any]
"""Positions or numbers of records: 32 bits where they suffice."""
Codes = NDArray[Any]

SMALLEST = 4096
"""Slots of a new table."""


class Side(NamedTuple):
    """Rows of a matrix, grouped by which of their cells are wildcards."""

    rows: Ints
    starts: Ints
    """Pattern p has the rows[starts[p]:starts[p + 1]]."""
    wild: Bools
    """(patterns, columns)"""


@njit(cache=True)
def _mixed(h: Any) -> Any:
    """Spread 64 bits over all 64 bits (finaliser of MurmurHash3, public domain)."""
    h ^= h >> np.uint64(33)
    h *= np.uint64(0xFF51AFD7ED558CCD)
    h ^= h >> np.uint64(33)
    h *= np.uint64(0xC4CEB9FE1A85EC53)
    return h ^ (h >> np.uint64(33))


@njit(cache=True, nogil=True)
def number(keys: NDArray[np.uint64], ids: Index) -> int:
    """Write numbers 0, 1, … for the keys, in order of first appearance, into `ids`; return how many."""
    table = np.full(SMALLEST, -1, ids.dtype)
    mask = np.uint64(len(table) - 1)
    count = 0
    for i in range(len(keys)):
        if 3 * count >= 2 * len(table):
            table = _grown(keys, ids, i, 2 * len(table))
            mask = np.uint64(len(table) - 1)
        slot = _mixed(keys[i]) & mask
        while table[slot] >= 0 and keys[table[slot]] != keys[i]:
            slot = (slot + np.uint64(1)) & mask
        if table[slot] < 0:
            table[slot] = i
            ids[i] = count
            count += 1
        else:
            ids[i] = ids[table[slot]]
    return count


@njit(cache=True)
def _grown(keys: NDArray[np.uint64], ids: Index, done: int, size: int) -> Index:
    """Make a larger table of the first record of every number among the records done."""
    table = np.full(size, -1, ids.dtype)
    mask = np.uint64(size - 1)
    count = 0
    for i in range(done):
        if ids[i] == count:  # numbers are given in order, so this record was the first
            slot = _mixed(keys[i]) & mask
            while table[slot] >= 0:
                slot = (slot + np.uint64(1)) & mask
            table[slot] = i
            count += 1
    return table


@njit(cache=True, nogil=True)
def sizes_of(ids: Index, count: int) -> Ints:
    """How often every number occurs."""
    sizes = np.zeros(count, np.int64)
    for i in ids:
        sizes[i] += 1
    return sizes


@njit(cache=True, nogil=True)
def firsts(ids: Index, count: int) -> Ints:
    """Position of the first record of every number; numbers are in order of first appearance."""
    first = np.empty(count, np.int64)
    found = 0
    for i in range(len(ids)):
        if ids[i] == found:
            first[found] = i
            found += 1
    return first


@njit(cache=True)
def tally(codes: Codes, weights: Ints, persons: Side, released: Side) -> Ints:
    """Add up, for every row as a person, the weight of the released rows that agree where neither is wild.

    Rows of one pattern against rows of another are compared on the same columns, so each pair of patterns is
    one table and one pass: (number of patterns) × (number of rows) in all, not rows × rows.
    """
    counts = np.zeros(len(codes), np.int64)
    slots = np.empty(len(codes), np.int64)
    for r in range(len(released.wild)):
        there = released.rows[released.starts[r] : released.starts[r + 1]]
        for p in range(len(persons.wild)):
            here = persons.rows[persons.starts[p] : persons.starts[p + 1]]
            compared = np.flatnonzero(~(persons.wild[p] | released.wild[r]))
            table = np.full(_room(min(len(here), len(there))), -1, np.int64)
            sums = np.zeros(len(table), np.int64)
            if len(there) <= len(here):
                _enter(codes, there, compared, table, slots)
                for k in range(len(there)):
                    sums[slots[k]] += weights[there[k]]
                for i in here:
                    counts[i] += sums[_slot(codes, i, compared, table)]
            else:
                _enter(codes, here, compared, table, slots)
                for j in there:
                    sums[_slot(codes, j, compared, table)] += weights[j]
                for k in range(len(here)):
                    counts[here[k]] += sums[slots[k]]
    return counts


@njit(cache=True)
def _room(rows: int) -> int:
    """Slots for that many rows; at least one stays empty."""
    size = 2
    while size < 2 * rows:
        size *= 2
    return size


@njit(cache=True)
def _enter(codes: Codes, rows: Ints, compared: Ints, table: Ints, slots: Ints) -> None:
    """Put rows into the table and write down the slot of each; equal rows share one."""
    for k in range(len(rows)):
        slot = _slot(codes, rows[k], compared, table)
        if table[slot] < 0:
            table[slot] = rows[k]
        slots[k] = slot


@njit(cache=True)
def _slot(codes: Codes, row: int, compared: Ints, table: Ints) -> np.int64:
    """Find the slot that holds an equal row, or the empty one where it would be."""
    h = np.uint64(0)
    for c in compared:
        h = (h ^ np.uint64(codes[row, c])) * np.uint64(0x9E3779B97F4A7C15)
    mask = np.uint64(len(table) - 1)
    slot = _mixed(h) & mask
    while table[slot] >= 0 and not _agree(codes, row, table[slot], compared):
        slot = (slot + np.uint64(1)) & mask
    return np.int64(slot)


@njit(cache=True)
def _agree(codes: Codes, a: int, b: int, compared: Ints) -> bool:
    for c in compared:  # noqa: SIM110 - compiled as it stands
        if codes[a, c] != codes[b, c]:
            return False
    return True
