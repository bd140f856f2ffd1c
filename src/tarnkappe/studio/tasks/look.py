"""A first look at a file: its columns, what is missing, how values are distributed, some records."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tarnkappe.data.column import Column
from tarnkappe.plan.profile import ColumnProfile, profile
from tarnkappe.plan.progress import Progress
from tarnkappe.studio.desk import Desk

SHOWN = 50
"""Records that are shown."""
BARS = 24
"""Bars of a small distribution."""


@dataclass(frozen=True, slots=True)
class Look:
    """What a person sees of a file after it was opened."""

    records: int
    profiles: tuple[ColumnProfile, ...]
    bars: Mapping[str, Bars]
    head: tuple[tuple[str, ...], ...]
    """The first records, as text."""


@dataclass(frozen=True, slots=True)
class Bars:
    """A distribution: counts in classes of equal width, or of the most frequent categories."""

    labels: tuple[str, ...]
    counts: tuple[int, ...]
    others: int
    """Records in categories that are not shown."""


def look(desk: Desk, progress: Progress, folder: Path, data: Mapping[str, Any]) -> Look:
    """Look at the file that the part `data` of a plan describes."""
    del progress
    found = desk.raw(folder, data)
    first = found.take(np.arange(min(SHOWN, len(found))))
    texts = [[str(text) for text in column.texts()] for column in first.columns.values()]
    return Look(
        records=len(found),
        profiles=profile(found),
        bars={name: bars(column) for name, column in found.columns.items()},
        head=tuple(zip(*texts, strict=True)),
    )


def bars(column: Column) -> Bars:
    """How the values of a column are distributed."""
    if column.kind.is_number:
        numbers = column.numbers()[column.observed]
        numbers = numbers[np.isfinite(numbers)]
        if len(np.unique(numbers[:100_000])) > BARS:
            counts, edges = np.histogram(numbers, BARS)
            return Bars(tuple(f"{edge:.6g}" for edge in edges), tuple(counts.tolist()), 0)
    codes, count = column.codes()
    counts = np.bincount(codes[codes >= 0], minlength=count)
    order = np.argsort(-counts, kind="stable")[:BARS]
    order = order[counts[order] > 0]
    return Bars(
        _names(column, codes, order), tuple(counts[order].tolist()), int(counts.sum() - counts[order].sum())
    )


def _names(column: Column, codes: np.ndarray[Any, Any], wanted: np.ndarray[Any, Any]) -> tuple[str, ...]:
    """The text of some codes, each read off its first record."""
    firsts = [int(np.argmax(codes == code)) for code in wanted]
    return tuple(str(text) for text in column.take(np.array(firsts, dtype=np.int64)).texts())
