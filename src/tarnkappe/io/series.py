"""Coded columns become columns of a frame again. What is missing or suppressed is null."""

from __future__ import annotations

import polars as pl

from tarnkappe.data.column import Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.vocab import Kind

_TYPES: dict[Kind, pl.DataType] = {
    Kind.BOOLEAN: pl.Boolean(),
    Kind.INTEGER: pl.Int64(),
    Kind.NUMBER: pl.Float64(),
    Kind.DATE: pl.Date(),
    Kind.DATETIME: pl.Datetime("us"),
}


def frame_of(sealed: Microdata) -> pl.DataFrame:
    """The columns of sealed data side by side."""
    return pl.DataFrame([series_of(column, name) for name, column in sealed.columns.items()])


def series_of(column: Column, name: str) -> pl.Series:
    """One column. Text is plain text: no list of categories goes with it."""
    values = pl.Series(name, column.values)
    if column.state is not None:
        values = values.set(pl.Series(~column.observed), None)
    if column.kind is Kind.CATEGORY:
        texts = [] if column.categories is None else column.categories.tolist()
        return pl.Series(name, texts, dtype=pl.String).gather(values)
    typed = values.cast(_TYPES[column.kind])
    return typed.fill_nan(None) if column.kind is Kind.NUMBER else typed
