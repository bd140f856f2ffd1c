"""Does a class of records give back what was hidden? The rule is learnt from the others of the class, never from the record itself."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from tarnkappe.kernels.profile_loops import counted

Bools = NDArray[np.bool_]
Ints = NDArray[np.int64]
Codes = NDArray[Any]

FEWEST = 3
"""So many others of a class must agree: two agree too easily by chance."""


class Given(NamedTuple):
    """Which records get their value back."""

    exactly: Bools
    """All others of the class have the same value."""
    nearly: Bools
    """Nearly all have it."""


def given_back(ids: Codes, codes: Codes, sizes: Ints, values: int, share: float) -> Given:
    """Which records have the value that all, or at least `share`, of the others of their class have.

    Parameters
    ----------
    ids, sizes
        Class of every record and size of every class.
    codes
        True value of every record, 0 … values - 1; below 0 where there is none.
    """
    starts, kinds, counts = counted(ids, codes, len(sizes), values)
    top, exact, near = _leading(starts, kinds, counts, sizes, share)
    own = np.asarray(top[ids] == codes)
    return Given(own & exact[ids], own & near[ids])


@njit(cache=True)
def _leading(
    starts: Ints, kinds: Codes, counts: Codes, sizes: Ints, share: float
) -> tuple[Ints, Bools, Bools]:
    """The most frequent value of every class, and whether a member can rely on the others for it."""
    rows = len(starts) - 1
    top = np.full(rows, -1, np.int64)
    exact, near = np.zeros(rows, np.bool_), np.zeros(rows, np.bool_)
    for i in range(rows):
        most = 0
        for e in range(starts[i], starts[i + 1]):
            if counts[e] > most:
                most, top[i] = counts[e], kinds[e]
        if most > FEWEST:
            exact[i] = most == sizes[i]
            near[i] = most - 1 >= share * (sizes[i] - 1)
    return top, exact, near
