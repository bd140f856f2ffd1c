"""Whom an attack finds: small units or large ones. Large firms carry the risk, and a mean over all hides it."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from tarnkappe.data.column import Bools, Column, Floats, Ints
from tarnkappe.risk.outside import Outside, places
from tarnkappe.risk.populations import MOST_STRATA
from tarnkappe.spec import Json

CLASSES = 5
"""Classes of size with equally many persons, from the smallest to the largest."""


def by_size(outside: Outside, searched: Bools, right: Floats, by: str, top: int) -> dict[str, Json]:
    """The share found in classes of a column, and among the `top` largest of every block; nothing where no column is named.

    A number is cut into five classes with equally many of the persons searched, the first the smallest. The groups of a category are
    numbered as they first appear, the worst first, and nobody is the largest. Who has no value is left out.
    """
    if not by:
        return {}
    column = _true(outside, by)
    if not column.kind.is_number:
        codes = column.codes()[0]
        there = searched & (codes >= 0)
        rows = _rows(codes, _in_order(codes[there]), there, right)
        rows.sort(key=lambda row: (-row["share"], row["group"]))
        return {"by": by, "groups": rows[:MOST_STRATA]}
    size = column.numbers()
    there = searched & ~np.isnan(size)
    large = _largest(size, there, outside.known_block, top)
    return {
        "by": by,
        "groups": _rows(_fifths(size, there), range(CLASSES), there, right),
        "largest": {"top": top, **_share(right, large)},
    }


def _true(outside: Outside, name: str) -> Column:
    """The column as the office has it; where the original was not given, as it stands in the attacker's file."""
    original = outside.original
    if original is None or name not in original.columns:
        return outside.known.column(name)
    place = places(outside.known.rows, original.rows)
    if (place < 0).any():
        return outside.known.column(name)
    return original.column(name).take(place)


def _fifths(size: Floats, there: Bools) -> Ints:
    """The class of every person; equal values are in one class."""
    ascending = np.sort(size[there])
    below = np.searchsorted(ascending, size, side="left")
    return np.minimum(below * CLASSES // max(len(ascending), 1), CLASSES - 1)


def _largest(size: Floats, there: Bools, block: Ints, top: int) -> Bools:
    """The `top` largest of every block, with those who are as large as the last of them."""
    rows = np.flatnonzero(there)
    order = rows[np.lexsort((-size[rows], block[rows]))]
    of = block[order]
    first = np.searchsorted(of, of)
    last = np.minimum(first + top, np.searchsorted(of, of, "right")) - 1
    out = np.zeros(len(size), dtype=np.bool_)
    out[order] = size[order] >= size[order][last]
    return out


def _rows(groups: Ints, numbers: Iterable[int], there: Bools, right: Floats) -> list[dict[str, Json]]:
    rows = [{"group": n, **_share(right, there & (groups == g))} for n, g in enumerate(numbers, 1)]
    return [row for row in rows if row["persons"]]


def _in_order(groups: Ints) -> list[int]:
    """The groups as they first appear."""
    values, first = np.unique(groups, return_index=True)
    return [int(g) for g in values[np.argsort(first)]]


def _share(right: Floats, who: Bools) -> dict[str, Json]:
    return {"persons": int(who.sum()), "share": float(right[who].mean()) if who.any() else None}
