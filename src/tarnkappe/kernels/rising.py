"""Whether one column rises where another does."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

ROUNDING = 1e-12
"""Part of a number by which it may be smaller and still counts as equal."""


@njit(cache=True, nogil=True)
def never_falls(old: Floats, new: Floats, starts: Ints) -> bool:
    """Whether in every block, where `old` ascends, what is larger in `old` is nowhere smaller in `new`, up to rounding.

    Values that are equal in `old` may differ in `new`.
    """
    for b in range(len(starts) - 1):
        below, here = -np.inf, -np.inf
        for i in range(starts[b], starts[b + 1]):
            if i > starts[b] and old[i] > old[i - 1]:
                below = max(below, here)
            if new[i] < below and new[i] / 2 - below / 2 < -ROUNDING * abs(new[i]):  # halves never overflow
                return False
            here = max(here, new[i])
    return True
