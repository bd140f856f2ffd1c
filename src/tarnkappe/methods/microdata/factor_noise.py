"""Multiplicative noise."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Literal, Self

import numpy as np
from pydantic import Field, model_validator

from tarnkappe.data.blurred import REACH, moved, reach_of_counts, unit_of
from tarnkappe.data.column import Floats, Ints
from tarnkappe.data.contributors import contributor_codes
from tarnkappe.data.households import alike_in_homes, moving_together
from tarnkappe.data.masked import Whole, not_rounded, refuse_infinite, rounded, side_by_side, with_masked
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.strata import Strata, strata_of
from tarnkappe.data.units import units_of
from tarnkappe.errors.masking import TotalsUndo
from tarnkappe.kernels.expectation import variance_before
from tarnkappe.kernels.kept_totals import dominated, undone, with_totals
from tarnkappe.kernels.standard import power_scale
from tarnkappe.kernels.unlike import unlike_with_sign
from tarnkappe.language import Text
from tarnkappe.methods.microdata.advice import FACTORS
from tarnkappe.methods.microdata.drawn_factors import DrawnFactors
from tarnkappe.methods.microdata.factor_laws import Factors, Law, MixtureFactors, UniformFactors
from tarnkappe.methods.microdata.noise_claims import (
    ONE_WAY,
    no_value_as_it_was,
    one_factor,
    sign_and_zero_kept,
)
from tarnkappe.methods.microdata.noise_remarks import averaged_away, found_by_trying, ratios_given_away
from tarnkappe.methods.microdata.probable_error import OF_FACTORS, of_factors
from tarnkappe.methods.microdata.unit_noise import FAR, one_for_all, told_of_homes
from tarnkappe.methods.microdata.whole_totals import WHOLE_KEPT, near_totals
from tarnkappe.randomness import Stream
from tarnkappe.spec import Claim, Family, Holds, Json, Method, Source, method
from tarnkappe.spec.conditions import Condition, where
from tarnkappe.spec.fields import Columns, Unit
from tarnkappe.spec.limits import ForAnalysis
from tarnkappe.spec.told_figures import of_many

OWN = 0.02
"""Quotients are off by two per cent, in one half of all cases by less than one: a number of 50 may be any of three, a smaller one is moved by units."""


def _within_bounds(m: FactorNoise, before: Microdata, after: Microdata) -> bool:
    """Least ≤ |y/x - 1| ≤ most, up to the last digits; not on a common scale, which would hide the digits of the smallest numbers."""
    names = not_rounded(before, m.columns, m.whole)
    x, y = before.aligned_to(after).numbers(names), after.numbers(names)
    most = min(m.factors.most, 1e6)  # log-normal factors have no largest one
    reach = m.moved_by(x)
    least, most = m.factors.least - m.beside * (1 + m.factors.least), most + m.beside * (1 + most)
    with np.errstate(over="ignore"):
        change, room = np.abs(y - x), 4 * np.spacing(np.fmax(np.abs(x), np.abs(y))) + (1 + most) * reach
        low, high = least * np.abs(x) - room, most * np.abs(x) * (1 + 1e-12) + room
    return bool(np.all(((change >= low) & (change <= high)) | np.isnan(x)))


def _totals_kept(m: FactorNoise, before: Microdata, after: Microdata) -> bool:
    was = before.aligned_to(after)
    of, each = strata_of(was, m.within).of, (np.arange(len(was)), len(was))
    exact = not_rounded(before, m.columns, m.whole)
    names = m.columns if m.whole == "total" else exact
    return all(
        near_totals(was.column(n).numbers(), after.column(n).numbers(), of, each, float(n not in exact))
        for n in names
    )


def _none_alone(m: FactorNoise, before: Microdata, after: Microdata) -> bool:
    """In every stratum whose total is kept three contributors have a part of it, and none more than half."""
    was = before.aligned_to(after)
    who, of = contributor_codes(was).tolist(), strata_of(was, m.within).of.tolist()
    for name in m.columns:
        x = np.abs(np.nan_to_num(was.column(name).numbers()))
        parts: dict[int, dict[int, float]] = {}
        for stratum, one, size in zip(of, who, (x / power_scale(x)).tolist(), strict=True):
            if size:
                part = parts.setdefault(stratum, {})
                part[one] = part.get(one, 0.0) + size
        if any(len(p) < 3 or max(p.values()) > sum(p.values()) * (0.5 + 1e-9) for p in parts.values()):
            return False
    return True


def _means_near(m: FactorNoise, before: Microdata, after: Microdata) -> bool:
    """Within six standard errors of √V · root mean square / √n; units that share a factor count as one."""
    x, y = (np.nan_to_num(v) for v in side_by_side(before, after, m.columns))
    ids, count = moving_together(before, m.unit, m.columns)
    for j in range(x.shape[1]):
        size = np.bincount(ids, x[:, j], count) if m.shared != "nothing" else x[:, j]
        own = m.beside**2 / 3 * (1 + m.factors.variance) * (x[:, j] ** 2).sum()
        if abs((y[:, j] - x[:, j]).sum()) > FAR * np.sqrt(m.factors.variance * (size**2).sum() + own):
            return False
    return True


def _variance_near(m: FactorNoise, before: Microdata, after: Microdata) -> bool:
    """The variance corrected by that of the factors, within a tenth; meant for large files that are not too skewed."""
    x, y = side_by_side(before, after, m.columns)
    for j in range(x.shape[1]):
        got = variance_before(float(np.nanmean(y[:, j])), float(np.nanvar(y[:, j])), m.moments()["variance"])
        if abs(got / float(np.nanvar(x[:, j])) - 1) > 0.1:
            return False
    return True


def _nearly_one_factor(m: FactorNoise, before: Microdata, after: Microdata) -> bool:
    """One factor of a unit explains all its values, but for the own factor of each and what counts were moved by."""
    x, y = (np.abs(data.numbers(m.columns)) for data in (before.aligned_to(after), after))
    return one_factor(x, y, m.moved_by(x), units_of(before.aligned_to(after), m.unit), m.beside)


_ONE_DIRECTION = Condition(
    Text(
        "with `shared: sign` and `factors` that never cross 1 (of the mixture: `s: 0` or `smallest` above 0)",
        "mit `shared: sign` und `factors`, die nie über die 1 hinweg gehen (bei der Mischung: `s: 0` oder `smallest` über 0)",
    ),
    lambda m: m.shared == "sign" and m.factors.keeps_direction,
)


@method(
    "microdata.factor-noise",
    family=Family.NOISE,
    title=Text("Multiplicative noise", "Multiplikative Überlagerung"),
    does=Text(
        "Values were multiplied by random factors with mean 1.",
        "Werte wurden mit Zufallsfaktoren vom Mittelwert 1 multipliziert.",
    ),
    sources=(
        Source(
            "hoehne2010",
            "2.2.2 and 4.2.2, multiplicative noise (N03, N04, N05), row-constant (N12), mixture (N13, eq. 4.2-5)",
        ),
        Source(
            "gottschalk2002",
            "4.3 and 5.1, multiplicative noise (G-M18) and one factor per enterprise (G-M19)",
        ),
        Source("dav2025", "3.3.1, multiplicative noise (D-M07)"),
    ),
    preserves=(
        Claim(
            Text("signs and zeros", "Vorzeichen und Nullen"),
            lambda m, before, after: sign_and_zero_kept(
                before, after, not_rounded(before, m.columns, m.whole)
            ),
        ),
        Claim(
            Text(
                "nearly, the ratios between all values of a unit: of the columns of a record, and of its records in other periods; every value has a small "
                "factor `own` beside the common one, and counts move by up to one and a half of their units",
                "beinahe die Verhältnisse zwischen allen Werten einer Einheit: der Spalten eines Datensatzes und ihrer Datensätze in anderen Perioden; neben dem "
                "gemeinsamen hat jeder Wert einen kleinen Faktor `own`, und Anzahlen bewegen sich um bis zu anderthalb ihrer Einheiten",
            ),
            _nearly_one_factor,
            when=where("shared", "factor") & where("totals", "free") & where("whole", "decimals"),
        ),
        Claim(
            Text(
                "the total of every column in every stratum (of columns that are rounded with the total kept, to one half; other rounded columns excepted)",
                "die Summe jeder Spalte in jeder Schicht (von Spalten, die mit erhaltener Summe gerundet sind, auf ein halb genau; andere gerundete ausgenommen)",
            ),
            _totals_kept,
            when=where("totals", "keep"),
        ),
        Claim(Text("the mean of every column", "den Mittelwert jeder Spalte"), _means_near, Holds.ON_AVERAGE),
        Claim(
            Text(
                "variances, after correction with the told variance of the factors",
                "Varianzen, nach Korrektur mit der mitgeteilten Varianz der Faktoren",
            ),
            _variance_near,
            Holds.ON_AVERAGE,
        ),
        WHOLE_KEPT,
    ),
    protects=(
        Claim(
            Text(
                "no value but zero is shown as it was (whole numbers that are rounded again excepted)",
                "kein Wert außer null wird gezeigt, wie er war (ausgenommen wieder gerundete ganze Zahlen)",
            ),
            lambda m, before, after: no_value_as_it_was(
                before, after, not_rounded(before, m.columns, m.whole)
            ),
        ),
        Claim(
            Text(
                "every value changes by at least the smallest and at most the largest relative change of the law, but for the small factor of its own "
                "beside a shared one (rounded columns excepted)",
                "jeder Wert ändert sich mindestens um die kleinste und höchstens um die größte relative Änderung des Gesetzes, bis auf den kleinen eigenen Faktor "
                "neben einem gemeinsamen (ausgenommen gerundete Spalten)",
            ),
            _within_bounds,
            when=where("totals", "free"),
        ),
        replace(
            ONE_WAY,
            when=where("totals", "free") & _ONE_DIRECTION,
        ),
        Claim(
            Text(
                "every total that is kept is that of three contributors or more, of whom none has more than half",
                "jede erhaltene Summe ist die von drei oder mehr Beitragenden, von denen keiner mehr als die Hälfte hat",
            ),
            _none_alone,
            when=where("totals", "keep"),
        ),
    ),
    does_not=(
        ForAnalysis(
            "keep variances and covariances: they grow, and with very skewed data unpredictably",
            "Varianzen und Kovarianzen erhalten: sie wachsen, bei sehr schiefen Daten unvorhersehbar",
        ),
        Text(
            "hide zeros, nor who is large and who is small",
            "Nullen verbergen, noch wer groß und wer klein ist",
        ),
        Text(
            "withstand an attacker who knows one value of a record, when the factor is shared: it gives all others away to a few per cent, and ratios "
            "that are nearly right identify a unit",
            "einem Angreifer standhalten, der einen Wert eines Datensatzes kennt, wenn der Faktor gemeinsam ist: er verrät alle anderen auf wenige "
            "Prozent, und Verhältnisse, die fast stimmen, identifizieren eine Einheit",
        ),
        Text(
            "hide values where factors are few, as with a short table or s 0: whoever tries them all finds whole numbers again",
            "Werte verbergen, wo es wenige Faktoren gibt, wie bei einer kurzen Tabelle oder s 0: wer alle probiert, findet ganze Zahlen wieder",
        ),
        Text(
            "hold over several waves when a unit gets a new factor each time: the mean comes near the truth; with one factor for all "
            "waves growth rates are nearly exact",
            "über mehrere Wellen halten, wenn eine Einheit jedes Mal einen neuen Faktor bekommt: das Mittel nähert sich der Wahrheit; "
            "mit einem Faktor für alle Wellen sind Wachstumsraten fast genau",
        ),
    ),
    nearness=OF_FACTORS,
    advice=FACTORS,
    words={
        "own": Text(
            "small factors of every value beside the shared one",
            "kleine Faktoren jedes Wertes neben dem gemeinsamen",
        ),
        "moved_before": Text(
            "variance of what counts were moved by before", "Varianz, um die Anzahlen zuvor bewegt wurden"
        ),
    },
    example={
        "columns": ("income", "employees"),
        "factors": {"law": "uniform", "width": 0.4, "smallest": 0.05},
        "shared": "factor",
        "own": 0.03,
        "unit": ("household",),
        "totals": "keep",
        "within": ("year",),
        "whole": "nearest",
    },
    random=True,
    revision=5,
)
class FactorNoise(Method):
    """Multiply values by random factors around 1.

    Changes are in proportion to the value: large and small units are protected alike, signs and zeros stay. That suits skewed
    data such as turnover. The laws: `mixture`, 1 ± f with a normal spread s (Höhne; most values change by more than a tenth); `normal`
    around 1, with `smallest` and `largest` change (Kim and Winkler: s 0.15, 0.01, 0.6), or with s computed so that at most a
    share of values is useful to an attacker; `uniform` (ZEW: width 0.5, factors from 0.5 to 1.5); `log-normal`; `table`, which
    lists factors and their probabilities. Factors are positive and symmetric around 1, but for the last two, whose mean is 1 too.

    `shared` says what the values of a unit have in common: `sign`, the direction (all values of a record go up or down together, each
    by its own amount, so that ratios are roughly kept); `factor`, one factor for all (ratios are nearly kept, and one known value
    gives the others away to a few per cent: only where the recipients are bound by contract); `nothing`. A unit is a record, or all records that agree
    on the columns `unit`: name the firm to move it alike in all waves, the firm and the year to move it anew in each.

    Values that have exactly one factor in common keep their quotients to the last digit, and whole numbers come back from these, without any knowledge: the simplest
    fraction near a quotient is the pair of numbers, and rounding to whole numbers does not help. So with `shared: factor` every value has a small factor beside the
    common one, uniform between 1 - `own` and 1 + `own`, and counts (whole numbers, or amounts in cents or hundreds, in their unit) are first moved at random by at most one and a half
    units, so that small ones are hidden too. Means stay, and corrected estimates know what the small factors add.

    Where a column has the role household, what all members of a household have in common they have in common afterwards: the noise is
    drawn once for them. Where totals are kept in strata that divide households, the step is refused.

    `totals: keep` spreads what the total of a stratum has gained or lost over its values, in proportion to their size; refused
    where one unit or contributor makes up more than half or fewer than three have values other than zero, because it would undo the noise or
    tell the second what the first has, and where all happened to get the same factor. Records of one owner are one contributor. Missing and
    suppressed cells stay as they are; a record whose unit is missing or suppressed is a unit of its own. Zeros stay zero and signs
    stay; equal values of different units get different factors, also where a column is constant. Infinite values are refused.
    """

    columns: Columns
    """Numeric columns that are multiplied. | Numerische Spalten, die multipliziert werden."""
    factors: Factors = MixtureFactors()
    """Distribution of the factors. | Verteilung der Faktoren."""
    shared: Literal["nothing", "sign", "factor"] = "sign"
    """What the values of a unit have in common. | Was die Werte einer Einheit gemeinsam haben."""
    own: Annotated[float, Field(ge=0.01, le=0.2)] = OWN
    """Largest relative change that every value has of its own beside a shared factor. | Größte relative Änderung, die jeder Wert neben einem gemeinsamen Faktor
    für sich hat."""
    unit: Unit = ()
    """Columns that name the unit; without them, each record is one. | Spalten, die die Einheit nennen; ohne sie ist jeder
    Datensatz eine."""
    totals: Literal["free", "keep"] = "free"
    """Whether the totals of the strata are kept. | Ob die Summen der Schichten erhalten bleiben."""
    within: tuple[str, ...] = ()
    """Columns whose combinations are the strata for totals. | Spalten, deren Kombinationen die Schichten für die Summen sind."""
    whole: Whole = "decimals"
    """What becomes of whole numbers: decimals, nearest or total (rounded with the total of the stratum kept to one half). | Was aus ganzen Zahlen wird: Nachkommastellen (decimals), gerundet (nearest) oder gerundet mit auf ein halb erhaltener
    Schichtsumme (total)."""

    @model_validator(mode="after")
    def _nothing_is_ignored(self) -> Self:
        if self.shared == "sign" and not self.factors.symmetric:
            raise ValueError(
                Text(
                    "factors that are not symmetric around 1 cannot share a sign",
                    "Faktoren, die nicht symmetrisch um 1 liegen, haben kein gemeinsames Vorzeichen",
                )
            )
        if self.unit and self.shared == "nothing":
            raise ValueError(
                Text("unit goes with shared: sign or factor", "unit gehört zu shared: sign oder factor")
            )
        if self.own != OWN and self.shared != "factor":
            raise ValueError(Text("own goes with shared: factor", "own gehört zu shared: factor"))
        if self.within and self.totals == "free" and self.whole != "total":
            raise ValueError(
                Text(
                    "within goes with totals: keep or whole: total only: otherwise nothing is kept in strata",
                    "within gehört nur zu totals: keep oder whole: total: sonst wird in Schichten nichts erhalten",
                )
            )
        return self

    @property
    def beside(self) -> float:
        """The largest relative change that a value has beside a shared factor; 0 where none is shared."""
        return self.own if self.shared == "factor" else 0.0

    def moved_by(self, x: Floats) -> Floats:
        """By how much the values of the columns are moved at most before they are multiplied."""
        if not self.beside or not x.shape[1]:
            return np.zeros_like(x)
        return np.column_stack([reach_of_counts(column) for column in x.T])

    def shares_draws(self) -> bool:
        return self.shared != "nothing" and (len(self.columns) > 1 or bool(self.unit))

    def apply(self, data: Microdata, stream: Stream) -> Microdata:
        x = data.numbers(self.columns, self.id)
        strata = strata_of(data, self.within)
        w = self._factors(data, x.shape, stream.generator)
        near = moved(data, self.columns, self.moved_by(x), stream.generator) if self.beside else x
        with np.errstate(over="ignore"):
            y = near * w if self.totals == "free" else self._with_totals(data, x, near, w, strata)
            y = one_for_all(self, data, unlike_with_sign(y, x), exact=self.totals == "keep")
        refuse_infinite(data, self.columns, y, self.id)
        return with_masked(data, self.columns, y, self.whole, strata)

    def _factors(self, data: Microdata, shape: tuple[int, int], generator: np.random.Generator) -> Floats:
        ids, count = self._together(data)
        drawn = (count, 1) if self.shared == "factor" else shape
        size = self.factors.sizes(generator, drawn)
        if self.factors.symmetric:
            size *= np.where(
                generator.random((count, 1) if self.shared == "sign" else drawn) < 0.5, -1.0, 1.0
            )[ids if self.shared == "sign" else slice(None)]
        if self.shared != "factor":
            return 1 + alike_in_homes(data, self.columns, size)
        own = alike_in_homes(data, self.columns, generator.uniform(-self.own, self.own, shape))
        return (1 + size[ids]) * (1 + own)

    def _together(self, data: Microdata) -> tuple[Ints, int]:
        """Whose values have a factor, or its direction, in common."""
        alone = self.shared == "nothing"
        return units_of(data, self.unit) if alone else moving_together(data, self.unit, self.columns)

    def _with_totals(self, data: Microdata, x: Floats, near: Floats, w: Floats, strata: Strata) -> Floats:
        scale, alike = (
            power_scale(x),
            (units_of(data, ())[0] if self.shared == "nothing" else self._together(data)[0]),
        )
        together = (alike, contributor_codes(data))  # whose values move together, and who knows them
        out = x / scale
        for j, name in enumerate(self.columns):
            there = ~np.isnan(x[:, j])
            old, of = out[there, j], strata.of[there]
            new = near[there, j] / scale[j] * w[there, j]
            count = max(dominated(old, of, who[there], len(strata)) for who in together)
            kept = with_totals(old, new, of, len(strata))
            count = count or undone(old, kept, of, len(strata))
            count = count or len(np.unique(of[np.sign(kept) != np.sign(old)]))
            if count:
                raise TotalsUndo(name=name, count=count)
            out[there, j] = kept
        return out * scale

    def named_columns(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*self.columns, *self.unit, *self.within)))

    def remarks(self, before: Microdata, after: Microdata) -> tuple[Text, ...]:
        del after
        shared = self.shared == "factor"
        return (
            *averaged_away(before, self.unit),
            *(ratios_given_away(before, self.unit, len(self.columns)) if shared else ()),
            *found_by_trying(self.factors),
        )

    def probable_error(self, before: Microdata) -> Mapping[str, Floats]:
        if self.totals == "keep":
            return {}
        share = of_factors(self.factors.nodes())
        names = not_rounded(before, self.columns, self.whole)
        return {name: share * np.abs(before.column(name).numbers()) for name in names}

    def moments(self) -> dict[str, float]:
        """Those of the whole factor of a value."""
        return self.factors.moments() if not self.beside else _product_moments(self.factors, self.own)

    def tells(self, before: Microdata, after: Microdata) -> Mapping[str, Json]:
        """Moments of the factors and what is shared: enough for Hwang's correction; the factors themselves stay secret.

        Where totals are kept, the factors vary less than their law, and those that came out are told.
        """
        factor, pairs = self.moments(), self.factors.covariances(self.shared)
        if self.totals == "keep":
            drawn = DrawnFactors.of(before, after, not_rounded(before, self.columns, self.whole))
            factor, pairs = drawn.moments(factor), drawn.covariances(pairs)
        return {
            "columns": list(self.columns),
            "noise": f"multiplicative, {self.factors.law}",
            "factor": of_many(factor),
            "shared": self.shared,
            **self._told_beside(before),
            "within_record": of_many(pairs),
            "unit": list(self.unit),
            **told_of_homes(before, self.columns),
            "rounded": rounded(before, self.columns, self.whole),
            "totals_kept_within": list(self.within) if self.totals == "keep" else None,
        }

    def _told_beside(self, before: Microdata) -> Mapping[str, Json]:
        """What every value has beside the shared factor: its own, and the variance of what counts were moved by."""
        if not self.beside:
            return {}
        units = {name: unit_of(before.column(name).numbers()) for name in self.columns}
        return {
            "own": of_many(UniformFactors(law="uniform", width=self.own).moments()),
            "moved_before": of_many({name: (REACH * unit) ** 2 / 3 for name, unit in units.items() if unit}),
        }


def _product_moments(shared: Law, own: float) -> dict[str, float]:
    """Moments of the product of two independent factors with mean 1."""
    a, b = shared.moments(), UniformFactors(law="uniform", width=own).moments()
    added = {"mean_of_logarithm", "variance_of_logarithm"}
    out = {name: a[name] + b[name] if name in added else a[name] * b[name] for name in a}
    return {**out, "variance": round(out["raw_moment_2"] - 1, 10)}
