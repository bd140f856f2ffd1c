"""Reading Parquet and Arrow files one column after the other: only one is in memory uncoded at a time."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import polars as pl

from tarnkappe.data.column import Column
from tarnkappe.io.coding import column_of, is_text, texts_of
from tarnkappe.io.foreign import unreadable
from tarnkappe.io.options import ReadOptions
from tarnkappe.language import Text

_SLICE = 1_000_000
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
        height = frame.select(pl.len()).collect().item()
        kinds = frame.collect_schema()
        return {name: _column(frame.select(pl.col(name)), kinds[name], height) for name in kinds}


def _column(frame: pl.LazyFrame, kind: pl.DataType, height: int) -> Column:
    """Code the only column. Text, which takes far more memory than its codes, is read in slices."""
    if is_text(kind):
        starts = range(0, max(height, 1), _SLICE)
        return texts_of(frame.slice(start, _SLICE).collect().to_series() for start in starts)
    values = frame.collect().to_series()
    return column_of(values, values.name)
