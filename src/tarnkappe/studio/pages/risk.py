"""Step 4: look at the risk, of the original and after the steps."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from nicegui import ui

from tarnkappe.language import Text
from tarnkappe.studio.attack_parts import attack_panel, marked_tables
from tarnkappe.studio.blocks import nothing_yet
from tarnkappe.studio.frame import Here, job_box, page, trouble_box
from tarnkappe.studio.jobs import Job, State
from tarnkappe.studio.risk_parts import Load, Records, drives, left_out, sizes, tiles, who
from tarnkappe.studio.tasks import risk as tasks
from tarnkappe.studio.words import NO_DATA, OPEN_ONE

SIDE = "risk.side"
JOB = "risk-after"
_ORIGINAL, _RESULT = Text("The original", "Das Original"), Text("After the steps", "Nach den Schritten")
_SIDES = Text("Which file is looked at", "Welche Datei betrachtet wird")
_OPEN_HINT = Text(
    "Open the file that is to be shared; then you see here who could be recognised in it.",
    "Öffnen Sie die Datei, die weitergegeben werden soll; dann sehen Sie hier, wer darin erkennbar wäre.",
)
_NO_KEYS = Text("Nobody can be attacked yet", "Noch lässt sich niemand angreifen")
_NO_KEYS_HINT = Text(
    "To measure the risk, the studio must know which columns others may know about a person: age, sex, place, occupation. "
    "Give them the role “key”.",
    "Um das Risiko zu messen, muss das Studio wissen, welche Spalten andere über eine Person kennen können: Alter, "
    "Geschlecht, Ort, Beruf. Geben Sie ihnen die Rolle „Schlüssel“ (key).",
)
_DESCRIBE = Text("Give roles", "Rollen vergeben")
_AFTER = Text("Risk after the steps", "Risiko nach den Schritten")
_AGAIN = Text("Measure again", "Neu messen")
_PROTECT = Text("To the steps", "Zu den Schritten")


@page(
    4,
    "risk",
    Text("Risk", "Risiko"),
    Text(
        "Who could find whom, how surely, and what makes it possible.",
        "Wer wen finden könnte, wie sicher, und was es möglich macht.",
    ),
    "visibility",
)
def build(here: Here) -> None:
    """The page."""
    draft = here.session.draft
    if not draft.get("data") and not draft.get("tables"):
        nothing_yet(here, "folder_open", NO_DATA, _OPEN_HINT, (OPEN_ONE, "/open"))
        return
    if draft.get("data"):
        _microdata(here)
    if draft.get("tables"):
        marked_tables(here)


def _microdata(here: Here) -> None:
    if not here.session.draft.get("data", "roles", "key"):
        if not here.session.draft.get("tables"):
            nothing_yet(here, "person_search", _NO_KEYS, _NO_KEYS_HINT, (_DESCRIBE, "/describe"))
        return
    result = _chosen_side(here)
    if result:
        _after(here)
    else:
        _before(here)
    attack_panel(here, result=result)


def _chosen_side(here: Here) -> bool:
    """Whether the result of the steps is looked at; without steps there is only the original."""
    if not here.session.draft.get("steps"):
        return False
    result = here.session.asides.get(SIDE, False)

    def switch(event: Any) -> None:
        here.session.asides[SIDE] = event.value
        here.redraw()

    chosen = ui.toggle({False: here.say(_ORIGINAL), True: here.say(_RESULT)}, value=result, on_change=switch)
    chosen.props(f'no-caps unelevated aria-label="{here.say(_SIDES)}"').classes("tk-toggle").mark("side")
    return bool(result)


# -- the original -------------------------------------------------------------------------------------------------


def _asked(here: Here) -> tuple[Any, Any, tuple[str, ...]]:
    draft = here.session.draft
    return here.session.folder, draft.get("data"), tuple(draft.get("release", "attackers", default=()))


def _before(here: Here) -> None:
    asked = _asked(here)

    async def load() -> tasks.Riskiest:
        return await here.session.learn(tasks.riskiest, *asked)

    def show(sight: tasks.Sight) -> None:
        def drivers() -> None:
            here.later(lambda found: drives(here, found), tasks.drivers, *asked, height="20rem")

        _laid_out(here, sight, drivers, load)

    here.later(show, tasks.original, *asked, height="30rem")


async def _values(here: Here, records: Sequence[int]) -> Any:
    """Straight from the file and not remembered anywhere."""
    folder, data, _ = _asked(here)
    return await here.session.quick.do(tasks.values, None, folder, data, tuple(records))


# -- after the steps ----------------------------------------------------------------------------------------------


def _after(here: Here) -> None:
    """The last measurement of this plan, or a new one."""
    asked = (here.session.folder, here.session.draft.get())
    job = here.session.jobs.latest(JOB)
    if job is None or job.note != asked:
        job = _start(here, asked)
    if job.state.over:
        _shown(here, job)
    else:
        job_box(here, job, lambda done: _shown(here, done))


def _start(here: Here, asked: tuple[Any, Any]) -> Job:
    job = here.session.jobs.start(_AFTER, JOB, tasks.protected, *asked)
    job.note = asked
    return job


def _shown(here: Here, job: Job) -> None:
    if job.state is State.DONE:
        _result(here, job.result)
        return
    if job.trouble:
        trouble_box(here, job.trouble)

    def again() -> None:
        _start(here, job.note)
        here.redraw()

    with ui.row().classes("gap-3"):
        ui.button(here.say(_AGAIN), icon="refresh", on_click=again).props("outline no-caps")
        ui.button(here.say(_PROTECT), on_click=lambda: ui.navigate.to("/protect")).props("flat no-caps")


def _result(here: Here, found: tasks.Protected) -> None:
    async def load() -> tasks.Riskiest:
        return found.riskiest

    _laid_out(here, found.sight, lambda: drives(here, found.drivers), load)


def _laid_out(here: Here, sight: tasks.Sight, drivers: Callable[[], object], load: Load) -> None:
    """Who finds whom, figures, class sizes beside drivers, riskiest records, what was not measured."""
    with ui.column().classes("tk-risk-stack"):
        who(here, sight)
        tiles(here, sight.tiles)
        with ui.element("div").classes("tk-risk-pair"):
            if sight.bands:
                sizes(here, sight.bands)
            drivers()
        Records(here, load, lambda records: _values(here, records))
        left_out(here, sight.left)
