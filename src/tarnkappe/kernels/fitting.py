"""Distributions fitted by maximum likelihood, and draws from them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import digamma, gammainc, gammaln, ndtr

Floats = NDArray[np.float64]
Draw = Callable[[np.random.Generator, int], Floats]


@dataclass(frozen=True)
class Fit:
    """A fitted distribution."""

    family: str
    parameters: int
    log_likelihood: float
    cdf: Callable[[Floats], Floats]
    draw: Draw

    @property
    def aic(self) -> float:
        return 2 * self.parameters - 2 * self.log_likelihood


def fitted(x: Floats, families: Sequence[str]) -> list[Fit]:
    """The fits there are: families for positive numbers only where all are, none where they do not vary."""
    if len(x) < 2 or not np.ptp(x) > 1e-12 * np.abs(x).max():
        return []
    positive = bool((x > 0).all())
    tried = (FAMILIES[f](x) for f in families if positive or f not in POSITIVE)
    return [fit for fit in tried if fit is not None]


def distance(fit: Fit, x: Floats) -> float:
    """Kolmogorov-Smirnov distance between the fit and the data."""
    n = len(x)
    at, steps = fit.cdf(np.sort(x)), np.arange(n + 1) / n
    return float(max((steps[1:] - at).max(), (at - steps[:-1]).max()))


def _normal(x: Floats) -> Fit:
    mean, sd, n = x.mean(), x.std(), len(x)
    return Fit(
        "normal", 2, float(-n / 2 * (np.log(2 * np.pi) + 2 * np.log(sd) + 1)),
        lambda v: ndtr((v - mean) / sd), lambda g, k: mean + sd * g.standard_normal(k),
    )  # fmt: skip


def _laplace(x: Floats) -> Fit:
    middle = float(np.median(x))
    b = float(np.abs(x - middle).mean())

    def cdf(v: Floats) -> Floats:
        tail = np.exp(-np.abs(v - middle) / b) / 2
        out: Floats = np.where(v < middle, tail, 1 - tail)
        return out

    return Fit("laplace", 2, -len(x) * (np.log(2 * b) + 1), cdf, lambda g, k: g.laplace(middle, b, k))


def _log_normal(x: Floats) -> Fit:
    logs = _normal(np.log(x))
    return Fit(
        "log-normal", 2, logs.log_likelihood - float(np.log(x).sum()),
        lambda v: logs.cdf(np.log(v)), lambda g, k: np.exp(logs.draw(g, k)),
    )  # fmt: skip


def _exponential(x: Floats) -> Fit:
    mean = float(x.mean())
    return Fit(
        "exponential", 1, float(-len(x) * (np.log(mean) + 1)),
        lambda v: -np.expm1(-v / mean), lambda g, k: g.exponential(mean, k),
    )  # fmt: skip


def _gamma(x: Floats) -> Fit:
    """Ln k - ψ(k) = ln mean - mean ln, solved for the shape k."""
    n, mean, logs = len(x), float(x.mean()), float(np.log(x).mean())
    gap = max(np.log(mean) - logs, 1e-14)
    k = float(np.exp(brentq(lambda t: t - digamma(np.exp(t)) - gap, -40.0, 40.0)))
    theta = mean / k
    log_likelihood = (k - 1) * logs * n - n * (mean / theta + k * np.log(theta) + gammaln(k))
    return Fit(
        "gamma",
        2,
        float(log_likelihood),
        lambda v: np.asarray(gammainc(k, v / theta), dtype=np.float64),
        lambda g, m: g.gamma(k, theta, m),
    )


def _weibull(x: Floats) -> Fit | None:
    """Σ x^c ln x / Σ x^c - 1/c = mean ln, solved for the shape c; none for values that hardly vary."""
    logs = np.log(x)
    middle, top = float(logs.mean()), float(logs.max())

    def slope(t: float) -> float:
        c = np.exp(t)
        weight = np.exp(c * (logs - top))
        return float((weight * logs).sum() / weight.sum() - 1 / c - middle)

    if slope(25.0) <= 0 or slope(-12.0) >= 0:
        return None
    c = float(np.exp(brentq(slope, -12.0, 25.0)))
    scale = float(np.exp(top + np.log(np.exp(c * (logs - top)).mean()) / c))
    z = np.exp(c * (logs - np.log(scale)))
    log_likelihood = len(x) * (np.log(c) - c * np.log(scale) + (c - 1) * middle) - float(z.sum())
    return Fit(
        "weibull", 2, log_likelihood,
        lambda v: -np.expm1(-((v / scale) ** c)), lambda g, k: scale * g.weibull(c, k),
    )  # fmt: skip


FAMILIES: dict[str, Callable[[Floats], Fit | None]] = {
    "normal": _normal, "laplace": _laplace, "log-normal": _log_normal, "exponential": _exponential, "gamma": _gamma,
    "weibull": _weibull,
}  # fmt: skip
POSITIVE = {"log-normal", "exponential", "gamma", "weibull"}
