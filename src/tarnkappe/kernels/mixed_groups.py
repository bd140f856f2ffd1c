"""MDAV for numbers and categories together, by Gower's distance.

Numbers count with their difference, categories with the share of the levels of their hierarchy on which they differ: without a
hierarchy that is 0 or 1, and where distances of pairs are given, these. So a record is a row of numbers and a row of codes, one code per level, each with its weight.

Sources: domingoferrer2005 (MDAV-generic for any type of column); hoehne2010, 2.2.1 (C-e, distances of categories after Torra);
gower1971.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class Mixed(NamedTuple):
    """Records of numbers and codes."""

    numbers: Floats
    """(n, p), already divided by their range and multiplied with their weight."""
    codes: NDArray[np.int32]
    """(n, q), dense codes from 0 on."""
    weights: Floats
    """What a difference of codes counts, per column of codes."""
    tables: Floats
    """(t, codes, codes): given distances of two codes."""
    table_of: Ints
    """Which of them belongs to a column of codes; -1 where codes are equal or not."""


@njit(cache=True)
def mixed_groups_within(x: Mixed, who: Ints, order: Ints, starts: Ints, k: int) -> Ints:
    """Label the rows of every block; blocks with fewer than k contributors get -1."""
    labels = np.full(len(who), -1, np.int64)
    group = 0
    for b in range(len(starts) - 1):
        rows = order[starts[b] : starts[b + 1]]
        if len(rows) < k or len(np.unique(who[rows])) < k:
            continue
        group = _mdav(x, who, rows.copy(), k, labels, group)
    return labels


@njit(cache=True)
def gower(x: Mixed, i: int, number: Floats, code: NDArray[np.int32]) -> float:
    """Distance between row i and a record."""
    d = 0.0
    for j in range(len(number)):
        d += abs(x.numbers[i, j] - number[j])
    for j in range(len(code)):
        if x.codes[i, j] != code[j]:
            t = x.table_of[j]
            d += x.weights[j] * (x.tables[t, x.codes[i, j], code[j]] if t >= 0 else 1.0)
    return d


@njit(cache=True)
def _mdav(x: Mixed, who: Ints, left: Ints, k: int, labels: Ints, group: int) -> int:
    """Group the rows `left`; return the number of the next group."""
    counts = _counts(x, left)
    d = np.empty(len(left))
    while True:
        number, code = _average(x, left, counts)
        r = left[_distances(x, left, number, code, d)]
        taken = _nearest(x, who, left, r, d, k)
        if not _leaves(who, left, taken, k):
            break
        s = left[_distances(x, left, x.numbers[r], x.codes[r], d)]
        left = _remove(x, left, taken, counts, labels, group)
        group += 1
        taken = _nearest(x, who, left, s, d, k)
        if not _leaves(who, left, taken, k):
            break
        left = _remove(x, left, taken, counts, labels, group)
        group += 1
    labels[left] = group
    return group + 1


@njit(cache=True)
def _counts(x: Mixed, rows: Ints) -> Ints:
    q = x.codes.shape[1]
    most = 0
    for i in rows:
        for j in range(q):
            most = max(most, x.codes[i, j])
    counts = np.zeros((q, most + 1), np.int64)
    for i in rows:
        for j in range(q):
            counts[j, x.codes[i, j]] += 1
    return counts


@njit(cache=True)
def _average(x: Mixed, left: Ints, counts: Ints) -> tuple[Floats, NDArray[np.int32]]:
    """Mean of the numbers and most frequent codes; of equally frequent ones the smallest."""
    number = np.zeros(x.numbers.shape[1])
    for i in left:
        for j in range(len(number)):
            number[j] += x.numbers[i, j]
    code = np.empty(x.codes.shape[1], np.int32)
    for j in range(len(code)):
        code[j] = np.argmax(counts[j])
    return number / len(left), code


@njit(cache=True)
def _distances(x: Mixed, left: Ints, number: Floats, code: NDArray[np.int32], d: Floats) -> int:
    """Write the distances to a record; return the place of the farthest row, of equals the one with the smallest index."""
    best = 0
    for t in range(len(left)):
        d[t] = gower(x, left[t], number, code)
        if d[t] > d[best] or (d[t] == d[best] and left[t] < left[best]):
            best = t
    return best


@njit(cache=True)
def _nearest(x: Mixed, who: Ints, left: Ints, centre: int, d: Floats, k: int) -> Ints:
    """The rows nearest to a row, until k contributors are together; the rows themselves, ascending by distance."""
    _distances(x, left, x.numbers[centre], x.codes[centre], d)
    near = np.empty(k, np.int64)
    have = 0
    for t in range(len(left)):
        at = have
        while at > 0 and (
            d[t] < d[near[at - 1]] or (d[t] == d[near[at - 1]] and left[t] < left[near[at - 1]])
        ):
            at -= 1
        if at < k:
            for s in range(min(have, k - 1), at, -1):
                near[s] = near[s - 1]
            near[at] = t
            have = min(have + 1, k)
    if len(np.unique(who[left[near[:have]]])) == k:
        return left[near]
    by_row = np.argsort(left)
    order = by_row[np.argsort(d[: len(left)][by_row], kind="mergesort")]
    seen, size = np.empty(k, np.int64), 0
    for t in range(len(order)):
        name = who[left[order[t]]]
        if not (seen[:size] == name).any():
            seen[size] = name
            size += 1
            if size == k:
                return left[order[: t + 1]]
    return left[order]


@njit(cache=True)
def _leaves(who: Ints, left: Ints, taken: Ints, k: int) -> bool:
    """Whether k contributors remain when the rows are taken."""
    if len(left) - len(taken) < k:
        return False
    gone = np.sort(taken)
    seen, size = np.empty(k, np.int64), 0
    for i in left:
        at = np.searchsorted(gone, i)
        if (at == len(gone) or gone[at] != i) and not (seen[:size] == who[i]).any():
            seen[size] = who[i]
            size += 1
            if size == k:
                return True
    return False


@njit(cache=True)
def _remove(x: Mixed, left: Ints, taken: Ints, counts: Ints, labels: Ints, group: int) -> Ints:
    for i in taken:
        labels[i] = group
        for j in range(x.codes.shape[1]):
            counts[j, x.codes[i, j]] -= 1
    kept, size = np.empty(len(left) - len(taken), np.int64), 0
    gone = np.sort(taken)
    for i in left:
        at = np.searchsorted(gone, i)
        if at == len(gone) or gone[at] != i:
            kept[size] = i
            size += 1
    return kept


@njit(cache=True)
def medoids(x: Mixed, labels: Ints, weights: Floats) -> Ints:
    """For every row the row of its group with the least weighted sum of distances to the others; of equals the first. Itself without a group."""
    out = np.arange(len(labels))
    order = np.argsort(labels, kind="mergesort")
    start = 0
    while start < len(order):
        stop = start + 1
        while stop < len(order) and labels[order[stop]] == labels[order[start]]:
            stop += 1
        if labels[order[start]] >= 0:
            rows = order[start:stop]
            best, least = rows[0], np.inf
            for i in rows:
                total = 0.0
                for j in rows:
                    total += weights[j] * gower(x, j, x.numbers[i], x.codes[i])
                if total < least:
                    best, least = i, total
            out[rows] = best
        start = stop
    return out
