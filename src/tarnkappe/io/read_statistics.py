"""Reading files of SPSS, Stata and SAS, with the labels of columns and values.

Values that the file declares missing are missing; so is empty text, because these programs know no other.
Numbers are floats in most of these files: a column is read as whole numbers if it holds nothing else and its
display format has no decimals, or its values are labelled or declared nominal or ordinal. Instants are kept
to the millisecond.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import polars as pl

from tarnkappe.data.column import Column
from tarnkappe.io.coding import column_of
from tarnkappe.io.foreign_process import ask, installed
from tarnkappe.io.memory import of_cells, refuse_bomb
from tarnkappe.io.options import ReadOptions
from tarnkappe.io.whole import if_whole
from tarnkappe.language import Text

Meta = Mapping[str, Any]
"""What a file tells of its columns, by name."""


def read_spss(path: Path, options: ReadOptions) -> dict[str, Column]:
    """The columns of a .sav or .zsav file."""
    return _columns(path, options, "read_sav", "SPSS")


def read_stata(path: Path, options: ReadOptions) -> dict[str, Column]:
    """The columns of a .dta file."""
    return _columns(path, options, "read_dta", "Stata")


def read_sas(path: Path, options: ReadOptions) -> dict[str, Column]:
    """The columns of a .sas7bdat file."""
    return _columns(path, options, "read_sas7bdat", "SAS")


def read_sas_transport(path: Path, options: ReadOptions) -> dict[str, Column]:
    """The columns of a .xpt file."""
    return _columns(path, options, "read_xport", "SAS")


def _columns(path: Path, options: ReadOptions, reader: str, program: str) -> dict[str, Column]:
    installed("pyreadstat", path.suffix.lower(), "statistics-packages")
    why = Text(
        f"it is not a file of {program}, or it is damaged.",
        f"es ist keine Datei von {program}, oder sie ist beschädigt.",
    )
    encoding = (
        None if options.encoding in (None, "utf-8") else options.encoding
    )  # the file itself says its encoding
    said, _ = ask(path, why, task="size", reader=reader, encoding=encoding)
    refuse_bomb(path, of_cells(said["rows"], said["columns"]))
    meta, (frame,) = ask(path, why, task="statistics", reader=reader, encoding=encoding)
    return {name: _column(frame.get_column(name), name, meta) for name in frame.columns}


def _column(cells: pl.Series, name: str, meta: Meta) -> Column:
    labels = meta["variable_value_labels"].get(name, ())
    values = _typed(cells, name, meta)
    return column_of(
        values,
        name,
        label=meta["column_names_to_labels"].get(name) or "",
        value_labels={_spelt(value, values.dtype): label for value, label in labels},
    )


def _typed(cells: pl.Series, name: str, meta: Meta) -> pl.Series:
    stored = meta["readstat_variable_types"].get(name, "")
    if cells.dtype == pl.Null:
        cells = cells.cast(pl.String if stored == "string" else pl.Float64)
    if cells.dtype == pl.String:
        return cells.set(cells == "", None)
    if isinstance(cells.dtype, pl.Datetime):
        return cells.dt.round("1ms")
    return if_whole(cells) if cells.dtype == pl.Float64 and _may_be_whole(name, meta) else cells


def _may_be_whole(name: str, meta: Meta) -> bool:
    return (
        name in meta["variable_value_labels"]
        or meta["variable_measure"].get(name) in ("nominal", "ordinal")
        or not _shows_decimals(meta["original_variable_types"].get(name) or "")
    )


def _shows_decimals(form: str) -> bool:
    """Whether a display format shows decimals: ``F8.2``, ``%9.2f`` and, as it is general, ``%9.0g``."""
    decimals = re.search(r"\.([0-9]+)", form)
    return decimals is not None and (int(decimals[1]) > 0 or form.endswith("g"))


def _spelt(value: Any, stored: pl.DataType) -> str:
    """A labelled value as `Column.spelt` writes it."""
    if stored.is_integer() and isinstance(value, float | int):
        return str(int(value))
    return repr(float(value)) if stored.is_float() and isinstance(value, float | int) else str(value)
