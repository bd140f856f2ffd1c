"""Exact nearest records by Gower's distance, for numbers and categories with gaps.

A cell is a whole number, and the distance of two cells is the difference of the numbers, cut at ONE. Numbers fill 0 … ONE; categories, and
cells without a value, lie at least ONE apart. An UNSEEN cell has the distance HALF from every cell, its own kind too. Whole numbers add
up exactly, so ties are ties.

The released records are sorted; neighbours in that order share their first cells. A search goes through them in this order, keeps the sums
over shared cells, and leaps over all records that share the cells with which a sum has become too large: a tree without nodes.

Source: gower1971.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

ONE = 1 << 30
HALF = ONE // 2
UNSEEN = -(1 << 62)
_LARGE = 1 << 62


class Tree(NamedTuple):
    """Records in the order of their cells."""

    cells: Ints
    """(n, p) sorted rows; the columns with the fewest different cells come first."""
    rows: Ints
    """Where each row stood."""
    columns: Ints
    """Where each column stood."""
    shared: Ints
    """How many first cells a row shares with the one before."""
    leaps: NDArray[np.int32]
    """(p, n): the next row that differs among its first j + 1 cells."""


def grow(cells: Ints) -> Tree:
    """Sort records for searches."""
    kinds = np.array([len(np.unique(column)) for column in cells.T], dtype=np.int64)
    columns = np.argsort(kinds, kind="stable")
    order = np.lexsort(cells.T[columns[::-1]])
    sorted_cells = np.ascontiguousarray(cells[np.ix_(order, columns)])
    shared, leaps = _shape(sorted_cells)
    return Tree(sorted_cells, order.astype(np.int64), columns, shared, leaps)


@njit(cache=True)
def _shape(cells: Ints) -> tuple[Ints, NDArray[np.int32]]:
    n, p = cells.shape
    shared = np.zeros(n, np.int64)
    for i in range(1, n):
        j = 0
        while j < p and cells[i, j] == cells[i - 1, j]:
            j += 1
        shared[i] = j
    leaps = np.empty((p, n), np.int32)
    for j in range(p):
        following = n
        for i in range(n - 1, -1, -1):
            leaps[j, i] = following
            if shared[i] <= j:
                following = i
    return shared, leaps


@njit(cache=True)
def cell_distance(a: int, b: int) -> int:
    if UNSEEN in (a, b):
        return HALF
    return min(abs(a - b), ONE)


@njit(cache=True)
def _start(cells: Ints, target: Ints) -> int:
    """The first row that is not before the target."""
    low, high = 0, len(cells)
    while low < high:
        middle = (low + high) // 2
        j = 0
        while j < len(target) - 1 and cells[middle, j] == target[j]:
            j += 1
        if cells[middle, j] < target[j]:
            low = middle + 1
        else:
            high = middle
    return low


@njit(cache=True)
def _reach(tree: Tree, target: Ints, k: int, found: Ints, away: Ints) -> tuple[int, int]:
    """Collect all records that may be among the k nearest; return how many, and the distance of the k-th.

    `found` and `away` take sorted places and distances; of those farther than the k-th some may be left in them.
    """
    n, p = tree.cells.shape
    best = np.full(k, _LARGE, np.int64)
    sums = np.zeros(p + 1, np.int64)
    count = 0
    start = _start(tree.cells, target)
    for part in range(2):  # from where the target would stand to the end, then from the beginning
        i, last = (start, n) if part == 0 else (0, start)
        depth = 0
        while i < last:
            j = depth
            while j < p:
                sums[j + 1] = sums[j] + cell_distance(tree.cells[i, j], target[j])
                if sums[j + 1] > best[k - 1]:
                    break
                j += 1
            if j < p:
                i = tree.leaps[j, i]
            else:
                if sums[p] <= best[k - 1]:
                    found[count], away[count] = i, sums[p]
                    count += 1
                    _enter(best, int(sums[p]))
                i += 1
            if i < n:
                depth = tree.shared[i]
    return count, best[k - 1]


@njit(cache=True)
def _enter(best: Ints, distance: int) -> None:
    """Keep the smallest distances in order."""
    at = len(best) - 1
    if distance >= best[at]:
        return
    while at > 0 and best[at - 1] > distance:
        best[at] = best[at - 1]
        at -= 1
    best[at] = distance


@njit(cache=True)
def nearest(tree: Tree, targets: Ints, k: int, draw: np.random.Generator) -> tuple[Ints, Ints]:
    """The k nearest records of every target, and their distances, ascending; of equally near ones any, by chance.

    Returns
    -------
    rows, distances
        Two arrays (targets, k); k must not exceed the number of records.
    """
    n = len(tree.cells)
    rows, distances = np.empty((len(targets), k), np.int64), np.empty((len(targets), k), np.int64)
    found, away = np.empty(n, np.int64), np.empty(n, np.int64)
    for t in range(len(targets)):
        count, limit = _reach(tree, targets[t][tree.columns], k, found, away)
        near, tied = 0, 0
        for c in range(count):
            if away[c] < limit:
                rows[t, near], distances[t, near] = found[c], away[c]
                near += 1
        for c in range(count):
            if away[c] != limit:
                continue
            tied += 1  # reservoir: every tied record has the same chance of one of the places left
            place = near + tied - 1 if near + tied <= k else near + draw.integers(0, tied)
            if place < k:
                rows[t, place], distances[t, place] = found[c], limit
        order = np.argsort(distances[t], kind="mergesort")
        distances[t] = distances[t][order]
        rows[t] = tree.rows[rows[t][order]]
    return rows, distances


@njit(cache=True)
def votes(tree: Tree, targets: Ints, k: int, kinds: Ints, usual: int) -> Ints:
    """For every target the most frequent kind among the k nearest records and all as near as the k-th.

    A record of a kind below -1 has no vote; `usual` is taken where nobody votes, and the smaller kind where two are equally frequent.
    """
    n = len(tree.cells)
    out = np.full(len(targets), usual, np.int64)
    found, away = np.empty(n, np.int64), np.empty(n, np.int64)
    counts = np.zeros(max(kinds.max(), 0) + 2, np.int64)
    for t in range(len(targets)):
        count, limit = _reach(tree, targets[t][tree.columns], k, found, away)
        most = 0
        for c in range(count):
            kind = kinds[tree.rows[found[c]]]
            if away[c] <= limit and kind >= -1:
                counts[kind + 1] += 1
                most = max(most, counts[kind + 1])
        chosen = _LARGE
        for c in range(count):
            kind = kinds[tree.rows[found[c]]]
            if away[c] <= limit and kind >= -1 and counts[kind + 1] == most:
                chosen = min(chosen, kind)
        for c in range(count):
            kind = kinds[tree.rows[found[c]]]
            if kind >= -1:
                counts[kind + 1] = 0
        if most > 0:
            out[t] = chosen
    return out


@njit(cache=True)
def middles(tree: Tree, targets: Ints, k: int, numbers: Floats, usual: float) -> Floats:
    """For every target the median number of the k nearest records and all as near as the k-th.

    A record without a number (NaN) has no vote; `usual` is taken where nobody votes.
    """
    n = len(tree.cells)
    out = np.full(len(targets), usual)
    found, away = np.empty(n, np.int64), np.empty(n, np.int64)
    heard = np.empty(n)
    for t in range(len(targets)):
        count, limit = _reach(tree, targets[t][tree.columns], k, found, away)
        size = 0
        for c in range(count):
            number = numbers[tree.rows[found[c]]]
            if away[c] <= limit and not np.isnan(number):
                heard[size] = number
                size += 1
        if size > 0:
            out[t] = np.median(heard[:size])
    return out
