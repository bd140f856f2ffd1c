"""Bring means and variances back: Kim's correction, over all values or in blocks of neighbouring size."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

FLAT = 1e-10
"""A block whose values vary by less than this part of their size is constant."""
UNDONE = 0.1
"""A correction that brings a block back to less than this part of what the first step had changed undoes that step."""
LEAST = 4
"""Contributors behind a mean and a variance that are brought back: of three, each could work out the two others."""


@njit(cache=True, nogil=True)
def kim_corrected(
    x: Floats, y: Floats, who: Ints, starts: Ints, block: int
) -> tuple[Floats, NDArray[np.bool_]]:
    """Y' = σ(x) / σ(y) (y - mean y) + mean x, in every block; σ with the divisor n.

    Parameters
    ----------
    x
        Originals.
    y
        The same values after a first step, falling within every stratum.
    who
        Contributor of every value.
    starts
        Stratum s is starts[s]:starts[s+1].
    block
        Values per block, equal values of `y` together, the last block of a stratum takes the rest; 0 for the whole stratum.

    Returns
    -------
    The corrected values, and for every stratum whether a block of it was left as it was, because it does not vary, has too few contributors
    or the correction would give the originals back. Source: hoehne2010, 3.3.1 (M13, M14 with its guard); R09, four where variances are kept.
    """
    out, left = y.copy(), np.zeros(len(starts) - 1, np.bool_)
    for s in range(len(starts) - 1):
        first, last = starts[s], starts[s + 1]
        while first < last:
            stop = last if block == 0 or last - first < 2 * block else first + block
            while stop < last and y[stop] == y[stop - 1]:
                stop += 1
            enough = _enough(who[first:stop])
            if not enough or not _correct(x[first:stop], y[first:stop], out[first:stop]):
                left[s] = True
            first = stop
    return out, left


@njit(cache=True)
def _enough(who: Ints) -> bool:
    """Whether enough contributors stand behind some values."""
    names, many = np.empty(LEAST, np.int64), 0
    for name in who:
        if not (names[:many] == name).any():
            names[many] = name
            many += 1
            if many == LEAST:
                return True
    return False


@njit(cache=True)
def _correct(x: Floats, y: Floats, out: Floats) -> bool:
    """Correct a block; False if it stays as it is."""
    mean_x, spread_x = _moments(x)
    mean_y, spread_y = _moments(y)
    if spread_y <= FLAT * np.abs(y).max() or spread_x <= FLAT * np.abs(x).max():
        return False
    for i in range(len(x)):
        out[i] = spread_x / spread_y * (y[i] - mean_y) + mean_x
    if ((out - x) ** 2).sum() <= UNDONE**2 * ((y - x) ** 2).sum():
        out[:] = y
        return False
    return True


@njit(cache=True)
def _moments(x: Floats) -> tuple[float, float]:
    mean = x.mean()
    mean += (x - mean).mean()
    return mean, np.sqrt(((x - mean) ** 2).mean())
