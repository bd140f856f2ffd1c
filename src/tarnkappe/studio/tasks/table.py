"""Tables of a draft: what its rules mark, how it is protected, what the audit says, and marks on single cells."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any

from tarnkappe.data.column import Bools, Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.pattern import Pattern
from tarnkappe.io.argus import ENDING, dimensions_of
from tarnkappe.io.marks import MARK, read_marks
from tarnkappe.io.options import ReadOptions
from tarnkappe.io.paths import inside
from tarnkappe.io.read import read_with
from tarnkappe.io.staging import write_new
from tarnkappe.io.write import write
from tarnkappe.language import Text
from tarnkappe.plan.implied import steps_of
from tarnkappe.plan.model import Plan, TableDescription
from tarnkappe.plan.progress import Progress
from tarnkappe.plan.run import apply_steps
from tarnkappe.plan.tables import Made, marked, protected_tables, stages_of, started
from tarnkappe.randomness import fresh, look_up
from tarnkappe.spec import Finding, Rule
from tarnkappe.spec.parameters import fit_or_raise
from tarnkappe.studio.desk import Desk, checked

_NEEDED = ("data", "release", "seed", "relations", "steps", "tables", "published", "allow")
"""The parts of a plan that tables are made from."""


@dataclass(frozen=True, slots=True, eq=False)
class MarkedTable:
    """A table with the cells that its rules mark; nothing is protected yet."""

    pattern: Pattern
    rules: tuple[tuple[Text, Bools], ...]
    """Every rule in words, and the cells that it marks."""
    audit: Finding | None = None
    """What the audit found; None before the table was protected."""

    @property
    def name(self) -> str:
        return self.pattern.table.name


@dataclass(frozen=True, slots=True)
class FileColumns:
    """The columns of a file of cells."""

    names: tuple[str, ...]
    numbers: tuple[str, ...]
    """Those that hold numbers."""
    dimensions: tuple[str, ...] = ()
    """Where the file itself says what its dimensions are."""


def mark_table(desk: Desk, progress: Progress, folder: Path, content: Mapping[str, Any]) -> MarkedTable:
    """The first table of a plan as its rules mark it, made from the data before any step."""
    progress.expect_also(2)
    progress.next(Text("reading the data", "Daten werden gelesen"))
    plan = _planned(folder, content)
    (wanted, *_) = plan.tables
    data = Microdata({}) if wanted.described.file else desk.planned(plan)
    progress.next(Text("adding up the cells", "Zellen werden summiert"))
    pattern = marked(wanted, started(wanted.described, data, plan.folder, wanted.rules), plan.folder)
    return _with_rules(plan, 0, pattern)


def protect_tables(
    desk: Desk, progress: Progress, folder: Path, content: Mapping[str, Any]
) -> dict[str, MarkedTable]:
    """All tables of a plan, protected and audited as a run would do it; those that share cells together."""
    plan = _planned(folder, content)
    steps = steps_of(plan)
    progress.expect_also(1 + len(steps) + len(plan.tables))
    progress.next(Text("reading the data", "Daten werden gelesen"))
    before = desk.planned(plan)
    secret = look_up(plan.secret, plan.folder) if plan.secret else fresh()
    after, done, _, result = apply_steps(steps, before, secret, progress, plan.relations)
    made = Made(before, result, after if plan.releases_data else None, stages_of(done))
    entries = protected_tables(plan, made, secret, progress)
    return {
        entry.name: _with_rules(plan, number, entry.pattern, entry.audit)
        for number, entry in enumerate(entries)
    }


def _planned(folder: Path, content: Mapping[str, Any]) -> Plan:
    needed = {name: content[name] for name in _NEEDED if name in content}
    return checked(folder, {"tarnkappe": 1, "title": content.get("title") or "tables", **needed})


def _with_rules(plan: Plan, number: int, pattern: Pattern, audit: Finding | None = None) -> MarkedTable:
    rules = plan.tables[number].rules
    return MarkedTable(pattern, tuple((_said(rule), rule.mark(pattern.table).cells) for rule in rules), audit)


def _said(rule: Rule) -> Text:
    """A rule, the parameters that its words speak of, and which cells it marks."""
    told = [
        (name, value)
        for name, value in rule.model_dump(mode="json").items()
        if re.search(rf"\b{name}\b", rule.flags.en)
    ]
    words = ", ".join(
        f"{name} = {value:g}" if isinstance(value, float) else f"{name} = {value}" for name, value in told
    )
    title = Text(f"{rule.title.en} ({words})", f"{rule.title.de} ({words})") if words else rule.title
    return Text("{title}: {flags}", "{title}: {flags}").filled(title=title, flags=rule.flags)


def columns_of_cells(desk: Desk, progress: Progress, folder: Path, file: str) -> FileColumns:
    """What a file of cells holds, so that its dimensions can be chosen."""
    del desk, progress
    path = inside(folder, file)
    if path.suffix.lower() == ENDING:
        by = dimensions_of(path)
        return FileColumns(by, (), by)
    columns = read_with(path, ReadOptions()).columns
    return FileColumns(
        tuple(columns), tuple(name for name, column in columns.items() if column.kind.is_number)
    )


def mark_cell(
    desk: Desk,
    progress: Progress,
    folder: Path,
    table: Mapping[str, Any],
    codes: Sequence[str],
    mark: str | None,
) -> str | None:
    """Write the marks of a table with that of one cell set, or taken away; return the name of the file, None where no mark is left.

    Every content has a file of its own, so that undo finds the marks as they were.
    """
    del desk, progress
    described = fit_or_raise(TableDescription, table, "tables")
    rows = _marks(folder, described)
    key = tuple(codes)
    row = {name: text for name, text in rows.pop(key, {}).items() if name != MARK}
    if mark is not None:
        row[MARK] = mark
    if row:
        rows[key] = row
    if not rows:
        return None
    content = _as_csv(described.by, rows)
    file = f"marks-{described.name}-{hashlib.sha256(content).hexdigest()[:8]}.csv"
    write_new(inside(folder, file), content)
    return file


_Rows = dict[tuple[str, ...], dict[str, str]]


def _marks(folder: Path, described: TableDescription) -> _Rows:
    """The marks so far, by the codes of their cells."""
    if described.marks is None:
        return {}
    read = read_marks(inside(folder, described.marks), described.by, described.encoding)
    texts = {name: column.texts() for name, column in read.columns.items()}
    return {
        tuple(str(texts[name][i]).removeprefix("'") for name in described.by): {
            name: str(told[i])
            for name, told in texts.items()
            if name not in described.by and told[i] is not None
        }
        for i in range(len(read))
    }


def _as_csv(by: Sequence[str], rows: _Rows) -> bytes:
    ordered = sorted(rows.items())
    texts: dict[str, list[str | None]] = {
        name: [codes[k] for codes, _ in ordered] for k, name in enumerate(by)
    }
    for name in dict.fromkeys(name for _, row in ordered for name in row):
        texts[name] = [row.get(name) for _, row in ordered]
    file = BytesIO()
    write(Microdata({name: Column.texts_of(told) for name, told in texts.items()}), file, "csv")
    return file.getvalue()
