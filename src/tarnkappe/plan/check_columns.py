"""Check what a plan alone tells of columns: roles that steps, measures and gates need, hierarchies, and columns that are gone."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from tarnkappe.errors.hierarchy import HierarchyNone
from tarnkappe.errors.risk import SensitiveIsKey
from tarnkappe.language import NOTHING, Text
from tarnkappe.plan.document import Place
from tarnkappe.plan.model import DataDescription, PlanDescription
from tarnkappe.plan.problems import Problem
from tarnkappe.spec import Declared, Measure, Method
from tarnkappe.vocab import Role

Roles = Mapping[Role, tuple[str, ...]]
_LACKS = Text(
    "{id} needs a column with the role {roles}{gone}; give one this role under data: roles{instead}",
    "{id} braucht eine Spalte mit der Rolle {roles}{gone}; geben Sie sie unter data: roles einer Spalte{instead}",
)
_GONE = Text(", and the steps leave none", ", und die Schritte lassen keine übrig")
_INSTEAD = Text(", or say {parameter}", ", oder geben Sie {parameter} an")
_OR = Text(" or ", " oder ")
_DROPPED = Text(
    "{id} names the column {name!r}, which an earlier step drops",
    "{id} nennt die Spalte {name!r}, die ein früherer Schritt entfernt",
)


def column_problems(
    plan: PlanDescription,
    steps: Mapping[Place, Method],
    measures: Mapping[Place, Declared],
    held: Collection[Place] = (),
) -> Iterator[Problem]:
    """What will be refused whatever the data holds; `held` are measures that are held against a register, which is their population."""
    if plan.data is None or _tells_itself(plan.data):
        return
    given: Roles = plan.data.roles
    now, gone, made = given, set[str](), set[str]()
    for place, step in steps.items():
        yield from _dropped(place, step.id, step.named_columns(), gone)
        yield from _without_hierarchy(place, step, plan.data, made)
        yield from _lacking(place, step, now, given)
        now, gone, made = (
            step.roles_after(now),
            (gone | set(step.drops())) - set(step.adds()),
            made | set(step.adds()),
        )
    for place, measure in measures.items():
        if not isinstance(measure, Measure):
            continue
        compares = measure.id.startswith("utility.")  # takes the roles of the original
        yield from _dropped(place, measure.id, () if compares else measure.named_columns(), gone)
        yield from _lacking(place, measure, given if compares else now, given, registered=place in held)
        yield from _both(place, measure, now)


def _tells_itself(data: DataDescription) -> bool:
    """Records of τ-ARGUS bring roles and hierarchies of their own."""
    return data.file.lower().endswith(".asc")


def _dropped(place: Place, id: str, names: tuple[str, ...], gone: set[str]) -> Iterator[Problem]:
    for name in dict.fromkeys(names):
        if name in gone:
            yield Problem(place, _DROPPED.filled(id=id, name=name))


def _without_hierarchy(
    place: Place, step: Method, data: DataDescription, made: set[str]
) -> Iterator[Problem]:
    for name in step.needed_hierarchies():
        if name not in data.hierarchies and name not in made:
            yield Problem(place, HierarchyNone(name=name).what)


def _lacking(
    place: Place, thing: Declared, now: Roles, given: Roles, *, registered: bool = False
) -> Iterator[Problem]:
    for parameter, roles in thing.needed_roles().items():
        if registered and parameter == "population":
            continue
        if not any(now.get(role) for role in roles):
            words = [role.value for role in roles]
            said = _LACKS.filled(
                id=thing.id,
                roles=Text(_OR.en.join(words), _OR.de.join(words)),
                gone=_GONE if any(given.get(role) for role in roles) else NOTHING,
                instead=_INSTEAD.filled(parameter=parameter) if parameter else NOTHING,
            )
            yield Problem(place, said)


def _both(place: Place, measure: Measure, now: Roles) -> Iterator[Problem]:
    """A column that an attacker knows is none that he learns."""
    if not {"keys", "sensitive"} <= set(measure.needs_roles):
        return
    known = getattr(measure, "keys", ()) or now.get(Role.KEY, ())
    for name in getattr(measure, "sensitive", ()) or now.get(Role.SENSITIVE, ()):
        if name in known:
            yield Problem(place, SensitiveIsKey(name=name).what)
