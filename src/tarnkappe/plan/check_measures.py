"""Check the measures and the gates of a plan: they exist, their parameters fit, a gate can close, a register can be used."""

from __future__ import annotations

from collections.abc import Iterator
from inspect import Parameter, signature
from typing import Any, TypeVar

from tarnkappe.language import NOTHING, Text, listed
from tarnkappe.plan.document import Place
from tarnkappe.plan.model import Asked, Gate, GateDescription, MeasureDescription
from tarnkappe.plan.problems import Problem
from tarnkappe.plan.things import MEASURES, made
from tarnkappe.spec import Declared, Measure, TableMeasure, catalogue
from tarnkappe.spec.parameters import fit, unknown_word

D = TypeVar("D", bound=MeasureDescription)


def checked_measures(given: Any, problems: list[Problem]) -> Iterator[tuple[Place, Asked]]:
    """The sound entries under `measures`, each with its place."""
    for place, said, measure in _entries("measures", given, MeasureDescription, problems):
        yield place, Asked(measure, said.against)


def checked_gates(given: Any, problems: list[Problem]) -> Iterator[tuple[Place, Gate]]:
    """The sound entries under `release_if`, each with its place."""
    for place, bounds, measure in _entries("release_if", given, GateDescription, problems):
        wrong_bound = _unfit(bounds, measure)
        if wrong_bound:
            problems.append(Problem(place, wrong_bound))
        else:
            yield place, Gate(measure, bounds.at_least, bounds.at_most, bounds.holds, bounds.against)


def _entries(part: str, given: Any, form: type[D], problems: list[Problem]) -> Iterator[tuple[Place, D, Any]]:
    """What stands beside a measure, and the measure with its parameters."""
    for number, entry in enumerate(given if isinstance(given, list) else ()):
        place: Place = (part, number)
        named: dict[str, Any] = entry if isinstance(entry, dict) else {"measure": entry}
        word = "measure" if "measure" in named else "use"
        beside = {k: v for k, v in named.items() if k in form.model_fields and k != word}
        said, misfits = fit(form, {**beside, "measure": ""})
        problems += [Problem((*place, *m.place), m.says) for m in misfits]
        strange = _strange(place, named, word, form)
        problems += strange.values()
        parameters = {k: v for k, v in named.items() if k != word and k not in beside and k not in strange}
        measure = made(place, named.get(word), parameters, MEASURES, problems)
        if (
            said is not None
            and measure is not None
            and not strange
            and _usable(said, measure, place, problems)
        ):
            yield place, said, measure


def _strange(place: Place, named: dict[str, Any], word: str, form: type[D]) -> dict[str, Problem]:
    """Words that neither the entry nor its measure knows: a misspelt one may be meant for either of them."""
    id = named.get(word)
    if not isinstance(id, str) or id not in catalogue:
        return {}
    known = {*form.model_fields, *catalogue[id].model_fields}
    return {k: Problem((*place, k), unknown_word(str(k), known)) for k in named if k not in {word, *known}}


def takes_register(thing: Declared | type[Declared]) -> bool:
    """Whether a measure can be held against a register: it has a method `against(release, register)`."""
    return _needed(thing) == len(("self", "release", "register"))


def takes_holdout(thing: Declared | type[Declared]) -> bool:
    """Whether a measure can be held against a hold-out: it has a method `against(release, original, holdout)`."""
    return _needed(thing) == len(("self", "release", "original", "holdout"))


def _needed(thing: Declared | type[Declared]) -> int:
    """How many parameters the method `against` needs; 0 without one."""
    cls = thing if isinstance(thing, type) else type(thing)
    method = getattr(cls, "against", None)
    if method is None:
        return 0
    return sum(p.default is Parameter.empty for p in signature(method).parameters.values())


def _usable(said: MeasureDescription, measure: Declared, place: Place, problems: list[Problem]) -> bool:
    """A register or a hold-out is named only where it is used."""
    if said.against is None or takes_register(measure) or takes_holdout(measure):
        return True
    able = [cls.id for cls in catalogue.measures() if takes_register(cls) or takes_holdout(cls)]
    says = Text(
        "{id} is not held against a register or a hold-out; these are: {able}",
        "{id} wird nicht gegen ein Register oder eine Vergleichsgruppe gehalten; das gibt es bei: {able}",
    )
    problems.append(Problem((*place, "against"), says.filled(id=measure.id, able=listed(able))))
    return False


def _unfit(bounds: GateDescription, measure: Measure | TableMeasure) -> Text:
    """Why a gate could not close, or nothing."""
    if bounds.at_least is None and bounds.at_most is None and bounds.holds is None:
        return Text("needs at_least, at_most or holds", "braucht at_least, at_most oder holds")
    if bounds.holds is not None and measure.bounds != (0, 1):
        return Text(
            "holds is for measures that say yes or no; give at_least or at_most",
            "holds gehört zu Maßen, die ja oder nein sagen; geben Sie at_least oder at_most an",
        )
    return NOTHING
