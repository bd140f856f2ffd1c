"""Can a column be computed from others? By a linear formula, or as a product or quotient of two of them."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations_with_replacement
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tarnkappe.kernels.standard import power_scale

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Ints = NDArray[np.int64]

CLOSE = 1e-3
"""Computed to a thousandth is computed."""
MOST = 0.95
"""… for so many of the records."""
SAMPLE = 2000
"""Records looked at, evenly from the file: a formula that holds for the file holds for these."""
GLANCE, LOOSE = 24, 4 * CLOSE
"""Pairs of records that are looked at first, and how far ratios may be apart that are each known to a thousandth."""
SPARE = 8
"""Records needed beyond the number of columns; with fewer, a formula fits by chance."""


class Formula(NamedTuple):
    """How a column follows from others."""

    kind: str
    """'linear', 'product' or 'quotient'."""
    columns: tuple[int, ...]


class Group(NamedTuple):
    """Columns with the same gaps."""

    columns: Ints
    there: Bools
    """The records that have them."""


def recovered(target: Floats, others: Floats) -> Formula | None:
    """A formula that gives the target from the other columns; None if none of the kinds looked for does.

    Every formula is looked for in the records that have its columns and the target, so that a column with gaps hides none of the others: over the
    columns without gaps, over these and all with the same gaps, and over ever more columns, those with few gaps first. A constant target tells
    nothing and is not looked at.
    """
    rows = np.flatnonzero(~np.isnan(target))
    y, x = target[rows], others if len(rows) == len(target) else others[rows]
    if len(rows) < SPARE or np.ptp(y / power_scale(y)) == 0:
        return None
    groups = _groups(x)
    y, scale = y / power_scale(y), power_scale(x)
    for chosen in _sets(groups):
        columns, at = _looked_at(chosen)
        if (found := _linear(y[at], x[np.ix_(at, columns)] / scale[columns])) and _telling(y[at], chosen):
            return Formula(found.kind, tuple(columns[list(found.columns)].tolist()))
    for pair in combinations_with_replacement(groups, 2):
        columns, at = _looked_at(pair[:1] if pair[0] is pair[1] else pair)
        if found := _pairwise(y[at], x[np.ix_(at, columns)] / scale[columns]):
            return Formula(found.kind, tuple(columns[list(found.columns)].tolist()))
    return None


def _groups(x: Floats) -> list[Group]:
    """The columns by their gaps, those with fewest first; columns without a value are left out."""
    by_gaps: dict[bytes, list[int]] = {}
    for j, column in enumerate(~np.isnan(x).T):
        if column.any():
            by_gaps.setdefault(np.packbits(column).tobytes(), []).append(j)
    made = [Group(np.array(columns), ~np.isnan(x[:, columns[0]])) for columns in by_gaps.values()]
    return sorted(made, key=lambda group: -np.count_nonzero(group.there))


def _sets(groups: list[Group]) -> Iterator[tuple[Group, ...]]:
    """Groups that are looked at together."""
    whole = tuple(group for group in groups if group.there.all())
    rest = groups[len(whole) :]
    if whole:
        yield whole
    for group in rest:
        yield (*whole, group)
    for count in range(2, len(rest) + 1):
        yield (*whole, *rest[:count])


def _looked_at(chosen: tuple[Group, ...]) -> tuple[Ints, Ints]:
    """The columns of some groups in their order, and some of the records that have them all, evenly from the file."""
    columns = np.sort(np.concatenate([group.columns for group in chosen]))
    rows = np.flatnonzero(np.logical_and.reduce([group.there for group in chosen]))
    places = np.linspace(0, len(rows) - 1, min(SAMPLE, len(rows))).astype(np.int64)
    return columns, rows[places]


def _telling(y: Floats, chosen: tuple[Group, ...]) -> bool:
    """In the few records that have a column with gaps, zeros and other frequent values fit by chance."""
    return all(group.there.all() for group in chosen) or len(y) - _most_frequent(y) >= SPARE


def _most_frequent(y: Floats) -> int:
    return int(np.unique(y, return_counts=True)[1].max(initial=0))


def _linear(y: Floats, x: Floats) -> Formula | None:
    if not len(y) or np.ptp(y) == 0:
        return None
    varies = np.flatnonzero(np.ptp(x, axis=0) > 0)
    if len(y) < len(varies) + 1 + SPARE:
        return None
    design = np.column_stack([np.ones(len(y)), x[:, varies]])
    weight, *_ = np.linalg.lstsq(design, y, rcond=None)
    if not same(design @ weight, y):
        return None
    used = np.abs(weight[1:]) * np.abs(x[:, varies]).max(axis=0, initial=0.0) > CLOSE * np.abs(y).max()
    return Formula("linear", tuple(varies[used].tolist()))


def _pairwise(y: Floats, x: Floats) -> Formula | None:
    one, other = _glance(y)
    for a in range(x.shape[1]):
        for kind in ("product", "quotient"):
            for b in _promising(y, x, a, kind, one, other):
                with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
                    made = x[:, a] * x[:, b] if kind == "product" else x[:, a] / x[:, b]
                if _proportional(y, made):
                    return Formula(kind, (a, int(b)))
    return None


def _glance(y: Floats) -> tuple[Ints, Ints]:
    """Pairs of records that are looked at first, from all over the file; the target is not zero in them."""
    rows = np.flatnonzero(y)
    places = np.linspace(0, len(rows) - 1, min(2 * GLANCE, len(rows))).astype(np.int64)
    half = len(places) // 2
    return rows[places[:half]], rows[places[half : 2 * half]]


def _promising(y: Floats, x: Floats, a: int, kind: str, one: Ints, other: Ints) -> Ints:
    """The columns that may give the target with column `a`, all at once.

    Where the target is a constant times what is made of them in 95 % of the records, ratios agree in nine of ten pairs of records; half of
    the pairs are enough to look closer.
    """
    with np.errstate(divide="ignore", invalid="ignore", over="ignore", under="ignore"):
        first, second = (
            x[r, a][:, None] * x[r] if kind == "product" else x[r, a][:, None] / x[r] for r in (one, other)
        )
        apart = np.abs(first * (y[other] / y[one])[:, None] - second)
        agree = apart <= LOOSE * np.abs(second)
    return np.flatnonzero(2 * np.count_nonzero(agree, axis=0) >= len(one))


def _proportional(y: Floats, z: Floats) -> bool:
    """Y is a constant times z, where z is not zero and finite in enough records."""
    usable = np.isfinite(z) & (z != 0) & (y != 0)
    if np.count_nonzero(usable) < max(SPARE, MOST * np.count_nonzero(y)):
        return False
    if np.ptp(z[usable]) == 0:
        return False
    with np.errstate(over="ignore", invalid="ignore"):
        factor = np.median(y[usable] / z[usable])
        made = np.where(np.isfinite(z), z, np.inf) * factor
    return same(made, y)


def same(made: Floats, y: Floats) -> bool:
    """Whether numbers give others back: to a thousandth, in nearly all records."""
    with np.errstate(invalid="ignore"):
        hits = np.abs(made - y) <= CLOSE * np.abs(y) + 1e-12
    return bool(hits.mean() >= MOST)
