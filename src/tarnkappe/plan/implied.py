"""The steps a release demands whether or not the plan names them.

Direct identifiers that no step treats are dropped first, or last where a step needs them to know which records belong to one unit. At
the end owners (used to count contributors, never
published) are dropped, household numbers are replaced by random ones, a column says which empty cells were suppressed
where that is in doubt, and the records are put into random order.
"""

from __future__ import annotations

from collections.abc import Iterable

from tarnkappe.plan.model import Plan
from tarnkappe.spec import Method, catalogue
from tarnkappe.spec.parameters import build
from tarnkappe.vocab import Role


def steps_of(plan: Plan) -> list[tuple[Method, bool]]:
    """All steps in order, each with whether it is implied; none where only tables are released."""
    if not plan.releases_data:
        return []
    return [
        *((step, True) for step in _first(plan)),
        *((step, False) for step in plan.steps),
        *((step, True) for step in _last(plan)),
    ]


def _step(id: str, **parameters: object) -> Method:
    made = build(catalogue[id], parameters)
    assert isinstance(made, Method)
    return made


def _first(plan: Plan) -> Iterable[Method]:
    needed = _treated(plan) | _units(plan)
    left = [n for n in plan.having(Role.IDENTIFIER) if n not in needed]
    return [_step("microdata.drop", columns=left)] if left else []


def _last(plan: Plan) -> list[Method]:
    treated = _treated(plan)
    out: list[Method] = []
    dropped = [n for n in plan.having(Role.OWNER) if n not in treated]
    dropped += [n for n in plan.having(Role.IDENTIFIER) if n in _units(plan) - treated]
    households = [n for n in plan.having(Role.HOUSEHOLD) if n not in treated]
    out += [_step("microdata.drop", columns=dropped)] if dropped else []
    out += [_step("microdata.renumber", columns=households)] if households else []
    out += [_step("microdata.tell-states")]
    out += [_step("microdata.shuffle-rows")] if plan.release.shuffle_rows else []
    return out


def _units(plan: Plan) -> set[str]:
    """Columns by which a step of the plan knows units."""
    return {name for step in plan.steps for name in step.unit_columns()}


def _treated(plan: Plan) -> set[str]:
    """Columns that a step of the plan drops, pseudonymises or renumbers."""
    return {name for step in plan.steps if step.takes_identifiers for name in step.named_columns()}
