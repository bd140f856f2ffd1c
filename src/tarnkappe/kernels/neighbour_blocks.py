"""Blocks of neighbouring records, for methods whose cost grows with the square of the records."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from tarnkappe.kernels.shrinking_tree import halve

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@njit(cache=True)
def neighbour_blocks(x: Floats, who: Ints, order: Ints, starts: Ints, k: int, most: int) -> tuple[Ints, Ints]:
    """Halve every block along its widest column until it has at most `most` rows, or a half would have fewer than k contributors.

    Returns the rows, those of one block together and ascending, and where each block starts, as `order` and `starts` are given.
    """
    points, index = x[order], order.copy()
    seen = np.full(who.max() + 1 if len(who) else 0, -1, np.int64)
    first = np.empty(2 * len(order) + 2, np.int64)
    last = np.empty(2 * len(order) + 2, np.int64)
    out = np.empty(len(order) + len(starts), np.int64)
    blocks, mark = 0, 0
    out[0] = 0
    for b in range(len(starts) - 1):
        first[0], last[0], top = starts[b], starts[b + 1], 1
        while top > 0:
            top -= 1
            a, z = first[top], last[top]
            middle = (a + z) // 2
            split = z - a > most
            if split:
                halve(points, index, a, middle, z)
                mark += 2
                split = _different(who, index[a:middle], seen, mark, k) and _different(
                    who, index[middle:z], seen, mark + 1, k
                )
            if split:
                first[top], last[top] = middle, z
                first[top + 1], last[top + 1] = a, middle
                top += 2
            else:
                index[a:z] = np.sort(index[a:z])
                blocks += 1
                out[blocks] = z
    return index, out[: blocks + 1].copy()


@njit(cache=True)
def _different(who: Ints, rows: Ints, seen: Ints, mark: int, k: int) -> bool:
    """Whether k contributors stand behind some rows."""
    found = 0
    for i in rows:
        if seen[who[i]] != mark:
            seen[who[i]] = mark
            found += 1
            if found == k:
                return True
    return False
