"""Small integer codes instead of values."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def compact(codes: NDArray[Any]) -> NDArray[Any]:
    """The same non-negative codes in the smallest unsigned type that holds them; always a new array."""
    largest = int(codes.max()) if len(codes) else 0
    return codes.astype(np.min_scalar_type(largest))


def dense_codes(values: NDArray[Any]) -> tuple[NDArray[np.int64], int]:
    """Codes 0, 1, … in the order of the values, and how many there are.

    Integers within a narrow range are coded by look-up instead of by sorting.
    """
    if len(values) == 0:
        return np.zeros(0, dtype=np.int64), 0
    if np.issubdtype(values.dtype, np.integer):
        low, high = int(values.min()), int(values.max())
        if high - low < max(1024, 4 * len(values)):
            offset = values.astype(np.int64) - low
            seen = np.zeros(high - low + 1, dtype=np.bool_)
            seen[offset] = True
            position = np.cumsum(seen) - 1
            return position[offset], int(position[-1]) + 1
    distinct, inverse = np.unique(values, return_inverse=True)
    return inverse.astype(np.int64).ravel(), len(distinct)


def distinct(values: NDArray[Any]) -> NDArray[Any]:
    """The different values in ascending order, NaN once: `np.unique` is slow where most values differ."""
    ordered = np.sort(values)
    new = np.ones(len(ordered), dtype=np.bool_)
    new[1:] = ordered[1:] != ordered[:-1]
    if np.issubdtype(values.dtype, np.floating):
        new[1:] &= ~np.isnan(ordered[:-1])
    return ordered[new]
