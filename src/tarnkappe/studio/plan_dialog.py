"""The plan as a text: shown, downloaded, or kept in the project folder."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nicegui import ui

from tarnkappe.errors import TarnkappeError
from tarnkappe.language import Text
from tarnkappe.studio.words import CANCEL, COPY
from tarnkappe.studio.worker import Trouble

if TYPE_CHECKING:
    from tarnkappe.studio.frame import Here

_PLAN = Text("Plan", "Plan")
_DOWNLOAD = Text("Download plan", "Plan herunterladen")
_SAYS = Text(
    "What you build here is a plan. `tarnkappe run plan.yaml --out DIR` gives the same release.",
    "Was Sie hier bauen, ist ein Plan. `tarnkappe run plan.yaml --out DIR` ergibt dieselbe Freigabe.",
)
_NAME = Text("File in the project folder", "Datei im Projektordner")
_SAVE = Text("Save plan to the folder", "Plan im Ordner speichern")
_SAVED = Text("Saved as {file}.", "Gespeichert als {file}.")
_NO_DIFFERENCE = Text("{file} holds this plan.", "{file} enthält diesen Plan.")
_CHANGED = Text(
    "{file} was changed by another program since it was opened or saved here. Replace it, or give another name.",
    "{file} wurde von einem anderen Programm geändert, seit sie hier geöffnet oder gespeichert wurde. Ersetzen Sie sie, oder geben Sie einen anderen Namen an.",
)
_EXISTS = Text(
    "{file} is in the folder already. Replace it, or give another name.",
    "{file} liegt schon im Ordner. Ersetzen Sie sie, oder geben Sie einen anderen Namen an.",
)
_REPLACE = Text("Replace {file}", "{file} ersetzen")


def show_plan(here: Here) -> None:
    """Show the plan in a dialog."""
    text = here.session.draft.text()
    with ui.dialog(value=True) as dialog, ui.card().classes("tk-dialog"):
        dialog.props(f'aria-label="{here.say(_PLAN)}"')
        ui.label(here.say(_PLAN)).classes("tk-h2").props("role=heading aria-level=2")
        ui.label(here.say(_SAYS)).classes("tk-soft")
        plan_text(here, text)
        if here.session.in_project:
            _Keep(here, text)
        with ui.row().classes("w-full justify-end"):
            ui.button(
                here.say(_DOWNLOAD),
                on_click=lambda: ui.download.content(text, "plan.yaml", "application/yaml"),
            ).props("outline no-caps" if here.session.in_project else "unelevated no-caps")
    dialog.on("hide", dialog.delete)


def plan_text(here: Here, text: str) -> None:
    """The text of a plan, to be read and copied."""
    shown = ui.code(text, language="yaml").classes("w-full tk-plan").props("tabindex=0")
    shown.copy_button.props["aria-label"] = here.say(COPY)


class _Keep:
    """Where the plan is kept; what another program wrote there is replaced only by who says so."""

    def __init__(self, here: Here, text: str) -> None:
        self._here, self._text = here, text
        with ui.row().classes("w-full items-center gap-3 no-wrap"):
            self._name = ui.input(here.say(_NAME), value=here.session.keeping.name)
            self._name.props("outlined dense").classes("tk-grow").mark("plan-file")
            self._name.on("keydown.enter", self._save)
            ui.button(here.say(_SAVE), on_click=self._save).props("unelevated no-caps").mark("save-plan")
        self._told = ui.column().classes("w-full gap-2").props("aria-live=polite").mark("plan-told")

    def _save(self, *, replace: bool = False) -> None:
        say, keeping, name = self._here.say, self._here.session.keeping, (self._name.value or "").strip()
        self._told.clear()
        with self._told:
            try:
                state = keeping.keep(name, self._text, replace=replace)
            except TarnkappeError as problem:
                told = Trouble.of(problem)
                ui.label(f"{say(told.what)} {say(told.remedy)}").classes("tk-bad").props("role=alert")
                return
            if state in ("changed", "exists"):
                self._ask(name, _CHANGED if state == "changed" else _EXISTS)
            else:
                words = _SAVED if state == "saved" else _NO_DIFFERENCE
                ui.label(say(words, file=keeping.name)).classes("tk-good")

    def _ask(self, name: str, why: Text) -> None:
        say = self._here.say
        ui.label(say(why, file=name)).classes("tk-warn").props("role=alert")
        with ui.row().classes("gap-2"):
            ui.button(say(_REPLACE, file=name), on_click=lambda: self._save(replace=True)).props(
                "outline no-caps autofocus"
            ).mark("replace-plan")
            ui.button(say(CANCEL), on_click=self._told.clear).props("flat no-caps")
