"""Additive noise with several peaks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any, Literal, Protocol, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from tarnkappe.data.column import Floats, Ints
from tarnkappe.data.households import first_members, shared_in_homes
from tarnkappe.data.masked import (
    not_rounded,
    refuse_infinite,
    rounded,
    side_by_side,
    with_masked,
    without_gaps,
)
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.strata import strata_of
from tarnkappe.data.units import units_of
from tarnkappe.errors.masking import Collinear, NoSpread, PeaksTooFarApart, TooFewComplete
from tarnkappe.kernels.mixtures import (
    hoehne_around,
    hoehne_mixture,
    hoehne_signs,
    largest_separation,
    roque_around,
    roque_mixture,
    roque_peaks,
    with_exact_moments,
    yancey_around,
    yancey_mixture,
    yancey_signs,
)
from tarnkappe.kernels.standard import power_scale
from tarnkappe.kernels.unlike import unlike
from tarnkappe.kernels.white_noise import Covariance, collinear, covariance
from tarnkappe.language import Text, listed
from tarnkappe.methods.microdata.advice import ERRORS
from tarnkappe.methods.microdata.limits import refuse_few_in_strata
from tarnkappe.methods.microdata.noise_claims import means_near, no_value_as_it_was, same_means
from tarnkappe.methods.microdata.noise_remarks import of_additive_noise
from tarnkappe.methods.microdata.stratum_claims import enough_in_strata
from tarnkappe.methods.microdata.unit_noise import ALIKE, UnitNoise, told_of_homes
from tarnkappe.methods.microdata.whole_totals import WHOLE_KEPT
from tarnkappe.randomness import Stream
from tarnkappe.spec import Claim, Family, Holds, Json, Source, method
from tarnkappe.spec.fields import Columns
from tarnkappe.spec.limits import ForAnalysis

SMALLEST = 3
"""Of two contributors the mean of a stratum tells each the other."""
Part = Annotated[float, Field(gt=0, le=1000)]
Separation = Annotated[float, Field(gt=-1, lt=1)]
_FOR_HOEHNE = Text(
    "a separation for every column goes with kind hoehne only, and names all columns",
    "eine separation je Spalte gehört nur zu kind hoehne und nennt alle Spalten",
)
_NO_PEAKS = Text(
    "needs a separation other than 0 in some column", "braucht in einer Spalte eine separation ungleich 0"
)
_FOR_ROQUE = Text(
    "peak_shares and peak_spreads go with kind roque only",
    "peak_shares und peak_spreads gehören nur zu kind roque",
)
_PEAKS = Text(
    "m columns need m + 1 to 2m peak_shares", "m Spalten brauchen m + 1 bis 2m Anteile (peak_shares)"
)
_SPREADS = Text(
    "needs as many peak_spreads as peaks: one for each of the peak_shares, or 2m without them",
    "braucht so viele peak_spreads wie Gipfel: eines je peak_shares, ohne diese 2m",
)  # fmt: skip


class DrawFor(Protocol):
    """Noise for these records with these correlations, where asked with exact moments."""

    def __call__(self, rows: Ints, r: Floats, *, exact: bool) -> Floats: ...


class Draw(Protocol):
    """Noise for so many records with these correlations."""

    def __call__(self, n: int, r: Floats, generator: np.random.Generator, *, exact: bool) -> Floats: ...


@dataclass(frozen=True)
class Law:
    """A mixture: drawn for records, or around peaks that are drawn for units."""

    draw: Draw
    peaks: Callable[[int, np.random.Generator], NDArray[Any]]
    """Where so many units are."""
    around: Callable[[NDArray[Any], Floats, Floats], Floats]
    """Noise of records from the peaks they are at, white noise and the correlations."""


def _means_exact(m: MixtureNoise, before: Microdata, after: Microdata) -> bool:
    names = not_rounded(before, m.columns, m.whole)
    x, y = side_by_side(before, after, names)
    whole = without_gaps(before.numbers(m.columns))
    return all(
        same_means(x[rows[whole[rows]]], y[rows[whole[rows]]])
        for rows in (strata_of(before, m.within).blocks() if names else ())
    )


def _of_many(m: MixtureNoise, before: Microdata, after: Microdata) -> bool:
    was = before.aligned_to(after)
    return enough_in_strata(was, without_gaps(was.numbers(m.columns)), strata_of(was, m.within).of, SMALLEST)


def _some_noise(m: MixtureNoise, before: Microdata, after: Microdata) -> bool:
    names = not_rounded(before, m.columns, m.whole)
    return no_value_as_it_was(before, after, names, lambda names: ~np.isnan(before.numbers(names)))


@method(
    "microdata.mixture-noise",
    family=Family.NOISE,
    title=Text("Additive noise with several peaks", "Additive Überlagerung mit Mischungsverteilung"),
    does=Text(
        "Random numbers that are seldom near zero, with covariances proportional to those of the data, were added.",
        "Es wurden Zufallszahlen addiert, die selten nahe null liegen und deren Kovarianzen proportional zu denen der Daten sind.",
    ),
    sources=(Source("hoehne2010", "4.1, mixtures after Roque (N08), Yancey (N09) and the author (N10)"),),
    preserves=(
        Claim(
            Text(
                "the mean of every column in every stratum, over records without gaps (rounded columns excepted)",
                "den Mittelwert jeder Spalte in jeder Schicht, über Datensätze ohne Lücken (ausgenommen gerundete Spalten)",
            ),
            _means_exact,
        ),
        Claim(
            Text(
                "correlations and linear models; all covariances grow by the factor 1 + variance_ratio",
                "Korrelationen und lineare Modelle; alle Kovarianzen wachsen um den Faktor 1 + variance_ratio",
            ),
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
                "every mean that is kept is that of three contributors or more",
                "jeder erhaltene Mittelwert ist der von drei oder mehr Beitragenden",
            ),
            _of_many,
        ),
        ALIKE,
    ),
    does_not=(
        ForAnalysis("keep variances: they grow", "Varianzen erhalten: sie wachsen"),
        ForAnalysis("keep signs and zeros", "Vorzeichen und Nullen erhalten"),
        Text(
            "fit skewed data; take microdata.factor-noise there",
            "zu schiefen Daten passen; dort hilft microdata.factor-noise",
        ),
        Text(
            "have two peaks in every column with kind yancey or roque: sums of mixtures wash out",
            "bei kind yancey oder roque in jeder Spalte zwei Gipfel haben: Summen von Mischungen verschwimmen",
        ),
    ),
    advice=ERRORS,
    example={
        "columns": ("income", "wealth"),
        "variance_ratio": 0.2,
        "kind": "roque",
        "separation": 0.6,
        "mu_rule": "d",
        "peak_shares": (0.4, 0.3, 0.3),
        "peak_spreads": (1.0, 2.0, 1.0),
        "unit": ("household",),
        "common": 0.3,
        "within": ("year",),
        "whole": "nearest",
    },
    random=True,
    revision=5,
)
class MixtureNoise(UnitNoise):
    """Add noise that has two or more peaks away from zero.

    Normal noise leaves many values almost as they were. Here the noise lies around peaks on either side of zero and still has
    mean 0 and the covariance d·Σ, with d the `variance_ratio`. `hoehne`: half of the records, chosen at random, move up in all columns
    and half move down, around ±p·√d times the standard deviations, so that every column has two peaks. `yancey`: independent
    columns with two peaks, then made correlated: the first keeps its peaks, further ones are sums over those before. `roque`: several peaks in the directions of m columns, 2m
    of them, each as probable, or m + 1 to 2m with the `peak_shares`; `peak_spreads` make the noise around some of them wider.
    What is rare lies farther out: the weighted mean of the peaks stays 0, and the covariance d·Σ.

    `separation` is p, the distance of the peaks from zero in standard deviations of the noise. For `hoehne` it must lie below
    1/√(1ᵀR⁻¹1), R the correlations: the more the columns are alike, and the more there are, the less. It may be another in every column: smaller
    in columns that are nearly alike, negative in those that go down when the others go up. The book prints μ = p·d·S where its own argument
    needs p·√d·S; `mu_rule: d` gives the printed form, with weaker peaks.

    In a panel, noise drawn anew in every period averages out. With `unit` all records of a unit are at the same peak, so that it goes up or
    down in all periods alike, and the part `common` of what scatters around the peak is theirs together. The rest is each record's own, so that one
    known value does not give the others away. Records without a unit have noise of their own.

    Where a column has the role household, what all members of a household have in common they have in common afterwards: the noise is
    drawn once for them. Where exact moments or chosen directions do not allow that beside other columns, the step is refused.

    Records with gaps get their part of a draw, missing and suppressed cells
    stay. Every stratum needs 2p + 2 records without gaps, of three contributors or more; records of one owner count once. Columns that do not vary or follow from others are refused. Zeros and negative values get noise like others and may change their
    sign; equal values become different. Infinite values are refused.
    """

    columns: Columns
    """Numeric columns that get noise together. | Numerische Spalten, die gemeinsam überlagert werden."""
    variance_ratio: Annotated[float, Field(gt=0)] = 0.1
    """Variance of the noise as part of that of the column. | Varianz der Überlagerung als Teil der Varianz der Spalte."""
    kind: Literal["hoehne", "yancey", "roque"] = "hoehne"
    """Which mixture: of Höhne, Yancey or Roque. | Welche Mischung: nach Höhne, Yancey oder Roque."""
    separation: Annotated[float, Field(gt=0, lt=1)] | Mapping[str, Separation] = 0.5
    """Distance of the peaks from zero, in standard deviations of the noise; with kind hoehne also one for every column, negative where it goes
    against the others. | Abstand der Gipfel von null, in Standardabweichungen der Überlagerung; bei kind hoehne auch einer je Spalte, negativ, wo sie
    gegen die anderen läuft."""
    mu_rule: Literal["sqrt_d", "d"] = "sqrt_d"
    """Peaks at separation times √d, or times d as printed in the book. | Gipfel bei separation mal √d, oder mal d wie im Buch
    gedruckt."""
    peak_shares: tuple[Part, ...] = ()
    """Parts of the records around each peak of roque, m + 1 to 2m for m columns, in any unit; none: 2m equal ones. | Anteile der Datensätze
    um jeden Gipfel von roque, m + 1 bis 2m für m Spalten, in beliebiger Einheit; keine: 2m gleiche."""
    peak_spreads: tuple[Part, ...] = ()
    """Variances around each peak of roque, in parts of each other; none: all equal. | Varianzen um jeden Gipfel von roque, im Verhältnis
    zueinander; keine: alle gleich."""

    @model_validator(mode="after")
    def _peaks_fit(self) -> Self:
        m, shares, spreads = len(self.columns), len(self.peak_shares), len(self.peak_spreads)
        if isinstance(self.separation, Mapping) and (
            self.kind != "hoehne" or set(self.separation) != set(self.columns)
        ):
            raise ValueError(_FOR_HOEHNE)
        if not self.peaks.any():
            raise ValueError(_NO_PEAKS)
        if self.kind != "roque" and (shares or spreads):
            raise ValueError(_FOR_ROQUE)
        if shares and not m + 1 <= shares <= 2 * m:
            raise ValueError(_PEAKS)
        if spreads and spreads != (shares or 2 * m):
            raise ValueError(_SPREADS)
        return self

    def apply(self, data: Microdata, stream: Stream) -> Microdata:
        x = data.numbers(self.columns, self.id)
        scale = power_scale(x)
        z, strata = x / scale, strata_of(data, self.within)
        there = without_gaps(z)
        noise, draw = np.zeros_like(z), self._draw(data, stream.generator)
        for rows in strata.blocks():
            whole, gaps = rows[there[rows]], rows[~there[rows]]
            c = self._covariance(z[whole])
            size = np.sqrt(self.variance_ratio) * c.sd
            noise[whole] = draw(whole, c.r, exact=True) * size
            # apart and as they are drawn: to bring the mean of one or two records to zero would take their noise away
            noise[gaps] = draw(gaps, c.r, exact=False) * size
        refuse_few_in_strata(data, there, strata.of, SMALLEST, self.id)
        with np.errstate(over="ignore"):
            y = self.one_for_all(data, unlike((z + noise) * scale, x), exact=True)
        refuse_infinite(data, self.columns, y, self.id)
        return with_masked(data, self.columns, y, self.whole, strata)

    @property
    def peaks(self) -> Floats:
        """Distance of the peaks of every column from zero in standard deviations of the noise: μ₁ over √d·S (step 2)."""
        times = 1.0 if self.mu_rule == "sqrt_d" else np.sqrt(self.variance_ratio)
        given = self.separation
        return times * np.array([given[n] if isinstance(given, Mapping) else given for n in self.columns])

    @property
    def _needed(self) -> int:
        """Records without gaps that it takes."""
        return 2 * len(self.columns) + 2

    def _draw(self, data: Microdata, generator: np.random.Generator) -> DrawFor:
        """Noise of some records, in standard deviations; the records of a unit are at the same peak in all strata."""
        law = self._law()
        shared = shared_in_homes(data, self.columns)
        if not self.unit and not shared:
            return lambda rows, r, *, exact: law.draw(len(rows), r, generator, exact=exact)
        of, units = units_of(data, self.unit)
        if shared:  # members are at one peak: that of the first of them
            of = of[first_members(data)]
        peaks, white = law.peaks(units, generator)[of], self.white(data, generator)

        def drawn(rows: Ints, r: Floats, *, exact: bool) -> Floats:
            noise = law.around(peaks[rows], white(rows), r)
            return with_exact_moments(noise, r) if exact else noise

        return drawn

    def _law(self) -> Law:
        m, p = len(self.columns), float(self.peaks[0])
        if self.kind == "hoehne":
            mu = self.peaks
            return Law(partial(hoehne_mixture, p=mu), hoehne_signs, partial(hoehne_around, p=mu))
        if self.kind == "yancey":
            return Law(
                partial(yancey_mixture, p=p),
                lambda n, generator: yancey_signs(n, m, generator),
                partial(yancey_around, p=p),
            )
        shares, spreads = (
            np.array(given) if given else None for given in (self.peak_shares, self.peak_spreads)
        )
        return Law(
            partial(roque_mixture, p=p, shares=shares, spreads=spreads),
            lambda n, generator: roque_peaks(n, m, generator, shares),
            partial(roque_around, p=p, shares=shares, spreads=spreads),
        )

    def _covariance(self, z: Floats) -> Covariance:
        """Of one stratum; refused where the mixture cannot be made."""
        if len(z) < self._needed:
            raise TooFewComplete(who=self.id, needed=self._needed, found=len(z))
        c = covariance(z)
        for name, sd in zip(self.columns, c.sd, strict=True):
            if not sd:
                raise NoSpread(who=self.id, name=name, where=Text("a stratum", "einer Schicht"))
        alike = collinear(c.r)
        if len(alike):
            raise Collinear(who=self.id, names=listed([self.columns[j] for j in alike]))
        times = largest_separation(c.r, self.peaks) if self.kind == "hoehne" else 1 / float(self.peaks[0])
        if times <= 1 + 1e-9:
            given = self.separation
            largest = max(map(abs, given.values())) if isinstance(given, Mapping) else given
            raise PeaksTooFarApart(who=self.id, given=largest, most=f"{largest * times:.3f}")
        return c

    def remarks(self, before: Microdata, after: Microdata) -> tuple[Text, ...]:
        return of_additive_noise(before, after, self.columns, self.unit)

    def tells(self, before: Microdata, after: Microdata) -> Mapping[str, Json]:
        """The ratio of the variances, for corrected covariances; where the peaks lie is not told."""
        del after
        return {
            "columns": list(self.columns),
            "noise": "additive, a mixture of normal distributions, covariance proportional to that of the data",
            "variance_ratio": self.variance_ratio,
            "within": list(self.within),
            **self.told_of_units(),
            **told_of_homes(before, self.columns),
            "rounded": rounded(before, self.columns, self.whole),
        }
