"""How sure a share is that was counted on records of several values each.

Sources: clopperpearson1934 (the exact interval); korngraubard1998 (the same with an effective number of cases where they are weighted or
hang together).
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def share_of(hits: Floats, cases: Floats, weights: Floats) -> float:
    """The share Σ w·hits / Σ w·cases; not a number where there is no case."""
    total = float((weights * cases).sum())
    return min(float((weights * hits).sum()) / total, 1.0) if total > 0 else math.nan


def share_interval(hits: Floats, cases: Floats, weights: Floats, level: float) -> tuple[float, float] | None:
    """An interval around the share of hits among the cases of all records; the values of a record hang together.

    Parameters
    ----------
    hits, cases
        Per record: how many of its cases were hit, and how many it has.
    weights
        Of the records.
    """
    share = share_of(hits, cases, weights)
    if math.isnan(share):
        return None
    n = _effective(hits, cases, weights, share)
    return clopper_pearson(share * n, n, level)


def clopper_pearson(hits: float, cases: float, level: float) -> tuple[float, float]:
    """The exact interval of a share; the numbers need not be whole."""
    from scipy.special import betaincinv  # noqa: PLC0415 -- loaded when first used

    beyond = (1 - level) / 2
    low = betaincinv(hits, cases - hits + 1, beyond) if hits > 0 else 0.0
    high = betaincinv(hits + 1, cases - hits, 1 - beyond) if hits < cases else 1.0
    return float(low), float(high)


def _effective(hits: Floats, cases: Floats, weights: Floats, share: float) -> float:
    """So many independent cases would give a share as sure as this one.

    That is p(1-p) over the variance of the ratio Σ w·hits / Σ w·cases; where all or none were hit, a record counts as one case.
    """
    total = float((weights * cases).sum())
    with_cases = weights[cases > 0]
    records = float(with_cases.sum() ** 2 / (with_cases**2).sum())
    variance = float(((weights * (hits - share * cases)) ** 2).sum()) / total**2
    if variance <= 0 or not 0 < share < 1:
        return records
    return min(share * (1 - share) / variance, float(cases.sum()))
