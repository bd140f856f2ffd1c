"""Tables as files of cells: one row per cell, a column per dimension with codes, the total's code explicit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from tarnkappe.data.column import Bools, Column, Floats, Strings
from tarnkappe.data.hierarchy import Hierarchy
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.pattern import Pattern, Status
from tarnkappe.data.table import TOLERANCE, Contributions, Table
from tarnkappe.errors.tables import CodeUnknown
from tarnkappe.io.options import ReadOptions
from tarnkappe.io.read import read_with
from tarnkappe.vocab import Kind


@dataclass(frozen=True, slots=True)
class CellColumns:
    """Which columns of a cell file hold what."""

    value: str = "value"
    count: str | None = None
    largest: tuple[str, ...] = ()
    """Columns with the largest contributions, largest first."""
    who: tuple[str, ...] = ()
    """Columns with the contributors of these."""
    status: str | None = None
    """Cells with these words are suppressed in a table to be audited; an empty value is suppressed anyway."""
    hidden: tuple[str, ...] = ("suppressed", "x", "primary", "secondary")


@dataclass(frozen=True, slots=True)
class CellFile:
    """A file of cells with its dimensions."""

    path: Path
    by: tuple[str, ...]
    columns: CellColumns = field(default_factory=CellColumns)
    options: ReadOptions = field(default_factory=ReadOptions)


def read_cells(file: CellFile) -> Microdata:
    """The rows of a cell file; codes are read as text."""
    kinds = dict.fromkeys(file.by, Kind.CATEGORY) | dict(file.options.types)
    return read_with(file.path, replace(file.options, types=kinds))


def table_of(
    cells: Microdata,
    hierarchies: Mapping[str, Hierarchy],
    columns: CellColumns,
    name: str,
    tolerance: float = TOLERANCE,
) -> Table:
    """A table from the rows of a cell file; every code must have its place in its hierarchy."""
    nodes = np.stack([_nodes(cells.column(n), h, n) for n, h in hierarchies.items()], axis=1)
    value = cells.numbers([columns.value], name)[:, 0]
    return Table(
        name, tuple(hierarchies.values()), nodes.astype(np.int32), value, _contributions(cells, columns),
        tolerance=tolerance,
    )  # fmt: skip


def _nodes(column: Column, hierarchy: Hierarchy, name: str) -> np.ndarray:
    nodes = hierarchy.positions(column.distinct())[column.true_codes()[0]]
    nodes = np.where(column.observed, nodes, -1)
    unknown = nodes < 0
    if unknown.any():
        raise CodeUnknown(name=name, count=int(unknown.sum()), first=int(np.argmax(unknown)) + 1)
    return nodes


def _contributions(cells: Microdata, columns: CellColumns) -> Contributions | None:
    if columns.count is None:
        return None
    count = np.nan_to_num(cells.numbers([columns.count], "count")[:, 0]).astype(np.int64)
    if not columns.largest:
        return Contributions(count, np.zeros((len(cells), 0)), np.zeros((len(cells), 0), dtype=np.int64))
    largest = np.nan_to_num(cells.numbers(columns.largest, "largest"))
    who = (
        np.stack([cells.column(n).codes()[0] for n in columns.who], axis=1)
        if columns.who
        else np.where(largest != 0, np.arange(largest.size).reshape(largest.shape), -1)
    )
    return Contributions(count, largest, who.astype(np.int64))


PUBLISHED = {
    Status.OPEN: "published", Status.PRIMARY: "suppressed", Status.SECONDARY: "suppressed", Status.ROUNDED: "rounded",
    Status.PERTURBED: "perturbed", Status.RANGE: "range",
}  # fmt: skip
INTERNAL = {
    Status.OPEN: "open", Status.PRIMARY: "primary", Status.SECONDARY: "secondary", Status.ROUNDED: "rounded",
    Status.PERTURBED: "perturbed", Status.RANGE: "range",
}  # fmt: skip


def published(pattern: Pattern) -> Microdata:
    """What is published: codes, value (empty where suppressed), status, and low and high for ranges."""
    shown = pattern.table.value if pattern.shown is None else pattern.shown
    hide = pattern.suppressed | (pattern.status == Status.RANGE)
    columns = _codes(pattern) | {"value": _numbers(shown, hide), "status": _words(pattern, PUBLISHED)}
    if pattern.shown_low is not None and pattern.shown_high is not None:
        keep = pattern.status != Status.RANGE
        columns |= {"low": _numbers(pattern.shown_low, keep), "high": _numbers(pattern.shown_high, keep)}
    return Microdata(columns)


def for_the_office(pattern: Pattern, low: Floats, high: Floats) -> Microdata:
    """Everything about every cell: value, count, status, reason, the attacker's interval, the required protection."""
    table = pattern.table
    none: Bools = np.zeros(len(table), dtype=np.bool_)
    kept = table.contributions
    reasons: Strings = np.array([t.en for t in pattern.reasons], dtype=object)
    columns = _codes(pattern) | {
        "value": _numbers(table.value, none),
        "count": Column.numbers_of(kept.count) if kept else _numbers(np.full(len(table), np.nan), ~none),
        "status": _words(pattern, INTERNAL),
        "reason": Column.texts_of(reasons[pattern.reason].tolist()),
        "low": _numbers(low, ~np.isfinite(low)),
        "high": _numbers(high, ~np.isfinite(high)),
        "required_low": _numbers(pattern.lower, ~pattern.primary),
        "required_high": _numbers(pattern.upper, ~pattern.primary),
    }
    return Microdata(columns)


def _codes(pattern: Pattern) -> dict[str, Column]:
    table = pattern.table
    return {h.name: Column.texts_of(table.codes(j).tolist()) for j, h in enumerate(table.dimensions)}


def _words(pattern: Pattern, words: Mapping[Status, str]) -> Column:
    texts: Strings = np.array([words[Status(s)] for s in range(len(Status))], dtype=object)
    return Column.texts_of(texts[pattern.status].tolist())


def _numbers(values: Floats, empty: Bools) -> Column:
    """Numbers with some cells left empty; whole numbers are written as such."""
    shown = values[~empty]
    whole = bool(
        np.all(np.isfinite(shown)) and np.all(shown == np.rint(shown)) and np.all(np.abs(shown) < 2**53)
    )
    if whole:
        state = np.where(empty, np.uint8(1), np.uint8(0))
        return Column.numbers_of(np.where(empty, 0, values).astype(np.int64), state)
    return Column.numbers_of(np.where(empty, np.nan, values))
