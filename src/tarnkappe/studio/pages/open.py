"""Step 1: open a file and see that it was read rightly."""

from __future__ import annotations

from typing import Any

from nicegui import ui

from tarnkappe.io.first_lines import is_text
from tarnkappe.language import Text
from tarnkappe.studio.cells_question import cells_note
from tarnkappe.studio.frame import Here, all_pages, heading, open_dialog, page, trouble_box
from tarnkappe.studio.intake import Intake
from tarnkappe.studio.open_file import OpenFile
from tarnkappe.studio.opening import Opening, cancel, forget, pending, start
from tarnkappe.studio.reading_form import ReadingForm
from tarnkappe.studio.reading_part import reading_of
from tarnkappe.studio.tasks.arrive import ready
from tarnkappe.studio.tasks.look import Look, look
from tarnkappe.studio.tasks.release import RELEASES
from tarnkappe.studio.words import CANCEL

_ANOTHER = Text("Open another file", "Andere Datei öffnen")
_LOST = Text(
    "The plan and the releases of the file that is open are wiped when another is opened. Download first what you want to keep.",
    "Plan und Freigaben der geöffneten Datei werden gelöscht, sobald eine andere geöffnet ist. Laden Sie vorher herunter, was Sie behalten wollen.",
)
_NEXT = Text("Next: describe it", "Weiter: beschreiben")
_TO_TABLES = Text("Next: the table", "Weiter: die Tabelle")
_READING = Text("Opening {file}", "{file} wird geöffnet")
_FAILED = Text("{file} could not be opened", "{file} ließ sich nicht öffnen")
_OTHERWISE = Text("Read it otherwise", "Anders lesen")
_TRY_AGAIN = Text(
    "Change a setting, and it is tried again.", "Ändern Sie eine Einstellung; dann wird es erneut versucht."
)
_DROP_IT = Text("Do not open it", "Nicht öffnen")
_TABLE = Text("Table {name}: by {by}", "Tabelle {name}: nach {by}")


@page(
    1,
    "open",
    Text("Open", "Öffnen"),
    Text("Choose the file that is to be shared.", "Wählen Sie die Datei, die weitergegeben werden soll."),
    "folder_open",
)
def build(here: Here) -> None:
    """The page."""
    session = here.session
    opening = pending(session)
    if opening and not opening.over:
        _progress(here, opening)
        return
    if opening and opening.trouble:
        _failed(here, opening)
    data = session.draft.get("data")
    if data:
        here.later(
            lambda found: _file(here, found),
            look,
            session.folder,
            reading_of(data),
            session.home,
            height="20rem",
        )
    elif session.draft.get("tables"):
        _tables(here)
    elif not (opening and opening.trouble and opening.again):
        Intake(here, here.redraw).draw()
        ui.timer(0.2, lambda: session.learn(ready), once=True)


def _file(here: Here, found: Look) -> None:
    """The file that is open."""
    file = OpenFile(here, found)
    with ui.row().classes("tk-panel tk-title-row"):
        with ui.column().classes("gap-1 tk-fill"):
            file.title()
        with ui.row().classes("gap-2 items-center"):
            _another(here)
            _on(here, _NEXT, "describe")
    if found.cells and not here.session.asides.get("open.records"):
        cells_note(here, found, here.redraw)
    file.draw()


def _tables(here: Here) -> None:
    """A plan of tables that come from files of their own."""
    with ui.row().classes("tk-panel tk-title-row"):
        with ui.column().classes("gap-1 tk-fill"):
            heading(here.session.draft.get("title") or "")
            for one in here.session.draft.get("tables"):
                ui.label(here.say(_TABLE, name=one.get("name"), by=", ".join(one.get("by", ())))).classes(
                    "tk-soft"
                )
        with ui.row().classes("gap-2 items-center"):
            _another(here)
            _on(here, _TO_TABLES, "tables")


def _another(here: Here) -> None:
    def ask() -> None:
        with open_dialog(here.say(_ANOTHER)) as dialog, ui.card().classes("tk-dialog"):
            if not here.session.in_project and (here.session.room / RELEASES).is_dir():
                ui.label(here.say(_LOST)).classes("tk-note").props("role=alert").mark("lost")
            Intake(here, here.redraw).draw()
        dialog.on("hide", dialog.delete)

    ui.button(here.say(_ANOTHER), on_click=ask).props("outline no-caps").mark("another")


def _on(here: Here, says: Text, path: str) -> None:
    ui.button(here.say(says), on_click=lambda: ui.navigate.to(f"/{path}")).props(
        "unelevated no-caps icon-right=arrow_forward"
    ).mark("next")


def _progress(here: Here, opening: Opening) -> None:
    """How far the file is on its way in."""
    with ui.column().classes("tk-panel"):
        heading(here.say(_READING, file=opening.file))
        doing = ui.label(here.say(opening.doing)).classes("tk-soft").props("aria-live=polite")
        bar = ui.linear_progress(0, show_value=False).props("rounded indeterminate")
        with ui.row().classes("w-full justify-end"):
            ui.button(here.say(CANCEL), on_click=lambda: cancel(here.session, opening)).props("flat no-caps")

    def watch() -> None:
        if opening.over:
            timer.cancel()
            _over(here, opening)
            return
        doing.set_text(here.say(opening.doing))
        if opening.share is not None:
            bar.props(remove="indeterminate")
            bar.set_value(opening.share)

    timer = ui.timer(0.15, watch)


def _over(here: Here, opening: Opening) -> None:
    here.touched()
    tables = not opening.trouble and not here.session.draft.get("data")
    if tables and any(one.path == "tables" for one in all_pages()):
        ui.navigate.to("/tables")
    else:
        here.redraw()


def _failed(here: Here, opening: Opening) -> None:
    """Why a file could not be opened, and the settings with which it might be."""
    assert opening.trouble is not None, "asked before"

    def give_up() -> None:
        forget(here.session)
        here.redraw()

    async def again(wanted: dict[str, Any]) -> None:
        opening.data = wanted
        start(here.session, opening)
        here.redraw()

    with ui.column().classes("tk-panel").mark("failed"):
        heading(here.say(_FAILED, file=opening.file))
        trouble_box(here, opening.trouble)
        if opening.again and is_text(opening.file):
            heading(here.say(_OTHERWISE), 3)
            ui.label(here.say(_TRY_AGAIN)).classes("tk-soft tk-small")
            ReadingForm(here, dict(opening.data), None, again).draw()
        with ui.row().classes("w-full justify-end"):
            ui.button(here.say(_DROP_IT), on_click=give_up).props("flat no-caps").mark("give-up")
