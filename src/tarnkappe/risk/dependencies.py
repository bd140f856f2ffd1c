"""Dependencies: released columns that give back what another column was to hide, as the town tells the postcode."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field

from tarnkappe.data.microdata import Microdata
from tarnkappe.errors.data import EmptyData
from tarnkappe.errors.risk import OriginalNeeded
from tarnkappe.language import NOTHING, Text, same
from tarnkappe.risk.recovering import (
    Reach,
    Recovered,
    Released,
    hidden_columns,
    reach_of,
    recovered_best,
    replaced_cells,
)
from tarnkappe.spec import Finding, Goal, Json, Measure, Source, measure

_NOTHING_HIDDEN = Text(
    "No column was changed, suppressed or dropped, so there is nothing that could come back.",
    "Keine Spalte wurde verändert, unterdrückt oder entfernt; es gibt also nichts, was zurückkommen könnte.",
)


@measure(
    "risk.dependencies",
    title=Text("Dependencies between columns", "Abhängigkeiten zwischen Spalten"),
    does=Text(
        "Finds released columns from which values that were generalised, suppressed, changed or dropped can be read again.",
        "Findet freigegebene Spalten, aus denen sich vergröberte, unterdrückte, veränderte oder entfernte Werte wieder ablesen lassen.",
    ),
    sources=(
        Source("dav2025", "section 3.3.2: dependent variables such as town and postcode under PRAM"),
        Source(
            "hoehne2010", "section 2.1.1: the suppressed information must not follow from the other variables"
        ),
    ),
    reads=Text(
        "Of one column a share of {value} of the hidden values can be read from other released columns.",
        "Bei einer Spalte lässt sich ein Anteil von {value} der verborgenen Werte aus anderen freigegebenen Spalten ablesen.",
    ),
    knows=Text(
        "The attacker knows how the columns go together in general, as the other records of the original show it.",
        "Der Angreifer weiß, wie die Spalten allgemein zusammenhängen, so wie es die anderen Datensätze des Originals zeigen.",
    ),
    goal=Goal.LOW,
    bounds=(0, 1),
    compares=True,
    does_not=(
        Text(
            "look at two or more columns of codes together, only at each beside the hidden column itself",
            "zwei oder mehr Spalten mit Codes gemeinsam ansehen, nur jede neben der verborgenen Spalte selbst",
        ),
        Text(
            "find rules for numbers other than linear formulas, products and quotients (of several columns, also of one or a hundred plus or minus them) and "
            "sums with one product or ratio",
            "für Zahlen andere Regeln finden als lineare Formeln, Produkte und Quotienten (mehrerer Spalten, auch von eins oder hundert plus oder minus diesen) und "
            "Summen mit einem Produkt oder Verhältnis",
        ),
    ),
    words={
        "exactly": Text("share given back exactly", "genau zurückgegebener Anteil"),
        "nearly": Text("share given back nearly surely", "fast sicher zurückgegebener Anteil"),
    },
    example={"columns": ["postcode", "age", "income"], "nearly": 0.9, "cells": "replaced"},
)
class Dependencies(Measure):
    """The largest share of the hidden values of a column that another released column gives back.

    A value is hidden where the release shows another one, none, or no such column. For every released column, records are put
    together that show the same in it and in the hidden column; a hidden value comes back if at least three other records of the original
    stand there and all of them (`exactly`) or at least a share of `nearly` have it. The record itself is never asked. What the hidden column
    gives back on its own counts too, as where a class holds a single value. Which cells of other columns are missing or suppressed is looked at like a column, of
    each and of up to twelve together. For numbers, formulas are tried as well. As agreement also
    happens by chance, the same is done with the other column shuffled (`by_chance`); the value is (found − chance)/(1 − chance). Columns that were
    only spelt otherwise are not hidden; identifiers, households and owners are replaced by random numbers and are looked at elsewhere.

    `cells: replaced` leaves out columns that were dropped, numbers that were changed and values that were made coarser: what is left was meant not to be
    known of a record, while a column may be coarsened or dropped just because another tells the same.

    Pairs of columns that a sample shows to have nothing to do with each other are passed over, so a million records with twenty columns
    take seconds. Of hundreds of columns that are hidden, only so many others are tried as can be in minutes, keys first, and no formulas; the
    finding says so and is not trusted. Per record: 1 where a value comes back, else 0.
    """

    columns: tuple[str, ...] = ()
    """Columns of the original whose values must not come back; without them, all that were hidden. | Spalten des Originals, deren Werte
    nicht zurückkommen dürfen; ohne Angabe alle verborgenen."""
    nearly: Annotated[float, Field(gt=0.5, le=1)] = 0.95
    """Share of the other records that must agree. | Anteil der anderen Datensätze, die übereinstimmen müssen."""

    cells: Literal["all", "replaced"] = "all"
    """All hidden values, or only those that are suppressed or were replaced by another category. | Alle verborgenen Werte oder nur solche, die
    unterdrückt oder durch eine andere Kategorie ersetzt sind."""

    def measure(self, after: Microdata, *, before: Microdata | None = None) -> Finding:
        if before is None:
            raise OriginalNeeded(who=same(self.id))
        if len(after) == 0:
            raise EmptyData
        old, new = before.paired(after)
        released = Released(new)
        hidden = hidden_columns(old, new, self.columns)
        if self.cells == "replaced":
            hidden = replaced_cells(old, new, hidden)
        reach = reach_of(released, len(hidden))
        found: dict[str, Recovered] = {}
        for name, cells in hidden.items():
            found[name] = recovered_best(old, released, name, cells, self.nearly, reach)
        return self._finding(after, new, found, _not_looked_at(reach, released) if found else _NOTHING_HIDDEN)

    def _finding(
        self, after: Microdata, new: Microdata, found: Mapping[str, Recovered], doubt: Text
    ) -> Finding:
        back = np.zeros(len(new))
        for one in found.values():
            back[one.back] = 1.0
        per_record = back if len(new) == len(after) else None
        details: dict[str, Any] = {name: _told(one) for name, one in found.items()}
        return Finding(
            value=max((one.value for one in found.values()), default=0.0),
            baseline=0.0,
            trusted=not (found and doubt),
            because=doubt,
            details={"nearly": self.nearly, "hidden": details},
            per_record=per_record,
        )


def _not_looked_at(reach: Reach, released: Released) -> Text:
    """What was left out because there are too many columns: then more may come back than was found."""
    columns, said = len(released.coded), []
    if reach.others < columns:
        said.append(
            Text(
                f"Of the {columns} released columns, {reach.others} were tried beside every hidden one.",
                f"Von den {columns} freigegebenen Spalten wurden je verborgener Spalte {reach.others} herangezogen.",
            )
        )
    if not reach.formulas:
        said.append(
            Text(
                f"Formulas were not looked for among {len(released.numbers)} numeric columns.",
                f"Unter {len(released.numbers)} numerischen Spalten wurde nicht nach Formeln gesucht.",
            )
        )
    if not said:
        return NOTHING
    said.append(
        Text(
            "Name the columns that must not come back under columns to have more tried.",
            "Nennen Sie unter columns die Spalten, die nicht zurückkommen dürfen; dann wird mehr versucht.",
        )
    )
    return Text(" ".join(s.en for s in said), " ".join(s.de for s in said))


def _told(one: Recovered) -> dict[str, Json]:
    return {
        "cells": one.cells,
        "value": one.value,
        "by": one.by,
        "exactly": one.exactly,
        "nearly": one.nearly,
        "by_chance": one.by_chance,
    }
