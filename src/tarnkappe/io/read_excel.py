"""Reading Excel files.

The type of a column is that of its cells; a column with cells of several types is text. Excel knows numbers
and instants only: a column of whole numbers is read as such, and instants that are all at midnight as dates.
Cells with an error are missing.
"""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any

import polars as pl

from tarnkappe.data.column import Column
from tarnkappe.errors import did_you_mean
from tarnkappe.errors.files import SheetMissing
from tarnkappe.io.coding import column_of
from tarnkappe.io.foreign import unreadable
from tarnkappe.io.foreign_process import ask, installed
from tarnkappe.io.memory import refuse_bomb
from tarnkappe.io.names import checked_names
from tarnkappe.io.options import ReadOptions
from tarnkappe.io.parsing import infer
from tarnkappe.io.whole import if_whole
from tarnkappe.language import Text

_WHY = Text(
    "it is not an Excel file, or it is damaged.", "es ist keine Excel-Datei, oder sie ist beschädigt."
)
_LARGE, _RATIO = 256 * 2**20, 150
"""Bytes, and how many times its size a file may have unpacked beyond them; sheets of data pack to a tenth."""


def read_excel(path: Path, options: ReadOptions) -> dict[str, Column]:
    """The columns of one sheet; the first row with anything in it is the header."""
    installed("fastexcel", "xlsx", "excel")
    _refuse_bomb_in(path)
    sheet = 0 if options.sheet is None else _sheet(list(sheet_names(path)), options.sheet, path)
    _, (header, typed, texts) = ask(path, _WHY, task="sheet", number=sheet)
    cells = [_without_loss(*column) for column in zip(typed, texts, strict=True)]
    pairs = [
        (name, column) for name, column in zip(_row(header), cells, strict=True) if not _blank(name, column)
    ]
    names = checked_names([name for name, _ in pairs], str(path))
    return {
        name: column_of(_typed(column, options), name) for name, (_, column) in zip(names, pairs, strict=True)
    }


def sheet_names(path: Path) -> tuple[str, ...]:
    """The sheets of a file, in their order."""
    installed("fastexcel", "xlsx", "excel")
    told, _ = ask(path, _WHY, task="sheets")
    return tuple(told["sheets"])


def _refuse_bomb_in(path: Path) -> None:
    """A file that would unpack to hundreds of times its size holds no data and fills the memory."""
    with unreadable(path, _WHY), zipfile.ZipFile(path) as parts:
        refuse_bomb(path, sum(part.file_size for part in parts.infolist()), _LARGE, _RATIO)


def _sheet(names: list[str], asked: str | int, path: Path) -> int:
    """The position of the sheet asked for."""
    if isinstance(asked, str) and asked in names:
        return names.index(asked)
    if isinstance(asked, int) and 1 <= asked <= len(names):
        return asked - 1
    raise SheetMissing(file=str(path), sheet=asked, hint=did_you_mean(str(asked), names))


def _row(header: pl.DataFrame) -> tuple[Any, ...]:
    return header.row(0) if header.height else ()


def _blank(name: str | None, column: pl.Series) -> bool:
    """A column with nothing in it, left over from formatting."""
    return not name and column.null_count() == len(column)


def _without_loss(typed: pl.Series, texts: pl.Series) -> pl.Series:
    """The cells with their type, or as text if there is text among them: the library drops words such as NA."""
    return typed if typed.null_count() == texts.null_count() else texts


def _typed(cells: pl.Series, options: ReadOptions) -> pl.Series:
    if cells.dtype == pl.String:
        marked = cells.is_in(options.missing)
        if not marked.any():
            return cells
        cells = infer(cells.set(marked, None))
    if isinstance(cells.dtype, pl.Datetime):
        days = cells.cast(pl.Date)
        return days if (days.cast(cells.dtype) == cells).all() else cells
    return if_whole(cells) if cells.dtype == pl.Float64 else cells
