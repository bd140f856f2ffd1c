"""Columns of any type as regressors, made block by block: numbers on a common scale, categories as indicators."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, combinations, pairwise

import numpy as np
from numpy.typing import NDArray

from tarnkappe.kernels.standard import power_scale, standardised

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

KEPT = 30
"""Categories of a column with an indicator of their own; the rarer ones share one."""
ROWS = 1 << 12
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

    def fill(self, out: Floats, rows: slice) -> None:
        """Write its regressors for some records."""
        out[:] = 0.0
        first = 0
        if self.number is not None:
            out[:, 0], first = self.number[rows], 1
        if self.indicators:
            marked = np.flatnonzero(self.codes[rows])
            out[marked, self.codes[rows][marked] + (first - 1)] = 1.0


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
        out = np.empty((stop - start, self.width))
        out[:, 0] = 1.0
        ends = 1 + np.cumsum([0, *(part.width for part in self.parts)])
        own = [out[:, a:b] for a, b in pairwise(ends)]
        for view, part in zip(own, self.parts, strict=True):
            part.fill(view, slice(start, stop))
        if self.pairs:
            self._multiply(out[:, ends[-1] :], own)
        return out

    def _multiply(self, out: Floats, own: Sequence[Floats]) -> None:
        """Squares of numbers and products of the regressors of two columns."""
        squares = [x[:, :1] ** 2 for x, part in zip(own, self.parts, strict=True) if part.number is not None]
        products = (
            (a[:, :, None] * b[:, None, :]).reshape(len(a), -1)
            for a, b in combinations(own, 2)
            if a.size and b.size
        )
        at = 0
        for made in chain(squares, products):
            out[:, at : at + made.shape[1]] = made
            at += made.shape[1]
