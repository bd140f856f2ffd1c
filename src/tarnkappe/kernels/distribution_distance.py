"""How far two distributions of numbers are apart: Kolmogorov-Smirnov, Wasserstein, Hellinger; weighted, and with any numbers of records."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

BINS = 20
"""Classes with equal shares of the original, in which Hellinger's distance is taken."""


def both_steps(x: Floats, v: Floats | None, y: Floats, w: Floats | None) -> tuple[Floats, Floats, Floats]:
    """All values in ascending order, and the shares of both files up to each of them (their distribution functions)."""
    (x, v), (y, w) = _ordered(x, v), _ordered(y, w)
    values = np.concatenate([x, y])
    order = np.argsort(values, kind="stable")
    values = values[order]
    last = np.append(values[1:] != values[:-1], True)
    ours = np.append(np.ones(len(x)) if v is None else v, np.zeros(len(y)))[order]
    theirs = np.append(np.zeros(len(x)), np.ones(len(y)) if w is None else w)[order]
    return values[last], _shares(ours)[last], _shares(theirs)[last]


def kolmogorov_smirnov(f: Floats, g: Floats) -> float:
    """Largest difference of two distribution functions, taken at the same values."""
    return float(np.abs(f - g).max(initial=0.0))


def wasserstein(values: Floats, f: Floats, g: Floats) -> float:
    """Area between two distribution functions: how far values must be moved on average to turn one into the other."""
    return float(np.sum(np.abs(f - g)[:-1] * np.diff(values)))


def hellinger(f: Floats, g: Floats, bins: int = BINS) -> float:
    """√(½ Σ (√p - √q)²) over classes with (nearly) equal shares of the first file, and one beyond it at either end; ties stay together."""
    inside = np.searchsorted(f, np.arange(1, bins + 1) / bins)
    below = np.searchsorted(f, 0.0, side="right") - 1
    ends = np.unique([*([below] if below >= 0 else []), *np.minimum(inside, len(f) - 1), len(f) - 1])
    p, q = (np.diff(shares[ends], prepend=0.0) for shares in (f, g))
    return float(np.sqrt(((np.sqrt(np.maximum(p, 0)) - np.sqrt(np.maximum(q, 0))) ** 2).sum() / 2))


def _ordered(x: Floats, w: Floats | None) -> tuple[Floats, Floats | None]:
    if w is None:
        return np.sort(x), None
    order = np.argsort(x, kind="stable")
    return x[order], w[order]


def _shares(w: Floats) -> Floats:
    reached = np.cumsum(w)
    out: Floats = reached / reached[-1]
    return out
