"""Additive noise with several peaks: few values near zero, none far out.

Source: hoehne2010, 4.1: Roque (4.1-7 to 4.1-9, N08), Yancey (4.1-10, N09) and the adaptation of the author (N10). All noise
here is in units of √d times the standard deviations of the columns: its covariance is the correlation matrix r.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tarnkappe.kernels.white_noise import exact_white, matrix_root

Floats = NDArray[np.float64]


def largest_separation(r: Floats) -> float:
    """The p at which r - p²·11ᵀ stops being positive definite: 1/√(1ᵀ r⁻¹ 1)."""
    ones = np.ones(len(r))
    return float(1 / np.sqrt(ones @ np.linalg.solve(r, ones)))


def remainder(r: Floats, p: float) -> Floats:
    """What is left of the covariance around the two peaks ±p: Σ_M (hoehne2010, 4.1, step 3)."""
    return r - p**2


def hoehne_mixture(n: int, r: Floats, p: float, generator: np.random.Generator) -> Floats:
    """Half of the records around +p, half around -p in all columns at once, in random order (steps 4 to 6).

    Each half has exact moments where it has more records than columns; the mean over all is exactly zero.
    """
    lower = np.linalg.cholesky(remainder(r, p))
    halves = [(n + 1) // 2, n // 2]
    sign = 1.0 if generator.random() < 0.5 else -1.0  # which half has the odd record
    noise = np.concatenate(
        [_white(h, len(r), generator) @ lower.T + s * p for h, s in zip(halves, (sign, -sign), strict=True)]
    )
    noise -= noise.mean(axis=0) if n else 0.0
    return generator.permutation(noise)


def yancey_mixture(n: int, r: Floats, p: float, generator: np.random.Generator) -> Floats:
    """White noise with two peaks ±p in every column, made correlated: W Aᵀ."""
    signs = np.where(generator.random((n, len(r))) < 0.5, -p, p)
    white = signs + np.sqrt(1 - p**2) * generator.standard_normal((n, len(r)))
    white = exact_white(white) if n > len(r) + 1 else white
    return white @ matrix_root(r).T


def roque_means(r: Floats, p: float) -> Floats:
    """2m peaks ±√m·a_c with A Aᵀ = p²·r, one per row: they satisfy (4.1-9) exactly with g = 1 - p²."""
    a = p * matrix_root(r).T * np.sqrt(len(r))
    return np.concatenate([a, -a])


def roque_mixture(n: int, r: Floats, p: float, generator: np.random.Generator) -> Floats:
    """Normal noise with the covariance (1 - p²)·r around one of 2m peaks, each as probable."""
    peaks = roque_means(r, p)[generator.integers(2 * len(r), size=n)]
    noise: Floats = peaks + np.sqrt(1 - p**2) * _white(n, len(r), generator) @ matrix_root(r).T
    return noise - (noise.mean(axis=0) if n else 0.0)


def _white(n: int, m: int, generator: np.random.Generator) -> Floats:
    white = generator.standard_normal((n, m))
    return exact_white(white) if n > m + 1 else white
