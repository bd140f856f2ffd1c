"""What a larger sample would show, told from a smaller one: how often a condition would fit exactly one record of it.

A condition with weight w, the chance to fit a random person, fits Binomial(m, w) persons of a sample of m, and exactly one of n persons
with chance n·w·(1 - w)^(n-1). The weights are not known; their distribution is the one under which the counts in the sample are likeliest
(laird1978: nonparametric maximum likelihood of a mixture), found by EM. No form of it is assumed.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln, xlog1py, xlogy

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

MANY = 40
"""Conditions that fit so many persons of the sample fit exactly one of a larger sample with a chance below 1e-13."""
WEIGHTS = 100
STEPS = 2000
REPEATS = 40


def alone_in_larger(counts: Ints, size: int, larger: int, draw: np.random.Generator) -> tuple[float, float]:
    """The expected share of conditions that fit exactly one of `larger` persons, and its standard error by bootstrap.

    `counts` tells for every condition how many of `size` persons it fits.
    """
    total = len(counts)
    times = np.bincount(np.minimum(counts, MANY), minlength=MANY + 1)[:MANY].astype(np.float64)
    weights = np.concatenate([[0.0], np.geomspace(0.02 / larger, min(2 * MANY / size, 1.0), WEIGHTS)])
    chance = _binomial(np.arange(MANY), size, weights)
    alone = np.exp(_log_binomial(np.ones(1), larger, weights))[0]
    again = draw.multinomial(total, np.append(times, total - times.sum()) / total, size=REPEATS)[:, :MANY]
    found = _mixtures(np.vstack([times, again]), chance) @ alone / total
    return float(found[0]), float(found[1:].std(ddof=1))


def _mixtures(times: Floats, chance: Floats) -> Floats:
    """For every row of counts how many conditions have each weight: EM from equally many."""
    mass = np.repeat(times.sum(axis=1, keepdims=True) / chance.shape[1], chance.shape[1], axis=1)
    for _ in range(STEPS):
        expected = mass @ chance.T
        mass = mass * ((times / np.maximum(expected, 1e-300)) @ chance)
    return mass


def _binomial(counts: Ints, size: int, weights: Floats) -> Floats:
    out: Floats = np.exp(_log_binomial(counts.astype(np.float64), size, weights))
    return out


def _log_binomial(counts: Floats, size: int, weights: Floats) -> Floats:
    """(counts, weights); impossible counts have chance 0."""
    c = counts[:, None]
    with np.errstate(divide="ignore"):
        ways = gammaln(size + 1) - gammaln(c + 1) - gammaln(np.maximum(size - c, 0) + 1)
        log = ways + xlogy(c, weights) + xlog1py(np.maximum(size - c, 0), -weights)
    return np.where(c <= size, log, -np.inf)
