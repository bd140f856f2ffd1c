"""Weights that give categories away: records with the same weight came from the same stratum."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated

import numpy as np
from pydantic import Field

from tarnkappe.data.column import Bools, Floats, Ints
from tarnkappe.data.microdata import Microdata
from tarnkappe.errors.data import EmptyData
from tarnkappe.errors.risk import OriginalNeeded, RecordsUnmatched, WeightNeeded
from tarnkappe.kernels.classes import classes, first_records
from tarnkappe.kernels.coding import dense_codes
from tarnkappe.kernels.proportions import clopper_pearson
from tarnkappe.language import NOTHING, Text, same
from tarnkappe.risk.populations import LEVEL
from tarnkappe.risk.register import stacked
from tarnkappe.spec import Finding, Goal, Json, Measure, Source, measure
from tarnkappe.spec.needs import needs
from tarnkappe.vocab import Role

_UNITS = (Role.IDENTIFIER, Role.HOUSEHOLD, Role.UNIT, Role.OWNER)
_NOTHING_HIDDEN = Text(
    "No category was changed or suppressed, so there is nothing the weights could give back; the details tell what they would.",
    "Keine Kategorie wurde verändert oder unterdrückt; die Gewichte können also nichts zurückgeben. Die Einzelheiten sagen, was sie verrieten.",
)
_ONE_WEIGHT = Text(
    "All weights are the same, so they tell no stratum.",
    "Alle Gewichte sind gleich; sie verraten also keine Schicht.",
)


@measure(
    "risk.weight-leakage",
    title=Text("Categories given away by weights", "Durch Gewichte verratene Kategorien"),
    does=Text(
        "Groups records by their weight and counts the changed or suppressed categories that the most frequent one of the group gives back.",
        "Gruppiert Datensätze nach ihrem Gewicht und zählt die veränderten oder unterdrückten Kategorien, die die häufigste der Gruppe "
        "zurückgibt.",
    ),
    sources=(
        Source(
            "hoehne2010",
            "section 2.2.2, PRAM: equal weights point to equal categories of the strata; spec R17",
        ),
    ),
    reads=Text(
        "Of one column a share of {value} of the hidden categories can be told from the weights.",
        "Bei einer Spalte verraten die Gewichte einen Anteil von {value} der verborgenen Kategorien.",
    ),
    knows=Text(
        "The attacker has the release only, and knows that a sample was drawn by strata and weighted by stratum.",
        "Der Angreifer hat nur die Freigabe und weiß, dass nach Schichten gezogen und je Schicht gewichtet wurde.",
    ),
    goal=Goal.LOW,
    bounds=(0, 1),
    compares=True,
    does_not=(
        Text(
            "find strata whose weights were altered afterwards, such as by calibration: then weights differ from record to record",
            "Schichten finden, deren Gewichte nachträglich verändert wurden, etwa durch Kalibrierung: Dann hat jeder Datensatz ein anderes",
        ),
        Text(
            "find persons by a weight that nobody else has: name it as a key",
            "Personen an einem Gewicht finden, das sonst niemand hat: Nennen Sie es als Schlüssel",
        ),
    ),
    words={
        "given_back": Text("of these given back", "davon zurückgegeben"),
        "hidden_cells": Text("changed or suppressed categories", "veränderte oder unterdrückte Kategorien"),
        "share_in_constant_classes": Text(
            "records whose weight stands for one category only",
            "Datensätze, deren Gewicht für nur eine Kategorie steht",
        ),
        "weight_classes": Text("different weights", "verschiedene Gewichte"),
    },
    example={"columns": ["region", "sex"], "k": 2, "certainty": 0.6},
)
class WeightLeakage(Measure):
    """The largest share of the hidden categories of a column that records with the same weight give back.

    A category is hidden where the release shows another one than the original, or none. In every class of equal weights with at least `k`
    records that show something, the most frequent released category is taken for that of the stratum if its share is above `certainty`.
    A hidden category comes back if that is the true one. `baseline`: the most frequent category of the whole release. The details tell for
    every column how many records stand in classes in which the original has one category only, and how often the attacker is misled:
    the share of categories shown rightly that he would take for changed. The interval is that of Clopper and Pearson.
    """

    needs_roles = needs(Role.WEIGHT)

    columns: tuple[str, ...] = ()
    """Categories that were masked; without them, those with the role stratum or key and all that were changed. | Kategorien, die maskiert wurden;
    ohne Angabe die mit der Rolle stratum oder key und alle, die verändert wurden."""
    k: Annotated[int, Field(ge=2)] = 3
    """Smallest class of equal weights that tells something. | Kleinste Klasse gleicher Gewichte, die etwas verrät."""
    certainty: Annotated[float, Field(ge=0, lt=1)] = 0.5
    """Above this share the most frequent category is believed. | Über diesem Anteil wird der häufigsten Kategorie geglaubt."""

    def measure(self, after: Microdata, *, before: Microdata | None = None) -> Finding:
        if before is None:
            raise OriginalNeeded(who=same(self.id))
        if len(after) == 0:
            raise EmptyData
        old, new = before.paired(after)
        if len(new) == 0:
            raise RecordsUnmatched(who=self.id)
        weight = new.role(Role.WEIGHT)
        if not weight:
            raise WeightNeeded(who=self.id)
        of, count = dense_codes(np.nan_to_num(new.column(weight[0]).numbers(), nan=-1.0))
        names = self._chosen(old, new)
        found = {name: self._told(new, old, name, (of.astype(np.int64), count)) for name in names}
        worst = max(
            found.values(), key=lambda one: (one.share, one.hidden), default=_Told(0, 0, 0.0, 0.0, 0.0)
        )
        low, high = clopper_pearson(worst.back, worst.hidden, LEVEL) if worst.hidden else (None, None)
        doubt = _ONE_WEIGHT if count < 2 else NOTHING
        return Finding(
            value=worst.share,
            low=low,
            high=high,
            baseline=worst.naive,
            trusted=not doubt,
            because=doubt or (NOTHING if worst.hidden else _NOTHING_HIDDEN),
            details={
                "records": len(new), "weight_classes": count, "level": LEVEL, "certainty": self.certainty, "k": self.k,
                "columns": {name: one.as_json() for name, one in found.items()},
            },
        )  # fmt: skip

    def _chosen(self, old: Microdata, new: Microdata) -> tuple[str, ...]:
        for name in self.columns:
            old.column(name), new.column(name)
        own = (
            n
            for role in (Role.STRATUM, Role.KEY)
            for n in new.role(role)
            if n in old.columns and new.is_category(n)
        )
        return self.columns or tuple(dict.fromkeys((*own, *_changed(old, new))))

    def _told(self, new: Microdata, old: Microdata, name: str, weights: tuple[Ints, int]) -> _Told:
        n = len(new)
        both = stacked(new.column(name), old.column(name))
        shown = np.where(new.column(name).observed, both.codes[:n], -1).astype(np.int64)
        true = np.where(old.column(name).missing, -1, both.codes[n:]).astype(np.int64)
        there = true >= 0
        hidden = there & (shown != true)
        believed = _dominant(shown, weights, both.categories, self.k, self.certainty)
        usual = int(np.argmax(np.bincount(shown[shown >= 0], minlength=1))) if (shown >= 0).any() else -1
        return _Told(
            int(hidden.sum()),
            int(np.sum(hidden & (believed == true))),
            _mean(true[hidden] == usual),
            _mean(_constant(true, weights, both.categories)[there]),
            _mean(((believed >= 0) & (believed != true))[there & ~hidden]),
        )


def _changed(old: Microdata, new: Microdata) -> Iterator[str]:
    """Categories of which cells were changed or suppressed, other than numbers of units."""
    units = {n for role in _UNITS for n in old.role(role)}
    for name, column in new.columns.items():
        if (
            name in old.columns
            and name not in units
            and new.is_category(name)
            and column is not old.column(name)
        ):
            yield name


@dataclass(frozen=True, slots=True)
class _Told:
    """What the weights tell of a column."""

    hidden: int
    back: int
    naive: float
    constant: float
    misled: float

    @property
    def share(self) -> float:
        return self.back / self.hidden if self.hidden else 0.0

    def as_json(self) -> dict[str, Json]:
        return {
            "hidden_cells": self.hidden, "given_back": self.back, "share": self.share, "naive": self.naive,
            "share_in_constant_classes": self.constant, "misled": self.misled,
        }  # fmt: skip


def _mean(hit: Bools | Floats) -> float:
    return float(np.mean(hit)) if len(hit) else 0.0


def _dominant(shown: Ints, weights: tuple[Ints, int], categories: int, k: int, certainty: float) -> Ints:
    """For every record the category that is believed of its class; -1 where none is."""
    of, count = weights
    seen = shown >= 0
    sizes = np.bincount(of[seen], minlength=count)
    pairs = classes([(of[seen], count), (shown[seen], categories)])
    first = np.flatnonzero(seen)[first_records(pairs)]
    ascending = np.argsort(pairs.sizes, kind="stable")
    most, kind = np.zeros(count, dtype=np.int64), np.full(count, -1, dtype=np.int64)
    most[of[first[ascending]]] = pairs.sizes[ascending]  # the largest is written last
    kind[of[first[ascending]]] = shown[first[ascending]]
    sure = (sizes >= k) & (most > certainty * sizes)
    return np.where(sure, kind, -1)[of]


def _constant(true: Ints, weights: tuple[Ints, int], categories: int) -> Bools:
    """Records whose class of equal weights, of at least two, has one category only in the original."""
    of, count = weights
    there = true >= 0
    sizes = np.bincount(of[there], minlength=count)
    pairs = classes([(of, count), (np.where(there, true, categories), categories + 1)])
    own = pairs.sizes[pairs.ids]
    return np.asarray(there & (sizes[of] > 1) & (own == sizes[of]))
