"""Merging neighbouring classes: the cheapest cuts, by dynamic programming over the places where one can cut."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class Demands(NamedTuple):
    """What every merged class must fulfil."""

    k: int
    """Persons of a column in a merged class: none, or at least so many."""
    spread: bool
    """No merged class but the only one may hold all persons of a column."""
    closed: Bools
    """Classes that must stay as they are."""
    start: Ints
    column: Ints
    least: Ints
    """Class c has demands number start[c] to start[c+1]: persons of a column in its merged class, at least."""


@njit(cache=True)
def best_cuts(up_to: Ints, cost: Floats, demands: Demands) -> Ints:
    """Where the cheapest merged classes start and end, from 0 to the number of classes; empty if nothing is feasible.

    Parameters
    ----------
    up_to
        (classes + 1, columns) persons in all classes before a place.
    cost
        (classes + 1, classes + 1) of merging the classes from one place to another.

    Of equally cheap ways the one with the higher cuts is taken.
    """
    classes = len(up_to) - 1
    best, before = np.full(classes + 1, np.inf), np.full(classes + 1, -1, np.int64)
    best[0] = 0.0
    for j in range(1, classes + 1):
        for i in range(j - 1, -1, -1):
            total = best[i] + cost[i, j]
            if total < best[j] and feasible(up_to, demands, i, j):
                best[j], before[j] = total, i
    if before[classes] < 0:
        return np.zeros(0, np.int64)
    cuts = [classes]
    while cuts[-1] > 0:
        cuts.append(before[cuts[-1]])
    return np.array(cuts[::-1])


@njit(cache=True)
def feasible(up_to: Ints, demands: Demands, i: int, j: int) -> bool:
    """Whether the classes from place i to place j may be one."""
    classes, columns = len(up_to) - 1, up_to.shape[1]
    if j - i > 1 and demands.closed[i:j].any():
        return False
    for d in range(demands.start[i], demands.start[j]):
        if up_to[j, demands.column[d]] - up_to[i, demands.column[d]] < demands.least[d]:
            return False
    anybody = up_to[j].sum() > up_to[i].sum()
    if not anybody and up_to[classes].sum() > 0 and (i == 0 or j == classes):
        return False  # an empty class at an end would say how far the others reach
    for c in range(columns):
        persons, everybody = up_to[j, c] - up_to[i, c], up_to[classes, c]
        if 0 < persons < demands.k:
            return False
        if demands.spread and persons > 0 and persons == everybody and j - i < classes:
            return False
    return True
