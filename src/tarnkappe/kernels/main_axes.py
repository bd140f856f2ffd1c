"""Eigenvalues and leading axes of two correlation matrices, side by side.

Source: dav2025, 6.3 (D-U07: eigenvalues of the covariance of standardised columns, Σ|λ - λ'| and Σ|λ - λ'| / λ); krzanowski1979 (angles between
the spaces that the first axes span).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

NEAR = 1e-6
"""An eigenvalue below this part of their mean counts as zero: relative to it nothing can be said."""


class Eigenvalues(NamedTuple):
    """Descending eigenvalues of both matrices, and how far they are apart."""

    before: Floats
    after: Floats
    absolute: float
    relative: float
    guarded: int
    """Eigenvalues near zero, whose difference was divided by the mean eigenvalue."""


def compared_eigenvalues(before: Floats, after: Floats) -> Eigenvalues:
    a, b = (np.maximum(np.linalg.eigvalsh(r)[::-1], 0.0) for r in (before, after))
    mean = float(a.mean())
    near = a <= NEAR * mean
    apart = np.abs(a - b)
    relative = float((apart / np.where(near, mean, a)).sum())
    return Eigenvalues(a, b, float(apart.sum()), relative, int(near.sum()))


def leading(matrix: Floats, count: int) -> Floats:
    """The axes of the largest eigenvalues, one per column."""
    out: Floats = np.linalg.eigh(matrix)[1][:, ::-1][:, :count]
    return out


def angles(a: Floats, b: Floats) -> Floats:
    """Angles between the spaces that two sets of orthonormal axes span, in radians, the largest first.

    Cosines near 1 lose half of the digits, so small angles are taken from their sines (Björck and Golub 1973).
    """
    cosines = np.clip(np.linalg.svd(a.T @ b, compute_uv=False), 0.0, 1.0)
    sines = np.clip(np.linalg.svd(b - a @ (a.T @ b), compute_uv=False), 0.0, 1.0)[::-1]
    out: Floats = np.where(cosines**2 > 0.5, np.arcsin(sines), np.arccos(cosines))
    return out[::-1]
