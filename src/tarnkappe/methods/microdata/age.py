"""Ageing: only data that is old enough is released."""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Mapping
from datetime import date
from typing import Annotated, Self

import numpy as np
from pydantic import Field, model_validator

from tarnkappe.data.column import Column, Ints
from tarnkappe.data.comparison import same_records
from tarnkappe.data.microdata import Microdata
from tarnkappe.errors.data import WrongKind
from tarnkappe.errors.selection import TooYoung
from tarnkappe.language import Text
from tarnkappe.randomness import Stream
from tarnkappe.spec import Claim, Family, Json, Leaves, Method, Source, method
from tarnkappe.spec.limits import ForAnalysis
from tarnkappe.vocab import Kind

_PERIODS = Text("dates or years", "Datumsangaben oder Jahre")
_YEARS = range(1, 10_000)


def _full_months(end: date, release: date) -> int:
    """Months that have passed since the end of a period; from the 31st to the last day of a shorter month is a full one."""
    last = min(end.day, monthrange(release.year, release.month)[1])
    return 12 * (release.year - end.year) + release.month - end.month - (release.day < last)


def _kept_whole(m: Age, before: Microdata, after: Microdata) -> bool:
    del m
    return same_records(before.take(np.isin(before.rows, after.rows)), after)


def _old_enough(m: Age, before: Microdata, after: Microdata) -> bool:
    del before
    ends = [] if m.period_end is None else [m.period_end]
    if m.column is not None:
        column = after.columns[m.column]
        ends = ends if column.missing.any() else []
        if column.missing.any() and m.period_end is None:
            return False
        for value in np.unique(column.values[~column.missing]):
            whole = column.kind is Kind.INTEGER
            ends.append(date(int(value), 12, 31) if whole else date.fromisoformat(column.spelt(value)[:10]))
    return all(_full_months(end, m.release) >= m.lag for end in ends)


@method(
    "microdata.age",
    family=Family.RECODE,
    leaves=Leaves.VALUES,
    title=Text("Age", "Altern lassen"),
    does=Text(
        "Only data older than a stated time is in the file.",
        "Nur Daten, die älter als eine angegebene Frist sind, sind in der Datei.",
    ),
    sources=(Source("gottschalk2002", "4.2, release of outdated data (G-M07)"),),
    preserves=(
        Claim(
            Text(
                "every record that is old enough, cell by cell and in its order",
                "jeden Datensatz, der alt genug ist, Zelle für Zelle und in seiner Reihenfolge",
            ),
            _kept_whole,
        ),
    ),
    protects=(
        Claim(
            Text(
                "what is released is older than the lag: current knowledge fits it less",
                "was freigegeben wird, ist älter als die Frist: heutiges Wissen passt schlechter dazu",
            ),
            _old_enough,
        ),
    ),
    does_not=(
        Text(
            "anonymise: features that last, and knowledge of that time, still find a unit",
            "anonymisieren: was sich nicht ändert und Wissen von damals finden eine Einheit weiterhin",
        ),
        ForAnalysis("serve current policy or forecasts", "für aktuelle Politik oder Vorhersagen taugen"),
    ),
    words={
        "lag_months": Text("held back for so many months", "zurückgehalten um so viele Monate"),
    },
    example={"column": "year", "release": "2026-06-30", "lag": 18, "period_end": "2024-03-31"},
    revision=2,
    loses_records=True,
)
class Age(Method):
    """Release only data whose period ended long enough before the release.

    `column` tells the period of every record (dates, or years, which end on 31 December): records that are too young are left out, and so are
    those whose period is missing, unless `period_end` is given for them. Without a column `period_end` is the end of the period of the
    whole file, and a file that is too young is refused. The lag is counted in full months: a period that ended on 31 December is a year old on 31 December.
    A suppressed period is judged by what lies under it.

    Only the period is looked at; all other values, missing, suppressed, zero, negative, constant and tied ones too, stay as they are.
    """

    release: date
    """Planned day of the release. | Geplanter Tag der Freigabe."""
    lag: Annotated[int, Field(ge=1)]
    """Months that must lie between the end of the period and the release. | Monate, die zwischen dem Ende der Periode und der Freigabe liegen
    müssen."""
    column: str | None = None
    """Column with the period of every record. | Spalte mit der Periode jedes Datensatzes."""
    period_end: date | None = None
    """End of the period of the whole file, or of the records without one. | Ende der Periode der ganzen Datei oder der Datensätze
    ohne Angabe."""

    @model_validator(mode="after")
    def _some_period(self) -> Self:
        if self.column is None and self.period_end is None:
            raise ValueError(Text("needs column or period_end", "braucht column oder period_end"))
        return self

    def named_columns(self) -> tuple[str, ...]:
        return (self.column,) if self.column else ()

    def apply(self, data: Microdata, stream: Stream) -> Microdata:
        del stream
        age = None if self.period_end is None else _full_months(self.period_end, self.release)
        if self.column is None:
            if age is not None and age < self.lag:
                raise TooYoung(found=age, needed=self.lag)
            return data
        column = data.column(self.column)
        old = self._ages(column) >= self.lag
        return data.take(np.where(column.missing, age is not None and age >= self.lag, old))

    def _ages(self, column: Column) -> Ints:
        """The full months from the end of every record's period to the release."""
        if column.kind in (Kind.DATE, Kind.DATETIME):
            unit = "D" if column.kind is Kind.DATE else "us"
            days = column.values.astype(f"datetime64[{unit}]").astype("datetime64[D]")
            months = days.astype("datetime64[M]")
            day = (days - months).astype(np.int64) + 1
            return self._passed(months.astype(np.int64) + 12 * 1970, day)
        years = column.values[~column.missing]
        if column.kind is not Kind.INTEGER or not np.all((years >= _YEARS[0]) & (years <= _YEARS[-1])):
            raise WrongKind(name=self.column, found=column.kind.text, who=self.id, needed=_PERIODS)
        return self._passed(12 * column.values.astype(np.int64) + 11, np.full(len(column), 31))

    def _passed(self, month: Ints, day: Ints) -> Ints:
        """The full months since days given by their month, counted from January of the year 0, and their day in it."""
        release = 12 * self.release.year + self.release.month - 1
        last = np.minimum(day, monthrange(self.release.year, self.release.month)[1])
        return np.asarray(release - month - (self.release.day < last))

    def tells(self, before: Microdata, after: Microdata) -> Mapping[str, Json]:
        del before, after
        return {"lag_months": self.lag}
