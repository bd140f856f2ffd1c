"""From what a plan names to objects of the catalogue; what does not fit is collected as problems."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from tarnkappe.errors import did_you_mean
from tarnkappe.language import Text
from tarnkappe.plan.document import Place
from tarnkappe.plan.problems import Problem
from tarnkappe.spec import Declared, Measure, Method, Rule, TableMeasure, TableMethod, catalogue
from tarnkappe.spec.parameters import fit

Kinds = tuple[type[Declared], ...]
STEPS: Kinds = (Method,)
MEASURES: Kinds = (Measure, TableMeasure)
RULES: Kinds = (Rule,)
PROTECTORS: Kinds = (TableMethod,)
AUDITS: Kinds = (TableMeasure,)
_WORDS = {
    STEPS: Text("step", "Schritt"),
    RULES: Text("rule", "Regel"),
    PROTECTORS: Text("method for tables", "Tabellenverfahren"),
}


def things(part: Place, given: Any, kind: Kinds, problems: list[Problem]) -> Iterator[tuple[Place, Any]]:
    """The sound steps or rules of a list in a plan as objects of the catalogue, each with its place."""
    for number, entry in enumerate(given if isinstance(given, list) else ()):
        place: Place = (*part, number)
        named = entry if isinstance(entry, dict) else {"use": entry}
        parameters = {k: v for k, v in named.items() if k != "use"}
        thing = made(place, named.get("use"), parameters, kind, problems)
        if thing is not None:
            yield place, thing


def made(
    place: Place,
    id: Any,
    parameters: Mapping[str, Any],
    kind: Kinds,
    problems: list[Problem],
) -> Any:
    cls = _known(place, id, kind, problems)
    if cls is None:
        return None
    thing, misfits = fit(cls, parameters)
    problems += [Problem((*place, *m.place), m.says) for m in misfits]
    return thing


def _known(place: Place, id: Any, kind: Kinds, problems: list[Problem]) -> type[Declared] | None:
    if not isinstance(id, str):
        says = Text("does not say what to use (use: …)", "sagt nicht, was verwendet wird (use: …)")
        problems.append(Problem(place, says))
        return None
    if id in catalogue and issubclass(cls := catalogue[id], kind):
        return cls
    hint = did_you_mean(id, {cls.id for cls in catalogue if issubclass(cls, kind)})
    says = Text("there is no {word} {id!r}. {hint}", "{word} {id!r} gibt es nicht. {hint}")
    word = _WORDS.get(kind, Text("measure", "Maß"))
    problems.append(Problem(place, says.filled(word=word, id=id, hint=hint)))
    return None
