"""White noise with exact moments, and noise with the covariance of the data.

Sources: hoehne2010, 2.2.2 (noise proportional to the covariance, N02) and 4.1, footnote 17 (exact moments, N11).
Covariances have the divisor n throughout.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_triangular

from tarnkappe.kernels.moments import pearson
from tarnkappe.kernels.standard import SMALLEST_SPREAD

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

RANK = 1e-10
"""Eigenvalues of a correlation matrix below this are zero: the columns depend on each other."""


@dataclass(frozen=True)
class Covariance:
    """A covariance matrix as standard deviations and correlations."""

    sd: Floats
    r: Floats

    @property
    def matrix(self) -> Floats:
        return self.r * np.outer(self.sd, self.sd)


def covariance(x: Floats) -> Covariance:
    """Standard deviations over all values there are, correlations over the records that have both.

    A matrix from records with gaps need not be a correlation matrix; then the nearest one with the same diagonal
    takes its place. Columns that do not vary have the standard deviation 0 and no correlations.
    """
    gaps = np.isnan(x)
    some = bool(gaps.any())
    filled = np.where(gaps, 0.0, x) if some else x
    count = np.maximum((~gaps).sum(axis=0), 1)
    centred = x - filled.sum(axis=0) / count
    centred = np.where(gaps, 0.0, centred) if some else centred
    sd = np.sqrt((centred**2).sum(axis=0) / count)
    largest = np.maximum(filled.max(axis=0, initial=0.0), -filled.min(axis=0, initial=0.0))
    sd = np.where(sd > SMALLEST_SPREAD * largest, sd, 0.0)
    if some:
        return Covariance(sd, nearest_correlation(np.nan_to_num(pearson(x))))
    centred /= np.where(sd > 0, sd, np.inf)
    return Covariance(sd, _with_ones(centred.T @ centred / max(len(x), 1)))


def _with_ones(r: Floats) -> Floats:
    np.fill_diagonal(r, 1.0)
    return r


class RunningCovariance:
    """The covariance of scores of which some rows change now and then; without gaps, and near the mean 0 and the variance 1."""

    def __init__(self, x: Floats) -> None:
        self.x = x
        self._total, self._cross = x.sum(axis=0), x.T @ x

    def put(self, rows: Ints, new: Floats) -> None:
        """Other values for some rows."""
        old = self.x[rows]
        self._total += new.sum(axis=0) - old.sum(axis=0)
        self._cross += new.T @ new - old.T @ old
        self.x[rows] = new

    @property
    def now(self) -> Covariance:
        """What `covariance` finds, up to rounding."""
        if np.isnan(self._total).any():
            return covariance(self.x)
        n = max(len(self.x), 1)
        matrix = self._cross / n - np.outer(self._total / n, self._total / n)
        sd = np.sqrt(np.maximum(np.diag(matrix), 0.0))
        unit = np.where(sd > 0, sd, np.inf)
        return Covariance(sd, _with_ones(matrix / np.outer(unit, unit)))


def nearest_correlation(r: Floats) -> Floats:
    """Take away negative eigenvalues and bring the diagonal back to 1."""
    r = r.copy()
    np.fill_diagonal(r, 1.0)
    values, vectors = np.linalg.eigh(r)
    if values.min(initial=0.0) >= 0:
        return r
    r = (vectors * np.maximum(values, 0.0)) @ vectors.T
    spread = np.sqrt(np.diag(r))
    out: Floats = r / np.outer(spread, spread)
    return out


def matrix_root(r: Floats) -> Floats:
    """A with A Aᵀ = r. Zero eigenvalues stay zero, so what is linear in the data is linear in the noise."""
    values, vectors = np.linalg.eigh(r)
    root: Floats = (vectors * np.sqrt(np.where(values > RANK, values, 0.0))) @ vectors.T
    return root


def collinear(r: Floats) -> Ints:
    """Columns that take part in a linear relation, from their correlations."""
    values, vectors = np.linalg.eigh(r)
    null = np.abs(vectors[:, values <= RANK])
    return np.flatnonzero((null > 1e-6).any(axis=1))


def exact_white(w: Floats) -> Floats:
    """Bring random numbers to the mean 0 and the covariance I exactly; needs more rows than columns.

    W' = (W - mean) L⁻ᵀ with L the lower Cholesky factor of their covariance (hoehne2010, footnote 17).
    """
    centred = w - w.mean(axis=0)
    lower = np.linalg.cholesky(centred.T @ centred / len(w))
    white: Floats = solve_triangular(lower, centred.T, lower=True).T
    white -= white.mean(axis=0)
    return white


def orthogonal_white(w: Floats, x: Floats) -> Floats:
    """Exact white noise that is also uncorrelated with every column of `x`; needs rows > columns of both + 1.

    Then the covariance of data plus noise is exactly the sum of both: no sampling error is left.
    """
    basis = _span(x)
    for _ in range(2):  # once more takes the rounding of the first pass away
        w = w - w.mean(axis=0)
        w = w - basis @ (basis.T @ w)
    return exact_white(w)


def _span(x: Floats) -> Floats:
    """Directions of length 1 at right angles, one per column, in which the columns vary."""
    c = covariance(x)
    z = (x - x.mean(axis=0)) / np.where(c.sd > 0, c.sd, np.inf)
    values, vectors = np.linalg.eigh(z.T @ z / len(x))
    kept = values > RANK
    basis: Floats = z @ (vectors[:, kept] / np.sqrt(values[kept] * len(x)))
    return basis


def left_by_exact_moments(x: Floats) -> Floats:
    """The share of its variance that `orthogonal_white` leaves to every record: 1 less its leverage.

    Noise that is uncorrelated with the data has no room where one record makes up a direction of it: a giant would come out as it was.
    """
    left: Floats = 1 - 1 / len(x) - (_span(x) ** 2).sum(axis=1)
    return left


def coloured(white: Floats, c: Covariance, d: float) -> Floats:
    """Noise with the covariance d·Σ from white noise: √d W Aᵀ (hoehne2010, 2.2.2)."""
    noise: Floats = np.sqrt(d) * (white @ matrix_root(c.r).T) * c.sd
    return noise
