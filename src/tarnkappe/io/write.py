"""Writing data in any known format. The same data gives the same bytes every time.

What is written is always sealed: nothing of a suppressed cell is in the file, nor a category or a label that
only suppressed cells had. In every format a suppressed cell is as empty as a missing one; `states` counts
them apart for the documentation of the file.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import BinaryIO, NamedTuple, cast

import numpy as np

from tarnkappe.data.microdata import Microdata
from tarnkappe.errors.files import FormatUnknown

Writer = Callable[[Microdata], bytes]

_WRITERS = {
    "csv": ("write_columns", "csv_bytes"),
    "parquet": ("write_columns", "parquet_bytes"),
    "arrow": ("write_columns", "arrow_bytes"),
    "xlsx": ("write_excel", "excel_bytes"),
    "sav": ("write_statistics", "spss_bytes"),
    "dta": ("write_statistics", "stata_bytes"),
}
FORMATS = tuple(_WRITERS)
"""Formats that can be written; each is also the ending of the file."""


class Empty(NamedTuple):
    """How many cells of a column are empty, and why."""

    missing: int
    suppressed: int


def write(data: Microdata, file: BinaryIO, format: str) -> None:
    """Write the data, sealed, into an open binary file."""
    if format not in _WRITERS:
        raise FormatUnknown(format=format, file=f"data.{format}", known=", ".join(FORMATS))
    module, function = _WRITERS[format]
    writer = cast("Writer", getattr(import_module(f"tarnkappe.io.{module}"), function))
    file.write(writer(data.sealed()))


def states(data: Microdata) -> dict[str, Empty]:
    """For every column, how many cells are missing and how many suppressed."""
    return {
        name: Empty(int(np.count_nonzero(column.missing)), int(np.count_nonzero(column.suppressed)))
        for name, column in data.columns.items()
    }
