"""Answers that hold for certain, from columns that were camouflaged."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
from pydantic import BaseModel, ValidationError

from tarnkappe.correct.release import Release, Step, open_release
from tarnkappe.correct.result import aligned
from tarnkappe.correct.source import WHO
from tarnkappe.correct.told import left_by
from tarnkappe.correct.treatments import Lost, Story
from tarnkappe.data.column import Bools, Floats, Ints
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.strata import Strata, strata_of
from tarnkappe.errors import did_you_mean
from tarnkappe.errors.correct import NotTold
from tarnkappe.errors.data import ColumnMissing
from tarnkappe.kernels.camouflage import largest_bounds, sum_bounds
from tarnkappe.language import Text, number
from tarnkappe.spec import Leaves, plain

Figure = Literal["sum", "mean", "smallest", "largest"]
METHOD = "microdata.camouflage"
_HEADS = Text("|from|to|records", "|von|bis|Datensätze")
_VECTORS = Text("which columns stand for it", "welche Spalten für sie stehen,")
_CHANGED = Text(
    "its vectors were changed by a later step", "ein späterer Schritt hat ihre Vektoren verändert"
)
_TITLES: dict[Figure, Text] = {
    "sum": Text("Sum of {name}", "Summe von {name}"),
    "mean": Text("Mean of {name}", "Mittelwert von {name}"),
    "smallest": Text("Smallest value of {name}", "Kleinster Wert von {name}"),
    "largest": Text("Largest value of {name}", "Größter Wert von {name}"),
}


class _Told(BaseModel):
    vectors: tuple[str, ...]
    slack: float


class _Facts(BaseModel):
    columns: dict[str, _Told]
    group: str


@dataclass(frozen=True, slots=True)
class Bound:
    """The least and the largest value that an answer can have; nothing between them can be ruled out but by rounding."""

    name: str
    low: float
    high: float
    records: int


@dataclass(frozen=True, slots=True)
class Bounds:
    """Answers with their bounds, one per group asked for."""

    title: Text
    answers: tuple[Bound, ...]
    left_out: int = 0
    """Records in which the column is missing or suppressed."""

    def __getitem__(self, name: str) -> Bound:
        return next(answer for answer in self.answers if answer.name == name)

    def as_json(self) -> dict[str, Any]:
        """Everything, for programs."""
        answers = [{"name": a.name, "low": a.low, "high": a.high, "records": a.records} for a in self.answers]
        told: dict[str, Any] = plain({"title": self.title, "answers": answers, "left_out": self.left_out})
        return told

    def __str__(self) -> str:
        rows = [
            (a.name, number(a.low, "en"), number(a.high, "en"), number(a.records, "en")) for a in self.answers
        ]
        return "\n".join([self.title.en, *aligned([_HEADS.en.split("|"), *rows])])


@dataclass(frozen=True, slots=True)
class _Asked:
    """The records an answer is about."""

    vectors: Floats
    group: Ints
    weight: Floats
    cells: Ints
    count: int
    slack: float


def bounds(
    release: str | Path | Release,
    column: str,
    figure: Figure = "sum",
    by: Sequence[str] = (),
    weight: str | None = None,
) -> Bounds:
    """Bounds of a sum, a mean, the smallest or the largest value of a camouflaged column.

    They hold for the values as they were when they were camouflaged, for certain: it is no matter of probability.

    Parameters
    ----------
    release
        The folder of a release.
    column
        The name the column had.
    figure
        What is asked for.
    by
        Columns; every combination of their values gets an answer.
    weight
        Column that says how often a record counts in sums and means.
    """
    opened = open_release(release)
    step, facts = _camouflaged(opened, column)
    told = facts.columns[column]
    data = opened.data
    _refuse_changed(opened, step, column, (*told.vectors, facts.group))
    y = data.numbers(told.vectors, WHO)
    w = np.ones(len(data)) if weight is None else data.numbers((weight,), WHO)[:, 0]
    used: Bools = ~np.isnan(y).any(axis=1) & ~np.isnan(w)
    some = data.take(np.flatnonzero(used))
    cells = strata_of(some, by)
    group = strata_of(some, (facts.group,)).of.astype(np.int64)
    asked = _Asked(y[used], group, w[used], cells.of.astype(np.int64), len(cells), told.slack)
    low, high = _sums(asked, figure) if figure in ("sum", "mean") else _ends(asked, cells, figure)
    answers = tuple(
        Bound(name, float(a), float(b), int(size))
        for name, a, b, size in zip(_names(some, by, cells), low, high, cells.sizes, strict=True)
    )
    return Bounds(
        _TITLES[figure].filled(name=column), tuple(sorted(answers, key=lambda a: a.name)), int(np.sum(~used))
    )


def _camouflaged(release: Release, column: str) -> tuple[Step, _Facts]:
    """The step that camouflaged a column, and what it tells."""
    known: list[str] = []
    for step in release.steps:
        if step.method == METHOD:
            try:
                facts = _Facts.model_validate(step.facts)
            except ValidationError:
                raise NotTold(what=_VECTORS, name=column, step=step.number, method=step.title) from None
            known += facts.columns
            if column in facts.columns:
                return step, facts
    raise ColumnMissing(name=column, hint=did_you_mean(column, known))


def _refuse_changed(release: Release, step: Step, column: str, names: Sequence[str]) -> None:
    """Later steps may take records away, or cells; none may change a number."""
    for name in names:
        for later in release.steps_of(name):
            if later.number > step.number and left_by(later) not in (Leaves.VALUES, Leaves.GAPS):
                raise Story(column, Lost(later, _CHANGED)).refused(_CHANGED)


def _sums(asked: _Asked, figure: Figure) -> tuple[Floats, Floats]:
    low, high = sum_bounds(asked.vectors, asked.group, asked.weight, asked.cells, asked.count)
    slack = asked.slack * np.bincount(asked.cells, np.abs(asked.weight), asked.count)
    if figure == "sum":
        return low - slack, high + slack
    total = np.bincount(asked.cells, asked.weight, asked.count)
    with np.errstate(divide="ignore", invalid="ignore"):
        ends = np.stack([(low - slack) / total, (high + slack) / total])
    return ends.min(axis=0), ends.max(axis=0)


def _ends(asked: _Asked, cells: Strata, figure: Figure) -> tuple[Floats, Floats]:
    """The smallest value is the largest of the negated ones."""
    sign = 1.0 if figure == "largest" else -1.0
    found = np.array(
        [largest_bounds(sign * asked.vectors[rows], asked.group[rows]) for rows in cells.blocks()]
    )
    ends = sign * found.reshape(-1, 2)
    return ends.min(axis=1) - asked.slack, ends.max(axis=1) + asked.slack


def _names(data: Microdata, by: Sequence[str], cells: Strata) -> list[str]:
    """What a group is called: its values, or `all`."""
    if not by:
        return ["all"] * len(cells)
    first = data.take(cells.order[cells.starts[:-1]])
    texts = [first.column(name).texts() for name in by]
    return [", ".join("–" if t is None else str(t) for t in row) for row in zip(*texts, strict=True)]
