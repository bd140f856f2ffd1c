"""Is an order of records random? Rank correlation with another order, and likeness of neighbours."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

FEWEST = 3
"""An order of fewer tells nothing."""


class Trend(NamedTuple):
    """How an order goes with a number."""

    correlation: float
    """Rank correlation between the place in the order and the number."""
    correlation_p: float
    """Two-sided probability of one as large by chance."""
    neighbours: float
    """Rank correlation between a record and the next one."""
    neighbours_p: float


class Runs(NamedTuple):
    """Stretches of equal neighbours."""

    grouped: float
    """0 for as many runs as expected or more, 1 for the fewest possible."""
    p: float
    """Probability of so few by chance."""


class Kept(NamedTuple):
    """What is left of the original order."""

    in_place: int
    """Records that stand where they stood."""
    in_place_p: float
    followed: int
    """Records that are followed by the one that followed them before."""
    followed_p: float


def trend(numbers: Floats) -> Trend:
    """Hold numbers, as they stand in the file, against their places; NaN are passed over.

    Spearman's rank correlation with the places, and the rank version of the serial correlation (Bartels 1982; Wald and
    Wolfowitz 1943 for ties): under random order both are nearly normal, with the variances of sampling without replacement.
    """
    from scipy.stats import norm, rankdata  # noqa: PLC0415 - slow to load

    ranks = rankdata(numbers[~np.isnan(numbers)])
    n = len(ranks)
    centred = ranks - (n + 1) / 2
    squares = float(centred @ centred)
    if n < FEWEST or squares == 0:
        return Trend(0.0, 1.0, 0.0, 1.0)
    places = np.arange(n) - (n - 1) / 2
    correlation = float(places @ centred) / np.sqrt(squares * float(places @ places))
    # exact moments of the correlation with places over all orders: mean 0, variance 1/(n - 1)
    z = correlation * np.sqrt(n - 1)
    serial, mean, spread = _serial(centred, squares)
    return Trend(
        float(np.clip(correlation, -1, 1)),
        float(2 * norm.sf(abs(z))),
        float(np.clip(serial / squares, -1, 1)),
        float(2 * norm.sf(abs(serial - mean) / spread)) if spread > 0 else 1.0,
    )


def runs(codes: Ints) -> Runs:
    """Hold the number of runs of equal codes 0, 1, … against that of a random order (Mood 1940, several kinds of elements)."""
    from scipy.stats import norm  # noqa: PLC0415 - slow to load

    if len(codes) < FEWEST:
        return Runs(0.0, 1.0)
    times = np.bincount(codes).astype(np.float64)
    n, kinds = float(len(codes)), np.count_nonzero(times)
    found = 1 + int(np.count_nonzero(np.diff(codes)))
    squares, cubes = float((times**2).sum()), float((times**3).sum())
    mean = (n * (n + 1) - squares) / n
    if mean <= kinds:
        return Runs(0.0, 1.0)
    variance = (squares * (squares + n * (n + 1)) - 2 * n * cubes - n**3) / (n * n * (n - 1))
    p = float(norm.cdf((found - mean) / np.sqrt(variance))) if variance > 0 else 1.0
    return Runs(float(np.clip((mean - found) / (mean - kinds), 0, 1)), p)


def kept_order(places: Ints) -> Kept:
    """Hold the original places 0 … n - 1 of the records, as they stand now, against chance.

    In a random order both numbers are nearly Poisson with mean 1 (de Montmort's problem of coincidences; successions).
    """
    from scipy.stats import poisson  # noqa: PLC0415 - slow to load

    in_place = int(np.sum(places == np.arange(len(places))))
    followed = int(np.sum(np.diff(places) == 1))
    return Kept(in_place, float(poisson.sf(in_place - 1, 1)), followed, float(poisson.sf(followed - 1, 1)))


def _serial(centred: Floats, squares: float) -> tuple[float, float, float]:
    """Σ x_i x_{i+1} of centred numbers in a circle, its mean and its standard deviation over all orders.

    Wald and Wolfowitz (1943) with Σx = 0: mean -S₂/(n - 1), variance (S₂² - S₄)/(n - 1) + (S₂² - 2S₄)/((n - 1)(n - 2)) - mean².
    """
    n = len(centred)
    fourth = float((centred**2) @ (centred**2))
    mean = -squares / (n - 1)
    variance = (squares**2 - fourth) / (n - 1) + (squares**2 - 2 * fourth) / ((n - 1) * (n - 2)) - mean**2
    return float(centred @ np.roll(centred, -1)), mean, float(np.sqrt(max(variance, 0.0)))
