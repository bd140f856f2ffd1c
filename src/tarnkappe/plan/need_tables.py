"""Must the tables of a plan, or one in a file, be protected? What the office tells is completed by what rules find."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from tarnkappe.data.table import Table
from tarnkappe.errors import did_you_mean
from tarnkappe.errors.tables import DimensionUnknown
from tarnkappe.language import Text
from tarnkappe.plan.model import Plan
from tarnkappe.plan.need import Assessment, Rules, assess
from tarnkappe.plan.need_facts import READ, Facts
from tarnkappe.plan.prepare import prepare
from tarnkappe.plan.tables import started
from tarnkappe.spec import Rule, catalogue
from tarnkappe.spec.parameters import build

DOMINANCE = ("rule.p-percent", "rule.dominance", "rule.p-q", "rule.linear")
"""Rules about single contributions: one that marks a cell is a hard trigger."""
STANDARD = {"p": 10}
"""The p % rule that is tried where a table comes without rules of its own."""
SECRET = frozenset(name for name in READ if name.startswith("smallest"))
"""Facts that hold a count of the table: they are not shown."""


def assess_plan(plan: Plan, told: Facts, rules: Rules | None) -> Iterator[tuple[str, Assessment]]:
    """Every table of a plan; a dimension that is told concerns the tables that have it."""
    data = prepare(plan)
    tables = [
        (wanted, started(wanted.described, data, plan.folder, wanted.rules).table) for wanted in plan.tables
    ]
    known = sorted({h.name for _, table in tables for h in table.dimensions})
    _refuse_unknown(told, known, plan.file)
    for wanted, table in tables:
        yield wanted.described.name, assess_table(table, _for(table, told), rules, wanted.rules)


def assess_table(table: Table, told: Facts, rules: Rules | None, own: Sequence[Rule] = ()) -> Assessment:
    """One table; whether a rule of dominance marks cells is found out unless it is told."""
    dominated = None if "dominated" in told.model_fields_set else _dominated(table, own)
    if dominated is not None:
        told = told.model_copy(update={"dominated": dominated})
    return assess(table, told, rules)


def _dominated(table: Table, own: Sequence[Rule]) -> bool | None:
    """None where the table does not hold what such a rule looks at."""
    rules = [rule for rule in own if rule.id in DOMINANCE]
    kept = table.contributions
    if not rules and kept is not None and kept.largest.shape[1] > 1:
        standard = build(catalogue["rule.p-percent"], STANDARD)
        assert isinstance(standard, Rule)
        rules = [standard]
    return any(bool(rule.mark(table).cells.any()) for rule in rules) if rules else None


def _refuse_unknown(told: Facts, known: list[str], name: str) -> None:
    for dimension in _named(told).values():
        if dimension not in known:
            raise DimensionUnknown(name=name, dimension=dimension, hint=did_you_mean(dimension, known))


def _for(table: Table, told: Facts) -> Facts:
    """Without what is told of dimensions that this table does not have."""
    names = {h.name for h in table.dimensions}
    absent: dict[str, Any] = {
        fact: None for fact, dimension in _named(told).items() if dimension not in names
    }
    if "share" in absent:
        absent["share_of"] = ()
    return told.model_copy(update=absent)


def _named(told: Facts) -> dict[str, str]:
    given = {"area": told.area, "share": told.share, "classes": told.classes}
    return {fact: dimension for fact, dimension in given.items() if dimension is not None}


def as_json(name: str, found: Assessment) -> dict[str, Any]:
    """The assessment as data, with no count of the table in it."""
    both = [_both(text) for text in (found.because, found.advice, *found.triggers)]
    return {
        "table": name, "verdict": found.verdict, "because": both[0], "score": found.score,
        "points": [{"feature": p.name, "points": p.points, "because": _both(p.because)} for p in found.points],
        "triggers": both[2:], "advice": both[1], "rule": found.rule, "method": found.method,
        "missing": [_both(text) for text in found.missing], "remarks": [_both(text) for text in found.remarks],
        "facts": {name: fact for name, fact in found.facts.items() if name not in SECRET},
    }  # fmt: skip


def _both(text: Text) -> dict[str, str]:
    return {"en": text.en, "de": text.de}
