"""Rank swapping, compiled.

Dalenius and Reiss (1982), Moore (1996); Höhne (2010), section 2.2.3, for the look-ahead.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

FREE, NEXT, BEYOND = 0, 1, 2
"""How a partner is found: any free one in the window; the first free one from a drawn place on; the same, even
outside the window."""
TRIES = 32


@njit(cache=True)
def rank_partners(starts: Ints, windows: Ints, rule: int, generator: np.random.Generator) -> Ints:
    """The partner of every place in a list sorted by block and rank; a place without one is its own.

    Place i of a block may be paired with i+1 … i+window. Everything before i has its partner when i is reached, so a place
    finds none only when all after it have theirs: at most one in a block.

    Parameters
    ----------
    starts
        Where the blocks begin; one entry more than blocks.
    windows
        Per block, 1 or more.
    """
    n = starts[-1]
    partner = np.full(n, -1, np.int64)
    after, before = np.arange(n + 1), np.arange(n + 1)
    for b in range(len(windows)):
        end = starts[b + 1]
        for i in range(starts[b], end):
            if partner[i] >= 0:
                continue
            last = min(end - 1, i + windows[b])
            _take(after, before, i)
            found = -1
            if last > i:
                if rule == FREE:
                    found = _any_free(partner, i + 1, last, generator)
                else:
                    drawn = generator.integers(i + 1, last + 1)
                    found = _from_here(after, before, i, drawn, end - 1 if rule == BEYOND else last)
            if found < 0:
                partner[i] = i
            else:
                partner[i], partner[found] = found, i
                _take(after, before, found)
    return partner


@njit(cache=True)
def _any_free(partner: Ints, low: int, high: int, generator: np.random.Generator) -> int:
    """One of the free places low … high, each as likely; drawn again while taken, then counted out."""
    for _ in range(TRIES):
        drawn = generator.integers(low, high + 1)
        if partner[drawn] < 0:
            return int(drawn)
    found, seen = -1, 0
    for place in range(low, high + 1):
        if partner[place] < 0:
            seen += 1
            if generator.integers(0, seen) == 0:
                found = place
    return found


@njit(cache=True)
def _from_here(after: Ints, before: Ints, i: int, drawn: int, last: int) -> int:
    """The first free place from `drawn` on, up to `last`; if there is none, the nearest free one before `drawn`."""
    found = _root(after, drawn)
    if found <= last:
        return int(found)
    found = _root(before, drawn + 1) - 1  # `before` is shifted by one, so that 0 means none
    return int(found) if found > i else -1


@njit(cache=True)
def _take(after: Ints, before: Ints, place: int) -> None:
    after[place] = place + 1
    before[place + 1] = place


@njit(cache=True)
def _root(links: Ints, place: int) -> int:
    """Follow the links to a free place and shorten the way."""
    root = place
    while links[root] != root:
        root = links[root]
    while links[place] != root:
        links[place], place = root, links[place]
    return int(root)


@njit(cache=True)
def none_keeps(source: Ints, by_value: Ints, starts: Ints) -> None:
    """Who would take its own value exchanges sources with the next in the order of the block, the last with the one before."""
    for b in range(len(starts) - 1):
        if starts[b + 1] - starts[b] < 2:
            continue
        for place in range(starts[b], starts[b + 1]):
            i = by_value[place]
            if source[i] == i:
                k = by_value[place + 1] if place + 1 < starts[b + 1] else by_value[place - 1]
                source[i], source[k] = source[k], i
