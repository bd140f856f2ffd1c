"""Breaks in series: units whose development over time has no equal, such as a bankruptcy or a takeover."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np
from pydantic import Field

from tarnkappe.data.column import Bools, Floats, Ints
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.strata import strata_of
from tarnkappe.data.units import units_of
from tarnkappe.errors.data import EmptyData, WrongKind
from tarnkappe.errors.risk import NoAmounts, SeriesNeeded
from tarnkappe.errors.selection import PeriodTwice
from tarnkappe.kernels.classes import classes
from tarnkappe.kernels.robust_scores import FEWEST, robust_scores
from tarnkappe.language import NOTHING, Text
from tarnkappe.spec import Finding, Goal, Json, Measure, Source, measure
from tarnkappe.spec.fields import Unit
from tarnkappe.spec.needs import needs
from tarnkappe.vocab import Role

_NUMBERS = Text("numbers", "Zahlen")
_FEW = Text(
    f"Fewer than {FEWEST} units have a series: nothing can be said to stand out.",
    f"Weniger als {FEWEST} Einheiten haben eine Reihe: Von nichts lässt sich sagen, dass es auffällt.",
)
_STEADY, _UP, _DOWN, _TO_ZERO, _FROM_ZERO, _SIGN, _BEGINS, _ENDS = range(8)
"""What can happen to a unit from one period to the next."""


@measure(
    "risk.series-breaks",
    title=Text("Breaks in series", "Brüche in Zeitreihen"),
    does=Text(
        "Finds units that can be recognised by their development: a jump, a fall to zero, a beginning or an end that hardly any other has.",
        "Findet Einheiten, die an ihrer Entwicklung zu erkennen sind: an einem Sprung, einem Fall auf null, einem Anfang oder Ende, wie es "
        "kaum eine andere hat.",
    ),
    sources=(
        Source("hoehne2010", "section 2.1.1: index numbers, a striking development such as a bankruptcy or an acquisition; spec R19"),
    ),
    reads=Text(
        "A share of {value} of the units has a break that hardly any other has.",
        "Ein Anteil von {value} der Einheiten hat einen Bruch, den kaum eine andere hat.",
    ),
    knows=Text(
        "The attacker has read what happened to a unit and when: that it was bought, grew or closed. He needs no amounts.",
        "Der Angreifer hat gelesen, was einer Einheit wann geschehen ist: dass sie gekauft wurde, wuchs oder schloss. Beträge braucht er nicht.",
    ),
    goal=Goal.LOW,
    bounds=(0, 1),
    alone=True,
    does_not=(
        Text(
            "find units whose records are not marked as theirs: it needs a column that names the unit",
            "Einheiten finden, deren Datensätze nicht gekennzeichnet sind: Es braucht eine Spalte, die die Einheit nennt",
        ),
        Text(
            "look at series that stand side by side in columns: see risk.structural-outliers, structure: changes",
            "Reihen ansehen, die nebeneinander in Spalten stehen: siehe risk.structural-outliers, structure: changes",
        ),
        Text(
            "see slow developments: only what happens from one period to the next",
            "langsame Entwicklungen sehen: nur, was von einer Periode zur nächsten geschieht",
        ),
    ),
    words={
        "by_break": Text("stand out by a break in", "fallen auf durch einen Bruch bei"),
        "by_edge": Text("stand out by their beginning or end", "fallen auf durch Anfang oder Ende"),
    },
    example={
        "columns": ["employees", "income"], "unit": ["household"], "period": "birth", "within": ["region"], "k": 3, "fence": 4.0,
    },
)  # fmt: skip
class SeriesBreaks(Measure):
    """The share of units with a break that fewer than `k` units of the same period and group have.

    From one period to the next an amount rises or falls; how much, is its ratio, which index numbers keep as they are. A ratio further than
    `fence` robust standard deviations from the median of the period and group (`within`) is a break upwards or downwards; groups under
    ten units are held against the whole file. A fall to zero, a rise from zero and a change of sign are breaks too, and so are the first
    record of a unit after the first period and the last one before the last period. Where everybody has it, it is no break.
    Missing and suppressed amounts tell nothing. Per record: 1 for the records of units that stand out, else 0.
    """

    needs_roles = needs(columns=Role.NUMERIC, unit=(Role.UNIT, Role.OWNER), period=Role.PERIOD)

    columns: tuple[str, ...] = ()
    """Amounts that are compared; without them, those with the role numeric. | Beträge, die verglichen werden; ohne Angabe die mit der
    Rolle numeric."""
    unit: Unit = ()
    """Columns that name the unit a record belongs to; without them, those with the role unit, or else owner. | Spalten, die die Einheit nennen, zu der
    ein Datensatz gehört; ohne Angabe die mit der Rolle unit, sonst owner."""
    period: str = ""
    """Column with the period; without it, the one with the role period. | Spalte mit der Periode; ohne Angabe die mit der Rolle period."""
    within: tuple[str, ...] = ()
    """Developments are compared inside groups of equal records of these columns. | Entwicklungen werden innerhalb der Gruppen gleicher
    Datensätze dieser Spalten verglichen."""
    k: Annotated[int, Field(ge=2)] = 2
    """A break that fewer units have stands out. | Ein Bruch, den weniger Einheiten haben, fällt auf."""
    fence: Annotated[float, Field(gt=0)] = 6.0
    """So many robust standard deviations from the median a development is a break. | Ab so vielen robusten Standardabweichungen vom Median
    gilt eine Entwicklung als Bruch."""

    def measure(self, after: Microdata, *, before: Microdata | None = None) -> Finding:
        outside, details, per_record = self._found(after)
        doubt = _FEW if details["units"] < FEWEST else NOTHING
        return Finding(
            value=float(outside.mean()),
            baseline=None if before is None else float(self._found(before)[0].mean()),
            trusted=not doubt,
            because=doubt,
            details=details,
            per_record=per_record,
        )

    def _found(self, data: Microdata) -> tuple[Bools, dict[str, Json], Floats]:
        names, unit, period = self._columns(data)
        series = _series(data, unit, period, strata_of(data, self.within).of.astype(np.int64))
        outside = np.zeros(series.units, dtype=np.bool_)
        by_edge = self._rare(series, series.edges, series.edge_kind)
        outside[series.unit[series.edges[by_edge]]] = True
        by_column: dict[str, Json] = {}
        for name in names:
            kinds = self._kinds(series, data.column(name).numbers()[series.order])
            rare = self._rare(series, series.later, kinds) & (kinds != _STEADY)
            who = np.unique(series.unit[series.later[rare]])
            outside[who] = True
            by_column[name] = len(who)
        details: dict[str, Json] = {
            "records": len(data), "units": series.units, "periods": series.periods - 1, "exposed": int(outside.sum()),
            "by_break": by_column, "by_edge": len(np.unique(series.unit[series.edges[by_edge]])),
        }  # fmt: skip
        per_record = np.zeros(len(data))
        per_record[series.order] = outside[series.unit]
        return outside, details, per_record

    def _columns(self, data: Microdata) -> tuple[tuple[str, ...], tuple[str, ...], str]:
        names, unit = (
            self.columns or data.role(Role.NUMERIC),
            self.unit or data.role(Role.UNIT) or data.role(Role.OWNER),
        )
        period = self.period or next(iter(data.role(Role.PERIOD)), "")
        if not names:
            raise NoAmounts
        if not unit or not period:
            raise SeriesNeeded(who=self.id)
        if len(data) == 0:
            raise EmptyData
        for name in names:
            kind = data.column(name).kind
            if not kind.is_number:
                raise WrongKind(name=name, found=kind.text, who=self.id, needed=_NUMBERS)
        return names, unit, period

    def _kinds(self, series: _Series, values: Floats) -> Ints:
        """What happens to an amount at every step."""
        old, new = values[series.later - 1], values[series.later]
        alike = np.sign(old) * np.sign(new)
        with np.errstate(divide="ignore", invalid="ignore"):  # zero and infinite amounts have no growth
            growth = np.where(alike > 0, np.log(np.abs(new)) - np.log(np.abs(old)), np.nan)
        growth[~np.isfinite(growth)] = np.nan
        groups = classes(
            [(series.period[series.later], series.periods), (series.group[series.later], series.groups)]
        )
        away = robust_scores(growth, groups.ids.astype(np.int64), len(groups.sizes)) > self.fence
        middle = np.nanmedian(growth) if (~np.isnan(growth)).any() else 0.0
        kinds = np.where(away, np.where(growth > middle, _UP, _DOWN), _STEADY)
        kinds[(old != 0) & ~np.isnan(old) & (new == 0)] = _TO_ZERO
        kinds[(old == 0) & (new != 0) & ~np.isnan(new)] = _FROM_ZERO
        kinds[alike < 0] = _SIGN
        return kinds.astype(np.int64)

    def _rare(self, series: _Series, records: Ints, kinds: Ints) -> Bools:
        """Events that happen to fewer than k units in the period and group, where at least k units are."""
        if not len(records):
            return np.zeros(0, dtype=np.bool_)
        here = classes([(series.period, series.periods), (series.group, series.groups)])
        ids = here.ids[records].astype(np.int64)
        same = classes([(ids, len(here.sizes)), (kinds, _ENDS + 1)])
        return np.asarray((same.sizes[same.ids] < self.k) & (here.sizes[ids] >= self.k))


@dataclass(frozen=True, eq=False)
class _Series:
    """The records in the order of units and periods."""

    order: Ints
    unit: Ints
    units: int
    period: Ints
    periods: int
    group: Ints
    groups: int
    later: Ints
    """Records whose unit has one in the period before, too: it stands just before."""
    edges: Ints
    """First and last records of units that are not there from the first to the last period."""
    edge_kind: Ints


def _series(data: Microdata, unit: tuple[str, ...], period: str, group: Ints) -> _Series:
    """Records without a period or a unit belong to no series; each stands for itself."""
    of, units = units_of(data, unit)
    when, periods = data.column(period).codes()
    when = np.where(when < 0, -1, when).astype(np.int64)
    order = np.lexsort((when, of))
    u, t = of[order], when[order]
    same_unit = np.concatenate([[False], np.diff(u) == 0])
    step = np.concatenate([[0], np.diff(t)])
    twice = np.flatnonzero(same_unit & (step == 0) & (t >= 0))
    if len(twice):
        raise PeriodTwice(count=len(np.unique(u[twice])), first=data.record(order[twice[0]]))
    told = t[t >= 0]
    seen = np.unique(told)
    rank = np.concatenate([np.searchsorted(seen, np.arange(periods)), [-1]])[
        t
    ]  # the place -1 is the last one
    step = np.concatenate([[0], np.diff(rank)])
    later = np.flatnonzero(same_unit & (step == 1) & (np.roll(rank, 1) >= 0))
    several = np.bincount(u, weights=rank >= 0, minlength=units)[u] > 1
    first = np.flatnonzero(~same_unit & several & (rank > 0))
    last = np.flatnonzero(
        ~np.concatenate([same_unit[1:], [False]]) & several & (rank >= 0) & (rank < len(seen) - 1)
    )
    kinds = np.concatenate([np.full(len(first), _BEGINS), np.full(len(last), _ENDS)])
    g = group[order]
    ranks = np.where(rank < 0, len(seen), rank)
    return _Series(
        order,
        u,
        units,
        ranks,
        len(seen) + 1,
        g,
        int(g.max()) + 1,
        later,
        np.concatenate([first, last]),
        kinds,
    )
