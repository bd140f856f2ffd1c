"""The preview beside the steps: columns before and after, the risk, and what stops a step; on a sample, soon after every change."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nicegui import background_tasks, ui

from tarnkappe.language import Text
from tarnkappe.report.numbers import percent
from tarnkappe.studio.column_pairs import column_pairs
from tarnkappe.studio.forms import known_columns
from tarnkappe.studio.frame import Here, heading, job_box, panel, trouble_box
from tarnkappe.studio.jobs import Job, State
from tarnkappe.studio.tasks.preview import Headline, Preview, preview
from tarnkappe.studio.worker import TaskFailed

_TITLE = Text("Preview", "Vorschau")
_SAMPLE = Text(
    "On {some} of {all} records, spread evenly over the file. In the whole file classes are larger.",
    "An {some} von {all} Datensätzen, gleichmäßig über die Datei verteilt. In der ganzen Datei sind Klassen größer.",
)
_WHOLE = Text("On all {all} records.", "An allen {all} Datensätzen.")
_ALL = Text("Compute on all records", "An allen Datensätzen rechnen")
_ALL_TITLE = Text("Preview on all records", "Vorschau an allen Datensätzen")
_LEFT = Text("Records left", "Verbleibende Datensätze")
_SMALLEST = Text("Smallest class (k)", "Kleinste Klasse (k)")
_UNIQUE = Text("Unique records", "Einzigartige Datensätze")
_NO_KEYS = Text(
    "No column is a key variable, so nobody can be looked for. Give roles on the page Describe.",
    "Keine Spalte ist Schlüsselvariable, also kann niemand gesucht werden. Rollen vergeben Sie auf der Seite Beschreiben.",
)
_WORKING = Text("computing …", "wird gerechnet …")
_STOPPED = Text(
    "The preview ends before step {number}: {title}.", "Die Vorschau endet vor Schritt {number}: {title}."
)
_MAY_REACH = Text(
    "On a sample fewer records look alike, so a goal is harder to reach than in the whole file: compute on all records to be sure.",
    "In einer Stichprobe gleichen sich weniger Datensätze, daher ist ein Ziel schwerer zu erreichen als in der ganzen Datei: "
    "Rechnen Sie an allen Datensätzen, um sicher zu sein.",
)
REFUSED = 3
"""Exit code of what is refused: the goal was not reached."""
_KIND = "preview"
_PAUSE = 0.3
"""Seconds of quiet after a change before it is computed."""
_PARTS = ("tarnkappe", "title", "data", "release", "steps", "allow", "process")


class PreviewPanel:
    """The preview; `on_found` hears of every one that was computed."""

    def __init__(self, here: Here, on_found: Callable[[Preview], None]) -> None:
        self._here, self._on_found = here, on_found
        self._wanted = 0
        self._running = False
        self._timer: ui.timer | None = None
        with panel():
            with ui.row().classes("w-full items-center justify-between no-wrap"):
                heading(here.say(_TITLE))
                self._busy = ui.row().classes("items-center gap-2 tk-soft tk-small")
                with self._busy:
                    ui.spinner(size="1.1em")
                    ui.label(here.say(_WORKING))
            self._place = ui.column().classes("w-full gap-4").props("aria-live=polite")
        with self._place:
            ui.skeleton().classes("w-full").style("height: 9rem")
        self.refresh(at_once=True)

    # -- computing ------------------------------------------------------------------------------------------------

    def refresh(self, *, at_once: bool = False) -> None:
        """The plan has changed: compute again when nothing else changes for a moment."""
        self._wanted += 1
        if self._timer is not None:
            self._timer.cancel()
        if self._running:
            background_tasks.create(self._here.session.quick.cancel(preview))
        self._busy.set_visibility(True)
        with self._place.parent_slot or self._place:
            self._timer = ui.timer(0 if at_once else _PAUSE, self._compute, once=True)

    def _content(self) -> dict[str, Any]:
        content = self._here.session.draft.content
        return {name: content[name] for name in _PARTS if name in content}

    async def _compute(self) -> None:
        mine, session = self._wanted, self._here.session
        done = session.jobs.latest(_KIND)
        if done and done.state is State.DONE and done.note == self._content():
            self._show(done.result)
            return
        await known_columns(self._here)  # forms that are waiting for them need not wait for the preview
        self._running = True
        try:
            found = await session.learn(preview, session.folder, self._content())
        except TaskFailed as problem:
            if mine == self._wanted:
                self._running = False
                self._busy.set_visibility(False)
                self._place.clear()
                with self._place:
                    trouble_box(self._here, problem.trouble)
            return
        finally:
            self._running = self._running and mine != self._wanted
        if mine == self._wanted:
            self._show(found)

    def _all_records(self) -> None:
        session, content = self._here.session, self._content()
        job = session.jobs.start(_ALL_TITLE, _KIND, preview, session.folder, content, 2**62)
        job.note = content
        self._place.clear()
        with self._place:
            job_box(self._here, job, self._all_done)

    def _all_done(self, job: Job) -> None:
        if job.state is State.DONE and job.note == self._content():
            self._show(job.result)
        elif job.state is State.FAILED and job.trouble:
            trouble_box(self._here, job.trouble)
        else:
            self.refresh(at_once=True)

    # -- showing --------------------------------------------------------------------------------------------------

    def _show(self, found: Preview) -> None:
        self._busy.set_visibility(False)
        self._place.clear()
        with self._place:
            self._draw_scope(found)
            if found.trouble:
                trouble_box(self._here, found.trouble)
            stopped = found.stopped
            if stopped:
                number = "–" if stopped.at is None else stopped.at + 1
                with ui.element("section").classes("tk-stopped"):
                    ui.label(self._here.say(_STOPPED, number=number, title=stopped.title))
                    refused = stopped.trouble is not None and stopped.trouble.exit_code == REFUSED
                    if refused and found.sampled:
                        ui.label(self._here.say(_MAY_REACH)).classes("tk-small")
            if found.columns:
                self._draw_headline(found)
                column_pairs(self._here, found.columns, "preview.columns")
        self._on_found(found)

    def _draw_scope(self, found: Preview) -> None:
        numbers = {"some": self._here.number(found.records), "all": self._here.number(found.whole)}
        with ui.row().classes("w-full items-center justify-between"):
            ui.label(self._here.say(_SAMPLE if found.sampled else _WHOLE, **numbers)).classes(
                "tk-soft tk-small tk-grow"
            )
            if found.sampled:
                ui.button(self._here.say(_ALL), on_click=self._all_records).props("flat no-caps dense").mark(
                    "all-records"
                )

    def _draw_headline(self, found: Preview) -> None:
        here = self._here
        with ui.element("div").classes("tk-headline"):
            for one in found.risk:
                self._figure(here.say(_words(one)), self._value(one, one.before), self._value(one, one.after))
            self._figure(here.say(_LEFT), here.number(found.records), here.number(found.left))
        if not found.risk:
            ui.label(here.say(_NO_KEYS)).classes("tk-soft tk-small")

    def _figure(self, says: str, before: str, after: str) -> None:
        with ui.column().classes("gap-0"):
            ui.label(says).classes("tk-soft tk-small")
            with ui.row().classes("items-baseline gap-2 no-wrap"):
                ui.label(before).classes("tk-soft")
                ui.label("→").classes("tk-soft").props("aria-hidden=true")
                ui.label(after).classes("tk-figure")

    def _value(self, headline: Headline, value: float) -> str:
        if headline.id == "risk.uniques":
            return self._here.say(percent(value))
        return self._here.number(value)


def _words(one: Headline) -> Text:
    return {"risk.k-anonymity": _SMALLEST, "risk.uniques": _UNIQUE}.get(one.id, one.title)
