"""Writing Excel files.

Excel holds numbers to 15 digits and instants to the millisecond, from 1900-03-01 on. Text is written as text,
never as a formula or a link. Nothing is put into temporary files, and the file says no time of its making.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from io import BytesIO
from typing import Any

import polars as pl

from tarnkappe.data.microdata import Microdata
from tarnkappe.errors.files import TooManyRows
from tarnkappe.io.defusing import defused
from tarnkappe.io.foreign import needed
from tarnkappe.io.limits import INFINITIES, Limit, largest_whole, longest_text, refuse_beyond
from tarnkappe.io.series import frame_of
from tarnkappe.language import Text

_ROWS, _COLUMNS = 1_048_575, 16_384
_RECORDS, _WIDTH = Text("records", "Datensätze"), Text("columns", "Spalten")
_OPTIONS = {
    "in_memory": True,
    "strings_to_formulas": False,
    "strings_to_urls": False,
    "strings_to_numbers": False,
}
_MADE = datetime(2000, 1, 1, tzinfo=UTC).replace(tzinfo=None)
_EPOCH = 25_569
"""1970-01-01 as Excel counts days."""
_DAY = 86_400_000_000
_DATES = Limit(
    lambda kind: kind.is_temporal(),
    lambda day: (
        (day.dt.year() < 1900) | (day.dt.year() > 9999) | ((day.dt.year() == 1900) & (day.dt.month() < 3))
    ),
    Text(
        "it knows days from 1900-03-01 to 9999-12-31 only.", "es kennt nur Tage vom 1.3.1900 bis 31.12.9999."
    ),
)
_LIMITS = (largest_whole(10**15), INFINITIES, longest_text(32_767), _DATES)


def excel_bytes(data: Microdata) -> bytes:
    """One sheet called ``data`` with the names in the first row."""
    xlsxwriter = needed("xlsxwriter", "xlsx", "excel")
    frame = defused(frame_of(data))
    _refuse_too_large(frame)
    refuse_beyond(frame, "xlsx", _LIMITS)
    buffer = BytesIO()
    book = xlsxwriter.Workbook(buffer, _OPTIONS)
    book.set_properties({"created": _MADE})
    sheet = book.add_worksheet("data")
    for place, column in enumerate(frame):
        sheet.write_string(0, place, column.name)
        _write(column, place, sheet, book)
    book.close()
    return buffer.getvalue()


def _refuse_too_large(frame: pl.DataFrame) -> None:
    for found, most, what in ((frame.height, _ROWS, _RECORDS), (frame.width, _COLUMNS, _WIDTH)):
        if found > most:
            raise TooManyRows(format="xlsx", most=most, what=what, found=found)


def _write(column: pl.Series, place: int, sheet: Any, book: Any) -> None:
    put: Callable[..., Any] = sheet.write_number
    form, values = None, column
    if column.dtype == pl.String:
        put = sheet.write_string
    elif column.dtype == pl.Boolean:
        put = sheet.write_boolean
    elif column.dtype == pl.Date:
        form, values = book.add_format({"num_format": "yyyy-mm-dd"}), column.to_physical() + _EPOCH
    elif isinstance(column.dtype, pl.Datetime):
        form = book.add_format({"num_format": "yyyy-mm-dd hh:mm:ss.000"})
        values = column.to_physical() / _DAY + _EPOCH
    for row, value in enumerate(values.to_list(), start=1):
        if value is not None:
            put(row, place, value, form)
