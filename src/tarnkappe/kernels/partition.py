"""Comparing two ways of putting the same records into groups."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def same_partition(a: NDArray[np.int64], b: NDArray[np.int64]) -> bool:
    """True when records are equal in `a` exactly where they are equal in `b`. Codes are non-negative."""
    if len(a) == 0:
        return True
    pairs = a * (int(b.max()) + 1) + b
    return len(np.unique(pairs)) == len(np.unique(a)) == len(np.unique(b))
