"""Two-stage risk: how many useful values an attacker gets who links files by distance."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from pydantic import Field

from tarnkappe.data.column import Bools, Column, Floats
from tarnkappe.data.microdata import Microdata
from tarnkappe.errors.data import BeforeNeeded
from tarnkappe.errors.risk import NothingToLearn, SensitiveIsKey
from tarnkappe.language import Text
from tarnkappe.risk.linkage import KNOWS, SOURCES, Linkage
from tarnkappe.risk.outside import Outside, places
from tarnkappe.risk.register import stacked
from tarnkappe.spec import Finding, Goal, Json, Source, measure
from tarnkappe.vocab import Role

_GAINED = (Role.NUMERIC, Role.SENSITIVE)


@measure(
    "risk.useful-hits",
    title=Text("Useful hits (two-stage risk)", "Brauchbare Treffer (zweistufiges Risiko)"),
    does=Text(
        "Gives the share of the values of a person searched that an attacker gets rightly and closely enough to be of use: the right record, "
        "and in it values with a relative error of at most f.",
        "Gibt an, welchen Anteil der Werte einer gesuchten Person ein Angreifer richtig und genau genug erhält: den richtigen Datensatz und "
        "darin Werte mit einem relativen Fehler von höchstens f.",
    ),
    sources=(
        Source("hoehne2010", "section 1.2: two-stage measure; section 4.2.2: usefulness p and f; spec R05, R06"),
        Source("hoehnesturmvorgrimler2003", "two-stage measure of protection"),
        Source("lenzsturmvorgrimler2004", "the attacker who wants useful values with probability p"),
        *SOURCES[1:],
    ),
    reads=Text(
        "An attacker gets {value} of the values he looks for, rightly assigned and useful.",
        "Ein Angreifer erhält {value} der Werte, die er sucht, richtig zugeordnet und brauchbar.",
    ),
    knows=KNOWS,
    goal=Goal.LOW,
    bounds=(0, 1),
    compares=True,
    does_not=(
        Text(
            "say how sure an attacker is of a single value: he cannot check his links",
            "sagen, wie sicher sich ein Angreifer eines einzelnen Wertes ist: Er kann seine Zuordnungen nicht prüfen",
        ),
        Text(
            "count what is learnt from a wrong record that happens to have a similar value: see risk.inference",
            "zählen, was ein falscher Datensatz mit zufällig ähnlichem Wert verrät: siehe risk.inference",
        ),
    ),
    words={
        "useful_of_hits": Text("useful values of those found", "brauchbare Werte der Gefundenen"),
        "useful_values": Text("useful values, in number", "brauchbare Werte, Anzahl"),
    },
    example={
        "keys": ["sex", "age", "occupation"], "within": ["region"], "known_share": 0.9, "number_error": 0.05, "category_error": 0.03,
        "gaps": 0.02, "by": "employees", "top": 2, "distance": "gower", "scale": "rank", "match": "one-to-one", "nearest": 2, "importance": {"sex": 2.0},
        "unknown": "agrees", "presence_known": False, "columns": ["income", "diagnosis"], "f": 0.1,
    },
)  # fmt: skip
class UsefulHits(Linkage):
    """Risk = (1/N) Σ [right record] · (1/m) Σ [ |released - true| ≤ f · |true| ], over the N persons searched and their m values.

    A person is linked as in `risk.linkage`; where the link is a chance, its probability counts. A value is useful if it is off by at most
    the part f of the true value: of zero only zero is. A category is useful if it is right, also a coarser one from the hierarchy of
    the column. A value that was suppressed is not; one that was missing in the original is none of the m.

    Data counts as anonymous against mass attacks where the risk is below the p of a risk-averse attacker, for example 90 % with f = 5 %: ask
    for that with a gate, `at_most: 0.9`. The details tell the share of useful values among the hits, all and by column.
    """

    columns: tuple[str, ...] = ()
    """What the attacker wants to learn; without it, numeric and sensitive columns that are not keys. | Was der Angreifer erfahren will; ohne
    Angabe numerische und sensible Spalten, die keine Schlüssel sind."""
    f: Annotated[float, Field(ge=0, lt=1)] = 0.05
    """Relative error up to which a value is useful. | Relativer Fehler, bis zu dem ein Wert brauchbar ist."""

    def attack(self, outside: Outside) -> Finding:
        if outside.original is None:
            raise BeforeNeeded(who=self.id)
        names = self._gained(outside, outside.original)
        links = self.links(outside)
        useful, had = self._useful(outside, outside.original, names)
        own = np.maximum(outside.truth, 0)
        of_person = _mean(useful, had)[own]
        hit = np.zeros(len(outside.released))
        hit[outside.truth[outside.there]] = links.right[outside.there]
        more: dict[str, Json] = {
            "f": self.f, "useful_of_hits": _share(useful, had, hit),
            "columns": {name: _share(useful[:, [j]], had[:, [j]], hit) for j, name in enumerate(names)},
            "useful_values": float(((useful & had).sum(axis=1) * hit).sum()),
        }  # fmt: skip
        return self.finding(links, links.right * of_person, links.by_chance * of_person, more)

    def _gained(self, outside: Outside, original: Microdata) -> tuple[str, ...]:
        known = {*(key.name for key in outside.keys), *self.within}
        for name in self.columns:
            if name in known:
                raise SensitiveIsKey(name=name)
            outside.released.column(name)
            original.column(name)
        there = set(outside.released.names) & set(original.names) - known
        chosen = self.columns or tuple(n for role in _GAINED for n in original.role(role) if n in there)
        if not chosen:
            raise NothingToLearn(who=self.id)
        return tuple(dict.fromkeys(chosen))

    def _useful(self, outside: Outside, original: Microdata, names: tuple[str, ...]) -> tuple[Bools, Bools]:
        """For every released record and column: is the value useful, and is there a true one to be learnt?"""
        place = places(outside.released.rows, original.rows)
        true = original.take(np.maximum(place, 0))
        pairs = [(outside.released.column(name), true.column(name)) for name in names]
        had = np.column_stack([~old.missing & (place >= 0) for _, old in pairs])
        return np.column_stack([useful(new, old, self.f) for new, old in pairs]), had


def useful(released: Column, true: Column, f: float) -> Bools:
    """Values that are off by at most the part f of the true one; categories that are right."""
    if not (released.kind.is_number and true.kind.is_number):
        both = stacked(released, true)
        n = len(released)
        return np.asarray((both.codes[:n] == both.codes[n:]) & released.observed & ~true.missing)
    y, x = released.numbers(), np.where(true.missing, np.nan, true.values.astype(np.float64))
    with np.errstate(invalid="ignore", over="ignore"):  # infinite minus infinite is unknown, and equal
        return np.asarray((np.abs(y - x) <= f * np.abs(x)) & np.isfinite(x) | (y == x))


def _mean(useful: Bools, had: Bools) -> Floats:
    """The share of the values of every record that is useful; 0 where it has none."""
    return np.asarray((useful & had).sum(axis=1) / np.maximum(had.sum(axis=1), 1))


def _share(useful: Bools, had: Bools, hit: Floats) -> float | None:
    total = float((had.sum(axis=1) * hit).sum())
    return float(((useful & had).sum(axis=1) * hit).sum()) / total if total > 0 else None
