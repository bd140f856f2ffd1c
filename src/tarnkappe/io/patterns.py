"""A table with its suppressions, marks, required protection, prior bounds and costs, as rows of a file of cells.

Beside the columns of a cell file: `status` (open, primary, secondary), `mark` (keep, suppress, published, zero, safe),
`prior_low` and `prior_high` (what an attacker knows beforehand), `prior_percent` (the same in percent of the value to either side),
`required_low` and `required_high` (how far below and above the value his interval must reach), `required_span` (how wide it
must be, wherever it lies) and `cost`. Each of them may be absent, and an empty field says nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from tarnkappe.data.column import Column, Floats, Ints
from tarnkappe.data.hierarchy import Hierarchy
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.pattern import Codes, Mark, Pattern, Status
from tarnkappe.data.table import TOLERANCE, Contributions, Table
from tarnkappe.errors.files import NameNotWritable
from tarnkappe.errors.table_files import ProtectionNegative, StatusUnknown
from tarnkappe.errors.tables import BoundsWrong, NotExact
from tarnkappe.io.cells import INTERNAL, CellColumns, nodes_of, numbers_or_empty, table_of
from tarnkappe.io.marks import MARK, WORDS, mark_codes
from tarnkappe.language import NOTHING, Text, listed

Number = TypeVar("Number", np.uint8, np.float64)

PRIOR = ("prior_low", "prior_high")
PERCENT = "prior_percent"
REQUIRED = ("required_low", "required_high", "required_span")
COST = "cost"
STATUS = "status"
STATUSES = {
    "": Status.OPEN, "open": Status.OPEN, "published": Status.OPEN, "s": Status.OPEN, "safe": Status.OPEN, "p": Status.OPEN,
    "z": Status.OPEN, "e": Status.OPEN, "primary": Status.PRIMARY, "u": Status.PRIMARY, "suppressed": Status.PRIMARY,
    "x": Status.PRIMARY, "secondary": Status.SECONDARY, "m": Status.SECONDARY,
}  # fmt: skip
"""Words of the status of a cell. Where it is not said which kind of suppression it is, the stricter one is assumed."""
_TAKEN = Text(
    "a dimension has the name of a part of a cell.", "eine Dimension heißt wie ein Teil einer Zelle."
)
KEPT = ("p", "z")
CHANGED = ("rounded", "perturbed", "range")
REASONS = (
    NOTHING,
    Text("marked as sensitive in the file", "in der Datei als schutzbedürftig gekennzeichnet"),
    Text("suppressed in the file to protect others", "in der Datei zum Schutz anderer gesperrt"),
)


@dataclass(frozen=True, slots=True)
class Said:
    """What a file says of its cells beside their values, in the order of its rows; NaN where it says nothing."""

    nodes: NDArray[np.int32]
    status: Codes
    mark: Codes
    lower: Floats
    upper: Floats
    low: Floats
    high: Floats
    cost: Floats | None = None
    span: Floats | None = None


def patterned(table: Table, said: Said) -> Pattern:
    """The table with what its file says of the cells."""
    place = table.find(said.nodes)
    start = Pattern(table)
    status, mark = _placed(start.status, place, said.status), _placed(start.mark, place, said.mark)
    said_of = partial(_placed, np.full(len(table), np.nan), place)
    nothing = np.full(len(said.nodes), np.nan)
    pattern = Pattern(
        table, status=status, mark=mark, reason=status.astype(np.int32), reasons=REASONS,
        lower=_required(said_of(said.lower)), upper=_required(said_of(said.upper)),
        span=_required(said_of(nothing if said.span is None else said.span)),
        low=_or(said_of(said.low), start.low), high=_or(said_of(said.high), start.high),
        cost=None if said.cost is None else _or(said_of(said.cost), np.abs(table.value)),
    )  # fmt: skip
    _refuse(pattern)
    return pattern


def _placed(usual: NDArray[Number], place: Ints, given: NDArray[Number]) -> NDArray[Number]:
    """What a file says of its cells; sums that it does not have are as usual."""
    out = usual.copy()
    out[place] = given
    return out


def _required(given: Floats) -> Floats:
    return np.nan_to_num(given, posinf=np.inf)


def _or(given: Floats, otherwise: Floats) -> Floats:
    return np.where(np.isnan(given), otherwise, given)


def _refuse(pattern: Pattern) -> None:
    table, value = pattern.table, pattern.table.value
    cost = np.zeros(len(table)) if pattern.cost is None else pattern.cost
    required = np.stack([pattern.lower, pattern.upper, pattern.span, cost])
    negative = np.flatnonzero(((required < 0) | ~np.isfinite(required)).any(axis=0))
    if len(negative):
        cells = listed([table.spelt(int(cell)) for cell in negative])
        raise ProtectionNegative(name=table.name, count=len(negative), cells=cells)
    outside = np.flatnonzero(
        (value < pattern.low) | (value > pattern.high) | ((pattern.mark == Mark.ZERO) & (value != 0))
    )
    if len(outside):
        raise BoundsWrong(
            name=table.name, count=len(outside), cells=listed([table.spelt(int(c)) for c in outside])
        )


# -- files of cells -----------------------------------------------------------------------------------------


def pattern_of(
    cells: Microdata,
    hierarchies: Mapping[str, Hierarchy],
    columns: CellColumns,
    name: str,
    tolerance: float = TOLERANCE,
) -> Pattern:
    """A table with all that its rows say; a column that is a dimension or holds values says nothing else."""
    table = table_of(cells, hierarchies, columns, name, tolerance)
    other = {*hierarchies, *columns.named}
    status = columns.status or ("" if STATUS in other else STATUS)
    words = _words(cells, status, required=columns.status is not None)
    marked = MARK in cells.columns and MARK not in other
    marks = mark_codes(cells, name) if marked else np.zeros(len(cells), dtype=np.uint8)
    kept = np.isin(words, KEPT) & (marks == Mark.NONE)
    lower, upper, span, low, high, within, costs = (
        _numbers(cells, "" if column in other else column) for column in (*REQUIRED, *PRIOR, PERCENT, COST)
    )
    value = cells.numbers([columns.value], name)[:, 0]
    low, high = (
        np.fmax(low, value - np.abs(value) * within / 100),
        np.fmin(high, value + np.abs(value) * within / 100),
    )
    return patterned(table, Said(
        nodes_of(cells, hierarchies), _statuses(words, name), np.where(kept, np.uint8(Mark.KEEP), marks),
        lower, upper, low, high, None if np.isnan(costs).all() else costs, span,
    ))  # fmt: skip


def _words(cells: Microdata, column: str, *, required: bool) -> NDArray[np.str_]:
    if not required and column not in cells.columns:
        return np.full(len(cells), "")
    return np.array([str(text or "").strip().lower() for text in cells.column(column).texts()])


def _statuses(words: NDArray[np.str_], name: str) -> Codes:
    changed = np.isin(words, CHANGED)
    if changed.any():
        raise NotExact(name=name, count=int(changed.sum()))
    unknown = ~np.isin(words, list(STATUSES))
    if unknown.any():
        raise StatusUnknown(name=name, count=int(unknown.sum()), first=int(np.argmax(unknown)) + 1)
    return np.array([STATUSES[str(word)] for word in words], dtype=np.uint8)


def _numbers(cells: Microdata, column: str) -> Floats:
    if column not in cells.columns or not cells.column(column).observed.any():  # an empty column has no kind
        return np.full(len(cells), np.nan)
    return cells.numbers([column], column)[:, 0]


def rows_of(pattern: Pattern) -> Microdata:
    """Everything about every cell that a file of cells can hold; contributors are numbered, owners are left out."""
    table = pattern.table
    codes = {h.name: Column.texts_of(table.codes(j).tolist()) for j, h in enumerate(table.dimensions)}
    said = _values(table) | _said(pattern)
    for name in said.keys() & codes.keys():
        raise NameNotWritable(format=Text("table", "Tabelle"), name=name, why=_TAKEN)
    return Microdata(codes | said)


def whose_known(kept: Contributions) -> bool:
    """Is it told whose the largest contributions are? A file that does not tell it has another number at each of them."""
    numbers = kept.who[kept.who >= 0]
    return len(np.unique(numbers)) < len(numbers)


def _values(table: Table) -> dict[str, Column]:
    none = np.zeros(len(table), dtype=np.bool_)
    out = {"value": numbers_or_empty(table.value, none)}
    kept = table.contributions
    if kept is not None:
        out["count"] = Column.numbers_of(kept.count)
        for i in range(kept.largest.shape[1]):
            out[f"largest_{i + 1}"] = numbers_or_empty(kept.largest[:, i], kept.count <= i)
        for i in range(kept.who.shape[1] if whose_known(kept) else 0):
            out[f"who_{i + 1}"] = numbers_or_empty(kept.who[:, i].astype(np.float64), kept.who[:, i] < 0)
        if kept.size is not None:
            out["size"] = numbers_or_empty(kept.size, none)
    return out


def _said(pattern: Pattern) -> dict[str, Column]:
    table = pattern.table
    marks = {int(mark): word for word, mark in WORDS.items()}
    out = {STATUS: Column.texts_of([INTERNAL[Status(s)] for s in pattern.status.tolist()])}
    if pattern.mark.any():
        out[MARK] = Column.texts_of([marks.get(m) for m in pattern.mark.tolist()])
    for name, bounds, usual in zip(
        PRIOR, (pattern.low, pattern.high), (Pattern(table).low, np.inf), strict=True
    ):
        if (bounds != usual).any():
            out[name] = numbers_or_empty(bounds, ~np.isfinite(bounds))
    for name, wide in zip(REQUIRED, (pattern.lower, pattern.upper, pattern.span), strict=True):
        if wide.any():
            out[name] = numbers_or_empty(wide, ~pattern.hidden)
    if pattern.cost is not None:
        out[COST] = numbers_or_empty(pattern.cost, ~np.isfinite(pattern.cost))
    return out
