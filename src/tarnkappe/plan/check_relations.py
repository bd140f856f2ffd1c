"""Relations between columns that a plan declares: readable, over columns that are there and hold numbers, and true of the data."""

from __future__ import annotations

from collections.abc import Iterator

from tarnkappe.data.linear_relations import LinearRelation, parse_relation, refuse_broken
from tarnkappe.data.microdata import Microdata
from tarnkappe.errors.data import WrongKind
from tarnkappe.errors.relations import RelationWrong
from tarnkappe.language import Text, same
from tarnkappe.plan.model import Plan, PlanDescription
from tarnkappe.plan.problems import Problem

_NUMBERS = Text("numbers", "Zahlen")


def checked_relations(plan: PlanDescription, problems: list[Problem]) -> Iterator[LinearRelation]:
    """The relations of a plan; what cannot be read becomes a problem."""
    for number, words in enumerate(plan.relations):
        try:
            yield parse_relation(words)
        except RelationWrong as problem:
            said = Text(
                f"[{problem.code}] {problem.what.en} {problem.remedy.en}",
                f"[{problem.code}] {problem.what.de} {problem.remedy.de}",
            )
            problems.append(Problem(("relations", number), said))


def measures_of_tables(plan: Plan) -> set[str]:
    """What tables from files add up: relations may name these too."""
    return {
        t.described.measure or t.described.value or t.described.columns.value
        for t in plan.tables
        if t.described.file
    }


def relations_of(plan: Plan, data: Microdata) -> tuple[LinearRelation, ...]:
    """Those declared relations that are between columns of the data."""
    return tuple(r for r in plan.relations if all(n in data.columns for n in r.columns))


def unfit_relations(plan: Plan, data: Microdata) -> Iterator[Problem]:
    """Relations over columns that hold no numbers."""
    for number, relation in enumerate(plan.relations):
        for name in relation.columns:
            if name in data.columns and not data.column(name).kind.is_number:
                problem = WrongKind(
                    name=name, found=data.column(name).kind.text, who=same("relations"), needed=_NUMBERS
                )
                yield Problem(("relations", number), problem.what)


def refuse_untrue(plan: Plan, data: Microdata) -> None:
    """Refuse a plan whose relations the data breaks."""
    refuse_broken(relations_of(plan, data), data)
