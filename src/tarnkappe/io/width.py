"""How many columns a file has, told before it is read."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import polars as pl

from tarnkappe.errors import TarnkappeError
from tarnkappe.io.encoding import as_utf8
from tarnkappe.io.first_lines import HEAD, is_text
from tarnkappe.io.lines import shape, uses_quotes
from tarnkappe.io.options import ReadOptions
from tarnkappe.io.sniffing import separator_of

_SCHEMAS: dict[str, Callable[[Path], pl.Schema | dict[str, pl.DataType]]] = {
    ".parquet": pl.read_parquet_schema,
    ".arrow": pl.read_ipc_schema,
    ".feather": pl.read_ipc_schema,
    ".ipc": pl.read_ipc_schema,
}


def width_of(path: Path, options: ReadOptions) -> int:
    """Columns of a file; 0 where only reading it tells, or where reading will tell what is wrong with it."""
    try:
        if is_text(path.name):
            return _fields(path, options)
        known = _SCHEMAS.get(path.suffix.lower())
        return len(known(path)) if known else 0
    except (TarnkappeError, OSError, pl.exceptions.PolarsError, pl.exceptions.PanicException):
        return 0


def _fields(path: Path, options: ReadOptions) -> int:
    """Fields of the first line, or of so much of it as is looked at."""
    with path.open("rb") as file:
        raw = file.read(HEAD)
    first = as_utf8(raw, options.encoding, str(path)).split(b"\n", 1)[0]
    sign = ord(options.separator or separator_of(first, ","))
    return shape(first, sign, quoted=uses_quotes(first, sign)).fields if first else 0
