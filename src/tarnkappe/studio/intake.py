"""Where a file comes in: dropped, from the project folder, or an example."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import PurePath
from typing import Any

from nicegui import ui
from nicegui.events import MultiUploadEventArguments

from tarnkappe.errors import TarnkappeError
from tarnkappe.errors.studio import UploadNotKept, UploadTooLarge
from tarnkappe.language import Text
from tarnkappe.studio.frame import Here, heading, trouble_box
from tarnkappe.studio.opening import from_project, project_files, receive, start, start_example
from tarnkappe.studio.worker import Trouble

_DROP = Text("Drop a file here", "Datei hier ablegen")
_CHOOSE = Text("Choose a file", "Datei auswählen")
_FORMATS = Text(
    "CSV, Parquet, Arrow, Excel, SPSS, Stata, SAS; tables of τ-ARGUS (.tab with .rda and .hrc); a plan (.yaml) with its data.",
    "CSV, Parquet, Arrow, Excel, SPSS, Stata, SAS; Tabellen von τ-ARGUS (.tab mit .rda und .hrc); ein Plan (.yaml) mit seinen Daten.",
)
_PRIVATE = Text(
    "Up to {largest}. It stays on this machine, in a private folder, and is wiped when the studio closes.",
    "Bis {largest}. Sie bleibt auf diesem Rechner, in einem privaten Ordner, und wird beim Schließen des Studios gelöscht.",
)
_BROKEN_OFF = Text(
    "the disk is full, or the connection broke off", "der Datenträger ist voll, oder die Verbindung brach ab"
)
_UPLOADING = Text("Uploading", "Wird hochgeladen")
_EXAMPLES = Text("Or begin with an example", "Oder mit einem Beispiel beginnen")
_DATA_ONLY = Text("Open the data", "Daten öffnen")
_WITH_PLAN = Text("With its finished plan", "Mit fertigem Plan")
_FURTHER_PLANS = {
    "enterprises": {"zew-mip": Text("ZEW recipe", "ZEW-Rezept")},
}
_PROJECT = Text("Or open a file of the project folder", "Oder eine Datei des Projektordners öffnen")
_NO_FILES = Text(
    "There is no file of a known format in it.", "Darin liegt keine Datei eines bekannten Formats."
)
_SHOWN: dict[str, tuple[str, Text, Text]] = {
    "persons": (
        "groups",
        Text("Health insurance register", "Register einer Krankenversicherung"),
        Text(
            "5,000 persons in households: names, places, birth dates, work, diagnoses, claims. Nobody in it lives.",
            "5.000 Personen in Haushalten: Namen, Orte, Geburtstage, Berufe, Diagnosen, Schäden. Niemand darin lebt.",
        ),
    ),
    "enterprises": (
        "factory",
        Text("Enterprise panel", "Unternehmenspanel"),
        Text(
            "5,000 records of enterprises over several years: industry, region, turnover, employees, profit.",
            "5.000 Datensätze von Unternehmen über mehrere Jahre: Branche, Region, Umsatz, Beschäftigte, Gewinn.",
        ),
    ),
}
_ICONS = {".yaml": "description", ".yml": "description", ".tab": "grid_on", ".xlsx": "table_view"}


def sizes(bytes_: int, here: Here) -> str:
    """A number of bytes for people."""
    for unit, size in (("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10)):
        if bytes_ >= size:
            return f"{here.number(bytes_ / size, 3)} {unit}"
    return f"{bytes_} B"


class Intake:
    """The ways in; `begun` is called when a file is on its way."""

    def __init__(self, here: Here, begun: Callable[[], Any]) -> None:
        self.here = here
        self.begun = begun

    def draw(self) -> None:
        """Draw all ways in."""
        self._drop()
        self.trouble = ui.column().classes("w-full")
        if self.here.session.settings.project is not None:
            self._project()
        heading(self.here.say(_EXAMPLES))
        with ui.element("div").classes("tk-examples"):
            for name in _SHOWN:
                self._example(name)

    def _drop(self) -> None:
        here, largest = self.here, self.here.session.settings.largest
        box = ui.upload(
            multiple=True, auto_upload=True, max_file_size=largest, on_multi_upload=self._arrived,
            on_rejected=lambda: self._tell(UploadTooLarge(largest=sizes(largest, here))),
        )  # fmt: skip
        box.props("flat").classes("tk-drop").mark("drop")
        box.on("failed", lambda: self._tell(UploadNotKept(why=here.say(_BROKEN_OFF))))
        box.add_slot(
            "header",
            f"""
            <div class="tk-drop-inner">
              <q-icon name="upload_file" size="2.6rem" class="tk-drop-icon"></q-icon>
              <div class="tk-h2">{here.say(_DROP)}</div>
              <q-btn unelevated no-caps color="primary" @click="props.pickFiles">{here.say(_CHOOSE)}</q-btn>
              <span hidden><q-uploader-add-trigger></q-uploader-add-trigger></span>
              <div class="tk-drop-says tk-soft tk-small">{here.say(_FORMATS)}</div>
              <div class="tk-drop-says tk-soft tk-small">{here.say(_PRIVATE, largest=sizes(largest, here))}</div>
              <div v-if="props.isUploading" class="tk-drop-progress" role="status">
                {here.say(_UPLOADING)} {{{{ props.uploadProgressLabel }}}}
                <q-linear-progress :value="props.uploadProgress" rounded instant-feedback></q-linear-progress>
              </div>
            </div>""",
        )
        box.add_slot("list", "<div></div>")
        self.box = box

    async def _arrived(self, event: MultiUploadEventArguments) -> None:
        try:
            opening = await receive(self.here.session, event.files)
        except TarnkappeError as problem:
            self.box.reset()
            self._tell(problem)
            return
        start(self.here.session, opening)
        self.begun()

    def _tell(self, problem: TarnkappeError) -> None:
        self.trouble.clear()
        with self.trouble:
            trouble_box(self.here, Trouble.of(problem))

    def _example(self, name: str) -> None:
        here = self.here
        icon, title, says = _SHOWN[name]
        with ui.column().classes("tk-panel tk-example"):
            with ui.row().classes("items-center gap-3 no-wrap"):
                ui.icon(icon, size="1.6rem").classes("tk-drop-icon")
                heading(here.say(title), 3)
            ui.label(here.say(says)).classes("tk-soft tk-small")
            with ui.row().classes("gap-2 tk-example-ways"):
                ways = {"data": _DATA_ONLY, "plan": _WITH_PLAN, **_FURTHER_PLANS.get(name, {})}
                for how, way in ways.items():
                    button = ui.button(here.say(way), on_click=lambda how=how: self._start_example(name, how))
                    button.props("no-caps outline" if how == "data" else "no-caps flat")
                    button.props["aria-label"] = f"{here.say(title)}: {here.say(way)}"
                    button.mark(f"example-{name}-{how}")

    def _start_example(self, name: str, how: str) -> None:
        start_example(self.here.session, name, how)
        self.begun()

    def _project(self) -> None:
        here = self.here
        project = here.session.settings.project
        assert project is not None, "asked before"
        heading(here.say(_PROJECT))
        names = project_files(project)
        if not names:
            ui.label(here.say(_NO_FILES)).classes("tk-soft")
            return
        with ui.list().classes("tk-panel tk-files").props("dense"):
            for name in names:
                with ui.item(on_click=lambda name=name: self._from_project(name)).mark(f"file-{name}"):
                    with ui.item_section().props("avatar"):
                        ui.icon(_ICONS.get(PurePath(name).suffix.lower(), "table_rows")).classes("tk-soft")
                    with ui.item_section():
                        ui.label(name)

    def _from_project(self, name: str) -> None:
        try:
            opening = from_project(self.here.session, name)
        except TarnkappeError as problem:
            self._tell(problem)
            return
        start(self.here.session, opening)
        self.begun()
