"""New categories from a model of the old ones, each category as often as before (DAV 2025, D-M12: draw with quota)."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from tarnkappe.kernels.shuffling import by_rank

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

FITTED = 20_000
"""The model is fitted on so many records at most, evenly spread."""
SHRINK = 1.0
"""Pull of the coefficients towards 0, as strong as this many records: rare categories must not run away."""
MOST = 100
"""Rarer categories share their odds."""
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
        value = float((log_total - (own * (b @ design)).sum(axis=0)).sum()) + SHRINK / 2 * float(
            (pulled**2).sum()
        )
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


def drawn_labels(odds: Floats, labels: Ints, generator: np.random.Generator) -> Ints:
    """Labels by their odds, each as often as in `labels`.

    Two records exchange as often as the odds of the exchange say. The distribution of this chain is that of independent draws
    given how often every category comes up. It starts from a random order, which has nothing to do with the records' own labels.
    """
    out = generator.permutation(labels)
    _exchange(odds, out, generator)
    return out


@njit(cache=True)
def _exchange(odds: Floats, out: Ints, generator: np.random.Generator) -> None:
    n = len(out)
    for _ in range(ROUNDS * n if n > 1 else 0):
        i, k = int(generator.random() * n), int(generator.random() * n)
        a, b = out[i], out[k]
        if a != b:
            gain = odds[i, b] + odds[k, a] - odds[i, a] - odds[k, b]
            if generator.random() * (1.0 + np.exp(-gain)) < 1.0:
                out[i], out[k] = b, a


def sources(labels: Ints, old: Floats, new: Floats, generator: np.random.Generator) -> tuple[Ints, float]:
    """Whose category each record gets, and how surely the model knows the true one: 0 as little as the counts do, 1 for certain.

    Parameters
    ----------
    labels
        Categories 0, 1, …; those beyond the most frequent hundred count together.
    old, new
        (p, n) what they depend on, as it was and as it now is.
    """
    by_size = np.argsort(-np.bincount(labels), kind="stable")
    place = np.empty(len(by_size), dtype=np.int64)
    place[by_size] = np.minimum(np.arange(len(by_size)), MOST - 1)
    kind = place[labels]
    b = fitted(old, kind, int(kind.max()) + 1)
    drawn = drawn_labels(log_odds(b, new), kind, generator)
    mixed = generator.permutation(len(labels))
    now = mixed[np.argsort(drawn[mixed], kind="stable")]
    was = np.argsort(kind, kind="stable")
    by_chance = float(((np.bincount(kind) / len(kind)) ** 2).sum())
    known = (own_share(b, old, kind) - by_chance) / (1 - by_chance) if by_chance < 1 else 0.0
    return by_rank(was, now, np.array([0, len(labels)])), known
