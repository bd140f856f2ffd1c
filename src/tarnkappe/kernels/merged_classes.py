"""Neighbouring classes merged until each is large enough."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

Bools = NDArray[np.bool_]
Ints = NDArray[np.int64]


@njit(cache=True)
def class_begins(block: Ints, starts: Ints, who: Ints, at_least: int) -> Bools:
    """Which classes begin a merged class, other than the first of a block: from below, as soon as both sides are large enough.

    Parameters
    ----------
    block
        The block of every class; those of one block together and ascending.
    starts
        Where the records of every class begin in `who`; one more entry than there are classes.
    who
        The contributor of every record, numbered from 0; who has several records counts once.
    at_least
        Contributors that a merged class must hold.
    """
    begins = np.zeros(len(block), np.bool_)
    people = who.max() + 1 if len(who) else 0
    last, seen = (
        np.full(people, -1),
        np.full(people, -1),
    )  # the class a contributor is in last, and was met in
    first = 0
    while first < len(block):
        end, left = first, 0  # contributors in the classes of the block from here on
        while end < len(block) and block[end] == block[first]:
            for w in who[starts[end] : starts[end + 1]]:
                left += last[w] < first
                last[w] = end
            end += 1
        here, begun = 0, first
        for i in range(first, end):
            if here >= at_least and left >= at_least:
                begins[i] = True
                here, begun = 0, i
            for w in who[starts[i] : starts[i + 1]]:
                here += seen[w] < begun
                seen[w] = i
                if last[w] == i:
                    left -= 1
                    last[w] = -1
        first = end
    return begins
