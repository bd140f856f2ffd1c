"""Can a cell move as far as it must? What follows from each sum in turn, without a program."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from tarnkappe.kernels.lean import lean
from tarnkappe.kernels.unknowns import Incidence

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

VISITS = 4000
"""Sums that are looked at before the question stays open."""
STEP = 0.02
"""A bound counts as closer when it is by this share of the movement."""
SURE = 1e-5
"""A sum cannot be kept when it is off by more than this share of the movement."""


class Sums(NamedTuple):
    """The sums between cells, with the sign of every cell in every sum."""

    tied: Incidence
    sign: Floats


class Scratch(NamedTuple):
    """Bounds of the cells that were looked at; made anew for each question only where they are read."""

    low: Floats
    high: Floats
    seen: Ints
    """The question for which the bounds of a cell hold; at the end the number of questions."""
    waits: Ints
    """By sum, the question for which it is waiting."""
    queue: Ints


def new_scratch(sums: Sums) -> Scratch:
    cells, relations = len(sums.tied.of_cell) - 1, len(sums.tied.start) - 1
    return Scratch(
        np.empty(cells), np.empty(cells), np.zeros(cells + 1, np.int64), np.zeros(relations, np.int64), np.empty(VISITS, np.int64),
    )  # fmt: skip


@njit(cache=True)
def impossible(
    sums: Sums,
    free: Bools,
    room: tuple[Floats, Floats],
    cell: int,
    move: float,
    farthest: float,
    scratch: Scratch,
) -> bool:
    """Say whether the sums rule out that a cell moves so far, while only free cells move, each within its room.

    From the bounds of all but one cell of a sum follow bounds of that one. Where they contradict each other there is no such
    movement; where they do not, there may be one or not. No cell moves farther than `farthest`.
    """
    tied, size = sums.tied, abs(move)
    scratch.seen[-1] += 1
    question = scratch.seen[-1]
    scratch.seen[cell] = question
    scratch.low[cell] = scratch.high[cell] = move
    end = _wait(tied, cell, -1, 0, scratch)
    done = 0
    while done < end:
        r = scratch.queue[done]
        scratch.waits[r] = 0
        done += 1
        least, most = 0.0, 0.0
        for i in range(tied.start[r], tied.start[r + 1]):
            c = tied.cell[i]
            if scratch.seen[c] != question:
                scratch.seen[c] = question
                scratch.low[c] = -min(room[0][c], farthest) if free[c] else 0.0
                scratch.high[c] = min(room[1][c], farthest) if free[c] else 0.0
            low, high = _part(sums, scratch, i)
            least += low
            most += high
        if least > SURE * size or most < -SURE * size:
            return True
        for i in range(tied.start[r], tied.start[r + 1]):
            low, high = _part(sums, scratch, i)
            closer_low, closer_high = high - most, low - least
            if closer_low <= low + STEP * size and closer_high >= high - STEP * size:
                continue
            c = tied.cell[i]
            low, high = max(low, closer_low), min(high, closer_high)
            least += low - _part(sums, scratch, i)[0]
            most += high - _part(sums, scratch, i)[1]
            scratch.low[c], scratch.high[c] = (low, high) if sums.sign[i] > 0 else (-high, -low)
            end = _wait(tied, c, r, end, scratch)
    return False


@lean
def _part(sums: Sums, scratch: Scratch, i: int) -> tuple[float, float]:
    """Bounds of what a cell adds to a sum."""
    c = sums.tied.cell[i]
    if sums.sign[i] > 0:
        return scratch.low[c], scratch.high[c]
    return -scratch.high[c], -scratch.low[c]


@lean
def _wait(tied: Incidence, cell: int, but: int, end: int, scratch: Scratch) -> int:
    """Put the sums of a cell into the queue, all but one; return its new end."""
    question = scratch.seen[-1]
    for j in range(tied.of_cell[cell], tied.of_cell[cell + 1]):
        r = tied.relation[j]
        if r != but and scratch.waits[r] != question and end < len(scratch.queue):
            scratch.waits[r] = question
            scratch.queue[end] = r
            end += 1
    return end
