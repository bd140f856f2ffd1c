"""Equivalence classes by sorting: for checks of what was found by hashing (kernels/classes.py), which they share no code with."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from collections.abc import Iterable

Ints = NDArray[np.int64]
_MARKS = 2
"""Codes below zero: missing and suppressed."""
_LARGEST = 2**63 - 1


class SortedClasses(NamedTuple):
    """A partition of the records."""

    ids: Ints
    """Class of every record: 0, 1, …"""
    sizes: Ints
    """Records in every class."""


def sorted_classes(columns: Iterable[tuple[NDArray[Any], int]], records: int) -> SortedClasses:
    """Find the records that agree on every column, given as (codes -2 … count - 1, count); without columns all do."""
    key, span = np.zeros(records, dtype=np.int64), 1
    for codes, count in columns:
        radix = count + _MARKS
        if span > _LARGEST // radix:
            seen, key = np.unique(key, return_inverse=True)
            span = len(seen)
        key = key * radix + (codes.astype(np.int64) + _MARKS)
        span *= radix
    _, ids, sizes = np.unique(key, return_inverse=True, return_counts=True)
    return SortedClasses(ids.astype(np.int64, copy=False), sizes.astype(np.int64, copy=False))
