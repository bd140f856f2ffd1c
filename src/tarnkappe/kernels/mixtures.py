"""Additive noise with several peaks: few values near zero, none far out.

Source: hoehne2010, 4.1: Roque (4.1-7 to 4.1-9, N08), Yancey (4.1-10, N09) and the adaptation of the author (N10). All noise
here is in units of √d times the standard deviations of the columns: its covariance is the correlation matrix r.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tarnkappe.kernels.white_noise import exact_white, matrix_root

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


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
    halves = [(n + 1) // 2, n // 2]
    sign = 1.0 if generator.random() < 0.5 else -1.0  # which half has the odd record
    noise = np.concatenate(
        [
            hoehne_around(s, _white(h, len(r), generator), r, p)
            for h, s in zip(halves, (sign, -sign), strict=True)
        ]
    )
    if exact and n:
        noise -= noise.mean(axis=0)
    return generator.permutation(noise)


def hoehne_around(signs: Floats | float, white: Floats, r: Floats, p: Floats | float) -> Floats:
    """White noise with the covariance Σ_M, around +p or -p as the signs say (step 5)."""
    noise: Floats = white @ np.linalg.cholesky(remainder(r, p)).T + signs * p
    return noise


def hoehne_signs(n: int, generator: np.random.Generator) -> Floats:
    """Up for one half and down for the other, at random; one column."""
    return generator.permutation(np.where(np.arange(n) % 2 == 0, 1.0, -1.0))[:, None]


def yancey_mixture(
    n: int, r: Floats, generator: np.random.Generator, p: float, *, exact: bool = True
) -> Floats:
    """White noise with two peaks ±p in every column, made correlated: W Lᵀ with L the lower Cholesky factor (4.1-10).

    The first column keeps its two peaks, and each further one is a sum over those before it.
    """
    signs = yancey_signs(n, len(r), generator)
    white = _two_peaks(signs, generator.standard_normal((n, len(r))), p)
    white = exact_white(white) if exact and n > len(r) + 1 else white
    return white @ np.linalg.cholesky(r).T


def yancey_around(signs: Floats, white: Floats, r: Floats, p: float) -> Floats:
    """White noise moved to the peaks ±p of every column, as the signs say, and made correlated."""
    noise: Floats = _two_peaks(signs, white, p) @ np.linalg.cholesky(r).T
    return noise


def yancey_signs(n: int, m: int, generator: np.random.Generator) -> Floats:
    """Up or down, for every record and column anew."""
    return np.where(generator.random((n, m)) < 0.5, -1.0, 1.0)


def _two_peaks(signs: Floats, white: Floats, p: float) -> Floats:
    out: Floats = p * signs + np.sqrt(1 - p**2) * white
    return out


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
    at = roque_peaks(n, len(r), generator, shares)
    noise = roque_around(at, _white(n, len(r), generator), r, p, shares, spreads)
    return noise - noise.mean(axis=0) if exact and n else noise


def roque_around(
    at: Ints, white: Floats, r: Floats, p: float, shares: Floats | None = None, spreads: Floats | None = None
) -> Floats:
    """White noise with the covariance g_j·r around the peaks that the records are at."""
    shares = _parts(len(r), shares)
    spreads = np.ones(len(shares)) if spreads is None else spreads
    g = (1 - p**2) * spreads / (shares @ spreads)
    noise = roque_means(r, p, shares)[at]
    noise += np.sqrt(g)[at, None] * (white @ matrix_root(r).T)
    return noise


def roque_peaks(n: int, m: int, generator: np.random.Generator, shares: Floats | None = None) -> Ints:
    """One of the peaks for every record, with the probabilities `shares`."""
    shares = _parts(m, shares)
    return generator.choice(len(shares), size=n, p=shares)


def _parts(m: int, shares: Floats | None) -> Floats:
    return equal_shares(m) if shares is None else shares / shares.sum()


def with_exact_moments(noise: Floats, r: Floats) -> Floats:
    """The mean 0 and the covariance r exactly, by a linear map; needs more rows than columns + 1."""
    exact: Floats = exact_white(noise) @ np.linalg.cholesky(r).T
    return exact


def _white(n: int, m: int, generator: np.random.Generator) -> Floats:
    white = generator.standard_normal((n, m))
    return exact_white(white) if n > m + 1 else white
