"""Reading separated text: CSV, TSV and their relatives.

Everything is read as text first; then every column gets the kind that all its values have. A file whose lines
do not have the same number of fields is refused with the first such line, because what was meant cannot be
known.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import polars as pl

from tarnkappe.data.column import Column
from tarnkappe.errors.files import FileEmpty, QuotesWrong, Ragged, SignWrong
from tarnkappe.io.coding import column_of
from tarnkappe.io.encoding import ASSUMED, decoded
from tarnkappe.io.foreign import unreadable
from tarnkappe.io.header import refuse_record_as_names
from tarnkappe.io.lines import line_number, misplaced_quote, shape, uses_quotes
from tarnkappe.io.names import checked_names
from tarnkappe.io.options import HowRead, ReadOptions
from tarnkappe.io.other_content import refuse_other_content
from tarnkappe.io.parsing import Signs, infer, only_with_point, shows_decimal_comma
from tarnkappe.io.retyping import as_kind
from tarnkappe.io.sniffing import separator_of, signs_beyond_ascii, telling_line
from tarnkappe.language import Text
from tarnkappe.vocab import Kind

_DISAGREE = Text("its lines cannot be split into fields.", "die Zeilen lassen sich nicht in Felder zerlegen.")
_SEPARATOR = Text("separator", "Trennzeichen")
_DECIMAL = Text("decimal sign", "Dezimalzeichen")


def read_text(path: Path, options: ReadOptions) -> tuple[dict[str, Column], HowRead]:
    """The columns of a text file, and how it was read."""
    data, encoding = _lines_of(path, options.encoding)
    separator = options.separator or separator_of(data, "\t" if path.suffix.lower() == ".tsv" else ",")
    _check_signs(separator, options.decimal)
    frame = _split(data, separator, path)
    names, first = _names(frame, options, path)
    texts = {name: _without_marks(frame.to_series(i).slice(first), options) for i, name in enumerate(names)}
    if options.header is None:
        refuse_record_as_names(names, list(texts.values()), str(path))
    decimals = _decimals(list(texts.values()), separator, options.decimal)
    mixed = len(decimals) > 1 and any(only_with_point(column) for column in texts.values())
    columns = {name: _column(texts.pop(name), name, decimals, options.types.get(name)) for name in names}
    broken = any(column.kind is Kind.NUMBER for column in columns.values())
    found = HowRead(encoding, separator, decimals[0] if broken and not mixed else None)
    if options.encoding is None and encoding == ASSUMED:
        found = replace(
            found, assumed=True, line=telling_line(data, separator), signs=signs_beyond_ascii(data)
        )
    return columns, found


def _names(frame: pl.DataFrame, options: ReadOptions, path: Path) -> tuple[list[str], int]:
    """The names of the columns, and the first row that is a record."""
    if options.header is False:
        return [f"column_{i}" for i in range(1, frame.width + 1)], 0
    return checked_names(frame.row(0), str(path)), 1


def split_text(path: Path, separator: str, encoding: str | None) -> pl.DataFrame:
    """All fields of a file without a header, as text."""
    _check_signs(separator, None)
    return _split(_lines_of(path, encoding)[0], separator, path)


def _lines_of(path: Path, encoding: str | None) -> tuple[bytes, str]:
    """The text as UTF-8, and what it was encoded in; lines end with a line feed, before which a carriage return may stand."""
    raw = path.read_bytes()
    refuse_other_content(raw, str(path))
    data, found = decoded(raw, encoding, str(path))
    if not data or data.isspace():
        raise FileEmpty(file=str(path))
    return (data if b"\n" in data else data.replace(b"\r", b"\n")), found


def _check_signs(separator: str, decimal: str | None) -> None:
    if len(separator.encode()) != 1 or separator in '"\n\r' or separator.isalnum():
        raise SignWrong(what=_SEPARATOR, sign=separator)
    if decimal is not None and (decimal not in (".", ",") or decimal == separator):
        raise SignWrong(what=_DECIMAL, sign=decimal)


def _split(data: bytes, separator: str, path: Path) -> pl.DataFrame:
    """All fields as text, the header as first row."""
    sign = ord(separator)
    quoted = uses_quotes(data, sign)
    wrong = misplaced_quote(data, sign) if quoted else None
    if wrong is not None:
        raise QuotesWrong(file=str(path), line=line_number(data, wrong))
    found = shape(data, sign, quoted=quoted)
    if found.fields > 1:  # in a file of one column an empty line is a missing value
        data = data.rstrip(b"\r\n")
        found = shape(data, sign, quoted=quoted)
    if found.first is not None:
        line = line_number(data, found.first.position)
        raise Ragged(
            file=str(path), line=line, found=found.first.fields, expected=found.fields, count=found.misfits
        )
    with unreadable(path, _DISAGREE):
        frame = pl.read_csv(
            data,
            has_header=False,
            infer_schema=False,
            separator=separator,
            quote_char='"' if quoted else None,
        )
        if frame.shape != (found.lines, found.fields):
            raise ValueError
    return frame


def _without_marks(texts: pl.Series, options: ReadOptions) -> pl.Series:
    return texts.set(texts.is_in(options.missing), None) if options.missing else texts


def _decimals(columns: list[pl.Series], separator: str, given: str | None) -> Signs:
    """The decimal signs to try. The comma goes first where one column proves it: then 1.234 is a thousand."""
    if given is not None:
        return (given,)
    if separator != "," and any(shows_decimal_comma(texts) for texts in columns):
        return (",", ".")
    return (".",)


def _column(texts: pl.Series, name: str, decimals: Signs, kind: Kind | None) -> Column:
    if kind is Kind.CATEGORY:
        return column_of(texts, name)
    inferred = column_of(infer(texts, decimals), name)
    if kind is None or kind is inferred.kind:
        return inferred
    return as_kind(column_of(texts, name), name, kind, decimals[0])
