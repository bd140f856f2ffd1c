"""Files of hierarchies: `.hrc` of τ-ARGUS, hierarchy CSVs of ARX, CSVs with the columns code, parent, label.

What is written here is for other programs and holds the codes as they are; it is never part of a release.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from io import StringIO
from pathlib import Path

import numpy as np

from tarnkappe.data.column import Ints, Strings
from tarnkappe.data.hierarchy import TOTAL, Hierarchy
from tarnkappe.data.hierarchy_builders import coded, from_levels, from_pairs, from_paths
from tarnkappe.errors.files import EncodingWrong, FileEmpty, FileUnreadable
from tarnkappe.errors.hierarchy import HierarchyFile, HierarchyNotWritable, HierarchyTwice
from tarnkappe.io.encoding import as_utf8
from tarnkappe.io.paths import existing
from tarnkappe.language import Text

LEADING = "@"
"""Stands once per level before a code of a `.hrc` file."""
_SEPARATORS = (";", ",", "\t")


@dataclass(frozen=True, slots=True)
class Line:
    """The fields of a line, and its number."""

    number: int
    fields: Sequence[str]


def read_hierarchy(file: Path, name: str, leading: str = LEADING, total: str | None = None) -> Hierarchy:
    """Read a hierarchy; `.hrc` by its name, the two kinds of CSV by their header.

    `total` names the total: of a `.hrc` file, which has none; of an ARX file, instead of its own (usually
    ``*``); and above the codes without a parent in a file of codes and parents.
    """
    text = text_of(file)
    if not text.strip():
        raise FileEmpty(file=file.name)
    if file.suffix.lower() == ".hrc":
        return _from_hrc(_leading_lines(text, leading, file), name, total or TOTAL)
    lines = _split(text, file)
    header = [field.strip().lower() for field in lines[0].fields]
    if "code" in header and "parent" in header:
        return _from_parents(lines[1:], header, file, name, total)
    return _from_arx(lines, file, name, total)


# -- reading text ------------------------------------------------------------------------------------------


def text_of(file: Path) -> str:
    """The text of a file: UTF-8, UTF-16 where it says so, otherwise the code page of Windows."""
    found = existing(file)
    try:
        raw = found.read_bytes()
    except OSError as problem:
        raise FileUnreadable(file=file.name, why=type(problem).__name__) from None
    try:
        return as_utf8(raw, "utf-8", file.name).decode()
    except EncodingWrong:
        return as_utf8(raw, "cp1252", file.name).decode()


def _wrong(file: Path, line: int, en: str, de: str) -> HierarchyFile:
    return HierarchyFile(file=file.name, line=line, why=Text(en, de))


def _split(text: str, file: Path) -> list[Line]:
    """The lines of a CSV, by the first separator that gives all lines equally many fields, at least two."""
    tried = {separator: _lines(text, separator) for separator in _SEPARATORS}
    for lines in tried.values():
        if lines and len({len(line.fields) for line in lines}) == 1 and len(lines[0].fields) > 1:
            return lines
    most = max(tried.values(), key=lambda lines: len(lines[0].fields) if lines else 0)
    if not most or len(most[0].fields) < 2:
        raise _wrong(
            file, 1, "it has no columns that can be told apart.", "sie hat keine trennbaren Spalten."
        )
    odd = next(line for line in most if len(line.fields) != len(most[0].fields))
    raise _wrong(
        file,
        odd.number,
        f"it has {len(odd.fields)} fields, the first line has {len(most[0].fields)}.",
        f"sie hat {len(odd.fields)} Felder, die erste Zeile hat {len(most[0].fields)}.",
    )


def _lines(text: str, separator: str) -> list[Line]:
    """The lines that are not empty; none at all where the quotes do not fit."""
    reader = csv.reader(StringIO(text, newline=""), delimiter=separator, strict=True)
    try:
        return [Line(reader.line_num, fields) for fields in reader if fields]
    except csv.Error:
        return []


# -- the three formats --------------------------------------------------------------------------------------


def _leading_lines(text: str, leading: str, file: Path) -> list[tuple[int, str]]:
    """(level, code) of every line of a `.hrc` file. Blanks around a code are those of a fixed width."""
    found: list[tuple[int, str]] = []
    for number, line in enumerate(StringIO(text, newline=None), 1):
        if not line.strip():
            continue
        rest, level = line, 1
        while leading and rest.startswith(leading):
            rest, level = rest[len(leading) :], level + 1
        if not rest.strip():
            raise _wrong(file, number, "it holds no code.", "sie enthält keinen Code.")
        if level > (found[-1][0] if found else 0) + 1:
            raise _wrong(file, number, "it skips a level.", "sie überspringt eine Ebene.")
        found.append((level, rest.strip()))
    return found


def _from_hrc(lines: list[tuple[int, str]], name: str, total: str) -> Hierarchy:
    path = [0]
    parent = [-1]
    for position, (level, _) in enumerate(lines, 1):
        del path[level:]
        parent.append(path[-1])
        path.append(position)
    codes = np.array([total, *(code for _, code in lines)], dtype=object)
    return Hierarchy(name, codes, np.array(parent, dtype=np.int32))


def _from_parents(
    lines: list[Line], header: list[str], file: Path, name: str, total: str | None
) -> Hierarchy:
    columns = {word: header.index(word) for word in ("code", "parent", "label") if word in header}
    empty = next((line for line in lines if not line.fields[columns["code"]]), None)
    if empty:
        raise _wrong(file, empty.number, "it holds no code.", "sie enthält keinen Code.")
    codes = [line.fields[columns["code"]] for line in lines]
    parents = [line.fields[columns["parent"]] or None for line in lines]
    labels = [line.fields[columns["label"]] for line in lines] if "label" in columns else ()
    return from_pairs(name, codes, parents, labels, total)


def _from_arx(lines: list[Line], file: Path, name: str, total: str | None) -> Hierarchy:
    empty = next((line for line in lines if "" in line.fields), None)
    if empty:
        raise _wrong(file, empty.number, "a code is empty.", "ein Code ist leer.")
    levels = [coded(texts) for texts in zip(*(line.fields[::-1] for line in lines), strict=True)]
    if len(levels[-1][1]) < len(lines):
        twice = np.flatnonzero(np.bincount(levels[-1][0]) > 1)
        raise HierarchyTwice(name=name, codes=", ".join(levels[-1][1][twice[:12]]))
    has_total = len(levels[0][1]) == 1
    if has_total and total in (None, levels[0][1][0]):
        return from_paths(name, levels)
    return from_levels(name, levels[1:] if has_total else levels, total or TOTAL)


# -- writing ------------------------------------------------------------------------------------------------


def write_hrc(hierarchy: Hierarchy, file: Path, leading: str = LEADING) -> None:
    """Write for τ-ARGUS; the total is left out, as the format wants it."""
    file.write_text(hrc_text(hierarchy, leading), encoding="utf-8", newline="\n")


def hrc_text(hierarchy: Hierarchy, leading: str = LEADING) -> str:
    """The lines of a `.hrc` file."""
    _refuse_skips(hierarchy, ".hrc")
    below = hierarchy.codes[1:]
    if not all(_fits_line(code, leading) for code in below):
        why = Text(
            "a code is empty, begins with the sign of the levels, or has blanks or line breaks.",
            "ein Code ist leer, beginnt mit dem Zeichen der Ebenen oder enthält Leerzeichen oder Umbrüche.",
        )
        raise HierarchyNotWritable(name=hierarchy.name, format=".hrc", why=why)
    signs = (leading * (int(level) - 1) for level in hierarchy.level[1:])
    return "".join(f"{sign}{code}\n" for sign, code in zip(signs, below, strict=True))


def _fits_line(code: str, leading: str) -> bool:
    return (
        bool(code) and code == code.strip() and not code.startswith(leading) and not {"\n", "\r"} & set(code)
    )


def write_arx(hierarchy: Hierarchy, file: Path) -> None:
    """Write for ARX: one line per leaf, from the leaf to the total."""
    _refuse_empty(hierarchy, "ARX")
    leaf = np.flatnonzero(hierarchy.is_leaf)
    columns = [_on_level(hierarchy, level, leaf) for level in range(max(hierarchy.depth, 1), -1, -1)]
    _write_csv(file, zip(*columns, strict=True))


def _on_level(hierarchy: Hierarchy, level: int, leaf: Ints) -> Strings:
    codes: Strings = hierarchy.codes[hierarchy.ancestors(min(level, hierarchy.depth))[leaf]]
    return codes


def write_pairs(hierarchy: Hierarchy, file: Path) -> None:
    """Write as a CSV with the columns code, parent, label."""
    _refuse_skips(hierarchy, "code, parent, label")
    _refuse_empty(hierarchy, "code, parent, label")
    parents = ["", *hierarchy.codes[hierarchy.parent[1:]]]
    rows = zip(hierarchy.codes, parents, hierarchy.labels, strict=True)
    _write_csv(file, [("code", "parent", "label"), *rows])


def _refuse_empty(hierarchy: Hierarchy, form: str) -> None:
    if "" in hierarchy.codes:
        why = Text("a code is empty.", "ein Code ist leer.")
        raise HierarchyNotWritable(name=hierarchy.name, format=form, why=why)


def _refuse_skips(hierarchy: Hierarchy, form: str) -> None:
    if (hierarchy.level[1:] != hierarchy.level[hierarchy.parent[1:]] + 1).any():
        why = Text(
            "a code lies more than one level below its parent.",
            "ein Code liegt mehr als eine Ebene unter seinem Obercode.",
        )
        raise HierarchyNotWritable(name=hierarchy.name, format=form, why=why)


def _write_csv(file: Path, rows: Iterable[Iterable[str]]) -> None:
    with file.open("w", encoding="utf-8", newline="") as out:
        csv.writer(out, delimiter=";").writerows(rows)
