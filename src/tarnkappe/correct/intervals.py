"""Estimates with their intervals."""

from __future__ import annotations

import numpy as np
from scipy.special import ndtri, stdtrit

from tarnkappe.correct.linear import Estimate
from tarnkappe.correct.result import Figure
from tarnkappe.data.column import Floats


def quantile(level: float, freedom: float) -> float:
    """So many standard errors to each side."""
    tail = (1 + level) / 2
    return float(ndtri(tail) if np.isinf(freedom) else stdtrit(freedom, tail))


def figures_of(
    found: Estimate, naive: Estimate | None, level: float, ends: tuple[Floats, Floats] | None = None
) -> tuple[Figure, ...]:
    """One figure per coefficient; its interval from its standard error, or as given."""
    reach = quantile(level, found.freedom) * found.errors
    low, high = ends if ends is not None else (found.values - reach, found.values + reach)
    plain = (
        {}
        if naive is None
        else dict(zip(naive.names, zip(naive.values, naive.errors, strict=True), strict=True))
    )
    out = []
    for j, name in enumerate(found.names):
        one, error = plain.get(name, (None, None))
        out.append(
            Figure(
                name,
                float(found.values[j]),
                float(found.errors[j]),
                float(low[j]),
                float(high[j]),
                None if one is None else float(one),
                None if error is None else float(error),
            )
        )
    return tuple(out)
