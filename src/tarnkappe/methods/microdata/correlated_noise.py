"""Additive noise with the covariance of the data, with and without Kim's transformation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from tarnkappe.data.column import Bools, Floats, Ints
from tarnkappe.data.masked import (
    not_rounded,
    refuse_infinite,
    rounded,
    side_by_side,
    with_masked,
    without_gaps,
)
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.strata import Strata, strata_of
from tarnkappe.errors.data import NothingToUse
from tarnkappe.errors.masking import MomentsUndo, NoSpread, TooFewComplete
from tarnkappe.kernels.block_noise import exact_noise, own_or, proportional_noise
from tarnkappe.kernels.standard import power_scale
from tarnkappe.kernels.unit_noise import White
from tarnkappe.kernels.unlike import unlike
from tarnkappe.kernels.white_noise import covariance, left_by_exact_moments
from tarnkappe.language import Text
from tarnkappe.methods.microdata.advice import ERRORS
from tarnkappe.methods.microdata.limits import refuse_few_in_strata
from tarnkappe.methods.microdata.noise_claims import (
    means_near,
    no_value_as_it_was,
    same_covariances,
    same_means,
)
from tarnkappe.methods.microdata.noise_remarks import of_additive_noise
from tarnkappe.methods.microdata.probable_error import NORMAL, OF_ADDED
from tarnkappe.methods.microdata.stratum_claims import enough_in_strata
from tarnkappe.methods.microdata.unit_noise import ALIKE, UnitNoise, told_of_homes
from tarnkappe.methods.microdata.whole_totals import WHOLE_KEPT
from tarnkappe.randomness import Stream
from tarnkappe.spec import Claim, Family, Holds, Json, Source, method
from tarnkappe.spec.conditions import Condition, where
from tarnkappe.spec.fields import Columns
from tarnkappe.spec.limits import ForAnalysis
from tarnkappe.spec.told_figures import of_many

SMALLEST = 4
"""From the mean and the standard deviation of three contributors each works out the two others."""
LEFT = 1 / 9
"""So much of its variance, a third of its standard deviation, exact moments must leave to the noise of every record."""


def _blocks(m: CorrelatedNoise, before: Microdata, after: Microdata) -> Iterator[tuple[Floats, Floats]]:
    """Old and new numbers of the records without gaps, stratum by stratum; columns that are rounded are left out."""
    names = not_rounded(before, m.columns, m.whole)
    x, y = side_by_side(before, after, names)
    whole = without_gaps(before.numbers(m.columns))
    for rows in strata_of(before, m.within).blocks() if names else ():
        kept = rows[whole[rows]]
        yield x[kept], y[kept]


def _means_exact(m: CorrelatedNoise, before: Microdata, after: Microdata) -> bool:
    return all(same_means(x, y) for x, y in _blocks(m, before, after))


def _covariances_exact(m: CorrelatedNoise, before: Microdata, after: Microdata) -> bool:
    return all(same_covariances(x, y, float(m.growth(len(x)))) for x, y in _blocks(m, before, after))


def _spreads_exact(m: CorrelatedNoise, before: Microdata, after: Microdata) -> bool:
    """Standard deviations of the columns, stratum by stratum; what does not vary there has got some."""
    names = not_rounded(before, m.columns, m.whole)
    x, y = side_by_side(before, after, names)
    counted = m.counted(before.numbers(m.columns))[:, [m.columns.index(n) for n in names]]
    for rows in strata_of(before, m.within).blocks():
        for j in range(len(names)):
            there = rows[counted[rows, j]]
            old, new = x[there, j : j + 1], y[there, j : j + 1]
            if covariance(old).sd.any() and not same_covariances(old, new, 1.0):
                return False
    return True


def _of_many(m: CorrelatedNoise, before: Microdata, after: Microdata) -> bool:
    was = before.aligned_to(after)
    of, counted = strata_of(was, m.within).of, m.counted(was.numbers(m.columns))
    return all(enough_in_strata(was, counted[:, j], of, SMALLEST) for j in range(len(m.columns)))


def _giants_move(m: CorrelatedNoise, before: Microdata, after: Microdata) -> bool:
    """No record makes up a direction of the data alone: its leverage, from distances to the mean, is small enough."""
    x = before.aligned_to(after).numbers(m.columns)
    x, whole = x / power_scale(x), without_gaps(x)
    for rows in strata_of(before.aligned_to(after), m.within).blocks():
        z = x[rows[whole[rows]]]
        z = (z - z.mean(axis=0)) / z.std(axis=0)
        away = np.einsum("ij,jk,ik->i", z, np.linalg.pinv(z.T @ z, 1e-9, hermitian=True), z)
        if np.any(1 - 1 / len(z) - away < LEFT * (1 - 1e-6)):
            return False
    return True


def _some_noise(m: CorrelatedNoise, before: Microdata, after: Microdata) -> bool:
    names = not_rounded(before, m.columns, m.whole)
    return no_value_as_it_was(before, after, names, lambda names: ~np.isnan(before.numbers(names)))


_RESTORES = Condition(
    Text(
        "with `moments: exact`, `kim: sample` or `kim: realised`",
        "mit `moments: exact`, `kim: sample` oder `kim: realised`",
    ),
    lambda m: m.restores,
)


@method(
    "microdata.correlated-noise",
    family=Family.NOISE,
    title=Text("Noise with the covariance of the data", "Überlagerung mit der Kovarianz der Daten"),
    does=Text(
        "Random numbers with mean 0 whose covariances are proportional to those of the data were added.",
        "Es wurden Zufallszahlen mit Mittelwert 0 addiert, deren Kovarianzen proportional zu denen der Daten sind.",
    ),
    sources=(
        Source(
            "hoehne2010",
            "2.2.2, noise proportional to the covariance (N02); 4.1, footnote 17, exact moments (N11)",
        ),
        Source("gottschalk2002", "4.3, noise with Kim's transformation (G-M16)"),
        Source("dav2025", "3.3.1, correlated noise (D-M07)"),
        Source("templ2015", "function addNoise, methods correlated, correlated2 and restr"),
    ),
    preserves=(
        Claim(
            Text(
                "the mean of every column in every stratum, over records without gaps (rounded columns excepted)",
                "den Mittelwert jeder Spalte in jeder Schicht, über Datensätze ohne Lücken (ausgenommen gerundete Spalten)",
            ),
            _means_exact,
            when=where("moments", "exact"),
        ),
        Claim(
            Text(
                "all covariances in every stratum, over records without gaps: times the "
                "factor that is told, which is 1 with Kim's asymptotic constant (rounded columns excepted)",
                "alle Kovarianzen in jeder Schicht, über Datensätze ohne Lücken: mal dem "
                "mitgeteilten Faktor, der mit Kims asymptotischer Konstante 1 ist (ausgenommen gerundete Spalten)",
            ),
            _covariances_exact,
            when=where("moments", "exact"),
        ),
        Claim(
            Text(
                "the standard deviation of every column in every stratum where it varies, with exact moments over records "
                "without gaps (rounded columns excepted)",
                "die Standardabweichung jeder Spalte in jeder Schicht, in der sie variiert, bei moments exact über "
                "Datensätze ohne Lücken (ausgenommen gerundete Spalten)",
            ),
            _spreads_exact,
            when=where("kim", "realised"),
        ),
        Claim(
            Text("means, correlations and linear models", "Mittelwerte, Korrelationen und lineare Modelle"),
            lambda m, before, after: means_near(m, before, after, np.sqrt(m.variance_ratio)),
            Holds.ON_AVERAGE,
        ),
        WHOLE_KEPT,
    ),
    protects=(
        Claim(
            Text(
                "no value is shown as it was (whole numbers that are rounded again excepted)",
                "kein Wert wird gezeigt, wie er war (ausgenommen wieder gerundete ganze Zahlen)",
            ),
            _some_noise,
        ),
        Claim(
            Text(
                "exact moments leave every record at least a third of the standard deviation of its noise",
                "genaue Momente lassen jedem Datensatz mindestens ein Drittel der Standardabweichung seiner Überlagerung",
            ),
            _giants_move,
            when=where("moments", "exact"),
        ),
        Claim(
            Text(
                "every mean and standard deviation that comes out as it was is that of four contributors or more",
                "jeder Mittelwert und jede Standardabweichung, die wieder herauskommen, beruhen auf vier oder mehr Beitragenden",
            ),
            _of_many,
            when=_RESTORES,
        ),
        ALIKE,
    ),
    does_not=(
        ForAnalysis(
            "keep the shape of distributions that are not normal",
            "die Form von Verteilungen erhalten, die nicht normal sind",
        ),
        ForAnalysis("keep signs and zeros", "Vorzeichen und Nullen erhalten"),
        Text(
            "fit skewed data: large values are hardly protected, small ones destroyed",
            "zu schiefen Daten passen: große Werte sind kaum geschützt, kleine zerstört",
        ),
        ForAnalysis(
            "keep covariances with columns that got no noise: they shrink by a constant that the release tells",
            "Kovarianzen mit Spalten erhalten, die nicht überlagert wurden: sie schrumpfen um eine Konstante, die die Freigabe nennt",
            where("kim", "asymptotic", "sample", "realised"),
        ),
        Text(
            "get safer without end: beyond some variance_ratio Kim's transformation takes back what more noise gives",
            "beliebig sicher werden: ab einem gewissen variance_ratio nimmt Kims Transformation zurück, was mehr Überlagerung bringt",
        ),
    ),
    nearness=OF_ADDED,
    advice=ERRORS,
    words={
        "covariances_multiplied_by": Text(
            "covariances are multiplied by", "Kovarianzen sind multipliziert mit"
        ),
    },
    example={
        "columns": ("income", "employees"),
        "variance_ratio": 0.3,
        "kim": "sample",
        "moments": "exact",
        "unit": ("household",),
        "common": 0.3,
        "within": ("year",),
        "whole": "nearest",
    },
    random=True,
    revision=2,
)
class CorrelatedNoise(UnitNoise):
    """Add noise that varies together as the data does.

    The noise has the covariance d·Σ, where Σ is that of the columns in their stratum and d is `variance_ratio`. So all
    covariances grow by the same factor 1 + d: correlations and linear models are estimated without bias. What is linear in
    the data stays so: if one column is the sum of others, it is their sum afterwards.

    Kim's transformation pulls the result back to the mean, y = a·z + (1 - a)·mean, and takes the growth away again. Its
    constant a is 1/√(1 + d) (`asymptotic`), √((n-1)/(n(1+d)-1)) (`sample`), or the ratio of the standard deviations
    that came out (`realised`; then they are kept exactly). It is told to the receivers. `moments: exact` draws the noise so
    that it has mean 0, the covariance d·Σ and no correlation with the data, exactly: nothing of the sampling error is left, and Kim's
    asymptotic constant then gives the covariances of the data back to the last digit.

    In a panel, noise drawn anew in every period averages out. With `unit` the records of a unit have the part `common` of their noise in
    common, in standard deviations of their stratum: the mean over its periods keeps that part. The rest is each record's own, so that one known
    value does not give the others away. Exact moments hold all the same. Records without a unit have noise of their own.

    Where a column has the role household, what all members of a household have in common they have in common afterwards: the noise is
    drawn once for them. Where exact moments or chosen directions do not allow that beside other columns, the step is refused.

    Missing and suppressed cells stay as they are; records with gaps get their part of the noise, and correlations are taken over
    the records that have both values. A stratum with fewer than p + 2 records without gaps, or without variation, gets noise of the
    size for the whole file, with `exact` it is refused (there 2p + 2 are needed). Where one record lies so far out that the data varies with it alone, exact moments
    would leave it without noise: that is refused. With `exact`, `sample` and `realised` a stratum also needs values of
    four contributors, records of one owner counting once: of fewer, what comes out as it was tells them. Columns that do not vary are refused. Zeros and
    negative values get noise like others; equal values become different. Infinite values are refused.
    """

    columns: Columns
    """Numeric columns that get noise together. | Numerische Spalten, die gemeinsam überlagert werden."""
    variance_ratio: Annotated[float, Field(gt=0)] = 0.1
    """Variance of the noise as part of that of the column. | Varianz der Überlagerung als Teil der Varianz der Spalte."""
    kim: Literal["no", "asymptotic", "sample", "realised"] = "no"
    """Which constant of Kim's transformation takes the growth of variances back. | Mit welcher Konstante Kims Transformation
    das Wachsen der Varianzen zurücknimmt."""
    moments: Literal["expected", "exact"] = "expected"
    """Whether the moments of the noise hold on average or exactly. | Ob die Momente der Überlagerung im Mittel oder genau
    stimmen."""

    def apply(self, data: Microdata, stream: Stream) -> Microdata:
        x = data.numbers(self.columns, self.id)
        scale = power_scale(x)
        z, strata = x / scale, strata_of(data, self.within)
        self._refuse_constants(z)
        noise = self._noise(z, strata, self.white(data, stream.generator))
        for j in range(len(self.columns)) if self.restores else ():
            refuse_few_in_strata(data, self.counted(z)[:, j], strata.of, SMALLEST, self.id)
        with np.errstate(over="ignore"):
            y = unlike(self._pulled_back(z, z + noise, strata) * scale, x)
        y = self.one_for_all(data, y, exact=self.moments == "exact" or self.kim == "realised")
        refuse_infinite(data, self.columns, y, self.id)
        return with_masked(data, self.columns, y, self.whole, strata)

    def _noise(self, z: Floats, strata: Strata, white: White) -> Floats:
        if self.moments == "expected":
            return proportional_noise(z, strata.blocks(), self.variance_ratio, white)
        needed = 2 * z.shape[1] + 2
        there = without_gaps(z)
        for rows in strata.blocks():
            complete = rows[there[rows]]
            if len(complete) < needed:
                raise TooFewComplete(who=self.id, needed=needed, found=len(complete))
            self._refuse_constants(z[complete], Text("a stratum", "einer Schicht"))
            if count := int(np.count_nonzero(left_by_exact_moments(z[complete]) < LEFT)):
                raise MomentsUndo(who=self.id, count=count)
        return exact_noise(z, strata.blocks(), self.variance_ratio, white)

    def _pulled_back(self, x: Floats, z: Floats, strata: Strata) -> Floats:
        """Kim's transformation in every stratum, towards the mean of the data there."""
        if self.kim == "no":
            return z
        out = np.empty_like(z)
        for rows in strata.blocks():
            there = self.counted(x[rows])
            count = np.maximum(there.sum(axis=0), 1)
            mean, got = (np.where(there, v[rows], 0.0).sum(axis=0) / count for v in (x, z))
            if self.kim == "realised":  # hoehne2010, 3.3.1: mean and standard deviation come out exactly
                was, now = (covariance(np.where(there, v[rows], np.nan)).sd for v in (x, z))
                a = np.where((was > 0) & (now > 0), was / np.where(now > 0, now, 1.0), 1.0)
                out[rows] = mean + a * (z[rows] - got)
            else:
                out[rows] = mean + self.constant(count) * (z[rows] - mean)
        return out

    @property
    def restores(self) -> bool:
        """Whether means come out as they were, or values are pulled so near to them that few come back as they were."""
        return self.moments == "exact" or self.kim in ("sample", "realised")

    def constant(self, n: Floats | Ints | int) -> Floats:
        """Kim's a for columns with n values; 1 where the transformation is not used."""
        d, n = self.variance_ratio, np.maximum(np.asarray(n, dtype=np.float64), 1.0)
        if self.kim == "sample":
            return np.sqrt((n - 1) / np.maximum(n * (1 + d) - 1, d))
        return np.full_like(n, 1 / np.sqrt(1 + d) if self.kim == "asymptotic" else 1.0)

    def growth(self, n: Ints | int) -> Floats:
        """The factor by which the covariances of n records are multiplied."""
        a = self.constant(n)
        return np.ones_like(a) if self.kim == "realised" else a**2 * (1 + self.variance_ratio)

    def counted(self, x: Floats) -> Bools:
        """The values that means and standard deviations are taken over: all, or those of records without gaps."""
        there: Bools = ~np.isnan(x)
        return there if self.moments == "expected" else there & without_gaps(x)[:, None]

    def probable_error(self, before: Microdata) -> Mapping[str, Floats]:
        """Kim's transformation can be undone, so it is that of the noise."""
        if self.moments == "exact" or self.kim == "realised":
            return {}
        x = before.numbers(self.columns)
        sizes, every = np.zeros(x.shape), covariance(x)
        for rows in strata_of(before, self.within).blocks():
            sizes[rows] = NORMAL * np.sqrt(self.variance_ratio) * own_or(every, x[rows]).sd
        fine = not_rounded(before, self.columns, self.whole)
        return {name: sizes[:, j] for j, name in enumerate(self.columns) if name in fine}

    def _refuse_constants(self, z: Floats, where: Text = Text("the file", "der Datei")) -> None:  # noqa: B008
        for name, sd, there in zip(
            self.columns, covariance(z).sd, np.asarray((~np.isnan(z)).any(axis=0)), strict=True
        ):
            if len(z) and not there:
                raise NothingToUse(name=name)
            if len(z) and not sd:
                raise NoSpread(who=self.id, name=name, where=where)

    def remarks(self, before: Microdata, after: Microdata) -> tuple[Text, ...]:
        return of_additive_noise(before, after, self.columns, self.unit)

    def tells(self, before: Microdata, after: Microdata) -> Mapping[str, Json]:
        """The ratio of the variances and Kim's constant: what corrected covariances need. Neither shows a draw.

        Kim's constant for samples is another one in every stratum; told is its mean over the records.
        """
        del after
        sizes = strata_of(before, self.within).sizes if len(before) else np.ones(1, dtype=np.int64)
        growth, kim_a = (
            round(float(np.average(v, weights=sizes)), 6) for v in (self.growth(sizes), self.constant(sizes))
        )
        told: dict[str, Json] = {
            "columns": list(self.columns),
            "noise": "additive, normal, covariance proportional to that of the data",
            "variance_ratio": self.variance_ratio,
            "covariances_multiplied_by": of_many(growth),
            "within": list(self.within),
            **self.told_of_units(),
            **told_of_homes(before, self.columns),
            "rounded": rounded(before, self.columns, self.whole),
        }
        if self.kim in ("asymptotic", "sample"):
            told["kim_a"] = of_many(kim_a)
        return told
