"""Exchanges that bring correlations back: simulated annealing over pairs of records, or of units with their series (Gottschalk G-M14)."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from tarnkappe.kernels.series import Series

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

WARM_UP = 1000
"""Proposals from which the size of a step is learnt."""
WARMTH = 0.2
"""The first temperature, in mean sizes of a step: hotter, and a good start would be lost."""
CHUNK = 4096
"""Partners are sought in pieces of so many movers, which stay in the fast memory meanwhile."""


def anneal(
    z: Floats, source: Ints, series: Series, goal: float, most: int, generator: np.random.Generator
) -> int:
    """Exchange series inside blocks until the correlations are the old ones; returns how many proposals it took.

    The measure is Σ_jk |S*_jk - S_jk| over all pairs of columns, S = z'z/n before. A proposal exchanges one column between two
    members of a block, in all their records; it costs as many operations as these have cells. It is taken if it lowers the measure, else with
    probability exp(-Δ/T), T falling to 0. No member gets its own values back: that would undo the protection.

    Parameters
    ----------
    z
        (n, p) standardised values in their old places, block by block and mover by mover in random order; left as they are.
    source
        (movers, q), q <= p: whose values each mover has in the first q columns; changed in place.
    series
        The blocks of movers; all start with the values of another of their block.
    """
    return int(_annealed(series.moved(z, source), z, source, series, goal, most, generator))


@njit(cache=True)
def _annealed(
    now: Floats,
    z: Floats,
    source: Ints,
    series: Series,
    goal: float,
    most: int,
    generator: np.random.Generator,
) -> int:
    """The same, from where all values have been moved to their first places, `now`."""
    p, q, starts = z.shape[1], source.shape[1], series.starts
    off = (now.T @ now - z.T @ z) / len(z)
    for j in range(p):
        off[j, j] = 0.0
    measure = np.abs(off).sum()
    shift, heat = np.empty(p), np.zeros(2)
    done, turn = 0, 0
    while done < most and measure > goal:
        record = 0  # the first of the block
        for b in range(len(starts) - 1):
            size = series.places[b]
            first = starts[b] - (turn * CHUNK // 3) % CHUNK  # pieces begin elsewhere in every turn
            while first < starts[b + 1] and done < most and measure > goal:
                low, high = max(first, starts[b]), min(first + CHUNK, starts[b + 1])
                for _ in range((high - low) * q):
                    if measure <= goal or done >= most:
                        break
                    i = low + int(generator.random() * (high - low))
                    k = low + int(generator.random() * (high - low))
                    j = int(generator.random() * q)
                    if i != k and source[i, j] != k and source[k, j] != i:
                        at = (record + (i - starts[b]) * size, record + (k - starts[b]) * size)
                        change = _change(now, off, shift, at, size, j)
                        if _taken(change, heat, 1 - done / most, generator):
                            measure += change
                            _exchange(now, off, shift, at, size, j)
                            source[i, j], source[k, j] = source[k, j], source[i, j]
                    done += 1
                first += CHUNK
            record += (starts[b + 1] - starts[b]) * size
        turn += 1
    return done


@njit(cache=True)
def _change(now: Floats, off: Floats, shift: Floats, at: tuple[int, int], size: int, j: int) -> float:
    """By how much the measure changes when the movers at two places exchange column j; `shift` gets the changes of the correlations."""
    i, k = at
    gain, change = (now[k, j] - now[i, j]) / len(now), 0.0
    for c in range(len(shift)):
        shift[c] = gain * (now[i, c] - now[k, c])
    for t in range(1, size):
        i, k = at[0] + t, at[1] + t
        gain = (now[k, j] - now[i, j]) / len(now)
        for c in range(len(shift)):
            shift[c] += gain * (now[i, c] - now[k, c])
    shift[j] = 0.0
    for c in range(len(shift)):
        change += 2 * (abs(off[j, c] + shift[c]) - abs(off[j, c]))
    return change


@njit(cache=True)
def _taken(change: float, heat: Floats, left: float, generator: np.random.Generator) -> bool:
    """The rule of simulated annealing; `heat` is the mean size of a change over the first proposals, and their number."""
    if heat[1] < WARM_UP:
        heat[1] += 1
        heat[0] += (abs(change) - heat[0]) / heat[1]
    if change < 0:
        return True
    return bool(heat[0] > 0 and generator.random() < np.exp(-change / (WARMTH * heat[0] * left)))


@njit(cache=True)
def _exchange(now: Floats, off: Floats, shift: Floats, at: tuple[int, int], size: int, j: int) -> None:
    for c in range(len(shift)):
        off[j, c] += shift[c]
        off[c, j] = off[j, c]
    for t in range(size):
        i, k = at[0] + t, at[1] + t
        now[i, j], now[k, j] = now[k, j], now[i, j]
