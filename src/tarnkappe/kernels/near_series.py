"""Is there one whose numbers are near in every place?"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]


def near_some(new: Floats, old: Floats, reach: Floats) -> Bools:
    """For every row of `new`, whether some row of `old` is no farther than `reach` from it, column by column.

    Rows are looked for among those that are near in the column that leaves fewest.
    """
    if not old.size:
        return np.full(len(new), len(old) > 0)
    span = old.max(axis=0) - old.min(axis=0)
    tight = int(np.argmin(np.divide(reach, span, out=np.full(len(span), np.inf), where=span > 0)))
    sorted_old = old[np.argsort(old[:, tight])]
    first = np.searchsorted(sorted_old[:, tight], new[:, tight] - reach[tight], side="left")
    last = np.searchsorted(sorted_old[:, tight], new[:, tight] + reach[tight], side="right")
    out: Bools = _any_near(np.ascontiguousarray(new), sorted_old, reach, first, last)
    return out


@njit(cache=True)
def _any_near(new: Floats, old: Floats, reach: Floats, first: Ints, last: Ints) -> Bools:
    out = np.zeros(len(new), np.bool_)
    for i in range(len(new)):
        for k in range(first[i], last[i]):
            near = True
            for j in range(len(reach)):
                if abs(new[i, j] - old[k, j]) > reach[j]:
                    near = False
                    break
            if near:
                out[i] = True
                break
    return out
