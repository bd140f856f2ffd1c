"""How many persons are unique in a population of which a sample is known: models for the sizes of classes.

All take the frequencies of the class sizes of the sample (`sizes` occur `times` times each) and the size of the population.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import least_squares, minimize
from scipy.special import expit, gammaln

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_CLOSE = 1e-6
"""Half the sum of the squared logarithms by which the expected numbers of classes may be off."""


class Sizes(NamedTuple):
    """The sizes of the classes of a sample: each size once, and how many classes have it."""

    sizes: Ints
    times: Floats

    @property
    def records(self) -> float:
        return float((self.sizes * self.times).sum())

    @property
    def classes(self) -> float:
        return float(self.times.sum())

    def of(self, size: int) -> float:
        """Classes of one size."""
        return float(self.times[self.sizes == size].sum())


def sizes_of(classes: Ints) -> Sizes:
    """Count the classes of each size."""
    sizes, times = np.unique(classes, return_counts=True)
    return Sizes(sizes.astype(np.int64), times.astype(np.float64))


class Estimate(NamedTuple):
    """Estimated uniques of the population, and the parameters, from which a fit to similar data may start."""

    uniques: float
    at: Floats


def pitman(sample: Sizes, persons: float, start: Floats | None = None) -> Estimate:
    """Population uniques by Pitman's sampling formula, its two parameters fitted by maximum likelihood (hoshino2001).

    Expected uniques among N persons: N Γ(θ+1) Γ(θ+α+N-1) / (Γ(θ+α) Γ(θ+N)), which for large N is N^α Γ(θ+1)/Γ(θ+α).
    """
    starts = [np.array([a, np.log(sample.classes)]) for a in (-2.0, 1.0)] if start is None else [start]
    at = min((_pitman_fit(sample, s) for s in starts), key=lambda fit: fit[0])[1]
    alpha, theta = _pitman_parameters(at)
    log_uniques = gammaln(theta + 1) - gammaln(theta + alpha) + _log_ratio(theta + persons, alpha - 1)
    return Estimate(float(persons * np.exp(log_uniques)), at)


def _log_ratio(x: float, by: float) -> float:
    """Ln Γ(x + by)/Γ(x) for a small `by`; the difference of two logarithms has no digits left for a large x."""
    if x < 1e6:
        return float(gammaln(x + by) - gammaln(x))
    return float(by * np.log(x) + by * (by - 1) / (2 * x))


def _pitman_fit(sample: Sizes, start: Floats) -> tuple[float, Floats]:
    def against(at: Floats) -> float:
        alpha, theta = _pitman_parameters(at)
        u, n = sample.classes, sample.records
        # ln of Π_{i<u}(θ + iα) / Π_{i<n}(θ + i) · Π_classes Π_{j<f}(j - α)
        tree = (u - 1) * np.log(alpha) + gammaln(theta / alpha + u) - gammaln(theta / alpha + 1)
        drawn = gammaln(theta + n) - gammaln(theta + 1)
        inside = (sample.times * (gammaln(sample.sizes - alpha) - gammaln(1 - alpha))).sum()
        return -float(tree - drawn + inside)

    close: Any = {"xatol": 1e-7, "fatol": 1e-9, "maxiter": 2000}
    found = minimize(against, start, method="Nelder-Mead", options=close)
    return float(found.fun), found.x


def _pitman_parameters(at: Floats) -> tuple[float, float]:
    alpha = float(np.clip(expit(at[0]), 1e-9, 1 - 1e-9))
    return alpha, float(np.exp(min(at[1], 600.0)) - alpha * (1 - 1e-9))


def zayatz(sample: Sizes, persons: float, start: Floats | None = None) -> Estimate:
    """Population uniques by Zayatz: the sizes of the classes of the sample stand for those of the population (zayatz1991).

    P(one person in the population | one in the sample) = p_1 h_1 / Σ p_s h_s, where p_s is the share of classes of size s and h_s the
    hypergeometric chance that exactly one person of a class of s is drawn.
    """
    del start
    fraction = sample.records / persons
    drawn_once = sample.times * sample.sizes * fraction * _none_of_the_others(sample, persons)
    unique = sample.of(1) * fraction
    conditional = unique / float(drawn_once.sum())
    return Estimate(sample.of(1) * conditional / fraction, np.zeros(0))


def _none_of_the_others(sample: Sizes, persons: float) -> Floats:
    """Hypergeometric: the chance that s - 1 given persons of N - 1 are not among the n - 1 others drawn."""
    n, s = sample.records, sample.sizes.astype(np.float64)
    left = persons - n - s + 2
    inside = left > 0
    top = gammaln(persons - s + 1) - gammaln(np.where(inside, left, 1.0))
    return np.where(inside, np.exp(top - (gammaln(persons) - gammaln(persons - n + 1))), 0.0)


def slide_negative_binomial(sample: Sizes, persons: float, start: Floats | None = None) -> Estimate:
    """Population uniques if the size of a class less one is negative binomial with α and β (chenkellermcnulty1998).

    A class has 1 + α(1-β)/β persons on average, so the population has K = N/(1 + α(1-β)/β) classes. The two parameters are those
    for which as many classes of one and of two records are expected as the sample has. Uniques: K β^α. Shlosser's estimator of K,
    used elsewhere, is twice too large for samples of one in twenty. Without a solution: not a number.
    """
    if min(sample.of(1), sample.of(2)) == 0:
        return Estimate(float("nan"), np.zeros(2))
    fraction = sample.records / persons
    wanted = np.log([sample.of(1), sample.of(2)])

    def off(at: Floats) -> Floats:
        return np.log(np.maximum(_expected(at, fraction, persons), 1e-300)) - wanted

    grid = [np.array([a, b]) for a in (-2.0, 0.0, 2.0) for b in (-4.0, -1.0, 2.0)]
    fits = [
        least_squares(off, s, bounds=(-25, 25), xtol=1e-10, ftol=1e-10, gtol=1e-10)
        for s in (grid if start is None else [start])
    ]
    best = min(fits, key=lambda fit: float(fit.cost))
    alpha, beta = _snb_parameters(best.x)
    uniques = _classes(alpha, beta, persons) * beta**alpha
    return Estimate(float(uniques) if best.cost < _CLOSE else float("nan"), best.x)


def _snb_parameters(at: Floats) -> tuple[float, float]:
    return float(np.exp(at[0])), float(expit(at[1]))


def _classes(alpha: float, beta: float, persons: float) -> float:
    return persons / (1 + alpha * (1 - beta) / beta)


def _expected(at: Floats, fraction: float, persons: float) -> Floats:
    """Expected classes of one and of two records, each person being drawn with the same chance."""
    alpha, beta = _snb_parameters(at)
    gone = (1 - fraction) * (1 - beta)
    empty = np.exp(alpha * (np.log(beta) - np.log1p(-gone)))
    once = fraction * empty * (1 + alpha * gone / (1 - gone))
    twice = fraction**2 / 2 * empty * alpha * (1 - beta) * (2 - (1 - alpha) * gone) / (1 - gone) ** 2
    return _classes(alpha, beta, persons) * np.array([once, twice])
