"""Further attacks on request, and the cells of tables that fail a rule."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from nicegui import ui

from tarnkappe.language import Text
from tarnkappe.studio.blocks import Cell, more, plain_table, sentences
from tarnkappe.studio.frame import Here, job_box, open_dialog, panel, trouble_box
from tarnkappe.studio.jobs import Job, State
from tarnkappe.studio.tasks.attacks import Marked, Onslaught, Outcome, attacks, choices, marked_cells
from tarnkappe.studio.words import CANCEL

JOB = "attacks"
_TITLE = Text("Further attacks", "Weitere Angriffe")
_SAYS = Text(
    "{n} more attacks are known: linkage with noise, inference, membership, rare combinations and others. They take longer, so they "
    "run when you ask.",
    "{n} weitere Angriffe sind bekannt: Verknüpfung trotz Überlagerung, Rückschlüsse, Zugehörigkeit, seltene Kombinationen und "
    "andere. Sie dauern länger und laufen daher auf Wunsch.",
)
_ATTACK = Text("Attack …", "Angreifen …")
_CHOOSE = Text("Which attacks?", "Welche Angriffe?")
_CHOOSE_SAYS = Text(
    "Choose some, or leave the field empty for all. What the file has nothing for is left out, with the reason.",
    "Wählen Sie einige aus oder lassen Sie das Feld leer für alle. Wofür die Datei nichts enthält, entfällt mit Begründung.",
)
_ATTACKS = Text("Attacks", "Angriffe")
_START = Text("Start", "Starten")
_RUNNING = Text("Attacking", "Angriffe laufen")
_HEADS = (
    Text("Attack", "Angriff"), Text("before", "vorher"), Text("found", "Ergebnis"), Text("what it means", "was das heißt"),
)  # fmt: skip
_DOUBT = Text("Not to be trusted: {why}", "Nicht verlässlich: {why}")
_OLDER = Text(
    "The plan has changed since these attacks, or they ran on the other file.",
    "Seit diesen Angriffen wurde der Plan geändert, oder sie galten der anderen Datei.",
)
_NOT_RUN = Text("Not run, and why ({n})", "Nicht ausgeführt, und warum ({n})")
_TABLES = Text("Table cells that fail a rule", "Tabellenzellen, die eine Regel verletzen")
_TABLES_SAY = Text(
    "Counted in the original, before anything is protected.",
    "Ausgezählt im Original, bevor etwas geschützt ist.",
)
_TABLE_HEADS = (
    Text("Table", "Tabelle"), Text("cells", "Zellen"), Text("fail a rule", "verletzen eine Regel"), Text("why", "warum"),
)  # fmt: skip
_SAFE = Text("no cell fails a rule", "keine Zelle verletzt eine Regel")
_TO_TABLES = Text("Look at the tables", "Tabellen ansehen")


def attack_panel(here: Here, *, result: bool) -> None:
    """Start further attacks, follow them, see what they reached."""
    with panel(here.say(_TITLE)):
        place = ui.column().classes("w-full gap-4")

    def ended(job: Job | None) -> None:
        if job and job.note[0] == here.session.folder:
            _ended(here, job, fresh=job.note == (here.session.folder, here.session.draft.get(), result))
        with ui.row().classes("items-center gap-4 no-wrap"):
            button = ui.button(here.say(_ATTACK), icon="policy", on_click=lambda: _choose(here, start))
            button.props("outline no-caps").classes("shrink-0").mark("attack")
            ui.label(here.say(_SAYS, n=len(choices()))).classes("tk-soft tk-small")

    def start(only: Sequence[str]) -> None:
        content, folder = here.session.draft.get(), here.session.folder
        chosen = tuple(only) or tuple(choices())
        job = here.session.jobs.start(_RUNNING, JOB, attacks, folder, content, chosen, result=result)
        job.note = (folder, content, result)
        place.clear()
        with place:
            job_box(here, job, ended)

    with place:
        last = here.session.jobs.latest(JOB)
        if last and not last.state.over:
            job_box(here, last, ended)
        else:
            ended(last)


def _choose(here: Here, start: Callable[[Sequence[str]], None]) -> None:
    names = {id: here.say(cls.title) for id, cls in choices().items()}
    with open_dialog(here.say(_CHOOSE)) as dialog, ui.card().classes("tk-dialog"):
        ui.label(here.say(_CHOOSE)).classes("tk-h2")
        ui.label(here.say(_CHOOSE_SAYS)).classes("tk-soft")
        ordered = dict(sorted(names.items(), key=lambda item: item[1].casefold()))
        chosen = ui.select(ordered, value=[], multiple=True, with_input=True, label=here.say(_ATTACKS))
        chosen.props("use-chips outlined").classes("w-full").mark("attacks")

        def go() -> None:
            dialog.close()
            start(chosen.value)

        with ui.row().classes("w-full justify-end gap-2"):
            ui.button(here.say(CANCEL), on_click=dialog.close).props("flat no-caps")
            ui.button(here.say(_START), on_click=go).props("unelevated no-caps").mark("start-attacks")
    dialog.on("hide", dialog.delete)


def _ended(here: Here, job: Job, *, fresh: bool) -> None:
    if job.state is not State.DONE:
        if job.trouble:
            trouble_box(here, job.trouble)
        return
    if not fresh:
        ui.label(here.say(_OLDER)).classes("tk-warn tk-small")
    found: Onslaught = job.result
    if found.outcomes:
        _outcomes(here, found.outcomes)
    if found.left:
        with more(here.say(_NOT_RUN, n=len(found.left))):
            sentences(f"{here.say(title)}: {here.say(because)}" for title, because in found.left)


def _outcomes(here: Here, found: Sequence[Outcome]) -> None:
    both = any(one.before for one in found)
    heads = [here.say(head) for number, head in enumerate(_HEADS) if both or number != 1]
    rows: list[list[Cell]] = [
        [partial(_name, here, one), *([here.say(one.before) or "–"] if both else []), here.say(one.after),
         partial(_meaning, here, one)]
        for one in found
    ]  # fmt: skip
    plain_table(heads, rows, right=(1, 2) if both else (1,))


def _name(here: Here, one: Outcome) -> None:
    ui.label(here.say(one.title))
    if one.who:
        ui.label(here.say(one.who)).classes("tk-soft tk-small")


def _meaning(here: Here, one: Outcome) -> None:
    ui.label(here.say(one.says))
    if one.doubt:
        ui.label(here.say(_DOUBT, why=one.doubt)).classes("tk-warn tk-small")


# -- tables -------------------------------------------------------------------------------------------------------


def marked_tables(here: Here) -> None:
    """The tables of the plan with the cells that fail a rule."""

    def show(found: Sequence[Marked]) -> None:
        with panel(here.say(_TABLES)):
            ui.label(here.say(_TABLES_SAY)).classes("tk-soft tk-small")
            rows: list[list[Cell]] = [
                [partial(_table_name, one), here.number(one.cells), here.number(one.primary),
                 partial(_reasons, here, one)]
                for one in found
            ]  # fmt: skip
            plain_table([here.say(head) for head in _TABLE_HEADS], rows, right=(1, 2))
            ui.button(here.say(_TO_TABLES), on_click=lambda: ui.navigate.to("/tables")).props(
                "outline no-caps"
            )

    here.later(show, marked_cells, here.session.folder, here.session.draft.get())


def _table_name(one: Marked) -> None:
    ui.label(one.name)
    ui.label(" × ".join(one.by)).classes("tk-soft tk-small")


def _reasons(here: Here, one: Marked) -> None:
    for because, count in one.reasons:
        ui.label(f"{here.number(count)}: {here.say(because)}")
    if not one.reasons:
        ui.label(here.say(_SAFE)).classes("tk-soft")
