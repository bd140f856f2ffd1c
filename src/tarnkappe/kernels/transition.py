"""Transition probabilities of PRAM: row k holds the probabilities that the value k becomes each of the values.

Höhne (2010), section 2.2.2, with two misprints put right: the matrix of the frequency-proportional form is
(1 - α)E + α1hᵗ (printed α h 1ᵗ, which does not have rows of sum 1), and the backward matrix of the two-stage form divides
by Σ_j p_jl T_j (printed p_lj).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

WORST_CONDITION = 1e8
"""A matrix that is nearer to a singular one than this has no useful inverse."""


def is_markov(p: Floats) -> NDArray[np.bool_]:
    """Which rows are probabilities that sum to 1."""
    out: NDArray[np.bool_] = (p >= 0).all(axis=1) & (np.abs(p.sum(axis=1) - 1) <= 1e-9)
    return out


def proportional(counts: Ints | Floats, alpha: float) -> Floats:
    """P02: with probability α a new value is drawn from the frequencies; p_kl = α h_l + (1 - α)[k = l]."""
    h = counts / counts.sum()
    out: Floats = (1 - alpha) * np.eye(len(counts)) + alpha * h[None, :]
    return out


def direct(counts: Ints | Floats, alpha: float) -> Floats:
    """P03 (de Wolf 1): T the smallest count, p_kk = 1 - α T/T_k, p_kl = α T/((K - 1) T_k); all counts positive."""
    size = len(counts)
    if size == 1:
        return np.eye(1)
    leave = alpha * counts.min() / counts
    p = np.repeat((leave / (size - 1))[:, None], size, axis=1)
    np.fill_diagonal(p, 1 - leave)
    return p


def even(size: int, alpha: float) -> Floats:
    """A first stage: with probability α one of the other values, all equally likely."""
    if size == 1:
        return np.eye(1)
    p = np.full((size, size), alpha / (size - 1))
    np.fill_diagonal(p, 1 - alpha)
    return p


def backward(p: Floats, counts: Ints | Floats) -> Floats:
    """P04 (de Wolf 2), second stage: p←_lk = p_kl T_k / Σ_j p_jl T_j. A value that cannot arise stays."""
    arrivals = p.T @ counts
    q = (p * counts[:, None]).T / np.where(arrivals > 0, arrivals, 1.0)[:, None]
    never = arrivals == 0
    q[never] = np.eye(len(counts))[never]
    out: Floats = q
    return out


def two_stage(p: Floats, counts: Ints | Floats) -> Floats:
    """P04: R = P P←, invariant whatever P is: Rᵗ T = T."""
    out: Floats = p @ backward(p, counts)
    return out


def correction(p: Floats) -> Floats | None:
    """The matrix C with estimated counts T̂ = C T_a, that is (P⁻¹)ᵗ; None where P has no useful inverse."""
    if len(p) and not np.linalg.cond(p) < WORST_CONDITION:
        return None
    out: Floats = np.linalg.inv(p).T.astype(np.float64)
    return out


def drawn(row: Ints, p: Floats, u: Floats) -> Ints:
    """A value from the given row of P for every record, by inversion: equal rows and equal u give equal values."""
    size = p.shape[1]
    cumulated = np.cumsum(p, axis=1)
    last = size - 1 - np.argmax(p[:, ::-1] > 0, axis=1)
    cumulated[np.arange(size)[None, :] >= last[:, None]] = (
        1.0  # rounding must not reach what has probability 0
    )
    steps = (cumulated + np.arange(len(p))[:, None]).ravel()
    found = np.searchsorted(steps, row + u, side="right") - row * size
    out: Ints = np.clip(found, 0, last[row])
    return out
