"""A first look at a file: how it was read, its columns, what is missing, how values are distributed, some records."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tarnkappe.data.column import Column, Floats
from tarnkappe.data.hierarchy import TOTAL
from tarnkappe.data.microdata import Microdata
from tarnkappe.errors import TarnkappeError
from tarnkappe.errors.studio import TooManyColumns
from tarnkappe.io.encoding import decoded
from tarnkappe.io.first_lines import Signs, is_text, of_head, signs_of, write_head
from tarnkappe.io.options import ReadOptions
from tarnkappe.io.paths import inside
from tarnkappe.io.read import read_with
from tarnkappe.io.read_excel import sheet_names
from tarnkappe.io.width import width_of
from tarnkappe.language import Text
from tarnkappe.plan.model import DataDescription
from tarnkappe.plan.naming import topic_of
from tarnkappe.plan.profile import ColumnProfile, profile
from tarnkappe.plan.progress import Progress
from tarnkappe.plan.propose import are_cells
from tarnkappe.plan.words import COUNT
from tarnkappe.spec.parameters import fit_or_raise
from tarnkappe.studio.desk import Desk
from tarnkappe.vocab import Kind

SHOWN = 50
"""Records that are shown."""
WIDEST = 3_000
"""Columns that are taken; each is looked at, proposed a role for and listed."""
BARS = 24
"""Bars of a small distribution."""
_FAR = 3.0
"""How many times as wide as its inner part a range is before the outer classes are open."""
_READING = Text("reading {file}", "{file} wird gelesen")
_COLUMN = Text("looking at the columns", "die Spalten werden angesehen")
_TIMES = (Kind.DATE, Kind.DATETIME)


@dataclass(frozen=True, slots=True)
class Bars:
    """A distribution: counts in classes, or of the most frequent categories."""

    labels: tuple[str, ...]
    """Categories; of classes their limits, one more than there are classes."""
    counts: tuple[int, ...]
    others: int
    """Records in categories that are not shown."""

    @property
    def classes(self) -> bool:
        return len(self.labels) > len(self.counts)


@dataclass(frozen=True, slots=True)
class Look:
    """What a person sees of a file after it was opened."""

    records: int
    profiles: tuple[ColumnProfile, ...]
    bars: Mapping[str, Bars]
    head: tuple[tuple[str | None, ...], ...]
    """The first records, as text; None is missing."""
    size: int
    """Bytes of the file."""
    signs: Signs | None
    """How a text file was split."""
    encoding: str | None
    """What a text file was encoded in."""
    sheets: tuple[str, ...]
    """Sheets of an Excel file."""
    cells: bool
    """It looks like a table, one record per cell."""

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.profiles)

    @property
    def codes(self) -> tuple[str, ...]:
        """Columns that could be dimensions of a table."""
        return tuple(p.name for p in self.profiles if not p.kind.is_number)

    @property
    def numbers(self) -> tuple[str, ...]:
        return tuple(p.name for p in self.profiles if p.kind.is_number)


@dataclass(frozen=True, slots=True)
class First:
    """The first records of a large file, before it is read whole."""

    names: tuple[str, ...]
    head: tuple[tuple[str | None, ...], ...]


def look(desk: Desk, progress: Progress, folder: Path, data: Mapping[str, Any], scratch: Path) -> Look:
    """Look at the file that the part `data` of a plan describes; `scratch` is a private folder."""
    described = fit_or_raise(DataDescription, data, "data")
    file = inside(folder, described.file)
    progress.expect_also(1)
    progress.next(_READING.filled(file=file.name))
    _refuse_wide(width_of(file, described.options))
    found = desk.read(folder, described.file, described.options)
    _refuse_wide(len(found.names))
    progress.expect_also(len(found.names))
    profiles: list[ColumnProfile] = []
    drawn: dict[str, Bars] = {}
    for name, column in found.columns.items():
        progress.next(_COLUMN)
        profiles += profile(Microdata({name: column}))
        drawn[name] = bars(column)
    return Look(
        records=len(found), profiles=tuple(profiles), bars=drawn, head=head_of(found), size=file.stat().st_size,
        signs=_signs(file, described.options, scratch) if is_text(file.name) else None,
        encoding=decoded(file.read_bytes(), described.encoding, file.name)[1] if is_text(file.name) else None,
        sheets=sheet_names(file) if file.suffix.lower() == ".xlsx" else (), cells=_looks_like_cells(found),
    )  # fmt: skip


def _refuse_wide(columns: int) -> None:
    if columns > WIDEST:
        raise TooManyColumns(found=columns, most=WIDEST)


def first(desk: Desk, progress: Progress, folder: Path, data: Mapping[str, Any], scratch: Path) -> First:
    """Read the first lines of a text file only, as a preview of settings that are being tried."""
    del desk, progress
    described = fit_or_raise(DataDescription, data, "data")
    file = inside(folder, described.file)
    head = _head(scratch, file)
    try:
        write_head(file, head, described.encoding)
        found = read_with(head, of_head(described.options))
    finally:
        head.unlink(missing_ok=True)
    return First(tuple(found.names), head_of(found))


def head_of(data: Microdata) -> tuple[tuple[str | None, ...], ...]:
    """The first records as text."""
    some = data.take(np.arange(min(SHOWN, len(data))))
    return tuple(zip(*(column.texts().tolist() for column in some.columns.values()), strict=True))


def bars(column: Column) -> Bars:
    """How the values of a column are distributed."""
    if column.kind.is_number or column.kind in _TIMES:
        values = column.values[column.observed]
        values = values[np.isfinite(values)]
        if len(np.unique(values[:100_000])) > BARS:
            return _histogram(column, values.astype(np.float64))
    codes, count = column.codes()
    counts = np.bincount(codes[codes >= 0], minlength=count)
    order = np.argsort(-counts, kind="stable")[:BARS]
    order = order[counts[order] > 0]
    if column.categories is None:
        order = np.sort(order)
    names = _names(column, order)
    return Bars(names, tuple(counts[order].tolist()), int(counts.sum() - counts[order].sum()))


def _histogram(column: Column, values: Floats) -> Bars:
    """Counts in classes of equal width, the outer two open where a few values lie far away."""
    largest = float(np.abs(values).max())
    scaled = values / largest  # so that huge values do not overflow
    counts, edges = np.histogram(scaled, _edges(scaled))
    times = column.kind in _TIMES
    limits = (edges * largest).tolist()
    return Bars(
        tuple(column.spelt(e)[:16] if times else f"{e:.6g}" for e in limits), tuple(counts.tolist()), 0
    )


def _edges(values: Floats) -> Floats:
    """Limits of the classes: over the inner 98 per cent where the whole range is many times as wide."""
    low, inner_low, inner_high, high = np.quantile(values, (0.0, 0.01, 0.99, 1.0))
    if not 0 < _FAR * (inner_high - inner_low) < high - low:
        return np.linspace(low, high, BARS + 1)
    edges = np.linspace(inner_low, inner_high, BARS + 1)
    edges[0], edges[-1] = low, high
    return edges


def _names(column: Column, wanted: Iterable[Any]) -> tuple[str, ...]:
    """The text of some codes."""
    if column.categories is not None:
        return tuple(str(column.categories[code]) for code in wanted)
    values = np.unique(column.values)
    return tuple(column.spelt(values[code]) for code in wanted)


def _signs(file: Path, options: ReadOptions, scratch: Path) -> Signs | None:
    """How the first lines are split; None where they end in the middle of a text over several lines."""
    head = _head(scratch, file)
    try:
        write_head(file, head, options.encoding)
        return signs_of(head, of_head(options))
    except TarnkappeError:
        return None
    finally:
        head.unlink(missing_ok=True)


def _head(scratch: Path, file: Path) -> Path:
    return scratch / f".head{file.suffix.lower()}"


def _looks_like_cells(data: Microdata) -> bool:
    """Every combination of codes once, and either all have their total or one column counts."""
    codes = [column for column in data.columns.values() if column.kind is Kind.CATEGORY]
    if not codes or not are_cells(data):
        return False
    totals = all(TOTAL in set(column.distinct().tolist()) for column in codes)
    counts = [name for name in data.names if topic_of(name) is COUNT and data.column(name).kind.is_number]
    return totals or len(counts) == 1
