"""Whole numbers in place of decimals, without moving totals."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

GOLDEN = 5**0.5 / 2 - 0.5
"""Multiples of it have fractional parts that are spread evenly and do not follow the multiple."""
DIGITS = 6
"""Remainders that agree to so many digits count as equal: means of whole numbers differ by rounding errors."""


def whole_with_total(x: Floats, order: Ints, starts: Ints) -> Floats:
    """Each value rounded down or up so that the total of every block moves by at most one half.

    The values with the largest remainders go up (largest-remainder rounding); among equal remainders the earlier record
    does. NaN stays NaN and counts for nothing.

    Parameters
    ----------
    x
        The values.
    order, starts
        The blocks, as in `Strata`.
    """
    out = np.floor(x)
    remainder = np.where(np.isnan(x), 0.0, x - out)
    block = np.empty(len(x), dtype=np.int64)
    block[order] = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    ups = np.rint(np.bincount(block, remainder, len(starts) - 1)).astype(np.int64)
    ranked = np.lexsort((np.arange(len(x)), -remainder, block))
    place = np.arange(len(x)) - np.repeat(starts[:-1], np.diff(starts))
    up = ranked[place < np.repeat(ups, np.diff(starts))]
    out[up] += 1.0
    return out


def whole_groups(x: Floats, groups: Ints, blocks: Ints, weights: Floats | None = None) -> Floats:
    """Each value rounded down or up, alike within a group; the total of a block moves by at most half the weight of its heaviest group.

    Every group begins at its nearest whole number. Then groups of the block go to their other neighbour, those nearest to half way first, as long as
    each brings the total nearer to what it was. Which of several groups equally near to half way comes first does not follow their size, or values would
    be drawn apart. A value that was below another of its block does not end above it; of equal values in different groups the group with the larger
    number is never below the other. Rows without a group (-1) stay. With one row of the weight 1 in every group this is largest-remainder rounding, but
    for ties.

    The bound: let D be what the block has too much, D > 0 (D < 0 is the mirror image). Groups that went up have a remainder of one half or more, so 2D
    is at most their weight together. Each of them is looked at, and goes down if its weight is less than 2D: |D| never grows. If one stays up because its
    weight w is 2D or more, D is at most w/2. If one goes down and D changes its sign, |D| is below w/2. One of both happens, for if all went down, D
    would have fallen by 2D or more. Whatever is left up for the sake of the order comes after one of these.

    Parameters
    ----------
    x
        The values, equal within a group.
    groups, blocks
        Group and block of every row; a group lies in one block.
    weights
        How much each row counts, above 0; a group counts with the sum.
    """
    rows = np.flatnonzero(groups >= 0)
    out, of = x.copy(), groups[rows]
    count = int(of.max(initial=-1)) + 1
    value, block = np.zeros(count), np.zeros(count, dtype=np.int64)
    value[of], block[of] = x[rows], blocks[rows]
    share = np.ones(len(rows)) if weights is None else weights[rows] / weights[rows].max(initial=0.0)
    weight: Floats = np.bincount(of, share, count).astype(np.float64)
    out[rows] = _whole(value, block, weight)[of]
    return out


def _whole(value: Floats, block: Ints, weight: Floats) -> Floats:
    low = np.floor(value)
    up = np.rint(value) > low
    over: Floats = np.bincount(block, weight * (low + up - value)).astype(np.float64)
    broken = np.flatnonzero(value > low)
    half = np.abs(value - low - 0.5)
    last = np.where(up, np.arange(len(value)), -np.arange(len(value)))
    ways = 2 * block + up
    keys = (last, half, (low * GOLDEN + block * GOLDEN**2) % 1, half.round(DIGITS), ways)
    order = broken[np.lexsort([key[broken] for key in keys])]
    starts = np.searchsorted(ways[order], np.arange(2 * len(over) + 1))
    _settle(order, starts, weight, _cells(block, low), over, up)
    out: Floats = low + up
    return out


def _cells(block: Ints, low: Floats) -> Ints:
    """A number for the groups of a block between the same whole numbers."""
    order = np.lexsort((low, block))
    new = (np.diff(block[order]) != 0) | (np.diff(low[order]) != 0)
    out = np.empty(len(low), dtype=np.int64)
    out[order] = np.concatenate([np.zeros(min(len(low), 1), dtype=np.int64), np.cumsum(new)])
    return out


@njit(cache=True)
def _settle(order: Ints, starts: Ints, weight: Floats, cell: Ints, over: Floats, up: Bools) -> None:
    """Send groups to their other neighbour while that brings the total nearer; starts[2b] begins those of block b that are down, starts[2b+1] those that are up."""
    closed = np.zeros((len(cell), 2), np.bool_)  # cells out of which none may go up any more, or down
    for b in range(len(over)):
        at, stop = starts[2 * b : 2 * b + 2].copy(), starts[2 * b + 1 : 2 * b + 3]
        while over[b] != 0:
            way = 1 if over[b] > 0 else 0
            if at[way] == stop[way]:
                break
            g = order[at[way]]
            at[way] += 1
            if closed[cell[g], way]:
                continue
            if weight[g] < 2 * abs(over[b]):
                over[b] += weight[g] if way == 0 else -weight[g]
                up[g] = way == 0
                closed[cell[g], 1 - way] = True
            else:
                closed[cell[g], way] = True
