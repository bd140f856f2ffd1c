"""Tables as files of cells: one row per cell, a column per dimension with codes, the total's code explicit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from tarnkappe.data.column import Bools, Column, Floats, Ints, Strings
from tarnkappe.data.hierarchy import Hierarchy
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.pattern import Pattern, Status
from tarnkappe.data.table import TOLERANCE, Contributions, Nodes, Table
from tarnkappe.errors.tables import (
    CodeUnknown,
    ContributionsExceed,
    ContributorsMisfit,
    CountWrong,
    LargestMissing,
)
from tarnkappe.io.computed_totals import Rows, with_sums
from tarnkappe.io.defusing import harmless
from tarnkappe.io.options import ReadOptions
from tarnkappe.io.read import read_with
from tarnkappe.vocab import Kind


@dataclass(frozen=True, slots=True)
class CellColumns:
    """Which columns of a cell file hold what."""

    value: str = "value"
    """The same column as `count` in a table that counts units."""
    count: str | None = None
    largest: tuple[str, ...] = ()
    """Columns with the largest contributions, largest first."""
    who: tuple[str, ...] = ()
    """Columns with the contributors of these."""
    size: str | None = None
    """Column with the sum of all contributions without their signs, where some are negative."""
    owner_count: str | None = None
    owner_largest: tuple[str, ...] = ()
    owner_who: tuple[str, ...] = ()
    """The same by owner, where several contributors belong together."""
    status: str | None = None
    """Column of the status; `status` where there is one."""

    @property
    def named(self) -> frozenset[str]:
        """Columns with a meaning of their own."""
        one = (self.value, self.count, self.size, self.owner_count)
        several = (*self.largest, *self.who, *self.owner_largest, *self.owner_who)
        return frozenset(name for name in (*one, *several) if name is not None)

    @property
    def codes(self) -> tuple[str, ...]:
        """Columns that are read as text."""
        return (*self.who, *self.owner_who)


@dataclass(frozen=True, slots=True)
class CellFile:
    """A file of cells with its dimensions."""

    path: Path
    by: tuple[str, ...]
    columns: CellColumns = field(default_factory=CellColumns)
    options: ReadOptions = field(default_factory=ReadOptions)


def read_cells(file: CellFile) -> Microdata:
    """The rows of a cell file; codes are read as text."""
    kinds = dict.fromkeys((*file.by, *file.columns.codes), Kind.CATEGORY) | dict(file.options.types)
    read = read_with(file.path, replace(file.options, types=kinds))
    return read.empty_as(dict.fromkeys((n for n in read.names if n not in kinds), Kind.NUMBER))


def table_of(
    cells: Microdata,
    hierarchies: Mapping[str, Hierarchy],
    columns: CellColumns,
    name: str,
    tolerance: float = TOLERANCE,
) -> Table:
    """A table from the rows of a cell file; every code must have its place in its hierarchy. Sums that it lacks are computed."""
    value = cells.numbers([columns.value], name)[:, 0]
    counts = columns.value == columns.count
    if counts:
        _whole(cells, columns.value, name)
    kept = _Kept(cells, name, value, tolerance)
    trees = tuple(hierarchies.values())
    rows = with_sums(
        Rows(nodes_of(cells, hierarchies), value, kept.contributions(columns), kept.owners(columns)), trees
    )
    return Table(
        name, trees, rows.nodes, rows.value, rows.contributions, rows.owners,
        counts=counts, tolerance=tolerance, measure="" if counts else columns.value, computed=rows.computed,
    )  # fmt: skip


def nodes_of(cells: Microdata, hierarchies: Mapping[str, Hierarchy]) -> Nodes:
    """The position of every cell along each dimension; a code that a hierarchy does not know is refused."""
    return np.stack([_nodes(cells.column(n), h, n) for n, h in hierarchies.items()], axis=1).astype(np.int32)


def _nodes(column: Column, hierarchy: Hierarchy, name: str) -> Ints:
    codes = column.distinct()
    places = hierarchy.positions(codes)
    written = {code: place for place, code in enumerate(harmless(hierarchy.codes))}  # as we write formulas
    defused = np.array([written.get(str(code), -1) for code in codes], np.int64)
    places = np.append(np.where(places < 0, defused, places), -1)
    nodes = np.where(column.observed, places[column.true_codes()[0]], -1)
    unknown = nodes < 0
    if unknown.any():
        raise CodeUnknown(name=name, count=int(unknown.sum()), first=int(np.argmax(unknown)) + 1)
    return nodes


def _whole(cells: Microdata, column: str, name: str) -> Ints:
    """Numbers of contributors; a missing one is not 0."""
    count = cells.numbers([column], name)[:, 0]
    wrong = ~(count == np.rint(count)) | (np.abs(count) >= 2**53)
    if wrong.any():
        raise CountWrong(name=column, count=int(wrong.sum()), first=int(np.argmax(wrong)) + 1)
    return count.astype(np.int64)


class _Kept:
    """Reads what a cell file tells of the contributions."""

    def __init__(self, cells: Microdata, name: str, value: Floats, tolerance: float) -> None:
        self.cells, self.name, self.value, self.tolerance = cells, name, value, tolerance

    def contributions(self, columns: CellColumns) -> Contributions | None:
        if columns.count is None and not columns.largest:
            return None
        return self._kept(columns.count, columns.largest, columns.who, self._size(columns))

    def owners(self, columns: CellColumns) -> Contributions | None:
        if columns.owner_count is None and not columns.owner_largest:
            return None
        return self._kept(columns.owner_count, columns.owner_largest, columns.owner_who, self._size(columns))

    def _size(self, columns: CellColumns) -> Floats | None:
        return None if columns.size is None else np.abs(self.cells.numbers([columns.size], self.name)[:, 0])

    def _kept(
        self, counted: str | None, named: tuple[str, ...], whose: tuple[str, ...], size: Floats | None
    ) -> Contributions:
        if counted is None or (whose and len(whose) != len(named)):
            raise ContributorsMisfit(name=self.name, largest=len(named), who=len(whose))
        count = _whole(self.cells, counted, self.name)
        largest = self._largest(named, count)
        who = self._who(whose) if whose else np.arange(largest.size).reshape(largest.shape)
        who = np.where(largest != 0, who, -1)
        self._refuse_excess(largest, size)
        order = np.argsort(-np.abs(largest), axis=1, kind="stable")
        return Contributions(
            count,
            np.take_along_axis(largest, order, 1),
            np.take_along_axis(who, order, 1).astype(np.int64),
            size,
        )

    def _largest(self, named: tuple[str, ...], count: Ints) -> Floats:
        """0 where there are fewer contributors; one that is there must be told."""
        largest = self.cells.numbers(named, self.name)
        lacking = (np.isnan(largest) & (np.arange(len(named)) < count[:, None])).any(axis=1)
        if lacking.any():
            raise LargestMissing(name=self.name, count=int(lacking.sum()), first=int(np.argmax(lacking)) + 1)
        return np.nan_to_num(largest)

    def _who(self, columns: tuple[str, ...]) -> Ints:
        """One contributor has one number, whatever column he stands in; -1 where nobody is named."""
        texts = np.stack([self.cells.column(n).texts() for n in columns], axis=1)
        there = np.array([text is not None for text in texts.ravel()], dtype=np.bool_).reshape(texts.shape)
        numbers = np.full(texts.shape, -1, dtype=np.int64)
        numbers[there] = np.unique(texts[there].astype(str), return_inverse=True)[1]
        return numbers

    def _refuse_excess(self, largest: Floats, size: Floats | None) -> None:
        """Contributions make up the cell, or with their signs left out its size."""
        most = self.value if size is None else size
        slack = max(self.tolerance, TOLERANCE) * np.maximum(np.abs(most), 1.0)
        parts = largest if size is None else np.abs(largest)
        wrong = ~(parts.sum(axis=1) <= most + slack) | (parts < 0).any(axis=1)
        wrong &= ~np.isnan(self.value)  # a cell without a value is told as such
        if largest.shape[1] and wrong.any():
            raise ContributionsExceed(name=self.name, count=int(wrong.sum()), first=int(np.argmax(wrong)) + 1)


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
    columns = _codes(pattern) | {"value": numbers_or_empty(shown, hide), "status": _words(pattern, PUBLISHED)}
    if pattern.shown_low is not None and pattern.shown_high is not None:
        keep = pattern.status != Status.RANGE
        columns |= {
            "low": numbers_or_empty(pattern.shown_low, keep),
            "high": numbers_or_empty(pattern.shown_high, keep),
        }
    return Microdata(columns)


NOT_PUBLIC = "internal_not_for_publication"
"""The last column of a table for the office: its first line says what it is, and every program can still read it."""


EXACT, PROVEN = "exact", "proven bound"
"""What the interval of a hidden cell is: the attacker's, or a part of it, so that the attacker's is at least as wide."""


def for_the_office(pattern: Pattern, low: Floats, high: Floats, exact: Bools | None = None) -> Microdata:
    """Everything about every cell: value, count, status, reason, the attacker's interval, the required protection.

    The interval is an outsider's. Where `exact` says so it is known to its ends, elsewhere it is at least so wide.
    """
    table = pattern.table
    none: Bools = np.zeros(len(table), dtype=np.bool_)
    kept = table.contributions
    sure = np.where(~none if exact is None else exact, EXACT, PROVEN)
    reasons: Strings = np.array([t.en for t in pattern.reasons], dtype=object)
    columns = _codes(pattern) | {
        "value": numbers_or_empty(table.value, none),
        "count": Column.numbers_of(kept.count)
        if kept
        else numbers_or_empty(np.full(len(table), np.nan), ~none),
        "status": _words(pattern, INTERNAL),
        "reason": Column.texts_of(reasons[pattern.reason].tolist()),
        "low": numbers_or_empty(low, ~np.isfinite(low)),
        "high": numbers_or_empty(high, ~np.isfinite(high)),
        "interval": Column.texts_of(np.where(pattern.hidden, sure, "").tolist()),
        "required_low": numbers_or_empty(pattern.lower, ~pattern.primary),
        "required_high": numbers_or_empty(pattern.upper, ~pattern.primary),
        NOT_PUBLIC: Column.texts_of(["yes"] * len(table)),
    }
    if pattern.span[pattern.primary].any():
        columns["required_span"] = numbers_or_empty(pattern.span, ~pattern.primary)
    return Microdata(columns)


def _codes(pattern: Pattern) -> dict[str, Column]:
    table = pattern.table
    return {h.name: Column.texts_of(table.codes(j).tolist()) for j, h in enumerate(table.dimensions)}


def _words(pattern: Pattern, words: Mapping[Status, str]) -> Column:
    texts: Strings = np.array([words[Status(s)] for s in range(len(Status))], dtype=object)
    return Column.texts_of(texts[pattern.status].tolist())


def numbers_or_empty(values: Floats, empty: Bools) -> Column:
    """Numbers with some cells left empty; whole numbers are written as such."""
    shown = values[~empty]
    whole = bool(
        np.all(np.isfinite(shown)) and np.all(shown == np.rint(shown)) and np.all(np.abs(shown) < 2**53)
    )
    if whole:
        state = np.where(empty, np.uint8(1), np.uint8(0))
        return Column.numbers_of(np.where(empty, 0, values).astype(np.int64), state)
    return Column.numbers_of(np.where(empty, np.nan, values))
