"""SIMEX as it is written in the books: an outcome, columns with known noise, a fit, and numpy's polynomials."""

import numpy as np


def simex(fit, disturb, draws, seed=0, amounts=(0.0, 0.5, 1.0, 1.5, 2.0)):
    """Mean coefficients at each amount of further noise, each carried by a polynomial of third degree to -1, where there is none.

    Second: the standard errors of the draws alone.
    """
    g = np.random.default_rng(seed)
    runs = [np.array([fit(disturb(a, g)) for _ in range(draws if a else 1)]) for a in amounts]
    weights = [np.polyval(np.polyfit(amounts, unit, 3), -1.0) for unit in np.eye(len(amounts))]
    values = sum(w * run.mean(axis=0) for w, run in zip(weights, runs, strict=True))
    chance = sum(w**2 * run.var(axis=0) / len(run) for w, run in zip(weights, runs, strict=True))
    return values, np.sqrt(chance)
