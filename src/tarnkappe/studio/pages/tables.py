"""Step 7: tables as statisticians read them, with what is suppressed and why."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from nicegui import ui

from tarnkappe.language import Text
from tarnkappe.studio.frame import Here, heading, icon_button, job_box, open_dialog, page, trouble_box
from tarnkappe.studio.jobs import Job, State
from tarnkappe.studio.step_words import split, summary, title_of
from tarnkappe.studio.table_define import define_table
from tarnkappe.studio.table_sheet import Sheet
from tarnkappe.studio.table_steps import table_protection
from tarnkappe.studio.table_verdict import verdict
from tarnkappe.studio.tasks.table import MarkedTable, mark_table, protect_tables
from tarnkappe.studio.words import CLOSE, REMOVE
from tarnkappe.studio.worker import TaskFailed, Trouble

AT = "tables.at"
"""Where a session remembers the table that is looked at."""
JOB = "table"
_NEW = Text("New table", "Neue Tabelle")
_NONE = Text("No table yet", "Noch keine Tabelle")
_NONE_HINT = Text(
    "A table adds up a column, or counts records, by one or more dimensions with their hierarchies. It can be made from the data, "
    "or read from a file of cells, also of τ-ARGUS.",
    "Eine Tabelle summiert eine Spalte oder zählt Datensätze nach einer oder mehreren Dimensionen mit ihren Hierarchien. Sie "
    "entsteht aus den Daten oder kommt aus einer Datei von Zellen, auch von τ-ARGUS.",
)
_DEFINE = Text("Define a table", "Tabelle festlegen")
_EDIT = Text("Change the table", "Tabelle ändern")
_REMOVED = Text("remove table {name}", "Tabelle {name} entfernen")
_RULES = Text("Rules and protection", "Regeln und Schutz")
_RUN, _AGAIN = (
    Text("Protect and audit", "Schützen und prüfen"),
    Text("Protect and audit again", "Erneut schützen und prüfen"),
)
_RUNNING = Text("Protecting and auditing the tables", "Tabellen werden geschützt und geprüft")
_COUNTS = Text("number of records", "Anzahl der Datensätze")
_BY = Text("{what} by {by}", "{what} nach {by}")
_CELLS = Text("{what} by {by}, from {file}", "{what} nach {by}, aus {file}")
_NO_RULES = Text("no rules yet: nothing is marked", "noch keine Regeln: nichts ist markiert")
_NO_METHOD = Text("no protection yet", "noch kein Schutz")
_BEFORE_STEPS = Text(
    "Shown as the data is now. The table will be made from the result of the steps: protect and audit it to see that.",
    "Gezeigt ist der Stand vor den Schritten. Die Tabelle entsteht aus deren Ergebnis: Schützen und prüfen Sie, um es zu sehen.",
)
_CHANGED = Text(
    "The plan has changed since the tables were protected; what you see is marked by the rules only.",
    "Der Plan hat sich seit dem Schützen geändert; gezeigt ist nur, was die Regeln markieren.",
)
_REFUSED = Text("The protection was refused", "Der Schutz wurde verweigert")
_REFUSED_HINT = Text(
    "Nothing is published with less protection than asked for. What helps: coarser codes, another protector, or taking back "
    "decisions that keep cells open.",
    "Mit weniger Schutz als verlangt wird nichts veröffentlicht. Es hilft: gröbere Codes, ein anderes Verfahren, oder das "
    "Zurücknehmen von Entscheidungen, die Zellen offen halten.",
)
_FORGET = Text("Take all decisions back", "Alle Entscheidungen zurücknehmen")
_FORGOTTEN = Text("take all marks back", "alle Entscheidungen zurücknehmen")
_PARTS = ("data", "release", "seed", "steps", "tables", "published", "allow")


@page(
    7,
    "tables",
    Text("Tables", "Tabellen"),
    Text(
        "See each table as it is read: what is suppressed, why, and what an attacker could still find out.",
        "Sehen Sie jede Tabelle, wie man sie liest: was gesperrt ist, warum, und was ein Angreifer noch herausfände.",
    ),
    "table_chart",
    wide=True,
)
def build(here: Here) -> None:
    """The page."""
    tables = here.session.draft.get("tables", default=[])
    if not tables:
        _nothing(here)
        return
    names = [str(table.get("name", "")) for table in tables]
    at = here.session.asides.get(AT)
    index = names.index(at) if at in names else 0
    _Page(here, index, names, tables[index]).draw()


def _nothing(here: Here) -> None:
    with ui.column().classes("tk-panel tk-nothing"):
        ui.icon("table_chart").classes("tk-nothing-icon").props("aria-hidden=true")
        heading(here.say(_NONE))
        ui.label(here.say(_NONE_HINT)).classes("tk-soft tk-nothing-hint")
        ui.button(here.say(_DEFINE), on_click=lambda: define_table(here)).props("unelevated no-caps").mark(
            "define"
        )


class _Page:
    def __init__(self, here: Here, index: int, names: list[str], table: Mapping[str, Any]) -> None:
        self._here, self._index, self._names, self._table = here, index, names, table

    def draw(self) -> None:
        if len(self._names) > 1:
            self._tabs()
        with ui.column().classes("tk-panel tk-table-head"):
            self._head()
        job = self._here.session.jobs.latest(JOB)
        with ui.column().classes("w-full gap-4") as self._place:
            if job is not None and not job.state.over:
                job_box(self._here, job, lambda _: self._here.redraw())
            self._content(job)

    def _tabs(self) -> None:
        with ui.row().classes("w-full items-center gap-2"):
            with ui.tabs().props("dense no-caps align=left") as tabs:
                for name in self._names:
                    ui.tab(name, name).mark(f"tab-{name}")
            tabs.set_value(self._names[self._index])
            tabs.on_value_change(lambda e: self._go(e.value))
            ui.space()
            self._new_button()

    def _new_button(self) -> None:
        made = ui.button(self._here.say(_NEW), icon="add", on_click=lambda: define_table(self._here))
        made.props("flat no-caps").mark("define")

    def _go(self, name: str) -> None:
        self._here.session.asides[AT] = name
        self._here.redraw()

    # -- what the table is ----------------------------------------------------------------------------------------

    def _head(self) -> None:
        here, say = self._here, self._here.say
        with ui.row().classes("w-full items-start justify-between gap-4"):
            with ui.column().classes("gap-1"):
                heading(self._names[self._index])
                ui.label(self._described()).classes("tk-soft")
            with ui.row().classes("items-center gap-2"):
                if len(self._names) == 1:
                    self._new_button()
                icon_button("edit", say(_EDIT), lambda: define_table(here, self._index)).mark("edit-table")
                icon_button("delete_outline", say(REMOVE), self._remove).mark("remove-table")
                ui.button(say(_RULES), icon="rule", on_click=self._protection).props("outline no-caps").mark(
                    "rules"
                )
                self._run_button()
        with ui.row().classes("gap-2 items-center"):
            self._chips()

    def _described(self) -> str:
        by = self._table.get("by", ())
        columns = self._table.get("columns", {})
        what = self._table.get("value") or (columns.get("value") if self._table.get("file") else None)
        says = _CELLS if self._table.get("file") else _BY
        return self._here.say(
            says, what=what or self._here.say(_COUNTS), by=by if isinstance(by, str) else " × ".join(by),
            file=self._table.get("file", ""),
        )  # fmt: skip

    def _chips(self) -> None:
        rules = self._table.get("rules", ())
        for rule in rules:
            ui.label(_named(self._here, rule)).classes("tk-chip")
        if not rules:
            ui.label(self._here.say(_NO_RULES)).classes("tk-chip")
        protect = self._table.get("protect")
        ui.label(_named(self._here, protect) if protect else self._here.say(_NO_METHOD)).classes(
            "tk-chip tk-chip-strong"
        )

    def _run_button(self) -> None:
        job = self._here.session.jobs.latest(JOB)
        fresh = job is not None and job.state is State.DONE and self._is_current(job)
        busy = job is not None and not job.state.over
        button = ui.button(self._here.say(_AGAIN if fresh else _RUN), icon="shield", on_click=self._start)
        button.props("outline no-caps" if fresh else "unelevated no-caps").mark("protect-tables").set_enabled(
            not busy
        )

    async def _protection(self) -> None:
        """Rules and protector in a dialog; the table follows when it is closed."""
        with open_dialog(self._here.say(_RULES)) as dialog, ui.card().classes("tk-dialog tk-dialog-wide"):
            heading(self._here.say(_RULES))
            await table_protection(self._here, self._index)
            with ui.row().classes("w-full justify-end"):
                ui.button(self._here.say(CLOSE), on_click=dialog.close).props("unelevated no-caps").mark(
                    "rules-done"
                )
        dialog.on("hide", dialog.delete)
        dialog.on("hide", self._here.redraw)

    def _remove(self) -> None:
        tables = self._here.session.draft.get("tables")
        del tables[self._index]
        self._here.put(_REMOVED.filled(name=self._names[self._index]), "tables", value=tables)
        self._here.redraw()

    # -- what is shown --------------------------------------------------------------------------------------------

    def _parts(self) -> dict[str, Any]:
        draft = self._here.session.draft
        return {name: draft.get(name) for name in _PARTS if draft.get(name) is not None}

    def _is_current(self, job: Job) -> bool:
        return bool(job.note == (self._here.session.folder, self._parts()))

    def _start(self) -> None:
        session = self._here.session
        for old in session.jobs:
            if old.kind == JOB and old.state.over:
                old.result = None
        parts = self._parts()
        job = session.jobs.start(_RUNNING, JOB, protect_tables, session.folder, parts)
        job.note = session.folder, parts
        self._here.redraw()

    def _content(self, job: Job | None) -> None:
        """The protected table if it is that of this plan, else as the rules mark it."""
        if job is not None and self._is_current(job):
            found = (job.result or {}).get(self._names[self._index]) if job.state is State.DONE else None
            if found is not None:
                verdict(self._here, found)
                ui.timer(0, lambda: self._show(found), once=True)
                return
            if job.state is State.FAILED and job.trouble:
                self._refused(job.trouble)
        elif job is not None and job.state is State.DONE and job.note[0] == self._here.session.folder:
            ui.label(self._here.say(_CHANGED)).classes("tk-note")
        if (
            self._here.session.draft.get("steps")
            and not self._table.get("file")
            and self._table.get("from") != "original"
        ):
            ui.label(self._here.say(_BEFORE_STEPS)).classes("tk-note")
        skeleton = ui.skeleton().classes("w-full").style("height: 50vh")
        ui.timer(0, lambda: self._mark(skeleton), once=True)

    async def _mark(self, skeleton: ui.skeleton) -> None:
        try:
            found = await self._marked()
        except TaskFailed as problem:
            if not self._place.is_deleted:
                skeleton.delete()
                with self._place:
                    self._wrong(problem.trouble)
            return
        if not self._place.is_deleted:  # the page may have been drawn anew meanwhile
            skeleton.delete()
            await self._show(found)

    async def _marked(self) -> MarkedTable:
        """What the rules mark, remembered for this table as it is; only the last one, for tables can be large."""
        session = self._here.session
        content: dict[str, Any] = {
            "tables": [{k: v for k, v in self._table.items() if k not in ("protect", "audit", "from")}]
        }
        if not self._table.get("file"):
            content["data"] = session.draft.get("data")
        kept = session.asides.get("tables.marked")
        if kept is None or kept[0] != content:
            kept = content, await session.quick.do(mark_table, None, session.folder, content)
            session.asides["tables.marked"] = kept
        found: MarkedTable = kept[1]
        return found

    async def _show(self, found: MarkedTable) -> None:
        with self._place:
            await Sheet(self._here, self._index, found).draw()

    def _refused(self, trouble: Trouble) -> None:
        heading(self._here.say(_REFUSED))
        self._wrong(trouble)
        ui.label(self._here.say(_REFUSED_HINT)).classes("tk-soft")

    def _wrong(self, trouble: Trouble) -> None:
        trouble_box(self._here, trouble)
        if self._table.get("marks"):
            ui.button(self._here.say(_FORGET), on_click=self._forget).props("outline no-caps").mark(
                "forget-marks"
            )

    def _forget(self) -> None:
        self._here.put(_FORGOTTEN, "tables", self._index, "marks", value=None)
        self._here.redraw()


def _named(here: Here, given: Any) -> str:
    """A rule or a protector with its parameters, short."""
    id, parameters = split(given)
    said = summary(here, parameters)
    return f"{here.say(title_of(id))} · {said}" if said else here.say(title_of(id))
