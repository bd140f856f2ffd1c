"""Log-linear models of the counts of key combinations, fitted by iterative proportional fitting."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

MOST_CELLS = 2**22
"""Larger tables are not built."""
_ROUNDS = 200
_CLOSE = 1e-7


def main_effects(codes: Ints, counts: Floats, categories: Sequence[int]) -> Floats:
    """Fitted counts of the given cells if the keys are independent: total · Π (margin/total). No table is built."""
    total = counts.sum()
    fitted = np.full(len(counts), total)
    for column, size in zip(codes.T, categories, strict=True):
        fitted *= np.bincount(column, weights=counts, minlength=size)[column] / total
    return fitted


def single_keys(keys: int) -> list[tuple[int, ...]]:
    """The margins that a model with effects of single keys has right."""
    return [(k,) for k in range(keys)]


def pairs_of_keys(keys: int) -> list[tuple[int, ...]]:
    """The margins that a model with all effects of two keys has right; with one key, that key."""
    return list(combinations(range(keys), min(2, keys)))


def fitted_table(
    table: NDArray[Any], margins: Sequence[tuple[int, ...]], start: NDArray[Any] | None = None
) -> NDArray[Any]:
    """Fitted counts of all cells: the margins of `table`, and the interactions of `start`, the values of an offset."""
    dimensions = table.ndim
    fitted = np.ones(table.shape) if start is None else start.astype(np.float64)
    wanted = [table.sum(axis=_others(m, dimensions), keepdims=True) for m in margins]
    for _ in range(_ROUNDS):
        worst = 0.0
        for margin, goal in zip(margins, wanted, strict=True):
            have = fitted.sum(axis=_others(margin, dimensions), keepdims=True)
            worst = max(worst, float(np.abs(have - goal).max()))
            fitted *= np.divide(goal, have, out=np.zeros_like(goal), where=have > 0)
        if worst <= _CLOSE * table.sum():
            break
    return fitted


def misfit(counts: NDArray[Any], fitted: NDArray[Any], drawn: NDArray[Any] | float) -> float:
    """How far τ1 is off because the model fits too little (above 0) or too closely (below), in standard errors.

    With λ = μ/π, the bias is estimated by Σ λ e^-λ (1-π) {(f-μ) + (1-π)/(2π) [(f-μ)² - f]} over all cells (skinnershlomo2008). If μ is
    right, the two terms are uncorrelated, with the variances μ and 2μ².
    """
    expected = fitted / drawn
    factor = expected * np.exp(-expected) * (1 - drawn)
    second = (1 - drawn) / (2 * drawn)
    off = counts - fitted
    bias = float((factor * (off + second * (off**2 - counts))).sum())
    variance = float((factor**2 * (fitted + 2 * (second * fitted) ** 2)).sum())
    return bias / float(np.sqrt(variance)) if variance > 0 else 0.0


def cells_of(categories: Sequence[int]) -> int:
    """Cells of the whole table."""
    return reduce(lambda cells, size: cells * int(size), categories, 1)


def _others(margin: tuple[int, ...], dimensions: int) -> tuple[int, ...]:
    return tuple(d for d in range(dimensions) if d not in margin)
