"""Partners in another region of the same group, compiled."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

Bools = NDArray[np.bool_]
Ints = NDArray[np.int64]

TRIES = 32


@njit(cache=True)
def region_partners(
    order: Ints,
    starts: Ints,
    region: Ints,
    seeks: Bools,
    free: Bools,
    most: int,
    generator: np.random.Generator,
) -> Ints:
    """Give units that seek one a free partner of their group in another region; -1 where there is none.

    Seekers come in random order, each takes any free unit of the group in another region, all equally likely. It ends
    when `most` units have a partner. `free` is updated.

    Parameters
    ----------
    order, starts
        Units group by group, within a group sorted by region.
    region
        Region of every unit.
    seeks, free
        Who wants a partner, and who may be one; a seeker that is not free is passed over.
    """
    partner = np.full(len(region), -1, np.int64)
    first, last = np.empty(len(region), np.int64), np.empty(len(region), np.int64)
    done = 0
    groups = generator.permutation(len(starts) - 1) if most < len(region) else np.arange(len(starts) - 1)
    for group in groups:
        units = order[starts[group] : starts[group + 1]].copy()
        queue = _seekers(units, seeks, free, generator)
        size = _compact(units, len(units), region, free, first, last)
        for i in queue:
            if done >= most:
                return partner
            if not free[i]:
                continue
            found = _draw(units, size, i, free, first, last, generator)
            if found < 0:
                size = _compact(units, size, region, free, first, last)
                found = _draw(units, size, i, free, first, last, generator)
            if found >= 0:
                partner[i], partner[found] = found, i
                free[i] = free[found] = False
                done += 2
    return partner


@njit(cache=True)
def _seekers(units: Ints, seeks: Bools, free: Bools, generator: np.random.Generator) -> Ints:
    """Those of the group who seek, in random order."""
    queue = units[seeks[units] & free[units]]
    for i in range(len(queue) - 1, 0, -1):
        j = int(generator.random() * (i + 1))
        queue[i], queue[j] = queue[j], queue[i]
    return queue


@njit(cache=True)
def _compact(units: Ints, size: int, region: Ints, free: Bools, first: Ints, last: Ints) -> int:
    """Keep only free units in the list; every unit learns where its region begins and ends. Returns how many are left."""
    left = 0
    for place in range(size):
        if free[units[place]]:
            units[left] = units[place]
            left += 1
    begin = 0
    for place in range(1, left + 1):
        if place == left or region[units[place]] != region[units[begin]]:
            for member in range(begin, place):
                first[units[member]], last[units[member]] = begin, place
            begin = place
    return left


@njit(cache=True)
def _draw(
    units: Ints, size: int, i: int, free: Bools, first: Ints, last: Ints, generator: np.random.Generator
) -> int:
    """A free unit outside the region of i; -1 if there is none in the list or none was hit."""
    among = size - (last[i] - first[i])
    if among <= 0:
        return -1
    for _ in range(TRIES):
        place = int(generator.random() * among)
        if place >= first[i]:
            place += last[i] - first[i]
        if free[units[place]]:
            return int(units[place])
    return -1
