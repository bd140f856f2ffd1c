"""The steps a release demands whether or not the plan names them.

Direct identifiers that no step treats are dropped first, or last where a step needs them to know which records belong to one unit. At
the end owners (used to count contributors, never published) are dropped, numbers of households and of units over periods are replaced by
random ones, a column says which empty cells were suppressed where that is in doubt, and the records are put into random order.
A step that can treat whole units, and is told of none, takes those of the role unit.
"""

from __future__ import annotations

from collections.abc import Iterable

from tarnkappe.plan.model import Plan
from tarnkappe.spec import Method, catalogue
from tarnkappe.spec.parameters import build, fit
from tarnkappe.vocab import Role


def steps_of(plan: Plan) -> list[tuple[Method, bool]]:
    """All steps in order, each with whether it is implied; none where only tables are released."""
    if not plan.releases_data:
        return []
    return [
        *((step, True) for step in _first(plan)),
        *((step, False) for step in _of_units(plan)),
        *((step, True) for step in _last(plan)),
    ]


def _of_units(plan: Plan) -> Iterable[Method]:
    """The steps of the plan, for whole units where one is named by its role and no step has dropped it."""
    gone: set[str] = set()
    for step in plan.steps:
        unit = [n for n in plan.having(Role.UNIT) if n not in gone]
        silent = "unit" in type(step).model_fields and "unit" not in step.model_fields_set
        yield _for_units(step, unit[0]) if unit and silent else step
        gone |= set(step.drops())


def _for_units(step: Method, unit: str) -> Method:
    """The step with its parameter `unit`, or as it is where the others do not go with one."""
    made, misfits = fit(type(step), {**step.model_dump(exclude_unset=True), "unit": unit})
    return made if isinstance(made, Method) and not misfits else step


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
    together = [n for role in (Role.HOUSEHOLD, Role.UNIT) for n in plan.having(role) if n not in treated]
    out += [_step("microdata.drop", columns=dropped)] if dropped else []
    out += [_step("microdata.renumber", columns=together)] if together else []
    out += [_step("microdata.tell-states")]
    out += [_step("microdata.shuffle-rows")] if plan.release.shuffle_rows else []
    return out


def _units(plan: Plan) -> set[str]:
    """Columns by which a step of the plan knows units."""
    return {name for step in plan.steps for name in step.unit_columns()}


def _treated(plan: Plan) -> set[str]:
    """Columns that a step of the plan drops, pseudonymises or renumbers."""
    return {name for step in plan.steps if step.takes_identifiers for name in step.named_columns()}
