"""Runs for the tests of the report, made in memory."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from tarnkappe.data.microdata import Microdata
from tarnkappe.language import Text
from tarnkappe.plan.gate import judge, something_left
from tarnkappe.plan.ledger import ClaimEntry, GateEntry, MeasureEntry, Run, StepEntry, Versions
from tarnkappe.plan.model import DataDescription, Gate, Plan, ReleaseDescription
from tarnkappe.plan.run import changes
from tarnkappe.randomness import stream
from tarnkappe.spec import Holds, Measure, Method, catalogue
from tarnkappe.spec.parameters import build
from tarnkappe.spec.step import apply_step

SECRET = "5ecre7-0f-the-run-0123456789abcdef"
ROUTINE = (
    "risk.k-anonymity", "risk.uniques", "risk.class-sizes", "utility.moments", "utility.correlations", "utility.changed",
)  # fmt: skip


def made(id, **parameters):
    return build(catalogue[id], parameters)


def make_run(
    before: Microdata,
    *steps: Method,
    gates: tuple[Gate, ...] = (),
    measures: tuple[Measure, ...] | None = None,
    title: str = "A file for science",
) -> Run:
    """Apply, measure and judge as `plan.run` does, without files."""
    after, entries = before, []
    for number, method in enumerate(steps, start=1):
        data, after = after, apply_step(method, after, stream(SECRET, method.id, number), number)
        entries.append(_entry(number, method, data, after))
    chosen = (*(g.measure for g in gates), *(measures if measures is not None else (made(m) for m in ROUTINE)))
    found = tuple(_measured(m, before, after) for m in dict.fromkeys(chosen))
    findings = {entry.measure: entry.after for entry in found}
    hidden = GateEntry(Text("no identifier is left", "kein Identifikator ist übrig"), True, Text("", ""), public=False)
    judged = (*(judge(g, findings[g.measure]) for g in gates), something_left(after), hidden)
    source = {
        "tarnkappe": 1, "title": title, "data": {"file": "data.csv"}, "seed": {"secret": "survey"},
        "steps": [{"use": m.id, **m.model_dump(mode="json")} for m in steps],
    }  # fmt: skip
    plan = Plan(
        title=title, data=DataDescription(file="data.csv"), release=ReleaseDescription(), secret="survey",
        steps=tuple(steps), measures=(), gates=gates, folder=Path(), source=source, lines={}, file="plan.yaml",
    )  # fmt: skip
    return Run(
        plan=plan, before=before, after=after, steps=tuple(entries), measures=found, gates=judged,
        inputs={"data.csv": "ab" * 32}, secret="f1ngerpr1nt", repeatable=True,
        started=datetime(2026, 3, 14, 15, 9, 26, tzinfo=UTC), versions=Versions("0.1.0", "3.11.2", {"numpy": "2.1.0"}),
        seconds={"read": 0.25, "steps": 1.5, "measures": 2.0, "gates": 0.01},
    )  # fmt: skip


def _entry(number, method, data, after) -> StepEntry:
    claims = [
        ClaimEntry(side, c.says, c.holds, True if c.holds is Holds.ALWAYS else None)
        for side in ("preserves", "protects")
        for c in getattr(method, side)
        if c.applies(method)
    ]
    return StepEntry(
        number=number, method=method, implied=False, records_before=len(data), records_after=len(after),
        changes=dict(changes(data, after)), claims=tuple(claims), tells=dict(method.tells(data, after)), seconds=0.125,
    )  # fmt: skip


def _measured(measure, before, after) -> MeasureEntry:
    first = None if measure.compares else measure.measure(before)
    second = measure.measure(after, before if measure.compares else None)
    return MeasureEntry(measure, first, second, 0.5)
