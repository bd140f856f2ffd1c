"""Step 8: conditions, trial, documents, release, and what was released before."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from nicegui import ui

from tarnkappe.errors.studio import FileNameWrong
from tarnkappe.language import Text
from tarnkappe.studio.blocks import nothing_yet
from tarnkappe.studio.documents import PREVIEWS
from tarnkappe.studio.frame import Here, job_box, open_dialog, page, panel
from tarnkappe.studio.gates import conditions
from tarnkappe.studio.jobs import Job, State
from tarnkappe.studio.past_runs import past_runs
from tarnkappe.studio.release_parts import documents, failed, files, outcome, release_address
from tarnkappe.studio.tasks.release import RELEASES, Attempt, attempt, publish
from tarnkappe.studio.words import CANCEL, NO_DATA, OPEN_ONE

JOB = "release"
"""Kind of the jobs of this page: trials, previews and releases."""
_OPEN_HINT = Text(
    "Open a file and describe it; what is ready to leave is released here.",
    "Öffnen Sie eine Datei und beschreiben Sie sie; was bereit ist, wird hier freigegeben.",
)
_TITLE = Text("Try and release", "Erproben und freigeben")
_TRY, _PREVIEW, _RELEASE = (
    Text("Try", "Erproben"), Text("Preview the documents", "Dokumente ansehen"), Text("Release", "Freigeben"),
)  # fmt: skip
_TRY_SAYS = Text(
    "Trying carries out the whole plan and judges the conditions without writing anything.",
    "Beim Erproben wird der ganze Plan ausgeführt und jede Bedingung geprüft, ohne etwas zu schreiben.",
)
_NAME = Text("Name of the release", "Name der Freigabe")
_TRYING, _PREVIEWING, _RELEASING = (
    Text("Trying the plan", "Plan wird erprobt"),
    Text("Preparing the documents", "Dokumente werden vorbereitet"),
    Text("Releasing", "Freigabe läuft"),
)
_EXISTS = Text("“{name}” exists already", "„{name}“ gibt es schon")
_EXISTS_SAYS = Text(
    "The earlier release of this name would be replaced. Its files and documents are gone then.",
    "Die frühere Freigabe dieses Namens würde ersetzt. Ihre Dateien und Dokumente sind dann weg.",
)
_REPLACE = Text("Replace", "Ersetzen")
_DONE = Text("Cancelled. Nothing was written.", "Abgebrochen. Es wurde nichts geschrieben.")


@page(
    8,
    "release",
    Text("Release", "Freigabe"),
    Text(
        "See whether everything holds, read what will be told, and let the data go.",
        "Sehen Sie, ob alles hält, lesen Sie, was mitgeteilt wird, und geben Sie die Daten frei.",
    ),
    "outbox",
)
def build(here: Here) -> None:
    """The page."""
    draft = here.session.draft
    if not draft.get("data") and not draft.get("tables"):
        nothing_yet(here, "folder_open", NO_DATA, _OPEN_HINT, (OPEN_ONE, "/open"))
        if here.session.in_project:
            past_runs(here)
        return
    job = here.session.jobs.latest(JOB)
    running = job if job and not job.state.over else None
    last = _last(here)
    fresh = last is not None and last.note == (here.session.folder, draft.text())
    reached = last.result if last and last.state is State.DONE else None
    conditions(here, reached if fresh else None)
    if running:
        job_box(here, running, lambda _: here.redraw())
    else:
        _actions(here)
    if last:
        _ended(here, last, fresh=fresh)
    past_runs(here)


def _last(here: Here) -> Job | None:
    """The last job of this page that has ended, if it was about what is open now."""
    over = [job for job in here.session.jobs if job.kind == JOB and job.state.over]
    return over[-1] if over and over[-1].note[0] == here.session.folder else None


def _ended(here: Here, job: Job, *, fresh: bool) -> None:
    if job.state is State.CANCELLED:
        ui.label(here.say(_DONE)).classes("tk-note").props("role=status")
        return
    if job.state is State.FAILED:
        if job.trouble:
            failed(here, job.trouble)
        return
    reached: Attempt = job.result
    outcome(here, reached, fresh=fresh)
    if reached.name:
        files(here, reached.name, job.note[1])
    if reached.previewed:
        address = release_address(reached.name) if reached.name else "/previews/"
        documents(here, reached.previewed, address, preview=not reached.name)


# -- what can be done ---------------------------------------------------------------------------------------------


def _actions(here: Here) -> None:
    with panel(here.say(_TITLE)):
        ui.label(here.say(_TRY_SAYS)).classes("tk-soft")
        with ui.row().classes("w-full items-start gap-3"):
            _button(here, _TRY, "science", lambda: _try(here, None)).mark("try")
            previews = here.session.home / PREVIEWS
            _button(here, _PREVIEW, "preview", lambda: _try(here, previews)).mark("preview")
        ui.separator()
        with ui.row().classes("w-full items-start gap-3"):
            name = ui.input(here.say(_NAME), value=_proposed(here)).props("outlined dense maxlength=100")
            name.classes("tk-release-name").mark("release-name")
            button = ui.button(here.say(_RELEASE), icon="outbox", on_click=lambda: _release(here, name))
            button.props("unelevated no-caps").classes("tk-release").mark("release")


def _button(here: Here, says: Text, icon: str, do: Callable[[], Any]) -> ui.button:
    return ui.button(here.say(says), icon=icon, on_click=do).props("outline no-caps")


def _proposed(here: Here) -> str:
    """A name that is not taken yet: that of the file."""
    stem = Path(here.session.draft.get("data", "file", default="tables")).stem
    names = [stem, *(f"{stem}-{number}" for number in range(2, 100))]
    return next((name for name in names if not (here.session.folder / RELEASES / name).exists()), stem)


def _try(here: Here, previews: Path | None) -> None:
    text = here.session.draft.text()
    title = _PREVIEWING if previews else _TRYING
    folder, lang = here.session.folder, here.session.lang
    job = here.session.jobs.start(title, JOB, attempt, folder, text, previews, lang)
    job.note = (folder, text)
    here.redraw()


def _release(here: Here, field: ui.input) -> None:
    try:
        name = here.session.path_for(field.value or "").name
    except FileNameWrong as problem:
        field.props(f'error error-message="{here.say(problem.what)} {here.say(problem.remedy)}"')
        return
    if (here.session.folder / RELEASES / name).exists():
        _ask_to_replace(here, name)
    else:
        _publish(here, name, replace=False)


def _ask_to_replace(here: Here, name: str) -> None:
    with open_dialog(here.say(_EXISTS, name=name)) as dialog, ui.card().classes("tk-dialog tk-narrow"):
        ui.label(here.say(_EXISTS, name=name)).classes("tk-h2")
        ui.label(here.say(_EXISTS_SAYS))

        def go() -> None:
            dialog.close()
            _publish(here, name, replace=True)

        with ui.row().classes("w-full justify-end gap-2"):
            ui.button(here.say(CANCEL), on_click=dialog.close).props("flat no-caps")
            ui.button(here.say(_REPLACE), on_click=go).props("unelevated no-caps").mark("replace")
    dialog.on("hide", dialog.delete)


def _publish(here: Here, name: str, *, replace: bool) -> None:
    text = here.session.draft.text()
    folder, lang = here.session.folder, here.session.lang
    job = here.session.jobs.start(_RELEASING, JOB, publish, folder, text, name, lang, replace=replace)
    job.note = (folder, text)
    here.redraw()
