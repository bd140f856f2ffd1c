"""Rounding to a base."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Annotated

import numpy as np
from pydantic import Field

from tarnkappe.data.column import Bools, Column, Floats
from tarnkappe.data.microdata import Microdata
from tarnkappe.errors.data import BaseTooFine
from tarnkappe.language import Text
from tarnkappe.randomness import Stream
from tarnkappe.spec import Claim, Family, Json, Method, Source, method
from tarnkappe.spec.fields import Columns
from tarnkappe.vocab import Kind

EXACT = 2.0**52
"""So many multiples of a base that is a float of its own can be told from the halves between them."""
NEARLY = 2.0**46
"""So many multiples of any other base, such as 0.1, where quotients are off by a little."""
FEW = 4
"""Units in the last place by which they can be off: value, base and quotient are each rounded once."""


def _pairs(m: Round, before: Microdata, after: Microdata) -> tuple[Floats, Floats]:
    """The observed values before and after, all columns behind each other."""
    pairs = [(before.columns[n].numbers(), after.columns[n].numbers()) for n in m.columns]
    was, now = (np.concatenate(side) for side in zip(*pairs, strict=True))
    return was[~np.isnan(was)], now[~np.isnan(now)]


def _near(m: Round, before: Microdata, after: Microdata) -> bool:
    was, now = _pairs(m, before, after)
    return len(was) == len(now) and bool(
        np.all(np.abs(was - now) <= m.base / 2 + 2 * FEW * np.spacing(np.abs(was)))
    )


def _multiples(m: Round, before: Microdata, after: Microdata) -> bool:
    _, now = _pairs(m, before, after)
    return bool(np.all(np.abs(now - np.rint(now / m.base) * m.base) <= 2 * np.spacing(np.abs(now))))


def _whole(m: Round, before: Microdata, after: Microdata) -> bool:
    return all(after.columns[n].kind is before.columns[n].kind for n in m.columns)


def _no_sign_of_zero(m: Round, before: Microdata, after: Microdata) -> bool:
    _, now = _pairs(m, before, after)
    return not np.any(np.signbit(now) & (now == 0))


@method(
    "microdata.round",
    family=Family.RECODE,
    title=Text("Round", "Runden"),
    does=Text(
        "Numbers were rounded to the nearest multiple of a base.",
        "Zahlen wurden auf das nächste Vielfache einer Basis gerundet.",
    ),
    sources=(
        Source("hoehne2010", "section 2.1.3, rounding"),
        Source("hundepool2012", "chapter 3, perturbative masking: rounding"),
    ),
    preserves=(
        Claim(Text("every value to within half the base", "jeden Wert auf eine halbe Basis genau"), _near),
        Claim(
            Text("whole numbers stay whole", "ganze Zahlen bleiben ganz"),
            _whole,
            when=lambda m: m.base.is_integer(),
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
    ),
    does_not=(
        Text("keep totals", "Summen erhalten"),
        Text(
            "protect large values: what is far above all others stays far above them",
            "große Werte schützen: was weit über allen anderen liegt, bleibt weit darüber",
        ),
        Text(
            "hold when the same value is rounded to another base in another release",
            "halten, wenn derselbe Wert in einer anderen Freigabe auf eine andere Basis gerundet wird",
        ),
    ),
    advice=Text(
        "Values were rounded. Means hardly change; variances are corrected by `tarnkappe correct`.",
        "Werte wurden gerundet. Mittelwerte ändern sich kaum; Varianzen korrigiert `tarnkappe correct`.",
    ),
    words={
        "half_way": Text("half way values go", "Werte in der Mitte gehen"),
        "to the even multiple": Text("to the even multiple", "zum geraden Vielfachen"),
    },
    example={"columns": ["income", "employees"], "base": 50.0},
)
class Round(Method):
    """Round numbers to the nearest multiple of a base.

    Choose a base large enough that a value no longer tells records apart. Half-way values go to the even multiple (25 at base 10
    becomes 20, 35 becomes 40), so that they do not push totals to one side. Multiples of a decimal base are written exactly (0.3,
    not 0.30000000000000004), and zero has no sign. Missing and suppressed cells stay as they are; infinite values are refused, and
    so are values so large that multiples of the base are no longer distinct floating-point numbers. Negative values are rounded
    like positive ones, and equal values alike, also where a column is constant.
    """

    columns: Columns
    """Numeric columns to round. | Numerische Spalten, die gerundet werden."""
    base: Annotated[float, Field(gt=0)]
    """Results are multiples of this number. | Ergebnisse sind Vielfache dieser Zahl."""

    def apply(self, data: Microdata, stream: Stream) -> Microdata:
        del stream
        data.numbers(self.columns, self.id)
        return data.with_columns({name: self._rounded(name, data) for name in self.columns})

    def _rounded(self, name: str, data: Microdata) -> Column:
        """Round what is observed and what lies under suppressed cells: both are compared later."""
        column = data.column(name)
        known = ~column.missing & np.isfinite(column.values)
        values = column.values[known].astype(np.float64)
        with np.errstate(over="ignore", invalid="ignore"):
            times = _times(values, self.base)
            rounded = _multiples_of(self.base, times)
        whole = np.abs(values) if column.kind is Kind.INTEGER else np.zeros(len(values))
        most = EXACT if _is_float(self.base) else NEARLY
        large = np.flatnonzero((np.abs(times) >= most) | (whole >= EXACT) | ~np.isfinite(rounded))
        if len(large):
            raise BaseTooFine(name=name, count=len(large), first=data.record(np.flatnonzero(known)[large[0]]))
        return self._with(column, known, rounded)

    def _with(self, column: Column, cells: Bools, rounded: Floats) -> Column:
        if column.kind is Kind.INTEGER and self.base.is_integer():
            values = column.values.copy()
            values[cells] = rounded.astype(np.int64)
            return replace(column, values=values)
        values = column.values.astype(np.float64)
        values[cells] = rounded
        return replace(column, kind=Kind.NUMBER, values=values)

    def tells(self, before: Microdata, after: Microdata) -> Mapping[str, Json]:
        del before, after
        return {"columns": list(self.columns), "base": self.base, "half_way": "to the even multiple"}


def _is_float(base: float) -> bool:
    """True when the base is the number that people read: 0.25 is, 0.1 is not."""
    return Fraction(base) == Fraction(repr(base))


def _times(values: Floats, base: float) -> Floats:
    """How often the base goes in; half way as people read numbers, so 1.15 is half way at the base 0.1."""
    quotient = values / base
    if not _is_float(base):
        half = np.floor(quotient) + 0.5
        tied = np.abs(quotient - half) <= FEW * np.spacing(np.abs(quotient))
        quotient = np.where(tied, half, quotient)
    nearest: Floats = np.rint(quotient)  # a half goes to the even neighbour
    return nearest


def _multiples_of(base: float, times: Floats) -> Floats:
    """Times · base with one rounding, so that 3 · 0.1 is 0.3; adding 0 takes the sign off zero."""
    exact = Fraction(repr(base))
    if exact.denominator > 10**22:  # the largest power of ten that is a float
        return times * base + 0.0
    return times * float(exact.numerator) / float(exact.denominator) + 0.0
