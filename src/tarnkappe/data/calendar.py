"""Dates in decades, years, quarters, months and days."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tarnkappe.data.column import Column
from tarnkappe.data.hierarchy import TOTAL, Hierarchy
from tarnkappe.data.hierarchy_builders import Level, from_levels
from tarnkappe.data.intervals import distinct_values, leaves
from tarnkappe.vocab import Kind

PERIODS = ("decade", "year", "quarter", "month", "day")
"""Coarse to fine; each lies inside the one before it. Weeks do not lie inside months or years."""


@dataclass(frozen=True, slots=True)
class Dates:
    """Decades (2020s), years (2026), quarters (2026-Q1), months (2026-03) and days (2026-03-15)."""

    periods: tuple[str, ...]
    """Some of `PERIODS`, in any order."""
    total: str = TOTAL

    def build(self, name: str, column: Column) -> Hierarchy:
        """The periods that the dates of a column lie in, and the dates below them."""
        values = distinct_values(column)
        days = values.astype("datetime64[D]" if column.kind is Kind.DATE else "datetime64[us]")
        levels = [_classes(days, period) for period in PERIODS if period in self.periods]
        names = self.level_names(column.kind)
        if len(names) > len(levels) + 1:
            levels.append(leaves(column, values))
        return from_levels(name, levels, self.total, rule=self).worded(names, {})

    def level_names(self, kind: Kind) -> tuple[str, ...]:
        """The names of the levels, the total and the dates themselves included."""
        finest = "day" if kind is Kind.DATE else "time"
        return ("total", *(p for p in PERIODS if p in self.periods and p != finest), finest)


def _classes(dates: NDArray[Any], period: str) -> Level:
    if period == "quarter":
        return _quarters(dates)
    if period == "decade":
        return _decades(dates)
    unit = {"year": "Y", "month": "M", "day": "D"}[period]
    numbers, ids = np.unique(dates.astype(f"datetime64[{unit}]"), return_inverse=True)
    return ids.ravel(), np.datetime_as_string(numbers).astype(object)


def _decades(dates: NDArray[Any]) -> Level:
    years = dates.astype("datetime64[Y]").astype(np.int64) + 1970
    numbers, ids = np.unique(years // 10 * 10, return_inverse=True)
    codes = np.empty(len(numbers), dtype=object)
    codes[:] = [f"{decade}s" for decade in numbers.tolist()]
    return ids.ravel(), codes


def _quarters(dates: NDArray[Any]) -> Level:
    quarters = dates.astype("datetime64[M]").astype(np.int64) // 3
    numbers, ids = np.unique(quarters, return_inverse=True)
    years = np.datetime_as_string((numbers // 4).astype("datetime64[Y]"))
    codes = np.empty(len(numbers), dtype=object)
    codes[:] = [f"{year}-Q{quarter + 1}" for year, quarter in zip(years, (numbers % 4).tolist(), strict=True)]
    return ids.ravel(), codes
