"""Files that come in: found out what they are, read, and turned into the beginning of a plan."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Any

from tarnkappe.data.microdata import Microdata
from tarnkappe.errors.studio import JjAlone, SeveralFiles
from tarnkappe.examples import EXAMPLES, READY_PLANS, plan_text
from tarnkappe.io.argus import ENDING, dimensions_of
from tarnkappe.io.jj import ENDING as JJ
from tarnkappe.io.paths import inside
from tarnkappe.io.read import ENDINGS
from tarnkappe.io.write import write
from tarnkappe.language import Lang, Text
from tarnkappe.plan.check import check
from tarnkappe.plan.document import load, parse
from tarnkappe.plan.model import VERSION, TableDescription
from tarnkappe.plan.progress import Progress
from tarnkappe.plan.tables import started
from tarnkappe.spec.parameters import fit_or_raise
from tarnkappe.studio.desk import Desk
from tarnkappe.studio.keeping import PLANS
from tarnkappe.studio.reading_part import reading_of
from tarnkappe.studio.tasks.look import Look, look
from tarnkappe.vocab import ReleaseKind

TABLES = (ENDING,)
_SIZE = 5_000
_TITLE = Text("Release of {name}", "Freigabe von {name}")
_MAKING = Text("making the example", "das Beispiel wird erzeugt")
_CELLS = Text("reading the table {file}", "die Tabelle {file} wird gelesen")


@dataclass(frozen=True, slots=True)
class Arrived:
    """A plan as it begins with a file, and what the file looks like; tables of cells have no look."""

    content: Mapping[str, Any]
    look: Look | None


def ready(desk: Desk, progress: Progress) -> bool:
    """Nothing but that the worker is there: asked before its first work, so that nobody waits for it."""
    del desk, progress
    return True


def main_file(names: tuple[str, ...]) -> str:
    """Which of the files that came together is to be opened: a plan, else a table, else the only data file."""
    for endings in (PLANS, TABLES, ENDINGS):
        found = [name for name in names if PurePath(name).suffix.lower() in endings]
        if len(found) > 1:
            raise SeveralFiles(count=len(found))
        if found:
            return found[0]
    return names[0]


def arrive(
    desk: Desk, progress: Progress, folder: Path, data: Mapping[str, Any], scratch: Path, lang: Lang
) -> Arrived:
    """Open a file: a plan with its data, a table of τ-ARGUS, or data."""
    file = str(data["file"])
    ending = PurePath(file).suffix.lower()
    if ending in PLANS:
        return _plan(desk, progress, folder, file, scratch)
    if ending in TABLES:
        progress.expect_also(1)
        progress.next(_CELLS.filled(file=PurePath(file).name))
        by = list(dimensions_of(inside(folder, file)))
        return table(folder, {"name": _name(file), "file": file, "by": by}, lang)
    if ending == JJ:
        raise JjAlone
    found = look(desk, progress, folder, data, scratch)
    coded = {} if found.encoding in (None, "utf-8") else {"encoding": found.encoding}
    return Arrived({**beginning(file, lang), "data": {**data, **coded}}, found)


def cells(desk: Desk, progress: Progress, folder: Path, described: Mapping[str, Any], lang: Lang) -> Arrived:
    """Open a file of cells as the table it was described to be."""
    del desk
    progress.expect_also(1)
    progress.next(_CELLS.filled(file=PurePath(str(described["file"])).name))
    return table(folder, {"name": _name(str(described["file"])), **described}, lang)


def table(folder: Path, described: Mapping[str, Any], lang: Lang) -> Arrived:
    """A plan with one table, if the table can be read."""
    wanted = fit_or_raise(TableDescription, described, "tables")
    started(wanted, Microdata({}), folder)
    return Arrived({**beginning(wanted.file or wanted.name, lang), "tables": [dict(described)]}, None)


def example(
    desk: Desk, progress: Progress, folder: Path, name: str, scratch: Path, whole: str, lang: Lang
) -> Arrived:
    """Make example data in a folder of ours and open it: alone (`whole` is "data"), with its own plan ("plan") or with a named one."""
    progress.expect_also(1)
    progress.next(_MAKING)
    file = f"{name}.csv"
    with open(folder / file, "wb", opener=_private) as out:
        write(EXAMPLES[name](_SIZE), out, "csv")
    chosen = whole if whole in READY_PLANS else name
    content = dict(parse(plan_text(chosen), f"{chosen}.yaml").content)
    if whole == "data":
        content = {**beginning(file, lang), "data": {"file": file, **_types(content["data"])}}
    found = look(desk, progress, folder, reading_of(content["data"]), scratch)
    return Arrived(content, found)


def beginning(file: str, lang: Lang) -> dict[str, Any]:
    """What every plan begins with."""
    name = _name(file)
    return {
        "tarnkappe": VERSION,
        "title": _TITLE.filled(name=PurePath(file).stem).in_(lang),
        "release": {"kind": ReleaseKind.SCIENTIFIC.value},
        "seed": {"secret": name},
    }


def _plan(desk: Desk, progress: Progress, folder: Path, file: str, scratch: Path) -> Arrived:
    document = load(inside(folder, file))
    plan = check(document, folder)
    content = dict(document.content)
    found = look(desk, progress, folder, reading_of(content["data"]), scratch) if plan.data else None
    return Arrived(content, found)


def _types(data: Mapping[str, Any]) -> dict[str, Any]:
    return {"types": dict(data["types"])} if "types" in data else {}


def _name(file: str) -> str:
    """A name for secrets and tables, from that of a file."""
    return re.sub(r"[^A-Za-z0-9_.-]+", "-", PurePath(file).stem).strip("-_.") or "release"


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)
