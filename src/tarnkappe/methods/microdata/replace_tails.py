"""Replacement: values beyond a limit become their mean."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Self

import numpy as np
from pydantic import Field, model_validator

from tarnkappe.data.column import Floats, Ints
from tarnkappe.data.contributors import contributor_codes
from tarnkappe.data.microdata import Microdata
from tarnkappe.errors.data import TooFewBeyond
from tarnkappe.errors.selection import TailDominated
from tarnkappe.kernels.standard import power_scale
from tarnkappe.language import Text
from tarnkappe.randomness import Stream
from tarnkappe.spec import Claim, Family, Json, Method, Source, method
from tarnkappe.spec.fields import Columns

_SIDES = {"lower": Text("lower", "unteren"), "upper": Text("upper", "oberen")}


def _same_totals(m: ReplaceTails, before: Microdata, after: Microdata) -> bool:
    x, y = before.aligned_to(after).numbers(m.columns), after.numbers(m.columns)
    scale = power_scale(np.nan_to_num(x))
    a, b = (np.nansum(z / scale, axis=0) for z in (x, y))
    return bool(np.all(np.abs(a - b) <= 1e-9 * (1 + np.nansum(np.abs(x / scale), axis=0))))


def _between_kept(m: ReplaceTails, before: Microdata, after: Microdata) -> bool:
    x, y = before.aligned_to(after).numbers(m.columns), after.numbers(m.columns)
    inside = (x >= m.low) & (x <= m.high)
    return bool(np.array_equal(x[inside], y[inside])) and bool(np.array_equal(np.isnan(x), np.isnan(y)))


def _one_value_each(m: ReplaceTails, before: Microdata, after: Microdata) -> bool:
    """Every tail of a column shows one value that at least so many contributors share."""
    old = before.aligned_to(after)
    who = contributor_codes(old)
    x, y = old.numbers(m.columns), after.numbers(m.columns)
    for j in range(len(m.columns)):
        for tail in (x[:, j] < m.low, x[:, j] > m.high):
            if tail.any() and (len(np.unique(y[tail, j])) > 1 or len(np.unique(who[tail])) < m.at_least):
                return False
    return True


@method(
    "microdata.replace-tails",
    family=Family.DRAW,
    title=Text("Replace extremes by their mean", "Extreme durch ihren Mittelwert ersetzen"),
    does=Text(
        "Values beyond a limit were replaced by the mean of all values beyond it.",
        "Werte jenseits einer Grenze wurden durch den Mittelwert aller Werte jenseits davon ersetzt.",
    ),
    sources=(
        Source("hoehne2010", "section 2.1.3, replacement (T13)"),
        Source("gottschalk2002", "4.1, truncation, mean-preserving alternative (G-M02)"),
    ),
    preserves=(
        Claim(
            Text("the total and the mean of every column", "Summe und Mittelwert jeder Spalte"), _same_totals
        ),
        Claim(
            Text("every value between the limits, exactly", "jeden Wert zwischen den Grenzen, genau"),
            _between_kept,
        ),
    ),
    protects=(
        Claim(
            Text(
                "all values beyond a limit are shown as one, which enough contributors share",
                "alle Werte jenseits einer Grenze werden als einer gezeigt, den genügend Beitragende teilen",
            ),
            _one_value_each,
        ),
    ),
    does_not=(
        Text(
            "keep variance and range: they become smaller",
            "Varianz und Spannweite erhalten: sie werden kleiner",
        ),
        Text(
            "look into sub-populations: a unit can be the only changed one of its branch",
            "Teilmassen prüfen: ein Träger kann in seiner Branche der einzige geänderte sein",
        ),
        Text(
            "suit branches that one unit is known to dominate: only top coding does",
            "für Branchen taugen, die bekanntermaßen eine Einheit beherrscht: dort hilft nur Abschneiden",
        ),
    ),
    example={
        "columns": ["income"],
        "lower": 1300.0,
        "upper": 4000.0,
        "at_least": 4,
        "p": 5.0,
        "k": 90.0,
    },
)
class ReplaceTails(Method):
    """Set all values beyond a limit to their mean, each tail of each column on its own.

    Totals and means stay. That is also the danger: the mean times the number of values gives the sum of those beyond the limit.
    So three contributors or more must lie beyond it, and none may dominate: with the contributions x₁ ≥ x₂ ≥ … and their sum Σ the step is refused
    where Σ - x₁ - x₂ < p/100 · x₁ (the second could work out the first) or x₁ > k/100 · Σ (the sum tells the first). Records of one owner are one
    contribution. For the lower tail the distances below the limit are judged in the same way.

    A value equal to a limit is not changed. Missing and suppressed cells stay as they are and count for nothing. A tail without
    values changes nothing. Zeros and negative values are values like others, equal values are replaced alike; a constant column has
    no tails and stays. Infinite values are refused.
    """

    columns: Columns
    """Numeric columns. | Numerische Spalten."""
    lower: float | None = None
    """Values below it are replaced. | Werte darunter werden ersetzt."""
    upper: float | None = None
    """Values above it are replaced. | Werte darüber werden ersetzt."""
    at_least: Annotated[int, Field(ge=3)] = 3
    """Fewest contributors beyond a limit. | Kleinste Zahl Beitragender jenseits einer Grenze."""
    p: Annotated[float, Field(ge=0, le=100)] = 10
    """Percent of the largest contribution by which the estimate of the second largest contributor must be off. | Prozent der größten
    Angabe, um die eine Schätzung des Zweitgrößten mindestens danebenliegen muss."""
    k: Annotated[float, Field(gt=0, le=100)] = 85
    """Largest percentage of the sum that one contributor may have. | Größter Anteil an der Summe in Prozent, den ein Beitragender haben darf."""

    @model_validator(mode="after")
    def _limits(self) -> Self:
        if self.lower is None and self.upper is None:
            raise ValueError(Text("needs lower or upper", "braucht lower oder upper"))
        if self.low >= self.high:
            raise ValueError(Text("lower must be less than upper", "lower muss kleiner als upper sein"))
        return self

    @property
    def low(self) -> float:
        return -np.inf if self.lower is None else self.lower

    @property
    def high(self) -> float:
        return np.inf if self.upper is None else self.upper

    def apply(self, data: Microdata, stream: Stream) -> Microdata:
        del stream
        x = data.numbers(self.columns, self.id)
        who = contributor_codes(data)
        new = x.copy()
        for j, name in enumerate(self.columns):
            for side, limit, tail in (
                ("lower", self.low, x[:, j] < self.low),
                ("upper", self.high, x[:, j] > self.high),
            ):
                if tail.any():
                    self._judge(
                        name, side, who[tail], np.abs(x[tail, j] - (limit if side == "lower" else 0.0))
                    )
                    new[tail, j] = _mean(x[tail, j])
        return data.with_numbers(self.columns, new)

    def _judge(self, name: str, side: str, who: Ints, size: Floats) -> None:
        """Refuse a tail whose mean would tell a contributor."""
        owners, inverse = np.unique(who, return_inverse=True)
        if len(owners) < self.at_least:
            raise TooFewBeyond(name=name, count=len(owners), side=_SIDES[side], needed=self.at_least)
        parts = np.sort(np.bincount(inverse, size / power_scale(size)))[::-1]
        if parts[2:].sum() < self.p / 100 * parts[0]:
            raise TailDominated(name=name, side=_SIDES[side], rule=f"p = {self.p:g}")
        if parts[0] > self.k / 100 * parts.sum():
            raise TailDominated(name=name, side=_SIDES[side], rule=f"(1, {self.k:g})")

    def tells(self, before: Microdata, after: Microdata) -> Mapping[str, Json]:
        """The limits: enough contributors lie beyond each of them (Höhne 2010, L572)."""
        del before, after
        return {"columns": list(self.columns), "lower": self.lower, "upper": self.upper}


def _mean(x: Floats) -> float:
    scale = power_scale(x)
    return float((x / scale).mean() * scale)
