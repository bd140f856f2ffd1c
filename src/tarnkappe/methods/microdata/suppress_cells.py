"""Local suppression of named cells and of named values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, Self

import numpy as np
from pydantic import Field, model_validator

from tarnkappe.data.column import Bools
from tarnkappe.data.comparison import same_states, same_values
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.selection import cells_holding, records_numbered, values_of
from tarnkappe.errors.data import LoneCell
from tarnkappe.kernels.classes import classes
from tarnkappe.kernels.sorted_classes import sorted_classes
from tarnkappe.language import Text
from tarnkappe.methods.microdata.advice import EMPTIED
from tarnkappe.methods.microdata.cells_lost import cells_lost
from tarnkappe.methods.microdata.step_remarks import lone_cells, shown_elsewhere
from tarnkappe.randomness import Stream
from tarnkappe.spec import Claim, Family, Leaves, Method, Source, method
from tarnkappe.spec.conditions import where
from tarnkappe.spec.fields import Records, Values
from tarnkappe.spec.limits import ForAnalysis


def _rest_kept(m: SuppressCells, before: Microdata, after: Microdata) -> bool:
    """Values stay; only a named cell may have changed its state, and only from observed to suppressed."""
    for name, cells in m.cells(before).items():
        was, now = before.columns[name], after.columns[name]
        if not same_values(was, now) or not same_states(was.suppress(now.suppressed & cells), now):
            return False
    return True


def _asked_gone(m: SuppressCells, before: Microdata, after: Microdata) -> bool:
    del before
    named = np.isin(after.rows + 1, m.records)
    if any(np.any(after.columns[name].observed & named) for name in m.columns):
        return False
    for name, values in m.values.items():
        column = after.columns[name]
        if values_of(column, column.observed) & set(values):
            return False
    return True


def _none_alone(m: SuppressCells, before: Microdata, after: Microdata) -> bool:
    group = sorted_classes((after.columns[w].codes() for w in m.within), len(after)).ids
    for name in m.cells(before):
        hidden = after.columns[name].suppressed
        gaps = np.bincount(group[hidden], minlength=len(after))
        if np.any(gaps[group[hidden & before.columns[name].observed]] == 1):
            return False
    return True


@method(
    "microdata.suppress-cells",
    family=Family.SUPPRESS,
    leaves=Leaves.GAPS,
    title=Text("Suppress cells", "Einzelne Werte unterdrücken"),
    does=Text(
        "Single values were suppressed and marked as suppressed.",
        "Einzelne Werte wurden unterdrückt und als unterdrückt gekennzeichnet.",
    ),
    sources=(
        Source("hoehne2010", "section 2.1.2, suppression of single values (local suppression)"),
        Source("dav2025", "section 3.2.2, value suppression and cell suppression"),
    ),
    preserves=(
        Claim(
            Text("every cell that was not named", "jede Zelle, die nicht genannt wurde"),
            _rest_kept,
        ),
    ),
    protects=(
        Claim(
            Text("no named cell or value is shown", "keine genannte Zelle, kein genannter Wert wird gezeigt"),
            _asked_gone,
        ),
        Claim(
            Text(
                "no group has exactly one suppressed value: a single gap would point at its unit",
                "keine Gruppe hat genau einen unterdrückten Wert: eine einzelne Lücke zeigte auf ihren "
                "Träger",
            ),
            _none_alone,
            when=where("lone", "refuse"),
        ),
    ),
    does_not=(
        ForAnalysis(
            "keep means of the treated column: extreme values are the ones that go",
            "Mittelwerte der behandelten Spalte erhalten: es gehen die extremen Werte",
        ),
        Text(
            "protect the rest of a record that is recognised without the suppressed value",
            "den übrigen Datensatz schützen, wenn er ohne den unterdrückten Wert erkannt wird",
        ),
        Text(
            "search for the cells that need it, nor see whether a value can be computed from other columns",
            "die nötigen Zellen suchen, noch prüfen, ob sich ein Wert aus anderen Spalten errechnen lässt",
        ),
    ),
    advice=EMPTIED,
    words={
        "": Text("suppressed cells", "unterdrückte Zellen"),
    },
    example={
        "columns": ["income"],
        "records": [2, 3, 5],
        "values": {"diagnosis": ["asthma"]},
        "within": ["year"],
        "lone": "allow",
    },
)
class SuppressCells(Method):
    """Suppress given cells.

    These are the `columns` of the numbered `records`, and every cell of a column that holds one of its
    `values`. Records are numbered as in the original file, from 1, whatever earlier steps did to their order;
    a record that an earlier step removed is passed over. Values are compared in one spelling (42, 42.0 and
    '42' are the same); a value that does not occur is refused, because a misspelt value would stay in the
    file.

    A single gap points at its unit: someone who knows that an extraordinary value exists finds it. So a step
    that leaves exactly one suppressed value in a column, or with `within` in one of the groups of records
    alike in those columns, is refused unless `lone: allow` is said. Cells that were suppressed before count;
    a missing cell stays missing.

    In a panel a value that is suppressed in one period can be shown in another: the office is told of such cells.

    Zero, negative, constant and tied values are values like others.
    """

    columns: tuple[str, ...] = ()
    """Columns suppressed in the numbered records. | Spalten, die in den nummerierten Datensätzen unterdrückt
    werden."""
    records: Records = ()
    """Numbers of records in the original file, from 1. | Nummern der Datensätze in der Originaldatei,
    ab 1."""
    values: Values = Field(default_factory=dict)
    """Column and the values suppressed wherever they stand. | Spalte und die Werte, die überall unterdrückt
    werden."""
    within: tuple[str, ...] = ()
    """Columns that form the groups in which no gap may be alone; without them, the whole file. | Spalten,
    die die Gruppen bilden, in denen keine Lücke allein stehen darf; ohne sie die ganze Datei."""
    lone: Literal["refuse", "allow"] = "refuse"
    """Refuse or allow a single suppressed value in a group. | Einen einzelnen unterdrückten Wert in einer
    Gruppe verweigern (refuse) oder zulassen (allow)."""

    @model_validator(mode="after")
    def _something_named(self) -> Self:
        if bool(self.columns) != bool(self.records):
            raise ValueError(Text("columns and records go together", "columns und records gehören zusammen"))
        if not self.records and not self.values:
            raise ValueError(
                Text("needs records and columns, or values", "braucht records und columns oder values")
            )
        return self

    def named_columns(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*self.columns, *self.values, *self.within)))

    def cells(self, data: Microdata) -> dict[str, Bools]:
        """The named cells of every named column."""
        found: dict[str, Bools] = {}
        if self.records:
            numbered = records_numbered(data, self.records)
            found |= dict.fromkeys(self.columns, numbered)
        for name, values in self.values.items():
            holding = cells_holding(data, name, values)
            found[name] = found[name] | holding if name in found else holding
        return found

    def treated_columns(self) -> tuple[str, ...]:
        return ()

    def apply(self, data: Microdata, stream: Stream) -> Microdata:
        del stream
        new = {name: data.column(name).suppress(cells) for name, cells in self.cells(data).items()}
        after = data.with_columns(new)
        if self.lone == "refuse":
            self._refuse_lone(data, after, tuple(new))
        return after

    def _refuse_lone(self, before: Microdata, after: Microdata, names: tuple[str, ...]) -> None:
        """Höhne 2010, section 2.1.2: one suppressed value in a subset is not enough."""
        groups = np.zeros(len(after), dtype=np.int64)
        if self.within:
            groups = classes(after.column(w).codes() for w in self.within).ids
        for name in names:
            hidden = after.column(name).suppressed
            gaps = np.bincount(groups[hidden], minlength=1)
            touched = np.unique(groups[hidden & before.column(name).observed])
            lone = int(np.count_nonzero(gaps[touched] == 1))
            if lone:
                raise LoneCell(name=name, count=lone)

    def remarks(self, before: Microdata, after: Microdata) -> tuple[Text, ...]:
        names = tuple(self.cells(before))
        return (*lone_cells(before, after, names, self.within), *shown_elsewhere(before, after, names))

    def tells(self, before: Microdata, after: Microdata) -> Mapping[str, int]:
        """How many cells each column lost, where they are not of one or two contributors."""
        return cells_lost(before, after, self.cells(before))
