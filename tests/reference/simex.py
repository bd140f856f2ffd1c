"""SIMEX as it is written in the books: an outcome, columns with known noise, a fit, and numpy's polynomials."""

import numpy as np


def simex(fit, disturb, draws, seed=0, amounts=(0.0, 0.5, 1.0, 1.5, 2.0)):
    """Mean coefficients at each amount of further noise, each carried by a parabola to -1, where there is none."""
    g = np.random.default_rng(seed)
    means = [np.mean([fit(disturb(a, g)) for _ in range(draws if a else 1)], axis=0) for a in amounts]
    return np.array([np.polyval(np.polyfit(amounts, column, 2), -1.0) for column in np.array(means).T])
