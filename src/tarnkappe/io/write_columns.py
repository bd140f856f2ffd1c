"""Writing CSV, Parquet and Arrow."""

from __future__ import annotations

from io import BytesIO

import polars as pl

from tarnkappe.data.microdata import Microdata
from tarnkappe.io.defusing import defused
from tarnkappe.io.series import frame_of

_ROWS_PER_GROUP = 1 << 18


def csv_bytes(data: Microdata) -> bytes:
    """UTF-8, comma, point, ISO dates. An empty text is ``""``, an empty cell is nothing."""
    buffer = BytesIO()
    defused(frame_of(data)).write_csv(buffer)
    return buffer.getvalue()


def parquet_bytes(data: Microdata) -> bytes:
    """Text is written as text; the file carries nothing but the columns."""
    buffer = BytesIO()
    frame_of(data).write_parquet(
        buffer, compression="zstd", compression_level=3, row_group_size=_ROWS_PER_GROUP
    )
    return buffer.getvalue()


def arrow_bytes(data: Microdata) -> bytes:
    """The Arrow IPC file format (Feather 2), with types that every reader knows."""
    buffer = BytesIO()
    frame_of(data).write_ipc(buffer, compression="zstd", compat_level=pl.CompatLevel.oldest())
    return buffer.getvalue()
