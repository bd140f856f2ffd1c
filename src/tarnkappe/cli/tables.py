"""table protect, round and convert: a table file without writing a plan."""

from __future__ import annotations

import re
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np

from tarnkappe.cli.screen import language, progress, say
from tarnkappe.cli.short import hierarchies, thing
from tarnkappe.cli.table_audit import Asked, dimensions, refuse_dimensions
from tarnkappe.cli.work import summary
from tarnkappe.data.column import Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.pattern import Pattern
from tarnkappe.errors.files import FormatUnknown
from tarnkappe.errors.release import FileExists
from tarnkappe.io.cells import CellColumns, CellFile, read_cells, table_of
from tarnkappe.io.jj import JjFile, jj_bytes, jj_of, read_jj
from tarnkappe.io.options import ReadOptions
from tarnkappe.io.paths import existing
from tarnkappe.io.read import read_with
from tarnkappe.io.staging import write_new
from tarnkappe.io.write import FORMATS, write
from tarnkappe.language import Text
from tarnkappe.plan.check import check
from tarnkappe.plan.document import Document
from tarnkappe.plan.model import Plan
from tarnkappe.report.release import release


@dataclass(frozen=True, slots=True)
class Cells:
    """A file of cells as the command line describes it."""

    file: Path
    by: tuple[str, ...]
    hierarchies: tuple[str, ...] = ()
    value: str = "value"
    count: str | None = None
    largest: tuple[str, ...] = ()
    marks: Path | None = None


def protect(
    cells: Cells,
    rules: tuple[str, ...],
    method: str,
    folder: Path,
    lang: str | None,
    *,
    replace: bool,
    quiet: bool,
) -> None:
    """Make the plan that was not written, and run it through the same door."""
    spoken = language(lang)
    plan = planned(cells, rules, method)
    with progress(spoken, quiet=quiet) as doing:
        done = release(plan, folder, replace=replace, lang=spoken, progress=doing)
    if not quiet:
        summary(done, folder, spoken)


def planned(cells: Cells, rules: tuple[str, ...], method: str) -> Plan:
    """The plan behind the options; its folder is that of the file."""
    file = existing(cells.file).resolve()
    refuse_dimensions(cells.by)
    table: dict[str, Any] = {
        "name": re.sub(r"[^A-Za-z0-9_.-]", "_", file.stem).lstrip("_.-") or "table",
        "file": file.name,
        "by": list(cells.by),
        "hierarchies": {n: _described(h, file.parent) for n, h in hierarchies(cells.hierarchies).items()},
        "columns": {"value": cells.value, "count": cells.count, "largest": list(cells.largest)},
        "rules": [thing("--rule", rule) for rule in rules],
        "protect": thing("--method", method),
    }
    if cells.marks:
        table["marks"] = _inside(cells.marks, file.parent)
    content = {"tarnkappe": 1, "title": file.stem, "tables": [table]}
    return check(Document(content, name=file.name), file.parent)


def _described(said: dict[str, Any] | Path, folder: Path) -> dict[str, Any]:
    return {"file": _inside(said, folder)} if isinstance(said, Path) else said


def _inside(path: Path, folder: Path) -> str:
    """The path as a plan in that folder names it; what lies elsewhere stays as it is and is refused by the plan."""
    full = existing(path).resolve()
    return full.relative_to(folder).as_posix() if full.is_relative_to(folder) else str(full)


def convert(cells: Cells, target: Path, lang: str | None) -> None:
    """Write a file of cells in another format."""
    if target.exists():
        raise FileExists(file=str(target))
    form = target.suffix.lower().removeprefix(".")
    if form not in (*FORMATS, "jj"):
        raise FormatUnknown(format=target.suffix, file=str(target), known=", ".join([*FORMATS, "jj"]))
    from_jj = cells.file.suffix.lower() == ".jj"
    if form == "jj":
        content = jj_bytes(read_jj(cells.file) if from_jj else _as_jj(cells))
    else:
        content = _written(listed_cells(read_jj(cells.file)) if from_jj else _rows(cells), form)
    write_new(target, content)
    say(Text("Written: {file}", "Geschrieben: {file}"), language(lang), file=target)


def _rows(cells: Cells) -> Microdata:
    """The rows as they are; codes are text where dimensions are named."""
    if not cells.by:
        return read_with(cells.file, ReadOptions())
    return read_cells(CellFile(cells.file, cells.by))


def _as_jj(cells: Cells) -> JjFile:
    refuse_dimensions(cells.by)
    rows = read_cells(CellFile(cells.file, cells.by))
    trees = dict(dimensions(Asked(cells.file, cells.by, cells.hierarchies), rows))
    return jj_of(Pattern(table_of(rows, trees, CellColumns(cells.value), cells.file.stem)))


def listed_cells(file: JjFile) -> Microdata:
    """The cells of a JJ file by number; its relations have no place in a file of cells."""
    s = file.system
    numbers = {
        "value": s.value, "cost": file.cost, "low": s.low, "high": s.high, "required_low": s.lower,
        "required_high": s.upper,
    }  # fmt: skip
    return Microdata(
        {"cell": Column.numbers_of(np.arange(len(s))), "status": Column.texts_of(file.status.tolist())}
        | {name: Column.numbers_of(np.asarray(values)) for name, values in numbers.items()}
    )


def _written(data: Microdata, form: str) -> bytes:
    file = BytesIO()
    write(data, file, form)
    return file.getvalue()
