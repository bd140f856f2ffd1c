"""A turnover column as skewed as that of a real cost structure survey, without a single real firm."""

from __future__ import annotations

import numpy as np
from scipy.special import ndtr, ndtri

from tarnkappe.data.column import Floats

TRUNCATED_FILES = (
    (16824, 120808541, 1289556816),
    (16818, 100741670, 589648974),
    (16812, 92650440, 400188934),
    (16806, 88001587, 308817559),
    (16800, 85478111, 278384670),
    (16750, 74431660, 183485937),
    (16700, 68724665, 150486176),
    (16656, 65088046, 132909643),
    (15983, 42704752, 60520762),
    (15142, 31560889, 37318131),
)
"""Records, mean and standard deviation of the file without its largest units: Höhne (2010), table 5."""

_LOG_NORMAL = (0.05, 0.3, 0.3, 0.3, 0.5, 0.5, 0.35)
"""σ of the logarithm within each of the seven slabs of largest units."""
_TRUNCATED = (
    (19.33956342, 0.89978113, 330e6, 1.32e9),
    (18.85236443, 0.63302842, 180e6, 345e6),
    (16.7505287, 1.50885618, 0.0, 185e6),
)
"""μ, σ, lower and upper end of the truncated log-normal of the other three slabs."""


def pseudo_kse_turnover() -> Floats:
    """16,824 turnovers with the moments of Höhne (2010), table 5; the slab of the largest units comes first.

    The units between two truncated files form a slab. Mean and variance of each slab follow from the table;
    a log-normal shape, moved and scaled to them, fills it. Higher moments agree by choice of the shapes.
    """
    slabs = [
        shape * deviation + mean for shape, (mean, deviation) in zip(_shapes(), _slab_moments(), strict=True)
    ]
    return np.concatenate(slabs)


def _slab_moments() -> list[tuple[float, float]]:
    """Mean and standard deviation of the units removed between two rows of the table."""
    out = []
    for (n, m, s), (n2, m2, s2) in zip(TRUNCATED_FILES, (*TRUNCATED_FILES[1:], (0, 0, 0)), strict=True):
        mean = (n * m - n2 * m2) / (n - n2)
        square = (n * (s * s + m * m) - n2 * (s2 * s2 + m2 * m2)) / (n - n2)
        out.append((mean, float(np.sqrt(square - mean * mean))))
    return out


def _shapes() -> list[Floats]:
    """The pattern of each slab, with mean 0 and variance 1."""
    sizes = -np.diff([n for n, _, _ in TRUNCATED_FILES] + [0])
    steps = [(np.arange(size) + 0.5) / size for size in sizes]
    upper = [np.exp(sigma * ndtri(u)) for sigma, u in zip(_LOG_NORMAL, steps[:7], strict=True)]
    lower = [_truncated(u, *pattern) for pattern, u in zip(_TRUNCATED, steps[7:], strict=True)]
    return [(x - x.mean()) / x.std() for x in upper + lower]


def _truncated(u: Floats, mu: float, sigma: float, low: float, high: float) -> Floats:
    """Quantiles of a log-normal distribution between two ends."""
    first = ndtr((np.log(low) - mu) / sigma) if low > 0 else 0.0
    last = ndtr((np.log(high) - mu) / sigma)
    return np.asarray(np.exp(mu + sigma * ndtri(first + u * (last - first))))


def turnover_at(u: Floats) -> Floats:
    """The turnover below which a share `u` of the units lies: gives a file of any size the same skewness."""
    ascending = np.sort(pseudo_kse_turnover())
    places = (np.arange(len(ascending)) + 0.5) / len(ascending)
    return np.interp(u, places, ascending)
