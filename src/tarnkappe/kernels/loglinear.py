"""Log-linear models of the counts of key combinations, fitted by iterative proportional fitting."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

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


def with_pairs(codes: Ints, counts: Floats, categories: Sequence[int], start: Floats | None = None) -> Floats:
    """Fitted counts of the given cells with all effects of two keys (of one, where there is one key only).

    The fit has the margins of `counts` for every pair of keys. `start` are values of an offset, one for every cell of the whole table.
    """
    keys = len(categories)
    return _fitted(codes, counts, categories, list(combinations(range(keys), min(2, keys))), start)


def with_offset(codes: Ints, counts: Floats, categories: Sequence[int], start: Floats) -> Floats:
    """Fitted counts of the given cells with effects of single keys and an offset."""
    return _fitted(codes, counts, categories, [(k,) for k in range(len(categories))], start)


def cells_of(categories: Sequence[int]) -> int:
    """Cells of the whole table."""
    cells = 1
    for size in categories:
        cells *= int(size)
    return cells


def _fitted(
    codes: Ints,
    counts: Floats,
    categories: Sequence[int],
    margins: list[tuple[int, ...]],
    start: Floats | None,
) -> Floats:
    shape = tuple(categories)
    table = np.zeros(shape)
    table[tuple(codes.T)] = counts
    fitted = np.ones(shape) if start is None else start.reshape(shape).copy()
    wanted = [table.sum(axis=_others(m, len(shape)), keepdims=True) for m in margins]
    for _ in range(_ROUNDS):
        worst = 0.0
        for margin, goal in zip(margins, wanted, strict=True):
            have = fitted.sum(axis=_others(margin, len(shape)), keepdims=True)
            worst = max(worst, float(np.abs(have - goal).max()))
            fitted *= np.divide(goal, have, out=np.zeros_like(goal), where=have > 0)
        if worst <= _CLOSE * counts.sum():
            break
    found: Floats = fitted[tuple(codes.T)]
    return found


def _others(margin: tuple[int, ...], dimensions: int) -> tuple[int, ...]:
    return tuple(d for d in range(dimensions) if d not in margin)
