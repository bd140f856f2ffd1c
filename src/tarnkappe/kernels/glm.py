"""Generalised linear models by iteratively reweighted least squares, over blocks of records so that memory stays small.

Source: mccullaghnelder1989, 2.5. The three families with their canonical links: normal (identity), binomial (logit), Poisson (log).
Regressors that depend on others get the solution of least length, so fitted values are defined in any case.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, xlogy

Floats = NDArray[np.float64]
Family = Literal["gaussian", "logistic", "poisson"]

ROUNDS, HALVINGS = 30, 8
ENOUGH = 1e-10
"""Relative change of the deviance below which the fit is done."""
FLAT = 1e-11
"""Directions with less than this part of the largest eigenvalue (after scaling) are dependent."""
FAR = 30.0
"""Linear predictors beyond this stand for probabilities of 0 and 1, and for counts beyond any data."""


class Block(NamedTuple):
    """Some records: regressors, outcome and weights."""

    x: Floats
    y: Floats
    w: Floats


Blocks = Callable[[], Iterable[Block]]
"""All records, block by block; called once per round."""


class Fit(NamedTuple):
    """A fitted model."""

    beta: Floats
    inverse: Floats
    """Inverse of the information X'WX, without the dispersion."""
    deviance: float
    rank: int
    """Regressors that do not depend on the others."""
    converged: bool


class _Sums(NamedTuple):
    information: Floats
    right: Floats
    deviance: float


def fit(blocks: Blocks, family: Family, enough: float = ENOUGH) -> Fit:
    """Fit by Fisher scoring, each step halved until the deviance does not grow; done when it changes by less than `enough`."""
    sums = _passed(blocks, family, None)
    beta, inverse, rank = _solved(sums)  # later weights can vanish, so the rank is that of the start
    sums = _passed(blocks, family, beta)
    converged = family == "gaussian"
    for _ in range(0 if converged else ROUNDS):
        before = sums.deviance
        beta, sums = _improved(blocks, family, beta, sums)
        if before - sums.deviance <= enough * (abs(sums.deviance) + 0.1):
            converged = True
            break
    _, inverse, _ = _solved(sums)
    return Fit(beta, inverse, sums.deviance, rank, converged)


def _improved(blocks: Blocks, family: Family, beta: Floats, sums: _Sums) -> tuple[Floats, _Sums]:
    """One step; where no part of it lowers the deviance, none."""
    goal = _solved(sums)[0]
    for _ in range(HALVINGS):
        there = _passed(blocks, family, goal)
        if there.deviance <= sums.deviance:
            return goal, there
        goal = (goal + beta) / 2
    return beta, sums


def mean(family: Family, eta: Floats) -> Floats:
    """The expected outcome at a linear predictor."""
    if family == "gaussian":
        return eta
    cut = np.clip(eta, -FAR, FAR)
    out: Floats = expit(cut) if family == "logistic" else np.exp(cut)
    return out


def deviance(family: Family, y: Floats, mu: Floats, w: Floats) -> float:
    """Twice the distance of the likelihood from that of a perfect fit."""
    if family == "gaussian":
        return float(w @ (y - mu) ** 2)
    if family == "logistic":
        return float(-2 * (w @ (xlogy(y, mu) + xlogy(1 - y, 1 - mu) - xlogy(y, y) - xlogy(1 - y, 1 - y))))
    return float(2 * (w @ (xlogy(y, y) - xlogy(y, mu) - (y - mu))))


def _passed(blocks: Blocks, family: Family, beta: Floats | None) -> _Sums:
    """One pass over the records: the normal equations at `beta`, or at a start made from the outcomes."""
    information, right, total = np.zeros((0, 0)), np.zeros(0), 0.0
    for x, y, w in blocks():
        mu = _start(family, y) if beta is None else mean(family, x @ beta)
        eta = _link(family, mu) if beta is None else x @ beta
        slope = _slope(family, mu)
        root = np.sqrt(w * slope)
        weighted = x * root[:, None]  # a matrix times itself takes half the time
        z = eta + (y - mu) / slope
        information = weighted.T @ weighted + (information if information.size else 0.0)
        right = weighted.T @ (root * z) + (right if right.size else 0.0)
        total += deviance(family, y, mu, w)
    return _Sums(information, right, total)


def _start(family: Family, y: Floats) -> Floats:
    return {"gaussian": y, "logistic": (y + 0.5) / 2, "poisson": y + 0.1}[family]


def _link(family: Family, mu: Floats) -> Floats:
    if family == "gaussian":
        return mu
    out: Floats = np.log(mu / (1 - mu)) if family == "logistic" else np.log(mu)
    return out


def _slope(family: Family, mu: Floats) -> Floats:
    """Derivative of the mean by the linear predictor: with canonical links also the variance."""
    if family == "gaussian":
        return np.ones_like(mu)
    return np.maximum(mu * (1 - mu), 1e-12) if family == "logistic" else np.maximum(mu, 1e-12)


def _solved(sums: _Sums) -> tuple[Floats, Floats, int]:
    """Solution of the normal equations, the inverse and the rank; what is flat after scaling counts as dependent."""
    size = np.sqrt(np.diag(sums.information))
    size = np.where(size > 0, size, 1.0)
    values, vectors = np.linalg.eigh(sums.information / np.outer(size, size))
    kept = values > FLAT * max(float(values[-1]), FLAT)
    part = vectors[:, kept] / size[:, None]
    inverse: Floats = (part / values[kept]) @ part.T
    return inverse @ sums.right, inverse, int(kept.sum())
