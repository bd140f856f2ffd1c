"""Pairs of records chosen one to one by their weight, block by block: the best total where that fits into memory, else greedily.

Equal records are not told apart, so an assignment is a list of how many records of one kind go to another kind. Which of equally good
assignments is found depends on a shuffle, never on the order of the files.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from tarnkappe.kernels.comparison import Grades, Side, pattern, table

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

CELLS = 4_000_000
"""A block with more pairs of records is assigned greedily."""


class Assigned(NamedTuple):
    """How many records of which kind of the one file go to which kind of the other."""

    one: Ints
    other: Ints
    times: Ints
    greedy: int
    """Blocks in which the total need not be the best."""

    def share(self, one: Ints, other: Ints, kinds: tuple[Ints, Ints]) -> Floats:
        """The chance that records of these kinds are paired with each other; `kinds` has how many of each there are."""
        width = len(kinds[1])
        order = np.argsort(self.one * width + self.other)
        pairs = (self.one * width + self.other)[order]
        if not len(pairs):
            return np.zeros(len(one))
        wanted = one * width + other
        place = np.minimum(np.searchsorted(pairs, wanted), len(pairs) - 1)
        found = np.where(pairs[place] == wanted, self.times[order][place], 0)
        return np.asarray(found / (kinds[0][one] * kinds[1][other]))


def assigned(one: Side, other: Side, grade: Grades, weights: Floats, draws: np.random.Generator) -> Assigned:
    """Assign as many records as possible in every block so that the total weight is large."""
    parts, greedy = [], 0
    sizes = [np.add.reduceat(np.append(side.times, 0), side.starts[:-1]) for side in (one, other)]
    for block in range(len(one.starts) - 1):
        there = all(side.starts[block] < side.starts[block + 1] for side in (one, other))
        if there and int(sizes[0][block]) * int(sizes[1][block]) <= CELLS:
            parts.append(_best_total(one, other, table(one, other, grade, weights, block), block, draws))
        elif there:
            seed = np.uint64(draws.integers(2**63))
            parts.append(_greedy(one, other, grade, weights, block, seed))
            greedy += 1
    joined = np.concatenate(parts, axis=1) if parts else np.zeros((3, 0), dtype=np.int64)
    return Assigned(joined[0], joined[1], joined[2], greedy)


def _best_total(one: Side, other: Side, worth: Floats, block: int, draws: np.random.Generator) -> Ints:
    """The assignment of the highest total weight among all records of one block."""
    rows, columns = (
        draws.permutation(np.repeat(np.arange(*side.starts[block : block + 2]), _times(side, block)))
        for side in (one, other)
    )
    whole = worth[np.ix_(rows - one.starts[block], columns - other.starts[block])]
    left, right = linear_sum_assignment(whole, maximize=True)
    pairs, times = np.unique(np.stack([rows[left], columns[right]]), axis=1, return_counts=True)
    return np.vstack([pairs, times[None, :]]).astype(np.int64)


def _times(side: Side, block: int) -> Ints:
    return side.times[side.starts[block] : side.starts[block + 1]]


@njit(cache=True)
def _greedy(one: Any, other: Any, grade: Any, weights: Floats, block: int, seed: np.uint64) -> Ints:
    """Round by round, pair those that are each other's best among all that are left; no pair is kept meanwhile.

    Ties are broken by a hash of the pair, so a few rounds suffice, and so no record is preferred.
    """
    first, last = one.starts[block], one.starts[block + 1]
    begin, end = other.starts[block], other.starts[block + 1]
    supply, demand = one.times[first:last].copy(), other.times[begin:end].copy()
    out, count = np.empty((3, len(supply) + len(demand)), np.int64), 0
    choice, back = np.empty(len(supply), np.int64), np.empty(len(demand), np.int64)
    highest, tie = np.empty(len(demand)), np.empty(len(demand), np.uint64)
    while supply.sum() > 0 and demand.sum() > 0:
        back[:], highest[:] = -1, -np.inf
        for i in range(len(supply)):
            if supply[i] == 0:
                continue
            choice[i], top, top_tie = -1, -np.inf, np.uint64(0)
            for j in range(len(demand)):
                if demand[j] == 0:
                    continue
                weight = weights[pattern(one.values, first + i, other.values, begin + j, grade)]
                if weight < top and weight < highest[j]:
                    continue
                lot = _lot(np.uint64(i), np.uint64(j), seed)
                if weight > top or (weight == top and lot > top_tie):
                    choice[i], top, top_tie = j, weight, lot
                if weight > highest[j] or (weight == highest[j] and lot > tie[j]):
                    back[j], highest[j], tie[j] = i, weight, lot
        for i in range(len(supply)):
            if supply[i] > 0 and choice[i] >= 0 and back[choice[i]] == i:
                moved = min(supply[i], demand[choice[i]])
                out[0, count], out[1, count], out[2, count] = first + i, begin + choice[i], moved
                supply[i] -= moved
                demand[choice[i]] -= moved
                count += 1
    return out[:, :count]


@njit(cache=True)
def _lot(i: np.uint64, j: np.uint64, seed: np.uint64) -> np.uint64:
    """A number that looks random and belongs to the pair (finaliser of MurmurHash3)."""
    h = (i * np.uint64(0x9E3779B97F4A7C15)) ^ (j * np.uint64(0xC2B2AE3D27D4EB4F)) ^ seed
    h ^= h >> np.uint64(33)
    h *= np.uint64(0xFF51AFD7ED558CCD)
    h ^= h >> np.uint64(33)
    return h
