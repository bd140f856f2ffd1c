"""Records or cells? A file with one line per cell of a table is protected as a table."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nicegui import ui

from tarnkappe.language import Text
from tarnkappe.plan.naming import topic_of
from tarnkappe.plan.words import COUNT
from tarnkappe.studio.frame import Here, heading, open_dialog
from tarnkappe.studio.opening import start_cells
from tarnkappe.studio.reading_part import reading_of
from tarnkappe.studio.tasks.look import Look
from tarnkappe.studio.words import CANCEL

_ASK = Text(
    "Are these records, or the cells of a table?", "Sind das Datensätze oder die Zellen einer Tabelle?"
)
_WHY = Text(
    "Every combination of codes occurs once. In a table each line is a cell with a sum or a count; among records each line is a person or a firm.",
    "Jede Kombination von Codes kommt einmal vor. In einer Tabelle ist jede Zeile eine Zelle mit einer Summe oder Anzahl, bei Datensätzen eine Person oder Firma.",
)
_RECORDS = Text("Records", "Datensätze")
_CELLS = Text("Cells of a table", "Zellen einer Tabelle")
_TITLE = Text("A table of cells", "Eine Tabelle von Zellen")
_SAYS = Text(
    "Each line is a cell; totals are lines of their own with a code such as Total.",
    "Jede Zeile ist eine Zelle; Summen sind eigene Zeilen mit einem Code wie Total.",
)
_BY = Text("Dimensions", "Dimensionen")
_VALUE = Text("Value of the cell", "Wert der Zelle")
_COUNT = Text("Number of contributors, if there is one", "Anzahl der Beitragenden, falls vorhanden")
_OPEN = Text("Open as a table", "Als Tabelle öffnen")


def cells_note(here: Here, found: Look, begun: Callable[[], Any]) -> None:
    """Ask what the file is."""

    def records() -> None:
        here.session.asides["open.records"] = True
        note.delete()

    with ui.column().classes("tk-note gap-2").mark("cells-note") as note:
        heading(here.say(_ASK), 3)
        ui.label(here.say(_WHY))
        with ui.row().classes("gap-2"):
            ui.button(here.say(_RECORDS), on_click=records).props("outline no-caps").mark("are-records")
            ui.button(here.say(_CELLS), on_click=lambda: ask_for_cells(here, found, begun)).props(
                "unelevated no-caps"
            ).mark("are-cells")


def ask_for_cells(here: Here, found: Look, begun: Callable[[], Any]) -> None:
    """Ask which columns hold what, and open the file as a table."""
    counts = [name for name in found.numbers if topic_of(name) is COUNT]
    values = [name for name in found.numbers if name not in counts] or counts
    with open_dialog(here.say(_TITLE)) as dialog, ui.card().classes("tk-dialog"):
        heading(here.say(_TITLE))
        ui.label(here.say(_SAYS)).classes("tk-soft")
        by = ui.select(list(found.names), value=list(found.codes), multiple=True, label=here.say(_BY))
        by.props("outlined use-chips").classes("w-full").mark("cells-by")
        value = ui.select(list(found.names), value=next(iter(values), None), label=here.say(_VALUE))
        value.props("outlined").classes("w-full").mark("cells-value")
        count = ui.select(
            list(found.names), value=next(iter(counts), None), label=here.say(_COUNT), clearable=True
        )
        count.props("outlined").classes("w-full").mark("cells-count")

        def go() -> None:
            if not by.value or not value.value:
                return
            columns = {"value": value.value, **({"count": count.value} if count.value else {})}
            reading = reading_of(here.session.draft.get("data"))
            reading.pop("types", None)
            start_cells(here.session, {**reading, "by": list(by.value), "columns": columns})
            dialog.close()
            begun()

        with ui.row().classes("w-full justify-end gap-2"):
            ui.button(here.say(CANCEL), on_click=dialog.close).props("flat no-caps")
            ui.button(here.say(_OPEN), on_click=go).props("unelevated no-caps").mark("open-cells")
    dialog.on("hide", dialog.delete)
