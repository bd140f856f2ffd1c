"""Growth rates of the units of a panel before and after."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated

import numpy as np
from pydantic import Field

from tarnkappe.data.quantities import LEAST, original, quantities
from tarnkappe.data.units import units_of
from tarnkappe.errors.data import NumbersNeeded
from tarnkappe.errors.utility import PeriodNeeded
from tarnkappe.kernels.panel import consecutive, growth
from tarnkappe.kernels.standard import power_scale
from tarnkappe.language import NOTHING, Text
from tarnkappe.spec import Finding, Goal, Json, Measure, Source, measure
from tarnkappe.spec.fields import Unit
from tarnkappe.utility.comparing import joined, left_out
from tarnkappe.vocab import Role

if TYPE_CHECKING:
    from tarnkappe.data.column import Column, Floats, Ints
    from tarnkappe.data.microdata import Microdata

_FEW = Text(
    f"fewer than {LEAST} pairs of periods with values in both files",
    f"weniger als {LEAST} Periodenpaare mit Werten in beiden Dateien",
)
_CLASSES = Text(
    "no numbers any more, only visible changes were counted",
    "keine Zahlen mehr, nur sichtbare Veränderungen gezählt",
)
_NO_PANEL = Text(
    "No growth rate can be compared: no unit has records in two periods in both files.",
    "Keine Wachstumsrate lässt sich vergleichen: Keine Einheit hat in beiden Dateien Datensätze aus zwei Perioden.",
)


@measure(
    "utility.growth",
    title=Text("Growth rates before and after", "Wachstumsraten vorher und nachher"),
    compares=True,
    does=Text(
        "Compares how the values of each unit grow from period to period before and after, and counts the changes that can no longer be seen.",
        "Vergleicht, wie die Werte jeder Einheit von Periode zu Periode wachsen, und zählt die Veränderungen, die nicht mehr zu sehen sind.",
    ),
    sources=(
        Source("gottschalk2002", "section 2.1: grouping hides changes over time (G-U07)"),
        Source("hoehne2010", "section 4.2.4: panel data"),
    ),
    reads=Text(
        "On average a growth rate is off by {value} (a rate runs from -2 to 2).",
        "Im Mittel ist eine Wachstumsrate um {value} falsch (Raten liegen zwischen -2 und 2).",
    ),
    knows=Text(
        "The records that both files have; which records belong to one unit and to which period is read from the original.",
        "Die Datensätze, die beide Dateien haben; Einheit und Periode eines Datensatzes werden im Original gelesen.",
    ),
    goal=Goal.LOW,
    bounds=(0, 4),
    does_not=(
        Text(
            "tell whether users of the release can still follow a unit: its id may be gone",
            "zeigen, ob Nutzer der Freigabe einer Einheit noch folgen können: Ihre Kennung kann fehlen",
        ),
        Text(
            "say anything about records that were made or drawn anew",
            "etwas über neu erzeugte oder gezogene Datensätze sagen",
        ),
    ),
    words={
        "growth_error": Text("mean error of a growth rate", "mittlerer Fehler einer Wachstumsrate"),
        "invisible": Text(
            "share of the changes that can no longer be seen",
            "Anteil der nicht mehr sichtbaren Veränderungen",
        ),
        "steps_compared": Text(
            "steps from period to period compared", "verglichene Schritte von Periode zu Periode"
        ),
        "true_changes": Text("changes in the original", "Veränderungen im Original"),
    },
    example={"columns": ["wealth", "employees"], "unit": ["sex"], "period": "age"},
)
class Growth(Measure):
    """The mean absolute error of growth rates, and the share of changes that became invisible.

    A growth rate is the change from one period of a unit to its next, divided by the mean size of the
    two values: 0.1 is about ten per cent, 2 is a new start from 0. So zeros need no exception and no rate can
    swamp the mean. *Invisible* is a change of the original after which the release shows the same value in
    both periods; that is counted for columns that became classes, too. *Turned* is a change that goes the
    other way in the release. The details give all of it by column. A period in which a unit has several
    records is left out, together with the steps into it and out of it.
    """

    unit: Annotated[Unit, Field(min_length=1)]
    """Columns that tell which records belong to one unit. | Spalten, die sagen, welche Datensätze zu einer
    Einheit gehören."""
    columns: tuple[str, ...] = ()
    """Numeric columns of the original; without them, all quantities that the release still has. | Numerische
    Spalten des Originals; ohne Angabe alle Größen, die die Freigabe noch hat."""
    period: str | None = None
    """Column with the period; without it, the one with the role period. | Spalte mit der Periode; ohne
    Angabe die mit der Rolle period."""

    def measure(self, after: Microdata, *, before: Microdata | None = None) -> Finding:
        before = original(before, self.id)
        names = self._names(after, before)
        old, new = before.paired(after)
        steps = self._steps(old)
        found: dict[str, dict[str, Json]] = {}
        for name in names:
            if new.column(name).kind.is_number:
                new.numbers([name], self.id)  # infinite numbers are refused
            figures = _compared(old.numbers([name], self.id)[:, 0], new.column(name), steps)
            found |= {name: figures} if figures else {}
        rates = [f["growth_error"] for f in found.values() if f["growth_error"] is not None]
        classes = [name for name, f in found.items() if f["growth_error"] is None]
        return Finding(
            value=float(np.mean(rates)) if rates else math.nan,
            trusted=bool(rates),
            because=joined(
                NOTHING if rates else _NO_PANEL,
                left_out([n for n in names if n not in found], _FEW),
                left_out(classes, _CLASSES),
            ),
            details={"columns": found, "unit": self.unit, "steps_compared": len(steps[0])},
        )

    def _names(self, after: Microdata, before: Microdata) -> tuple[str, ...]:
        used = {*self.unit, self._period(before)}
        names = self.columns or tuple(n for n in quantities(before) if n in after.columns and n not in used)
        for name in names:
            after.column(name)
        if not names:
            raise NumbersNeeded(who=self.id, needed=1, found=0)
        return names

    def _period(self, data: Microdata) -> str:
        name = self.period or next(iter(data.role(Role.PERIOD)), None)
        if name is None:
            raise PeriodNeeded(who=self.id)
        return name

    def _steps(self, data: Microdata) -> tuple[Ints, Ints]:
        """Positions of records of one unit in neighbouring periods; records without a period are left out."""
        column = data.column(self._period(data))
        unit, _ = units_of(data, self.unit)
        there = np.flatnonzero(column.observed)
        first, second = consecutive(unit[there], _ordered(column)[there])
        return there[first], there[second]


def _ordered(column: Column) -> Ints:
    """Codes in the order of time: numbers and dates by size, categories by spelling."""
    codes = column.true_codes()[0]
    if column.categories is None or not len(column.categories):
        return codes
    place = np.argsort(np.argsort(column.categories.astype(str), kind="stable"))
    return place[codes]


def _compared(x: Floats, column: Column, steps: tuple[Ints, Ints]) -> dict[str, Json] | None:
    first, second = steps
    codes = column.codes()[0]
    there = ~np.isnan(x[first] + 0 * x[second]) & (codes[first] >= 0) & (codes[second] >= 0)
    first, second = first[there], second[there]
    if len(first) < LEAST:
        return None
    changed = x[first] != x[second]
    unseen = changed & (codes[first] == codes[second])
    return {
        "steps_compared": len(first),
        "true_changes": int(changed.sum()),
        "invisible": float(unseen.sum() / changed.sum()) if changed.any() else 0.0,
        **_rates(x, column, (first, second)),
    }


def _rates(x: Floats, column: Column, steps: tuple[Ints, Ints]) -> Mapping[str, Json]:
    if not column.kind.is_number:
        return {"growth_error": None}
    y = column.numbers()
    was, now = (_growth(values, steps) for values in (x, y))
    return {
        "growth_error": float(np.mean(np.abs(now - was))),
        "turned": float(np.mean(was * now < 0)),
    }


def _growth(values: Floats, steps: tuple[Ints, Ints]) -> Floats:
    scaled = values / power_scale(values)
    return growth(scaled[steps[0]], scaled[steps[1]])
