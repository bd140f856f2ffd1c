"""The advisor: a plan that follows from the data, the roles and the answers, with its reasons, taken over as one change."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from nicegui import ui

from tarnkappe.language import Text, listed
from tarnkappe.studio.blocks import sentences
from tarnkappe.studio.draft import Content
from tarnkappe.studio.frame import Here, heading, icon_button, job_box, open_dialog, trouble_box
from tarnkappe.studio.jobs import Job, State
from tarnkappe.studio.step_words import split, summary, title_of
from tarnkappe.studio.tasks.propose import Advised, advised
from tarnkappe.studio.words import CANCEL, CLOSE

_TITLE = Text("A plan for your data", "Ein Plan für Ihre Daten")
_JOB = Text("The advisor looks at the data", "Die Daten werden für den Vorschlag angesehen")
_WHY = Text("Why", "Warum")
_STEPS, _GATES = Text("Steps", "Schritte"), Text("Conditions of the release", "Bedingungen der Freigabe")
_TAKE = Text("Take it over", "Übernehmen")
_TAKEN = Text("take over the proposed plan", "vorgeschlagenen Plan übernehmen")
_REPLACES = Text(
    "Your {count} steps are replaced; undo brings them back.",
    "Ihre {count} Schritte werden ersetzt; Rückgängig holt sie wieder.",
)
_LADDERS = Text(
    "The steps use other hierarchies for: {names}.", "Die Schritte verwenden andere Hierarchien für: {names}."
)
_KIND = "advice"
_PARTS = ("steps", "release_if", "measures", "consistency")


class Advisor:
    """The dialog of the advisor."""

    def __init__(self, here: Here, on_taken: Callable[[], Any]) -> None:
        self._here, self._on_taken = here, on_taken
        with open_dialog(here.say(_TITLE)) as self._dialog, ui.card().classes("tk-dialog tk-advice"):
            with ui.row().classes("w-full items-center justify-between no-wrap"):
                heading(here.say(_TITLE))
                icon_button("close", here.say(CLOSE), self._dialog.close)
            job_box(here, self._job(), self._over)
        self._dialog.on("hide", self._dialog.delete)

    def _job(self) -> Job:
        session = self._here.session
        content = dict(session.draft.content)
        asked = {name: content[name] for name in ("title", "data", "release", "process") if name in content}
        job = session.jobs.latest(_KIND)
        if job is None or job.note != asked or job.state in (State.FAILED, State.CANCELLED):
            job = session.jobs.start(_JOB, _KIND, advised, session.folder, asked, session.lang)
            job.note = asked
        return job

    def _over(self, job: Job) -> None:
        if job.trouble and job.state is State.FAILED:
            trouble_box(self._here, job.trouble)
        elif job.state is State.DONE:
            self._show(job.result)
        else:
            self._dialog.close()

    def _show(self, found: Advised) -> None:
        here, content = self._here, found.content
        with ui.column().classes("tk-advice-body"):
            heading(here.say(_STEPS), 3)
            with ui.element("ol").classes("tk-advised"):
                for step in content.get("steps", ()):
                    self._draw_step(step)
            gates = [self._gate(gate) for gate in content.get("release_if", ())]
            if gates:
                heading(here.say(_GATES), 3)
                sentences(gates)
            heading(here.say(_WHY), 3)
            sentences([here.say(remark) for remark in found.remarks])
            changed = changed_ladders(here.session.draft.content, content)
            if changed:
                ui.label(here.say(_LADDERS, names=listed(changed))).classes("tk-warn")
            steps = len(here.session.draft.get("steps", default=[]))
            if steps:
                ui.label(here.say(_REPLACES, count=steps)).classes("tk-soft")
        with ui.row().classes("w-full justify-end"):
            ui.button(here.say(CANCEL), on_click=self._dialog.close).props("flat no-caps")
            take = ui.button(here.say(_TAKE), on_click=lambda: self._take(content)).props(
                "unelevated no-caps"
            )
            take.mark("take-over")

    def _draw_step(self, step: Any) -> None:
        id, parameters = split(step)
        with ui.element("li"):
            ui.label(self._here.say(title_of(id))).classes("tk-step-title")
            ui.label(summary(self._here, parameters)).classes("tk-soft tk-small")

    def _gate(self, gate: Mapping[str, Any]) -> str:
        signs = {"at_least": "≥", "at_most": "≤"}
        said = [f"{signs[word]} {self._here.number(gate[word])}" for word in signs if word in gate]
        return " ".join([self._here.say(title_of(str(gate.get("measure")))), *said])

    def _take(self, content: Mapping[str, Any]) -> None:
        self._here.change(_TAKEN, lambda draft: take_over(draft, content))
        self._dialog.close()
        self._on_taken()


def take_over(draft: Content, proposed: Mapping[str, Any]) -> None:
    """Steps, conditions and measures as proposed; what was decided on the data stays, but for hierarchies the steps need."""
    for part in _PARTS:
        if proposed.get(part):
            draft[part] = proposed[part]
        elif part == "steps":
            draft.pop(part, None)
    draft.setdefault("tarnkappe", proposed.get("tarnkappe", 1))
    draft.setdefault("title", proposed.get("title"))
    for part in ("seed", "release"):
        if proposed.get(part):
            draft.setdefault(part, proposed[part])
    theirs = proposed["data"]
    data = draft["data"]
    if not data.get("roles") and theirs.get("roles"):
        data["roles"] = theirs["roles"]
    ladders = {**theirs.get("hierarchies", {}), **data.get("hierarchies", {})}
    ladders |= {name: theirs["hierarchies"][name] for name in changed_ladders(draft, proposed)}
    if ladders:
        data["hierarchies"] = ladders


def changed_ladders(draft: Mapping[str, Any], proposed: Mapping[str, Any]) -> list[str]:
    """Columns that the proposed steps generalise by another hierarchy than theirs."""
    ours = draft.get("data", {}).get("hierarchies", {})
    theirs = proposed["data"].get("hierarchies", {})
    used = [
        name
        for step in proposed.get("steps", ())
        if isinstance(columns := split(step)[1].get("columns"), Mapping)
        for name in columns
    ]
    return [
        name for name in dict.fromkeys(used) if name in ours and name in theirs and ours[name] != theirs[name]
    ]
