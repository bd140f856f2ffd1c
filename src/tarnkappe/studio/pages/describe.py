"""Step 2: what the columns mean, and what people have decided around the release."""

from __future__ import annotations

from typing import Any

from nicegui import ui

from tarnkappe.errors import TarnkappeError
from tarnkappe.language import Text
from tarnkappe.plan.drivers import KeyRisk
from tarnkappe.plan.frame import Frame, frame_of, standard_frame
from tarnkappe.plan.remarks import key_remarks
from tarnkappe.studio.frame import Here, fold, heading, job_box, page, panel, trouble_box
from tarnkappe.studio.jobs import Job
from tarnkappe.studio.proposing import proposal_job
from tarnkappe.studio.questions import Questions, left_open
from tarnkappe.studio.reading_part import reading_of
from tarnkappe.studio.role_list import RoleList
from tarnkappe.studio.roles import roles_by_column
from tarnkappe.studio.tasks.look import Look, look
from tarnkappe.studio.tasks.propose import Proposed, risk_of_keys
from tarnkappe.studio.words import NO_DATA, OPEN_ONE
from tarnkappe.vocab import Role

_ROLES = Text("What the columns mean", "Was die Spalten bedeuten")
_ROLES_SAY = Text(
    "Look at every role: what is no key is not protected as one.",
    "Prüfen Sie jede Rolle: Was kein Schlüssel ist, wird nicht wie einer geschützt.",
)
_TAKE_ALL = Text("Take over {n} proposals", "{n} Vorschläge übernehmen")
_DECIDED = Text("Every column has a role.", "Jede Spalte hat eine Rolle.")
_AGAIN = Text("Try again", "Noch einmal versuchen")
_RISK = Text("What that means", "Was das bedeutet")
_NO_KEYS = Text(
    "No column is a key yet: nobody can be singled out, as far as the plan knows.",
    "Noch ist keine Spalte ein Schlüssel: Soweit der Plan weiß, lässt sich niemand herausgreifen.",
)
_REMARKS = Text("What the file itself tells", "Was die Datei selbst verrät")
_QUESTIONS = Text("What only people can decide", "Was nur Menschen entscheiden können")
_QUESTIONS_SAY = Text(
    "The answers go into the documentation. Nothing here is compulsory; what is open is listed below and in the report.",
    "Die Antworten gehen in die Dokumentation ein. Nichts davon ist Pflicht; was offen ist, steht unten und im Bericht.",
)
_OPEN = Text("Still open", "Noch offen")
_ALL_TOLD = Text("Nothing is open.", "Nichts ist offen.")
_NEXT = Text("Next: hierarchies", "Weiter: Hierarchien")


@page(
    2,
    "describe",
    Text("Describe", "Beschreiben"),
    Text(
        "Say what the columns mean, who will receive the data and what for.",
        "Legen Sie fest, was die Spalten bedeuten, wer die Daten erhält und wofür.",
    ),
    "edit_note",
)
def build(here: Here) -> None:
    """The page."""
    session = here.session
    data = session.draft.get("data")
    if data:
        here.later(
            lambda found: _whole(here, found), look, session.folder, reading_of(data), session.home,
            height="24rem",
        )  # fmt: skip
    elif session.draft.get("tables"):
        _decided(here, (), None)
    else:
        with panel():
            ui.label(here.say(NO_DATA))
            ui.button(here.say(OPEN_ONE), on_click=lambda: ui.navigate.to("/open")).props(
                "unelevated no-caps"
            )


def _whole(here: Here, found: Look) -> None:
    """Roles above, questions below; the questions do not wait for the proposal."""
    roles = ui.column().classes("w-full gap-6")
    job = proposal_job(here.session)
    questions = _decided(here, found.names, job.result if job.state.over else None)

    def over(job: Job) -> None:
        if isinstance(job.result, Proposed):
            questions.tell(job.result)
            _roles(here, job.result, questions)
        else:
            _no_proposal(here, job)

    with roles:
        if job.state.over:
            over(job)
        else:
            job_box(here, job, over)


def _no_proposal(here: Here, job: Job) -> None:
    with panel(here.say(_ROLES)):
        if job.trouble:
            trouble_box(here, job.trouble)

        def again() -> None:
            proposal_job(here.session, again=True)
            here.redraw()

        ui.button(here.say(_AGAIN), on_click=again).props("outline no-caps")


def _roles(here: Here, found: Proposed, questions: Questions) -> None:
    with panel():
        with ui.row().classes("w-full items-center justify-between"):
            with ui.column().classes("gap-1 tk-fill"):
                heading(here.say(_ROLES))
                ui.label(here.say(_ROLES_SAY)).classes("tk-soft")
            action = ui.row()
        roles = RoleList(here, found.proposal)
        roles.draw()
    with panel(here.say(_RISK)):
        risk = ui.column().classes("w-full gap-2")
        with fold(here.say(_REMARKS)).props("dense").classes("tk-inner").mark("remarks"):
            for remark in found.proposal.remarks:
                ui.label(f"• {here.say(remark)}").classes("tk-small")

    def show() -> None:
        action.clear()
        with action:
            _take_over(here, roles)
        risk.clear()
        with risk:
            _risk(here)

    def changed() -> None:
        show()
        questions.fine.refresh()

    roles.changed = changed
    show()


def _take_over(here: Here, roles: RoleList) -> None:
    left = len(roles.undecided)
    if left:
        ui.button(here.say(_TAKE_ALL, n=left), icon="done_all", on_click=roles.take_all).props(
            "unelevated no-caps"
        ).mark("take-all")
    else:
        ui.label(here.say(_DECIDED)).classes("tk-good tk-small")


def _risk(here: Here) -> None:
    """The risk on the keys as they are chosen now."""
    data = here.session.draft.get("data", default={})
    roles = roles_by_column(data)
    keys = tuple(sorted(name for name, given in roles.items() if Role.KEY in given))
    periods = tuple(name for name, given in roles.items() if Role.PERIOD in given)
    if not keys:
        ui.label(here.say(_NO_KEYS)).classes("tk-soft")
        return

    def show(found: KeyRisk | None) -> None:
        for number, said in enumerate(key_remarks(found) if found else ()):
            ui.label(here.say(said)).classes("" if number == 0 else "tk-soft tk-small")

    here.later(show, risk_of_keys, here.session.folder, reading_of(data), keys, periods, height="3rem")


def _decided(here: Here, names: tuple[str, ...], proposed: Any) -> Questions:
    """The questions, what is still open, and the way on."""
    frame = _frame(here)
    with ui.column().classes("gap-1"):
        heading(here.say(_QUESTIONS))
        ui.label(here.say(_QUESTIONS_SAY)).classes("tk-soft")

    steps = ui.column().classes("w-full gap-3")
    left = panel()

    def draw_open() -> None:
        left.clear()
        with left:
            _open_points(here, frame, names)

    questions = Questions(here, frame, names, draw_open, proposed)
    with steps:
        questions.draw()
    draw_open()
    with ui.row().classes("w-full justify-end"):
        ui.button(here.say(_NEXT), on_click=lambda: ui.navigate.to("/hierarchies")).props(
            "unelevated no-caps icon-right=arrow_forward"
        ).mark("next")
    return questions


def _frame(here: Here) -> Frame:
    """The frame that the plan names; the standard one, and why, where that cannot be read."""
    try:
        return frame_of(here.session.draft.get("process", "frame"), here.session.folder)
    except TarnkappeError:
        return standard_frame()


def _open_points(here: Here, frame: Frame, names: tuple[str, ...]) -> None:
    heading(here.say(_OPEN), 3)
    points = left_open(here, frame, names)
    if not points:
        ui.label(here.say(_ALL_TOLD)).classes("tk-good")
    with ui.element("ul").classes("tk-open-points"):
        for step in dict.fromkeys(point.step for point in points):
            with ui.element("li"):
                ui.label(here.say(frame.steps[step - 1].title.text)).classes("tk-h3 tk-small")
                left = [here.say(point.says) for point in points if point.step == step]
                ui.label("; ".join(left)).classes("tk-soft tk-small")
