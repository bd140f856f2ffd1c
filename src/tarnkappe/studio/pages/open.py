"""Step 1: open a file and see that it was read rightly."""

from __future__ import annotations

from nicegui import ui

from tarnkappe.language import Text
from tarnkappe.studio.frame import Here, page
from tarnkappe.studio.tasks.look import Look, look


@page(
    1,
    "open",
    Text("Open", "Öffnen"),
    Text("Choose the file that is to be shared.", "Wählen Sie die Datei, die weitergegeben werden soll."),
    "folder_open",
)
def build(here: Here) -> None:
    """The page."""
    data = here.session.draft.get("data")
    if data:
        here.later(lambda found: _shown(here, found), look, here.session.folder, data)


def _shown(here: Here, found: Look) -> None:
    ui.label(here.number(found.records))
