"""The same table before and after steps: their difference is what the steps took away, often of a single enterprise."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from tarnkappe.data.column import Column, Floats
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.pattern import Pattern, Sensitivity
from tarnkappe.data.pattern_set import as_published
from tarnkappe.data.tabulate import tabulate
from tarnkappe.language import Text
from tarnkappe.plan.measure_relations import AFTER_STEPS, MeasureRelation
from tarnkappe.plan.unseen import LARGEST, Laid
from tarnkappe.vocab import Role

LEAST = 3
"""What steps have changed of fewer contributors to a cell must not become known."""
NOTHING_LEFT = 1e-7
"""Changes that add up to less than this share of their sizes cancel out: a step keeps the sums."""
RECORDS = " (in the records)"
"""What the released records add up to is a measure of its own."""
ROUNDING = 1e-9
_COLUMN = "#change"
_FEW = Text(
    "steps have changed it for few contributors", "Schritte haben sie bei wenigen Beitragenden verändert"
)


class Left(NamedTuple):
    """What leaves the house beside tables, and how it became so."""

    released: Microdata | None = None
    """None: no records are released."""
    stages: tuple[Microdata, ...] = ()
    """The data after every step."""


def sums_of_records(tables: Sequence[Laid], released: Microdata | None) -> Iterator[Laid]:
    """What the released records add up to, by the dimensions of every table before steps: as good as published."""
    made = set()
    for laid in tables:
        key = (laid.measure, laid.by)
        if released is None or laid.plan is None or laid.data is None or key in made:
            continue
        names = (*laid.by, *(() if laid.value is None else (laid.value,)), *laid.data.role(Role.WEIGHT))
        shown = [released.columns.get(name) for name in names]
        if (
            laid.measure.endswith(AFTER_STEPS)
            or len(released) == 0
            or not all(column is not None for column in shown)
        ):
            continue
        if laid.value is not None and not released.columns[laid.value].kind.is_number:
            continue
        made.add(key)
        table = tabulate(
            released,
            laid.by,
            laid.value,
            name=f"{laid.plan.described.name} (Σ)",
            weighted=laid.plan.described.weighted,
        )
        plain = replace(
            table,
            measure=f"{laid.measure}{RECORDS}",
            contributions=None,
            owners=None,
            unweighted=None,
            source="",
        )
        yield Laid(as_published(Pattern(plain)), released, laid.plan, laid.value)


def changes_by_steps(
    tables: Sequence[Laid], stages: Sequence[Microdata]
) -> Iterator[tuple[Laid, MeasureRelation]]:
    """For every table before steps and the same measure after them what lies between, as a table that nobody sees."""
    made = set()
    for before in tables:
        for after in tables:
            by = tuple(name for name in before.by if name in after.by) or before.by
            key = (before.measure, after.measure, by)
            if (
                after.measure not in (f"{before.measure}{AFTER_STEPS}", f"{before.measure}{RECORDS}")
                or key in made
            ):
                continue
            change = _change(before, after, by, stages)
            if change is not None:
                made.add(key)
                terms = {before.measure: 1.0, after.measure: -1.0, change.measure: -1.0}
                yield change, MeasureRelation(terms, {}, equation=True)


def _change(before: Laid, after: Laid, by: tuple[str, ...], stages: Sequence[Microdata]) -> Laid | None:
    if before.data is None or after.data is None or before.plan is None:
        return None
    amount = _taken_away(before.data, _way(before.data, after.data, stages), before.value, by)
    if amount is None or not np.isfinite(amount).any():
        return None
    data = before.data.with_columns({_COLUMN: Column.numbers_of(amount)})
    described = before.plan.described
    table = tabulate(
        data, by, _COLUMN, name=f"{described.name} (Δ)", largest=LARGEST, weighted=described.weighted
    )
    kept = table.contributions
    assert kept is not None, "a table of records tells who contributes"
    pattern = Pattern(replace(table, measure=f"{after.measure} (Δ)"))
    size = np.abs(table.value) if kept.size is None else kept.size
    still = np.abs(table.value) <= NOTHING_LEFT * size
    nothing = np.zeros(len(table))
    pattern = pattern.marked(Sensitivity((kept.count < LEAST) & ~still, nothing, nothing, _FEW))
    for rule in before.plan.rules if kept.size is None else ():
        pattern = pattern.marked(rule.mark(table))
    low = np.where(still, table.value, pattern.low)
    return Laid(replace(pattern, low=low, high=np.where(still, table.value, pattern.high)))


def _way(before: Microdata, after: Microdata, stages: Sequence[Microdata]) -> list[Microdata]:
    """The stages between two, the last with them."""
    if after is before:
        return []
    place = next((i for i, stage in enumerate(stages) if stage is after), None)
    return [after] if place is None else list(stages[: place + 1])


def _taken_away(
    before: Microdata, way: Sequence[Microdata], value: str | None, by: tuple[str, ...]
) -> Floats | None:
    """By record what steps took away, NaN where nothing; None where records were made up or went into other cells.

    What a step changes so that the sums of the cells stay is nobody's: who subtracts does not see it.
    """
    cell = np.unique(np.stack([before.columns[n].true_codes()[0] for n in by]), axis=1, return_inverse=True)[
        1
    ].reshape(-1)
    was = _amounts(before, before, value)
    out, last, alike = np.zeros(len(before)), was, True
    for stage in way:
        if (stage.rows < 0).any() or len(np.unique(stage.rows)) < len(stage.rows):
            return None
        now = _amounts(before, stage, value)
        step = np.where(
            np.abs(last - now) <= ROUNDING * np.maximum(np.abs(last), np.abs(now)), 0.0, last - now
        )
        total, size = np.bincount(cell, step), np.bincount(cell, np.abs(step))
        out += np.where((np.abs(total) <= NOTHING_LEFT * size)[cell], 0.0, step)
        last = now
        alike = alike and _same_cells(before, stage, by)
    return np.where(np.abs(out) <= ROUNDING * np.abs(was), np.nan, out) if alike else None


def _same_cells(before: Microdata, stage: Microdata, by: tuple[str, ...]) -> bool:
    old, new = before.paired(stage)
    return all(
        n in new.columns
        and (
            old.columns[n] is new.columns[n] or np.array_equal(old.columns[n].texts(), new.columns[n].texts())
        )
        for n in by
    )


def _amounts(before: Microdata, stage: Microdata, value: str | None) -> Floats:
    """What every record of the original adds at a stage; 0 where it is gone or shows no value."""
    place = np.full(int(max(before.rows.max(initial=0), stage.rows.max(initial=0))) + 1, -1, dtype=np.int64)
    place[before.rows] = np.arange(len(before))
    out = np.zeros(len(before))
    at = place[stage.rows]
    column = None if value is None else stage.columns.get(value)
    shown = np.ones(len(stage)) if value is None else np.zeros(len(stage))
    if column is not None and column.kind.is_number:
        shown = np.nan_to_num(column.numbers())
    out[at[at >= 0]] = shown[at >= 0]
    return out
