"""How well planned tables come out of protected records: largest deviation of a count, sum of those of values."""

from __future__ import annotations

import math
from itertools import combinations
from typing import Annotated, NamedTuple

import numpy as np
from pydantic import Field

from tarnkappe.data.column import Bools, Floats, Ints
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.quantities import LEAST, original
from tarnkappe.kernels.classes import classes
from tarnkappe.language import Text
from tarnkappe.spec import Finding, Goal, Json, Measure, Source, measure
from tarnkappe.utility.coded import Coded, categories_in_both, coded
from tarnkappe.utility.comparing import joined

_TOO_FEW = Text(
    f"One file has fewer than {LEAST} records.", f"Eine Datei hat weniger als {LEAST} Datensätze."
)
Codes = dict[str, Coded]
Values = dict[str, tuple[Floats, Floats]]
"""Name -> values before and after, 0 where there is none."""


class _Table(NamedTuple):
    """What became of one planned table."""

    cells: int
    sensitive: int
    largest: float
    """Largest deviation of a count."""
    relative: float
    """The same as part of the count, over cells that are not sensitive."""
    values: dict[str, float]
    """Column -> sum of the absolute deviations over cells that are not sensitive."""
    totals: dict[str, float]


@measure(
    "utility.table-fidelity",
    title=Text("Fidelity of planned tables (F_H, F_T)", "Treue geplanter Tabellen (F_H, F_T)"),
    compares=True,
    does=Text(
        "Builds planned tables from both files and tells the largest deviation of a count, and the sum of the deviations of values in cells that are not "
        "sensitive.",
        "Bildet geplante Tabellen aus beiden Dateien und nennt die größte Abweichung einer Fallzahl sowie die Summe der Abweichungen von Werten in nicht "
        "geheimzuhaltenden Zellen.",
    ),
    sources=(Source("hoehne2010", "3.4.2, equations 3.4-1 and following: F_H and F_T of SAFE (U11)"),),
    reads=Text(
        "The count of a cell is off by {value} records at most.",
        "Die Fallzahl einer Zelle weicht um höchstens {value} Datensätze ab.",
    ),
    knows=Text(
        "Tables of all records of the original against those of the release.",
        "Tabellen aller Datensätze des Originals gegen die der Freigabe.",
    ),
    goal=Goal.LOW,
    bounds=(0, math.inf),
    does_not=(
        Text(
            "protect tables: cells that are sensitive are only left out of the sum of deviations",
            "Tabellen schützen: geheimzuhaltende Zellen zählen nur in der Summe der Abweichungen nicht mit",
        ),
        Text(
            "look at tables that nobody planned: see utility.contingency",
            "auf ungeplante Tabellen sehen: siehe utility.contingency",
        ),
    ),
    words={
        "dominance": Text("sensitive above this part of one record", "geheimzuhalten über diesem Teil eines Datensatzes"),
        "tables": Text("planned tables", "geplante Tabellen"),
        "f_h": Text("F_H: largest deviation of a count", "F_H: größte Abweichung einer Fallzahl"),
        "f_t": Text("F_T: sum of absolute deviations of values", "F_T: Summe der absoluten Abweichungen von Werten"),
        "f_t_of_total": Text("F_T as part of the totals", "F_T als Teil der Summen"),
        "largest_relative": Text("largest relative deviation of a count", "größte relative Abweichung einer Fallzahl"),
        "sensitive_cells": Text("sensitive cells", "geheimzuhaltende Zellen"),
        "sensitive_below": Text("sensitive below so many records", "geheimzuhalten unter so vielen Datensätzen"),
    },
    example={"tables": [["sex", "region"], ["occupation"]], "columns": ["income"], "sensitive_below": 5, "dominance": 0.8},
)  # fmt: skip
class TableFidelity(Measure):
    """F_H = max |a' - a| over the counts of all cells of the planned tables; F_T = Σ |t' - t| (1 - g) over their values.

    `tables` names the columns of each planned table; without it those of every column with categories and of every pair of them are built. g is 1
    for cells that are sensitive in the original: those with fewer than `sensitive_below` records, and, where `dominance` is given, those in which one
    record has more than that part of the value. The value is F_H; the details give F_T by column, alone and as a part of the totals, and both figures
    for every table. Missing and suppressed are categories of their own; a value that is not there adds nothing.
    """

    tables: tuple[tuple[str, ...], ...] = ()
    """The planned tables, each a list of columns. | Die geplanten Tabellen, jede eine Liste von Spalten."""
    columns: tuple[str, ...] = ()
    """Columns of numbers that are added up in the cells. | Spalten mit Zahlen, die in den Zellen summiert werden."""
    sensitive_below: Annotated[int, Field(ge=1)] = 3
    """Cells of the original with fewer records are sensitive. | Zellen des Originals mit weniger Datensätzen sind geheimzuhalten."""
    dominance: Annotated[float, Field(gt=0, le=1)] | None = None
    """Cells in which one record has more than this part of the value are sensitive, too. | Zellen, in denen ein Datensatz mehr als diesen Teil des
    Wertes hat, sind ebenfalls geheimzuhalten."""

    def named_columns(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*self.columns, *(n for names in self.tables for n in names))))

    def measure(self, after: Microdata, *, before: Microdata | None = None) -> Finding:
        before = original(before, self.id)
        wanted = tuple(dict.fromkeys(n for names in self.tables for n in names))
        chosen = categories_in_both(after, before, wanted, self.id)
        if min(len(after), len(before)) < LEAST:
            return Finding(math.nan, trusted=False, because=joined(_TOO_FEW, chosen.left))
        codes = {n: coded(before.column(n), after.column(n)) for n in chosen.names}
        values = {n: _both(before, after, n, self.id) for n in self.columns}
        asked = self.tables or _small(chosen.names)
        there = [names for names in asked if set(names) <= set(codes)]
        found = {names: self._table(names, codes, values) for names in there}
        f_t = {n: math.fsum(t.values[n] for t in found.values()) for n in self.columns}
        totals = {n: math.fsum(t.totals[n] for t in found.values()) for n in self.columns}
        return Finding(
            value=max((t.largest for t in found.values()), default=math.nan),
            trusted=bool(found),
            because=chosen.left if found else joined(_LEFT_OUT, chosen.left),
            details={
                "sensitive_below": self.sensitive_below,
                "dominance": self.dominance,
                "f_h": max((t.largest for t in found.values()), default=math.nan),
                "f_t": f_t,
                "f_t_of_total": {n: f_t[n] / totals[n] if totals[n] else None for n in self.columns},
                "tables": {" × ".join(names): _told(table) for names, table in found.items()},
            },
        )

    def _table(self, names: tuple[str, ...], codes: Codes, values: Values) -> _Table:
        cell, records = _cells([codes[n] for n in names])
        before, after = _sums(cell, np.ones(records), np.ones(len(cell) - records))
        sensitive = before < self.sensitive_below
        sums, totals = {}, {}
        for name, (x, y) in values.items():
            was, now = _sums(cell, x, y)
            hidden = sensitive | self._dominated(cell, x, was)
            sums[name] = math.fsum(np.abs(now - was)[~hidden])
            totals[name] = math.fsum(np.abs(was)[~hidden])
        apart, open_ones = np.abs(after - before), ~sensitive
        relative = float((apart[open_ones] / before[open_ones]).max(initial=0.0))
        largest = float(apart.max(initial=0.0))
        return _Table(len(before), int(sensitive.sum()), largest, relative, sums, totals)

    def _dominated(self, cell: Ints, x: Floats, total: Floats) -> Bools:
        """Cells in which the largest of the original has too much."""
        if self.dominance is None:
            return np.zeros(len(total), dtype=np.bool_)
        most = np.zeros(len(total))
        np.maximum.at(most, cell[: len(x)], np.abs(x))
        return np.asarray(most > self.dominance * np.abs(total))


_LEFT_OUT = Text(
    "None of the planned tables can be built from both files.",
    "Keine der geplanten Tabellen lässt sich aus beiden Dateien bilden.",
)


def _small(names: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
    return (*((n,) for n in names), *combinations(names, 2))


def _both(before: Microdata, after: Microdata, name: str, who: str) -> tuple[Floats, Floats]:
    x, y = (np.nan_to_num(data.numbers((name,), who)[:, 0]) for data in (before, after))
    return x, y


def _cells(columns: list[Coded]) -> tuple[Ints, int]:
    """The cell of every record, those of the original first, and how many these are."""
    found = classes([(np.concatenate([c.old, c.new]), c.size) for c in columns])
    return found.ids.astype(np.int64), len(columns[0].old)


def _sums(cell: Ints, x: Floats, y: Floats) -> tuple[Floats, Floats]:
    """What each file has in every cell that one of them fills."""
    count = int(cell.max(initial=-1)) + 1
    was: Floats = np.bincount(cell[: len(x)], x, count).astype(np.float64)
    now: Floats = np.bincount(cell[len(x) :], y, count).astype(np.float64)
    return was, now


def _told(table: _Table) -> dict[str, Json]:
    return {
        "cells": table.cells,
        "sensitive_cells": table.sensitive,
        "f_h": table.largest,
        "largest_relative": table.relative,
        "f_t": table.values,
    }
