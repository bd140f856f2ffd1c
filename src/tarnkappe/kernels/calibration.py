"""Weights that reproduce known totals: raking generalised to counts and sums (Deville and Särndal 1992)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

CLOSE = 1e-8
"""A total is met when it is missed by less than this share of the largest of its kind."""
_ROUNDS = 60
_HALVINGS = 40
_FUZZ = 1e-13
"""Close to the solution the dual no longer moves."""
_VANISHED = 1e-7
"""A record whose weight shrinks below this share would have to go: the total is met in the limit only."""
_FARTHEST = 30.0
"""No weight changes by more than exp(30) in one step: beyond lies overflow, not a solution."""


def design(classes: Sequence[tuple[Ints, int]], sums: Sequence[Floats]) -> sparse.csr_array:
    """One row per record: a one in each of its classes (-1 belongs to none), then the values to be summed (NaN adds nothing)."""
    parts = []
    for ids, count in classes:
        rows = np.flatnonzero(ids >= 0)
        ones = np.ones(len(rows))
        parts.append(sparse.csr_array((ones, (rows, ids[rows])), shape=(len(ids), count)))
    parts += [sparse.csr_array(np.nan_to_num(values)[:, None]) for values in sums]
    return sparse.csr_array(sparse.hstack(parts, format="csr"))


def calibrated(weights: Floats, rows: sparse.csr_array, totals: Floats) -> Floats | None:
    """The weights w·exp(x·λ), nearest to the given ones in entropy, whose sums X'w are the totals; nothing where there are none.

    Newton's method with halved steps on the convex dual Σ w·exp(x·λ) − t·λ. Totals may depend on each other (every margin
    has the same grand total): the least-squares step does not mind.
    """
    size = _sizes(weights, rows, totals)
    x = sparse.csr_array(rows.multiply(1 / size))
    t = totals / size
    slope = np.zeros(len(t))
    now = weights
    for _ in range(_ROUNDS):
        miss = t - x.T @ now
        if np.all(np.abs(miss) <= CLOSE):
            return now if np.min(now / weights, initial=1.0) > _VANISHED else None
        bent = (x.T @ x.multiply(now[:, None])).toarray()
        step, *_ = np.linalg.lstsq(bent, miss, rcond=1e-12)
        moved = _halved(weights, x, t, slope, step)
        if moved is None:
            return None
        slope = moved
        now = weights * np.exp(x @ slope)
    return None


def _sizes(weights: Floats, rows: sparse.csr_array, totals: Floats) -> Floats:
    """What each total is measured by: itself, or what its records have now."""
    have: Floats = abs(rows).T @ weights
    return np.maximum(np.maximum(np.abs(totals), have), np.finfo(float).tiny)


def _halved(weights: Floats, x: sparse.csr_array, t: Floats, slope: Floats, step: Floats) -> Floats | None:
    """The longest of the halved steps that lowers the dual."""
    here = _dual(weights, x, t, slope)
    for _ in range(_HALVINGS):
        there = slope + step
        near = np.max(np.abs(x @ step), initial=0.0) <= _FARTHEST
        if near and _dual(weights, x, t, there) <= here + _FUZZ * abs(here):
            return there
        step = step / 2
    return None


def _dual(weights: Floats, x: sparse.csr_array, t: Floats, slope: Floats) -> float:
    with np.errstate(over="ignore"):
        return float(weights @ np.exp(x @ slope) - t @ slope)
