"""Step 6: variants side by side, what they leave of risk and of utility."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from nicegui import ui

from tarnkappe.language import Text
from tarnkappe.studio.blocks import nothing_yet
from tarnkappe.studio.compare_map import map_panel
from tarnkappe.studio.compare_point import point_panel
from tarnkappe.studio.compare_wish import Wish, plan_of
from tarnkappe.studio.frame import Here, job_box, page, trouble_box
from tarnkappe.studio.jobs import Job, State
from tarnkappe.studio.kept_variants import kept
from tarnkappe.studio.tasks.map import Mapped, Wanted, draw_map
from tarnkappe.studio.words import NO_DATA, OPEN_ONE

JOB = "map"
POINT = "compare.point"
_HINT = Text(
    "Open the file that is to be shared; then variants of its protection can be compared.",
    "Öffnen Sie die Datei, die weitergegeben werden soll; dann lassen sich Varianten ihres Schutzes vergleichen.",
)
_NO_STEPS = Text("There is nothing to compare yet", "Noch gibt es nichts zu vergleichen")
_NO_STEPS_HINT = Text(
    "Add steps that protect the records first; then try other values of their parameters here, or other steps.",
    "Fügen Sie zuerst Schritte hinzu, die die Datensätze schützen; dann probieren Sie hier andere Werte oder andere Schritte.",
)
_TO_STEPS = Text("To the steps", "Zu den Schritten")
_DRAWING = Text("Trying and measuring the plans", "Pläne werden probiert und gemessen")
_CHANGED = Text(
    "The plan or the variants have changed since the map was drawn.",
    "Plan oder Varianten haben sich geändert, seit die Karte gezeichnet wurde.",
)
_TAKEN = Text("take over the plan “{name}”", "Plan „{name}“ übernehmen")


@page(
    6,
    "compare",
    Text("Compare", "Vergleichen"),
    Text(
        "See what variants of the plan leave of risk and of utility, and choose one.",
        "Sehen Sie, was Varianten des Plans an Risiko und Nutzen übrig lassen, und wählen Sie eine.",
    ),
    "scatter_plot",
    wide=True,
)
def build(here: Here) -> None:
    """The page."""
    draft = here.session.draft
    if not draft.get("data"):
        nothing_yet(here, "folder_open", NO_DATA, _HINT, (OPEN_ONE, "/open"))
        return
    if not draft.get("steps") and not kept(here.session):
        nothing_yet(here, "scatter_plot", _NO_STEPS, _NO_STEPS_HINT, (_TO_STEPS, "/protect"))
        return
    job = _job(here)
    wish = Wish(here, lambda wanted: _start(here, wanted), busy=job is not None and not job.state.over)
    wish.draw()
    if job is None:
        return
    if not job.state.over:
        job_box(here, job, lambda _: here.redraw())
    elif job.state is State.FAILED and job.trouble:
        trouble_box(here, job.trouble)
    elif job.state is State.DONE:
        if job.note[1] != wish.wanted():
            ui.label(here.say(_CHANGED)).classes("tk-note")
        _shown(here, job)


def _file(here: Here) -> tuple[Path, Any]:
    """The data that is open."""
    return here.session.folder, here.session.draft.get("data", "file")


def _job(here: Here) -> Job | None:
    """The last map that was drawn of this data."""
    job = here.session.jobs.latest(JOB)
    return job if job is not None and job.note[0] == _file(here) else None


def _start(here: Here, wanted: Wanted) -> None:
    here.session.asides.pop(POINT, None)
    job = here.session.jobs.start(_DRAWING, JOB, draw_map, here.session.folder, wanted)
    job.note = _file(here), wanted
    here.redraw()


def _shown(here: Here, job: Job) -> None:
    """The map and beside it the plan that is looked at."""
    mapped: Mapped = job.result
    with ui.element("div").classes("tk-map-with-plan") as place:
        pass

    def draw(number: int) -> None:
        here.session.asides[POINT] = number
        place.clear()
        with place:
            map_panel(here, mapped.found, number, draw)
            point_panel(here, mapped, number, plan_of(here), take)

    def take(name: str, plan: Mapping[str, Any]) -> None:
        here.session.draft.replace(_TAKEN.filled(name=name), plan)
        here.touched()
        here.redraw()

    draw(min(here.session.asides.get(POINT, 1), len(mapped.plans)))
