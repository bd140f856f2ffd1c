"""Additive noise with several peaks: few values near zero, none far out.

Source: hoehne2010, 4.1: Roque (4.1-7 to 4.1-9, N08), Yancey (4.1-10, N09) and the adaptation of the author (N10). All noise
here is in units of √d times the standard deviations of the columns: its covariance is the correlation matrix r.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tarnkappe.kernels.white_noise import exact_white, matrix_root

Floats = NDArray[np.float64]


def largest_separation(r: Floats, peaks: Floats | None = None) -> float:
    """The p at which r - p²·μμᵀ stops being positive definite: 1/√(μᵀ r⁻¹ μ), with μ = 1 where no peaks are given."""
    mu = np.ones(len(r)) if peaks is None else peaks
    return float(1 / np.sqrt(mu @ np.linalg.solve(r, mu)))


def remainder(r: Floats, p: Floats | float) -> Floats:
    """What is left of the covariance around the two peaks ±p: Σ_M (hoehne2010, 4.1, step 3)."""
    left: Floats = r - np.outer(p, p)
    return left


def hoehne_mixture(
    n: int, r: Floats, generator: np.random.Generator, p: Floats | float, *, exact: bool = True
) -> Floats:
    """Half of the records around +p, half around -p in all columns at once, in random order (steps 4 to 6); p may be another in every column.

    Each half has exact moments where it has more records than columns; with `exact` the mean over all is exactly zero, which leaves a
    single record without noise.
    """
    lower = np.linalg.cholesky(remainder(r, p))
    halves = [(n + 1) // 2, n // 2]
    sign = 1.0 if generator.random() < 0.5 else -1.0  # which half has the odd record
    noise = np.concatenate(
        [_white(h, len(r), generator) @ lower.T + s * p for h, s in zip(halves, (sign, -sign), strict=True)]
    )
    if exact and n:
        noise -= noise.mean(axis=0)
    return generator.permutation(noise)


def yancey_mixture(
    n: int, r: Floats, generator: np.random.Generator, p: float, *, exact: bool = True
) -> Floats:
    """White noise with two peaks ±p in every column, made correlated: W Lᵀ with L the lower Cholesky factor (4.1-10).

    The first column keeps its two peaks, and each further one is a sum over those before it.
    """
    signs = np.where(generator.random((n, len(r))) < 0.5, -p, p)
    white = signs + np.sqrt(1 - p**2) * generator.standard_normal((n, len(r)))
    white = exact_white(white) if exact and n > len(r) + 1 else white
    return white @ np.linalg.cholesky(r).T


def roque_means(r: Floats, p: float, shares: Floats) -> Floats:
    """Peaks, one per row, with the mean 0 and Σ ω_j μ_j μ_jᵀ = p²·r for the shares ω: (4.1-8) with Σ ω_j g_j = 1 - p²."""
    peaks: Floats = p * _directions(shares, len(r)) @ matrix_root(r).T
    return peaks


def _directions(shares: Floats, m: int) -> Floats:
    """The k peaks where the columns are not correlated: ωᵀU = 0 and Uᵀ diag(ω) U = I, for m + 1 ≤ k ≤ 2m.

    The peaks are parted into k - m sets of neighbours. A set of s takes s - 1 columns for itself: the directions at right angles to √ω,
    divided by √ω. So no peak lies at zero, and 2m peaks are m pairs, one per column.
    """
    out, column = np.zeros((len(shares), m)), 0
    for those in np.array_split(np.arange(len(shares)), len(shares) - m):
        root = np.sqrt(shares[those])
        q = np.linalg.qr(np.column_stack([root, np.eye(len(those))[:, 1:]]))[0][:, 1:]
        out[those, column : column + q.shape[1]] = q / root[:, None]
        column += q.shape[1]
    return out


def equal_shares(m: int) -> Floats:
    """2m peaks of m columns, each as probable."""
    return np.full(2 * m, 0.5 / m)


def roque_mixture(
    n: int,
    r: Floats,
    generator: np.random.Generator,
    p: float,
    shares: Floats | None = None,
    spreads: Floats | None = None,
    *,
    exact: bool = True,
) -> Floats:
    """Normal noise around one of several peaks, chosen with the probabilities `shares`, with the covariance g_j·r around peak j.

    The g_j are proportional to `spreads` and have the mean 1 - p². Without shares, 2m peaks each as probable; without spreads, equal g_j.
    """
    shares = equal_shares(len(r)) if shares is None else shares / shares.sum()
    spreads = np.ones(len(shares)) if spreads is None else spreads
    g = (1 - p**2) * spreads / (shares @ spreads)
    at = generator.choice(len(shares), size=n, p=shares)
    noise = roque_means(r, p, shares)[at]
    noise += np.sqrt(g)[at, None] * (_white(n, len(r), generator) @ matrix_root(r).T)
    return noise - noise.mean(axis=0) if exact and n else noise


def _white(n: int, m: int, generator: np.random.Generator) -> Floats:
    white = generator.standard_normal((n, m))
    return exact_white(white) if n > m + 1 else white
