"""Local suppression of named cells and of named values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal, Self

import numpy as np
from pydantic import Field, model_validator

from tarnkappe.data.column import Bools, Ints
from tarnkappe.data.comparison import same_states, same_values
from tarnkappe.data.contributors import real_units
from tarnkappe.data.microdata import Microdata, Roles
from tarnkappe.data.selection import cells_holding, records_numbered, values_of
from tarnkappe.errors.data import LoneCell
from tarnkappe.kernels.classes import classes
from tarnkappe.kernels.sorted_classes import sorted_classes
from tarnkappe.language import Text
from tarnkappe.methods.microdata.advice import EMPTIED
from tarnkappe.methods.microdata.cells_beside import lacking, vanished, with_others
from tarnkappe.methods.microdata.cells_lost import cells_lost
from tarnkappe.methods.microdata.step_remarks import lone_cells, shown_elsewhere
from tarnkappe.methods.microdata.suppressed_as_one import in_whole_units, with_units
from tarnkappe.randomness import Stream
from tarnkappe.spec import Claim, Family, Leaves, Method, Reach, Source, method
from tarnkappe.spec.conditions import where
from tarnkappe.spec.fields import Records, Values
from tarnkappe.spec.limits import ForAnalysis


def _rest_kept(m: SuppressCells, before: Microdata, after: Microdata) -> bool:
    """Values stay; cells only become suppressed: named ones, those of their household or unit, and no more beside them than `share` asks."""
    named = m.cells(before)
    hidden = m.hidden(before, named)
    telling, groups = m.telling(hidden), m.groups(hidden)
    for name, cells in named.items():
        was, now = before.columns[name], after.columns[name]
        more = now.suppressed & was.observed & ~with_units(before, cells)
        wanted = lacking(hidden.column(name), telling[name], groups, m.share)
        firsts = real_units(before)[more]
        if not same_values(was, now) or not same_states(was.suppress(now.suppressed), now):
            return False
        if len(np.unique(firsts)) > wanted.sum() or np.any(telling[name] & more):
            return False
    return True


def _several_possible(m: SuppressCells, before: Microdata, after: Microdata) -> bool:
    """In no group do values that would be told make up more than their share of the suppressed cells."""
    hidden = m.hidden(before, m.cells(before))
    telling, groups = m.telling(hidden), m.groups(hidden)
    return not any(lacking(after.columns[n], cells, groups, m.share).any() for n, cells in telling.items())


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
            Text(
                "every cell that was not named, other than those of the same household or unit and as many drawn cells as `share` asks",
                "jede Zelle, die nicht genannt wurde, außer denen desselben Haushalts oder derselben Einheit und so vielen gezogenen, wie `share` verlangt",
            ),
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
                "a gap does not tell what stood there: at most `share` of the suppressed cells of a group hold a named value, or one that no cell shows any more",
                "eine Lücke verrät nicht, was dort stand: höchstens `share` der unterdrückten Zellen einer Gruppe enthalten einen genannten Wert oder einen, den keine "
                "Zelle mehr zeigt",
            ),
            _several_possible,
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
            "hide that a gap may hold a named value: whoever sees which one is lacking knows it of a gap with the chance `share`, and with more where other columns tell",
            "verbergen, dass in einer Lücke ein genannter Wert stehen kann: wer sieht, welcher fehlt, weiß ihn von einer Lücke mit der Wahrscheinlichkeit `share`, und mit "
            "größerer, wo andere Spalten ihn verraten",
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
        "share": 0.75,
    },
    random=True,
    revision=3,
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

    A value that is suppressed wherever it stands is lacking in the list of codes, so that every gap would be known. So cells with other values are
    suppressed too, drawn at random from the secret, until values that were named make up at most `share` of all suppressed cells of their column,
    in each of the groups `within`. The same is done where cells of numbered records take the last ones of a category with them. Cells that were suppressed
    before count as gaps. Where there are too few other cells the step is refused. `share: 1` suppresses named cells only.

    Where a column is the same for all members of a household or all records of a unit (roles `household` and `unit`), a cell that is
    suppressed for one is suppressed for all: otherwise it would stand in the next record. A value that changes from period to period can be
    shown in another one: the office is told of such cells.

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

    share: Annotated[float, Field(gt=0, le=1)] = 0.5
    """Largest part of the suppressed cells of a column that may hold a named value; others are drawn to go with them. | Größter Anteil der
    unterdrückten Zellen einer Spalte, der einen genannten Wert enthalten darf; andere werden dazu gezogen."""

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

    def reach(self, data: Microdata) -> Reach:
        del data
        return Reach(changed=(*self.columns, *self.values))

    def hides(self, roles: Roles) -> tuple[str, ...]:
        del roles
        return (*self.columns, *self.values)

    def apply(self, data: Microdata, stream: Stream) -> Microdata:
        named = self.cells(data)
        hidden = self.hidden(data, named)
        more = with_others(hidden, self.telling(hidden), self.groups(hidden), self.share, stream.generator)
        after = in_whole_units(more, tuple(named))
        if self.lone == "refuse":
            self._refuse_lone(data, after, tuple(named))
        return after

    def hidden(self, data: Microdata, named: Mapping[str, Bools]) -> Microdata:
        """The data without the named cells, and without those of their households and units."""
        new = {name: data.column(name).suppress(cells) for name, cells in named.items()}
        return in_whole_units(data.with_columns(new), tuple(new))

    def telling(self, hidden: Microdata) -> dict[str, Bools]:
        """For every named column, the suppressed cells whose value a list of codes would tell: named values, and the most frequent category that is shown no more."""
        out = {n: vanished(hidden.column(n)) for n in (*self.columns, *self.values)}
        for name, values in self.values.items():
            out[name] = out[name] | cells_holding(hidden, name, values)
        return out

    def groups(self, data: Microdata) -> Ints:
        """The group of every record in which gaps are looked at: those alike in `within`, as it is shown, or the whole file."""
        if not self.within:
            return np.zeros(len(data), dtype=np.int64)
        return classes(data.column(w).codes() for w in self.within).ids.astype(np.int64)

    def _refuse_lone(self, before: Microdata, after: Microdata, names: tuple[str, ...]) -> None:
        """Höhne 2010, section 2.1.2: one suppressed value in a subset is not enough."""
        groups = self.groups(after)
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
