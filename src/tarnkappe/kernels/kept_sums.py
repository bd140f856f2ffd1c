"""Do movements keep every sum? Multiplied out one movement after the other, without a matrix of them all."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from tarnkappe.kernels.unknowns import Incidence

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@njit(cache=True)
def keeps(
    tied: Incidence, coefficient: Floats, start: Ints, cell: Ints, amount: Floats, slack: float
) -> Bools:
    """Which movements change no sum by more than this share of their largest part; one that names a cell twice is none.

    `coefficient` is that of a cell in a relation, in the order of `tied.relation`. Movement w moves cell[start[w]:start[w+1]].
    """
    good = np.ones(len(start) - 1, np.bool_)
    total = np.zeros(len(tied.start) - 1)
    named = np.full(len(tied.of_cell) - 1, -1)
    for w in range(len(good)):
        size = 0.0
        for i in range(start[w], start[w + 1]):
            size = max(size, abs(amount[i]))
            good[w] &= named[cell[i]] != w
            named[cell[i]] = w
            for k in range(tied.of_cell[cell[i]], tied.of_cell[cell[i] + 1]):
                total[tied.relation[k]] += coefficient[k] * amount[i]
        for i in range(start[w], start[w + 1]):
            for k in range(tied.of_cell[cell[i]], tied.of_cell[cell[i] + 1]):
                good[w] &= abs(total[tied.relation[k]]) <= slack * size
        for i in range(start[w], start[w + 1]):
            for k in range(tied.of_cell[cell[i]], tied.of_cell[cell[i] + 1]):
                total[tied.relation[k]] = 0.0
    return good
