"""Groups by chance: records drawn anew for every group."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@njit(cache=True)
def drawn_rows(rng: np.random.Generator, who: Ints, order: Ints, starts: Ints, groups: Ints, k: int) -> Ints:
    """(groups, k) rows: for every group k records drawn from its block, of k different contributors.

    A contributor can be drawn for several groups but not twice for one: else a mean could be one contributor's own value. Records are
    drawn one after the other; those of a contributor already drawn are passed over.

    Parameters
    ----------
    rng
        Where the draws come from.
    who
        Contributor of every row, from 0 on.
    order, starts
        The blocks, as in `Strata`.
    groups
        Number of groups of every block; 0 where it has fewer than k contributors.
    k
        Records per group.
    """
    out = np.empty((groups.sum(), k), np.int64)
    seen = np.full(who.max() + 1 if len(who) else 0, -1, np.int64)
    pool = order.copy()
    group = 0
    for b in range(len(groups)):
        first = starts[b]
        for _ in range(groups[b]):
            last, have = starts[b + 1], 0
            while have < k:
                at = first + int(rng.random() * (last - first))
                last -= 1
                i = pool[at]
                pool[at] = pool[last]
                pool[last] = i
                if seen[who[i]] != group:
                    seen[who[i]] = group
                    out[group, have] = i
                    have += 1
            group += 1
    return out
