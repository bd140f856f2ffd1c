"""Step 5: how fine columns must be to be of use. A plan that makes them coarser is refused."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from nicegui import ui

from tarnkappe.language import Text
from tarnkappe.plan.process import Granularity
from tarnkappe.studio.answers_form import Asked, described
from tarnkappe.studio.frame import Here
from tarnkappe.studio.reading_part import reading_of
from tarnkappe.studio.roles import roles_by_column
from tarnkappe.studio.tasks.propose import levels
from tarnkappe.vocab import Role

PLACE = ("process", "use", "granularity")
_TITLE = Text("How fine must columns be?", "Wie fein müssen Spalten sein?")
_REFUSED = Text(
    "A plan that makes a column coarser than allowed here is refused.",
    "Ein Plan, der eine Spalte gröber macht, als sie sein darf, wird zurückgewiesen.",
)
_NONE = Text(
    "Columns with a hierarchy and numeric variables are asked for here: give roles above, or make hierarchies in the next step.",
    "Hier wird nach Spalten mit Hierarchie und nach numerischen Merkmalen gefragt: Legen Sie oben Rollen fest oder im nächsten Schritt Hierarchien an.",
)


def granularity(here: Here, asked: Asked) -> None:
    """Ask for the levels that users need, of every column that has some, and for the widths of numbers."""
    ui.label(here.say(_TITLE)).classes("tk-h3 tk-small")
    ui.label(here.say(_REFUSED)).classes("tk-soft tk-small")
    data = here.session.draft.get("data", default={})
    found = data.get("hierarchies") or {}
    if found:
        here.later(
            lambda known: _columns(here, asked, known), levels, here.session.folder, reading_of(data), found,
            height="4rem",
        )  # fmt: skip
    numbers = [n for n, roles in roles_by_column(data).items() if Role.NUMERIC in roles and n not in found]
    for name in numbers:
        _width(here, asked, name)
    if not found and not numbers:
        ui.label(here.say(_NONE)).classes("tk-soft tk-small")


def _columns(here: Here, asked: Asked, known: Mapping[str, tuple[str, ...]]) -> None:
    for name, names in known.items():
        offered = {number: f"{number} · {said}" for number, said in enumerate(names) if number}
        with ui.element("div").classes("tk-fine"):
            ui.label(name).classes("tk-column-name")
            for part in ("wanted", "least"):
                _level(here, asked, name, part, offered, names)


def _level(
    here: Here, asked: Asked, name: str, part: str, offered: dict[int, str], names: tuple[str, ...]
) -> None:
    label = described(Granularity, part)
    box = ui.select(
        offered, value=_number(_of(here, name).get(part), names), label=here.say(label), clearable=True
    )
    box.props("outlined dense").mark(f"{part}-{name}")
    box.on_value_change(lambda event: _put(here, asked, name, part, event.value))


def _width(here: Here, asked: Asked, name: str) -> None:
    label = described(Granularity, "width")
    with ui.element("div").classes("tk-fine"):
        ui.label(name).classes("tk-column-name")
        box = ui.number(here.say(label), value=_of(here, name).get("width"), min=0)
        box.props("outlined dense").mark(f"width-{name}")
        box.on("blur", lambda: _put(here, asked, name, "width", box.value if (box.value or 0) > 0 else None))


def _of(here: Here, name: str) -> dict[str, Any]:
    """What is said of a column; a level alone is the least one."""
    given = here.session.draft.get(*PLACE, name, default={})
    return given if isinstance(given, dict) else {"least": given}


def _put(here: Here, asked: Asked, name: str, part: str, value: Any) -> None:
    said = _of(here, name)
    if said.get(part) != value:
        wanted = {**said, part: value}
        kept = {key: one for key, one in wanted.items() if one is not None}
        asked.put(Text(f"granularity of {name}", f"Granularität von {name}"), (*PLACE, name), kept)


def _number(level: Any, names: tuple[str, ...]) -> int | None:
    """The number of a level that a plan gives by number or name."""
    if isinstance(level, str):
        level = names.index(level) if level in names else int(level) if level.isdigit() else None
    return level if isinstance(level, int) and 0 < level < len(names) else None
