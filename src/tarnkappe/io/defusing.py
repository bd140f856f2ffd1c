"""Text that a spreadsheet would run as a formula is made harmless.

A cell that begins with one of these signs, blanks before them or not, may be run when the file is opened; an apostrophe
before it makes it text. A spreadsheet that takes another sign for the separator than the one we write (semicolons in
Germany) cuts cells in two: what follows a separator inside a cell is a cell to it. Plain numbers such as -5 are no
formulas, and stay as they are. The signs: OWASP, *CSV Injection*, with their full-width forms.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

import polars as pl

from tarnkappe.io.names import refuse_twins

_SIGNS = "[=+\\-@\uff1d\uff0b\uff0d\uff20]"
_SEPARATORS = r"[,;|\t\r\n]"
_BLANKS = "[ \v\f\u00a0\u1680\u2000-\u200b\u2028\u2029\u202f\u205f\u2060\u3000\ufeff]*"
_NUMBER = rf"{_BLANKS}[+-]?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?{_BLANKS}"
_NUMBERS = re.compile(rf"{_NUMBER}(?:{_SEPARATORS}{_NUMBER})*")
_PLACES = re.compile(rf"^(?=[\t\r\n])|(?:^|(?<={_SEPARATORS}))(?={_BLANKS}{_SIGNS})")
"""Where an apostrophe is needed, unless the cell holds numbers alone."""
_SUSPECT = rf"^[\t\r\n]|(?:^|{_SEPARATORS}){_BLANKS}{_SIGNS}"
"""The same for the quick engine."""


def defused(frame: pl.DataFrame) -> pl.DataFrame:
    """The frame with harmless text and harmless names."""
    names = harmless(frame.columns)
    refuse_twins(names)
    texts = (column for column in frame if column.dtype == pl.String)
    safe = frame.with_columns(_harmless_cells(column) for column in texts)
    return safe.rename(dict(zip(frame.columns, names, strict=True)))


def harmless(texts: Iterable[str]) -> list[str]:
    """Texts as they are written into a file that spreadsheets open."""
    return [text if _NUMBERS.fullmatch(text) else _PLACES.sub("'", text) for text in texts]


def _harmless_cells(column: pl.Series) -> pl.Series:
    suspects = column.filter(column.str.contains(_SUSPECT)).unique()
    if suspects.is_empty():
        return column
    return column.replace(suspects, pl.Series(harmless(suspects), dtype=pl.String))
