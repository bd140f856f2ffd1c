"""Dropping columns."""

from __future__ import annotations

from collections.abc import Mapping

from tarnkappe.data.microdata import Microdata
from tarnkappe.errors.data import NothingLeft
from tarnkappe.language import Text
from tarnkappe.methods.microdata.step_remarks import (
    also_to_drop,
    left_out,
    rare_combinations,
    still_computed,
)
from tarnkappe.randomness import Stream
from tarnkappe.spec import Claim, Family, Json, Leaves, Method, Source, method
from tarnkappe.spec.fields import Columns


def _gone(m: Drop, before: Microdata, after: Microdata) -> bool:
    del before
    return not set(m.columns) & set(after.names)


def _rest_untouched(m: Drop, before: Microdata, after: Microdata) -> bool:
    kept = [name for name in before.names if name not in m.columns]
    return list(after.names) == kept and all(after.columns[name] is before.columns[name] for name in kept)


@method(
    "microdata.drop",
    family=Family.RECODE,
    leaves=Leaves.VALUES,
    title=Text("Drop columns", "Spalten entfernen"),
    does=Text(
        "Columns were removed from the file.",
        "Spalten wurden aus der Datei entfernt.",
    ),
    sources=(
        Source("hoehne2010", "section 2.1.1, suppression of variables without substitute"),
        Source("gottschalk2002", "4.2, removal of variables (G-M03)"),
        Source("dav2025", "section 3.1 and step 2: direct identifiers are removed first"),
    ),
    preserves=(
        Claim(
            Text("every other column, cell by cell", "jede andere Spalte, Zelle für Zelle"), _rest_untouched
        ),
    ),
    protects=(
        Claim(
            Text("the dropped columns are not in the file", "die entfernten Spalten fehlen in der Datei"),
            _gone,
        ),
    ),
    does_not=(
        Text(
            "stop a dropped column from being computed from those that stay, as total and share give the part: the step only says so; what the finished release "
            "gives back by a linear formula, products or quotients is refused",
            "verhindern, dass sich eine entfernte Spalte aus den übrigen errechnen lässt, wie Summe und Anteil den Teil ergeben: der Schritt sagt es nur; was die fertige "
            "Freigabe durch eine lineare Formel, Produkte oder Quotienten zurückgibt, wird abgelehnt",
        ),
        Text("protect the columns that stay", "die verbliebenen Spalten schützen"),
    ),
    advice=Text(
        "Columns were removed; analyses that need them are not possible.",
        "Spalten wurden entfernt; Auswertungen, die sie brauchen, sind nicht möglich.",
    ),
    words={"removed": Text("removed columns", "entfernte Spalten")},
    example={"columns": ["name", "owner"]},
    takes_identifiers=True,
)
class Drop(Method):
    """Drop columns, and with them their roles.

    Use it first of all on direct identifiers, then on columns that raise the risk more than they are worth to
    the people who will analyse the file. All analyses that use only the other columns stay exactly as they
    were. Dropping every column is refused.

    What a column holds, missing, suppressed, zero, negative, constant or tied values, makes no difference.
    """

    columns: Columns
    """Columns to drop. | Spalten, die entfernt werden."""

    def treated_columns(self) -> tuple[str, ...]:
        return ()

    def drops(self) -> tuple[str, ...]:
        return tuple(self.columns)

    def apply(self, data: Microdata, stream: Stream) -> Microdata:
        del stream
        after = data.without(self.columns)
        if not after.columns:
            raise NothingLeft(who=self.id)
        return after

    def remarks(self, before: Microdata, after: Microdata) -> tuple[Text, ...]:
        return (
            *left_out(before, self.columns),
            *rare_combinations(before, after),
            *still_computed(before, after),
            *also_to_drop(after),
        )

    def tells(self, before: Microdata, after: Microdata) -> Mapping[str, Json]:
        """Which columns are gone (Gottschalk 2002, 5.1: the list of removed variables is published, their values are not)."""
        del before, after
        return {"removed": list(self.columns)}
