"""Take measures before and after: those the plan asks for, and the routine ones wherever the data has what they need."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from contextlib import suppress

from tarnkappe.data.microdata import Microdata
from tarnkappe.errors import InputWrong
from tarnkappe.language import Text
from tarnkappe.plan.ledger import MeasureEntry
from tarnkappe.plan.model import Plan
from tarnkappe.plan.progress import Progress
from tarnkappe.spec import Finding, Measure, catalogue
from tarnkappe.spec.parameters import build

ROUTINE = (
    "risk.k-anonymity",
    "risk.class-sizes",
    "risk.uniques",
    "utility.moments",
    "utility.correlations",
    "utility.changed",
)
"""Taken in every run whose data has what they need."""


def measures_of(plan: Plan) -> tuple[tuple[Measure, ...], tuple[Measure, ...]]:
    """What the gates and the plan ask for, and the routine measures beside them, each once."""
    wanted = [*(gate.measure for gate in plan.gates), *plan.measures]
    asked = tuple(dict.fromkeys(m for m in wanted if isinstance(m, Measure)))
    return asked, tuple(m for m in routine() if m not in asked) if plan.releases_data else ()


def routine(*, without: Iterable[str] = ()) -> Iterator[Measure]:
    """The routine measures with their default parameters."""
    for id in ROUTINE:
        made = build(catalogue[id], {})
        if isinstance(made, Measure) and id not in without:
            yield made


def measured(measure: Measure, before: Microdata, after: Microdata, progress: Progress) -> MeasureEntry:
    """Take a measure on both sides, or of the one against the other where it compares."""
    progress.next(Text(f"measuring: {measure.title.en}", f"Messung: {measure.title.de}"))
    began = time.perf_counter()
    second = _finding(measure, after, before if measure.compares else None)
    first = None if measure.compares else _original(measure, before)
    return MeasureEntry(measure, first, second, time.perf_counter() - began)


def measured_where_possible(
    measures: Iterable[Measure], before: Microdata, after: Microdata, progress: Progress
) -> Iterator[MeasureEntry]:
    """Leave out what the data has no columns for: nobody asked for it."""
    for measure in measures:
        try:
            yield measured(measure, before, after, progress)
        except InputWrong:
            continue


def _original(measure: Measure, before: Microdata) -> Finding | None:
    """What the original has, where it can be told: a column may be new, a missing key may be gone since."""
    with suppress(InputWrong):
        return _finding(measure, before, None)
    return None


def _finding(measure: Measure, data: Microdata, against: Microdata | None) -> Finding:
    if len(data) == 0:
        because = Text("no record is left", "es ist kein Datensatz übrig")
        return Finding(float("nan"), trusted=False, because=because)
    return measure.measure(data, against)
