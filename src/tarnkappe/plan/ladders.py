"""A first hierarchy for a column: leading digits of codes, bands of numbers, months and years of dates."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np

from tarnkappe.data.column import Column
from tarnkappe.data.hierarchy import Hierarchy
from tarnkappe.errors import TarnkappeError
from tarnkappe.plan.hierarchies import HierarchyDescription, build_hierarchy
from tarnkappe.plan.words import Hint
from tarnkappe.vocab import Kind

Description = dict[str, Any]
"""A hierarchy as it stands in a plan."""
_STEPS = (1, 2, 4)
"""Widths of the bands, in multiples of the finest."""
_BANDS = 20
"""Bands of the finest level."""


def described(column: Column, hint: Hint) -> tuple[Description, Hierarchy] | None:
    """A hierarchy for the column and its description, if there is a natural one."""
    description = _description(column, hint)
    if description is None:
        return None
    try:
        return description, build_hierarchy(HierarchyDescription(**description), "", column, Path())
    except TarnkappeError:
        return None


def _description(column: Column, hint: Hint) -> Description | None:
    if column.kind in (Kind.DATE, Kind.DATETIME):
        return {"dates": ["decade", "year", "month"]}
    if column.kind is Kind.CATEGORY:
        return _digits(_codes(column), 3 if hint == "digits" else 8)
    if column.kind is Kind.INTEGER and hint == "digits":
        return _digits(_codes(column), 3) or _bands(column)
    return _bands(column) if column.kind.is_number else None


def _codes(column: Column) -> list[str]:
    """The different codes that some cell shows."""
    used = np.unique(column.values[column.observed])
    if column.categories is not None:
        return [str(code) for code in column.categories[used]]
    return [column.spelt(value) for value in used.tolist()]


def _digits(codes: list[str], fewest: int) -> Description | None:
    """Lengths at which the number of different beginnings at least doubles, if the values are codes."""
    lengths = {len(code) for code in codes}
    if len(codes) < fewest or len(lengths) > 3 or not 1 < max(lengths) <= 12:
        return None
    if not all(re.fullmatch(r"[A-Za-z]{0,3}[0-9][A-Za-z0-9.]*", code) for code in codes):
        return None
    cuts, before = [], 1
    for length in range(1, max(lengths)):
        beginnings = len({code[:length] for code in codes})
        if 2 * before <= beginnings < len(codes):
            cuts.append(length)
            before = beginnings
    return {"digits": [*cuts, max(lengths)]} if cuts else None


def _bands(column: Column) -> Description | None:
    """Some twenty bands of a round width, and bands two and four times as wide."""
    values = column.numbers()[column.observed]
    if len(values) == 0 or not np.isfinite(values).all():
        return None
    span = float(values.max()) - float(values.min())
    width = _round_up(span / _BANDS) if 0 < span < np.inf else 0.0
    if column.kind is Kind.INTEGER:
        width = max(width, 2.0) if span >= 4 else 0.0
    if not 0 < width < np.inf:
        return None
    widths = [width * step for step in reversed(_STEPS) if width * step <= span]
    return {"bands": [int(w) if w.is_integer() else w for w in widths]} if widths else None


def _round_up(width: float) -> float:
    """The next number of the form 1, 2 or 5 times a power of ten."""
    exponent = int(np.floor(np.log10(width)))
    return next(m for e in (exponent, exponent + 1) for d in (1, 2, 5) if (m := float(f"{d}e{e}")) >= width)
