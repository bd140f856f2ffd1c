"""Unsorted matching: does the order of the records tell who they are?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, NamedTuple

import numpy as np
from pydantic import Field

from tarnkappe.data.column import Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.errors.data import EmptyData
from tarnkappe.errors.risk import OriginalNeeded
from tarnkappe.kernels.row_order import kept_order, runs, trend
from tarnkappe.language import NOTHING, Text, same
from tarnkappe.spec import Finding, Goal, Json, Measure, Source, measure
from tarnkappe.vocab import Kind, Role

FEWEST = 10
"""With fewer records an order cannot be told from chance."""
_FEW = Text(
    f"There are fewer than {FEWEST} records: an order cannot be told from chance.",
    f"Es sind weniger als {FEWEST} Datensätze: Eine Ordnung ist vom Zufall nicht zu unterscheiden.",
)


class _Test(NamedTuple):
    """One sign of an order: how strong, between 0 and 1, and how likely by chance."""

    name: str
    strength: float
    p: float


@measure(
    "risk.row-order",
    title=Text("Row order (unsorted matching)", "Reihenfolge (unsortiertes Matching)"),
    does=Text(
        "Checks whether the order of the records tells of the original file, of an identifier, of a key or of a sensitive value.",
        "Prüft, ob die Reihenfolge der Datensätze die Originaldatei, einen Identifikator, einen Schlüssel oder einen sensiblen Wert verrät.",
    ),
    sources=(
        Source("sweeney2002", "section 4.1: unsorted matching attack"),
        Source("dav2025", "section 4.2: weaknesses of k-anonymity, sorted order"),
        Source("waldwolfowitz1943", "serial correlation of a randomly ordered sequence"),
        Source("mood1940", "distribution of runs of several kinds of elements"),
    ),
    reads=Text(
        "The order of the records goes with something it should not tell, with a strength of {value} out of 1.",
        "Die Reihenfolge der Datensätze hängt mit etwas zusammen, das sie nicht verraten soll, mit einer Stärke von {value} von 1.",
    ),
    knows=Text(
        "The attacker has another file in the order of the original, or knows by what it was sorted.",
        "Der Angreifer hat eine andere Datei in der Reihenfolge des Originals oder weiß, wonach es sortiert war.",
    ),
    goal=Goal.LOW,
    bounds=(0, 1),
    compares=True,
    does_not=(
        Text(
            "see an order that neither goes up or down, nor groups neighbours, nor keeps places",
            "eine Ordnung erkennen, die weder steigt oder fällt noch Nachbarn gruppiert noch Plätze behält",
        ),
        Text(
            "tell anything of two files that are only taken to be in the same order",
            "etwas über zwei Dateien sagen, bei denen die gleiche Reihenfolge nur angenommen ist",
        ),
    ),
    words={
        "correlation": Text("rank correlation with the place", "Rangkorrelation mit dem Platz"),
        "followed": Text("followed by the same record as before", "vom selben Datensatz gefolgt wie vorher"),
        "in_place": Text("in their old place", "am alten Platz"),
        "neighbours": Text("likeness of neighbours", "Ähnlichkeit von Nachbarn"),
        "original_order": Text("order of the original", "Reihenfolge des Originals"),
        "p_value": Text("probability by chance", "Wahrscheinlichkeit durch Zufall"),
        "runs": Text("neighbours grouped", "Nachbarn gruppiert"),
        "strength": Text("strength", "Stärke"),
    },
    example={"columns": ["income", "name"], "chance": 0.01},
)
class RowOrder(Measure):
    """The strongest sign of an order that chance does not explain; 0 where chance explains all.

    The places of the released records in the original are known, so the check is exact: the rank correlation of old and new places, the
    records that stand where they stood, and those still followed by the one that followed them before. For every column (without `columns`:
    identifiers, keys and sensitive ones), with its original values: the rank correlation with the place, and how alike neighbours are, by
    serial correlation for numbers and by runs for categories. A sign counts if it would come about by chance with a probability of
    at most `chance` divided by the number of signs. Records that a method made up are passed over.
    """

    columns: tuple[str, ...] = ()
    """Columns of the original that the order must not tell; without them identifiers, keys and sensitive ones. | Spalten des Originals, die
    die Reihenfolge nicht verraten darf; ohne Angabe Identifikatoren, Schlüssel und sensible."""
    chance: Annotated[float, Field(gt=0, lt=1)] = 0.001
    """Largest probability that any of the signs is due to chance. | Größte Wahrscheinlichkeit, dass eines der Anzeichen Zufall ist."""

    def measure(self, after: Microdata, *, before: Microdata | None = None) -> Finding:
        if before is None:
            raise OriginalNeeded(who=same(self.id))
        if len(after) == 0:
            raise EmptyData
        old = before.aligned_to(after)
        tests = {
            "": tuple(_of_places(old)),
            **{n: tuple(_of_column(old.column(n))) for n in self._named(before)},
        }
        signs = [test for found in tests.values() for test in found]
        limit = self.chance / max(len(signs), 1)
        beyond = [test.strength for test in signs if test.p <= limit]
        doubt = _FEW if len(old) < FEWEST else NOTHING
        return Finding(
            value=float(max(beyond, default=0.0)),
            baseline=0.0,
            trusted=not doubt,
            because=doubt,
            details={
                "records": len(old),
                "signs": len(signs),
                "limit": limit,
                "original_order": _told(tests.pop("")),
                "columns": {name: _told(found) for name, found in tests.items()},
            },
        )

    def _named(self, before: Microdata) -> tuple[str, ...]:
        roles = (Role.IDENTIFIER, Role.KEY, Role.SENSITIVE)
        names = self.columns or tuple(dict.fromkeys(n for role in roles for n in before.role(role)))
        for name in names:
            before.column(name)
        return names


def _of_places(old: Microdata) -> Iterator[_Test]:
    """Old places among the records that are left, in their new order."""
    places = np.argsort(np.argsort(old.rows, kind="stable"), kind="stable")
    found, kept, n = trend(places.astype(np.float64)), kept_order(places), len(places)
    yield _Test("correlation", abs(found.correlation), found.correlation_p)
    yield _Test("neighbours", abs(found.neighbours), found.neighbours_p)
    yield _Test("in_place", kept.in_place / max(n, 1), kept.in_place_p)
    yield _Test("followed", kept.followed / max(n - 1, 1), kept.followed_p)


def _of_column(column: Column) -> Iterator[_Test]:
    codes, _ = column.true_codes()
    found = trend(np.where(codes < 0, np.nan, codes))
    yield _Test("correlation", abs(found.correlation), found.correlation_p)
    if column.kind in (Kind.CATEGORY, Kind.BOOLEAN):
        yield _Test("runs", *runs(codes[codes >= 0]))
    else:
        yield _Test("neighbours", abs(found.neighbours), found.neighbours_p)


def _told(tests: tuple[_Test, ...]) -> dict[str, Json]:
    return {test.name: {"strength": test.strength, "p_value": test.p} for test in tests}
