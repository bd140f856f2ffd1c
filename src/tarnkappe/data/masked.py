"""Changed numbers on their way back into the data, and old and new numbers side by side."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from tarnkappe.data.column import Bools, Column, Floats, Ints
from tarnkappe.data.households import homes_of, shared_in_homes
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.strata import Strata
from tarnkappe.errors.masking import ResultTooLarge
from tarnkappe.kernels.classes import classes
from tarnkappe.kernels.coding import dense_codes
from tarnkappe.kernels.standard import power_scale
from tarnkappe.kernels.whole import whole_groups, whole_with_total
from tarnkappe.vocab import Kind

Whole = Literal["decimals", "nearest", "total"]
"""What becomes of whole numbers: they get decimals, are rounded to the nearest, or rounded with the total kept."""


EXACT = 2.0**53
"""Below this every whole number has a floating-point number of its own."""


def whole_valued(column: Column) -> bool:
    """Whether a column holds whole numbers: as such, or as decimals that are all whole, as SPSS has them in the format F8.2."""
    if column.kind is not Kind.NUMBER:
        return column.kind is Kind.INTEGER
    shown = column.values[column.observed]
    return bool(len(shown) and np.all((shown == np.rint(shown)) & (np.abs(shown) < EXACT)))


def with_masked(
    data: Microdata, names: Sequence[str], values: Floats, whole: Whole, strata: Strata
) -> Microdata:
    """New numbers in the observed cells; columns of whole numbers are rounded if `whole` says so.

    With `total`, the total of every stratum moves by at most one half; where members of a household have a value in common, by half of
    the largest household, and that of the file where strata divide households.
    """
    out = values if whole == "decimals" else values.copy()
    for j, name in enumerate(names):
        column = data.column(name)
        if whole == "decimals" or not whole_valued(column):
            continue
        if whole == "nearest":
            out[:, j] = np.rint(out[:, j])
        elif shared_in_homes(data, (name,)):
            there, (homes, _) = np.flatnonzero(column.observed), homes_of(data)
            blocks = strata.of[there].astype(np.int64)
            apart = len(np.unique(np.stack([homes[there], blocks]), axis=1)[0]) > len(np.unique(homes[there]))
            out[there, j] = whole_groups(
                out[there, j],
                dense_codes(homes[there].astype(np.float64))[0],
                np.zeros_like(blocks) if apart else blocks,
            )
        else:
            y = np.where(column.observed, out[:, j], np.nan)
            out[:, j] = whole_with_total(y, strata.order, strata.starts)
    return data.with_numbers(names, out)


def whole_alike(
    column: Column,
    values: Floats,
    whole: Whole,
    blocks: Ints,
    groups: Ints | None = None,
    weights: Floats | None = None,
) -> Floats:
    """New numbers for a column; if it has whole numbers and `whole` says so, rounded, and alike within groups.

    Without `groups`, equal numbers of a block are one. With `total`, the total of every block, weighted where weights are given, moves by at most half the
    weight of its heaviest group, and larger numbers of a block do not become smaller than others.
    """
    if whole == "decimals" or not whole_valued(column):
        return values
    if whole == "nearest":
        return np.rint(values)
    return whole_groups(values, equal_in(blocks, values) if groups is None else groups, blocks, weights)


def equal_in(blocks: Ints, values: Floats) -> Ints:
    """A number for the records of a block with the same value."""
    return classes([(blocks, int(blocks.max(initial=0)) + 1), dense_codes(values)]).ids.astype(np.int64)


def without_gaps(x: Floats) -> Bools:
    """Records that have all values."""
    return np.asarray((~np.isnan(x)).all(axis=1))


def refuse_infinite(data: Microdata, names: Sequence[str], values: Floats, who: str) -> None:
    """Results must be finite where something is observed."""
    for j, name in enumerate(names):
        count = int(np.count_nonzero(~np.isfinite(values[:, j]) & data.column(name).observed))
        if count:
            raise ResultTooLarge(who=who, name=name, count=count)


def not_rounded(data: Microdata, names: Sequence[str], whole: Whole) -> tuple[str, ...]:
    """The columns whose results are not rounded."""
    return tuple(n for n in names if whole == "decimals" or not whole_valued(data.column(n)))


def rounded(data: Microdata, names: Sequence[str], whole: Whole) -> list[str]:
    """The columns whose results are rounded to whole numbers."""
    return [n for n in names if n not in not_rounded(data, names, whole)]


def side_by_side(before: Microdata, after: Microdata, names: Sequence[str]) -> tuple[Floats, Floats]:
    """Old and new numbers in the order of `after`, on a common scale; NaN where either is not shown."""
    x, y = before.aligned_to(after).numbers(names), after.numbers(names)
    gaps = np.isnan(x) | np.isnan(y)
    x, y = np.where(gaps, np.nan, x), np.where(gaps, np.nan, y)
    scale = power_scale(np.where(gaps, 0.0, np.maximum(np.abs(x), np.abs(y))))
    return x / scale, y / scale
