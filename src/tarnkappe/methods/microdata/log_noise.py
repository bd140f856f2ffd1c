"""Noise on logarithms."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated

import numpy as np
from pydantic import Field

from tarnkappe.data.column import Floats
from tarnkappe.data.masked import not_rounded, refuse_infinite, rounded, with_masked
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.strata import strata_of
from tarnkappe.data.units import units_of
from tarnkappe.errors.data import NothingToUse
from tarnkappe.errors.masking import NoSpread, NotPositive
from tarnkappe.kernels.block_noise import own_or, proportional_noise
from tarnkappe.kernels.unlike import unlike
from tarnkappe.kernels.white_noise import covariance
from tarnkappe.language import Text
from tarnkappe.methods.microdata.advice import ERRORS
from tarnkappe.methods.microdata.noise_claims import means_near, no_value_as_it_was
from tarnkappe.methods.microdata.noise_remarks import of_additive_noise
from tarnkappe.methods.microdata.probable_error import NORMAL, OF_ADDED
from tarnkappe.methods.microdata.unit_noise import ALIKE, UnitNoise, alike_in_units, told_of_homes
from tarnkappe.methods.microdata.whole_totals import WHOLE_KEPT
from tarnkappe.randomness import Stream
from tarnkappe.spec import Claim, Family, Holds, Json, Source, method
from tarnkappe.spec.conditions import not_given, where
from tarnkappe.spec.fields import Columns
from tarnkappe.spec.limits import ForAnalysis


def _positive(m: LogNoise, before: Microdata, after: Microdata) -> bool:
    """Above -offset, and above 0 without one; zeros stay zeros then."""
    x, y = before.aligned_to(after).numbers(m.columns), after.numbers(m.columns)
    if m.offset:
        return bool(np.all((y >= -m.offset) | np.isnan(y)))
    return bool(np.all(((y > 0) == (x > 0)) & ((y == 0) == (x == 0))))


def _some_noise(m: LogNoise, before: Microdata, after: Microdata) -> bool:
    names = not_rounded(before, m.columns, m.whole)
    return no_value_as_it_was(before, after, names, lambda names: ~np.isnan(m.logs(before, names)))


def _alike(m: LogNoise, before: Microdata, after: Microdata) -> bool:
    names, was = not_rounded(before, m.columns, m.whole), before.aligned_to(after)
    x, y = (m.logs(data, names) for data in (was, after))
    return alike_in_units(x, y, units_of(was, m.unit)[0], strata_of(was, m.within), m.common)


def _log_means(m: LogNoise, before: Microdata, after: Microdata) -> bool:
    """The mean logarithm, within six standard errors of the noise."""
    was, now = (data.with_numbers(m.columns, m.logs(data, m.columns)) for data in (before, after))
    return means_near(m, was, now, np.sqrt(m.variance_ratio))


@method(
    "microdata.log-noise",
    family=Family.NOISE,
    title=Text("Noise on logarithms", "Überlagerung der Logarithmen"),
    does=Text(
        "Noise was added to the logarithms of positive values; its covariances are proportional to theirs.",
        "Die Logarithmen positiver Werte wurden überlagert; die Kovarianzen der Überlagerung sind proportional zu ihren.",
    ),
    sources=(
        Source("hoehne2010", "2.2.2, noise on logarithms after Kim and Winkler (N06)"),
        Source("gottschalk2002", "4.3, multiplicative noise, log-normal (G-M18)"),
    ),
    preserves=(
        Claim(
            Text(
                "what is positive stays positive and zeros stay zeros; with an offset, nothing falls below minus the offset",
                "was positiv ist, bleibt positiv, Nullen bleiben Nullen; mit offset fällt nichts unter minus offset",
            ),
            _positive,
            when=where("whole", "decimals"),
        ),
        Claim(
            Text(
                "correlations of the logarithms, and their means",
                "Korrelationen der Logarithmen und deren Mittelwerte",
            ),
            _log_means,
            Holds.ON_AVERAGE,
            when=not_given("unbiased"),
        ),
        WHOLE_KEPT,
    ),
    protects=(
        Claim(
            Text(
                "no value that gets noise is shown as it was (whole numbers that are rounded again excepted)",
                "kein überlagerter Wert wird gezeigt, wie er war (ausgenommen wieder gerundete ganze Zahlen)",
            ),
            _some_noise,
        ),
        replace(ALIKE, check=_alike),
    ),
    does_not=(
        ForAnalysis(
            "keep moments of the values themselves: standard deviations can be off by a third even where there is little noise",
            "Momente der Werte selbst erhalten: Standardabweichungen können schon bei schwacher Überlagerung um ein Drittel abweichen",
        ),
        Text(
            "hide zeros: without an offset they stay, and the only unit without turnover is still seen",
            "Nullen verbergen: ohne offset bleiben sie, und die einzige Einheit ohne Umsatz ist weiter zu sehen",
        ),
        Text("take negative values", "negative Werte annehmen"),
    ),
    nearness=OF_ADDED,
    advice=ERRORS,
    words={
        "mean_factor_is_one": Text("factors are 1 on average", "Faktoren sind im Mittel 1"),
        "offset": Text("added before the logarithm", "vor dem Logarithmieren addiert"),
    },
    example={
        "columns": ("income", "employees"),
        "variance_ratio": 0.05,
        "offset": 1.0,
        "unbiased": True,
        "unit": ("household",),
        "common": 0.3,
        "within": ("year",),
        "whole": "nearest",
    },
    random=True,
    revision=2,
)
class LogNoise(UnitNoise):
    """Add noise to logarithms: y = exp(ln(x + offset) + w) - offset.

    The noise has the covariance of the logarithms times `variance_ratio`. Use it only where analyses are made on
    logarithms too. The mean of exp(w) is not 1: values grow on average; `unbiased` takes half the variance off every draw, so
    that the mean of the values is right on average and that of the logarithms is not.

    In a panel, noise drawn anew in every period averages out. With `unit` the records of a unit have the part `common` of their noise in
    common, in standard deviations of their stratum: the mean over its periods keeps that part. The rest is each record's own, so that one known
    value does not give the others away. Records without a unit have noise of their own.

    Where a column has the role household, what all members of a household have in common they have in common afterwards: the noise is
    drawn once for them.

    Zeros stay zeros unless an `offset` is given; then they get noise like all others, and their number is not kept. Negative values
    are refused, with an offset those not above minus the offset. Missing and suppressed cells stay; records with gaps get their
    part of the noise; strata too small for a covariance of their own take that of the file. Columns whose logarithms do not vary
    are refused. Equal values become different. Infinite values are refused.
    """

    columns: Columns
    """Numeric columns without negative values. | Numerische Spalten ohne negative Werte."""
    variance_ratio: Annotated[float, Field(gt=0)] = 0.01
    """Variance of the noise as part of that of the logarithms. | Varianz der Überlagerung als Teil der Varianz der Logarithmen."""
    offset: Annotated[float, Field(ge=0)] = 0.0
    """Added before the logarithm and taken off again; lets zeros get noise. | Wird vor dem Logarithmieren addiert und danach
    abgezogen; so werden auch Nullen überlagert."""
    unbiased: bool = False
    """Take half the variance off, so that means of values are right on average. | Zieht die halbe Varianz ab, sodass Mittelwerte
    der Werte im Mittel stimmen."""

    def apply(self, data: Microdata, stream: Stream) -> Microdata:
        z, strata = self.logs(data, self.columns), strata_of(data, self.within)
        self._refuse_constants(z)
        w = proportional_noise(z, strata.blocks(), self.variance_ratio, self.white(data, stream.generator))
        if self.unbiased:
            every = covariance(z)
            for rows in strata.blocks():
                w[rows] -= self.variance_ratio * own_or(every, z[rows]).sd ** 2 / 2  # E(exp(w)) = 1
        x = data.numbers(self.columns)
        with np.errstate(over="ignore"):
            y = unlike(np.exp(z + w) - self.offset, x)
        y = np.where(np.isnan(z), x, np.maximum(y, np.nextafter(-self.offset, np.inf)))
        y = self.one_for_all(data, y)
        refuse_infinite(data, self.columns, y, self.id)
        return with_masked(data, self.columns, y, self.whole, strata)

    def logs(self, data: Microdata, names: tuple[str, ...]) -> Floats:
        """Logarithms of the values that get noise; NaN elsewhere."""
        x = data.numbers(names, self.id)
        for j, name in enumerate(names):
            bad = np.flatnonzero(x[:, j] <= -self.offset if self.offset else x[:, j] < 0)
            if len(bad):
                hint = Text(
                    "Raise offset, or leave the column out.",
                    "Erhöhen Sie offset oder lassen Sie die Spalte weg.",
                )
                first = data.record(bad[0])
                raise NotPositive(who=self.id, name=name, count=len(bad), first=first, hint=hint)
        with np.errstate(divide="ignore"):
            z = np.log(x + self.offset)
        return np.where(np.isinf(z), np.nan, z)

    def probable_error(self, before: Microdata) -> Mapping[str, Floats]:
        """Of w with the probable error e: exp(w) lies within ± tanh e of the middle of an interval that holds half of it."""
        z, sd = self.logs(before, self.columns), np.zeros((len(before), len(self.columns)))
        every = covariance(z)
        for rows in strata_of(before, self.within).blocks():
            sd[rows] = np.sqrt(self.variance_ratio) * own_or(every, z[rows]).sd
        share = np.where(np.isnan(z), 0.0, np.tanh(NORMAL * sd))
        sizes = share * (before.numbers(self.columns) + self.offset)
        fine = not_rounded(before, self.columns, self.whole)
        return {name: sizes[:, j] for j, name in enumerate(self.columns) if name in fine}

    def _refuse_constants(self, z: Floats) -> None:
        for name, sd, there in zip(
            self.columns, covariance(z).sd, np.asarray((~np.isnan(z)).any(axis=0)), strict=True
        ):
            if len(z) and not there:
                raise NothingToUse(name=name)
            if len(z) and not sd:
                raise NoSpread(who=self.id, name=name, where=Text("the file", "der Datei"))

    def remarks(self, before: Microdata, after: Microdata) -> tuple[Text, ...]:
        return of_additive_noise(before, after, self.columns, self.unit)

    def tells(self, before: Microdata, after: Microdata) -> Mapping[str, Json]:
        """Ratio of variances on the log scale, for corrected variances there; it shows no draw."""
        del after
        return {
            "columns": list(self.columns),
            "noise": "added to logarithms, normal, covariance proportional to theirs",
            "variance_ratio": self.variance_ratio,
            "offset": self.offset,
            "mean_factor_is_one": self.unbiased,
            "within": list(self.within),
            **self.told_of_units(),
            **told_of_homes(before, self.columns),
            "rounded": rounded(before, self.columns, self.whole),
        }
