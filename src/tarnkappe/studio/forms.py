"""Forms made from declarations: every parameter of a declared thing with its words, its bounds and what does not fit.

``made = await form(here, cls, given, on_change)`` draws a form where it is called and calls ``on_change(parameters)``, the
parameters as they stand in a plan without those left at their defaults, whenever something was entered.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from nicegui import ui

from tarnkappe.language import Text
from tarnkappe.spec import Declared
from tarnkappe.spec.card import facts
from tarnkappe.spec.parameters import Misfit, fit, spelt
from tarnkappe.studio.form_fields import Ask, Field, bounds, entered, resolved
from tarnkappe.studio.form_groups import field_of
from tarnkappe.studio.frame import Here, fold
from tarnkappe.studio.tasks.columns import KnownColumn, columns
from tarnkappe.studio.worker import TaskFailed

Parameters = dict[str, Any]
_MORE = Text("More settings ({count})", "Weitere Einstellungen ({count})")
_NOTHING = Text("Nothing to set.", "Nichts einzustellen.")
_MAIN = 2
"""So many numbers with defaults are shown without being asked for."""


async def form(
    here: Here,
    cls: type[Declared],
    given: Mapping[str, Any],
    on_change: Callable[[Parameters], Any],
    known: Sequence[KnownColumn] | None = None,
) -> Form:
    """Draw a form; without `known` the columns of the data are offered."""
    return Form(here, cls, given, on_change, await known_columns(here) if known is None else tuple(known))


async def known_columns(here: Here) -> tuple[KnownColumn, ...]:
    """The columns of the data of the draft; none where there is no data or it cannot be read."""
    data = here.session.draft.get("data")
    if not data:
        return ()
    try:
        return await here.session.learn(columns, here.session.folder, data)
    except TaskFailed:
        return ()


class Form:
    """A form that was drawn."""

    def __init__(
        self,
        here: Here,
        cls: type[Declared],
        given: Mapping[str, Any],
        on_change: Callable[[Parameters], Any],
        known: tuple[KnownColumn, ...],
    ) -> None:
        self._here, self._cls, self._given, self._on_change, self._known = here, cls, given, on_change, known
        self._fields: dict[str, Field] = {}
        self._troubles: dict[str, ui.label] = {}
        self._parameters = {p["name"]: p for p in facts(cls)["parameters"]}
        self._defs = cls.model_json_schema().get("$defs", {})
        with ui.column().classes("tk-form"):
            self._draw()
        self._tell()

    # -- drawing --------------------------------------------------------------------------------------------------

    def _draw(self) -> None:
        first = self._first()
        later = [name for name in self._parameters if name not in first]
        if not self._parameters:
            ui.label(self._here.say(_NOTHING)).classes("tk-soft")
        for name in first:
            self._ask(name)
        if later and first:
            says = self._here.say(_MORE, count=len(later))
            with fold(says).classes("tk-more w-full").props("dense"), ui.column().classes("tk-form"):
                for name in later:
                    self._ask(name)
        else:
            for name in later:
                self._ask(name)
        self._troubles[""] = self._trouble_line()

    def _first(self) -> list[str]:
        """What must be entered, what was, and the first numbers: they say how strongly something is done."""
        numbers = [n for n, p in self._parameters.items() if p["schema"].get("type") in ("integer", "number")]
        return [
            name
            for name, p in self._parameters.items()
            if p["required"] or name in self._given or name in numbers[:_MAIN]
        ]

    def _ask(self, name: str) -> None:
        parameter = self._parameters[name]
        says = Text(**parameter["says"]).in_(self._here.session.lang).replace("\n", " ")
        schema = resolved(parameter["schema"], self._defs)
        with ui.column().classes("tk-ask").mark(f"ask-{name}"):
            with ui.row().classes("tk-ask-label"):
                ui.label(says)
                limits = bounds(schema, self._here.number)
                ui.label(f"{name} {limits}").classes("tk-code")
            ask = Ask(
                here=self._here, id=self._cls.id, name=name, schema=schema, defs=self._defs, columns=self._known,
                changed=self._changed, says=says,
            )  # fmt: skip
            given = self._given.get(name, parameter["default"])
            self._fields[name] = field_of(ask, given)
            self._troubles[name] = self._trouble_line()

    @staticmethod
    def _trouble_line() -> ui.label:
        line = ui.label().classes("tk-misfit").props("role=alert")
        line.set_visibility(False)
        return line

    # -- reading --------------------------------------------------------------------------------------------------

    def read(self) -> Parameters:
        """The parameters as they stand in a plan: those at their defaults are left out, unknown ones are kept."""
        out: Parameters = {k: v for k, v in self._given.items() if k not in self._parameters}
        for name, field in self._fields.items():
            value = field.read()
            if entered(value, self._parameters[name]["default"]):
                out[name] = value
        return {name: out[name] for name in (*self._parameters, *out) if name in out}

    @property
    def misfits(self) -> list[Misfit]:
        """What does not fit, by the declaration itself."""
        unread = [Misfit((name,), f.trouble) for name, f in self._fields.items() if f.trouble]
        return [*unread, *fit(self._cls, self.read())[1]]

    def _changed(self) -> None:
        self._tell()
        self._on_change(self.read())

    def _tell(self) -> None:
        """Say at every field what does not fit."""
        said: dict[str, list[str]] = {}
        for misfit in self.misfits:
            name = str(misfit.place[0]) if misfit.place else ""
            at, rest = (name, misfit.place[1:]) if name in self._fields else ("", misfit.place)
            where = spelt(tuple(part for part in rest if not isinstance(part, str) or part.isidentifier()))
            words = misfit.says.in_(self._here.session.lang)
            said.setdefault(at, []).append(f"{where}: {words}" if where else words)
        for name, line in self._troubles.items():
            line.set_text("; ".join(said.get(name, ())))
            line.set_visibility(name in said)
