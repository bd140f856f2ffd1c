"""Replacement: values beyond a limit become their mean."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Self

import numpy as np
from pydantic import Field, model_validator

from tarnkappe.data.column import Column, Floats, Ints
from tarnkappe.data.comparison import same_states
from tarnkappe.data.contributors import contributor_codes
from tarnkappe.data.masked import Whole, rounded, whole_alike
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.strata import Strata, strata_of
from tarnkappe.errors.data import TooFewBeyond
from tarnkappe.errors.selection import TailDominated
from tarnkappe.kernels.standard import power_scale
from tarnkappe.language import Text
from tarnkappe.methods.microdata.whole_totals import WHOLE_KEPT, near_totals
from tarnkappe.randomness import Stream
from tarnkappe.spec import Claim, Family, Json, Method, Source, method
from tarnkappe.spec.conditions import where
from tarnkappe.spec.fields import Columns
from tarnkappe.spec.limits import ForAnalysis

_SIDES = {"lower": Text("lower", "unteren"), "upper": Text("upper", "oberen")}


def _same_totals(m: ReplaceTails, before: Microdata, after: Microdata) -> bool:
    """In every stratum, up to rounding."""
    old = before.aligned_to(after)
    of = strata_of(old, m.within).of
    for name in m.columns:
        x, y = (np.nan_to_num(d.column(name).numbers()) for d in (old, after))
        scale = power_scale(x)
        a, b, size = (np.bincount(of, z / scale) for z in (x, y, np.abs(x)))
        if not np.all(np.abs(a - b) <= 1e-9 * size):
            return False
    return True


def _nearly_same_totals(m: ReplaceTails, before: Microdata, after: Microdata) -> bool:
    """In every stratum, up to half the values of a tail; exactly where nothing is rounded."""
    old, loose = before.aligned_to(after), rounded(before, m.columns, m.whole)
    of, n = strata_of(old, m.within).of, len(old)
    for name in m.columns:
        x, y = old.column(name).numbers(), after.column(name).numbers()
        tail = np.where(x < m.low, n, np.where(x > m.high, n + 1, np.arange(n)))
        if not near_totals(x, y, of, (tail, n + 2), float(name in loose)):
            return False
    return True


def _between_kept(m: ReplaceTails, before: Microdata, after: Microdata) -> bool:
    old = before.aligned_to(after)
    for name in m.columns:
        was, now = old.column(name), after.column(name)
        inside = was.observed & (was.values >= m.low) & (was.values <= m.high)
        if not np.array_equal(was.values[inside], now.values[inside]) or not same_states(was, now):
            return False
    return True


def _one_value_each(m: ReplaceTails, before: Microdata, after: Microdata) -> bool:
    """In every stratum each tail of a column shows one value that at least so many contributors share."""
    old = before.aligned_to(after)
    who, strata = contributor_codes(old), strata_of(old, m.within)
    x, y = old.numbers(m.columns), after.numbers(m.columns)
    for j in range(len(m.columns)):
        for tail in (x[:, j] < m.low, x[:, j] > m.high):
            shown = np.unique(np.stack([strata.of[tail], y[tail, j]]), axis=1)
            people = np.unique(np.stack([strata.of[tail], who[tail]]), axis=1)
            if shown.shape[1] != len(np.unique(strata.of[tail])) or np.any(
                np.unique(people[0], return_counts=True)[1] < m.at_least
            ):
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
            Text(
                "the total and the mean of every chosen column in every stratum",
                "Summe und Mittelwert jeder gewählten Spalte in jeder Schicht",
            ),
            _same_totals,
            when=where("whole", "decimals"),
        ),
        Claim(
            Text(
                "the total of every chosen column in every stratum; of whole numbers, up to half the number of values beyond a limit",
                "die Summe jeder gewählten Spalte in jeder Schicht; bei ganzen Zahlen bis auf die Hälfte der Zahl der Werte jenseits einer Grenze",
            ),
            _nearly_same_totals,
            when=where("whole", "total"),
        ),
        WHOLE_KEPT,
        Claim(
            Text("every value between the limits, exactly", "jeden Wert zwischen den Grenzen, genau"),
            _between_kept,
        ),
    ),
    protects=(
        Claim(
            Text(
                "all values of a stratum beyond a limit are shown as one, which enough contributors share",
                "alle Werte einer Schicht jenseits einer Grenze werden als einer gezeigt, den genügend Beitragende teilen",
            ),
            _one_value_each,
        ),
    ),
    does_not=(
        ForAnalysis(
            "keep variance and range: they become smaller",
            "Varianz und Spannweite erhalten: sie werden kleiner",
        ),
        Text(
            "look into sub-populations that within does not name: a unit can be the only changed one of its branch",
            "Teilmassen prüfen, die within nicht nennt: ein Träger kann in seiner Branche der einzige geänderte sein",
        ),
        Text(
            "suit branches that one unit is known to dominate: only top coding does",
            "für Branchen taugen, die bekanntermaßen eine Einheit beherrscht: dort hilft nur Abschneiden",
        ),
    ),
    advice=Text(
        "Extreme values were replaced by their mean. Totals and means are right, variances and ranges are too small. There is no "
        "correction.",
        "Extreme Werte wurden durch ihren Mittelwert ersetzt. Summen und Mittelwerte stimmen, Varianzen und Spannweiten sind zu klein. "
        "Eine Korrektur gibt es nicht.",
    ),
    example={
        "columns": ["income"],
        "lower": 1300.0,
        "upper": 3400.0,
        "within": ["sex"],
        "at_least": 4,
        "p": 5.0,
        "k": 90.0,
        "whole": "total",
    },
    revision=2,
)
class ReplaceTails(Method):
    """Set all values beyond a limit to their mean, each tail of each column on its own.

    Totals and means stay. That is also the danger: the mean times the number of values gives the sum of those beyond the limit.
    So three contributors or more must lie beyond it, and none may dominate: with the contributions x₁ ≥ x₂ ≥ … and their sum Σ the step is refused
    where Σ - x₁ - x₂ < p/100 · x₁ (the second could work out the first) or x₁ > k/100 · Σ (the sum tells the first). Records of one owner are one
    contribution. For the lower tail the distances below the limit are judged in the same way. With `within` all this holds in every stratum.

    A value equal to a limit is not changed. Missing and suppressed cells stay as they are and count for nothing. A tail without
    values changes nothing. Zeros and negative values are values like others, equal values are replaced alike; a constant column has
    no tails and stays. Infinite values are refused. Whole numbers stay whole where all means are, and where `whole` says that means are rounded; else they
    get decimals, and numbers beyond 2^53 lose their last digits. A rounded mean still lies beyond its limit, as all values of its tail do.
    """

    columns: Columns
    """Numeric columns. | Numerische Spalten."""
    lower: float | None = None
    """Values below it are replaced. | Werte darunter werden ersetzt."""
    upper: float | None = None
    """Values above it are replaced. | Werte darüber werden ersetzt."""
    within: tuple[str, ...] = ()
    """Columns whose combinations are treated apart (strata). | Spalten, deren Kombinationen getrennt behandelt werden (Schichten)."""
    at_least: Annotated[int, Field(ge=3)] = 3
    """Fewest contributors beyond a limit. | Kleinste Zahl Beitragender jenseits einer Grenze."""
    p: Annotated[float, Field(ge=0, le=100)] = 10
    """Percent of the largest contribution by which the estimate of the second largest contributor must be off. | Prozent der größten
    Angabe, um die eine Schätzung des Zweitgrößten mindestens danebenliegen muss."""
    k: Annotated[float, Field(gt=0, le=100)] = 85
    """Largest percentage of the sum that one contributor may have. | Größter Anteil an der Summe in Prozent, den ein Beitragender haben darf."""
    whole: Whole = "decimals"
    """In columns of whole numbers: leave decimals, round, or round so that totals hardly move. | In Spalten ganzer Zahlen:
    Nachkommastellen lassen, runden, oder so runden, dass Summen kaum abweichen."""

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

    def named_columns(self) -> tuple[str, ...]:
        return (*self.columns, *self.within)

    def apply(self, data: Microdata, stream: Stream) -> Microdata:
        del stream
        x = data.numbers(self.columns, self.id)
        who, strata = contributor_codes(data), strata_of(data, self.within)
        new = {
            name: self._replaced(name, data.column(name), x[:, j], who, strata)
            for j, name in enumerate(self.columns)
        }
        return data.with_columns(new)

    def _replaced(self, name: str, column: Column, x: Floats, who: Ints, strata: Strata) -> Column:
        tails = {"lower": x < self.low, "upper": x > self.high}
        if not (tails["lower"] | tails["upper"]).any():
            return column
        new, groups, count = x.copy(), np.full(len(x), -1), 0
        for rows in strata.blocks():
            for side, beyond in tails.items():
                tail = rows[beyond[rows]]
                if len(tail):
                    limit = self.low if side == "lower" else 0.0
                    self._judge(
                        name, side, who[tail], np.abs(x[tail] / 2 - limit / 2)
                    )  # halves never overflow
                    new[tail], groups[tail] = _mean(x[tail]), count
                    count += 1
        new = whole_alike(column, new, self.whole, strata.of, groups)
        cells = tails["lower"] | tails["upper"]
        return column.with_numbers_at(cells, new[cells])

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
        """The limits, beyond each of which enough contributors lie (Höhne 2010, L572), and in which strata means were taken."""
        del after
        return {
            "columns": list(self.columns),
            "lower": self.lower,
            "upper": self.upper,
            "within": list(self.within),
            "rounded": rounded(before, self.columns, self.whole),
        }


def _mean(x: Floats) -> float:
    scale = power_scale(x)
    return float((x / scale).mean() * scale)
