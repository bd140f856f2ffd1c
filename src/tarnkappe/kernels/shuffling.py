"""Data shuffling: new ranks from a conditional normal draw (Muralidhar and Sarathy 2006)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tarnkappe.kernels.ranks import mid_ranks, normal_scores

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

SMALLEST_EIGENVALUE = 1e-8
"""Below it columns are linearly dependent."""
SMALLEST_FREEDOM = 1e-4
"""A column whose share of variance that the given ones leave open is smaller is determined by them."""


def scores(values: NDArray[np.generic]) -> tuple[Floats, Floats]:
    """Normal scores and ranks of a column, both standardised; 0 for a constant one."""
    ranks = mid_ranks(values)
    return _standard(normal_scores(ranks, len(values))), _standard(ranks)


def _standard(x: Floats) -> Floats:
    centred = x - x.mean()
    spread = float(np.sqrt(np.mean(centred**2)))
    out: Floats = centred / spread if spread > 1e-12 else np.zeros_like(centred)
    return out


def correlations(z: Floats, ranks: Floats, ranked: Bools) -> Floats:
    """Product-moment correlations of the scores: 2 sin(π ρ/6) from Spearman's ρ between ranked columns, else directly.

    Where the first does not give a correlation matrix the nearest eigenvalues that do are taken.
    """
    r = z.T @ z / len(z)
    both = np.outer(ranked, ranked)
    r = np.where(both, 2 * np.sin(np.pi / 6 * np.clip(ranks.T @ ranks / len(ranks), -1, 1)), r)
    np.fill_diagonal(r, 1.0)
    values, vectors = np.linalg.eigh(r)
    if values.min(initial=1.0) >= 0:
        return r
    r = (vectors * np.maximum(values, 0.0)) @ vectors.T
    scale = np.sqrt(np.diag(r))
    out: Floats = r / np.outer(scale, scale)
    return out


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
    b: Floats = np.linalg.solve(r[q:, q:], r[q:, :q]).T.astype(np.float64)
    return b, r[:q, :q] - b @ r[q:, :q]


def drawn(given: Floats, b: Floats, rest: Floats, generator: np.random.Generator) -> Floats:
    """Y = B s + e, e normal with the covariance `rest`."""
    values, vectors = np.linalg.eigh((rest + rest.T) / 2)
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    out: Floats = given @ b.T + generator.standard_normal((len(given), len(rest))) @ root.T
    return out


def by_rank(old_order: Ints, y: Floats) -> Ints:
    """Who gets whose value: the record with the r-th smallest y takes the r-th smallest value; nobody keeps its own.

    The few that would keep their own, about one by chance, exchange with those next in rank that would, too.
    """
    source = np.empty(len(y), dtype=np.int64)
    source[np.argsort(y)] = old_order
    stays = old_order[source[old_order] == old_order]
    if len(stays) == 1 and len(y) > 1:
        place = int(np.flatnonzero(old_order == stays[0])[0])
        beside = old_order[place - 1] if place else old_order[1]
        source[stays[0]], source[beside] = source[beside], stays[0]
    elif len(stays):
        pairs = len(stays) - len(stays) % 2
        odd, even = stays[0:pairs:2], stays[1:pairs:2]
        source[odd], source[even] = even, odd
        if len(stays) % 2:
            source[stays[-1]], source[even[-1]] = odd[-1], stays[-1]
    return source
