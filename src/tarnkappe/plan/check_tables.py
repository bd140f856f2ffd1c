"""Check the tables of a plan: their rules, their protector and their audit."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tarnkappe.language import Text
from tarnkappe.plan.document import Place
from tarnkappe.plan.model import TableDescription, TablePlan
from tarnkappe.plan.problems import Problem
from tarnkappe.plan.things import AUDITS, PROTECTORS, RULES, made, things
from tarnkappe.spec.parameters import fit

AUDIT = "risk.table-audit"
"""Every table is audited, whether the plan says so or not."""


def checked_tables(given: Any, problems: list[Problem]) -> Iterator[TablePlan]:
    """The sound tables of a plan; shape problems are those of the plan as a whole and are told there."""
    for number, entry in enumerate(given if isinstance(given, list) else ()):
        if isinstance(entry, dict):
            table = _checked(("tables", number), entry, problems)
            if table is not None:
                yield table


def _checked(place: Place, entry: dict[str, Any], problems: list[Problem]) -> TablePlan | None:
    described, _ = fit(TableDescription, entry)
    rules = tuple(rule for _, rule in things((*place, "rules"), entry.get("rules"), RULES, problems))
    protect = None
    if entry.get("protect") is not None:
        protect = _named((*place, "protect"), entry["protect"], problems)
    audit = made(
        (*place, "audit"),
        AUDIT,
        _parameters(entry.get("audit"), (*place, "audit"), problems),
        AUDITS,
        problems,
    )
    if described is None or audit is None:
        return None
    return TablePlan(described, rules, protect, audit)


def _named(place: Place, given: Any, problems: list[Problem]) -> Any:
    named = given if isinstance(given, dict) else {"use": given}
    return made(place, named.get("use"), {k: v for k, v in named.items() if k != "use"}, PROTECTORS, problems)


def _parameters(given: Any, place: Place, problems: list[Problem]) -> dict[str, Any]:
    if given is None:
        return {}
    if not isinstance(given, dict):
        problems.append(
            Problem(place, Text("must be a mapping (name: value)", "muss eine Zuordnung (Name: Wert) sein"))
        )
        return {}
    return given
