"""The file that is open: what it is, how it was read, its first records and its columns. Settings are tried live."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePath
from typing import Any

from nicegui import ui

from tarnkappe.io.first_lines import is_text
from tarnkappe.language import Text
from tarnkappe.studio.cells_question import ask_for_cells
from tarnkappe.studio.column_list import ColumnList
from tarnkappe.studio.draft import Content
from tarnkappe.studio.frame import Here, fold, heading, trouble_box
from tarnkappe.studio.intake import sizes
from tarnkappe.studio.proposing import proposal_job
from tarnkappe.studio.reading_form import ReadingForm, summary
from tarnkappe.studio.reading_part import READING
from tarnkappe.studio.sparks import table
from tarnkappe.studio.tasks.look import First, Look, first, look
from tarnkappe.studio.worker import TaskFailed, Trouble
from tarnkappe.vocab import Kind

_LARGE = 20_000_000
"""Bytes from which on the first lines are shown before the file is read whole."""
_WIDEST, _ROWS = 60, 12
"""Columns of the preview, and records where the file is wider than a screen."""
_READ = Text("how the file is read", "wie die Datei gelesen wird")
_SHAPE = Text("{records} records × {columns} columns", "{records} Datensätze × {columns} Spalten")
_HOW = Text("How it was read", "Wie sie gelesen wurde")
_AS_CELLS = Text(
    "The lines are cells of a table, not records", "Die Zeilen sind Zellen einer Tabelle, keine Datensätze"
)
_TRYING = Text("Reading with the new settings …", "Wird mit den neuen Einstellungen gelesen …")
_HEAD = Text("First records", "Erste Datensätze")
_FIRST_COLUMNS = Text(
    "The first {shown} of {all} columns are shown.", "Gezeigt sind die ersten {shown} von {all} Spalten."
)
_COLUMNS = Text("Columns", "Spalten")


class OpenFile:
    """The panels about a file; settings that do not work leave them, and the plan, as they were."""

    def __init__(self, here: Here, found: Look) -> None:
        self.here, self.found = here, found
        self.reading = _reading(here)
        self.form = ReadingForm(here, dict(self.reading), found, self.try_settings)
        self.first: First | None = None
        self.trouble: Trouble | None = None
        self.trying = False
        self.place = ui.context.slot.parent

    def draw(self) -> None:
        """Draw the panels."""
        self.reading_panel()
        with ui.column().classes("tk-panel"):
            heading(self.here.say(_HEAD))
            self.preview()
        self.columns()

    @ui.refreshable_method
    def title(self) -> None:
        """Name and size of the file."""
        here, file = self.here, PurePath(str(self.reading["file"]))
        heading(file.name)
        shape = here.say(
            _SHAPE,
            records=here.number(self.found.records),
            columns=here.number(len(self.found.profiles)),
        )
        kind = file.suffix.removeprefix(".").upper()
        ui.label(f"{shape} · {kind} · {sizes(self.found.size, here)}").classes("tk-soft")

    def reading_panel(self) -> None:
        """How it was read, with the settings to change it folded away."""
        aside = self.here.session.asides
        with fold(self.here.say(_HOW), shown=False, value=aside.get("open.reading", False)) as panel:
            panel.classes("tk-panel tk-fold")
            panel.on_value_change(lambda event: aside.update({"open.reading": event.value}))
            panel.mark("reading")
            with panel.add_slot("header"), ui.column().classes("gap-0 tk-fill"):
                heading(self.here.say(_HOW), 3)
                self.how()
            self.form.draw()
            self.state()
            ui.button(self.here.say(_AS_CELLS), on_click=self._as_cells).props("flat no-caps dense").mark(
                "as-cells"
            )

    def _as_cells(self) -> None:
        ask_for_cells(self.here, self.found, self.here.redraw)

    @ui.refreshable_method
    def how(self) -> None:
        """How it was read, in a line."""
        ui.label(summary(self.here, self.reading, self.found)).classes("tk-soft tk-small").mark("how")

    @ui.refreshable_method
    def state(self) -> None:
        """What the settings that are being tried come to."""
        if self.trying:
            with ui.row().classes("items-center gap-3").props("role=status"):
                ui.spinner(size="1.2rem")
                ui.label(self.here.say(_TRYING)).classes("tk-soft")
        if self.trouble:
            trouble_box(self.here, self.trouble)

    @ui.refreshable_method
    def preview(self) -> None:
        """The first records, as read with settings that work."""
        names, head = (self.first or self.found).names, (self.first or self.found).head
        numbers = set(self.found.numbers)
        rows = head if len(names) <= _WIDEST // 3 else head[:_ROWS]
        shown = names[:_WIDEST]
        drawn = table(shown, [row[:_WIDEST] for row in rows], [name in numbers for name in shown])
        box = ui.html(drawn, sanitize=False).classes("tk-scroll tk-head").mark("preview")
        box.props(f'tabindex=0 role=region aria-label="{self.here.say(_HEAD)}"')
        if len(names) > len(shown):
            said = self.here.say(_FIRST_COLUMNS, shown=len(shown), all=self.here.number(len(names)))
            ui.label(said).classes("tk-soft tk-small")

    @ui.refreshable_method
    def columns(self) -> None:
        """The list of columns."""
        with ui.column().classes("tk-panel"):
            heading(self.here.say(_COLUMNS))
            ColumnList(self.here, self.found, self._set_type).draw()

    def _set_type(self, name: str, kind: Kind) -> None:
        types = {**self.form.reading.get("types", {}), name: kind.value}
        self.form.take({**self.form.reading, "types": types})

    async def try_settings(self, wanted: dict[str, Any]) -> None:
        """Read with other settings; they enter the plan when the whole file could be read with them."""
        session = self.here.session
        self.trying, self.trouble = True, None
        self.state.refresh()
        try:
            if self.found.size > _LARGE and is_text(str(wanted["file"])):
                self.first = await session.learn(first, session.folder, wanted, session.home)
                self.preview.refresh()
            found = await session.learn(look, session.folder, wanted, session.home)
        except TaskFailed as problem:
            if wanted == self.form.reading:
                self.trying, self.trouble, self.first = False, problem.trouble, None
                self.state.refresh()
                self.preview.refresh()
            return
        if wanted == self.form.reading:
            self._took(wanted, found)

    def _took(self, wanted: dict[str, Any], found: Look) -> None:
        self.reading, self.found, self.first, self.trying = wanted, found, None, False
        self.form.found = found
        self.here.change(_READ, lambda content: put_reading(content, wanted, found.names))
        proposal_job(self.here.session)
        for part in (self.title, self.how, self.state, self.preview, self.columns):
            part.refresh()


def put_reading(content: Content, wanted: Mapping[str, Any], names: tuple[str, ...]) -> None:
    """Put how the file is read into a plan; what it says of columns that are gone goes with them."""
    data = content["data"]
    for name in READING:
        data.pop(name, None)
    content["data"] = data = {**wanted, **data}
    for part in ("hierarchies", "labels"):
        if part in data:
            data[part] = {name: said for name, said in data[part].items() if name in names}
    if "roles" in data:
        kept = {role: _known(given, names) for role, given in data["roles"].items()}
        data["roles"] = {role: given for role, given in kept.items() if given}
    for part in ("hierarchies", "labels", "roles"):
        if not data.get(part, True):
            del data[part]


def _known(given: Any, names: tuple[str, ...]) -> Any:
    if isinstance(given, str):
        return given if given in names else None
    return [name for name in given if name in names]


def _reading(here: Here) -> dict[str, Any]:
    data = here.session.draft.get("data", default={})
    return {name: data[name] for name in READING if name in data}
