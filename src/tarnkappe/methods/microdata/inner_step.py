"""Methods that hold another step: making it, and telling what it was in kind."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tarnkappe.data.microdata import Microdata
from tarnkappe.errors import TarnkappeError
from tarnkappe.language import Text
from tarnkappe.spec import Json, Method, catalogue
from tarnkappe.spec.parameters import build

UNFIT = Text(
    "step must be a method of the catalogue (use) with its parameters",
    "step muss ein Verfahren des Katalogs (use) mit seinen Parametern sein",
)
_WRONG = Text("step: {what}", "step: {what}")
IN_KIND = ("noise", "records", "shared", "unit", "aggregate")
"""Facts about what a step does. They stay true whatever is done to its result; ratios, moments, constants, what is kept and what is rounded do not."""


def inner_step(given: Mapping[str, Any]) -> Method:
    """A step as it stands in a plan, as an object."""
    if "use" not in given:
        raise ValueError(UNFIT)
    parameters = {name: value for name, value in given.items() if name != "use"}
    try:
        made = build(catalogue[str(given["use"])], parameters)
    except TarnkappeError as problem:
        raise ValueError(_WRONG.filled(what=problem.what)) from problem
    if isinstance(made, Method):
        return made
    raise ValueError(UNFIT)


def in_kind(step: Method, before: Microdata, after: Microdata) -> dict[str, Json]:
    """Which method a step is, in which strata it worked, and of what it tells receivers that which is about the doing.

    Words and names of columns only: a number under one of these names would be a figure of the result.
    """
    told = step.tells(before, after)
    facts = {name: told[name] for name in IN_KIND if name in told and _words(told[name])}
    return {"method": step.id, "within": list(getattr(step, "within", ())), **facts}


def _words(fact: Json) -> bool:
    return isinstance(fact, str) or (isinstance(fact, list) and all(isinstance(word, str) for word in fact))
