"""Linear sensitivity measures: S = Σ wᵢ xᵢ over contributions x₁ ≥ x₂ ≥ …, exact where S is near 0.

Source: Wettig (2002), 2.2.2, after Cox (1981). Weights do not increase and are equal (the tail) from some place on, so S
needs only the largest contributions and the sum X of all: S = Σ (wᵢ - tail) xᵢ + tail X.
"""

from __future__ import annotations

from fractions import Fraction
from math import lcm
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tarnkappe.kernels.exact import WHOLE, written

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]

DOUBT = 2.0**-48
"""A float result within this share of its terms may have the wrong sign and is computed again without rounding."""


class Measure(NamedTuple):
    """Weights of the largest contributions, and the one weight of all others (below 0)."""

    weights: tuple[Fraction, ...]
    tail: Fraction


class Sensitive(NamedTuple):
    """What a measure says of every cell."""

    cells: Bools
    """S > 0."""
    level: Floats
    """The normed S* = S / |tail|, up to rounding."""


def dominance(n: int, k: Fraction) -> Measure:
    """(n,k): x₁ + … + xₙ > k % of X."""
    return Measure((1 - k / 100,) * n, -k / 100)


def prior_posterior(p: Fraction, q: Fraction, known: int) -> Measure:
    """(p,q): p % of x₁ > q % of all that is neither x₁ nor one of the `known` largest after it."""
    return Measure((p / 100, *([Fraction(0)] * known)), -q / 100)


def sensitive(largest: Floats, total: Floats, measure: Measure) -> Sensitive:
    """Apply a measure to cells given by their largest contributions and the sum of all, none of them negative.

    Numbers count as the decimals they are written as. With whole numbers floats are exact; elsewhere cells near the
    boundary are computed again with fractions.
    """
    of_largest, of_total = _whole_weights(measure)
    used = largest[:, : len(of_largest)]
    of_used = np.array(of_largest[: used.shape[1]], dtype=np.float64)
    scale = _scale(total, used)
    x, X = used / scale[:, None], total / scale
    plus, minus = x @ of_used, X * float(-of_total)
    s, size = plus - minus, plus + minus
    near = (np.abs(s) <= DOUBT * size) & (size > 0) & ~_exact(used, total, size * scale)
    cells = s > 0
    for i in np.flatnonzero(near):
        cells[i] = _exactly(used[i], total[i], of_largest, of_total) > 0
    return Sensitive(cells, s / float(-of_total) * scale)


def _whole_weights(measure: Measure) -> tuple[list[int], int]:
    """wᵢ - tail and the tail, times a number that makes all of them whole."""
    gained = [w - measure.tail for w in measure.weights]
    by = lcm(measure.tail.denominator, *(g.denominator for g in gained))
    return [int(g * by) for g in gained], int(measure.tail * by)


def _scale(total: Floats, used: Floats) -> Floats:
    """A power of two near the size of every cell: dividing by it loses nothing and nothing overflows."""
    largest = np.maximum(np.abs(total), used.max(axis=1, initial=0.0))
    out: Floats = np.ldexp(1.0, np.frexp(np.where(largest > 0, largest, 1.0))[1] - 1)
    return out


def _exact(used: Floats, total: Floats, size: Floats) -> Bools:
    """Cells of whole numbers small enough that no sum or product was rounded."""
    whole = (np.rint(used) == used).all(axis=1) & (np.rint(total) == total)
    out: Bools = whole & (size < WHOLE)
    return out


def _exactly(used: Floats, total: float, of_largest: list[int], of_total: int) -> Fraction:
    parts = [written(x) * w for x, w in zip(used.tolist(), of_largest, strict=False)]
    return sum(parts, written(total) * of_total)
