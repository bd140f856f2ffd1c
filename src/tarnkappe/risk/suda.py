"""SUDA: records that are special because few keys make them unique."""

from __future__ import annotations

from itertools import pairwise
from math import prod
from typing import TYPE_CHECKING, Annotated, NamedTuple

import numpy as np
from pydantic import Field

from tarnkappe.data.sampling_weights import weights_of
from tarnkappe.data.strata import strata_of
from tarnkappe.errors.risk import RegisterTooSmall, TooManySets
from tarnkappe.kernels.classes import MISSING_CODE, classes
from tarnkappe.language import NOTHING, Text
from tarnkappe.risk.counting import checked, printed
from tarnkappe.risk.populations import Estimated, Summary, figures
from tarnkappe.risk.profiles import doubt_of
from tarnkappe.spec import Finding, Goal, Json, Measure, Source, measure
from tarnkappe.spec.needs import needs
from tarnkappe.vocab import Missing, Role

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tarnkappe.data.column import Floats, Ints
    from tarnkappe.data.microdata import Microdata

_BANDS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 1.0)
_SCORED = Text(
    "The score orders records by how special they are, scaled so that its level is that of the chance of a right match: it has no interval.",
    "Der Wert ordnet Datensätze danach, wie besonders sie sind, und hat im Mittel die Höhe der Wahrscheinlichkeit eines richtigen Treffers: "
    "Es gibt kein Intervall.",
)

_UNKNOWN = Text(
    "Nothing is known of the population: everybody may be in the file, so whoever is unique on some keys counts as found. Give a column the role "
    "weight, or say population, for scores in between; the raw scores order the records.",
    "Über die Grundgesamtheit ist nichts bekannt: Alle können in der Datei sein, darum gilt als gefunden, wer in einigen Schlüsseln einzigartig "
    "ist. Geben Sie einer Spalte die Rolle weight oder nennen Sie population, um Werte dazwischen zu erhalten; die Rohwerte ordnen die Datensätze.",
)
MOST_SCORES = 50
"""Different raw scores that are listed."""


class Special(NamedTuple):
    """Minimal sample uniques and what follows from them."""

    records: Ints
    members: NDArray[np.bool_]
    """(minimal uniques, keys)"""
    scores: Floats
    """Score of every minimal unique."""
    of_record: Floats
    """Score of every record."""


@measure(
    "risk.suda",
    title=Text("Special uniques (SUDA2)", "Besondere Einzigartige (SUDA2)"),
    does=Text(
        "Finds the smallest sets of keys that make a record unique, and scores every record by how few and how many they are.",
        "Findet die kleinsten Mengen von Schlüsseln, die einen Datensatz einzigartig machen, und bewertet jeden Datensatz danach, wie klein "
        "und wie viele sie sind.",
    ),
    sources=(
        Source("manning2008", "algorithm SUDA2: minimal sample uniques"),
        Source("elliot2005", "SUDA score and its combination with DIS"),
        Source("skinnerelliot2002", "DIS: chance of a right match given a unique match"),
    ),
    reads=Text(
        "By the chosen summary, the DIS-SUDA score is {value}.",
        "Der DIS-SUDA-Wert beträgt in der gewählten Zusammenfassung {value}.",
    ),
    knows=Text(
        "The attacker knows some of the keys of a person, whichever, and does not know who was drawn.",
        "Der Angreifer kennt einige der Schlüssel einer Person, gleich welche, und weiß nicht, wer gezogen wurde.",
    ),
    goal=Goal.LOW,
    bounds=(0, 1),
    alone=True,
    does_not=(
        Text(
            "give the probability of a single record to be found: it orders records; see risk.individual",
            "die Wahrscheinlichkeit angeben, mit der ein einzelner Datensatz gefunden wird: Es ordnet Datensätze; siehe risk.individual",
        ),
        Text(
            "count a missing or suppressed key as a match for others: a record counts as unique where a hidden value may equal it",
            "einen fehlenden oder unterdrückten Schlüssel als Übereinstimmung zählen: Ein Datensatz gilt auch dann als einzigartig, wenn ein "
            "verborgener Wert ihm gleichen könnte",
        ),
    ),
    words={
        "contributions": Text("contribution of the key", "Beitrag des Schlüssels"),
        "dis": Text("chance that a match of a unique record is right", "Wahrscheinlichkeit, dass ein Treffer eines Einzelfalls stimmt"),
        "records_with_sets": Text("records with a rare set of keys", "Datensätze mit einer seltenen Schlüsselmenge"),
        "raw_scores": Text("raw scores, without the population", "Rohwerte, ohne Grundgesamtheit"),
        "records_by_score": Text("records by raw score", "Datensätze nach Rohwert"),
        "sets_by_size": Text("rare sets by number of keys", "seltene Mengen nach Zahl der Schlüssel"),
    },
    example={
        "keys": ["postcode", "sex", "occupation"], "missing": "wildcard", "within": ["year"], "population": 600, "subsets": 2,
        "summary": "average", "threshold": 0.2,
    },
)  # fmt: skip
class Suda(Measure):
    """The DIS-SUDA score of every record, and one number for the file.

    A minimal sample unique is a set of keys on which a record is alone while it is not so on any part of the set. With K keys and
    sets of at most M, one of s keys scores (K-s)(K-s-1)…(K-M), with M = K the factorial of K-s; a record scores the sum over its
    sets. DIS is the chance that a record that matches one person only is that person's, estimated from the records that
    occur once and twice and the share that was drawn; the score of a record raises or lowers it.

    Where nothing is known of the population, everybody may be in the file: whoever is unique counts as found, and the raw scores, which need no
    population, order the records. They are in `per_cell["score"]` of the finding and in `scores(data)`; the details tell how they are spread.

    A suppressed key is never part of a set, a missing one only where it counts as a category. The details tell how many sets of each size were
    found and which key contributes how much.
    """

    needs_roles = needs(keys=Role.KEY)

    keys: tuple[str, ...] = ()
    """Columns an attacker may know; without them, those with the role key. | Spalten, die ein Angreifer kennen kann; ohne Angabe die mit
    der Rolle key."""
    missing: Missing = Missing.CATEGORY
    """A missing key is a category of its own, never part of a set (wildcard), or an error (refuse). | Ein fehlender Schlüssel ist eine
    eigene Kategorie (category), nie Teil einer Menge (wildcard) oder ein Fehler (refuse)."""
    within: tuple[str, ...] = ()
    """Strata: records are unique within their stratum. | Schichten: Datensätze sind innerhalb ihrer Schicht einzigartig."""
    population: Estimated | None = None
    """The weights of the records, or the size of the population; without it the weights where a column has that role, otherwise nothing is known
    of it. | Die Gewichte der Datensätze (weights) oder die Größe der Grundgesamtheit; ohne Angabe die Gewichte, wo eine Spalte diese Rolle hat, sonst ist
    nichts über sie bekannt."""
    subsets: Annotated[int, Field(ge=1)] | None = None
    """Largest number of keys of a set; without it, all keys. | Größte Zahl von Schlüsseln einer Menge; ohne Angabe alle."""
    summary: Summary = Summary.HIGHEST
    """The number that is told: the highest score, the average, or the share of records above the threshold. | Welche Zahl genannt wird:
    der höchste Wert (highest), der mittlere (average) oder der Anteil der Datensätze über der Schwelle (share-at-risk)."""
    threshold: Annotated[float, Field(gt=0, lt=1)] = 0.1
    """A record is at risk above this. | Darüber gilt ein Datensatz als gefährdet."""

    def measure(self, after: Microdata, *, before: Microdata | None = None) -> Finding:
        found = self.found(after)
        dis, risk = self._scored(after, found)
        told = figures(risk, self.threshold)
        names = after.keys(self.keys)
        doubt = doubt_of(after, (*names, *self.within))
        baseline = (
            None
            if before is None
            else figures(self._scored(before, self.found(before))[1], self.threshold)[self.summary.value]
        )
        details: dict[str, Json] = {
            "keys": names, "missing": self.missing.value, "suppressed": "skip", "within": self.within, "records": len(after),
            "population": self.population, "threshold": self.threshold, **told, "summary": self.summary.value, "dis": dis,
            "records_with_sets": int(np.sum(found.of_record > 0)), "sets_by_size": _by_size(found), "scores": _banded(risk),
            "contributions": _contributions(found, names), "raw_scores": _spread(found.of_record),
        }  # fmt: skip
        return Finding(
            told[self.summary.value], None, None, baseline, doubt == NOTHING,
            doubt or (_UNKNOWN if self._drawn(after) is None else _SCORED), details, risk, {"score": found.of_record},
        )  # fmt: skip

    def scores(self, data: Microdata) -> Floats:
        """The raw score of every record: the sum over its minimal sample uniques, without DIS."""
        return self.found(data).of_record

    def found(self, data: Microdata) -> Special:
        """All minimal sample uniques, for the office."""
        from tarnkappe.kernels.minimal_uniques import minimal_uniques  # noqa: PLC0415 - numba is loaded when first used

        codes, largest = self._codes(data), self._largest(data)
        records, sets = [], []
        for block in strata_of(data, self.within).blocks():
            part = minimal_uniques(codes[block], largest)
            records.append(block[part.records])
            sets.append(part.sets)
        bits = np.concatenate(sets)
        members = (bits[:, None] >> np.arange(codes.shape[1]) & 1).astype(np.bool_)
        scores = _score_by_size(codes.shape[1], largest)[members.sum(axis=1)]
        of = np.concatenate(records)
        return Special(of, members, scores, _summed(of, scores, len(data)))

    def _largest(self, data: Microdata) -> int:
        from tarnkappe.kernels.minimal_uniques import MOST_KEYS, MOST_SETS, sets_up_to  # noqa: PLC0415

        keys = len(data.keys(self.keys))
        largest = min(self.subsets or keys, keys)
        count = sets_up_to(keys, largest)
        if count > MOST_SETS or keys > MOST_KEYS:
            raise TooManySets(keys=keys, found=count, largest=largest, most=MOST_SETS)
        return largest

    def _codes(self, data: Microdata) -> NDArray[np.int32]:
        names = checked(data, self.keys, self.missing)
        out = np.empty((len(data), len(names)), dtype=np.int32)
        for k, (codes, count) in enumerate(printed(data, names)):
            seen = (
                np.where(codes == MISSING_CODE, count, codes) if self.missing is Missing.CATEGORY else codes
            )
            out[:, k] = seen
        return out

    def _scored(self, data: Microdata, found: Special) -> tuple[float, Floats]:
        """DIS of the file and the DIS-SUDA score of every record, as in sdcMicro's suda2 (elliot2005)."""
        codes, known = self._codes(data), self._drawn(data)
        share = 1.0 if known is None else known
        strata = strata_of(data, self.within)
        shown = [*((column + 2, int(column.max()) + 3) for column in codes.T), (strata.of, len(strata))]
        sizes = classes(shown).sizes
        once, twice = float(np.sum(sizes == 1)), 2 * float(np.sum(sizes == 2))
        if once == 0 or share >= 1:
            return float(share >= 1), (found.of_record > 0).astype(np.float64) * float(share >= 1)
        dis = once * share / (once * share + twice * (1 - share))  # skinnerelliot2002
        special = found.of_record > 0
        raised = found.of_record[special] ** (1 + (8 - codes.shape[1]) / 20)
        odds = raised * (1 / raised).sum() / once
        risk = np.zeros(len(data))
        risk[special] = odds * dis / (odds * dis + 1 - dis)
        return dis, risk

    def _drawn(self, data: Microdata) -> float | None:
        """The share of the population that was drawn; None where it is not known."""
        if self.population is None and not data.role(Role.WEIGHT):
            return None
        if self.population is None or self.population == "weights":
            return float(min(len(data) / weights_of(data, self.id).sum(), 1.0))
        if self.population < len(data):
            raise RegisterTooSmall(found=self.population, needed=len(data))
        return len(data) / self.population


def _summed(records: Ints, scores: Floats, count: int) -> Floats:
    return np.bincount(records, weights=scores, minlength=count).astype(np.float64)


def _score_by_size(keys: int, largest: int) -> Floats:
    """The score of a set of s keys at position s: Π (K - i) for i = s … M, with M at most K - 1."""
    last = min(largest, keys - 1)
    return np.array([float(prod(keys - i for i in range(s, last + 1))) for s in range(keys + 1)])


def _by_size(found: Special) -> dict[str, int]:
    sizes = np.bincount(found.members.sum(axis=1))
    return {str(size): int(count) for size, count in enumerate(sizes) if count}


def _banded(risk: Floats) -> list[dict[str, Json]]:
    """Records by score: above the first limit, up to the second."""
    return [
        {"above": low, "to": high, "records": int(np.sum((risk > low) & (risk <= high)))}
        for low, high in pairwise(_BANDS)
    ]


def _spread(scores: Floats) -> dict[str, Json]:
    """The highest raw score and the mean of all records, and how many records have each score, where these are few."""
    values, counts = np.unique(scores, return_counts=True)
    few = len(values) <= MOST_SCORES
    told: dict[str, Json] = {f"{v:g}": int(c) for v, c in zip(values, counts, strict=True)} if few else {}
    return {"highest": float(scores.max()), "average": float(scores.mean()), "records_by_score": told}


def _contributions(found: Special, names: tuple[str, ...]) -> dict[str, float]:
    """Share of the total score that comes from sets with the key; the shares of all keys add up to more than 1."""
    total = found.scores.sum()
    parts = found.scores @ found.members
    return {name: float(part / total) if total else 0.0 for name, part in zip(names, parts, strict=True)}
