"""Steps of a draft as people read them: the title of the method and its parameters in a line."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tarnkappe.language import Text, listed, number, same
from tarnkappe.spec import Declared, catalogue
from tarnkappe.studio.choices import choice_words
from tarnkappe.studio.frame import Here

_MANY = 6
"""Names in a list; more are counted."""
_YES, _NO = Text("yes", "ja"), Text("no", "nein")


def split(step: Any) -> tuple[str, dict[str, Any]]:
    """The id and the parameters of a step, which may be written as its id alone."""
    if isinstance(step, Mapping):
        return str(step.get("use", "")), {str(k): v for k, v in step.items() if k != "use"}
    return str(step), {}


def joined(id: str, parameters: Mapping[str, Any]) -> Any:
    """A step as it is written."""
    return {"use": id, **parameters} if parameters else {"use": id}


def class_of(id: str) -> type[Declared] | None:
    """What is declared under an id."""
    if id not in catalogue:
        return None
    return catalogue[id]


def title_of(id: str) -> Text:
    """The title of a declared thing; its id where it is not known."""
    found = class_of(id)
    return found.title if found else same(id)


def summary(here: Here, parameters: Mapping[str, Any]) -> str:
    """``income, wealth · k = 5``: what the step works on first."""
    first = [_said(here, "", parameters[name]) for name in ("columns", "column") if name in parameters]
    rest = [
        f"{name} = {_said(here, name, value)}"
        for name, value in parameters.items()
        if name not in ("columns", "column")
    ]
    return " · ".join([*first, *rest])


def _said(here: Here, name: str, value: Any) -> str:
    if isinstance(value, bool):
        return here.say(_YES if value else _NO)
    if isinstance(value, int | float):
        return number(value, here.session.lang)
    if isinstance(value, Mapping):
        return listed([f"{key} → {_said(here, '', part)}" for key, part in value.items()], _MANY)
    if isinstance(value, list | tuple):
        return listed([_said(here, "", part) for part in value], _MANY)
    return here.say(choice_words(name, value))
