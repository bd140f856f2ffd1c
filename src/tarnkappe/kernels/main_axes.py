"""Eigenvalues and leading axes of two correlation matrices, side by side.

Source: dav2025, 6.3 (D-U07: eigenvalues of the covariance of standardised columns, Σ|λ - λ'| and Σ|λ - λ'| / λ).
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
