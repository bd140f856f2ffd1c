"""Step 5: choose methods, set them, see at once what they do."""

from __future__ import annotations

from typing import Any

from nicegui import ui

from tarnkappe.language import Text
from tarnkappe.spec import Declared, Maturity, catalogue
from tarnkappe.studio.advisor import Advisor
from tarnkappe.studio.blocks import nothing_yet
from tarnkappe.studio.cards import Shelf, takes_numbers
from tarnkappe.studio.draft import Content
from tarnkappe.studio.forms import known_columns
from tarnkappe.studio.frame import Here, heading, page, panel
from tarnkappe.studio.previews import PreviewPanel
from tarnkappe.studio.step_editor import Doing, StepEditor
from tarnkappe.studio.step_list import StepList
from tarnkappe.studio.step_words import joined
from tarnkappe.studio.table_steps import table_protection
from tarnkappe.studio.words import ADD, NO_DATA, OPEN_ONE

_STEPS = Text("Steps, in order", "Schritte, der Reihe nach")
_ADD = Text("Add a method", "Verfahren hinzufügen")
_ADVISE = Text("Propose a plan", "Plan vorschlagen")
_ADDED = Text("add {title}", "{title} hinzufügen")
_TABLE = Text("Table {name}", "Tabelle {name}")
_ONLY_TABLES = Text(
    "This plan publishes tables only: without a step, no records are released.",
    "Dieser Plan veröffentlicht nur Tabellen: Ohne Schritt werden keine Datensätze freigegeben.",
)
_HINT = Text(
    "Open a file first; then methods can be chosen and tried.",
    "Öffnen Sie zuerst eine Datei; dann lassen sich Verfahren wählen und ausprobieren.",
)
_CHOSEN = "protect.step"


@page(
    5,
    "protect",
    Text("Protect", "Schützen"),
    Text(
        "Choose what is done to the data, in which order, and see at once what it changes.",
        "Wählen Sie, was mit den Daten geschieht und in welcher Reihenfolge, und sehen Sie gleich, was sich ändert.",
    ),
    "shield",
    wide=True,
)
async def build(here: Here) -> None:
    """The page."""
    draft = here.session.draft
    tables = draft.get("tables", default=[])
    if not draft.get("data") and not tables:
        nothing_yet(here, "shield", NO_DATA, _HINT, (OPEN_ONE, "/open"))
        return
    if draft.get("data"):
        await _Protect(here).draw()
    for index, table in enumerate(tables):
        with panel(here.say(_TABLE, name=table.get("name", index + 1))):
            await table_protection(here, index)


class _Protect:
    """Steps at the left; at the right the one that was chosen, and the preview."""

    def __init__(self, here: Here) -> None:
        self._here = here

    async def draw(self) -> None:
        here = self._here
        with ui.element("div").classes("tk-protect"):
            with ui.column().classes("tk-protect-left"), panel():
                heading(here.say(_STEPS))
                if here.session.draft.get("tables") and not here.session.draft.get("steps"):
                    ui.label(here.say(_ONLY_TABLES)).classes("tk-soft")
                with ui.row().classes("w-full gap-2"):
                    add = ui.button(here.say(_ADD), icon="add", on_click=self._open_shelf)
                    add.props("unelevated no-caps").mark("add-method")
                    advise = ui.button(here.say(_ADVISE), icon="auto_awesome", on_click=self._advise)
                    advise.props("flat no-caps").mark("advise")
                self._list = StepList(here, self._choose, self._moved, self._reordered)
            with ui.column().classes("tk-protect-right"):
                self._editor = StepEditor(here, Doing(self._list.move, self._set, self._reordered))
                self._preview = PreviewPanel(here, self._list.seen)
        chosen = here.session.asides.get(_CHOSEN)
        if chosen is not None and chosen < len(self._list.steps):
            self._list.chosen = chosen
            self._list.draw()
            await self._editor.show(chosen)

    async def _choose(self, at: int) -> None:
        self._here.session.asides[_CHOSEN] = at
        await self._editor.show(at)

    def _moved(self) -> None:
        """The order has changed: the panel of the chosen step stays, under its new number."""
        self._editor.at = self._list.chosen if self._editor.at is not None else None
        self._here.session.asides[_CHOSEN] = self._editor.at
        self._preview.refresh()

    def _set(self, at: int) -> None:
        self._list.retell(at)
        self._preview.refresh()

    async def _reordered(self, chosen: int | None) -> None:
        self._here.session.asides[_CHOSEN] = chosen
        self._list.chosen = chosen
        self._list.draw()
        await self._editor.show(chosen)
        self._preview.refresh()

    # -- adding ---------------------------------------------------------------------------------------------------

    def _open_shelf(self) -> None:
        Shelf(self._here, _ADD, ADD, catalogue.methods(), self._add).open()

    async def _add(self, cls: type[Declared]) -> None:
        parameters = await self._first_parameters(cls)

        def change(content: Content) -> None:
            content.setdefault("steps", []).append(joined(cls.id, parameters))
            if cls.maturity is Maturity.EXPERIMENTAL:
                content["allow"] = ["experimental"]

        self._here.change(_ADDED.filled(title=cls.title), change)
        with self._list.place:
            await self._reordered(len(self._list.steps) - 1)

    async def _first_parameters(self, cls: type[Declared]) -> dict[str, Any]:
        """Methods for numbers begin with the columns whose role is to be analysed; all else is left to choose."""
        field = cls.__pydantic_fields__.get("columns")
        if not takes_numbers(cls) or field is None or not field.is_required():
            return {}
        columns = [one.name for one in await known_columns(self._here) if "numeric" in one.roles]
        return {"columns": columns} if columns else {}

    def _advise(self) -> None:
        Advisor(self._here, self._here.redraw)
