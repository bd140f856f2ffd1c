"""What an attacker can work out by plain subtraction, and the surroundings of a hidden cell."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

Bools = NDArray[np.bool_]
Ints = NDArray[np.int64]


@njit(cache=True)
def peel(start: Ints, cell: Ints, of_cell: Ints, relation: Ints, unknown: Bools) -> tuple[Ints, Ints]:
    """Subtract as long as some relation has one unknown cell.

    Parameters
    ----------
    start, cell
        Relation r is over cell[start[r]:start[r+1]].
    of_cell, relation
        Cell c stands in relation[of_cell[c]:of_cell[c+1]].
    unknown
        The cells not known at first; changed in place.

    Returns
    -------
    The cells found out, in the order in which they fall, and for each the relation that gives it away.
    """
    left = np.zeros(len(start) - 1, np.int64)
    for r in range(len(left)):
        for i in range(start[r], start[r + 1]):
            left[r] += unknown[cell[i]]
    queue = np.flatnonzero(left == 1)
    waiting = np.empty(len(left) + len(relation), np.int64)
    waiting[: len(queue)] = queue
    end, done = len(queue), 0
    found, by, count = np.empty(unknown.sum(), np.int64), np.empty(unknown.sum(), np.int64), 0
    while done < end:
        r = waiting[done]
        done += 1
        if left[r] != 1:
            continue
        for i in range(start[r], start[r + 1]):
            c = cell[i]
            if unknown[c]:
                unknown[c] = False
                found[count], by[count] = c, r
                count += 1
                for j in range(of_cell[c], of_cell[c + 1]):
                    left[relation[j]] -= 1
                    if left[relation[j]] == 1:
                        waiting[end] = relation[j]
                        end += 1
                break
    return found[:count], by[:count]


@njit(cache=True)
def surroundings(
    start: Ints, cell: Ints, of_cell: Ints, relation: Ints, unknown: Bools, centre: int, most: int, seen: Ints, stamp: int
) -> Ints:
    """The unknown cells nearest to a cell, counted in relations crossed; at most `most`, the cell itself first.

    `seen` is scratch space of one number per cell; `stamp` must differ from call to call.
    """
    near = np.empty(most, np.int64)
    near[0], count, done = centre, 1, 0
    seen[centre] = stamp
    while done < count and count < most:
        c = near[done]
        done += 1
        for j in range(of_cell[c], of_cell[c + 1]):
            r = relation[j]
            for i in range(start[r], start[r + 1]):
                d = cell[i]
                if unknown[d] and seen[d] != stamp and count < most:
                    seen[d] = stamp
                    near[count] = d
                    count += 1
    return near[:count]
