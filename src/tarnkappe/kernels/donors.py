"""Donors that are like a record in some columns and unlike it in others."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]


def unlike_donors(alike: Ints, other: Ints, generator: np.random.Generator) -> Ints:
    """For every record one of the same group `alike` with another value of `other`, all with the same chance; -1 where none is.

    Sorted by both, the records that agree on both lie together inside their group: the draw jumps over them.
    """
    order = np.lexsort((other, alike))
    group, same = _Runs(alike[order]), _Runs(alike[order], other[order])
    outside = (group.last - group.first) - (same.last - same.first)
    drawn = group.first + np.floor(generator.random(len(order)) * outside).astype(np.int64)
    drawn += np.where(drawn >= same.first, same.last - same.first, 0)
    donors = np.empty(len(order), dtype=np.int64)
    donors[order] = np.where(outside > 0, order[np.minimum(drawn, len(order) - 1)], -1)
    return donors


class _Runs:
    """Where the run of equal values that a place belongs to begins and ends."""

    def __init__(self, *sorted_values: Ints) -> None:
        n = len(sorted_values[0])
        starts = np.zeros(n, dtype=np.bool_)
        starts[:1] = True
        for values in sorted_values:
            starts[1:] |= values[1:] != values[:-1]
        begins = np.flatnonzero(starts)
        run = np.cumsum(starts) - 1
        self.first = begins[run]
        self.last = np.append(begins[1:], n)[run]
