"""Runs for the tests of the report, made in memory."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import ClassVar

import numpy as np
from pydantic import Field

from tarnkappe.data.column import Column
from tarnkappe.data.hierarchy_builders import from_tree
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.moved import moved
from tarnkappe.data.pattern import Pattern
from tarnkappe.language import Text
from tarnkappe.plan.gate import judge, something_left
from tarnkappe.plan.ledger import ClaimEntry, GateEntry, MeasureEntry, Run, StepEntry, TableEntry, Versions
from tarnkappe.plan.model import DataDescription, Gate, Plan, ReleaseDescription, TableDescription, TablePlan
from tarnkappe.plan.policy import standard_policies
from tarnkappe.plan.run import changes
from tarnkappe.plan.tables import gates_of
from tarnkappe.randomness import public_stream as stream
from tarnkappe.spec import Claim, Family, Holds, Maturity, Measure, Method, Rule, Source, catalogue
from tarnkappe.spec.limits import ForAnalysis
from tarnkappe.spec.parameters import build
from tarnkappe.spec.step import apply_step
from tarnkappe.vocab import ReleaseKind, Role

SECRET = "5ecre7-0f-the-run-0123456789abcdef"
ROUTINE = (
    "risk.k-anonymity", "risk.uniques", "risk.class-sizes", "utility.moments", "utility.correlations", "utility.changed",
)  # fmt: skip


STRENGTH = 987654


class Shift(Method):
    """A method with a parameter that must stay secret; not in the catalogue."""

    id: ClassVar = "microdata.shift"
    family: ClassVar = Family.NOISE
    title: ClassVar = Text("Shift", "Verschieben")
    does: ClassVar = Text("Values were shifted a little.", "Werte wurden etwas verschoben.")
    sources: ClassVar = (Source("nobody2026", "page 7"),)
    does_not: ClassVar = (
        ForAnalysis("keep totals", "Summen erhalten"),
        Text("withstand repetition", "Wiederholungen standhalten"),
    )
    maturity: ClassVar = Maturity.REVIEWED
    revision: ClassVar = 4
    example: ClassVar = {}
    module: ClassVar = __name__
    preserves: ClassVar = (Claim(Text("the order", "die Reihenfolge"), lambda *_: True),)
    protects: ClassVar = (
        Claim(Text("the values, on average", "die Werte, im Mittel"), lambda *_: True, Holds.ON_AVERAGE),
    )
    random: ClassVar = False
    takes_identifiers: ClassVar = False

    columns: tuple[str, ...] = Field(description="Columns. | Spalten.")
    strength: int = Field(STRENGTH, description="How strongly. | Wie stark.")

    def apply(self, data, stream):
        return data.with_numbers(self.columns, data.numbers(self.columns) + 1)

    def tells(self, before, after):
        return {"income": {"distribution": "point", "mean": 1}}


def persons(n=200) -> Microdata:
    r = np.random.default_rng(5)
    towns = [("n1", "n2", "s1")[i] for i in r.integers(3, size=n)]
    state = np.zeros(n, dtype=np.uint8)
    state[:30] = 1
    columns = {
        "name": Column.texts_of([f"Person {i}" for i in range(n)]),
        "town": Column.texts_of(
            towns, label="Town", hierarchy=from_tree("town", {"north": ["n1", "n2"], "south": ["s1"]})
        ),
        "sex": Column.texts_of(
            ["f" if i % 2 else "m" for i in range(n)], value_labels={"f": "female", "m": "male"}
        ),
        "job": Column.texts_of(["clerk"] * (n - 1) + ["astronaut"]),
        "income": Column.numbers_of(np.round(r.lognormal(8, 1, n), 2), state),
        "rent": Column.numbers_of(np.round(r.lognormal(6, 0.4, n), 2)),
    }
    roles = {Role.IDENTIFIER: ("name",), Role.KEY: ("town", "sex"), Role.NUMERIC: ("income", "rent")}
    return Microdata(columns, roles)


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
    chosen = (
        *(g.measure for g in gates),
        *(measures if measures is not None else (made(m) for m in ROUTINE)),
    )
    found = tuple(_measured(m, before, after) for m in dict.fromkeys(chosen))
    findings = {entry.measure: entry.after for entry in found}
    hidden = GateEntry(
        Text("no identifier is left", "kein Identifikator ist übrig"), True, Text("", ""), public=False
    )
    judged = (*(judge(g, findings[g.measure]) for g in gates), something_left(after), hidden)
    source = {
        "tarnkappe": 1, "title": title, "data": {"file": "data.csv"}, "seed": {"secret": "survey"},
        "steps": [{"use": m.id, **m.model_dump(mode="json")} for m in steps],
    }  # fmt: skip
    plan = Plan(
        title=title, data=DataDescription(file="data.csv"), release=ReleaseDescription(), secret="survey",
        steps=tuple(steps), measures=(), gates=gates, folder=Path(), source=source, lines={}, file="plan.yaml",
        policy=standard_policies()[ReleaseKind.SCIENTIFIC],
    )  # fmt: skip
    return Run(
        plan=plan, before=before, after=after, steps=tuple(entries), measures=found, gates=judged,
        inputs={"data.csv": "ab" * 32}, secret="f1ngerpr1nt", repeatable=True,
        started=datetime(2026, 3, 14, 15, 9, 26, tzinfo=UTC), versions=Versions("0.1.0", "3.11.2", {"numpy": "2.1.0"}),
        seconds={"read": 0.25, "steps": 1.5, "measures": 2.0, "gates": 0.01},
    )  # fmt: skip


def table_entry(pattern: Pattern, *rules: Rule, protect=None, claims=(), value="turnover") -> TableEntry:
    """A protected table as `plan.tables` leaves it."""
    names = tuple(h.name for h in pattern.table.dimensions)
    described = TableDescription(name=pattern.table.name, by=names, value=value)
    audit = made("risk.table-audit")
    return TableEntry(
        TablePlan(described, rules, protect, audit), pattern, audit.measure(pattern), claims, 0.5
    )


def tables_run(*entries: TableEntry, data: Microdata | None = None) -> Run:
    """A run that publishes tables only."""
    run = make_run(data or Microdata({}), measures=(), title="Tables")
    described = DataDescription(file="data.csv") if data else None
    plan = replace(run.plan, data=described, tables=tuple(entry.plan for entry in entries))
    return replace(run, plan=plan, tables=entries, gates=tuple(gates_of(entries)))


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
        moves=moved(data, after),
    )  # fmt: skip


def _measured(measure, before, after) -> MeasureEntry:
    first = None if measure.compares else measure.measure(before)
    second = measure.measure(after, before=before if measure.compares else None)
    return MeasureEntry(measure, first, second, 0.5)
