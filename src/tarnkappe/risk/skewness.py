"""Skewness: classes in which a sensitive value is far more or far less frequent than in the whole file."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Annotated

import numpy as np
from pydantic import Field

from tarnkappe.data.column import Bools, Floats, Ints
from tarnkappe.data.microdata import Microdata
from tarnkappe.errors.data import ValueUnknown
from tarnkappe.language import Text
from tarnkappe.risk.profiles import Apply, Score, Told, flagged
from tarnkappe.risk.weakness import Weakness
from tarnkappe.spec import Goal, Json, Maturity, Source, measure
from tarnkappe.spec.fields import Values
from tarnkappe.vocab import Kind

BANDS = 10
"""Numbers and dates with more values than this are put into so many classes of about equal size."""
_ON_A_SCALE = (Kind.INTEGER, Kind.NUMBER, Kind.DATE, Kind.DATETIME)
SHOWN = (2, 3, 4, 5)
"""The details give the most classes for these l."""


@measure(
    "risk.skewness",
    title=Text("Skewness", "Schiefe"),
    does=Text(
        "Finds the persons in classes in which a sensitive value is several times as frequent as in the whole file, or as rare.",
        "Findet die Personen in Klassen, in denen ein sensibler Wert um ein Mehrfaches häufiger ist als in der ganzen Datei oder seltener.",
    ),
    sources=(
        Source("li2007", "section 3: skewness attack on l-diversity"),
        Source("dav2025", "section 4.3: weaknesses of l-diversity, necessity and skewness"),
    ),
    reads=Text(
        "A share of {value} of all persons is in a class in which a sensitive value is far more or far less likely than elsewhere.",
        "Ein Anteil von {value} aller Personen ist in einer Klasse, in der ein sensibler Wert viel wahrscheinlicher oder "
        "unwahrscheinlicher ist als sonst.",
    ),
    knows=Text(
        "The attacker knows that the person is in the data, the true values of all keys, and the distribution in the whole file.",
        "Der Angreifer weiß, dass die Person in den Daten ist, und kennt die wahren Werte aller Schlüssel und die Verteilung in der "
        "ganzen Datei.",
    ),
    goal=Goal.LOW,
    bounds=(0, 1),
    alone=True,
    does_not=(
        Text(
            "tell skewness from chance: in small classes shares vary; compare with the share by chance in the details",
            "Schiefe von Zufall unterscheiden: In kleinen Klassen schwanken die Anteile; vergleichen Sie mit dem Anteil durch Zufall "
            "in den Einzelheiten",
        ),
    ),
    maturity=Maturity.REPLICATED,
    words={
        "classes_possible": Text("most classes that are possible, by l:", "höchstens mögliche Klassen, nach l:"),
    },
    example={
        "keys": ["sex", "year"], "missing": "wildcard", "suppressed": "category", "sensitive": ["diagnosis", "occupation"],
        "others_known": True, "unknown": "skip", "ratio": 2, "difference": 0.1, "values": {"diagnosis": ["cancer"]},
    },
)  # fmt: skip
class Skewness(Weakness):
    """The share of persons in classes where a value is `ratio` times as frequent as in the whole release, or as rare.

    With p the share of the value in the class and q in the whole release, a class is skewed if p/q ≥ ratio or p/q ≤ 1/ratio,
    and p and q differ by at least `difference`: that hardly anybody has a rare disease is no news. `values` names the values that count; without
    them all do. Numbers and dates with more than ten values are put into ten classes of about equal size first. The details say how many classes the sensitive values allow at most if each class must hold l = 2, 3, 4, 5 of
    them: the largest E with Σ min(count, E) ≥ l·E. Keys count as in `risk.k-anonymity`, with all its policies. Per record: the largest
    of p/q and q/p; infinite where a value is not in the class.
    """

    ratio: Annotated[float, Field(gt=1)] = 5.0
    """From so many times the share in the whole file on, or its inverse. | Ab diesem Vielfachen des Anteils in der ganzen Datei oder dem
    Kehrwert."""
    difference: Annotated[float, Field(gt=0, lt=1)] = 0.2
    """Smallest difference of the two shares that counts. | Kleinster Unterschied der beiden Anteile, der zählt."""
    values: Values = Field(default_factory=dict)
    """Values of a column that count; without them, all. | Werte einer Spalte, die zählen; ohne sie alle."""

    def told(self, data: Microdata, name: str) -> Told:
        told = super().told(data, name)
        many = told.kind in _ON_A_SCALE and len(told.shares) > BANDS
        return _banded(told) if many and name not in self.values else told

    def knows_nearness(self) -> bool:
        return True

    def score(self, data: Microdata, told: Told) -> Score:
        from tarnkappe.kernels import weakness_scores as scores  # noqa: PLC0415 - numba is loaded when first used

        watched = self._watched(data, told)
        return lambda shown: scores.largest_skew(*shown, told.shares, watched, self.difference)

    def exposed(self, score: Floats) -> Bools:
        return np.asarray(score >= self.ratio * (1 - 1e-12))

    def figures(self, data: Microdata, told: Told, apply: Apply) -> dict[str, Json]:
        del data, apply
        counts = np.bincount(told.codes[told.codes >= 0])
        return {"classes_possible": {str(variety): most_classes(counts, variety) for variety in SHOWN}}

    def _watched(self, data: Microdata, told: Told) -> Bools:
        if told.name not in self.values:
            return np.ones(len(told.shares), dtype=np.bool_)
        watched = flagged(data, told, self.values[told.name])
        if not watched.any():
            raise ValueUnknown(name=told.name, count=len(self.values[told.name]), first=1)
        return watched


def _banded(told: Told) -> Told:
    """Neighbouring values together, so that each band holds about a tenth of the records."""
    middle = np.cumsum(told.shares) - told.shares / 2
    band = np.unique(np.floor(middle * BANDS), return_inverse=True)[1]
    place = np.append(band, -1).astype(told.codes.dtype)
    shares: Floats = np.bincount(band, weights=told.shares).astype(np.float64)
    return replace(told, codes=place[told.codes], kinds=np.arange(len(shares)), shares=shares)


def most_classes(counts: Ints, variety: int) -> int:
    """The largest E with Σ min(count, E) ≥ variety · E: so many classes can each hold that many different values.

    The difference of the two sides is concave in E and 0 at E = 0, so the numbers that fit are 0 … E.
    """
    low, high = 0, math.ceil(int(counts.sum()) / variety) + 1
    while high - low > 1:
        middle = (low + high) // 2
        fits = int(np.minimum(counts, middle).sum()) >= variety * middle
        low, high = (middle, high) if fits else (low, middle)
    return low
