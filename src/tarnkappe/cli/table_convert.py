"""table convert: a table from any format into any other, with its suppressions, marks, protection, bounds and costs."""

from __future__ import annotations

import math
from io import BytesIO
from pathlib import Path

import numpy as np

from tarnkappe.cli.screen import language, say
from tarnkappe.cli.table_source import (
    Cells,
    columns_of_codes,
    own_bounds,
    pattern_of_file,
    rows_of_file,
    with_dimensions,
)
from tarnkappe.data.column import Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.pattern import Pattern, Status
from tarnkappe.errors.files import FormatUnknown
from tarnkappe.errors.release import FileExists
from tarnkappe.io.argus import ENDING
from tarnkappe.io.argus_history import history_text
from tarnkappe.io.argus_write import argus_files
from tarnkappe.io.jj import MOST, JjFile, jj_bytes, jj_of, read_jj, without_gaps
from tarnkappe.io.patterns import REASONS, rows_of, whose_known
from tarnkappe.io.published import CHANGED, RANGE, STATUS, PublishedFile
from tarnkappe.io.staging import write_new
from tarnkappe.io.write import FORMATS, write
from tarnkappe.language import Lang, Text

JJ, HISTORY = ".jj", ".hst"
TARGETS = (*(f".{form}" for form in FORMATS), JJ, ENDING, HISTORY)


def convert(cells: Cells, target: Path, lang: str | None) -> None:
    """Write a table in another format; nothing is written unless everything can be."""
    spoken = language(lang)
    if target.suffix.lower() not in TARGETS:
        raise FormatUnknown(format=target.suffix, file=str(target), known=", ".join(TARGETS))
    if target.exists():
        raise FileExists(file=str(target))
    files = _files(cells, target, spoken)
    taken = [path for path in files if path.exists()]
    if taken:
        raise FileExists(file=str(taken[0]))
    _write(files)
    for path in files:
        say(Text("Written: {file}", "Geschrieben: {file}"), spoken, file=path)


def _files(cells: Cells, target: Path, lang: Lang) -> dict[Path, bytes]:
    """The content of every file to write."""
    as_it_is = _as_it_is(cells, target)
    if as_it_is is not None:
        return {target: as_it_is}
    pattern = _as_hidden(pattern_of_file(cells))
    ending = target.suffix.lower()
    _tell_what_is_left_out(pattern, ending, lang)
    if ending == ENDING:
        return {target.parent / name: text for name, text in argus_files(pattern, target.stem).items()}
    if ending == HISTORY:
        return {target: history_text(pattern).encode()}
    if ending == JJ:
        return {target: jj_bytes(jj_of(without_gaps(pattern)))}
    return {target: _written(rows_of(pattern), ending.removeprefix("."))}


def _as_hidden(pattern: Pattern) -> Pattern:
    """Secondary cells of a `.hst` file are secondary cells of the new file; to a protector they are only a preference."""
    return (
        pattern
        if pattern.again is None
        else pattern.with_secondary(pattern.again < 1, REASONS[Status.SECONDARY])
    )


def _as_it_is(cells: Cells, target: Path) -> bytes | None:
    """Rows stay rows, and a JJ file without hierarchies stays a list of numbered cells."""
    ending, rows = target.suffix.lower(), target.suffix.lower().removeprefix(".")
    if cells.marks is not None or cells.ending == ENDING:
        return None
    if cells.ending == JJ:
        if ending == JJ:
            return jj_bytes(read_jj(cells.file))
        return _written(listed_cells(read_jj(cells.file)), rows) if rows in FORMATS and not cells.by else None
    return _written(_refuse_faults(cells, rows_of_file(cells)), rows) if rows in FORMATS else None


def _refuse_faults(cells: Cells, rows: Microdata) -> Microdata:
    """The rows of a table whose cells are all there must make a table, those of a publication a published one."""
    known = rows.column(cells.columns.value)
    words = rows.column(name).texts() if (name := cells.columns.status or STATUS) in rows.columns else ()
    changed = {str(word or "").strip().lower() for word in words} & {*CHANGED, RANGE}
    if not cells.by or changed:
        return rows
    if known.kind.is_number and known.observed.all():
        pattern_of_file(cells)
    else:
        file = PublishedFile(
            cells.file,
            columns_of_codes(cells),
            cells.columns.value,
            cells.columns.status,
            options=cells.options,
        )
        file.system(*with_dimensions(cells, rows))
    return rows


def _tell_what_is_left_out(pattern: Pattern, ending: str, lang: Lang) -> None:
    """What the new file cannot hold."""
    kept, bounds = pattern.table.contributions, own_bounds(pattern)
    if bounds and ending in (ENDING, HISTORY):
        says = Text(
            "τ-ARGUS files hold no prior bounds: those of {count} cells are left out.",
            "Dateien von τ-ARGUS fassen kein Vorwissen: die Grenzen von {count} Zellen bleiben weg.",
        )
        say(says, lang, count=bounds)
    if kept is not None and ending == JJ:
        says = Text(
            "JJ files hold no contributors: how many there are, the largest contributions and whose they are is left out.",
            "JJ-Dateien fassen keine Beitragenden: Ihre Zahl, die größten Beiträge und von wem sie sind, bleiben weg.",
        )
        say(says, lang)
    if ending == JJ and math.prod(len(tree) for tree in pattern.table.dimensions) > MOST:
        says = Text(
            "The table is too sparse for its empty cells to be written: the JJ file cannot get its codes back.",
            "Die Tabelle ist zu dünn besetzt, um leere Zellen mitzuschreiben: Die JJ-Datei kann ihre Codes nicht zurückbekommen.",
        )
        say(says, lang)
    if kept is not None and ending == ENDING and whose_known(kept):
        says = Text(
            "Tables of τ-ARGUS do not tell whose the largest contributions are: that one contributor stands behind several cells is left out.",
            "Tabellen von τ-ARGUS sagen nicht, von wem die größten Beiträge sind: dass hinter mehreren Zellen derselbe steht, bleibt weg.",
        )
        say(says, lang)


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


def _write(files: dict[Path, bytes]) -> None:
    """All of them, or none."""
    done: list[Path] = []
    try:
        for path, content in files.items():
            write_new(path, content)
            done.append(path)
    except BaseException:
        for path in done:
            path.unlink()
        raise
