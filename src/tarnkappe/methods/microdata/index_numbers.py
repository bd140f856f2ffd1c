"""Index numbers in place of levels."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from tarnkappe.data.blurred import DIGITS, REACH, moved, reach_of_amounts, slack, with_few_digits
from tarnkappe.data.column import MISSING, SUPPRESSED, Bools, Column, Floats, Ints
from tarnkappe.data.microdata import Microdata, Roles
from tarnkappe.data.spelling import canonical
from tarnkappe.data.substitutes import recoverable, refuse
from tarnkappe.data.units import units_of
from tarnkappe.errors.data import ValueUnknown
from tarnkappe.errors.masking import ResultTooLarge
from tarnkappe.errors.selection import PeriodTwice
from tarnkappe.kernels.classes import classes
from tarnkappe.language import Text
from tarnkappe.randomness import Stream
from tarnkappe.spec import Claim, Family, Json, Leaves, Mark, Method, Source, Trace, method
from tarnkappe.spec.conditions import where
from tarnkappe.spec.fields import Columns, Spelt, Unit
from tarnkappe.spec.limits import ForAnalysis
from tarnkappe.spec.told_figures import stated

HUNDRED = 100.0


def _growth_nearly_kept(m: IndexNumbers, before: Microdata, after: Microdata) -> bool:
    """An index times the base value of its unit gives the value, up to what it was moved and the last digit."""
    was = before.aligned_to(after)
    return all(
        np.all(_near(m, was, name, after.column(name)) | ~after.column(name).observed) for name in m.columns
    )


def _near(m: IndexNumbers, old: Microdata, name: str, shown: Column) -> Bools:
    """Where a shown number is the index of the true value as this step tells it; halves never overflow."""
    x = old.column(name).numbers()
    base = np.append(x, np.nan)[m.base_record(old)]
    far = slack(x, reach_of_amounts(x)) + 1e-300 * np.abs(base) + 1e-322
    with np.errstate(over="ignore", invalid="ignore"):
        return np.asarray(np.abs(shown.numbers() / 2 * (base / HUNDRED) - x / 2) <= far / 2 + 1e-322)


def _base_is_hundred(m: IndexNumbers, before: Microdata, after: Microdata) -> bool:
    """In the base period every shown index is 100: no level is told."""
    del before
    period = after.column(m.period)
    codes, _ = period.true_codes()
    in_base = np.append(canonical(period) == m.base, False)[codes]
    y = after.numbers(m.columns)[in_base]
    return bool(np.all((y == HUNDRED) | np.isnan(y)))


def _base_shown(m: IndexNumbers, before: Microdata, after: Microdata) -> bool:
    """Whoever shows an index shows the 100 it relates to, in a record whose period is shown."""
    unit, units = units_of(before.aligned_to(after), m.unit)
    period = after.column(m.period)
    codes, _ = period.true_codes()
    at_base = period.observed & np.append(canonical(period) == m.base, False)[codes]
    for y in after.numbers(m.columns).T:
        shown = np.bincount(unit[~np.isnan(y)], minlength=units) > 0
        related = np.bincount(unit[at_base & (y == HUNDRED)], minlength=units) > 0
        if np.any(shown & ~related):
            return False
    return True


def _not_computable(m: IndexNumbers, before: Microdata, after: Microdata) -> bool:
    return not m.given_back(before, after)


@method(
    "microdata.index-numbers",
    family=Family.RECODE,
    leaves=Leaves.DERIVED,
    title=Text("Index numbers", "Indexzahlen"),
    does=Text(
        "Values were replaced by index numbers: 100 is the value of the same unit in a base period.",
        "Werte wurden durch Indexzahlen ersetzt: 100 ist der Wert derselben Einheit in einer Basisperiode.",
    ),
    sources=(Source("hoehne2010", "section 2.1.1, index numbers (T04)"),),
    preserves=(
        Claim(
            Text(
                "the development of every unit: its values in per cent of the base, to five digits and one and a half of the units in which the column is "
                "counted (one tenth of a value where people have rounded it)",
                "die Entwicklung jeder Einheit: ihre Werte in Prozent der Basis, auf fünf Stellen und anderthalb der Einheiten, in denen die Spalte "
                "gezählt ist (ein Zehntel eines Wertes, wo Menschen ihn gerundet haben)",
            ),
            _growth_nearly_kept,
        ),
    ),
    protects=(
        Claim(
            Text(
                "the level of every unit: its base period shows 100",
                "das Niveau jeder Einheit: ihre Basisperiode zeigt 100",
            ),
            _base_is_hundred,
        ),
        Claim(
            Text(
                "suppressed periods: an index is shown only where its unit shows the base period",
                "unterdrückte Perioden: ein Index steht nur, wo seine Einheit die Basisperiode zeigt",
            ),
            _base_shown,
        ),
        Claim(
            Text(
                "no level can be computed from the columns that stay, linearly or as product or quotient of two",
                "kein Niveau lässt sich aus den verbliebenen Spalten errechnen, linear oder als Produkt oder Quotient zweier",
            ),
            _not_computable,
            when=where("leak", "refuse"),
        ),
    ),
    does_not=(
        Text(
            "hide unique developments: a bankruptcy or a takeover is still seen",
            "einmalige Entwicklungen verbergen: Konkurs oder Übernahme fallen weiter auf",
        ),
        ForAnalysis(
            "keep totals and comparisons between units", "Summen und Vergleiche zwischen Einheiten erhalten"
        ),
        Text(
            "hide periods that a later step suppresses: a 100 shows the base period",
            "Perioden verbergen, die ein späterer Schritt unterdrückt: eine 100 zeigt die Basisperiode",
        ),
        ForAnalysis(
            "show units without a usable value in the base period: their values are missing",
            "Einheiten ohne brauchbaren Wert in der Basisperiode zeigen: ihre Werte fehlen",
        ),
        ForAnalysis(
            "show small changes of small units: of ten employees one more or less is not seen",
            "kleine Änderungen kleiner Einheiten zeigen: von zehn Beschäftigten ist einer mehr oder weniger nicht zu sehen",
        ),
    ),
    advice=Text(
        "Values show the development of a unit: 100 is its value in the base period. Levels, totals and comparisons of size between "
        "units are not possible.",
        "Werte zeigen die Entwicklung einer Einheit: 100 ist ihr Wert in der Basisperiode. Niveaus, Summen und Größenvergleiche von "
        "Einheiten sind nicht möglich.",
    ),
    example={
        "columns": ["employees"],
        "unit": "household",
        "period": "birth",
        "base": "1977-10-01",
        "leak": "masked-later",
    },
    random=True,
    revision=3,
)
class IndexNumbers(Method):
    """Replace the values of every unit by 100 · x / x(base period).

    Use it for panels where the development over time matters and the level does not. A unit whose base value is missing, suppressed, 0 or negative
    gets missing values: there is nothing to relate to. So does one whose base period is itself missing or suppressed: an index of 100 would tell it. A record whose unit is not known is a unit of its own. A unit with several records in one period is refused.
    Index numbers with all their digits would give the base value away, as the denominator of the simplest fraction near them. So every value but that of the base
    period is first moved at random by at most one and a half of the units in which its column is counted, values on which people have rounded by up to a tenth, and
    indices are told with five digits: whatever base value somebody tries, several values fit in every period. Large units hardly change.
    Index numbers of different columns have no common scale, so ratios between columns are hidden too.

    Levels must not come back: the step is refused when a column can be computed from those that stay, as turnover at home and abroad give turnover.
    Treat these columns in the same step, or say `leak: masked-later` when a later step of the plan changes them: it is looked at again before the
    release.

    After the base period zero becomes 0 and negative values keep their sign; values that are constant over the periods are near 100 in all, and
    tied values of different units are related each to its own base. What members of a household have in common they have in common afterwards.
    """

    columns: Columns
    """Numeric columns. | Numerische Spalten."""
    unit: Annotated[Unit, Field(min_length=1)]
    """Columns that name the unit a record belongs to. | Spalten, die die Einheit nennen, zu der ein Datensatz gehört."""
    period: str
    """Column with the period. | Spalte mit der Periode."""
    base: Spelt
    """Value of the base period. | Wert der Basisperiode."""
    leak: Literal["refuse", "masked-later"] = "refuse"
    """What happens when a column can be computed from others. | Was geschieht, wenn sich eine Spalte aus anderen errechnen lässt."""

    def named_columns(self) -> tuple[str, ...]:
        return (*self.columns, *self.unit, self.period)

    def leaves_behind(self, roles: Roles) -> tuple[Trace, ...]:
        del roles
        return (Trace(Mark.PROMISED, ()),) if self.leak == "masked-later" else ()

    def apply(self, data: Microdata, stream: Stream) -> Microdata:
        values = data.numbers(self.columns, self.id)
        self._refuse_two_in_a_period(data)
        at_base = self.base_record(data)
        if len(data) and (at_base < 0).all():
            raise ValueUnknown(name=self.period, count=1, first=1)
        reach = np.column_stack([reach_of_amounts(x) for x in values.T])
        reach[at_base == np.arange(len(data))] = 0.0
        near = dict(zip(self.columns, moved(data, self.columns, reach, stream.generator).T, strict=True))
        after = data.with_columns(
            {name: self._index(name, data.column(name), near[name], at_base) for name in self.columns}
        )
        if self.leak == "refuse":
            refuse(self.given_back(data, after))
        return after

    def given_back(self, before: Microdata, after: Microdata) -> Mapping[str, Text]:
        """As the columns that stay show it; an index counts with all its digits where it is still shown."""
        old, new = before.paired(after)
        levels = [name for name in self.columns if name in old.names and old.column(name).kind.is_number]
        there = {self.period, *self.unit} <= set(old.names)
        still = (
            [name for name in levels if name in new.names and new.column(name).kind.is_number]
            if there
            else []
        )
        exact = {name: self._as_divided(old, name, new.column(name)) for name in still}
        return recoverable(old, new.with_columns(exact), levels)

    def _as_divided(self, old: Microdata, name: str, shown: Column) -> Column:
        x = old.column(name).numbers()
        base = np.append(x, np.nan)[self.base_record(old)]
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            exact = HUNDRED * (x / base)
        return Column.numbers_of(np.where(_near(self, old, name, shown), exact, shown.numbers()), shown.state)

    def _refuse_two_in_a_period(self, data: Microdata) -> None:
        unit, units = units_of(data, self.unit)
        period, periods = data.column(self.period).true_codes()
        known = np.flatnonzero(period >= 0)
        found = classes([(unit[known], units), (period[known], periods)])
        double = known[found.sizes[found.ids] > 1]
        if len(double):
            raise PeriodTwice(count=len(np.unique(unit[double])), first=data.record(double[0]))

    def base_record(self, data: Microdata) -> Ints:
        """For every record, the position of its unit's record that shows the base period; -1 where there is none.

        Nothing is read from under a suppressed period: else the 100 beside it, or any index without one, would give it away.
        """
        unit, count = units_of(data, self.unit)
        period = data.column(self.period)
        codes, _ = period.codes()
        in_base = np.append(canonical(period) == self.base, [False, False])[
            codes
        ]  # -1 missing, -2 suppressed
        place = np.full(count, -1, dtype=np.int64)
        rows = np.flatnonzero(in_base)
        place[unit[rows]] = rows
        return np.asarray(place[unit])

    def _index(self, name: str, column: Column, near: Floats, at_base: Ints) -> Column:
        value = column.values.astype(np.float64)
        usable = column.observed & (value > 0)
        has_base = np.append(usable, False)[at_base]  # position -1 takes the last place
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            index = with_few_digits(HUNDRED * (near / np.append(value, np.nan)[at_base]))
        if too_large := int(np.count_nonzero(has_base & ~column.missing & np.isinf(index))):
            raise ResultTooLarge(who=self.id, count=too_large, name=name)
        state = np.where(column.suppressed, SUPPRESSED, 0).astype(np.uint8)
        state[~has_base | column.missing | ~np.isfinite(index)] = MISSING
        return Column.numbers_of(np.where(state == MISSING, np.nan, index), state, label=column.label)

    def tells(self, before: Microdata, after: Microdata) -> Mapping[str, Json]:
        """The base period, the meaning of 100, and how exact indices are."""
        del before, after
        return {
            "columns": list(self.columns),
            "base": self.base,
            "digits": stated(DIGITS),
            "moved_by_units": stated(REACH),
        }
