"""Categories that were changed at random: unbiased stand-ins for what they were.

With the matrix P (rows: old value, columns: new one), row v of P⁻¹ stands in for a record that shows v: its expectation is the
indicator of the old value (hoehne2010, 2.2.2, P01: T̂ = (P⁻¹)' T, record by record). Means and products with other columns are then
unbiased; a product of two indicators of one column is the indicator itself or 0.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tarnkappe.correct.treatments import Misclassified
from tarnkappe.data.column import Bools, Column, Floats, Ints, Strings
from tarnkappe.data.microdata import Microdata
from tarnkappe.errors.correct import MatrixSingular, NotTold
from tarnkappe.language import Text, listed

Label = tuple[str | None, ...]
NOT_SHOWN = None
"""A value the release no longer shows: it has a place in the matrix but no name."""
_MATRIX = Text("the matrices", "die Matrizen")
_STRATA = Text("the strata of its matrices", "die Schichten ihrer Matrizen")
_VALUES = Text(
    "the values of its matrix as they are shown now", "die Werte ihrer Matrix, wie sie jetzt gezeigt werden,"
)


@dataclass(frozen=True)
class Block:
    """One stratum: its values, its matrix and the way back."""

    labels: tuple[Label, ...]
    matrix: Floats
    back: Floats


@dataclass(frozen=True)
class StandIns:
    """Stand-ins for the values of columns that were changed together."""

    columns: tuple[str, ...]
    blocks: tuple[Block, ...]
    row: Ints
    """The row of every record in all matrices one below the other; -1 where a cell is empty."""

    @property
    def usable(self) -> Bools:
        return self.row >= 0

    def levels(self, column: str) -> tuple[str, ...]:
        """The values of a column, in ascending order."""
        place = self.columns.index(column)
        return tuple(
            sorted({lab[place] or "" for b in self.blocks for lab in b.labels if lab[place] is not None})
        )

    def of(self, wanted: Mapping[str, str | None]) -> Floats:
        """The stand-in for 'the record had these values' in every record; 0 where a cell is empty."""
        return np.append(np.concatenate([b.back @ self._marks(b, wanted) for b in self.blocks]), 0.0)[
            self.row
        ]

    def shown_as(self, column: str, old: str, new: str) -> Floats:
        """The probability that the old value is shown as the new one, in the stratum of every record."""
        out = []
        for block in self.blocks:
            a, b = self._marks(block, {column: old}), self._marks(block, {column: new})
            value = float(a @ block.matrix @ b) / max(float(a.sum()), 1.0)
            out.append(np.full(len(block.labels), value))
        return np.append(np.concatenate(out), 0.0)[self.row]

    def _marks(self, block: Block, wanted: Mapping[str, str | None]) -> Floats:
        places = {self.columns.index(name): value for name, value in wanted.items()}
        hits = [all(label[at] == value for at, value in places.items()) for label in block.labels]
        return np.array(hits, dtype=np.float64)


def stand_ins(data: Microdata, told: Misclassified) -> StandIns:
    """Find the place of every record in the matrices of the release."""
    for name in told.within:
        if name not in data.names:
            raise _untold(told, _STRATA)
    strata, of = _strata(data, told)
    blocks: list[Block] = []
    row = np.full(len(data), -1, dtype=np.int64)
    start = 0
    for number, facts in enumerate(strata):
        here = np.flatnonzero(of == number)
        if facts.get("gaps"):
            continue
        block, place = _block(data, told, facts, here)
        row[here] = np.where(place >= 0, place + start, -1)
        blocks.append(block)
        start += len(block.labels)
    if not blocks:
        raise _untold(told, _MATRIX)
    return StandIns(told.columns, tuple(blocks), row)


def _untold(told: Misclassified, what: Text) -> NotTold:
    return NotTold(what=what, name=told.columns[0], step=told.step.number, method=told.step.title)


def _strata(data: Microdata, told: Misclassified) -> tuple[Sequence[Mapping[str, Any]], Ints]:
    """The strata as told and the stratum of every record; a single one holds for all."""
    if len(told.strata) == 1:
        return told.strata, np.zeros(len(data), dtype=np.int64)
    named = isinstance(told.strata[0].get("values"), list)
    keys = [_ranks(data.column(name)) for name in told.within]
    keys += [] if named else [_gaps(data.column(name)) for name in told.columns]
    kinds, of = np.unique(np.column_stack(keys), axis=0, return_inverse=True)
    if len(kinds) != len(told.strata):
        raise _untold(told, _STRATA)
    return told.strata, of.ravel().astype(np.int64)


def _ranks(column: Column) -> Ints:
    """Numbers that sort as the texts of categories do, and as numbers themselves; suppressed (-2), then missing cells (-1) first."""
    codes, count = column.codes()
    rank = (
        np.argsort(np.argsort(column.categories))
        if column.categories is not None and count
        else np.arange(count)
    )
    out: Ints = np.concatenate([rank, [-2, -1]])[codes]
    return out


def _gaps(column: Column) -> Ints:
    """0 for a cell that is shown, 1 for a missing and 2 for a suppressed one."""
    return column.missing + 2 * column.suppressed.astype(np.int64)


def _block(data: Microdata, told: Misclassified, facts: Mapping[str, Any], here: Ints) -> tuple[Block, Ints]:
    """A stratum and the place of its records in its matrix."""
    try:
        p = np.array(facts["matrix"], dtype=np.float64)
        values, absent = facts["values"], set(facts.get("absent", ()))
    except (KeyError, TypeError, ValueError):
        raise _untold(told, _MATRIX) from None
    if p.ndim != 2 or p.shape[0] != p.shape[1]:
        raise _untold(told, _MATRIX)
    columns = [data.column(name) for name in told.columns]
    ranks = np.column_stack([np.maximum(_ranks(column)[here], -1) for column in columns])
    texts = [np.sort(column.distinct()) for column in columns]
    if isinstance(values, list):
        labels, place = _named(values, ranks[:, 0], texts[0])
    else:
        labels, place = _numbered(values, absent, ranks, texts)
    if len(labels) != len(p) or not np.isfinite(p).all():
        raise _untold(told, _VALUES)
    return Block(labels, p, _inverse(p, told)), place


def _named(values: list[str], ranks: Ints, texts: Strings) -> tuple[tuple[Label, ...], Ints]:
    position = {str(value): at for at, value in enumerate(values)}
    place = np.array([*(position.get(str(text), -1) for text in texts), -1], dtype=np.int64)
    return tuple((str(value),) for value in values), place[ranks]


def _numbered(
    count: int, absent: set[int], ranks: Ints, texts: Sequence[Strings]
) -> tuple[tuple[Label, ...], Ints]:
    """Values in ascending order of their text fill the places that are not absent."""
    full = (ranks >= 0).all(axis=1)
    kinds, inverse = np.unique(ranks[full], axis=0, return_inverse=True)
    free = np.array([at for at in range(count) if at + 1 not in absent], dtype=np.int64)
    place = np.full(len(ranks), -1, dtype=np.int64)
    if len(kinds) != len(free):
        return (), place
    labels: list[Label] = [(NOT_SHOWN,) * len(texts)] * count
    for at, kind in zip(free.tolist(), kinds.tolist(), strict=True):
        labels[at] = tuple(str(text[rank]) for text, rank in zip(texts, kind, strict=True))
    place[full] = free[inverse.ravel()]
    return tuple(labels), place


def _inverse(p: Floats, told: Misclassified) -> Floats:
    if len(p) and np.linalg.cond(p) < 1e10:
        back: Floats = np.linalg.inv(p).astype(np.float64)
        return back
    raise MatrixSingular(names=listed(told.columns))
