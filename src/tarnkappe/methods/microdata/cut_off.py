"""Cut-off: units beyond size limits are left out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Literal, Self

import numpy as np
from pydantic import Field, model_validator

from tarnkappe.data.column import Bools
from tarnkappe.data.comparison import same_records
from tarnkappe.data.contributors import contributors
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.units import units_of, whole_units
from tarnkappe.errors.data import WrongKind
from tarnkappe.errors.selection import TooFewLeftOut
from tarnkappe.language import Text
from tarnkappe.methods.microdata.records_lost import records_lost
from tarnkappe.randomness import Stream
from tarnkappe.spec import Claim, Family, Json, Leaves, Method, Source, method
from tarnkappe.spec.fields import Unit
from tarnkappe.spec.limits import ForAnalysis

_NUMBERS = Text("numbers", "Zahlen")
_BELOW = Text("below the lower limit", "unterhalb der unteren Grenze")
_ABOVE = Text("above the upper limit", "oberhalb der oberen Grenze")
_UNKNOWN = Text("of unknown size", "unbekannter Größe")


def _kept_whole(m: CutOff, before: Microdata, after: Microdata) -> bool:
    del m
    return same_records(before.take(np.isin(before.rows, after.rows)), after)


def _none_beyond(m: CutOff, before: Microdata, after: Microdata) -> bool:
    """Also under suppressed cells: nobody beyond a limit is left, nor another record of such a unit."""
    beyond = before.take(whole_units(before, m.unit, m.beyond(before)))
    if np.isin(after.rows, beyond.rows).any():
        return False
    column = after.columns[m.column]
    value = column.values[~column.missing]
    low = -np.inf if m.lower is None else m.lower
    high = np.inf if m.upper is None else m.upper
    return bool(np.all((value >= low) & (value <= high))) and not (
        m.missing == "drop" and column.missing.any()
    )


def _enough_gone(m: CutOff, before: Microdata, after: Microdata) -> bool:
    """In each tail by itself, among the records that are gone; a gone record with no reason of its own went with its unit."""
    gone = ~np.isin(before.rows, after.rows)
    column = before.columns[m.column]
    size = np.where(column.missing, np.nan, column.values.astype(np.float64))
    low = size < (-np.inf if m.lower is None else m.lower)
    high = size > (np.inf if m.upper is None else m.upper)
    unknown = np.isnan(size) & (m.missing == "drop")
    return all(not 0 < _people(before, m.unit, gone & tail) < m.at_least for tail in (low, high, unknown))


def _people(data: Microdata, unit: tuple[str, ...], records: Bools) -> int:
    """How many contributors stand behind some records: those of one owner count once, and so do those of one unit."""
    units, _ = units_of(data, unit)
    return min(contributors(data, records), len(np.unique(units[records])))


@method(
    "microdata.cut-off",
    family=Family.SUPPRESS,
    leaves=Leaves.VALUES,
    title=Text("Cut off by size", "Nach Größe abschneiden"),
    does=Text(
        "Units beyond a limit of size are not in the file.",
        "Einheiten jenseits einer Größengrenze sind nicht in der Datei.",
    ),
    sources=(
        Source("hoehne2010", "section 2.1.2, cut-off (T07)"),
        Source("gottschalk2002", "4.2, systematic sub-samples (G-M09)"),
    ),
    preserves=(
        Claim(
            Text(
                "every record that stays, cell by cell and in its order",
                "jeden verbliebenen Datensatz, Zelle für Zelle und in seiner Reihenfolge",
            ),
            _kept_whole,
        ),
    ),
    protects=(
        Claim(
            Text(
                "no unit beyond a limit is in the file",
                "keine Einheit jenseits einer Grenze ist in der Datei",
            ),
            _none_beyond,
        ),
        Claim(
            Text(
                "against subtraction from a known total: enough contributors are left out at each end, or none",
                "gegen das Abziehen von einer bekannten Summe: an jedem Ende fehlen genügend Beitragende oder keine",
            ),
            _enough_gone,
        ),
    ),
    does_not=(
        ForAnalysis(
            "keep totals, means and spread: they hold for the remaining units only",
            "Summen, Mittelwerte und Streuung erhalten: sie gelten nur für die verbliebenen Einheiten",
        ),
        Text("protect the units that stay", "die verbliebenen Einheiten schützen"),
        Text(
            "count who is left out in each region, branch or period: a total of one of them can still give a unit away",
            "zählen, wer in jeder Region, Branche oder Periode fehlt: eine Summe daraus kann eine Einheit weiter verraten",
        ),
        Text(
            "leave out the other records of the same owner, nor of the same unit where unit does not name it",
            "die übrigen Datensätze desselben Eigentümers weglassen, auch nicht derselben Einheit, wenn unit sie nicht nennt",
        ),
    ),
    advice=Text(
        "Units beyond a limit were left out. Results hold for the units that are there; totals, means and spread of all units are "
        "others.",
        "Einheiten jenseits einer Grenze wurden weggelassen. Ergebnisse gelten für die vorhandenen Einheiten; Summen, Mittelwerte und "
        "Streuung aller Einheiten sind andere.",
    ),
    example={
        "column": "employees",
        "lower": 1,
        "upper": 12,
        "missing": "drop",
        "unit": "household",
        "at_least": 2,
    },
    loses_records=True,
)
class CutOff(Method):
    """Leave out the units below or above size limits; a value equal to a limit stays.

    Large units are known to everybody and hardly to be protected. If the analyses are about small and medium ones, leaving the large
    ones out protects them for certain and leaves all results for the others as they are. The limits are told to the receiver: results
    hold for the units between them. Three contributors or more (`at_least`) must be left out, or none, because a total known from
    elsewhere gives one or two away; records of one owner count once, and so do those of one unit. Those below the lower limit, those above the
    upper one and those of unknown size are counted each by themselves: two tiny units do not hide a giant.

    In a panel name the `unit`: who is beyond a limit in one period is then left out in all of them, else the other periods show about how large
    he was. A record whose unit is not known is a unit of its own.

    A suppressed value is judged by what lies under it. Missing values stay or go, as `missing` says. Infinite values lie beyond any limit.

    Zero, negative and tied values are compared like others; of a constant column all records stay or go.
    """

    column: str
    """Numeric column that tells the size. | Numerische Spalte, die die Größe angibt."""
    lower: float | None = None
    """Smallest size that stays. | Kleinste Größe, die bleibt."""
    upper: float | None = None
    """Largest size that stays. | Größte Größe, die bleibt."""
    missing: Literal["keep", "drop"] = "keep"
    """Whether units of unknown size stay. | Ob Einheiten unbekannter Größe bleiben."""
    unit: Unit = ()
    """Columns that name the unit whose records go together; without them, each record is one. | Spalten, die die Einheit nennen, deren
    Datensätze zusammen wegfallen; ohne sie ist jeder Datensatz eine."""
    at_least: Annotated[int, Field(ge=1)] = 3
    """Fewest contributors that may be left out at either end, if any are. | Kleinste Zahl Beitragender, die an einem Ende wegfallen darf, wenn
    dort welche wegfallen."""

    @model_validator(mode="after")
    def _limits(self) -> Self:
        if self.lower is None and self.upper is None:
            raise ValueError(Text("needs lower or upper", "braucht lower oder upper"))
        if self.lower is not None and self.upper is not None and self.lower > self.upper:
            raise ValueError(Text("lower must not be above upper", "lower darf nicht über upper liegen"))
        return self

    def named_columns(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((self.column, *self.unit)))

    def apply(self, data: Microdata, stream: Stream) -> Microdata:
        del stream
        gone = whole_units(data, self.unit, self.beyond(data))
        for which, tail in self._tails(data):
            count = _people(data, self.unit, tail)
            if 0 < count < self.at_least:
                raise TooFewLeftOut(count=count, which=which, needed=self.at_least)
        return data.take(~gone)

    def beyond(self, data: Microdata) -> Bools:
        """The records beyond a limit, or of unknown size where these go."""
        beyond = np.zeros(len(data), dtype=np.bool_)
        for _, tail in self._tails(data):
            beyond |= tail
        return beyond

    def _tails(self, data: Microdata) -> Iterator[tuple[Text, Bools]]:
        """The records to be left out, for each reason by itself."""
        column = data.column(self.column)
        if not column.kind.is_number:
            raise WrongKind(name=self.column, found=column.kind.text, who=self.id, needed=_NUMBERS)
        if self.lower is not None:
            yield _BELOW, (column.values < self.lower) & ~column.missing
        if self.upper is not None:
            yield _ABOVE, (column.values > self.upper) & ~column.missing
        if self.missing == "drop":
            yield _UNKNOWN, column.missing

    def tells(self, before: Microdata, after: Microdata) -> Mapping[str, Json]:
        """The limits, as the plan gives them: they say for whom the results hold. How many are gone at an end is told to nobody."""
        del before, after
        return {"column": self.column, "lower": self.lower, "upper": self.upper}

    def keeps(
        self, before: Microdata, after: Microdata
    ) -> Mapping[str, tuple[tuple[str, ...], list[tuple[str, ...]]]]:
        """What was left out, for the office."""
        return records_lost(before, after)
