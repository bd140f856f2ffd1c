"""What the steps of a draft do to some records: the columns before and after, the risk, and what stops a step."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from tarnkappe.data.column import Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.errors import TarnkappeError
from tarnkappe.errors.release import PlanWrong
from tarnkappe.language import NOTHING, Text, number
from tarnkappe.plan.as_one import treated_as_one
from tarnkappe.plan.implied import steps_of
from tarnkappe.plan.measuring import measured
from tarnkappe.plan.model import Asked, Plan
from tarnkappe.plan.prepare import fitted_to
from tarnkappe.plan.progress import Progress
from tarnkappe.randomness import Secret, stream
from tarnkappe.spec import Measure, Method, catalogue
from tarnkappe.spec.parameters import build
from tarnkappe.spec.step import apply_step
from tarnkappe.studio.desk import SAMPLE, Desk, checked, sample_of
from tarnkappe.studio.tasks.compare_columns import ColumnSeen, compared
from tarnkappe.studio.worker import Trouble
from tarnkappe.vocab import Role

_SECRET = Secret("preview", b"a preview is no release: it may be the same every time")
_PARTS = ("tarnkappe", "title", "data", "release", "steps", "allow", "process")
_HEADLINE = ("risk.k-anonymity", "risk.uniques")
_READING = Text("reading the data", "Daten werden gelesen")
_COMPARING = Text("comparing before and after", "Vorher und nachher werden verglichen")


@dataclass(frozen=True, slots=True)
class StepSeen:
    """A step as the preview met it."""

    id: str
    title: Text
    at: int | None
    """Its place in the plan, from 0; None for steps that every release takes."""
    says: Text = NOTHING
    """What it did, in numbers."""
    trouble: Trouble | None = None
    first: bool = True
    """Of the steps that the plan does not name: it comes before the others."""


@dataclass(frozen=True, slots=True)
class Headline:
    """One measure of risk before and after."""

    id: str
    title: Text
    before: float
    after: float


@dataclass(frozen=True, slots=True)
class Preview:
    """What the steps do to some records."""

    records: int
    """Records looked at."""
    whole: int
    """Records of the file."""
    left: int
    """Records that are left."""
    steps: tuple[StepSeen, ...] = ()
    columns: tuple[ColumnSeen, ...] = ()
    risk: tuple[Headline, ...] = ()
    trouble: Trouble | None = None
    """What is wrong with the plan apart from its steps."""

    @property
    def sampled(self) -> bool:
        return self.records < self.whole

    @property
    def stopped(self) -> StepSeen | None:
        """The step that could not be done."""
        return next((step for step in self.steps if step.trouble), None)


def preview(
    desk: Desk, progress: Progress, folder: Path, content: Mapping[str, Any], size: int = SAMPLE
) -> Preview:
    """Take the steps on some records, as far as they can be taken."""
    progress.expect_also(2)
    progress.next(_READING)
    raw = desk.raw(folder, content["data"])
    some = _lean(sample_of(raw, size))
    wrong, plan, before = _prepared(folder, content, some)
    if plan is None or before is None:
        return Preview(len(some), len(raw), len(some), trouble=wrong.get(None), steps=_faulty(content, wrong))
    try:
        steps = treated_as_one(steps_of(plan), before, plan.relations)
    except TarnkappeError as problem:
        return Preview(len(some), len(raw), len(some), trouble=Trouble.of(problem))
    progress.expect_also(len(steps))
    after, seen = _taken(steps, before, progress)
    progress.next(_COMPARING)
    named = {name for method, implied in steps if not implied for name in method.named_columns()}
    named -= set(before.role(Role.IDENTIFIER))
    return Preview(
        records=len(some), whole=len(raw), left=len(after), steps=(*seen, *_faulty(content, wrong)),
        columns=compared(before, after, named), risk=tuple(_headline(before, after)), trouble=wrong.get(None),
    )  # fmt: skip


def _lean(data: Microdata) -> Microdata:
    """Without the categories that no record of a sample has: in a large file there are many, and methods look at all."""
    wide = {
        n: c for n, c in data.columns.items() if c.categories is not None and len(c.categories) > len(c) > 0
    }
    return data.with_columns({name: _with_used(column) for name, column in wide.items()})


def _with_used(column: Column) -> Column:
    assert column.categories is not None, "it is a column of categories"
    used, codes = np.unique(column.values, return_inverse=True)
    return replace(
        column.with_codes(codes.ravel(), column.categories[used]), value_labels=column.value_labels
    )


# -- what can be taken --------------------------------------------------------------------------------------------

Wrong = dict[int | None, Trouble]
"""What is wrong, by the step; None for the rest of the plan."""


def _prepared(
    folder: Path, content: Mapping[str, Any], some: Microdata
) -> tuple[Wrong, Plan | None, Microdata | None]:
    """The plan and its data; with steps that are wrong, the plan up to the first of them."""
    part = {name: content[name] for name in _PARTS if name in content}
    part = {"tarnkappe": 1, "title": "preview", **part}
    steps, wrong = list(part.get("steps") or ()), Wrong()
    for without in ((), ("process",), ("process", "release")):
        kept = {name: value for name, value in part.items() if name not in without}
        try:
            plan = checked(folder, {**kept, "steps": steps})
            assert plan.data is not None, "there is data"
            return wrong, plan, fitted_to(plan, plan.data, some)
        except PlanWrong as problem:
            wrong |= _by_step(problem)
        except TarnkappeError as problem:
            return {None: Trouble.of(problem)}, None, None
        faulty = [at for at in wrong if at is not None]
        if faulty:
            return _up_to(min(faulty), folder, {**kept, "steps": steps}, some, wrong)
    return wrong, None, None


def _up_to(
    first: int, folder: Path, content: Mapping[str, Any], some: Microdata, wrong: Wrong
) -> tuple[Wrong, Plan | None, Microdata | None]:
    """The plan with the steps before the first wrong one."""
    steps = content["steps"][:first]
    try:
        plan = checked(folder, {n: v for n, v in content.items() if n != "process"} | {"steps": steps})
        assert plan.data is not None, "there is data"
        return wrong, plan, fitted_to(plan, plan.data, some)
    except TarnkappeError as problem:
        return {**wrong, None: Trouble.of(problem)}, None, None


def _by_step(problem: PlanWrong) -> Wrong:
    """The problems of a plan, each at its step."""
    out: Wrong = {}
    for place, says in problem.places.items():
        at = place[1] if place[:1] == ("steps",) and len(place) > 1 and isinstance(place[1], int) else None
        named = ".".join(str(part) for part in place[2:3])
        what = Text(f"{named}: {says.en}", f"{named}: {says.de}") if named else says
        known = out.get(at)
        if known:
            what = Text(f"{known.what.en}\n{what.en}", f"{known.what.de}\n{what.de}")
        out[at] = Trouble(problem.code, what, NOTHING, problem.exit_code)
    return out


def _faulty(content: Mapping[str, Any], wrong: Wrong) -> tuple[StepSeen, ...]:
    """The steps that are wrong as they stand in the plan."""
    out = []
    for at in sorted(at for at in wrong if at is not None):
        given = content["steps"][at]
        id = str(given.get("use") if isinstance(given, Mapping) else given)
        title = catalogue[id].title if id in catalogue else Text(id, id)
        out.append(StepSeen(id, title, at, trouble=wrong[at]))
    return tuple(out)


# -- taking them --------------------------------------------------------------------------------------------------


def _taken(
    steps: list[tuple[Method, bool]], data: Microdata, progress: Progress
) -> tuple[Microdata, list[StepSeen]]:
    """The data after the steps, up to the first that cannot be done."""
    seen: list[StepSeen] = []
    used: dict[str, int] = {}
    at = -1
    for nr, (method, implied) in enumerate(steps, start=1):
        progress.next(method.title)
        at += not implied
        nth = used[method.id] = used.get(method.id, -1) + 1
        place = None if implied else at
        try:
            after = apply_step(method, data, stream(_SECRET, method.id, nth), nr)
        except Exception as problem:  # noqa: BLE001 - whatever stops a step is told at the step
            return data, [*seen, StepSeen(method.id, method.title, place, trouble=Trouble.of(problem))]
        seen.append(StepSeen(method.id, method.title, place, _says(data, after), first=at < 0))
        data = after
    return data, seen


def _says(before: Microdata, after: Microdata) -> Text:
    """What a step did, in a few words."""
    counts = (
        (len(before) - len(after), Text("records removed", "entfernte Datensätze")),
        (len(after) - len(before), Text("records added", "zusätzliche Datensätze")),
        (len(set(before.columns) - set(after.columns)), Text("columns dropped", "entfernte Spalten")),
        (len(set(after.columns) - set(before.columns)), Text("columns added", "zusätzliche Spalten")),
    )
    parts = [Text(f"{word.en}: {n:,}", f"{word.de}: {number(n, 'de')}") for n, word in counts if n > 0]
    return Text(" · ".join(p.en for p in parts), " · ".join(p.de for p in parts))


def _headline(before: Microdata, after: Microdata) -> list[Headline]:
    """The smallest class and the share of unique records; nothing where the data has no keys."""
    out = []
    for id in _HEADLINE:
        measure = build(catalogue[id], {})
        assert isinstance(measure, Measure)
        try:
            entry = measured(Asked(measure), before, after, Progress())
        except TarnkappeError:
            continue
        first = entry.before.value if entry.before else float("nan")
        out.append(Headline(id, measure.title, first, entry.after.value))
    return out
