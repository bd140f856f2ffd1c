"""From a categorical column to bars that show no single record."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from tarnkappe.data.column import Column
from tarnkappe.language import Text, same
from tarnkappe.report.axes import SMALLEST
from tarnkappe.report.numbers import shown
from tarnkappe.vocab import Kind

MOST = 12
"""Most categories that are drawn; the others are one bar."""
_NUMBER = re.compile(r"^[^\w-]*(-?\d+(?:\.\d+)?)")


@dataclass(frozen=True, slots=True)
class Bar:
    """One category: its share of all records, before and after."""

    name: Text
    before: float
    after: float
    rest: bool = False
    """All categories together that have no bar of their own."""


@dataclass(frozen=True, slots=True)
class Side:
    """How often each shown category occurs in one column."""

    records: int
    counts: Mapping[str, int]
    labels: Mapping[str, str]
    missing: int
    suppressed: int

    def share(self, count: int) -> float:
        return count / self.records if self.records and count >= SMALLEST else 0.0

    def usual(self) -> list[str]:
        """The categories that may be drawn, the most frequent first."""
        common = [name for name, count in self.counts.items() if count >= SMALLEST]
        return sorted(common, key=lambda name: (-self.counts[name], name))


def side(column: Column) -> Side:
    """Count the observed categories."""
    assert column.categories is not None, "only categorical columns are counted"
    counts = np.bincount(column.values[column.observed], minlength=len(column.categories))
    counted = {str(column.categories[i]): int(counts[i]) for i in np.flatnonzero(counts)}
    return Side(
        len(column), counted, column.value_labels, int(column.missing.sum()), int(column.suppressed.sum())
    )


_NOTHING = Side(0, {}, {}, 0, 0)


def together(before: Side, after: Side) -> tuple[Bar, ...]:
    """Bars of both sides beside each other, for columns that kept their categories."""
    drawn = _ordered(before.usual()[:MOST], before)
    bars = [_bar(_named(name, before), name, before, after) for name in drawn]
    rests = [sum(s.counts.values()) - sum(s.counts.get(n, 0) for n in drawn) for s in (before, after)]
    return (*bars, *_ends(rests, len(before.counts) - len(drawn), before, after))


def alone(counted: Side) -> tuple[Bar, ...]:
    """Bars of one side, as `after`."""
    drawn = _ordered(counted.usual()[:MOST], counted)
    bars = [_bar(_named(name, counted), name, _NOTHING, counted) for name in drawn]
    rest = sum(counted.counts.values()) - sum(counted.counts[n] for n in drawn)
    return (*bars, *_ends([0, rest], len(counted.counts) - len(drawn), _NOTHING, counted))


def same_categories(before: Side, after: Side) -> bool:
    """No category came new: one pair of bars per category is honest."""
    return set(after.counts) <= set(before.counts)


def _bar(name: Text, code: str, before: Side, after: Side) -> Bar:
    return Bar(name, before.share(before.counts.get(code, 0)), after.share(after.counts.get(code, 0)))


def _ends(rests: list[int], others: int, before: Side, after: Side) -> list[Bar]:
    """What is not a category of its own: the rare ones together, suppressed, missing."""
    count = shown(others)
    counts = (
        (Text(f"other ({count.en})", f"andere ({count.de})"), rests[0], rests[1], True),
        (Text("suppressed", "unterdrückt"), before.suppressed, after.suppressed, False),
        (Text("missing", "fehlend"), before.missing, after.missing, False),
    )
    bars = [Bar(name, before.share(old), after.share(new), rest) for name, old, new, rest in counts]
    return [bar for bar in bars if bar.before or bar.after]


def _named(code: str, counted: Side) -> Text:
    """The code, with its label where there is one."""
    label = counted.labels.get(code, "")
    return same(f"{code} {label}" if label and label != code else code)


def _ordered(names: list[str], counted: Side) -> list[str]:
    """By frequency; bands and other numbered categories by number, where none is left out."""
    numbers = [number_of(name) for name in names]
    if len(names) < len(counted.counts) or None in numbers:
        return names
    return [name for _, name in sorted(zip(numbers, names, strict=True))]


def number_of(name: str) -> float | None:
    """The number a band or a year begins with: ``[20, 25)`` gives 20."""
    found = _NUMBER.match(name)
    return float(found[1]) if found else None


def as_numbers(column: Column) -> Column | None:
    """Bands or years as the numbers they begin with, for a picture of many; None for other categories."""
    assert column.categories is not None, "only categories begin with a number"
    shown_codes = np.unique(column.values[column.observed])
    begins = [number_of(str(column.categories[code])) for code in shown_codes]
    if len(begins) <= MOST or None in begins:
        return None
    look_up = np.zeros(len(column.categories))
    look_up[shown_codes] = begins
    return Column(Kind.NUMBER, look_up[column.values], column.state)
