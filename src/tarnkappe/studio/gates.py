"""The conditions of a release: a light for each, and a form to add, change and remove them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from nicegui import ui

from tarnkappe.language import NOTHING, Text
from tarnkappe.plan.check_measures import checked_gates
from tarnkappe.plan.model import Gate, GateDescription
from tarnkappe.plan.policy_gates import as_strict
from tarnkappe.plan.problems import Problem
from tarnkappe.spec import Goal, Measure, TableMeasure, catalogue
from tarnkappe.studio.blocks import more
from tarnkappe.studio.draft import Content
from tarnkappe.studio.findings import default_conditions
from tarnkappe.studio.forms import form
from tarnkappe.studio.frame import Here, icon_button, open_dialog, panel
from tarnkappe.studio.tasks.release import Attempt, Light
from tarnkappe.studio.words import CANCEL, SAVE

_TITLE = Text("Conditions", "Bedingungen")
_SAYS = Text(
    "A release is made only if all of them are met. Otherwise nothing is written.",
    "Freigegeben wird nur, wenn alle erfüllt sind. Sonst wird nichts geschrieben.",
)
_NONE = Text(
    "The plan has no condition of its own yet: those of the default policy hold. Add stricter ones where you need them.",
    "Der Plan hat noch keine eigene Bedingung: Es gelten die der Standardrichtlinie. Fügen Sie strengere hinzu, wo nötig.",
)
_BY_POLICY = Text("{says} (by the default policy)", "{says} (nach der Standardrichtlinie)")
_ALWAYS = Text("Always checked", "Immer geprüft")
_ALWAYS_SAY = Text(
    "No value of a direct identifier may be in the release, and the audit of every table must hold. No plan can leave that out.",
    "Kein Wert eines direkten Identifikators darf in der Freigabe sein, und die Prüfung jeder Tabelle muss halten. Kein Plan kann das weglassen.",
)
_ADD, _CHANGE, _REMOVE = (
    Text("Add a condition", "Bedingung hinzufügen"),
    Text("Change this condition", "Diese Bedingung ändern"),
    Text("Remove this condition", "Diese Bedingung entfernen"),
)
_ADDED, _CHANGED, _REMOVED = (
    Text("add a condition", "Bedingung hinzufügen"),
    Text("change a condition", "Bedingung ändern"),
    Text("remove a condition", "Bedingung entfernen"),
)
_MET, _NOT_MET, _UNKNOWN = (
    Text("met", "erfüllt"),
    Text("not met", "nicht erfüllt"),
    Text("not tried", "noch nicht geprüft"),
)
_BROKEN = Text("This condition is not complete.", "Diese Bedingung ist nicht vollständig.")
_MEASURE = Text("Measure", "Maß")
_FAMILIES = {"risk": Text("Risk", "Risiko"), "utility": Text("Utility", "Nutzen")}
_READ = Text("How to read it: {says}", "So liest man es: {says}")
_GOALS = {
    Goal.HIGH: Text("Higher is better.", "Höher ist besser."),
    Goal.LOW: Text("Lower is better.", "Niedriger ist besser."),
    Goal.NEAR_ZERO: Text("Nearer to zero is better.", "Näher an null ist besser."),
}
_AT_LEAST, _AT_MOST = Text("at least", "mindestens"), Text("at most", "höchstens")
_SHARE = Text("0.05 stands for 5%", "0,05 steht für 5 %")
_HOLDS = Text("It must hold.", "Es muss gelten.")
_SETTINGS = Text("Settings of the measure", "Einstellungen des Maßes")
_FIRST = "risk.k-anonymity"


def conditions(here: Here, attempt: Attempt | None) -> None:
    """The conditions of the plan with their lights, as far as they were tried."""
    given: Sequence[Any] = here.session.draft.get("release_if", default=[])
    with panel(here.say(_TITLE)):
        ui.label(here.say(_SAYS if given else _NONE)).classes("tk-soft")
        with ui.element("ul").classes("tk-gates"):
            for number, entry in enumerate(given):
                _condition(here, number, entry, attempt)
            for gate, light in _of_policy(here, attempt):
                with ui.element("li").classes("tk-gate"):
                    lamp(here, held=light.held if light else None)
                    _said(here, _BY_POLICY.filled(says=gate.says), light)
        button = ui.button(here.say(_ADD), icon="add", on_click=partial(_edit, here, None))
        button.props("outline no-caps").mark("add-gate")
        with more(here.say(_ALWAYS)):
            apart = [light for light in attempt.lights if light.number is None] if attempt else []
            always = [light for light in apart if not light.of_policy]
            ui.label(here.say(_ALWAYS_SAY)).classes("tk-soft tk-small")
            with ui.element("ul").classes("tk-gates"):
                for light in always:
                    with ui.element("li").classes("tk-gate"):
                        lamp(here, held=light.held)
                        _said(here, light.says, light)


def _of_policy(here: Here, attempt: Attempt | None) -> list[tuple[Gate, Light | None]]:
    """What the default policy asks, with its light where it was judged; what the plan asks itself is not listed twice."""
    own = [
        found for entry in here.session.draft.get("release_if", default=[]) if (found := _checked(entry)[0])
    ]
    asked = [
        gate for gate in default_conditions(here)
        if here.session.draft.get("data") and not any(o.measure == gate.measure and as_strict(o, gate) for o in own)
    ]  # fmt: skip
    lights = [light for light in attempt.lights if light.of_policy and not light.finding] if attempt else []
    return [(gate, next((light for light in lights if light.says == gate.says), None)) for gate in asked]


def lamp(here: Here, *, held: bool | None) -> None:
    """A light with its word: nobody needs to see colours."""
    icon, word, colour = {
        True: ("check_circle", _MET, "tk-good"), False: ("cancel", _NOT_MET, "tk-bad"),
        None: ("radio_button_unchecked", _UNKNOWN, "tk-soft"),
    }[held]  # fmt: skip
    with ui.element("span").classes(f"tk-lamp {colour}"):
        ui.icon(icon).props("aria-hidden=true")
        ui.label(here.say(word)).classes("tk-small")


def _condition(here: Here, number: int, entry: Any, attempt: Attempt | None) -> None:
    gate, problems = _checked(entry)
    lights = [light for light in attempt.lights if light.number == number] if attempt else []
    worst = next((light for light in lights if not light.held), lights[0] if lights else None)
    with ui.element("li").classes("tk-gate"):
        lamp(here, held=worst.held if worst else None)
        _said(here, gate.says if gate else problems[0].says if problems else _BROKEN, worst)
        with ui.row().classes("gap-1 no-wrap"):
            icon_button("edit", here.say(_CHANGE), partial(_edit, here, number)).mark(f"edit-gate-{number}")
            icon_button("delete", here.say(_REMOVE), partial(_remove, here, number)).mark(
                f"remove-gate-{number}"
            )


def _said(here: Here, says: Text, light: Light | None) -> None:
    with ui.column().classes("tk-gate-words"):
        ui.label(here.say(says))
        if light and light.because:
            ui.label(here.say(light.because)).classes("tk-soft tk-small")


def _checked(entry: Any) -> tuple[Gate | None, list[Problem]]:
    problems: list[Problem] = []
    found = [gate for _, gate in checked_gates([entry], problems)]
    return (found[0] if found else None), problems


def _remove(here: Here, number: int) -> None:
    def change(content: Content) -> None:
        del content["release_if"][number]
        if not content["release_if"]:
            del content["release_if"]

    here.change(_REMOVED, change)
    here.redraw()


# -- the form -----------------------------------------------------------------------------------------------------


def measures(*, tables: bool) -> dict[str, type[Measure | TableMeasure]]:
    """What a condition can be about, by id."""
    return {
        cls.id: cls
        for cls in catalogue
        if issubclass(cls, Measure) or (tables and issubclass(cls, TableMeasure))
    }


async def _edit(here: Here, number: int | None) -> None:
    given = here.session.draft.get("release_if", number) if number is not None else {"measure": _FIRST}
    entry = dict(given) if isinstance(given, Mapping) else {"measure": given}
    entry["measure"] = entry.get("measure") or entry.pop("use", _FIRST)
    await Editor(here, number, entry).open()


class Editor:
    """A dialog for one condition."""

    def __init__(self, here: Here, number: int | None, entry: dict[str, Any]) -> None:
        self._here, self._number = here, number
        self._known = measures(tables=bool(here.session.draft.get("tables")))
        self._id: str = entry["measure"] if entry["measure"] in self._known else _FIRST
        beside = GateDescription.model_fields
        self._bounds = {name: value for name, value in entry.items() if name in beside and name != "measure"}
        self._parameters = {name: value for name, value in entry.items() if name not in beside}

    async def open(self) -> None:
        """Draw it."""
        here = self._here
        with (
            open_dialog(here.say(_ADD if self._number is None else _CHANGE)) as self._dialog,
            ui.card().classes("tk-dialog"),
        ):
            ui.label(here.say(_ADD if self._number is None else _CHANGE)).classes("tk-h2")
            chosen = ui.select(self._names(), value=self._id, label=here.say(_MEASURE), with_input=True)
            chosen.props("outlined").classes("w-full").mark("gate-measure")
            chosen.on_value_change(self._choose)
            self._place = ui.column().classes("w-full gap-3")
            self._problems = ui.label().classes("tk-bad").props("role=alert")
            with ui.row().classes("w-full justify-end gap-2"):
                ui.button(here.say(CANCEL), on_click=self._dialog.close).props("flat no-caps")
                ui.button(here.say(SAVE), on_click=self._save).props("unelevated no-caps").mark("save-gate")
        self._dialog.on("hide", self._dialog.delete)
        await self._draw()

    def _names(self) -> dict[str, str]:
        say = self._here.say
        named = {
            id: f"{say(_FAMILIES.get(id.partition('.')[0], NOTHING))}: {say(cls.title)}"
            for id, cls in self._known.items()
        }
        return dict(sorted(named.items(), key=lambda item: item[1].casefold()))

    async def _choose(self, event: Any) -> None:
        if event.value and event.value != self._id:
            self._id, self._parameters, self._bounds = event.value, {}, {}
            await self._draw()

    async def _draw(self) -> None:
        here, cls = self._here, self._known[self._id]
        self._place.clear()
        with self._place:
            ui.label(here.say(cls.does))
            reads = cls.reads.filled(value="…")
            ui.label(f"{here.say(_READ, says=reads)} {here.say(_GOALS[cls.goal])}").classes(
                "tk-soft tk-small"
            )
            if issubclass(cls, TableMeasure):
                self._bounds = {"holds": True}
                ui.label(here.say(_HOLDS))
            else:
                self._numbers(cls)
            if cls.model_fields:
                with more(here.say(_SETTINGS)) as settings:
                    settings.set_value(any(field.is_required() for field in cls.model_fields.values()))
                    await form(here, cls, self._parameters, self._set)

    def _numbers(self, cls: type[Measure | TableMeasure]) -> None:
        first, second = ("at_least", "at_most") if cls.goal is Goal.HIGH else ("at_most", "at_least")
        share = tuple(cls.bounds) == (0, 1)
        with ui.row().classes("w-full gap-4"):
            for name in (first, second):
                says = self._here.say(_AT_LEAST if name == "at_least" else _AT_MOST)
                field = ui.number(says, value=self._bounds.get(name), format="%g", step=0.01 if share else 1)
                field.props("outlined clearable").classes("tk-bound").mark(f"gate-{name}")
                field.on_value_change(lambda event, name=name: self._bound(name, event.value))
        if share:
            ui.label(self._here.say(_SHARE)).classes("tk-soft tk-small")

    def _bound(self, name: str, value: float | None) -> None:
        self._bounds.pop(name, None)
        if value is not None:
            self._bounds[name] = int(value) if float(value).is_integer() else float(value)

    def _set(self, parameters: dict[str, Any]) -> None:
        self._parameters = dict(parameters)

    def _save(self) -> None:
        entry = {"measure": self._id, **self._parameters, **self._bounds}
        gate, problems = _checked(entry)
        if gate is None:
            self._problems.set_text("; ".join(self._here.say(problem.says) for problem in problems))
            return

        def change(content: Content) -> None:
            gates = content.setdefault("release_if", [])
            if self._number is None:
                gates.append(entry)
            else:
                gates[self._number] = entry

        self._dialog.close()
        self._here.change(_ADDED if self._number is None else _CHANGED, change)
        self._here.redraw()
