"""Rare combinations: which sets of few keys single out records, for the office to look at."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Annotated, NamedTuple

import numpy as np
from pydantic import Field

from tarnkappe.errors.risk import TooManySets
from tarnkappe.kernels.candidate_units import class_units
from tarnkappe.kernels.classes import classes
from tarnkappe.kernels.minimal_uniques import MOST_SETS, sets_up_to
from tarnkappe.language import NOTHING, Text
from tarnkappe.risk.counting import printed, units_of_classes
from tarnkappe.risk.profiles import doubt_of
from tarnkappe.spec import Finding, Goal, Json, Measure, Source, measure
from tarnkappe.spec.needs import needs
from tarnkappe.vocab import Role

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tarnkappe.data.column import Bools, Ints
    from tarnkappe.data.microdata import Microdata

MOST = 50
_COUNTED = Text(
    "Counted over all records of the file, not estimated: there is no interval.",
    "Über alle Datensätze der Datei ausgezählt, nicht geschätzt: es gibt kein Intervall.",
)


class Rare(NamedTuple):
    """One rare combination: the keys it is made of, and the numbers of its records in the original file, counted from 1."""

    keys: tuple[str, ...]
    records: tuple[int, ...]


@measure(
    "risk.rare-combinations",
    title=Text("Rare combinations of few keys", "Seltene Kombinationen weniger Schlüssel"),
    does=Text(
        "Counts the records that have a rare combination of values on a few of the keys, and tells which keys these are.",
        "Zählt die Datensätze, die auf wenigen der Schlüssel eine seltene Wertekombination haben, und nennt diese Schlüssel.",
    ),
    sources=(
        Source("gottschalk2002", "section 4: occupancy of cells by region and industry"),
        Source("hundepool2012", "frequency rules on combinations of identifying variables"),
    ),
    reads=Text(
        "A share of {value} of the records has a rare combination of few keys.",
        "Ein Anteil von {value} der Datensätze hat eine seltene Kombination weniger Schlüssel.",
    ),
    knows=Text(
        "The attacker knows that the person is in the data, and the values of a few of the keys, whichever.",
        "Der Angreifer weiß, dass die Person in den Daten ist, und kennt die Werte einiger weniger Schlüssel, gleich welcher.",
    ),
    goal=Goal.LOW,
    bounds=(0, 1),
    alone=True,
    does_not=(
        Text(
            "know the population: a combination that is rare here may be frequent there",
            "die Grundgesamtheit kennen: Eine hier seltene Kombination kann dort häufig sein",
        ),
        Text(
            "take a hidden key for a value: combinations with a missing or suppressed key are left out",
            "einen verborgenen Schlüssel als Wert nehmen: Kombinationen mit fehlendem oder unterdrücktem Schlüssel bleiben weg",
        ),
    ),
    words={
        "sets_with_rare": Text("sets of keys with rare combinations", "Schlüsselmengen mit seltenen Kombinationen"),
        "worst_sets": Text("worst sets of keys", "ungünstigste Schlüsselmengen"),
    },
    example={"keys": ["postcode", "sex", "occupation"], "within": ["year"], "subsets": 1, "below": 2},
)  # fmt: skip
class RareCombinations(Measure):
    """The share of records that stand in fewer than `below` records on some set of at most `subsets` keys.

    The details name the sets of keys with the most rare records; no value is shown. `listed` gives, for use inside the office only,
    every smallest rare combination with the numbers of its records: one that is rare already on fewer of its keys is not listed again.
    """

    needs_roles = needs(keys=Role.KEY)

    keys: tuple[str, ...] = ()
    """Columns an attacker may know; without them, those with the role key. | Spalten, die ein Angreifer kennen kann; ohne Angabe die mit
    der Rolle key."""
    within: tuple[str, ...] = ()
    """Strata: a combination is rare within its stratum. | Schichten: Eine Kombination ist innerhalb ihrer Schicht selten."""
    subsets: Annotated[int, Field(ge=1)] = 2
    """So many of the keys the attacker knows at most. | So viele der Schlüssel kennt der Angreifer höchstens."""
    below: Annotated[int, Field(ge=2)] = 3
    """A combination is rare in fewer records than this. | In weniger Datensätzen als diesen ist eine Kombination selten."""

    def measure(self, after: Microdata, *, before: Microdata | None = None) -> Finding:
        per_record, table = np.zeros(len(after)), list[dict[str, Json]]()
        for names, ids, sizes, rare in self._sets(after):
            per_record += rare
            if rare.any():
                found = {"keys": names, "combinations": len(np.unique(ids[rare])), "records": int(rare.sum())}
                table.append({**found, "alone": int(np.sum(sizes[rare] == 1))})
        table.sort(key=lambda row: (-row["records"], len(row["keys"])))
        doubt = doubt_of(after, (*after.keys(self.keys), *self.within))
        return Finding(
            value=float(np.mean(per_record > 0)),
            baseline=None if before is None else self._share(before),
            trusted=doubt == NOTHING,
            because=doubt or _COUNTED,
            details={
                "keys": after.keys(self.keys), "within": self.within, "records": len(after), "subsets": self.subsets,
                "below": self.below, "sets_with_rare": len(table), "worst_sets": table[:MOST],
            },
            per_record=per_record,
        )  # fmt: skip

    def listed(self, data: Microdata) -> list[Rare]:
        """Every smallest rare combination by its keys and records, the rarest first. Not to leave the house."""
        out: list[Rare] = []
        known: dict[int, list[frozenset[str]]] = {}
        for names, ids, _, rare in self._sets(data):
            where = np.flatnonzero(rare)
            where = where[np.argsort(ids[where], kind="stable")]
            for group in np.split(where, np.flatnonzero(np.diff(ids[where])) + 1) if len(where) else ():
                new = [i for i in group if not any(s < frozenset(names) for s in known.get(int(i), ()))]
                if new:
                    out.append(Rare(names, tuple(data.record(i) for i in group)))
                for i in new:
                    known.setdefault(int(i), []).append(frozenset(names))
        return sorted(out, key=lambda rare: (len(rare.records), len(rare.keys), rare.records))

    def _share(self, data: Microdata) -> float:
        rare = np.zeros(len(data), dtype=np.bool_)
        for _, _, _, here in self._sets(data):
            rare |= here
        return float(rare.mean())

    def _sets(self, data: Microdata) -> Iterator[tuple[tuple[str, ...], Ints, Ints, Bools]]:
        """Every set of keys, small ones first: class and size of class of every record, and whether it is rare."""
        names = data.keys(self.keys)
        largest = min(self.subsets, len(names))
        if (count := sets_up_to(len(names), largest)) > MOST_SETS:
            raise TooManySets(keys=len(names), found=count, largest=largest, most=MOST_SETS)
        columns = dict(zip(names, printed(data, names), strict=True))
        strata = list(printed(data, self.within)) if self.within else []
        units = units_of_classes(data)
        for size in range(1, largest + 1):
            for chosen in combinations(names, size):
                found = classes([*strata, *(columns[name] for name in chosen)])
                hidden = np.any([columns[name][0] < 0 for name in chosen], axis=0)
                sizes = class_units(found, units)[found.ids]
                yield chosen, found.ids, sizes, (sizes < self.below) & ~hidden
