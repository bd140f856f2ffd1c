"""Rounding to multiples of a base and noise with given chances, with what is lost by it.

Source: Wettig (2002), 2.3.4 and 2.3.5 (L806-1001). N = h·b + r with 0 ≤ r < b, so multiples of the base stay, and negative
values are cut down towards -∞ like positive ones.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

LARGEST = 2.0**52
"""Below this a remainder is exact."""


def split(value: Floats, base: int) -> tuple[Floats, Floats]:
    """h·b and r of every value."""
    r = np.mod(value, base)
    return np.rint((value - r) / base) * base, r


def nearest(value: Floats, base: int) -> Floats:
    """Down if r < b/2, otherwise up: half goes up (L836-840; the tie of an even base is left open there)."""
    down, r = split(value, base)
    return np.where(2 * r < base, down, down + base) + 0.0


def unbiased(value: Floats, base: int, u: Floats) -> Floats:
    """Up with probability r/b, otherwise down, decided by numbers u that are uniform in [0, 1) (L872-879)."""
    down, r = split(value, base)
    return np.where(u * base < r, down + base, down) + 0.0


def drawn(noise: Mapping[int, int], u: Floats) -> Floats:
    """For every u in [0, 1) an offset; each has so many parts of the whole."""
    offsets = np.array(sorted(noise), dtype=np.float64)
    ends = np.cumsum([noise[int(e)] for e in offsets])
    at = np.searchsorted(ends, np.floor(u * ends[-1]), side="right")
    out: Floats = offsets[np.minimum(at, len(offsets) - 1)]
    return out


def limited(noise: Mapping[int, int], most: Floats, u: Floats) -> Floats:
    """Like `drawn`, but no offset larger than `most` in size: what is left of the distribution is scaled up to 1."""
    reach = np.array(sorted({abs(e) for e in noise}), dtype=np.float64)
    allowed = np.searchsorted(reach, most, side="right")
    out = np.zeros(len(u))
    for level in np.unique(allowed[allowed > 0]):
        here = allowed == level
        part = {e: parts for e, parts in noise.items() if abs(e) <= reach[level - 1]}
        out[here] = drawn(part, u[here])
    return out


def loss(value: Floats, shown: Floats) -> float:
    """L = Σ |N - N′| (L832, L956 with the absolute values that are missing there)."""
    return float(np.abs(value - shown).sum())


def netted_loss(value: Floats, shown: Floats, row: Ints) -> float:
    """Σᵢ |Σⱼ (X - X′)| as printed in L956: errors inside a row cancel. For comparison only."""
    return float(np.abs(np.bincount(row, weights=value - shown)).sum()) if len(row) else 0.0
