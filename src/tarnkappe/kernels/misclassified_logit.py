"""Logistic regression of an outcome that may have been turned around with known probabilities.

P(shown = 1 | x) = a + (b - a) F(xβ), a and b being the probabilities that 0 and 1 are shown as 1 (hausman1998,
with known probabilities). With a = 0 and b = 1 it is the plain model.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from tarnkappe.kernels.interval_likelihood import Fit

Floats = NDArray[np.float64]

ROUNDS = 200
FAR = 30.0
"""A linear predictor beyond this has no finite maximum: the regressors separate the outcomes."""


def logit_fit(x: Floats, y: Floats, weight: Floats, zero: Floats, one: Floats) -> Fit:
    """Fisher scoring, halved until the likelihood grows."""
    size = np.sqrt((x**2).mean(axis=0))
    size = np.where(size > 0, size, 1.0)
    z = x / size
    beta = np.zeros(z.shape[1])
    done = False
    value, scores, information = _step(z, y, weight, zero, one, beta)
    for _ in range(ROUNDS):
        try:
            move = np.linalg.solve(information, scores.sum(axis=0))
        except np.linalg.LinAlgError:
            break
        gain = float(scores.sum(axis=0) @ move)
        if gain < 1e-12 * max(1.0, abs(value) * 1e-6):
            done = True
            break
        for _ in range(60):
            there = _step(z, y, weight, zero, one, beta + move)
            if there[0] >= value - 1e-12 * abs(value):
                break
            move = move / 2
        beta, (value, scores, information) = beta + move, there
    far = bool(np.abs(z @ beta).max(initial=0.0) > FAR)
    inverse = np.linalg.pinv(information) / np.outer(size, size)
    return Fit(beta / size, scores * size, inverse, done and not far)


def _step(
    x: Floats, y: Floats, weight: Floats, zero: Floats, one: Floats, beta: Floats
) -> tuple[float, Floats, Floats]:
    f = expit(x @ beta)
    shown = np.clip(zero + (one - zero) * f, 1e-300, 1 - 1e-16)
    slope = (one - zero) * f * (1 - f)
    value = float(weight @ np.where(y > 0, np.log(shown), np.log1p(-shown)))
    spread = shown * (1 - shown)
    scores = x * (weight * (y - shown) * slope / spread)[:, None]
    information = (x * (weight * slope**2 / spread)[:, None]).T @ x
    return value, scores, information
