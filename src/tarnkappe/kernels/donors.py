"""Donors that are like a record in some columns and unlike it in others; units give and take as a whole."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

Ints = NDArray[np.int64]

TRIED = 100
"""So many of a larger group are tried as donors of a unit: more would take long where nobody is unlike it in every record."""


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


def unlike_units(alike: Ints, kinds: Ints, starts: Ints, generator: np.random.Generator) -> Ints:
    """For every unit one of the same group `alike` that has no kind of record in common with it, all with the same chance.

    -1 where there is none, or in a group of more than a hundred others where a hundred draws found none.

    Parameters
    ----------
    kinds
        The kinds of the records, unit by unit, ascending in each.
    starts
        Where the units begin there; one entry more than there are units.
    """
    order = np.argsort(alike, kind="stable")
    ends = np.flatnonzero(np.diff(alike[order])) + 1
    groups = np.concatenate([[0], ends, [len(order)]]).astype(np.int64)
    return np.asarray(_unlike(order, groups, kinds, starts, generator))


@njit(cache=True)
def _unlike(order: Ints, groups: Ints, kinds: Ints, starts: Ints, generator: np.random.Generator) -> Ints:
    donors = np.full(len(order), -1)
    for g in range(len(groups) - 1):
        low, high = groups[g], groups[g + 1]
        for unit in order[low:high]:
            if high - low > TRIED + 1:
                for _ in range(TRIED):
                    other = order[low + int(generator.random() * (high - low))]
                    if _nothing_in_common(kinds, starts, unit, other):
                        donors[unit] = other
                        break
            else:
                seen = 0
                for other in order[low:high]:
                    if _nothing_in_common(kinds, starts, unit, other):
                        seen += 1
                        if generator.random() * seen < 1:
                            donors[unit] = other
    return donors


@njit(cache=True)
def _nothing_in_common(kinds: Ints, starts: Ints, a: int, b: int) -> bool:
    i, k = starts[a], starts[b]
    while i < starts[a + 1] and k < starts[b + 1]:
        if kinds[i] == kinds[k]:
            return False
        if kinds[i] < kinds[k]:
            i += 1
        else:
            k += 1
    return True


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
