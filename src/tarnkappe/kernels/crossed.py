"""Tables of two files side by side: cells, their distance, and how strongly the two sides of a table depend on each other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import xlogy

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

DENSE = 1 << 22
"""Cells up to which a table is counted in an array of all of them."""


class Crossed(NamedTuple):
    """The cells that one of two files fills, with what each file has in them."""

    old: Floats
    new: Floats

    @property
    def shares(self) -> tuple[Floats, Floats]:
        """Parts of the whole; nothing where a file has no weight."""
        return tuple(x / total if (total := x.sum()) > 0 else x for x in self)  # type: ignore[return-value]


def crossed(
    old: Sequence[Ints], new: Sequence[Ints], counts: Sequence[int], w: tuple[Floats | None, Floats | None]
) -> Crossed:
    """The table over some columns of both files; codes run from 0 to counts - 1."""
    keys = [cell_keys(codes, counts) for codes in (old, new)]
    cells = int(np.prod([float(c) for c in counts]))
    if cells > DENSE:
        _, inverse = np.unique(np.concatenate(keys), return_inverse=True)
        keys = np.split(inverse.ravel(), [len(keys[0])])
        cells = int(inverse.max(initial=-1)) + 1
    tables = [np.bincount(k, weight, cells).astype(np.float64) for k, weight in zip(keys, w, strict=True)]
    filled = (tables[0] > 0) | (tables[1] > 0)
    return Crossed(tables[0][filled], tables[1][filled])


def total_variation(table: Crossed) -> float:
    """Half the sum of the absolute differences of the shares: the share of records that would have to move."""
    a, b = table.shares
    return float(np.abs(a - b).sum() / 2)


def homogeneity(table: Crossed) -> float:
    """The χ² statistic of the hypothesis that both files come from one table."""
    total = table.old + table.new
    out = 0.0
    for side in table:
        expected = total * side.sum() / total.sum()
        there = expected > 0
        out += float(((side - expected)[there] ** 2 / expected[there]).sum())
    return out


class TwoWay(NamedTuple):
    """The filled cells of a table of two columns of one file: their contents and the sums of their rows and columns."""

    n: Floats
    row: Floats
    column: Floats
    shape: tuple[int, int]
    """Rows and columns that hold something."""


def two_way(a: Ints, b: Ints, counts: tuple[int, int], w: Floats | None) -> TwoWay:
    """The table of two columns of one file."""
    keys = a * counts[1] + b
    if counts[0] * counts[1] > DENSE:
        cells, inverse = np.unique(keys, return_inverse=True)
        n = np.bincount(inverse.ravel(), w).astype(np.float64)
    else:
        table = np.bincount(keys, w, counts[0] * counts[1]).astype(np.float64)
        cells = np.flatnonzero(table > 0)
        n = table[cells]
    row, column = (
        np.bincount(codes, w, count).astype(np.float64) for codes, count in zip((a, b), counts, strict=True)
    )
    shape = int((row > 0).sum()), int((column > 0).sum())
    return TwoWay(n, row[cells // counts[1]], column[cells % counts[1]], shape)


def cramers_v(table: TwoWay) -> float:
    """Cramér's V: √(χ²/(n·min(r - 1, c - 1))); none where one of the columns is constant."""
    least = min(table.shape) - 1
    if least < 1:
        return float("nan")
    chi2_per_record = float((table.n**2 / (table.row * table.column)).sum()) - 1
    return float(np.sqrt(max(chi2_per_record, 0.0) / least))


def mutual_information(table: TwoWay) -> float:
    """How many bits one column tells about the other."""
    total = table.n.sum()
    if not total > 0:
        return float("nan")
    bits = table.n / total * np.log2(table.n * total / (table.row * table.column))
    return max(float(bits.sum()), 0.0)


def entropy(counts: Floats) -> float:
    """Bits that a value has on average."""
    total = counts.sum()
    p = counts / total if total > 0 else counts
    return float(-xlogy(p, p).sum() / np.log(2)) + 0.0


def cell_keys(codes: Sequence[Ints], counts: Sequence[int]) -> Ints:
    """One number for every combination of codes."""
    keys = np.zeros(len(codes[0]), dtype=np.int64)
    for one, count in zip(codes, counts, strict=True):
        keys = keys * count + one
    return keys
