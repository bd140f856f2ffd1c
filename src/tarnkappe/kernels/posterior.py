"""How many persons of the population share the keys of f records: the negative binomial posterior of Benedetti and Franconi.

Of the F persons with some combination of keys, f came into the sample, each with probability p. A posteriori F is negative
binomial: P(F = h | f) = C(h-1, f-1) p^f (1-p)^(h-f), h = f, f+1, … (benedettifranconi1998). Who finds a record by its keys
picks one of F persons, so the risk of the record is the posterior mean of 1/F.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray
from scipy.special import betainc

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_MANY = 30
"""From so many records on, the series ends after some dozen terms whatever p is."""


@njit(cache=True)
def mean_risk(f: Ints, p: Floats) -> Floats:
    """The posterior mean of 1/F for every class: exact, for all f ≥ 1 and 0 < p ≤ 1.

    r_f = p^f/f · ₂F₁(f, f; f+1; q) with q = 1 - p (franconipolettini2004), by Euler's transformation p/f · ₂F₁(1, 1; f+1; q):
    a series of positive terms with ratio q(m+1)/(f+1+m). Where that ends late (small p, small f), integration by parts gives
    r_f = p/q · (1/(f-1) - r_{f-1}), which is stable for p < q and starts with the closed form r_1 = -ln(p) p/q.
    """
    out = np.empty(len(f))
    for k in range(len(f)):
        q = 1 - p[k]
        if q <= 0.5 or f[k] >= _MANY:
            out[k] = _series(f[k], p[k], q)
        else:
            out[k] = -np.log(p[k]) * p[k] / q
            for i in range(2, f[k] + 1):
                out[k] = p[k] / q * (1 / (i - 1) - out[k])
    return out


@njit(cache=True)
def _series(f: int, p: float, q: float) -> float:
    total, term, m = 1.0, 1.0, 0
    while term > 1e-17 * total:
        term *= q * (m + 1) / (f + 1 + m)
        total += term
        m += 1
    return p / f * total


def approximate_risk(f: Ints, p: Floats) -> Floats:
    """The risk as sdcMicro computes it unless told otherwise: exact for f ≤ 2, p/(f - q) beyond (franconipolettini2004)."""
    return np.where(f > 2, p / (f - (1 - p)), mean_risk(np.minimum(f, 2), p))


def at_most(f: Ints, p: Floats, m: Floats | float) -> Floats:
    """P(F ≤ m | f): the negative binomial distribution function as an incomplete beta integral."""
    m = np.floor(np.maximum(np.asarray(m, dtype=np.float64), 0))
    inside = m >= f
    chance: Floats = np.where(inside, betainc(f, np.where(inside, m - f + 1, 1.0), p), 0.0)
    return chance


def smallest_class(f: Ints, p: Floats, times: Floats, chances: tuple[float, ...]) -> list[float]:
    """Quantiles of the smallest F among independent classes: the least m with P(min F ≤ m) ≥ chance.

    `times` says how many classes each entry stands for.
    """
    return [_quantile(f, p, times, chance) for chance in chances]


def _quantile(f: Ints, p: Floats, times: Floats, chance: float) -> float:
    low, high = float(f.min()) - 1, float(f.min())
    while _some_at_most(f, p, times, high) < chance:
        low, high = high, 2 * high
    while high - low > 1:
        middle = float(np.floor((low + high) / 2))
        low, high = (low, middle) if _some_at_most(f, p, times, middle) >= chance else (middle, high)
    return high


def _some_at_most(f: Ints, p: Floats, times: Floats, m: float) -> float:
    chance = at_most(f, p, m)
    if bool((chance >= 1).any()):
        return 1.0
    return float(-np.expm1((times * np.log1p(-chance)).sum()))
