"""What an attacker can work out by plain subtraction, and the surroundings of a hidden cell."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray
from scipy.sparse import csc_array, csr_array

Bools = NDArray[np.bool_]
Ints = NDArray[np.int64]


class Incidence(NamedTuple):
    """Which cells stand in a relation, and in which relations a cell stands."""

    start: Ints
    cell: Ints
    """Relation r is over cell[start[r]:start[r+1]]."""
    of_cell: Ints
    relation: Ints
    """Cell c stands in relation[of_cell[c]:of_cell[c+1]]."""


def incidence(by_relation: csr_array, by_cell: csc_array) -> Incidence:
    """One matrix of relations × cells, stored both ways, as who stands where."""
    parts = (a.astype(np.int64) for m in (by_relation, by_cell) for a in (m.indptr, m.indices))
    return Incidence(*parts)


@njit(cache=True)
def peel(tied: Incidence, unknown: Bools) -> tuple[Ints, Ints]:
    """Subtract as long as some relation has one unknown cell; `unknown` is changed in place.

    Returns
    -------
    The cells found out, in the order in which they fall, and for each the relation that gives it away.
    """
    start, cell, of_cell, relation = tied
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
def surroundings(tied: Incidence, unknown: Bools, centre: int, most: int, seen: Ints) -> Ints:
    """The unknown cells nearest to a cell, counted in relations crossed; at most `most`, the cell itself first.

    `seen` is scratch space, zeros at first: one number per cell and one more that counts the calls.
    """
    seen[-1] += 1
    stamp = seen[-1]
    near = np.empty(most, np.int64)
    near[0], count, done = centre, 1, 0
    seen[centre] = stamp
    while done < count < most:
        c = near[done]
        done += 1
        for j in range(tied.of_cell[c], tied.of_cell[c + 1]):
            r = tied.relation[j]
            for i in range(tied.start[r], tied.start[r + 1]):
                d = tied.cell[i]
                if unknown[d] and seen[d] != stamp and count < most:
                    seen[d] = stamp
                    near[count] = d
                    count += 1
    return near[:count]
