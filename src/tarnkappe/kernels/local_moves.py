"""Moving records between groups that must stay large enough, one after the other."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

Bools = NDArray[np.bool_]
Ints = NDArray[np.int64]


@njit(cache=True)
def moves(own: Ints, target: Ints, sizes: Ints, k: int) -> Bools:
    """Which records move: their own group keeps k without them, or only they are left in it; the target reaches k with them.

    Parameters
    ----------
    own, target
        The group a record is in and the one it could go to.
    sizes
        Records in every group; changed in place.
    """
    gone = np.zeros(len(own), dtype=np.bool_)
    for i in range(len(own)):
        if own[i] != target[i] and sizes[own[i]] > k and sizes[target[i]] >= k - 1:
            sizes[own[i]] -= 1
            sizes[target[i]] += 1
            gone[i] = True
    return gone
