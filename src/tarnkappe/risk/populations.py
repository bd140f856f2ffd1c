"""What measures of re-identification share: the classes of a sample in its population, households, strata, and summaries."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from tarnkappe.data.column import Floats, Ints
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.sampling_weights import weights_of
from tarnkappe.data.strata import strata_of
from tarnkappe.errors.risk import RegisterTooSmall
from tarnkappe.kernels.compatible import Candidates, candidate_counts
from tarnkappe.language import Text
from tarnkappe.risk.counting import OnKeys, counted, units_of_classes
from tarnkappe.risk.profiles import doubt_of
from tarnkappe.spec import Json
from tarnkappe.vocab import Role

LEVEL = 0.95
Z = 1.959963984540054
"""Normal quantile of a two-sided interval of 95 %."""
MOST_STRATA = 50
Estimated = Literal["weights"] | Annotated[int, Field(ge=1)]


class Summary(StrEnum):
    """Which single number stands for the risks of all records."""

    HIGHEST = "highest"
    AVERAGE = "average"
    SHARE = "share-at-risk"
    """Share of the records whose risk lies above the threshold."""


@dataclass(frozen=True)
class Sample:
    """Every record of a sample with the size of its class there, and an estimate of that in the population."""

    f: Ints
    persons: Floats
    """Estimated size of the class in the population, never below f (dav2025, spec D-R05)."""

    @cached_property
    def p(self) -> Floats:
        """Estimated chance of a person of the class to be in the sample: at most 1."""
        return self.f / self.persons

    @cached_property
    def each(self) -> Floats:
        """What a record counts where classes are counted: classes of f records count once."""
        return 1 / self.f


class OnSample(OnKeys):
    """A measure on a sample whose classes in the population are estimated."""

    within: tuple[str, ...] = ()
    """Strata: the attacker knows them like keys, and figures are given for each. | Schichten: Der Angreifer kennt sie wie Schlüssel,
    und die Zahlen werden für jede angegeben."""

    def sample(self, data: Microdata, population: str | int) -> Sample:
        """Class sizes in the sample and, estimated, in the population; see `Estimated`."""
        among = self.candidates(data, self.within)
        f = counted(data, among)
        if population == "release":
            return Sample(f, f.astype(np.float64))
        if isinstance(population, int):
            return Sample(f, (f * times_as_many(data, population)).astype(np.float64))
        persons = _added_up(among, weights_of(data, self.id)) * per_record(data, among, f)
        return Sample(f, np.maximum(persons, f.astype(np.float64)))

    def doubt_about(self, data: Microdata) -> Text:
        """Why no number on these keys is to be trusted, or nothing."""
        return self.doubt(data) or doubt_of(data, (*data.keys(self.keys), *self.within))

    def policy(self, data: Microdata) -> dict[str, Json]:
        return {**super().policy(data), "within": self.within, "records": len(data)}

    def strata(self, data: Microdata, risk: Floats, threshold: float) -> dict[str, Json]:
        """Figures of every stratum, the worst first; strata are numbered as they first appear, values are not shown."""
        if not self.within:
            return {}
        blocks = strata_of(data, self.within)
        rows = [
            {"stratum": number + 1, "records": len(block), **figures(risk[block], threshold)}
            for number, block in enumerate(blocks.blocks())
        ]
        rows.sort(key=lambda row: (-row["average"], row["stratum"]))
        return {"strata": len(blocks), "worst_strata": rows[:MOST_STRATA]}


def figures(risk: Floats, threshold: float) -> dict[str, float]:
    """The three summaries of some risks."""
    return {
        Summary.HIGHEST.value: float(risk.max()),
        Summary.AVERAGE.value: float(risk.mean()),
        Summary.SHARE.value: float(np.mean(risk > threshold)),
    }


def household_risk(data: Microdata, risk: Floats) -> Floats:
    """For every record the chance that some member of the household is found: 1 - Π(1 - r) (hundepool2012, household risk).

    A record whose household is not known is one of its own, and so is each record where no column has that role.
    """
    home = data.role(Role.HOUSEHOLD)
    if not home:
        return risk
    codes, count = data.column(home[0]).true_codes()
    own = np.where(codes >= 0, codes, count + np.arange(len(codes)))
    _, place = np.unique(own, return_inverse=True)
    certain = np.bincount(place, weights=risk >= 1) > 0
    kept = np.bincount(place, weights=np.log1p(-np.where(risk >= 1, 0.0, risk)))
    found: Floats = np.where(certain, 1.0, -np.expm1(kept))[place]
    return found


def times_as_many(data: Microdata, population: int) -> float:
    """How many persons of a population stand for one of the sample; several records of one unit are one."""
    units = units_of_classes(data)
    drawn = len(data) if units is None else int(units.max(initial=-1)) + 1
    if population < drawn:
        raise RegisterTooSmall(found=population, needed=drawn)
    return population / drawn


def per_record(data: Microdata, among: Candidates, f: Ints) -> Floats | float:
    """Units per record among those that fit: weights stand for records, and where units are counted their mean for a unit."""
    return 1.0 if units_of_classes(data) is None else f / candidate_counts(among)


def normal_interval(value: float, variance: float, top: float) -> tuple[float, float]:
    """An interval of 95 % around a sum of many independent parts, kept between 0 and the largest possible."""
    half = Z * float(np.sqrt(max(variance, 0.0)))
    return max(value - half, 0.0), min(value + half, top)


def spread(sample: Sample, risk: Floats) -> float:
    """A bound of the variance of Σ f/F over independent classes: 1/F ≤ 1/f, so E(1/F²) ≤ r/f and Var ≤ f r (1 - f r)."""
    return float((risk * (1 - sample.f * risk)).clip(0).sum())


def _added_up(among: Candidates, weights: Floats) -> Floats:
    """The weights of all records that fit, for every record."""
    sums: Floats = np.bincount(among.found.ids, weights=weights, minlength=len(among.found.sizes)).astype(
        np.float64
    )
    if among.wild is not None:
        from tarnkappe.kernels import profile_loops  # noqa: PLC0415 - numba is loaded when first used

        sums = profile_loops.told(among.wild.codes, sums, among.wild.persons, among.wild.released)
    return np.asarray(sums[among.found.ids], dtype=np.float64)
