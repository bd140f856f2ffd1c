"""What was done to a column, as a model of the error it now carries."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tarnkappe.correct.release import Step
from tarnkappe.errors.correct import NoCorrection
from tarnkappe.language import NOTHING, Text

SHEPPARD = 12.0
"""The square of the width over the variance of the error, where values were rounded to the nearest."""


@dataclass(frozen=True, slots=True)
class Treatment:
    """One step, as an error of a column."""

    step: Step


@dataclass(frozen=True, slots=True)
class Kept(Treatment):
    """Nothing to undo; perhaps something to know."""

    note: Text = NOTHING
    coarser: bool = False
    """Values were put together; what was drawn before can no longer be told apart."""


@dataclass(frozen=True, slots=True)
class Factors(Treatment):
    """Values times random factors."""

    columns: tuple[str, ...]
    moments: Mapping[str, float]
    shared: str
    covariances: Mapping[str, float]
    unit: tuple[str, ...]
    own: Mapping[str, float] = field(default_factory=dict)
    """Moments of the small factor that every value has beside a shared one; empty where there is none."""

    def raw(self, power: int) -> float | None:
        """E[ε^power]; None where it is not told."""
        mean, variance = self.moments["mean"], self.moments["variance"]
        known = {0: 1.0, 1: mean, 2: variance + mean**2}
        return known[power] if power in known else self.moments.get(f"raw_moment_{power}")

    def shared_by_two(self, one: int, two: int) -> float:
        """E[ε₁^one · ε₂^two] of two values that have a factor in common, and each a small one of its own."""
        small = [self.own.get(f"raw_moment_{power}", 1.0) for power in (one, two, one + two)]
        return (self.raw(one + two) or 1.0) * small[0] * small[1] / small[2]


@dataclass(frozen=True, slots=True)
class Noise(Treatment):
    """Values plus noise in proportion to the spread of the original."""

    columns: tuple[str, ...]
    ratio: float
    """Variance of the noise over that of the original."""
    proportional: bool
    """The noise has the correlations of the data; otherwise it is independent from column to column."""
    growth: float
    """Covariances were multiplied by this: 1 + ratio, less where they were pulled back (Kim)."""
    within: tuple[str, ...]
    logs: bool = False
    """The noise was added to logarithms."""
    centred: bool = False
    """Half the variance was taken off every draw on the log scale."""
    unit: tuple[str, ...] = ()
    """Columns that name the units whose records have a part of the noise in common."""
    common: float = 0.0
    """That part of the variance of the noise."""

    @property
    def part(self) -> float:
        """Share of the variance of original plus noise that is noise."""
        return self.ratio / (1 + self.ratio)

    @property
    def pull(self) -> float:
        """Kim's a: deviations from the mean were multiplied by it."""
        return float((self.growth / (1 + self.ratio)) ** 0.5)


@dataclass(frozen=True, slots=True)
class Rounded(Treatment):
    """Rounded, or put into classes of equal width and shown as midpoints."""

    width: float
    over: float = SHEPPARD
    """The square of the width over the variance of the error."""


@dataclass(frozen=True, slots=True)
class Misclassified(Treatment):
    """Categories changed with known probabilities."""

    columns: tuple[str, ...]
    strata: tuple[Mapping[str, Any], ...]
    within: tuple[str, ...]
    unit: tuple[str, ...]
    invariant: bool


@dataclass(frozen=True, slots=True)
class Limits(Treatment):
    """Values beyond a limit shown as the limit, with a flag; so the cells themselves tell the limits, also those of strata."""

    flag: str


@dataclass(frozen=True, slots=True)
class Apart:
    """Limits of classes that every stratum has of its own."""

    within: tuple[str, ...]
    limits: tuple[tuple[float, ...], ...]
    """Those of every stratum, in ascending order of the columns `within`."""


@dataclass(frozen=True, slots=True)
class Grouped(Treatment):
    """Numbers shown as classes."""

    show: str
    limits: tuple[float, ...] | None
    width: float | None
    origin: float
    apart: Apart | None = None


@dataclass(frozen=True, slots=True)
class MomentsKept(Treatment):
    """Means and covariances among these columns are exactly those of the original."""

    columns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Lost(Treatment):
    """There is no correction."""

    why: Text


@dataclass(frozen=True, slots=True)
class Exchanged(Lost):
    """Relations to other columns are gone; by itself the column is as it was."""


@dataclass(frozen=True, slots=True)
class Story:
    """What a column carries: one error, rounding after it, and things to know."""

    column: str
    error: Treatment | None = None
    width: float = 0.0
    """Width to which it was rounded last; 0 where it was not."""
    over: float = SHEPPARD
    """The square of that width over the variance of the rounding error."""
    notes: tuple[Text, ...] = ()

    def refuse_lost(self, *, alone: bool) -> None:
        """Refuse what cannot be undone; of a column that was exchanged only what is asked of it beside others."""
        if isinstance(self.error, Lost) and not (alone and isinstance(self.error, Exchanged)):
            raise self.refused(self.error.why)

    def refused(self, why: Text) -> NoCorrection:
        """The error to raise when this column cannot be corrected."""
        step = self.error.step if self.error else Step(0, "", NOTHING, {})
        return NoCorrection(name=self.column, step=step.number, method=step.title, why=why)
