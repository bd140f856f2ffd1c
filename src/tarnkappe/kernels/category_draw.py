"""New categories from a model of the old ones, each category as often as before (DAV 2025, D-M12: draw with quota)."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

FITTED = 20_000
"""The model is fitted on so many records at most, evenly spread."""
SHRINK = 1.0
"""Pull of the coefficients towards 0, as strong as this many records: rare categories must not run away."""
ROUNDS = 20
"""Proposals per record: by then nothing is left of the random start."""


def fitted(x: Floats, labels: Ints, count: int) -> Floats:
    """Coefficients (count, 1 + p) of a multinomial logit of the labels on the rows of `x` (p, n).

    At the maximum of the likelihood the expected means of x in a category are those observed, but for the small pull.
    """
    from scipy.optimize import minimize  # noqa: PLC0415 -- loaded when first used

    at = np.unique(np.linspace(0, len(labels) - 1, min(len(labels), FITTED)).astype(np.int64))
    design = np.vstack([np.ones(len(at)), x[:, at]])
    own = np.zeros((count, len(at)))
    own[labels[at], np.arange(len(at))] = 1.0

    def loss(flat: Floats) -> tuple[float, Floats]:
        b = flat.reshape(count, -1)
        p, log_total = _shares(b, design)
        pulled = np.column_stack([np.zeros(count), b[:, 1:]])
        value = float((log_total - (own * (b @ design)).sum(axis=0)).sum()) + SHRINK / 2 * float((pulled**2).sum())
        return value / len(at), (((p - own) @ design.T + SHRINK * pulled) / len(at)).ravel()

    start = np.zeros((count, len(design)))
    start[:, 0] = np.log(own.sum(axis=1) + 0.5)
    found = minimize(loss, start.ravel(), jac=True, method="L-BFGS-B", options={"maxiter": 200})
    out: Floats = found.x.reshape(count, -1)
    return out


def _shares(b: Floats, design: Floats) -> tuple[Floats, Floats]:
    """Probabilities (count, n), and the logarithm of what they were divided by."""
    a = b @ design
    top = a.max(axis=0)
    e = np.exp(a - top)
    total = e.sum(axis=0)
    return e / total, top + np.log(total)


def log_odds(b: Floats, x: Floats) -> Floats:
    """(n, count) logarithms of the probabilities, up to a constant in every record."""
    out: Floats = np.ascontiguousarray((b[:, 1:] @ x + b[:, :1]).T)
    return out


def own_share(b: Floats, x: Floats, labels: Ints) -> float:
    """The mean probability that the model gives to the true category."""
    p, _ = _shares(b, np.vstack([np.ones(x.shape[1]), x]))
    return float(p[labels, np.arange(len(labels))].mean())


@njit(cache=True)
def draw(odds: Floats, labels: Ints, generator: np.random.Generator) -> Ints:
    """Labels by their odds, each as often as in `labels`: two records exchange as often as the odds of the exchange say.

    The chain's distribution is that of independent draws given how often every category comes up. It starts from a random
    order, which has nothing to do with the records' own labels.
    """
    out = generator.permutation(labels)
    n = len(out)
    for _ in range(ROUNDS * n if n > 1 else 0):
        i, k = int(generator.random() * n), int(generator.random() * n)
        a, b = out[i], out[k]
        if a != b:
            gain = odds[i, b] + odds[k, a] - odds[i, a] - odds[k, b]
            if generator.random() * (1.0 + np.exp(-gain)) < 1.0:
                out[i], out[k] = b, a
    return out
