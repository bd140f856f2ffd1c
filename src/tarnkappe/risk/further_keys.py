"""Further keys: how much more can be found by somebody who knows one column that nobody thought of as a key."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

import numpy as np
from pydantic import Field

from tarnkappe.data.column import Column, Ints
from tarnkappe.data.microdata import Microdata
from tarnkappe.errors.risk import ColumnsMissing
from tarnkappe.language import NOTHING, Text
from tarnkappe.risk.counting import OnKeys, counted
from tarnkappe.risk.legal_criteria import NO_CONTENT
from tarnkappe.risk.profiles import doubt_of
from tarnkappe.spec import Finding, Goal, Json, Source, measure
from tarnkappe.vocab import Kind, Role


@measure(
    "risk.further-keys",
    title=Text("Further keys", "Weitere Schlüssel"),
    does=Text(
        "Adds each column that is not a key to the keys, one at a time, and counts how many persons can then be singled out.",
        "Nimmt jede Spalte, die kein Schlüssel ist, einzeln zu den Schlüsseln hinzu und zählt, wie viele Personen dann zu erkennen sind.",
    ),
    sources=(
        Source("dav2025", "section 4.2: which attributes an attacker knows is an assumption; spec D-R26"),
    ),
    reads=Text(
        "Who knows the keys and one more column singles out a share of up to {value} of the persons.",
        "Wer die Schlüssel und eine weitere Spalte kennt, erkennt einen Anteil von bis zu {value} der Personen.",
    ),
    knows=Text(
        "The attacker knows that the person is in the data, the true values of all keys, and one column more: numbers only roughly.",
        "Der Angreifer weiß, dass die Person in den Daten ist, und kennt die wahren Werte aller Schlüssel und einer weiteren Spalte: Zahlen nur "
        "ungefähr.",
    ),
    goal=Goal.LOW,
    bounds=(0, 1),
    alone=True,
    revision=3,
    does_not=(
        Text(
            "say how likely it is that somebody knows such a column: that is for people to judge",
            "sagen, wie wahrscheinlich es ist, dass jemand eine solche Spalte kennt: Das müssen Menschen beurteilen",
        ),
        Text(
            "add two or more columns at once",
            "zwei oder mehr Spalten auf einmal hinzunehmen",
        ),
    ),
    words={
        "further": Text("with one more column known", "wenn eine weitere Spalte bekannt ist"),
        "number_classes": Text("classes of numbers that are told apart", "unterschiedene Klassen von Zahlen"),
        "smallest_class": Text("smallest class", "kleinste Klasse"),
    },
    example={
        "keys": ["sex", "year"], "missing": "wildcard", "suppressed": "category", "columns": ["occupation", "income"], "classes": 4,
        "without": ["region"],
    },
)  # fmt: skip
class FurtherKeys(OnKeys):
    """The largest share of persons with exactly one fitting record when one more column is known.

    Every column is tried that is neither a key nor an identifier, weight, household or owner. Of a number an attacker knows only in
    which of so many `classes` with equally many records it lies; a date, such as that of birth, he knows to the day. Keys count as in `risk.k-anonymity`, with all its policies. `baseline`: the
    share with the keys alone. The details name for every column the smallest class and the share of persons alone, the worst first.
    Per record: in how many of the columns it is alone that is not alone by its keys.
    """

    columns: tuple[str, ...] = ()
    """Columns that are tried; without them, all that are no keys and say something about a person. | Spalten, die probiert werden; ohne
    Angabe alle, die keine Schlüssel sind und etwas über eine Person sagen."""
    without: tuple[str, ...] = ()
    """Columns that nobody can know and that are not tried, such as numbers drawn at random. | Spalten, die niemand kennen kann und die nicht
    probiert werden, etwa zufällig gezogene Nummern."""
    classes: Annotated[int, Field(ge=2)] = 10
    """So many classes of numbers an attacker tells apart. | So viele Klassen von Zahlen unterscheidet ein Angreifer."""

    def measure(self, after: Microdata, *, before: Microdata | None = None) -> Finding:
        del before
        doubt = self.doubt(after) or doubt_of(after, after.keys(self.keys))
        counts = self.counts(after)
        found = {name: self._with(after, name) for name in self._tried(after)}
        rows: list[dict[str, Json]] = [
            {"column": name, "smallest_class": int(c.min()), "share": _alone(c)} for name, c in found.items()
        ]
        rows.sort(key=lambda row: (-row["share"], row["smallest_class"]))
        details: dict[str, Json] = {
            **self.policy(after), "records": len(after), "number_classes": self.classes, "smallest_class": int(counts.min()),
            "further": rows,
        }  # fmt: skip
        per_record = np.sum([(c == 1) & (counts > 1) for c in found.values()], axis=0).astype(np.float64)
        return Finding(
            value=rows[0]["share"],
            baseline=_alone(counts),
            trusted=doubt == NOTHING,
            because=doubt,
            details=details,
            per_record=per_record,
        )

    def _tried(self, data: Microdata) -> tuple[str, ...]:
        keys = data.keys(self.keys)
        for name in (*self.columns, *self.without):
            data.column(name)
        own = (n for n in data.names if n not in keys and not set(data.roles_of(n)) & set(NO_CONTENT))
        names = tuple(n for n in self.columns or own if n not in (*keys, *self.without))
        if not names:
            raise ColumnsMissing
        return names

    def _with(self, data: Microdata, name: str) -> Ints:
        bare = data.with_roles({Role.KEY: data.keys(self.keys)})  # a class of numbers is no amount
        known = bare.with_columns({name: _roughly(data.column(name), self.classes)})
        return counted(data, self.candidates(known, (name,)))


def _alone(counts: Ints) -> float:
    return float(np.mean(counts == 1))


def _roughly(column: Column, classes: int) -> Column:
    """Numbers in classes with equally many records; equal values are in one."""
    if column.kind not in (Kind.NUMBER, Kind.INTEGER):
        return column
    values = column.values
    there = np.sort(values[~column.missing])
    place = np.searchsorted(there, values, side="left") * classes // max(len(there), 1)
    of = np.minimum(place, classes - 1).astype(np.int64)
    made = Column.coded(of, np.array([str(c) for c in range(classes)], dtype=object))
    return replace(made, state=column.state)
