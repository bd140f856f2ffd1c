"""Files of marks: what an office has decided about cells beforehand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from tarnkappe.data.column import Bools, Floats, Ints
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.pattern import Codes, Mark, Pattern, Sensitivity, Status
from tarnkappe.errors.tables import BoundsWrong, CellTwice, MarkedCellsMissing, MarkUnknown
from tarnkappe.io.argus_history import read_history
from tarnkappe.io.cells import CellFile, nodes_of, read_cells
from tarnkappe.io.options import ReadOptions
from tarnkappe.language import Text, listed

MARK = "mark"
BOUNDS = ("low", "high")
REQUIRED = ("required_low", "required_high", "required_span")
COST = "cost"
AGAIN = "again"
WORDS = {mark.name.lower(): mark for mark in Mark if mark is not Mark.NONE}
BECAUSE = Text("suppressed because the office asks for it", "auf Wunsch der Stelle gesperrt")


def read_marks(path: Path, by: Sequence[str], encoding: str | None = None) -> Microdata:
    """The rows of a file of marks: the codes of a cell and any of mark, low, high, required_low, required_high, required_span, cost, again.

    An a-priori file of τ-ARGUS (`.hst`) says the same in its own words.
    """
    if path.suffix.lower() == ".hst":
        return read_history(path, by)
    return read_cells(CellFile(path, tuple(by), options=ReadOptions(encoding=encoding)))


def with_marks(pattern: Pattern, marks: Microdata) -> Pattern:
    """The table with its marks. An empty field says nothing; a cell without a cost keeps its size as cost."""
    cells = _cells(pattern, marks)
    marked = replace(
        pattern,
        mark=_placed(pattern.mark, cells, mark_codes(marks, pattern.table.name)),
        low=_filled(pattern.low, cells, marks, BOUNDS[0]),
        high=_filled(pattern.high, cells, marks, BOUNDS[1]),
        lower=_filled(pattern.lower, cells, marks, REQUIRED[0]),
        upper=_filled(pattern.upper, cells, marks, REQUIRED[1]),
        span=_filled(pattern.span, cells, marks, REQUIRED[2]),
        cost=_filled(np.abs(pattern.table.value), cells, marks, COST)
        if COST in marks.columns
        else pattern.cost,
        again=_filled(
            np.ones(len(pattern.table)) if pattern.again is None else pattern.again, cells, marks, AGAIN
        )
        if AGAIN in marks.columns
        else pattern.again,
    )
    _refuse_contradictions(marked)
    overruled = (marked.mark == Mark.SAFE) & marked.primary
    marked = replace(marked, status=np.where(overruled, np.uint8(Status.OPEN), marked.status))
    asked: Bools = np.asarray(marked.mark == Mark.SUPPRESS)
    nothing = np.zeros(len(asked))
    return marked.marked(Sensitivity(asked, nothing, nothing, BECAUSE)) if asked.any() else marked


def _cells(pattern: Pattern, marks: Microdata) -> Ints:
    """The cell of every row; each cell once, and none that the table does not have."""
    table = pattern.table
    nodes = nodes_of(marks, {h.name: h for h in table.dimensions})
    cells = table.find(nodes)
    missing = nodes[cells < 0]
    if len(missing):
        spelt = [
            " × ".join(str(h.codes[n]) for h, n in zip(table.dimensions, row, strict=True)) for row in missing
        ]
        raise MarkedCellsMissing(name=table.name, count=len(missing), cells=listed(spelt))
    found, times = np.unique(cells, return_counts=True)
    twice = found[times > 1]
    if len(twice):
        raise CellTwice(name=table.name, count=len(twice), cell=table.spelt(int(twice[0])))
    return cells


def mark_codes(marks: Microdata, table: str) -> Codes:
    """The mark of every row; none where the column is empty or not there."""
    if MARK not in marks.columns:
        return np.zeros(len(marks), dtype=np.uint8)
    words = [None if text is None else str(text).strip().lower() for text in marks.column(MARK).texts()]
    wrong = [row for row, word in enumerate(words, start=1) if word and word not in WORDS]
    if wrong:
        raise MarkUnknown(name=table, count=len(wrong), first=wrong[0])
    return np.array([WORDS[word] if word else Mark.NONE for word in words], dtype=np.uint8)


def _placed(old: Codes, cells: Ints, new: Codes) -> Codes:
    out = old.copy()
    out[cells[new != Mark.NONE]] = new[new != Mark.NONE]
    return out


def _filled(old: Floats, cells: Ints, marks: Microdata, column: str) -> Floats:
    """The numbers of a column at their cells; where it is empty or not there, the old ones stay."""
    out = old.copy()
    if column in marks.columns:
        given = marks.numbers([column], column)[:, 0]
        told = ~np.isnan(given)
        out[cells[told]] = given[told]
    return out


def _refuse_contradictions(pattern: Pattern) -> None:
    value = pattern.table.value
    wrong = (value < pattern.low) | (value > pattern.high) | ((pattern.mark == Mark.ZERO) & (value != 0))
    for sizes in (pattern.lower, pattern.upper, pattern.span, pattern.cost, pattern.again):
        if sizes is not None:
            wrong |= ~(sizes >= 0)
    cells = np.flatnonzero(wrong)
    if len(cells):
        spelt = listed([pattern.table.spelt(int(cell)) for cell in cells])
        raise BoundsWrong(name=pattern.table.name, count=len(cells), cells=spelt)
