"""Interval disclosure: the true value lies in a narrow interval around the released one."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Annotated

import numpy as np
from pydantic import Field

from tarnkappe.kernels.around import Scale, holding, intervals
from tarnkappe.kernels.proportions import share_of
from tarnkappe.language import Text
from tarnkappe.risk.values_learnt import OnValues, Sides, by_column, counted
from tarnkappe.spec import Finding, Goal, Maturity, Source, measure

if TYPE_CHECKING:
    from tarnkappe.data.column import Bools, Floats
    from tarnkappe.data.microdata import Microdata

_TRIES = 20
"""Whole records taken at random for the naive attacker on all columns at once."""


@measure(
    "risk.interval-disclosure",
    title=Text("Interval disclosure", "Intervall-Offenlegung"),
    does=Text(
        "Counts the true values that lie in a narrow interval around the released ones.",
        "Zählt die wahren Werte, die in einem schmalen Intervall um die freigegebenen liegen.",
    ),
    sources=(
        Source("mateosanz2004", "intervals by standard deviation (SDID)"),
        Source("domingoferrer2001", "intervals by rank"),
        Source("gottschalk2002", "section 2.2 of the specification, G-R08: share of true values within p per cent"),
        Source("hoehne2010", "section 2.2.2 and 3.2: a smallest change is not guaranteed; spec R18, with scale: value and joint: false"),
        Source("templ2015", "dRisk of sdcMicro"),
    ),
    reads=Text(
        "A share of {value} lies inside the interval around what was released.",
        "Ein Anteil von {value} liegt im Intervall um das Freigegebene.",
    ),
    knows=Text(
        "The attacker knows which released record is whose and takes the released values for the true ones, up to the interval.",
        "Der Angreifer weiß, welcher freigegebene Datensatz wem gehört, und hält die freigegebenen Werte bis auf das Intervall für die wahren.",
    ),
    goal=Goal.LOW,
    bounds=(0, 1),
    compares=True,
    does_not=(
        Text(
            "say whether the attacker can find the record: it assumes so",
            "sagen, ob der Angreifer den Datensatz finden kann: Davon geht es aus",
        ),
        Text(
            "use what an attacker knows of the method or of other values: see risk.value-disclosure and risk.best-guess",
            "nutzen, was ein Angreifer vom Verfahren oder von anderen Werten weiß: siehe risk.value-disclosure und risk.best-guess",
        ),
        Text(
            "treat outliers differently: the same width for all; see risk.outliers",
            "Ausreißer anders behandeln: dieselbe Breite für alle; siehe risk.outliers",
        ),
    ),
    maturity=Maturity.REPLICATED,
    words={
        "guessing_mean": Text("share for somebody who guesses the mean", "Anteil für jemanden, der den Mittelwert rät"),
        "share_of_records": Text("share of the records", "Anteil der Datensätze"),
        "share_of_values": Text("share of the values", "Anteil der Werte"),
    },
    example={
        "columns": ["income", "wealth"], "within": ["region"], "weighted": True, "scale": "rank", "width": 0.1, "joint": False,
    },
)  # fmt: skip
class IntervalDisclosure(OnValues):
    """The share of records, or of values, whose true value lies within the interval around the released one.

    The half width is given in standard deviations of the released column (`sd`, with 0.05 the dRisk of sdcMicro), as a part of all
    ranks (`rank`: from so many released values below to so many above), or as a part of the released value (`value`). With
    `joint` a record counts as disclosed when all its values are; otherwise single values are counted.

    A value that was there and is not shown any more counts as not disclosed (sdcMicro passes over it, as if it were disclosed). The naive
    attacker takes a record at random; the details also give what he reaches with the mean of the column.
    """

    scale: Scale = "sd"
    """What the width is a part of: the standard deviation, all ranks, or the released value. | Wovon die Breite ein Teil ist: von der
    Standardabweichung (sd), von allen Rängen (rank) oder vom freigegebenen Wert (value)."""
    width: Annotated[float, Field(gt=0, le=10)] = 0.05
    """Half width of the interval. | Halbe Breite des Intervalls."""
    joint: bool = True
    """Whether all values of a record must lie inside, instead of counting single values. | Ob alle Werte eines Datensatzes darin liegen
    müssen, statt einzelne Werte zu zählen."""

    def measure(self, after: Microdata, *, before: Microdata | None = None) -> Finding:
        sides = self.sides(after, before)
        low, high = self._ends(sides, sides.y)
        hit, there = _inside(sides.x, low, high), sides.there
        naive, mean = self._by_chance(sides), self._by_mean(sides)
        columns = by_column(sides, hit, there, naive)
        for j, name in enumerate(sides.names):
            if name in columns:
                columns[name]["guessing_mean"] = float(mean[there[:, j], j].mean())
        records, values = _whole(hit, there), counted(hit, there)
        joint, single = share_of(*records, sides.weights), share_of(*values, sides.weights)
        naive_single = share_of((naive * there).sum(axis=1), values[1], sides.weights)
        details = {
            "scale": self.scale, "width": self.width, "joint": self.joint, "share_of_records": joint, "share_of_values": single,
            "columns": columns,
        }  # fmt: skip
        if not self.joint:
            return self.finding(after, sides, values, naive_single, details)
        return self.finding(after, sides, records, _jointly_by_chance(sides, low, high), details)

    def _ends(self, sides: Sides, centres: Floats) -> tuple[Floats, Floats]:
        """Ends of the intervals around the centres, column by column."""
        low, high = np.empty_like(centres), np.empty_like(centres)
        for j in range(centres.shape[1]):
            shown = sides.shown[:, j]
            low[:, j], high[:, j] = intervals(shown[~np.isnan(shown)], centres[:, j], self.scale, self.width)
        gap = np.isnan(centres)
        low[gap] = high[gap] = np.nan
        return low, high

    def _by_chance(self, sides: Sides) -> Floats:
        """For every true value the share of the released values whose interval holds it."""
        low, high = self._ends(sides, sides.shown)
        out = np.zeros_like(sides.x)
        for j in range(out.shape[1]):
            there, seen = sides.there[:, j], ~np.isnan(low[:, j])
            if seen.any():
                found = holding(low[seen, j], high[seen, j], sides.x[there, j])
                out[there, j] = found / np.count_nonzero(seen)
        return out

    def _by_mean(self, sides: Sides) -> Bools:
        """Which true values lie in the interval around the mean of the released ones."""
        seen = ~np.isnan(sides.shown)
        mean = np.where(seen, sides.shown, 0.0).sum(axis=0) / np.maximum(seen.sum(axis=0), 1)
        centres: Floats = np.atleast_2d(np.where(seen.any(axis=0), mean, np.nan))
        low, high = self._ends(sides, centres)
        return _inside(sides.x, low, high)


def _inside(x: Floats, low: Floats, high: Floats) -> Bools:
    return np.asarray((x >= low) & (x <= high))


def _whole(hit: Bools, there: Bools) -> tuple[Floats, Floats]:
    """Records all whose values were hit, and those that have any."""
    some, whole = np.asarray(there.any(axis=1)), np.asarray((hit | ~there).all(axis=1))
    return (some & whole).astype(np.float64), some.astype(np.float64)


def _jointly_by_chance(sides: Sides, low: Floats, high: Floats) -> float:
    """The share of records that lie whole in the intervals of another record; drawn with a seed that is the number of records."""
    n = len(sides.x)
    if n < 2:
        return math.nan
    order = np.random.Generator(np.random.PCG64(n)).permutation(n)
    shares = []
    for step in range(1, min(_TRIES, n - 1) + 1):
        other = np.empty(n, dtype=np.int64)
        other[order] = np.roll(order, step)
        hits = _whole(_inside(sides.x, low[other], high[other]), sides.there)
        shares.append(share_of(*hits, sides.weights))
    return float(np.mean(shares))
