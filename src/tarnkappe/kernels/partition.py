"""Comparing two ways of putting the same records into groups."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def same_partition(a: NDArray[np.int64], b: NDArray[np.int64]) -> bool:
    """True when records are equal in `a` exactly where they are equal in `b`. Codes are non-negative."""
    return _leads_to(a, b) and _leads_to(b, a)


def _leads_to(a: NDArray[np.int64], b: NDArray[np.int64]) -> bool:
    """True when the code in `a` tells the code in `b`."""
    told = np.zeros(int(a.max(initial=-1)) + 1, dtype=np.int64)
    told[a] = b
    return np.array_equal(told[a], b)
