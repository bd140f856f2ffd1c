"""Variances from leaving records out one after the other.

A sandwich takes the moments of a file for given. Where a few records make them, as they do for squares of masked values (which need
fourth powers), coefficients vary more than it says. Without record i, whose share of the moments is A_i and of the score g_i, the
coefficients change by exactly -(A - A_i)⁻¹ g_i; the sum of the squares of these changes is the jackknife's variance
(efron1982, 3.3; for least squares it is HC3, mackinnon1985).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tarnkappe.kernels.corrected_moments import SMALLEST, Rules

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

MOST = 20_000_000
"""Numbers in the matrices of all records at most; larger files have no record that matters."""


def few_enough(records: int, columns: int) -> bool:
    """Whether the matrices of all records are worth their memory."""
    return records * columns**2 <= MOST


def pieces(z: Floats, weight: Floats, rules: Rules) -> Floats:
    """The matrix that every record adds to `second_moments`."""
    out: Floats = z[:, :, None] * z[:, None, :] * rules.taken + rules.constant
    for (j, k), product in rules.pairs.items():
        if product is not None:
            out[:, j, k] += product
            out[:, k, j] = out[:, j, k]
    out *= weight[:, None, None]
    for shrink in rules.shrinks:
        c = shrink.centred
        out -= shrink.share * (c[:, :, None] * c[:, None, :]) * shrink.weight[:, None, None]
    return out


def changes(matrices: Floats, scores: Floats, inverse: Floats) -> Floats:
    """How the coefficients change without each record (or cluster), in size; `matrices` are its parts of the moments.

    Where nothing safe is left without one, as for the only record of a category, the plain influence stands in.
    """
    left = matrices.sum(axis=0) - matrices
    size = np.sqrt(np.abs(np.diagonal(matrices.sum(axis=0))))
    size = np.where(size > 0, size, 1.0)
    scaled = left / size / size[:, None]
    smallest = np.linalg.eigvalsh(scaled)[:, 0]
    out: Floats = scores @ inverse
    safe = smallest > SMALLEST
    out[safe] = np.linalg.solve(scaled[safe], (scores[safe] / size)[:, :, None])[:, :, 0] / size
    return out


def summed(values: Floats, clusters: Ints | None) -> Floats:
    """Sums within clusters; without them, the values themselves."""
    if clusters is None:
        return values
    out = np.zeros((int(clusters.max()) + 1, *values.shape[1:]))
    np.add.at(out, clusters, values)
    return out
