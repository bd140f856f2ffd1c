"""Rounding to a base."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Annotated, Literal, Self

import numpy as np
from pydantic import Field, model_validator

from tarnkappe.data.column import Bools, Column, Floats
from tarnkappe.data.contributors import contributors, contributors_by
from tarnkappe.data.masked import equal_in
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.strata import Strata, strata_of
from tarnkappe.errors.data import BaseTooFine
from tarnkappe.errors.masking import TotalsTell
from tarnkappe.kernels.whole import whole_groups
from tarnkappe.language import Text
from tarnkappe.methods.microdata.stratum_claims import enough_in_strata
from tarnkappe.methods.microdata.whole_totals import near_totals
from tarnkappe.randomness import Stream
from tarnkappe.spec import Claim, Family, Json, Method, Source, method
from tarnkappe.spec.conditions import Condition, where
from tarnkappe.spec.fields import Columns
from tarnkappe.spec.limits import ForAnalysis
from tarnkappe.spec.told_figures import of_many
from tarnkappe.vocab import Kind

EXACT = 2.0**52
"""So many multiples of a base that is a float of its own can be told from the halves between them."""
NEARLY = 2.0**46
"""So many multiples of any other base, such as 0.1, where quotients are off by a little."""
FEW = 4
"""Units in the last place by which they can be off: value, base and quotient are each rounded once."""
LEAST = 3
"""Contributors to a total that is kept: of two, each knows the other's value the better for it."""
MANY = 100
"""Contributors whose mean squared change tells nothing about one of them; of fewer, that of rounding to the nearest is told (Sheppard)."""


def _pairs(m: Round, before: Microdata, after: Microdata) -> tuple[Floats, Floats]:
    """The observed values before and after, all columns behind each other."""
    pairs = [(before.columns[n].numbers(), after.columns[n].numbers()) for n in m.columns]
    was, now = (np.concatenate(side) for side in zip(*pairs, strict=True))
    return was[~np.isnan(was)], now[~np.isnan(now)]


def _near(m: Round, before: Microdata, after: Microdata) -> bool:
    was, now = _pairs(m, before, after)
    most = m.base / 2 if m.totals == "free" else m.base
    return len(was) == len(now) and bool(
        np.all(np.abs(was - now) <= most + 2 * FEW * np.spacing(np.abs(was)))
    )


def _multiples_stay(m: Round, before: Microdata, after: Microdata) -> bool:
    was, now = _pairs(m, before, after)
    off, last = np.abs(was - np.rint(was / m.base) * m.base), np.spacing(np.abs(was))
    multiple = off == 0 if _is_float(m.base) else off <= last
    return bool(np.all(~multiple | (np.abs(was - now) <= 2 * FEW * last)))


def _totals_kept(m: Round, before: Microdata, after: Microdata) -> bool:
    of = strata_of(before, m.within).of
    return all(
        near_totals(
            before.column(n).numbers(), after.column(n).numbers(), of, before.column(n).codes(), m.base
        )
        for n in m.columns
    )


def _order_kept(m: Round, before: Microdata, after: Microdata) -> bool:
    """In the order of the old values the new ones of a stratum never fall, and where those are equal these are."""
    of = strata_of(before, m.within).of
    for name in m.columns:
        shown = np.flatnonzero(before.column(name).observed)
        was, now = before.column(name).numbers()[shown], after.column(name).numbers()[shown]
        order = np.lexsort((now, was, of[shown]))
        step, same = np.diff(now[order]), np.diff(was[order]) == 0
        together = np.diff(of[shown][order]) == 0
        if np.any(together & (same & (step != 0) | (step < 0))):
            return False
    return True


def _of_three(m: Round, before: Microdata, after: Microdata) -> bool:
    of = strata_of(before, m.within).of.astype(np.int64)
    for name in m.columns:
        was, now, shown = (
            before.column(name).numbers(),
            after.column(name).numbers(),
            before.column(name).observed,
        )
        rounded = np.zeros(int(of.max(initial=-1)) + 1, dtype=np.bool_)
        rounded[of[np.abs(was - now) > 2 * FEW * np.spacing(np.abs(was))]] = True
        if not enough_in_strata(before, shown & rounded[of], of, LEAST):
            return False
    return True


def _multiples(m: Round, before: Microdata, after: Microdata) -> bool:
    _, now = _pairs(m, before, after)
    return bool(np.all(np.abs(now - np.rint(now / m.base) * m.base) <= 2 * np.spacing(np.abs(now))))


def _whole(m: Round, before: Microdata, after: Microdata) -> bool:
    return all(after.columns[n].kind is before.columns[n].kind for n in m.columns)


def _no_sign_of_zero(m: Round, before: Microdata, after: Microdata) -> bool:
    _, now = _pairs(m, before, after)
    return not np.any(np.signbit(now) & (now == 0))


_WHOLE_BASE = Condition(
    Text("with a whole `base`", "mit einer ganzen Zahl als `base`"), lambda m: m.base.is_integer()
)


@method(
    "microdata.round",
    family=Family.RECODE,
    title=Text("Round", "Runden"),
    does=Text(
        "Numbers were rounded to multiples of a base.",
        "Zahlen wurden auf Vielfache einer Basis gerundet.",
    ),
    sources=(
        Source("hoehne2010", "section 2.1.3, rounding"),
        Source("hundepool2012", "chapter 3, perturbative masking: rounding"),
    ),
    preserves=(
        Claim(
            Text("every value to within half the base", "jeden Wert auf eine halbe Basis genau"),
            _near,
            when=where("totals", "free"),
        ),
        Claim(
            Text("every value to within the base", "jeden Wert auf die Basis genau"),
            _near,
            when=where("totals", "keep"),
        ),
        Claim(
            Text(
                "the total of every column over the records whose values are shown, in every stratum, up to half the base for each of the records that share one value",
                "die Summe jeder Spalte über die Datensätze, deren Werte gezeigt werden, in jeder Schicht, bis auf eine halbe Basis für jeden der Datensätze, die "
                "einen Wert teilen",
            ),
            _totals_kept,
            when=where("totals", "keep"),
        ),
        Claim(
            Text(
                "the order of the values of a column in a stratum: equal ones stay equal, and a larger one never becomes the smaller one",
                "die Reihenfolge der Werte einer Spalte in einer Schicht: gleiche bleiben gleich, und ein größerer wird nie zum kleineren",
            ),
            _order_kept,
            when=where("totals", "keep"),
        ),
        Claim(
            Text("multiples of the base as they are", "Vielfache der Basis, wie sie sind"),
            _multiples_stay,
            when=where("totals", "keep"),
        ),
        Claim(
            Text("whole numbers stay whole", "ganze Zahlen bleiben ganz"),
            _whole,
            when=_WHOLE_BASE,
        ),
    ),
    protects=(
        Claim(
            Text(
                "exact values: every result is a multiple of the base",
                "genaue Werte: jedes Ergebnis ist ein Vielfaches der Basis",
            ),
            _multiples,
        ),
        Claim(
            Text("the sign of what was rounded to zero", "das Vorzeichen dessen, was zu null gerundet wurde"),
            _no_sign_of_zero,
        ),
        Claim(
            Text(
                "every total that is kept is that of three contributors or more",
                "jede erhaltene Summe ist die von drei oder mehr Beitragenden",
            ),
            _of_three,
            when=where("totals", "keep"),
        ),
    ),
    does_not=(
        ForAnalysis("keep totals", "Summen erhalten", where("totals", "free")),
        ForAnalysis("keep weighted totals", "gewichtete Summen erhalten"),
        Text(
            "hide totals, with totals: keep: that of a stratum is known to about half a base, however many records it has, and so is nearly the total of an owner who has "
            "most of them",
            "bei totals: keep Summen verbergen: die einer Schicht ist auf etwa eine halbe Basis bekannt, wie viele Datensätze sie auch hat, und damit fast die eines "
            "Eigentümers, der die meisten hat",
        ),
        Text(
            "protect large values: what is far above all others stays far above them",
            "große Werte schützen: was weit über allen anderen liegt, bleibt weit darüber",
        ),
        Text(
            "hold when the same value is rounded to another base in another release",
            "halten, wenn derselbe Wert in einer anderen Freigabe auf eine andere Basis gerundet wird",
        ),
    ),
    nearness=Text(
        "half of the values or more lie farther than a quarter of the base from whatever can be computed of them, where they spread over several multiples "
        "(kept totals excepted)",
        "die Hälfte der Werte oder mehr liegt weiter als ein Viertel der Basis von allem, was sich über sie errechnen lässt, wo sie sich über mehrere Vielfache "
        "verteilen (erhaltene Summen ausgenommen)",
    ),
    advice=Text(
        "Values were rounded. Means hardly change; variances are corrected by `tarnkappe correct`.",
        "Werte wurden gerundet. Mittelwerte ändern sich kaum; Varianzen korrigiert `tarnkappe correct`.",
    ),
    words={
        "half_way": Text("half way values go", "Werte in der Mitte gehen"),
        "to the even multiple": Text("to the even multiple", "zum geraden Vielfachen"),
        "to either multiple": Text(
            "to either multiple, so that totals stay",
            "zum einen oder anderen Vielfachen, sodass Summen bleiben",
        ),
        "squared_change": Text(
            "mean squared change over the squared base",
            "mittlere quadrierte Änderung durch das Quadrat der Basis",
        ),
    },
    example={"columns": ["income", "employees"], "base": 50.0, "totals": "keep", "within": ["region"]},
)
class Round(Method):
    """Round numbers to multiples of a base.

    Choose a base large enough that a value no longer tells records apart. Values go to the nearest multiple, half-way values to the even
    one (25 at base 10 becomes 20, 35 becomes 40), so that they do not push totals to one side. Multiples of a decimal base are written exactly (0.3,
    not 0.30000000000000004), and zero has no sign. Missing and suppressed cells stay as they are; infinite values are refused, and
    so are values so large that multiples of the base are no longer distinct floating-point numbers. Negative values are rounded
    like positive ones, and equal values alike, also where a column is constant.

    With `totals: keep` some values go to the multiple on their other side, those nearest to half way first, as many as it takes to bring the total of
    their stratum back: it moves by at most half a base, or, where records share a value, half a base for each of those. Records do not count with their
    weights. A single value is then known to within a base on either side, not half of one, but the total of a stratum is known better. Of two contributors
    each would know the value of the other better than without: strata of fewer than three are refused, unless all their values are multiples already. Of
    three with one value each, one who knows his own knows that of another to 1.3 bases on average and, in one case of fifty, to less than half a base;
    without kept totals it is always one base.
    """

    columns: Columns
    """Numeric columns to round. | Numerische Spalten, die gerundet werden."""
    base: Annotated[float, Field(gt=0)]
    """Results are multiples of this number. | Ergebnisse sind Vielfache dieser Zahl."""
    totals: Literal["free", "keep"] = "free"
    """Whether the totals of the strata are kept. | Ob die Summen der Schichten erhalten bleiben."""
    within: tuple[str, ...] = ()
    """Columns whose combinations are the strata for totals. | Spalten, deren Kombinationen die Schichten für die Summen sind."""

    @model_validator(mode="after")
    def _nothing_is_ignored(self) -> Self:
        if self.within and self.totals == "free":
            raise ValueError(
                Text(
                    "within goes with totals: keep only: otherwise nothing is kept in strata",
                    "within gehört nur zu totals: keep: sonst wird in Schichten nichts erhalten",
                )
            )
        return self

    def named_columns(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*self.columns, *self.within)))

    def apply(self, data: Microdata, stream: Stream) -> Microdata:
        del stream
        data.numbers(self.columns, self.id)
        strata = strata_of(data, self.within)
        return data.with_columns({name: self._rounded(name, data, strata) for name in self.columns})

    def _rounded(self, name: str, data: Microdata, strata: Strata) -> Column:
        """Round what is observed and what lies under suppressed cells: both are compared later."""
        column = data.column(name)
        known = ~column.missing & np.isfinite(column.values)
        values = column.values[known].astype(np.float64)
        with np.errstate(over="ignore", invalid="ignore"):
            quotient = _quotient(values, self.base)
            times = np.rint(quotient)  # a half goes to the even neighbour
            rounded = _multiples_of(self.base, times)
        whole = np.abs(values) if column.kind is Kind.INTEGER else np.zeros(len(values))
        most = EXACT if _is_float(self.base) else NEARLY
        large = np.flatnonzero((np.abs(times) >= most) | (whole >= EXACT) | ~np.isfinite(rounded))
        if len(large):
            raise BaseTooFine(name=name, count=len(large), first=data.record(np.flatnonzero(known)[large[0]]))
        if self.totals == "keep":
            self._refuse_few(name, data, known, quotient != times, strata)
            shown, of = column.observed[known], strata.of[known].astype(np.int64)
            alike = np.where(shown, equal_in(of, values), -1)
            rounded = _multiples_of(self.base, np.where(shown, whole_groups(quotient, alike, of), times))
        return self._with(column, known, rounded)

    def _refuse_few(self, name: str, data: Microdata, known: Bools, broken: Bools, strata: Strata) -> None:
        """A total that is kept must be that of enough contributors, where any value is rounded."""
        column = data.column(name)
        rounded = np.zeros(len(strata), dtype=np.bool_)
        rounded[strata.of[known][broken & column.observed[known]]] = True
        people = contributors_by(data, column.observed & rounded[strata.of], strata.of)
        if count := int(np.count_nonzero(people < LEAST)):
            raise TotalsTell(name=name, count=count)

    def _with(self, column: Column, cells: Bools, rounded: Floats) -> Column:
        if column.kind is Kind.INTEGER and self.base.is_integer():
            values = column.values.copy()
            values[cells] = rounded.astype(np.int64)
            return replace(column, values=values)
        values = column.values.astype(np.float64)
        values[cells] = rounded
        return replace(column, kind=Kind.NUMBER, values=values)

    def probable_error(self, before: Microdata) -> Mapping[str, Floats]:
        if self.totals == "keep":
            return {}
        return {name: np.full(len(before), self.base / 4) for name in self.columns}

    def tells(self, before: Microdata, after: Microdata) -> Mapping[str, Json]:
        """The base and, where totals are kept, how large the errors came out: a little larger than those of rounding to the nearest."""
        told: dict[str, Json] = {"columns": list(self.columns), "base": self.base}
        if self.totals == "free":
            return {**told, "half_way": "to the even multiple"}
        squared: dict[str, Json] = {n: self._squared(before, after, n) for n in self.columns}
        return {
            **told,
            "half_way": "to either multiple",
            "totals_kept_within": list(self.within),
            "squared_change": of_many(squared),
        }

    def _squared(self, before: Microdata, after: Microdata, name: str) -> float:
        aligned = before.aligned_to(after)
        was, now = aligned.column(name).numbers(), after.column(name).numbers()
        shown = ~np.isnan(was) & ~np.isnan(now)
        many = contributors(aligned, shown & (was != now)) >= MANY
        part = float(np.mean(((was - now)[shown] / self.base) ** 2)) if many else 1 / 12
        return round(part, 4)


def _is_float(base: float) -> bool:
    """True when the base is the number that people read: 0.25 is, 0.1 is not."""
    return Fraction(base) == Fraction(repr(base))


def _quotient(values: Floats, base: float) -> Floats:
    """How often the base goes in; whole and half as people read numbers, so 1.15 is half way and 1.2 a multiple at the base 0.1."""
    quotient: Floats = values / base
    if not _is_float(base):
        half = np.rint(2 * quotient) / 2
        tied = np.abs(quotient - half) <= FEW * np.spacing(np.abs(quotient))
        quotient = np.where(tied, half, quotient)
    return quotient


def _multiples_of(base: float, times: Floats) -> Floats:
    """Times · base with one rounding, so that 3 · 0.1 is 0.3; adding 0 takes the sign off zero."""
    exact = Fraction(repr(base))
    if exact.denominator > 10**22:  # the largest power of ten that is a float
        return times * base + 0.0
    return times * float(exact.numerator) / float(exact.denominator) + 0.0
