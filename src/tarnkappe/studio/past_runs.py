"""The history of a project folder: releases and refusals, opened again."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from functools import partial

from nicegui import ui

from tarnkappe.language import Text
from tarnkappe.studio.blocks import Cell, plain_table, sentences
from tarnkappe.studio.frame import Here, panel
from tarnkappe.studio.release_parts import release_address
from tarnkappe.studio.tasks.release import REPORT, Earlier, past, plan_of
from tarnkappe.studio.worker import TaskFailed

_TITLE = Text("History", "Verlauf")
_NONE = Text("Nothing was released from this folder yet.", "Aus diesem Ordner wurde noch nichts freigegeben.")
_HEADS = (
    Text("When", "Wann"), Text("Run", "Lauf"), Text("Records", "Datensätze"), Text("Conditions met", "Bedingungen erfüllt"),
    Text("", ""),
)  # fmt: skip
_REFUSED = Text("refused", "verweigert")
_EDITED = Text("The ledger was edited since it was written.", "Das Protokoll wurde nachträglich geändert.")
_UNREADABLE = Text("{name}: the ledger cannot be read.", "{name}: Das Protokoll ist nicht lesbar.")
_REPORT = Text("Report", "Bericht")
_REOPEN = Text("Open its plan", "Plan öffnen")
_REOPENED = Text("open the plan of an earlier run", "Plan eines früheren Laufs öffnen")
_DONE = Text(
    "The plan is open. Undo brings the former one back.",
    "Der Plan ist geöffnet. „Rückgängig“ holt den vorigen zurück.",
)
_WHEN = {"en": "%d %b %Y, %H:%M", "de": "%d.%m.%Y, %H:%M"}


def past_runs(here: Here) -> None:
    """All runs of the folder of the plan."""
    moment = datetime.now().astimezone().isoformat()
    here.later(partial(_shown, here), past, here.session.folder, moment, height="6rem")


def _shown(here: Here, found: tuple[Sequence[Earlier], Sequence[str]]) -> None:
    runs, unreadable = found
    with panel(here.say(_TITLE)):
        if not runs:
            ui.label(here.say(_NONE)).classes("tk-soft")
        else:
            rows = [_row(here, one) for one in runs]
            plain_table([here.say(head) for head in _HEADS], rows, right=(2, 3))
        if unreadable:
            sentences(here.say(_UNREADABLE, name=name) for name in unreadable)


def _row(here: Here, one: Earlier) -> list[Cell]:
    when = datetime.fromisoformat(one.started).astimezone().strftime(_WHEN[here.session.lang])
    records = "–" if one.records is None else here.number(one.records)
    return [when, partial(_name, here, one), records, one.gates or "–", partial(_ways, here, one)]


def _name(here: Here, one: Earlier) -> None:
    ui.label(one.title)
    if one.refused:
        ui.label(here.say(_REFUSED)).classes("tk-bad tk-small")
        ui.label(here.say(one.refused)).classes("tk-soft tk-small tk-lines")
        return
    ui.label(one.id).classes("tk-code")
    if not one.sealed:
        ui.label(here.say(_EDITED)).classes("tk-warn tk-small")


def _ways(here: Here, one: Earlier) -> None:
    with ui.row().classes("gap-3 no-wrap justify-end items-center"):
        if not one.refused:
            ui.link(here.say(_REPORT), release_address(one.id) + REPORT, new_tab=True).classes("tk-link")
        button = ui.button(here.say(_REOPEN), on_click=partial(_reopen, here, one))
        button.props("flat no-caps dense no-wrap").mark(f"reopen-{one.id}")


async def _reopen(here: Here, one: Earlier) -> None:
    """Make the plan of an earlier run the current one; undo brings the former back."""
    try:
        plan = await here.session.quick.do(
            plan_of, None, here.session.folder, one.id, refused=bool(one.refused)
        )
    except TaskFailed as problem:
        ui.notify(here.say(problem.trouble.what), type="negative")
        return
    here.session.draft.replace(_REOPENED, plan)
    here.touched()
    ui.notify(here.say(_DONE))
    here.redraw()
