"""k-map: among how many persons of the population a released record is hidden."""

from __future__ import annotations

import math
from contextlib import suppress
from typing import Annotated, Literal, NamedTuple

import numpy as np
from pydantic import Field

from tarnkappe.data.column import Floats
from tarnkappe.data.microdata import Microdata
from tarnkappe.errors import InputWrong
from tarnkappe.errors.risk import PopulationNeeded, WeightsNotPositive
from tarnkappe.language import Text, same
from tarnkappe.risk.counting import BELOW, OnKeys, checked, counted
from tarnkappe.risk.populations import per_record, times_as_many
from tarnkappe.risk.profiles import doubt_of
from tarnkappe.risk.register import doubt_of_register, held_against
from tarnkappe.spec import Finding, Goal, Json, Source, measure
from tarnkappe.vocab import Role

LEVEL = 0.95
_ORIGINAL = Text(
    "Measure with the original data, or give the size of the population.",
    "Messen Sie mit den Originaldaten oder geben Sie die Größe der Grundgesamtheit an.",
)
_WEIGHTS = Text(
    "Give a column the role weight, give the size of the population, or use KMap().against(release, register).",
    "Geben Sie einer Spalte die Rolle weight, nennen Sie die Größe der Grundgesamtheit oder nutzen Sie KMap().against(release, register).",
)
_ESTIMATED = Text(
    "The population is estimated from the sample. The interval of 95% is that of the smallest class on its own, for a population in "
    "which each person was drawn with the same chance as the others of its class.",
    "Die Grundgesamtheit ist aus der Stichprobe geschätzt. Das Intervall von 95 % gilt für die kleinste Klasse allein, wenn jede Person "
    "mit derselben Wahrscheinlichkeit gezogen wurde wie die anderen ihrer Klasse.",
)


class _Population(NamedTuple):
    """Persons of the population, and records of the sample, that fit every record."""

    persons: Floats
    sample: Floats


@measure(
    "risk.k-map",
    title=Text("k-map", "k-Map"),
    does=Text(
        "Counts or estimates, for every released record, the persons of the population it could belong to; k is the smallest number.",
        "Zählt oder schätzt zu jedem freigegebenen Datensatz die Personen der Grundgesamtheit, zu denen er gehören kann; k ist die "
        "kleinste Zahl.",
    ),
    sources=(
        Source("sweeney2002", "k-map protection"),
        Source("benedettifranconi1998", "population frequencies given those of the sample"),
        Source("dav2025", "section 2.4; attacker models"),
    ),
    reads=Text(
        "Every released record could belong to at least {value} persons of the population.",
        "Jeder freigegebene Datensatz könnte zu mindestens {value} Personen der Grundgesamtheit gehören.",
    ),
    knows=Text(
        "The attacker has a register of the population with the true values of all keys, and does not know who was drawn.",
        "Der Angreifer hat ein Register der Grundgesamtheit mit den wahren Werten aller Schlüssel und weiß nicht, wer gezogen wurde.",
    ),
    goal=Goal.HIGH,
    bounds=(0, math.inf),
    compares=True,
    does_not=(
        Text(
            "protect against somebody who knows that a person is in the sample: see risk.k-anonymity",
            "vor denen schützen, die wissen, dass eine Person in der Stichprobe ist: siehe risk.k-anonymity",
        ),
        Text(
            "model who is rare in the population: an estimate only scales up what the sample has",
            "modellieren, wer in der Grundgesamtheit selten ist: Eine Schätzung rechnet nur die Stichprobe hoch",
        ),
    ),
    example={"keys": ["sex", "year"], "missing": "wildcard", "suppressed": "category", "population": 5000},
)  # fmt: skip
class KMap(OnKeys):
    """The smallest number of persons in the population whom a released record could belong to.

    `population` says where these come from. `original`: the original data is the population, of which the release is a part.
    A number: the size of the population; each record stands for equally many. `weights`: each stands for its weight. `against` counts in a
    register of one's own. An estimate is never below the number of records in the sample, and has an interval: given f records drawn
    with probability π, the population has f plus a negative binomial number of further persons.

    In a register a suppressed key fits everybody, and a code counts as the released code above it in the hierarchy. For estimates, keys
    count as in `risk.k-anonymity`, with all its policies.
    """

    population: Literal["weights", "original"] | Annotated[int, Field(ge=1)] = "weights"
    """The weights of the records, the original data as the population, or the size of the population. | Die Gewichte der Datensätze
    (weights), die Originaldaten als Grundgesamtheit (original) oder die Größe der Grundgesamtheit."""

    def measure(self, after: Microdata, *, before: Microdata | None = None) -> Finding:
        if self.population == "original":
            if before is None:
                raise PopulationNeeded(who=same(self.id), hint=_ORIGINAL)
            return self.against(after, before)
        found = self._estimated(after)
        low, high = _interval(found)
        doubt = self.doubt(after) or doubt_of(after, after.keys(self.keys))
        return Finding(
            value=float(found.persons.min()),
            low=low,
            high=high,
            baseline=None if before is None else self._original(before),
            trusted=not doubt,
            because=doubt or _ESTIMATED,
            details=self._details(after, found.persons) | {"level": LEVEL},
            per_record=found.persons,
        )

    def against(self, after: Microdata, register: Microdata) -> Finding:
        """Count the persons of a register who fit each released record."""
        keys = checked(after, self.keys, self.missing)
        held = held_against(after, register, keys, self.missing)
        persons = held.fitting()[held.records].astype(np.float64)
        doubt = doubt_of(after, keys) or doubt_of_register(held)
        return Finding(
            value=float(persons.min()),
            baseline=None,
            trusted=not doubt,
            because=doubt,
            details=self._details(after, persons) | {"persons": len(register), "suppressed": "wildcard"},
            per_record=persons,
        )

    def _original(self, before: Microdata) -> float | None:
        """What the original has, where it can be told: a column may be new."""
        with suppress(InputWrong):
            return float(self._estimated(before).persons.min())
        return None

    def _details(self, after: Microdata, persons: Floats) -> dict[str, Json]:
        below = {str(limit): int(np.sum(persons < limit)) for limit in BELOW}
        return {**self.policy(after), "population": self.population, "records": len(after), "below": below}

    def _estimated(self, data: Microdata) -> _Population:
        among = self.candidates(data)
        f = counted(data, among)
        sample = f.astype(np.float64)
        if isinstance(self.population, int):
            return _Population(sample * times_as_many(data, self.population), sample)
        return _Population(np.maximum(self._weighed(data) * per_record(data, among, f), sample), sample)

    def _weighed(self, data: Microdata) -> Floats:
        """The weights of all records that fit, summed up for every record."""
        among = self.candidates(data)
        sums = np.bincount(among.found.ids, weights=_weights(data), minlength=len(among.found.sizes))
        by_class: Floats = sums.astype(np.float64)
        if among.wild is not None:
            from tarnkappe.kernels import profile_loops  # noqa: PLC0415 - numba is loaded when first used

            by_class = profile_loops.told(among.wild.codes, by_class, among.wild.persons, among.wild.released)
        return np.asarray(by_class[among.found.ids], dtype=np.float64)


def _weights(data: Microdata) -> Floats:
    names = data.role(Role.WEIGHT)
    if not names:
        raise PopulationNeeded(who=same(KMap.id), hint=_WEIGHTS)
    weights = data.column(names[0]).numbers()
    wrong = np.flatnonzero(~(np.isfinite(weights) & (weights > 0)))
    if len(wrong):
        raise WeightsNotPositive(name=names[0], count=len(wrong), first=data.record(wrong[0]))
    return weights


def _interval(found: _Population) -> tuple[float, float]:
    """The persons of the smallest class: f records, drawn with probability π, and a negative binomial number of others."""
    from scipy.stats import nbinom  # noqa: PLC0415 - slow to load

    at = int(np.argmin(found.persons))
    records, persons = found.sample[at], found.persons[at]
    if persons <= records:
        return float(records), float(records)
    low, high = (
        nbinom.ppf(share, records, records / persons) for share in ((1 - LEVEL) / 2, (1 + LEVEL) / 2)
    )
    return float(records + low), float(records + high)
