"""From two columns to a picture of how they hang together, before and after: counts in cells, none for fewer than three records."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from tarnkappe.data.column import Column, Floats
from tarnkappe.data.microdata import Microdata
from tarnkappe.kernels.moments import pearson
from tarnkappe.report.axes import FEWEST, SMALLEST, Axis, axis_for
from tarnkappe.report.frequencies import number_of
from tarnkappe.vocab import Role

MOST_NUMBERS = 8
"""Most numeric columns whose pairs are looked at."""
MOST_CATEGORIES = 6
"""Most categories of a column that are drawn; the rarer ones are one."""
_FINE = 50
"""A column with more categories is no side of a mosaic."""
_LARGEST = 1e150
_NAMES = {Role.IDENTIFIER, Role.HOUSEHOLD, Role.UNIT, Role.OWNER, Role.WEIGHT}
Cells = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class HeatMap:
    """Two numeric columns: shares of the records by cell, over the same axes before and after."""

    x: str
    y: str
    axes: tuple[Axis, Axis]
    before: Cells
    """One row per bin of x, one column per bin of y."""
    after: Cells


@dataclass(frozen=True, slots=True, eq=False)
class Mosaic:
    """Two categorical columns of one side: shares of the records by cell; cells of one or two records are empty."""

    across: tuple[str, ...]
    up: tuple[str, ...]
    shares: Cells
    """One row per category across."""


OTHER = "\N{HORIZONTAL ELLIPSIS}"
"""All rarer categories together."""


# -- numbers ------------------------------------------------------------------------------------------------------


def changed_pairs(
    before: Microdata, after: Microdata, names: Sequence[str], most: int
) -> list[tuple[str, str]]:
    """The pairs of numeric columns whose correlation moved most, the largest change first."""
    names = [n for n in names if _is_number(before, n) and _is_number(after, n)][:MOST_NUMBERS]
    if len(names) < 2 or min(len(before), len(after)) < FEWEST:
        return []
    old, new = (_correlated(data, names) for data in (before, after))
    moved = {
        (i, j): abs(new[i, j] - old[i, j])
        for i, j in combinations(range(len(names)), 2)
        if np.isfinite(new[i, j] - old[i, j])
    }
    best = sorted(moved, key=lambda pair: -moved[pair])[:most]
    return [(names[i], names[j]) for i, j in best]


def heat_map(before: Microdata, after: Microdata, x: str, y: str) -> HeatMap | None:
    """Count both sides over the same cells; None when there is too little to show."""
    old, new = _both(before, x, y), _both(after, x, y)
    if min(len(old), len(new)) < FEWEST or max(np.abs(old).max(), np.abs(new).max()) > _LARGEST:
        return None
    axes = tuple(
        axis_for({before.column(name).kind, after.column(name).kind}, old[:, j], new[:, j])
        for j, name in enumerate((x, y))
    )
    return HeatMap(x, y, (axes[0], axes[1]), _cells(old, axes), _cells(new, axes))


def _is_number(data: Microdata, name: str) -> bool:
    return name in data.columns and data.column(name).kind.is_number


def _correlated(data: Microdata, names: Sequence[str]) -> Floats:
    values = data.numbers(names)
    return pearson(np.where(np.isfinite(values), values, np.nan), FEWEST)


def _both(data: Microdata, x: str, y: str) -> Floats:
    values = np.stack([_floats(data.column(name)) for name in (x, y)], axis=1)
    return values[np.isfinite(values).all(axis=1)]


def _floats(column: Column) -> Floats:
    """One number per record, NaN where there is none."""
    values = column.values.astype(np.float64)
    return np.where(column.observed, values, np.nan)


def _cells(values: Floats, axes: Sequence[Axis]) -> Cells:
    shape = [len(axis.edges) + 1 for axis in axes]
    codes = [np.searchsorted(axis.edges, values[:, j], side="right") for j, axis in enumerate(axes)]
    counts = np.bincount(codes[0] * shape[1] + codes[1], minlength=shape[0] * shape[1]).reshape(shape)
    return np.where(counts < SMALLEST, 0, counts) / len(values)


# -- categories ---------------------------------------------------------------------------------------------------


def strongest_pair(before: Microdata, after: Microdata) -> tuple[str, str] | None:
    """The two categorical columns that hang together most in the original (Cramér's V) and are still categories."""
    names = [
        name
        for name, column in before.columns.items()
        if not set(before.roles_of(name)) & _NAMES and _drawn(column) and _drawn(after.columns.get(name))
    ][:MOST_NUMBERS]
    found = {pair: _cramer(*(_counted(before, pair))) for pair in combinations(names, 2)}
    return max(found, key=lambda pair: found[pair], default=None)


def mosaic(data: Microdata, across: str, up: str) -> Mosaic | None:
    """The shares of one side, rare categories together; None when there is too little to show."""
    columns = [data.column(name) for name in (across, up)]
    both = columns[0].observed & columns[1].observed
    if np.count_nonzero(both) < FEWEST:
        return None
    codes, names = zip(*(_grouped(column, both) for column in columns), strict=True)
    shape = [len(n) for n in names]
    counts = np.bincount(codes[0] * shape[1] + codes[1], minlength=shape[0] * shape[1]).reshape(shape)
    shares = np.where(counts < SMALLEST, 0, counts) / np.count_nonzero(both)
    return Mosaic(names[0], names[1], shares)


def _drawn(column: Column | None) -> bool:
    return column is not None and column.categories is not None and 2 <= _used(column) <= _FINE


def _used(column: Column) -> int:
    assert column.categories is not None, "only categories are counted"
    return int(
        np.count_nonzero(np.bincount(column.values[column.observed], minlength=len(column.categories)))
    )


def _counted(data: Microdata, pair: Iterable[str]) -> tuple[NDArray[np.int64], int]:
    a, b = (data.column(name) for name in pair)
    both = a.observed & b.observed
    _, x = np.unique(a.values[both], return_inverse=True)
    _, y = np.unique(b.values[both], return_inverse=True)
    shape = (int(x.max(initial=-1)) + 1, int(y.max(initial=-1)) + 1)
    return np.bincount(x * shape[1] + y, minlength=shape[0] * shape[1]).reshape(shape), int(both.sum())


def _cramer(counts: NDArray[np.int64], n: int) -> float:
    """V = √(χ²/(n · (min(rows, columns) - 1)))."""
    smaller = min(counts.shape) - 1
    if n == 0 or smaller < 1:
        return 0.0
    expected = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / n
    return float(np.sqrt(((counts - expected) ** 2 / expected).sum() / (n * smaller)))


def _grouped(column: Column, kept: NDArray[np.bool_]) -> tuple[NDArray[np.int64], tuple[str, ...]]:
    """Codes 0, 1 … by frequency, the rarer categories in the last one."""
    assert column.categories is not None, "only categories are grouped"
    values = column.values[kept]
    counts = np.bincount(values, minlength=len(column.categories))
    order = [int(code) for code in np.argsort(-counts, kind="stable") if counts[code]]
    own = [code for code in order if counts[code] >= SMALLEST]
    shown = own if len(own) == len(order) <= MOST_CATEGORIES else own[: MOST_CATEGORIES - 1]
    labels = column.categories
    shown.sort(key=lambda code: (number_of(str(labels[code])) or 0.0, str(labels[code])))
    place = np.full(len(column.categories), len(shown), dtype=np.int64)
    place[shown] = np.arange(len(shown))
    names = [str(column.categories[code]) for code in shown]
    return place[values], (*names, *((OTHER,) if len(shown) < len(order) else ()))


def corners(
    found: Mosaic, gap: float = 0.012
) -> Iterator[tuple[int, int, tuple[float, float, float, float]]]:
    """Every cell with its left, right, lower and upper edge in the unit square."""
    widths = found.shares.sum(axis=1)
    total = widths.sum() or 1.0
    left = 0.0
    room = 1 - gap * (np.count_nonzero(widths) - 1)
    for i, row in enumerate(found.shares):
        right, below = left + room * widths[i] / total, 0.0
        for j, share in enumerate(row):
            above = below + (share / widths[i] if widths[i] else 0.0)
            if share:
                yield i, j, (left, right, below, above)
            below = above
        left = right + (gap if widths[i] else 0.0)
