"""Reading Parquet and Arrow files one column after the other: only one is in memory uncoded at a time."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import polars as pl

from tarnkappe.data.column import Column
from tarnkappe.io.coding import column_of
from tarnkappe.io.foreign import unreadable
from tarnkappe.io.options import ReadOptions
from tarnkappe.language import Text

_PARQUET = Text(
    "it is not a Parquet file, or it is damaged.", "es ist keine Parquet-Datei, oder sie ist beschädigt."
)
_ARROW = Text(
    "it is not an Arrow file, or it is damaged.", "es ist keine Arrow-Datei, oder sie ist beschädigt."
)


def read_parquet(path: Path, _options: ReadOptions) -> dict[str, Column]:
    """The columns of a Parquet file."""
    return _columns(path, pl.scan_parquet, _PARQUET)


def read_arrow(path: Path, _options: ReadOptions) -> dict[str, Column]:
    """The columns of an Arrow (IPC, Feather) file."""
    return _columns(path, pl.scan_ipc, _ARROW)


def _columns(path: Path, scan: Callable[..., pl.LazyFrame], why: Text) -> dict[str, Column]:
    with unreadable(path, why):
        frame = scan(path, glob=False)
        names = frame.collect_schema().names()
        return {name: column_of(frame.select(pl.col(name)).collect().to_series(), name) for name in names}
