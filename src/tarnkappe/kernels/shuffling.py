"""Data shuffling: new ranks from a conditional normal draw (Muralidhar and Sarathy 2006)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tarnkappe.kernels.rank_swap import none_keeps
from tarnkappe.kernels.ranks import mid_ranks, normal_scores
from tarnkappe.kernels.white_noise import RANK, nearest_correlation

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

SMALLEST_EIGENVALUE = 1e-8
"""Below it columns are linearly dependent."""
SMALLEST_FREEDOM = 1e-4
"""A column whose share of variance that the given ones leave open is smaller is determined by them."""


def scores(values: NDArray[np.generic], order: Ints | None = None) -> tuple[Floats, Floats]:
    """Normal scores and ranks of a column, both standardised; 0 for a constant one. `order` is its ascending order."""
    ranks = mid_ranks(values, order)
    return _standard(normal_scores(ranks, len(values))), _standard(ranks)


def _standard(x: Floats) -> Floats:
    centred = x - x.mean()
    spread = float(np.sqrt(np.mean(centred**2)))
    out: Floats = centred / spread if spread > 1e-12 else np.zeros_like(centred)
    return out


def correlations(z: Floats, ranks: Floats, ranked: Bools) -> Floats:
    """Product-moment correlations of the scores, given as rows: 2 sin(π ρ/6) from Spearman's ρ between ranked columns, else directly.

    Where the first does not give a correlation matrix the nearest eigenvalues that do are taken.
    """
    size = z.shape[1]
    r = z @ z.T / size
    both = np.outer(ranked, ranked)
    r = np.where(both, 2 * np.sin(np.pi / 6 * np.clip(ranks @ ranks.T / size, -1, 1)), r)
    return nearest_correlation(r)


def dependent(r: Floats) -> Ints:
    """Columns that take part in a linear dependence; none if there is no such."""
    if not len(r):
        return np.zeros(0, dtype=np.int64)
    values, vectors = np.linalg.eigh(r)
    if values[0] > SMALLEST_EIGENVALUE:
        return np.zeros(0, dtype=np.int64)
    out: Ints = np.flatnonzero(np.abs(vectors[:, 0]) > 0.1)
    return out


def conditional(r: Floats, q: int) -> tuple[Floats, Floats]:
    """Coefficients and covariance of the first q columns given the others: R_xs R_ss⁻¹ and R_xx - R_xs R_ss⁻¹ R_sx."""
    if r.shape[0] == q:
        return np.zeros((q, 0)), r
    b: Floats = np.linalg.lstsq(r[q:, q:], r[q:, :q], rcond=RANK)[0].T.astype(np.float64)
    return b, r[:q, :q] - b @ r[q:, :q]


def drawn(given: Floats, b: Floats, rest: Floats, generator: np.random.Generator) -> Floats:
    """Y = B s + e, e normal with the covariance `rest`; variables are rows."""
    values, vectors = np.linalg.eigh((rest + rest.T) / 2)
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    out: Floats = b @ given + root @ generator.standard_normal((len(rest), given.shape[1]))
    return out


def by_rank(old_order: Ints, new_order: Ints, starts: Ints) -> Ints:
    """Who gets whose value in every block: the r-th in the new order takes the r-th smallest value; nobody keeps its own.

    The few that would keep their own, about one by chance, exchange with the next in rank.
    """
    source = np.empty(len(old_order), dtype=np.int64)
    source[new_order] = old_order
    none_keeps(source, old_order, starts)
    return source
