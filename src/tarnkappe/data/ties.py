"""What ties cells of several tables beyond the sums of each: equations between measures, between groupings, and inequalities.

Equations run over the physical cells of a set and over further cells that nobody publishes: what lies in two groupings at once, or
how far one measure stays below another. These have a value and known bounds, and nobody ever sees them.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from tarnkappe.data.column import Bools, Floats, Ints
from tarnkappe.data.relations import Relations

FITS = 1e-7
"""An equation holds when it is off by less than this share of its terms: others are left out, nobody could use them."""


@dataclass(frozen=True, slots=True, eq=False)
class Ties:
    """Equations over cells 0 to `cells` - 1 of a set, and over cells of their own that are numbered after them."""

    relations: Relations
    cells: int
    """Of the set."""
    value: Floats
    low: Floats
    high: Floats
    counts: Bools
    """Of the cells of their own."""

    def __len__(self) -> int:
        return len(self.relations)

    @property
    def own(self) -> int:
        """How many cells of their own there are."""
        return len(self.value)


@dataclass(slots=True, eq=False)
class TieBuilder:
    """Gathers equations; each is checked against the values before it is believed."""

    known: Floats
    """The values of the cells of the set."""
    _value: list[Floats] = field(default_factory=list)
    _low: list[Floats] = field(default_factory=list)
    _high: list[Floats] = field(default_factory=list)
    _counts: list[Bools] = field(default_factory=list)
    _row: list[Ints] = field(default_factory=list)
    _cell: list[Ints] = field(default_factory=list)
    _coefficient: list[Floats] = field(default_factory=list)
    rows: int = 0
    own: int = 0

    def hidden_cells(self, value: Floats, low: Floats | float, *, counts: bool) -> Ints:
        """Numbers of new cells that nobody publishes."""
        numbers = np.arange(len(value)) + len(self.known) + self.own
        self._value.append(value)
        self._low.append(np.minimum(np.broadcast_to(low, value.shape), value))
        self._high.append(np.full(len(value), np.inf))
        self._counts.append(np.full(len(value), counts))
        self.own += len(value)
        return numbers

    def equations(self, row: Ints, cell: Ints, coefficient: Floats) -> None:
        """Coefficient × value adds up to nothing in every row; rows are numbered from 0."""
        if len(row) == 0:
            return
        self._row.append(row + self.rows)
        self._cell.append(cell)
        self._coefficient.append(coefficient)
        self.rows += int(row.max()) + 1

    def built(self) -> Ties | None:
        """The equations that hold; None where there are none."""
        if not self._row:
            return None
        row, cell = np.concatenate(self._row), np.concatenate(self._cell)
        coefficient = np.concatenate(self._coefficient)
        value = np.concatenate([self.known, *self._value])
        term = coefficient * value[cell]
        off = np.abs(np.bincount(row, term, minlength=self.rows))
        size = np.bincount(row, np.abs(term), minlength=self.rows)
        good = (off <= FITS * size)[row]
        row, cell, coefficient = row[good], cell[good], coefficient[good]
        if len(row) == 0:
            return None
        order = np.lexsort((cell, row))
        start = np.flatnonzero(np.diff(row[order], prepend=-1))
        none = np.full(len(start), -1, dtype=np.int64)
        relations = Relations(
            len(value), np.append(start, len(row)).astype(np.int64), cell[order].astype(np.int64),
            coefficient[order], none, none,
        )  # fmt: skip
        own = slice(len(self.known), None)
        empty = np.zeros(0)
        return Ties(
            relations, len(self.known), value[own], np.concatenate([empty, *self._low]),
            np.concatenate([empty, *self._high]), np.concatenate([np.zeros(0, np.bool_), *self._counts]),
        )  # fmt: skip
