"""Reading Parquet and Arrow files one column after the other: only one is in memory uncoded at a time."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import polars as pl

from tarnkappe.data.column import Column
from tarnkappe.io.coding import column_of, is_text, texts_of
from tarnkappe.io.foreign import unreadable
from tarnkappe.io.memory import of_cells, refuse_bomb
from tarnkappe.io.options import ReadOptions
from tarnkappe.io.parquet_footer import unpacked_size
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
    with unreadable(path, _PARQUET):
        refuse_bomb(path, unpacked_size(path))
    return _columns(path, pl.scan_parquet, _PARQUET)


def read_arrow(path: Path, _options: ReadOptions) -> dict[str, Column]:
    """The columns of an Arrow (IPC, Feather) file."""
    return _columns(path, pl.scan_ipc, _ARROW)


def _columns(path: Path, scan: Callable[..., pl.LazyFrame], why: Text) -> dict[str, Column]:
    def read(wanted: pl.Expr, start: int = 0, length: int | None = None) -> pl.Series:
        with unreadable(path, why):
            return scan(path, glob=False).select(wanted).slice(start, length).collect().to_series()

    with unreadable(path, why):
        kinds = scan(path, glob=False).collect_schema()
    height = read(pl.len()).item()
    refuse_bomb(path, of_cells(height, len(kinds)))
    return {name: _column(name, kind, height, read) for name, kind in kinds.items()}


def _column(name: str, kind: pl.DataType, height: int, read: Callable[..., pl.Series]) -> Column:
    """Code one column. Text, which takes far more memory than its codes, is read in slices."""
    wanted = pl.col(name)
    if is_text(kind):
        return texts_of(read(wanted, start, _SLICE) for start in range(0, max(height, 1), _SLICE))
    return column_of(read(wanted), name)
