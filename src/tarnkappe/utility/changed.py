"""How many cells are no longer what they were."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from tarnkappe.data.quantities import original
from tarnkappe.language import NOTHING, Text
from tarnkappe.spec import Finding, Goal, Json, Measure, Source, measure
from tarnkappe.vocab import Role

if TYPE_CHECKING:
    from tarnkappe.data.column import Bools, Column
    from tarnkappe.data.microdata import Microdata

_NOTHING_SHARED = Text(
    "The two files share no record or no column.",
    "Die beiden Dateien haben keinen Datensatz oder keine Spalte gemeinsam.",
)


@measure(
    "utility.changed",
    title=Text("Changed cells", "Veränderte Zellen"),
    compares=True,
    does=Text(
        "Counts the cells that were changed, suppressed, emptied or filled in, column by column.",
        "Zählt Spalte für Spalte die Zellen, die verändert, unterdrückt, geleert oder aufgefüllt wurden.",
    ),
    sources=(Source("dav2025", "section 6.2: numbers of missing and of changed values"),),
    reads=Text(
        "A share of {value} of the cells is no longer what it was.",
        "Ein Anteil von {value} der Zellen ist nicht mehr wie im Original.",
    ),
    knows=Text(
        "The records that both files have, cell by cell, in the columns that both have.",
        "Die Datensätze, die beide Dateien haben, Zelle für Zelle, in den gemeinsamen Spalten.",
    ),
    goal=Goal.LOW,
    bounds=(0, 1),
    does_not=(
        Text(
            "tell how far a value moved: a cent counts as much as a million",
            "zeigen, wie weit sich ein Wert bewegt hat: ein Cent zählt so viel wie eine Million",
        ),
        Text(
            "count records or columns that are gone; they are listed beside the value",
            "fehlende Datensätze oder Spalten mitzählen; sie stehen neben dem Wert",
        ),
        Text(
            "say anything about records that were drawn anew, as in synthetic data",
            "etwas über neu gezogene Datensätze sagen, etwa in synthetischen Daten",
        ),
    ),
    words={
        "columns_gone": Text("columns that are gone", "weggefallene Spalten"),
        "columns_new": Text("new columns", "neue Spalten"),
        "made_missing": Text("made missing", "geleert"),
    },
    example={"columns": ["income", "sex"]},
)
class Changed(Measure):
    """The share of cells that are not what they were, over the records and columns that both files have.

    A cell counts once: as *changed* (another value), *suppressed* (taken away by us), *made missing* (a
    value became missing) or *filled* (a missing value became a value). Values are compared exactly; where a
    column changed its kind, as when ages become bands, the texts are compared.
    """

    columns: tuple[str, ...] = ()
    """Columns to compare; without them, all that both files have, except direct identifiers. | Zu
    vergleichende Spalten; ohne Angabe alle gemeinsamen außer direkten Identifikatoren."""

    def measure(self, after: Microdata, *, before: Microdata | None = None) -> Finding:
        before = original(before, self.id)
        old, new = before.paired(after)
        touched = np.zeros(len(new))
        columns = {}
        for name in self._names(after, before):
            parts = _parts(old.column(name), new.column(name))
            columns[name] = {part: _share(cells) for part, cells in parts.items()}
            touched += np.sum(list(parts.values()), axis=0)
        cells = len(new) * len(columns)
        return Finding(
            value=float(touched.sum()) / cells if cells else math.nan,
            trusted=cells > 0,
            because=NOTHING if cells else _NOTHING_SHARED,
            details={
                "columns": columns,
                "records": _flow(before, after, new),
                **_columns_flow(before, after),
            },
            per_record=touched if len(new) == len(after) else None,
        )

    def _names(self, after: Microdata, before: Microdata) -> tuple[str, ...]:
        direct = {*before.role(Role.IDENTIFIER), *after.role(Role.IDENTIFIER)}
        return self.columns or tuple(n for n in before.names if n in after.columns and n not in direct)


def _parts(old: Column, new: Column) -> dict[str, Bools]:
    """Cells by what happened to them; a cell is in one part at most."""
    was, stays = old.observed, new.observed
    return {
        "changed": was & stays & _differ(old, new),
        "suppressed": was & new.suppressed,
        "made_missing": was & new.missing,
        "filled": ~was & stays,
    }


def _differ(old: Column, new: Column) -> Bools:
    """Cells whose value is another one; what stands under cells that are not observed does not matter."""
    if old.kind is new.kind and old.categories is None:
        differ: Bools = old.values != new.values
    elif old.kind.is_number and new.kind.is_number:
        differ = old.values.astype(np.float64) != new.values.astype(np.float64)
    else:
        differ = _other_text(old, new)
    return differ


def _other_text(old: Column, new: Column) -> Bools:
    """Compare as text, once for every distinct value."""
    place = {text: code for code, text in enumerate(new.distinct())}
    moved = np.array([place.get(text, -2) for text in old.distinct()] + [-2])
    differ: Bools = moved[old.true_codes()[0]] != new.true_codes()[0]
    return differ


def _share(cells: Bools) -> dict[str, Json]:
    return {"cells": int(cells.sum()), "share": float(cells.mean()) if len(cells) else math.nan}


def _flow(before: Microdata, after: Microdata, shared: Microdata) -> dict[str, int]:
    return {"shared": len(shared), "gone": len(before) - len(shared), "new": len(after) - len(shared)}


def _columns_flow(before: Microdata, after: Microdata) -> dict[str, Json]:
    return {
        "columns_gone": [n for n in before.names if n not in after.columns],
        "columns_new": [n for n in after.names if n not in before.columns],
    }
