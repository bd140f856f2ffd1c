"""table protect and round: a table file without writing a plan."""

from __future__ import annotations

import dataclasses
import os
import re
from pathlib import Path
from typing import Any

from tarnkappe.cli.checking import warn
from tarnkappe.cli.screen import language, progress
from tarnkappe.cli.short import file_of, hierarchies, thing
from tarnkappe.cli.table_source import Cells, each_file, refuse_dimensions
from tarnkappe.cli.work import summary
from tarnkappe.data.hierarchy import TOTAL
from tarnkappe.io.argus import ENDING, dimensions_of
from tarnkappe.io.cells import CellColumns
from tarnkappe.io.options import ReadOptions
from tarnkappe.io.paths import existing
from tarnkappe.plan.check import check
from tarnkappe.plan.document import Document
from tarnkappe.plan.model import Plan
from tarnkappe.report.release import release
from tarnkappe.spec import catalogue


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
    warn(plan, spoken)
    with progress(spoken, quiet=quiet) as doing:
        done = release(plan, folder, replace=replace, lang=spoken, progress=doing)
    if not quiet:
        summary(done, folder, spoken)


def planned(cells: Cells, rules: tuple[str, ...], method: str) -> Plan:
    """The plan behind the options; its folder is that of the file, or the nearest one above all files that the command names."""
    file = existing(cells.file).resolve()
    folder = _folder(cells, file)
    tables = [_table(one, rules, method, folder) for one in each_file(cells)]
    earlier = [_earlier(cells, path, folder) for path in cells.published]
    content = {"tarnkappe": 1, "title": file.stem, "tables": tables, "published": earlier}
    return check(Document(content, name=file.name), folder)


def _folder(cells: Cells, file: Path) -> Path:
    """Who gives a command names files himself, so they may lie anywhere; a plan stays within its folder."""
    named = [*cells.also, *cells.published, *(path for path in (cells.meta, cells.marks, cells.last) if path)]
    named += [
        path for said in hierarchies(cells.hierarchies).values() if (path := file_of(said, file.parent))
    ]
    return Path(os.path.commonpath([file.parent, *(_there(path).parent for path in named)]))


def _there(path: Path) -> Path:
    """The file, or the folder of a release, without links."""
    return path.resolve() if path.is_dir() else existing(path).resolve()


def _earlier(cells: Cells, path: Path, folder: Path) -> dict[str, Any]:
    """What is out already: the folder of a release, or a file whose dimensions are those of the command."""
    if path.is_dir():
        return {"release": path.resolve().relative_to(folder).as_posix()}
    (one,) = list(each_file(dataclasses.replace(cells, file=path, also=(path,))))[:1]
    trees = _trees(one, folder)
    usual = {name: {"total": TOTAL} for name in one.by if name not in trees}
    return {
        "file": _inside(path, folder), "by": list(one.by), "value": one.columns.value, **_reading(cells), "hierarchies": trees | usual,
    }  # fmt: skip


def _table(cells: Cells, rules: tuple[str, ...], method: str, folder: Path) -> dict[str, Any]:
    """A table of the plan."""
    file = existing(cells.file).resolve()
    by = cells.by or (dimensions_of(file, cells.meta) if cells.ending == ENDING else ())
    refuse_dimensions(by)
    table: dict[str, Any] = {
        "name": re.sub(r"[^A-Za-z0-9_.-]", "_", file.stem).lstrip("_.-") or "table",
        "file": _inside(file, folder),
        "by": list(by),
        "tolerance": cells.tolerance,
        **_reading(cells),
        "hierarchies": _trees(cells, folder),
        "columns": _columns(cells.columns),
        "rules": [thing("--rule", rule) for rule in rules],
        "protect": _protector(cells, method),
        "audit": {
            name: said
            for name in ("prior", "insiders", "exact")
            if (said := getattr(cells, name)) is not None
        },
    }
    if cells.meta:
        table["metadata"] = _inside(cells.meta, folder)
    if cells.marks:
        table["marks"] = _inside(cells.marks, folder)
    if cells.last:
        part = "release" if cells.last.is_dir() else "file"
        table["last"] = {part: _there(cells.last).relative_to(folder).as_posix()}
    return table


def _protector(cells: Cells, method: str) -> dict[str, Any]:
    """The method; where it reckons with insiders, with those of the command unless it names its own."""
    said = thing("--method", method)
    use = said["use"]
    if cells.insiders and use in catalogue and "insiders" in catalogue[use].model_fields:
        return {**said, "insiders": said.get("insiders", cells.insiders)}
    return said


def _columns(columns: CellColumns) -> dict[str, Any]:
    """The columns as a plan names them."""
    named = dataclasses.asdict(columns)
    return {part: list(said) if isinstance(said, tuple) else said for part, said in named.items()}


def _reading(cells: Cells) -> dict[str, Any]:
    """How a text file is to be read, where the command says so."""
    usual, options = ReadOptions(), cells.options
    return {
        name: list(said) if isinstance(said, tuple) else said
        for name in ("missing", "encoding", "separator", "decimal", "sheet")
        if (said := getattr(options, name)) != getattr(usual, name)
    }


def _trees(cells: Cells, folder: Path) -> dict[str, dict[str, Any]]:
    """The hierarchies as a plan in that folder describes them; their files are named from where the cells lie."""
    home = cells.file.resolve().parent
    trees = {}
    for name, said in hierarchies(cells.hierarchies).items():
        file, words = file_of(said, home), said if isinstance(said, dict) else {}
        trees[name] = words if file is None else {**words, "file": _inside(file, folder)}
    return trees


def _inside(path: Path, folder: Path) -> str:
    """The path as a plan in that folder names it."""
    return existing(path).resolve().relative_to(folder).as_posix()
