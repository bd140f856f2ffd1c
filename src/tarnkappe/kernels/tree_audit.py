"""What an attacker can work out from a tree of sums when every node is published exactly or as an interval.

Two passes, exact because the sums form a tree: from the leaves up, a node lies within its own interval and within the sum of
its children's; from the roots down, a node lies within what its parent and its siblings leave for it.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@njit(cache=True)
def tighten(parent: Ints, low: Floats, high: Floats) -> tuple[Floats, Floats]:
    """The narrowest interval of every node. Parents must stand before their children; bounds may be infinite."""
    n = len(parent)
    low, high = low.copy(), high.copy()
    sum_low, sum_high = np.zeros(n), np.zeros(n)
    endless_low, endless_high, children = np.zeros(n, np.int64), np.zeros(n, np.int64), np.zeros(n, np.int64)
    for i in range(n - 1, -1, -1):
        if children[i] > 0:
            if endless_low[i] == 0:
                low[i] = max(low[i], sum_low[i])
            if endless_high[i] == 0:
                high[i] = min(high[i], sum_high[i])
        p = parent[i]
        if p >= 0:
            children[p] += 1
            if low[i] == -np.inf:
                endless_low[p] += 1
            else:
                sum_low[p] += low[i]
            if high[i] == np.inf:
                endless_high[p] += 1
            else:
                sum_high[p] += high[i]
    from_below = low.copy(), high.copy()
    for i in range(n):
        p = parent[i]
        if p < 0:
            continue
        own_low, own_high = from_below[0][i], from_below[1][i]
        if endless_high[p] == (own_high == np.inf):
            others = sum_high[p] - (own_high if own_high < np.inf else 0.0)
            low[i] = max(low[i], low[p] - others)
        if endless_low[p] == (own_low == -np.inf):
            others = sum_low[p] - (own_low if own_low > -np.inf else 0.0)
            high[i] = min(high[i], high[p] - others)
    return low, high
