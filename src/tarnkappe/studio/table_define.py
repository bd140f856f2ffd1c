"""Define a table: from the columns of the data, or from a file of cells."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import PurePath
from typing import Any

from nicegui import events, ui

from tarnkappe.errors import TarnkappeError
from tarnkappe.io.argus import ENDING
from tarnkappe.language import Text
from tarnkappe.plan.model import TableDescription
from tarnkappe.spec.parameters import fit
from tarnkappe.studio.draft import Content
from tarnkappe.studio.forms import known_columns
from tarnkappe.studio.frame import Here, heading, open_dialog, trouble_box
from tarnkappe.studio.tasks.columns import KnownColumn
from tarnkappe.studio.tasks.table import FileColumns, columns_of_cells
from tarnkappe.studio.uploads import keep
from tarnkappe.studio.words import CANCEL
from tarnkappe.studio.worker import TaskFailed, Trouble
from tarnkappe.vocab import Kind

_NEW, _EDIT = Text("New table", "Neue Tabelle"), Text("Change the table", "Tabelle ändern")
_DEFINED = Text("define table {name}", "Tabelle {name} festlegen")
_NAME = Text("Name", "Name")
_NAME_HINT = Text(
    "letters, digits, - and _; left empty, it is made from the dimensions",
    "Buchstaben, Ziffern, - und _; leer: wird aus den Dimensionen gebildet",
)
_FROM_DATA, _FROM_FILE = (
    Text("From the data", "Aus den Daten"),
    Text("From a file of cells", "Aus einer Datei von Zellen"),
)
_BY = Text("Dimensions, in the order of the table", "Dimensionen, in der Reihenfolge der Tabelle")
_VALUE = Text("What is added up", "Was summiert wird")
_COUNT = Text("Records are counted", "Datensätze werden gezählt")
_STEPS = Text("Made from", "Gebildet aus")
_RESULT, _ORIGINAL = (
    Text("the result of the steps", "dem Ergebnis der Schritte"),
    Text("the original data", "den Originaldaten"),
)
_WEIGHTS = Text("Weights; rules count respondents either way", "Gewichte; Regeln zählen stets Befragte")
_WEIGHTED, _UNWEIGHTED = (
    Text("weighted: the sum of {name} × value", "gewichtet: Summe von {name} × Wert"),
    Text("not weighted: every record counts once", "ungewichtet: Jeder Datensatz zählt einmal"),
)
_NO_WEIGHTS = Text(
    "Not weighted: no column has the role weight.", "Ungewichtet: Keine Spalte hat die Rolle Gewicht."
)
_LEVELS = Text("{name} ({levels} levels)", "{name} ({levels} Ebenen)")
_UPLOAD = Text(
    "Choose the file of cells, with its .rda and .hrc files",
    "Datei von Zellen wählen, dazu .rda- und .hrc-Dateien",
)
_CELL_VALUE = Text("Column of the values", "Spalte der Werte")
_CELL_COUNT = Text("Column with the number of contributors", "Spalte mit der Anzahl der Beitragenden")
_LARGEST = Text(
    "Columns of the largest contributions, largest first", "Spalten der größten Beiträge, größter zuerst"
)
_TREE = Text("Hierarchy of {name}", "Hierarchie von {name}")
_FLAT = Text("all codes below Total", "alle Codes unter Total")
_ADD, _KEEP = Text("Add the table", "Tabelle anlegen"), Text("Keep the changes", "Änderungen übernehmen")
_FILE = Text("file", "Datei")
_NEEDED = Text("is required", "muss angegeben werden")
_TWICE = Text("is the name of another table", "heißt schon eine andere Tabelle")
_WORDS = {"name": _NAME, "by": Text("Dimensions", "Dimensionen"), "file": _FILE, "value": _VALUE}


async def define_table(here: Here, index: int | None = None) -> None:
    """Open the dialog; `index` names a table to change, None makes a new one."""
    _Dialog(here, index, await known_columns(here))


class _Dialog:
    def __init__(self, here: Here, index: int | None, known: Sequence[KnownColumn]) -> None:
        self._here, self._index, self._known = here, index, known
        self._given: Content = {} if index is None else here.session.draft.get("tables", index)
        self._file: str | None = self._given.get("file")
        self._columns: FileColumns | None = None
        self._fields: dict[str, Any] = {}
        self._trees: dict[str, ui.select] = {}
        with (
            open_dialog(here.say(_NEW if index is None else _EDIT)) as self._dialog,
            ui.card().classes("tk-dialog"),
        ):
            heading(here.say(_NEW if index is None else _EDIT))
            self._draw()
        self._dialog.on("hide", self._dialog.delete)

    # -- drawing --------------------------------------------------------------------------------------------------

    def _draw(self) -> None:
        say = self._here.say
        name = ui.input(say(_NAME), value=self._given.get("name", "")).props(
            f'outlined hint="{say(_NAME_HINT)}"'
        )
        self._fields["name"] = name.classes("w-full").mark("table-name")
        kinds = (
            {"data": say(_FROM_DATA), "file": say(_FROM_FILE)} if self._known else {"file": say(_FROM_FILE)}
        )
        self._kind = ui.toggle(kinds, value="file" if self._file or not self._known else "data")
        self._kind.props("no-caps unelevated toggle-color=primary").mark("table-kind")
        for kind, draw in (("data", self._from_data), ("file", self._from_file)):
            with ui.column().classes("w-full gap-4").bind_visibility_from(self._kind, "value", value=kind):
                draw()
        self._trouble = ui.label().classes("tk-misfit").props("role=alert").mark("table-trouble")
        with ui.row().classes("w-full justify-end gap-2"):
            ui.button(say(CANCEL), on_click=self._dialog.close).props("flat no-caps")
            ui.button(say(_ADD if self._index is None else _KEEP), on_click=self._done).props(
                "unelevated no-caps"
            ).mark("table-done")

    def _from_data(self) -> None:
        say = self._here.say
        dimensions = {c.name: self._labelled(c) for c in self._known if _is_dimension(c)}
        by = [name for name in _names(self._given.get("by")) if name in dimensions]
        self._select("by", dimensions, by, _BY, multiple=True)
        numbers = {"": say(_COUNT)} | {c.name: c.name for c in self._known if _is_value(c)}
        value = self._given.get("value") or ""
        self._select("value", numbers, value if value in numbers else "", _VALUE)
        if self._here.session.draft.get("steps"):
            sources = {"result": say(_RESULT), "original": say(_ORIGINAL)}
            self._select("from", sources, self._given.get("from", "result"), _STEPS)
        self._ask_weights()

    def _ask_weights(self) -> None:
        """Weighted or not is said, and where there are weights it is chosen."""
        say = self._here.say
        named = [c.name for c in self._known if "weight" in c.roles]
        if not named:
            ui.label(say(_NO_WEIGHTS)).classes("tk-soft").mark("table-no-weights")
            return
        options = {True: say(_WEIGHTED, name=named[0]), False: say(_UNWEIGHTED)}
        self._select("weighted", options, self._given.get("weighted") is not False, _WEIGHTS)

    def _labelled(self, column: KnownColumn) -> str:
        if len(column.levels) < 2:
            return column.name
        return self._here.say(_LEVELS, name=column.name, levels=len(column.levels))

    def _select(
        self, name: str, options: Any, value: Any, says: Text, *, multiple: bool = False
    ) -> ui.select:
        made = ui.select(
            options, value=value, label=self._here.say(says), multiple=multiple, clearable=multiple
        )
        made.props("outlined" + (" use-chips" if multiple else "")).classes("w-full").mark(f"table-{name}")
        self._fields[name] = made
        return made

    # -- a file of cells ------------------------------------------------------------------------------------------

    def _from_file(self) -> None:
        box = ui.upload(
            label=self._here.say(_UPLOAD), multiple=True, auto_upload=True, on_multi_upload=self._arrived,
            max_file_size=self._here.session.settings.largest,
        )  # fmt: skip
        box.props("flat hide-upload-btn").classes("tk-drop").mark("table-upload")
        self._place = ui.column().classes("w-full gap-4")
        if self._file:
            ui.timer(0, self._look, once=True)

    async def _arrived(self, event: events.MultiUploadEventArguments) -> None:
        session = self._here.session
        names = []
        try:
            for file in event.files:
                path = session.path_for(file.name, session.folder)
                await keep(path, file.iterate(), session.settings.largest)
                names.append(path.name)
        except TarnkappeError as problem:
            self._refused(Trouble.of(problem))
            return
        tables = [name for name in names if PurePath(name).suffix.lower() not in (".rda", ".hrc", ".hst")]
        self._file = next(iter(tables), self._file)
        await self._look()

    async def _look(self) -> None:
        """Read what columns the file has, and ask which hold what."""
        if not self._file:
            return
        try:
            self._columns = await self._here.session.learn(
                columns_of_cells, self._here.session.folder, self._file
            )
        except TaskFailed as problem:
            self._refused(problem.trouble)
            return
        self._place.clear()
        with self._place:
            ui.label(self._file).classes("tk-chip")
            if not self._columns.dimensions:
                self._ask_columns(self._columns)

    def _refused(self, trouble: Trouble) -> None:
        self._place.clear()
        with self._place:
            trouble_box(self._here, trouble)

    def _ask_columns(self, found: FileColumns) -> None:
        given: Mapping[str, Any] = (
            self._given.get("columns", {}) if self._given.get("file") == self._file else {}
        )
        codes = [name for name in found.names if name not in found.numbers]
        by = _names(self._given.get("by")) if given else codes
        options = list(found.names)
        self._select(
            "cell-by", options, [name for name in by if name in options], _BY, multiple=True
        ).on_value_change(self._ask_trees)
        usual = "value" if "value" in found.numbers else next(iter(found.numbers), None)
        self._select("cell-value", options, given.get("value", usual), _CELL_VALUE)
        numbers = [None, *found.numbers]
        self._select(
            "cell-count", {n or "": n or "–" for n in numbers}, given.get("count") or "", _CELL_COUNT
        )
        self._select(
            "cell-largest", list(found.numbers), list(given.get("largest", ())), _LARGEST, multiple=True
        )
        self._tree_place = ui.column().classes("w-full gap-4")
        self._ask_trees()

    def _ask_trees(self) -> None:
        files = sorted(p.name for p in self._here.session.folder.glob("*.hrc"))
        options = {"": self._here.say(_FLAT)} | {name: name for name in files}
        given = self._given.get("hierarchies", {})
        self._trees = {}
        self._tree_place.clear()
        with self._tree_place:
            for name in self._fields["cell-by"].value if files else ():
                value = given.get(name, {}).get("file", "")
                label = self._here.say(_TREE, name=name)
                made = ui.select(options, value=value if value in options else "", label=label).props(
                    "outlined"
                )
                self._trees[name] = made.classes("w-full")

    # -- done -----------------------------------------------------------------------------------------------------

    def _read(self) -> Content:
        """The table as it stands in the plan; rules and protection stay as they were."""
        kept = {
            k: v for k, v in self._given.items() if k in ("rules", "protect", "audit", "unlinked", "measure")
        }
        name = (self._fields["name"].value or "").strip()
        if self._kind.value == "data":
            by = list(self._fields["by"].value or ())
            made: Content = {"name": name or _named(by, self._fields["value"].value), "by": by}
            made |= {"value": self._fields["value"].value} if self._fields["value"].value else {}
            chosen = self._fields["from"].value if "from" in self._fields else "result"
            made |= {"from": "original"} if chosen == "original" else {}
            made |= (
                {"weighted": False}
                if "weighted" in self._fields and not self._fields["weighted"].value
                else {}
            )
        else:
            made = {"name": name or _named([PurePath(self._file or "").stem], None), **self._read_file()}
        if self._given.get("marks") and made["by"] == _names(self._given.get("by")):
            made["marks"] = self._given["marks"]
        return {**made, **kept}

    def _read_file(self) -> Content:
        made: Content = {"by": [], "file": self._file}
        if self._columns is None or not self._file:
            return made
        if self._file.lower().endswith(ENDING):
            return made | {"by": list(self._columns.dimensions)}
        columns: Content = {"value": self._fields["cell-value"].value}
        columns |= {"count": self._fields["cell-count"].value} if self._fields["cell-count"].value else {}
        columns |= (
            {"largest": self._fields["cell-largest"].value} if self._fields["cell-largest"].value else {}
        )
        trees = {name: {"file": tree.value} for name, tree in self._trees.items() if tree.value}
        made |= {"by": list(self._fields["cell-by"].value or ()), "columns": columns}
        return made | ({"hierarchies": trees} if trees else {})

    def _done(self) -> None:
        made = self._read()
        tables = self._here.session.draft.get("tables", default=[])
        others = [t.get("name") for i, t in enumerate(tables) if i != self._index]
        misfits = {str(m.place[0]) if m.place else "": m.says for m in fit(TableDescription, made)[1]}
        misfits |= {"name": _TWICE} if made["name"] in others else {}
        misfits |= {"file": _NEEDED} if self._kind.value == "file" and not self._file else {}
        if misfits:
            said = [
                f"{self._here.say(_WORDS[n]) if n in _WORDS else n}: {self._here.say(t)}"
                for n, t in misfits.items()
            ]
            self._trouble.set_text("; ".join(said))
            return
        at = len(tables) if self._index is None else self._index
        tables[at : at + 1] = [made]
        self._here.session.asides["tables.at"] = made["name"]
        self._here.put(_DEFINED.filled(name=made["name"]), "tables", value=tables)
        self._dialog.close()
        self._here.redraw()


def _is_dimension(column: KnownColumn) -> bool:
    """Codes, and numbers with a hierarchy; direct identifiers are none."""
    return "identifier" not in column.roles and (bool(column.levels) or column.kind is not Kind.NUMBER)


def _is_value(column: KnownColumn) -> bool:
    return column.kind.is_number and "identifier" not in column.roles


def _names(given: Any) -> list[str]:
    return [given] if isinstance(given, str) else list(given or ())


def _named(by: Sequence[str], value: str | None) -> str:
    """A name that a file can have."""
    words = "-".join([*([value] if value else []), *by]) or "table"
    return re.sub(r"[^A-Za-z0-9_.-]", "_", words).lstrip("_.-") or "table"
