"""Estimates for cells from the other columns of their records."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import KDTree

from tarnkappe.kernels.standard import power_scale, standardised

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

FOLDS = 5
MOST_LEVELS = 50
"""A category column with more values enters a regression with its most frequent ones."""


class Line(NamedTuple):
    """A fitted linear model."""

    weight: Floats
    residual: Floats
    """Of the records it was fitted on."""


def design(numbers: Floats, categories: list[Ints]) -> Floats:
    """Columns of a regression: a constant, standardised numbers (gaps at the mean) and indicators of categories."""
    there = ~np.isnan(numbers)
    filled = np.where(there, numbers, 0.0)
    columns = [np.ones((len(numbers), 1)), standardised(filled / power_scale(filled), there)]
    for codes in categories:
        levels, counts = np.unique(codes, return_counts=True)
        kept = levels[np.argsort(-counts, kind="stable")][1 : MOST_LEVELS + 1]
        columns.append((codes[:, None] == kept[None, :]).astype(np.float64))
    return np.column_stack(columns)


def fitted(x: Floats, y: Floats) -> Line:
    """Least squares; collinear columns share their weight."""
    weight: Floats = np.linalg.lstsq(x, y, rcond=None)[0].astype(np.float64)
    return Line(weight, y - x @ weight)


def explained(x: Floats, y: Floats, generator: np.random.Generator) -> float:
    """R² in records that were left out of the fit, over five folds; below 0 where the mean is the better estimate."""
    if len(y) < 2 * FOLDS or np.ptp(y) == 0:
        return 0.0
    fold = generator.permutation(len(y)) % FOLDS
    off = np.empty(len(y))
    for f in range(FOLDS):
        out = fold == f
        off[out] = y[out] - x[out] @ fitted(x[~out], y[~out]).weight
    return float(1 - (off**2).sum() / ((y - y.mean()) ** 2).sum())


def nearest(known: Floats, wanted: Floats, candidates: int, generator: np.random.Generator) -> Ints:
    """For every wanted row one of its nearest known rows, drawn at random among so many."""
    candidates = min(candidates, len(known))
    _, found = KDTree(known).query(wanted, k=candidates, workers=1)
    found = np.asarray(found, dtype=np.int64).reshape(len(wanted), candidates)
    return np.asarray(found[np.arange(len(wanted)), generator.integers(0, candidates, len(wanted))])


def cell_donors(known: Ints, wanted: Ints, generator: np.random.Generator) -> Ints:
    """For every wanted record a random known one of the same group; of any group where it has none.

    Parameters
    ----------
    known, wanted
        The groups of the known and of the wanted records.
    """
    order = np.lexsort((generator.random(len(known)), known))
    ordered = known[order]
    first, last = np.searchsorted(ordered, wanted, "left"), np.searchsorted(ordered, wanted, "right")
    alone = first == last
    first, last = np.where(alone, 0, first), np.where(alone, len(known), last)
    return np.asarray(order[first + (generator.random(len(wanted)) * (last - first)).astype(np.int64)])
