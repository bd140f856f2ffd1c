"""Re-identification: how surely an attacker finds a person by the keys."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Annotated, Literal

import numpy as np
from pydantic import Field

from tarnkappe.errors.risk import PopulationNeeded
from tarnkappe.kernels.posterior import at_most, mean_risk, smallest_class
from tarnkappe.language import NOTHING, Text, same
from tarnkappe.risk.counting import checked
from tarnkappe.risk.own_records import still_fits
from tarnkappe.risk.populations import LEVEL, OnSample, Sample, Summary, figures, normal_interval, spread
from tarnkappe.risk.profiles import doubt_of
from tarnkappe.risk.register import doubt_of_register, held_against
from tarnkappe.spec import Finding, Goal, Json, Maturity, Source, measure
from tarnkappe.spec.needs import Needs
from tarnkappe.vocab import Attacker

if TYPE_CHECKING:
    from tarnkappe.data.column import Bools, Floats
    from tarnkappe.data.microdata import Microdata

_COUNTED = Text(
    "Counted over all records of the file, not estimated: there is no interval.",
    "Über alle Datensätze der Datei ausgezählt, nicht geschätzt: es gibt kein Intervall.",
)
_ESTIMATED = Text(
    "The population is estimated: given the records of a class in the sample, the number of persons is negative binomial. The interval "
    "covers 95% of that; that chances to be drawn are themselves estimated is not in it.",
    "Die Grundgesamtheit ist geschätzt: Zu den Datensätzen einer Klasse in der Stichprobe ist die Zahl der Personen negativ binomial "
    "verteilt. Das Intervall deckt 95 % davon; dass auch die Auswahlwahrscheinlichkeiten geschätzt sind, ist nicht enthalten.",
)
_HINT = Text(
    "Measure with the original data, or give the size of the population.",
    "Messen Sie mit den Originaldaten oder geben Sie die Größe der Grundgesamtheit an.",
)


@measure(
    "risk.reidentification",
    title=Text("Re-identification risk", "Risiko der Re-Identifikation"),
    does=Text(
        "Gives the chance that a prosecutor, a journalist or a marketer assigns a released record to the right person.",
        "Gibt die Wahrscheinlichkeit an, mit der ein Ankläger, ein Journalist oder ein Vermarkter einen freigegebenen Datensatz der "
        "richtigen Person zuordnet.",
    ),
    sources=(
        Source("dav2025", "section 2.4: prosecutor, journalist and marketer"),
        Source("elemam2013", "risks of the three attackers"),
        Source("benedettifranconi1998", "population frequencies given those of the sample"),
    ),
    reads=Text("The risk of being found is {value}.", "Das Risiko, gefunden zu werden, beträgt {value}."),
    knows=Text(
        "The attacker knows the true values of all keys. A prosecutor also knows that the person is in the data; a journalist and a "
        "marketer have a register of the population and do not know who was drawn.",
        "Der Angreifer kennt die wahren Werte aller Schlüssel. Ein Ankläger weiß auch, dass die Person in den Daten ist; ein Journalist und "
        "ein Vermarkter haben ein Register der Grundgesamtheit und wissen nicht, wer gezogen wurde.",
    ),
    goal=Goal.LOW,
    bounds=(0, 1),
    compares=True,
    does_not=(
        Text(
            "say what is learnt of a person who is not found: see risk.l-diversity and risk.t-closeness",
            "sagen, was über Personen zu erfahren ist, die nicht gefunden werden: siehe risk.l-diversity und risk.t-closeness",
        ),
        Text(
            "account for errors in what the attacker knows, or, where nobody says whose record is whose, for keys that were changed: then it is "
            "too high",
            "Fehler im Wissen des Angreifers berücksichtigen und, wo niemand sagt, wessen ein Datensatz ist, veränderte Schlüssel: Dann ist es "
            "zu hoch",
        ),
    ),
    maturity=Maturity.REPLICATED,
    revision=2,
    words={
        "own_record_fits": Text("share of records that still fit their person", "Anteil der Datensätze, die noch zu ihrer Person passen"),
    },
    example={
        "keys": ["sex", "year"], "missing": "wildcard", "suppressed": "category", "within": ["region"],
        "attacker": "journalist", "population": 5000, "summary": "average", "threshold": 0.2,
    },
)  # fmt: skip
class Reidentification(OnSample):
    """The risk of every record, and one number for the file: the highest, the average or the share above a threshold.

    With f records of the release and F persons of the population that share the keys of a record, a prosecutor is right with
    probability 1/f, journalist and marketer with 1/F. A marketer wants many hits, so only the average counts for him.
    For the journalist the average is the larger of (classes)/(persons in these classes) and of the mean of 1/F.

    `population` says where F comes from. `release`: the release is the whole population. `original`: the original data is the register,
    of which the release is a part; `against` takes any other. `weights` or a number, the size of the population: F is estimated. It is
    then a negative binomial quantity, and 1/F its posterior mean; the highest risk is the median of the largest 1/F among
    all classes, the share at risk the expected one. A prosecutor needs no population.

    Where it is known whose record is whose, only true hits count: a person whose keys were exchanged or drawn anew is looked for among the
    records of others, and is not found. Keys that were made coarser, or suppressed, still fit.

    The details give all three summaries, by stratum too where `within` names any. Keys count as in `risk.k-anonymity`; in a register a
    suppressed key fits everybody.
    """

    attacker: Attacker = Attacker.PROSECUTOR
    """Who attacks: prosecutor, journalist or marketer. | Wer angreift: Ankläger (prosecutor), Journalist (journalist) oder Vermarkter
    (marketer)."""
    population: Literal["weights", "original", "release"] | Annotated[int, Field(ge=1)] = "weights"
    """The weights of the records, the original data as the population, the release as the whole population, or the size of the
    population. | Die Gewichte der Datensätze (weights), die Originaldaten (original) oder die Freigabe (release) als Grundgesamtheit oder
    deren Größe."""
    summary: Summary = Summary.HIGHEST
    """The number that is told: the highest risk, the average, or the share of records above the threshold. | Welche Zahl genannt wird: das
    höchste Risiko (highest), das mittlere (average) oder der Anteil der Datensätze über der Schwelle (share-at-risk)."""
    threshold: Annotated[float, Field(gt=0, lt=1)] = 0.1
    """A record is at risk above this. | Darüber gilt ein Datensatz als gefährdet."""

    def needed_roles(self) -> Needs:
        needed = super().needed_roles()
        alone = self.attacker is Attacker.PROSECUTOR
        return {name: roles for name, roles in needed.items() if not (alone and name == "population")}

    def measure(self, after: Microdata, *, before: Microdata | None = None) -> Finding:
        if self.attacker is not Attacker.PROSECUTOR and self.population == "original":
            if before is None:
                raise PopulationNeeded(who=same(self.id), hint=_HINT)
            return self.against(after, before)
        baseline = None if before is None else self._told(self._sample(before))[0][self._summary.value]
        own = still_fits(before, after, checked(after, self.keys, self.missing))
        return self._finding(after, self._sample(after), self.doubt_about(after), baseline, own=own)

    def against(self, after: Microdata, register: Microdata) -> Finding:
        """Hold the release against a register of the population, and count."""
        keys = (*checked(after, self.keys, self.missing), *self.within)
        held = held_against(after, register, keys, self.missing)
        f = held.released[held.records]
        persons = f if self.attacker is Attacker.PROSECUTOR else np.maximum(held.fitting()[held.records], f)
        counted = Sample(f, persons.astype(np.float64))
        doubt = doubt_of(after, keys) or doubt_of_register(held)
        return self._finding(after, counted, doubt, None, counted=True)

    @property
    def _summary(self) -> Summary:
        return Summary.AVERAGE if self.attacker is Attacker.MARKETER else self.summary

    def _sample(self, data: Microdata) -> Sample:
        whole = self.attacker is Attacker.PROSECUTOR
        return self.sample(data, "release" if whole else self.population)

    def _finding(
        self, after: Microdata, sample: Sample, doubt: Text, baseline: float | None, *, counted: bool = False,
        own: Bools | None = None,
    ) -> Finding:  # fmt: skip
        estimated = not counted and bool((sample.p < 1).any())
        told, risk = self._told(sample, counted=counted)
        if own is not None and not own.all():  # who looks for these persons finds the records of others
            risk = np.where(own, risk, 0.0)
            told = {**told, **figures(risk, self.threshold)} if not estimated else told
        low, high = self._interval(sample, told) if estimated else (None, None)
        details: dict[str, Json] = {
            **self.policy(after), "attacker": self.attacker.value, "population": self.population, "threshold": self.threshold,
            **told, "own_record_fits": None if own is None else float(own.mean()), "summary": self._summary.value, "expected_hits": float(risk.sum()),
            **self.strata(after, risk, self.threshold),
        }  # fmt: skip
        if estimated:
            details["level"] = LEVEL
        because = doubt or (_ESTIMATED if estimated else _COUNTED)
        value = told[self._summary.value]
        return Finding(value, low, high, baseline, doubt == NOTHING, because, details, risk)

    def _told(self, sample: Sample, *, counted: bool = False) -> tuple[dict[str, float], Floats]:
        """The three summaries and the risk of every record; D-R04, D-R05, D-R06."""
        if counted or not (sample.p < 1).any():
            risk = 1 / sample.persons
            told = figures(risk, self.threshold)
        else:
            risk = mean_risk(sample.f, sample.p)
            told = figures(risk, self.threshold)
            told["highest"] = 1 / self._smallest(sample, (0.5,))[0]
            told["share-at-risk"] = float(self._at_risk(sample).mean())
        if (
            self.attacker is Attacker.JOURNALIST
        ):  # D-R05: classes against persons, or the mean of f/F, whichever is larger
            classes_to_persons = float(sample.each.sum() / (sample.each * sample.persons).sum())
            told["average"] = max(classes_to_persons, told["average"])
        return told, risk

    def _at_risk(self, sample: Sample) -> Floats:
        """The chance that 1/F is above the threshold."""
        return at_most(sample.f, sample.p, math.ceil(1 / self.threshold - 1e-9) - 1)

    def _smallest(self, sample: Sample, chances: tuple[float, ...]) -> list[float]:
        """Quantiles of the size of the smallest class in the population; equal classes are taken together."""
        alike, place = np.unique(sample.f + 1j * sample.p, return_inverse=True)
        times = np.bincount(place, weights=sample.each).astype(np.float64)
        return smallest_class(alike.real.astype(np.int64), alike.imag, times, chances)

    def _interval(self, sample: Sample, told: dict[str, float]) -> tuple[float, float]:
        if self._summary is Summary.HIGHEST:
            most, least = self._smallest(sample, ((1 - LEVEL) / 2, (1 + LEVEL) / 2))
            return 1 / least, 1 / most
        n = len(sample.f)
        if self._summary is Summary.SHARE:
            chance = self._at_risk(sample)
            return normal_interval(
                told["share-at-risk"], float((sample.f * chance * (1 - chance)).sum()) / n**2, 1.0
            )
        return normal_interval(told["average"], spread(sample, mean_risk(sample.f, sample.p)) / n**2, 1.0)
