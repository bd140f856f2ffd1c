"""Records of τ-ARGUS: text with fixed places or with a separator (`.asc`), described by a `.rda` file.

The metadata say what the columns are: dimensions become keys with their hierarchies, `<NUMERIC>` numbers, `<WEIGHT>` the
weight and `<HOLDING>` the owner. `<REQUEST>` stays a column like others: who asked for protection.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import polars as pl

from tarnkappe.data.class_codes import in_order_of_size
from tarnkappe.data.column import Column
from tarnkappe.data.hierarchy import TOTAL
from tarnkappe.errors.files import FileEmpty
from tarnkappe.errors.table_files import ArgusWrong
from tarnkappe.io.argus import hierarchy_of, labelled
from tarnkappe.io.argus_metadata import Metadata, Part, Variable, metadata_for
from tarnkappe.io.coding import column_of
from tarnkappe.io.encoding import as_utf8
from tarnkappe.io.options import ReadOptions
from tarnkappe.io.parsing import parse, unfit
from tarnkappe.io.paths import existing
from tarnkappe.io.read_text import split_text
from tarnkappe.language import Text
from tarnkappe.vocab import Kind, Role

_NUMBERS = (Part.VALUE, Part.WEIGHT, Part.COST, Part.SHADOW)
_ROLES = {Part.CODE: Role.KEY, Part.VALUE: Role.NUMERIC, Part.WEIGHT: Role.WEIGHT, Part.HOLDING: Role.OWNER}
_PLACE = Text(
    "a variable needs its width, and without a separator its place",
    "eine Variable braucht ihre Breite und ohne Trennzeichen ihre Stelle",
)
_NUMBER = Text("a number is expected", "erwartet wird eine Zahl")
_SHORT = Text("it is shorter than the metadata say", "sie ist kürzer, als die Metadaten sagen")
_FIELDS = Text(
    "it has another number of fields than the metadata describe",
    "sie hat eine andere Zahl von Feldern, als die Metadaten beschreiben",
)


def read_asc(path: Path, options: ReadOptions) -> dict[str, Column]:
    """The columns of a file of records, with the hierarchies and labels that its metadata name."""
    meta = metadata_for(path, None)
    columns = _columns(path, meta, options.encoding)
    return {v.name: _with_hierarchy(meta, v, columns[v.name]) for v in meta.variables}


def roles_of_asc(path: Path) -> dict[Role, tuple[str, ...]]:
    """What the metadata of a file of records say the columns are; where a role is for one column, the first has it."""
    meta = metadata_for(path, None)
    roles = {role: tuple(v.name for v in meta.having(part)) for part, role in _ROLES.items()}
    return {role: names[:1] if role.single else names for role, names in roles.items() if names}


def _columns(path: Path, meta: Metadata, encoding: str | None) -> dict[str, Column]:
    texts = _fixed(path, meta, encoding) if meta.separator is None else _free(path, meta, encoding)
    return {v.name: _column(path, meta, v, texts[v.name]) for v in meta.variables}


def _fixed(path: Path, meta: Metadata, encoding: str | None) -> dict[str, pl.Series]:
    """Every field at its place, counted from 1."""
    places = {v.name: _whole(meta, v, 2) for v in meta.variables}
    text = as_utf8(existing(path).read_bytes(), encoding, path.name).decode()
    lines = pl.Series([line.rstrip("\r") for line in text.rstrip("\r\n").split("\n")], dtype=pl.String)
    if not text.strip():
        raise FileEmpty(file=path.name)
    needed = max((start for start, _ in places.values()), default=1)
    short = lines.str.len_chars() < needed
    if short.any():
        raise ArgusWrong(file=path.name, line=int(short.arg_true()[0]) + 1, why=_SHORT)
    return {name: lines.str.slice(start - 1, width) for name, (start, width) in places.items()}


def _free(path: Path, meta: Metadata, encoding: str | None) -> dict[str, pl.Series]:
    assert meta.separator is not None
    for v in meta.variables:
        _whole(meta, v, 1)
    frame = split_text(existing(path), meta.separator, encoding)
    if frame.width != len(meta.variables):
        raise ArgusWrong(file=path.name, line=1, why=_FIELDS)
    return {v.name: frame.to_series(i).fill_null("") for i, v in enumerate(meta.variables)}


def _whole(meta: Metadata, variable: Variable, count: int) -> tuple[int, ...]:
    """Place and width; in free format the width alone."""
    words = variable.words[:count]
    if len(words) < count or not all(w.isascii() and w.isdigit() and 0 < int(w[:9]) < 10**6 for w in words):
        raise meta.wrong(variable.line, _PLACE)
    return tuple(int(word) for word in words)


def _column(path: Path, meta: Metadata, variable: Variable, texts: pl.Series) -> Column:
    texts = texts.str.strip_chars()
    missing = _missing(meta, variable)
    texts = texts.set(texts.is_in(["", *missing]), None)
    if variable.part not in _NUMBERS:
        return column_of(texts, variable.name)
    comma = meta.separator != "," and bool(texts.str.contains(",", literal=True).any())
    numbers = parse(texts, Kind.NUMBER, "," if comma else ".")
    wrong = (unfit(texts, numbers) | (numbers.is_not_null() & ~numbers.is_finite())).fill_null(value=False)
    if wrong.any():
        raise ArgusWrong(file=path.name, line=int(wrong.arg_true()[0]) + 1, why=_NUMBER)
    return column_of(numbers, variable.name)


def _missing(meta: Metadata, variable: Variable) -> Iterator[str]:
    """The codes of missing values, after place and width."""
    for word in variable.words[2 if meta.separator is None else 1 :]:
        yield word.strip()


def _with_hierarchy(meta: Metadata, variable: Variable, column: Column) -> Column:
    """A dimension with its hierarchy; a flat one has one where its total or its labels are told."""
    told = variable.hierarchy or variable.levels or variable.code_list or variable.total.strip() != TOTAL
    if variable.part is not Part.CODE or not told:
        return column
    tree = hierarchy_of(meta, variable, in_order_of_size(column.distinct().tolist()))
    labelled_tree = tree if variable.code_list is None else labelled(tree, meta.beside(variable.code_list))
    return replace(column, hierarchy=labelled_tree)
