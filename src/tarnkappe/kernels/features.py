"""Columns of any type as regressors, made block by block: numbers on a common scale, categories as indicators."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from tarnkappe.kernels.standard import power_scale, standardised

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

KEPT = 30
"""Categories of a column with an indicator of their own; the rarer ones share one."""
ROWS = 1 << 15
"""Records per block."""


@dataclass(frozen=True, slots=True)
class Feature:
    """What one column of the data gives: a number, indicators of codes, or both."""

    number: Floats | None
    codes: Ints
    """0 for what the others are compared with."""
    indicators: int

    @property
    def width(self) -> int:
        return (self.number is not None) + self.indicators

    def block(self, start: int, stop: int) -> Floats:
        """Its regressors for some records."""
        parts = [] if self.number is None else [self.number[start:stop, None]]
        marks = self.codes[start:stop, None] == np.arange(1, self.indicators + 1)
        return np.hstack([*parts, marks.astype(np.float64)])


def number_feature(x: Floats, states: Ints) -> Feature:
    """A number, standardised over what is there, beside indicators for the states that a cell without number can have."""
    there = ~np.isnan(x)
    filled = np.where(there, x, 0.0)
    column = filled[:, None]
    scaled = standardised(column / power_scale(column), there[:, None])[:, 0]
    marks = category_feature(states)
    return Feature(scaled, marks.codes, marks.indicators)


def category_feature(codes: Ints) -> Feature:
    """Indicators of categories but the most frequent one; beyond the first thirty they share one."""
    values, inverse, counts = np.unique(codes, return_inverse=True, return_counts=True)
    order = np.argsort(-counts, kind="stable")
    rank = np.empty(len(values), dtype=np.int64)
    rank[order] = np.arange(len(values))
    ranks = np.minimum(rank, KEPT)[inverse.ravel()]
    return Feature(None, ranks, max(min(len(values) - 1, KEPT), 0))


@dataclass(frozen=True, slots=True)
class Features:
    """The regressors of a model: a constant, those of every column and, if asked for, their products in pairs."""

    parts: Sequence[Feature]
    records: int
    pairs: bool = False

    @property
    def width(self) -> int:
        widths = [part.width for part in self.parts]
        products = sum(a * b for a, b in combinations(widths, 2)) + sum(
            p.number is not None for p in self.parts
        )
        return 1 + sum(widths) + (products if self.pairs else 0)

    def blocks(self) -> Iterator[tuple[slice, Floats]]:
        """All records, some thousand at a time."""
        for start in range(0, self.records, ROWS):
            stop = min(start + ROWS, self.records)
            yield slice(start, stop), self._block(start, stop)

    def _block(self, start: int, stop: int) -> Floats:
        own = [part.block(start, stop) for part in self.parts]
        made = [np.ones((stop - start, 1)), *own]
        if self.pairs:
            made += [
                x[:, :1] ** 2 for x, part in zip(own, self.parts, strict=True) if part.number is not None
            ]
            made += [
                (a[:, :, None] * b[:, None, :]).reshape(len(a), a.shape[1] * b.shape[1])
                for a, b in combinations(own, 2)
            ]
        return np.hstack(made)
