"""What the table of the last period hid: read from its release, from a file of cells with a status, or from a `.hst` file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from tarnkappe.data.column import Bools
from tarnkappe.data.last_period import hidden_again
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.pattern import Mark, Pattern
from tarnkappe.data.table import Table
from tarnkappe.errors.table_files import StatusMissing
from tarnkappe.io.argus_history import read_history
from tarnkappe.io.cells import CellFile, read_cells
from tarnkappe.io.marks import AGAIN, mark_codes
from tarnkappe.io.options import ReadOptions
from tarnkappe.io.published import HIDDEN, RANGE, STATUS


def with_last(pattern: Pattern, path: Path, cost: float, encoding: str | None = None) -> Pattern:
    """The table where hiding again what a file of the last period hides costs only a share of the usual.

    Codes and cells that the table does not have any more say nothing.
    """
    names = [h.name for h in pattern.table.dimensions]
    rows, hidden = _hidden(path, names, encoding)
    cells = _cells(pattern.table, rows)
    again: Bools = np.zeros(len(pattern.table), dtype=np.bool_)
    again[cells[hidden & (cells >= 0)]] = True
    return hidden_again(pattern, again, cost)


def _hidden(path: Path, by: Sequence[str], encoding: str | None) -> tuple[Microdata, Bools]:
    """The rows of the file, and which of them were hidden."""
    if path.suffix.lower() == ".hst":
        rows = read_history(path, by)
        asked = mark_codes(rows, path.stem) == Mark.SUPPRESS
        return rows, asked | (~np.isnan(rows.column(AGAIN).numbers()) if AGAIN in rows.columns else False)
    rows = read_cells(CellFile(path, tuple(by), options=ReadOptions(encoding=encoding)))
    if STATUS not in rows.columns:
        raise StatusMissing(file=path.name)
    words = [str(text or "").strip().lower() for text in rows.column(STATUS).texts()]
    return rows, np.isin(words, [*HIDDEN, RANGE])


def _cells(table: Table, rows: Microdata) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """The cell of every row; -1 where the table has none."""
    codes = [rows.column(h.name).texts() for h in table.dimensions]
    nodes = np.stack(
        [
            h.positions([str(code or "") for code in own])
            for h, own in zip(table.dimensions, codes, strict=True)
        ],
        axis=1,
    )
    found = np.full(len(rows), -1, dtype=np.int64)
    known = (nodes >= 0).all(axis=1)
    found[known] = table.find(nodes[known].astype(np.int32))
    return found
