"""Additive noise, independent for every value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Literal, Self

import numpy as np
from pydantic import BaseModel, Field, model_validator

from tarnkappe.data.column import Bools, Floats
from tarnkappe.data.households import largest_in_homes
from tarnkappe.data.masked import not_rounded, refuse_infinite, rounded, with_masked
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.strata import Strata, strata_of
from tarnkappe.errors.masking import NoSpread
from tarnkappe.kernels.block_spread import block_outliers, block_spreads
from tarnkappe.kernels.standard import power_scale
from tarnkappe.kernels.symmetric_laws import beyond, bounded_normal, underlying_sd, uniform_end
from tarnkappe.kernels.unlike import unlike
from tarnkappe.language import Text
from tarnkappe.methods.microdata.advice import ERRORS
from tarnkappe.methods.microdata.noise_claims import means_near, no_value_as_it_was, sign_and_zero_kept
from tarnkappe.methods.microdata.noise_remarks import of_additive_noise
from tarnkappe.methods.microdata.probable_error import EVENLY, OF_ADDED, of_added
from tarnkappe.methods.microdata.unit_noise import ALIKE, UnitNoise, alike, told_of_homes
from tarnkappe.methods.microdata.whole_totals import WHOLE_KEPT
from tarnkappe.randomness import Stream
from tarnkappe.spec import Claim, Declared, Family, Holds, Json, Source, method
from tarnkappe.spec.conditions import Condition, given, where
from tarnkappe.spec.fields import Columns
from tarnkappe.spec.limits import ForAnalysis


class NormalNoise(BaseModel):
    """Normal noise, where asked without its middle and without its ends."""

    model_config = Declared.model_config

    law: Literal["normal"] = "normal"
    """Normal distribution. | Normalverteilung."""
    smallest: Annotated[float, Field(ge=0, lt=1)] = 0.0
    """Smallest change, in standard deviations of the noise. | Kleinste Änderung, in Standardabweichungen der
    Überlagerung."""
    largest: Annotated[float, Field(gt=1)] | None = None
    """Largest change, in standard deviations of the noise. | Größte Änderung, in Standardabweichungen der
    Überlagerung."""

    @model_validator(mode="after")
    def _variance_one_is_possible(self) -> Self:
        if self.largest is not None and self.largest <= uniform_end(self.smallest) + 1e-3:
            raise ValueError(
                Text(
                    "leaves too little room between smallest and largest",
                    "lässt zwischen smallest und largest zu wenig Raum",
                )
            )
        return self

    def draw(self, generator: np.random.Generator, shape: tuple[int, int]) -> Floats:
        """Numbers with mean 0 and variance 1."""
        if self.smallest == 0 and self.largest is None:
            return generator.standard_normal(shape)
        return self._bounded(generator.random(shape), generator.random(shape) - 0.5)

    def of_normal(self, z: Floats) -> Floats:
        """Standard normal numbers turned into such numbers, in the same order."""
        if self.smallest == 0 and self.largest is None:
            return z
        return self._bounded(beyond(z), z)

    def _bounded(self, u: Floats, sign: Floats) -> Floats:
        end = np.inf if self.largest is None else self.largest
        sigma = underlying_sd(self.smallest, end)
        return sigma * bounded_normal(u, sign, self.smallest / sigma, end / sigma)


class UniformNoise(BaseModel):
    """Uniform noise, where asked without its middle."""

    model_config = Declared.model_config

    law: Literal["uniform"]
    """Uniform distribution. | Gleichverteilung."""
    smallest: Annotated[float, Field(ge=0, lt=1)] = 0.0
    """Smallest change, in standard deviations of the noise. | Kleinste Änderung, in Standardabweichungen der
    Überlagerung."""

    def draw(self, generator: np.random.Generator, shape: tuple[int, int]) -> Floats:
        """Numbers with mean 0 and variance 1."""
        size = generator.uniform(self.smallest, uniform_end(self.smallest), shape)
        return np.copysign(size, generator.random(shape) - 0.5)

    def of_normal(self, z: Floats) -> Floats:
        """Standard normal numbers turned into such numbers, in the same order."""
        end = uniform_end(self.smallest)
        return np.copysign(end - beyond(z) * (end - self.smallest), z)


def _moved_enough(m: Noise, before: Microdata, after: Microdata) -> bool:
    """|change| ≥ smallest · √d · σ in every cell that gets noise."""
    names = not_rounded(before, m.columns, m.whole)
    was, now = before.numbers(names), after.numbers(names)
    scale = power_scale(was)
    sizes = m.noise_sd(before, names)
    least = m.noise.smallest * sizes * (1 - 1e-9) - 4 * np.spacing(np.fmax(np.abs(was), np.abs(now)) / scale)
    moved = np.abs(now / scale - was / scale) >= least
    return bool(np.all(moved | ~m.treated(before, names)))


def _some_noise(m: Noise, before: Microdata, after: Microdata) -> bool:
    return no_value_as_it_was(
        before, after, not_rounded(before, m.columns, m.whole), lambda names: m.treated(before, names)
    )


def _alike(m: Noise, before: Microdata, after: Microdata) -> bool:
    """Of normal numbers with the correlation c, even the signs alone have the correlation 2/π·arcsin(c)."""
    plain = m.noise == NormalNoise()
    return alike(m, before, after, m.common if plain else float(2 / np.pi * np.arcsin(m.common)))


_MOVES_ALL = Condition(
    Text("with `smallest` above 0 in `noise`", "mit `smallest` über 0 in `noise`"),
    lambda m: m.noise.smallest > 0,
)


@method(
    "microdata.noise",
    family=Family.NOISE,
    title=Text("Additive noise", "Additive Überlagerung"),
    does=Text(
        "Random numbers with mean 0 were added to values, independently for every value.",
        "Zu Werten wurden Zufallszahlen mit Mittelwert 0 addiert, unabhängig für jeden Wert.",
    ),
    sources=(
        Source("hoehne2010", "2.2.2, additive noise (N01) and truncated normal noise (N04)"),
        Source("gottschalk2002", "4.3, naive additive noise (G-M15)"),
        Source("dav2025", "3.3.1, additive noise (D-M07)"),
        Source("templ2015", "function addNoise, methods additive and outdect"),
    ),
    preserves=(
        Claim(
            Text("signs and zeros", "Vorzeichen und Nullen"),
            lambda m, before, after: sign_and_zero_kept(before, after, m.columns),
            when=where("signs", "keep") & where("whole", "decimals"),
        ),
        Claim(
            Text("the mean of every column", "den Mittelwert jeder Spalte"),
            lambda m, before, after: means_near(m, before, after, np.sqrt(m.variance_ratio)),
            Holds.ON_AVERAGE,
            when=where("signs", "free"),
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
        Claim(
            Text(
                "every value that gets noise moves by at least the smallest change (rounded whole numbers excepted)",
                "jeder überlagerte Wert ändert sich mindestens um die kleinste Änderung (ausgenommen gerundete ganze Zahlen)",
            ),
            _moved_enough,
            when=_MOVES_ALL,
        ),
        replace(ALIKE, check=_alike, when=given("unit") & where("treat", "all") & where("signs", "free")),
    ),
    does_not=(
        ForAnalysis(
            "keep variances and correlations: variances grow, correlations shrink",
            "Varianzen und Korrelationen erhalten: Varianzen wachsen, Korrelationen schrumpfen",
        ),
        Text(
            "fit skewed data: what hides a large value ruins the small ones; take microdata.factor-noise there",
            "zu schiefen Daten passen: was einen großen Wert verbirgt, zerstört die kleinen; dort hilft microdata.factor-noise",
        ),
        Text(
            "withstand an attacker who knows more than about four to six of the columns, unless the noise is raised",
            "einem Angreifer standhalten, der mehr als etwa vier bis sechs der Spalten kennt, wenn die Überlagerung nicht erhöht wird",
        ),
        Text(
            "hold when the same values are released again with other noise: averages come near the truth",
            "halten, wenn dieselben Werte mit anderer Überlagerung noch einmal freigegeben werden: Mittelwerte nähern sich der Wahrheit",
        ),
    ),
    nearness=OF_ADDED,
    advice=ERRORS,
    example={
        "columns": ("income", "employees"),
        "variance_ratio": 0.2,
        "noise": {"law": "uniform", "smallest": 0.3},
        "treat": "outliers",
        "signs": "keep",
        "unit": ("household",),
        "common": 0.3,
        "within": ("region",),
        "whole": "total",
    },
    random=True,
    revision=3,
)
class Noise(UnitNoise):
    """Add independent random numbers to numeric columns.

    The variance of the noise is `variance_ratio` times that of the column in its stratum; (0.1)² would be noise with a
    tenth of the column's standard deviation. Normal noise leaves many values almost as they were: with `smallest` the middle of
    the distribution is left out, so that every value moves by a stated amount, and with `largest` its ends; the variance stays
    as asked. `treat: outliers` adds noise only to records that lie far out in one column or in all together (robustly judged, in their
    stratum, or in the file where a stratum has fewer than ten records); the others are then unprotected. `signs: keep` turns noise around that would change a sign, and leaves zeros alone;
    small values then grow on average.

    In a panel, noise drawn anew in every period averages out. With `unit` the records of a unit have the part `common` of their noise in
    common, in standard deviations of their stratum: the mean over its periods keeps that part. The rest is each record's own, so that one known
    value does not give the others away. Records without a unit have noise of their own.

    Where a column has the role household, what all members of a household have in common they have in common afterwards: the noise is
    drawn once for them.

    Missing and suppressed cells stay as they are, infinite values are refused. A column that does not vary is refused; a stratum
    without variation gets noise of the size for the whole column. Whole numbers get decimals unless `whole` says otherwise. Zeros
    and negative values get noise like others unless `signs` keeps them; equal values become different.
    """

    columns: Columns
    """Numeric columns that get noise. | Numerische Spalten, die überlagert werden."""
    variance_ratio: Annotated[float, Field(gt=0)] = 0.1
    """Variance of the noise as part of that of the column. | Varianz der Überlagerung als Teil der Varianz der Spalte."""
    noise: Annotated[NormalNoise | UniformNoise, Field(discriminator="law")] = NormalNoise()
    """Distribution of the noise. | Verteilung der Überlagerung."""
    treat: Literal["all", "outliers"] = "all"
    """Which records get noise. | Welche Datensätze überlagert werden."""
    signs: Literal["free", "keep"] = "free"
    """Whether signs and zeros are kept. | Ob Vorzeichen und Nullen erhalten bleiben."""

    def apply(self, data: Microdata, stream: Stream) -> Microdata:
        x, strata = data.numbers(self.columns, self.id), self._strata(data)
        scale = power_scale(x)
        z = x / scale
        w = self._drawn(data, stream.generator)
        w *= self._sizes(data, z, self.columns, strata)
        if (
            self.signs == "keep"
        ):  # noise that would change the sign is turned around: as large, and as probable
            w[np.sign(z + w) * np.sign(x) < 0] *= -1
        with np.errstate(over="ignore"):
            y = self.one_for_all(data, unlike((z + w) * scale, x))
        if not (treated := self._chosen(data, self.columns, z, strata)).all():
            y = np.where(treated, y, x)
        refuse_infinite(data, self.columns, y, self.id)
        return with_masked(data, self.columns, y, self.whole, strata)

    def _drawn(self, data: Microdata, generator: np.random.Generator) -> Floats:
        """Numbers with mean 0 and variance 1."""
        if not self.unit:
            return self.noise.draw(generator, (len(data), len(self.columns)))
        return self.noise.of_normal(self.white(data, generator)(np.arange(len(data))))

    def noise_sd(self, data: Microdata, names: tuple[str, ...]) -> Floats:
        """Standard deviation of the noise of every cell, on the scale of the column."""
        x = data.numbers(names)
        return self._sizes(data, x / power_scale(x), names, self._strata(data))

    def _sizes(self, data: Microdata, z: Floats, names: tuple[str, ...], strata: Strata) -> Floats:
        """Of every cell, or of every column where there is one stratum only; the largest in a household where its members share a value."""
        spreads = block_spreads(z, strata.of, len(strata))
        for j, name in enumerate(names):
            if len(z) and not spreads[:, j].any():
                raise NoSpread(who=self.id, name=name, where=Text("the file", "der Datei"))
        sd: Floats = np.sqrt(self.variance_ratio) * (spreads if len(strata) == 1 else spreads[strata.of])
        return sd if len(strata) == 1 else largest_in_homes(data, names, sd)

    def probable_error(self, before: Microdata) -> Mapping[str, Floats]:
        """Where signs are kept, noise that would change one is turned around: of small values the direction is known."""
        names = not_rounded(before, self.columns, self.whole)
        one = of_added(self.noise.of_normal(EVENLY)) / (2 if self.signs == "keep" else 1)
        sizes = one * self.noise_sd(before, names) * power_scale(before.numbers(names))
        sizes = np.where(self.treated(before, names), sizes, 0.0)
        return {name: sizes[:, j] for j, name in enumerate(names)}

    def treated(self, data: Microdata, names: tuple[str, ...]) -> Bools:
        """The cells that get noise."""
        every = data.numbers(self.columns)
        return self._chosen(data, names, every / power_scale(every), self._strata(data))

    def _chosen(self, data: Microdata, names: tuple[str, ...], z: Floats, strata: Strata) -> Bools:
        """The cells of some columns that get noise; `z` are all columns, on their scale."""
        x = data.numbers(names)
        cells: Bools = ~np.isnan(x)
        if self.signs == "keep":
            cells &= x != 0
        if self.treat == "outliers":
            far = np.repeat(block_outliers(z, list(strata.blocks()))[:, None], len(names), axis=1)
            cells &= largest_in_homes(data, names, far.astype(np.float64)) > 0
        return cells

    def _strata(self, data: Microdata) -> Strata:
        return strata_of(data, self.within)

    def remarks(self, before: Microdata, after: Microdata) -> tuple[Text, ...]:
        return of_additive_noise(before, after, self.columns, self.unit)

    def tells(self, before: Microdata, after: Microdata) -> Mapping[str, Json]:
        """The ratio of the variances, for errors-in-variables corrections; it does not help to subtract the noise."""
        del after
        return {
            "columns": list(self.columns),
            "noise": f"additive, independent, {self.noise.law}",
            "variance_ratio": self.variance_ratio,
            "records": self.treat,
            "signs": self.signs,
            "within": list(self.within),
            **self.told_of_units(),
            **told_of_homes(before, self.columns),
            "rounded": rounded(before, self.columns, self.whole),
        }
