"""Writing files of SPSS and Stata, with the labels of columns and values.

Yes/no values are written as 0 and 1 with the labels false and true. Instants are kept to the millisecond.
SPSS drops blanks at the end of a text, and both know no empty text besides a missing one. Labels longer than
the format allows are cut.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import polars as pl

from tarnkappe.data.column import Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.errors.files import NameNotWritable
from tarnkappe.io.foreign import needed
from tarnkappe.io.limits import Limit, largest_number, largest_whole, longest_text, refuse_beyond
from tarnkappe.io.scratch import written_bytes
from tarnkappe.io.series import series_of
from tarnkappe.language import Text
from tarnkappe.vocab import Kind

_EXACT = 2**53
_STATA_LONG = (-2_147_483_647, 2_147_483_620)  # beyond lie Stata's marks of missing values
_STATA_DOUBLE = 8.98e307
_NO_NUL = Limit(
    lambda kind: kind == pl.String,
    lambda value: value.str.contains("\0", literal=True),
    Text("a text may not hold the sign NUL.", "ein Text darf das Zeichen NUL nicht enthalten."),
)
_LIMITS = (largest_whole(_EXACT), largest_number(_STATA_DOUBLE), _NO_NUL)


@dataclass(frozen=True, slots=True)
class _Naming:
    """What a program takes as the name of a column."""

    form: str
    pattern: str
    most_bytes: int
    reserved: str
    folds_case: bool
    """Names that differ in capitals only are the same."""
    why: Text

    def check(self, names: tuple[str, ...]) -> None:
        twins = Counter(name.casefold() for name in names) if self.folds_case else Counter()
        for name in names:
            fits = re.fullmatch(self.pattern, name) and len(name.encode()) <= self.most_bytes
            if not fits or re.fullmatch(self.reserved, name) or twins[name.casefold()] > 1:
                raise NameNotWritable(format=self.form, name=name, why=self.why)


_SPSS = _Naming(
    form="sav",
    pattern=r"[^\W\d_](?:[\w.$#@]*[\w$#@])?",
    most_bytes=64,
    reserved="(?i:all|and|by|eq|ge|gt|le|lt|ne|not|or|to|with)",
    folds_case=True,
    why=Text(
        "names begin with a letter, have letters, digits and . _ $ # @ only, at most 64 bytes, are no word "
        "of the SPSS language and differ in more than capitals.",
        "Namen beginnen mit einem Buchstaben, haben nur Buchstaben, Ziffern und . _ $ # @, höchstens 64 "
        "Bytes, sind kein Wort der SPSS-Sprache und unterscheiden sich nicht nur in der Großschreibung.",
    ),
)
_STATA = _Naming(
    form="dta",
    pattern=r"[^\W\d]\w{0,31}",
    most_bytes=128,
    reserved=r"_all|_b|byte|_coef|_cons|double|float|if|in|int|long|_n|_N|_pi|_pred|_rc|_skip|str\d+|strL|using|with",
    folds_case=False,
    why=Text(
        "names have at most 32 letters, digits and underscores, begin with no digit and are no word of the "
        "Stata language.",
        "Namen haben höchstens 32 Buchstaben, Ziffern und Unterstriche, beginnen nicht mit einer Ziffer und "
        "sind kein Wort der Stata-Sprache.",
    ),
)


def spss_bytes(data: Microdata) -> bytes:
    """A .sav file."""
    _SPSS.check(data.names)
    frame = _frame(data, "sav", (*_LIMITS, longest_text(32_767)))
    labels = {name: _value_labels(column) for name, column in data.columns.items()}
    written = _written(
        "write_sav",
        frame,
        column_labels={name: column.label for name, column in data.columns.items() if column.label},
        variable_value_labels={name: shown for name, shown in labels.items() if shown},
        variable_format={name: "F20.0" for name, kind in frame.schema.items() if kind.is_integer()},
    )
    made = b"01 Jan 0000:00:00"  # creation date and time in the file header
    return written[:92] + made + written[92 + len(made) :]


def stata_bytes(data: Microdata) -> bytes:
    """A .dta file of Stata 14 and later."""
    _STATA.check(data.names)
    frame = _frame(data, "dta", _LIMITS)
    labels = {
        name: _value_labels(column)
        for name, column in data.columns.items()
        if frame.schema[name].is_integer()
    }
    written = _written(
        "write_dta",
        frame,
        version=14,
        column_labels={name: column.label[:80] for name, column in data.columns.items() if column.label},
        variable_value_labels={name: shown for name, shown in labels.items() if shown},
        variable_format={name: "%20.0f" for name, kind in frame.schema.items() if kind == pl.Int64},
    )
    return re.sub(rb"<timestamp>\x11.{17}", b"<timestamp>\x1101 Jan 2000 00:00", written, count=1)


def _written(writer: str, frame: pl.DataFrame, **options: Any) -> bytes:
    pyreadstat = needed("pyreadstat", writer.removeprefix("write_"), "statistics-packages")
    write: Callable[..., None] = getattr(pyreadstat, writer)
    return written_bytes(lambda path: write(frame, path, **options))


def _frame(data: Microdata, form: str, limits: tuple[Limit, ...]) -> pl.DataFrame:
    frame = pl.DataFrame([_narrow(series_of(column, name)) for name, column in data.columns.items()])
    refuse_beyond(frame, form, limits)
    return frame


def _narrow(values: pl.Series) -> pl.Series:
    """Whole numbers in 32 bits where they fit: then both formats store them as such."""
    if values.dtype == pl.Boolean:
        return values.cast(pl.Int32)
    if values.dtype == pl.Int64 and values.is_between(*_STATA_LONG).all():
        return values.cast(pl.Int32)
    return values


def _value_labels(column: Column) -> dict[Any, str]:
    """The labels of the values that are shown: another one might name a value that was suppressed."""
    if column.kind is Kind.BOOLEAN:
        return {0: "false", 1: "true"}
    read: Callable[[str], Any] = {Kind.INTEGER: int, Kind.NUMBER: float}.get(column.kind, str)
    shown = {text for text in column.texts() if text is not None} if column.value_labels else set()
    return {read(value): label for value, label in column.value_labels.items() if value in shown}
