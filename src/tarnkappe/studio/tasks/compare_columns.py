"""A column before and after: the same classes on both sides where both can be held against each other."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from tarnkappe.data.column import Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.plan.ledger import Change
from tarnkappe.plan.run import changes
from tarnkappe.studio.tasks.look import Bars, bars
from tarnkappe.vocab import Kind

CLASSES = 20
"""Classes of numbers."""
CATEGORIES = 10
"""Categories that are shown, the most frequent ones."""
MOST = 80
"""Columns that are compared."""
_EDGES = (1, 99)
"""Per cent of the values below and above which all stand in one class: one large value would press the others together."""


@dataclass(frozen=True, slots=True)
class ColumnSeen:
    """A column on both sides."""

    name: str
    before: Bars | None
    """None where the column is new."""
    after: Bars | None
    """None where the column was dropped."""
    together: bool
    """Both sides have the same classes."""
    changed: float
    """Share of the cells that show another value."""
    suppressed: float
    """Share of the cells that are suppressed now."""

    @property
    def touched(self) -> bool:
        return self.before is None or self.after is None or self.changed + self.suppressed > 0


def compared(before: Microdata, after: Microdata, named: Collection[str] = ()) -> tuple[ColumnSeen, ...]:
    """Every column on both sides; those that are named come first, and those that were touched most."""
    found = dict(changes(before, after))
    names = list(dict.fromkeys([*before.columns, *after.columns]))
    seen = [_seen(name, before, after, found.get(name, Change())) for name in names[:MOST]]
    return tuple(sorted(seen, key=lambda one: (one.name not in named, -(one.changed + one.suppressed))))


def _seen(name: str, before: Microdata, after: Microdata, change: Change) -> ColumnSeen:
    old, new = before.columns.get(name), after.columns.get(name)
    shares = [count / max(len(after), 1) for count in (change.changed, change.suppressed)]
    if old is None or new is None:
        left, right = (bars(c) if c is not None else None for c in (old, new))
        return ColumnSeen(name, left, right, together=False, changed=shares[0], suppressed=shares[1])
    pair = _together(old, new)
    left, right = pair or (bars(old), bars(new))
    return ColumnSeen(name, left, right, together=pair is not None, changed=shares[0], suppressed=shares[1])


def _together(old: Column, new: Column) -> tuple[Bars, Bars] | None:
    """Both in the same classes; None where they have nothing in common."""
    if old.kind.is_number and new.kind.is_number:
        return _in_classes(old, new)
    if old.kind is Kind.CATEGORY and new.kind is Kind.CATEGORY:
        return _in_categories(old, new)
    return None


def _in_classes(old: Column, new: Column) -> tuple[Bars, Bars] | None:
    values = [c.numbers()[c.observed].astype(np.float64) for c in (old, new)]
    values = [v[np.isfinite(v)] for v in values]
    everything = np.concatenate(values)
    if not len(everything):
        return None
    low, high = np.percentile(everything, _EDGES)
    edges = np.unique(np.linspace(low, high, CLASSES + 1))
    if len(edges) < 3 or not np.isfinite(edges).all():
        return None
    labels = tuple(short(edge) for edge in edges[:-1])
    counts = [np.histogram(np.clip(v, edges[0], edges[-1]), edges)[0] for v in values]
    return Bars(labels, tuple(counts[0].tolist()), 0), Bars(labels, tuple(counts[1].tolist()), 0)


def short(value: float) -> str:
    """A number for the axis of a small chart: 0.25, 940, 12k, 3.5M."""
    for sign, size in (("G", 1e9), ("M", 1e6), ("k", 1e4)):
        if abs(value) >= size:
            return f"{value / (1e3 if sign == 'k' else size):.3g}{sign}"
    return f"{value:.4g}"


def _in_categories(old: Column, new: Column) -> tuple[Bars, Bars] | None:
    counts = [_counts(column) for column in (old, new)]
    common = set(counts[0]) & set(counts[1])
    if 2 * len(common) < min(len(counts[0]), len(counts[1])) or not common:
        return None
    both = {name: counts[0].get(name, 0) + counts[1].get(name, 0) for name in (*counts[0], *counts[1])}
    shown = sorted(both, key=lambda name: -both[name])[:CATEGORIES]
    sides = [
        Bars(
            tuple(shown), tuple(c.get(n, 0) for n in shown), sum(c.values()) - sum(c.get(n, 0) for n in shown)
        )
        for c in counts
    ]
    return sides[0], sides[1]


def _counts(column: Column) -> dict[str, int]:
    """How often each category is shown."""
    assert column.categories is not None, "it is a column of categories"
    counts = np.bincount(column.values[column.observed], minlength=len(column.categories))
    return {str(column.categories[code]): int(counts[code]) for code in np.flatnonzero(counts)}
