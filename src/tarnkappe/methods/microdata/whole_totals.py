"""What methods promise where their results are rounded to whole numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tarnkappe.data.column import Bools, Floats, Ints
from tarnkappe.data.masked import rounded
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.strata import strata_of
from tarnkappe.kernels.classes import classes
from tarnkappe.kernels.standard import power_scale
from tarnkappe.language import Text
from tarnkappe.spec import Claim
from tarnkappe.spec.conditions import unless, where
from tarnkappe.vocab import Kind

if TYPE_CHECKING:
    from tarnkappe.methods.microdata.averaging import Grouping

ROUNDING = 1e-9
FAR = {"decimals": 0.0, "nearest": 0.5, "total": 1.0}
"""So far rounding moves a value at most: to the nearest whole number, or to one of its two neighbours."""
LARGEST = 2**62
"""Whole numbers from here on are held as floating-point numbers."""


def stays_whole(m: Any, before: Microdata, after: Microdata) -> bool:
    """Chosen columns of whole numbers show whole numbers, and are held as before, unless a number is too large for that."""
    for name in rounded(before, m.treated_columns(), m.whole):
        column = after.column(name)
        shown = column.values[column.observed]
        as_decimals = before.column(name).kind is Kind.NUMBER or np.any(np.abs(column.values) >= LARGEST)
        if column.kind is not Kind.INTEGER and not (as_decimals and np.all(shown == np.rint(shown))):
            return False
    return True


def totals_nearly(m: Grouping, before: Microdata, after: Microdata) -> bool:
    """In every set of records that were treated together, totals are off by at most half of the records with one value; exact where nothing is rounded."""
    aligned = before.aligned_to(after)
    loose, weights = rounded(before, m.columns, m.whole), m.record_weights(aligned)
    for names in m.sets():
        sets = strata_of(aligned, m.within, names).of
        for name in (n for n in names if before.column(n).kind.is_number):
            was, now = aligned.column(name).numbers(), after.column(name)
            unit = float(name in loose)
            if not near_totals(was, now.numbers(), sets, now.codes(), unit, weights):
                return False
    return True


def near_totals(
    was: Floats, now: Floats, of: Ints, shared: tuple[Ints, int], unit: float, weights: Floats | None = None
) -> bool:
    """In every set, over what is shown, the total moved by at most half a unit for each of the records, or their weight, that share one code."""
    shown = ~np.isnan(now)
    w = np.ones(len(now)) if weights is None else weights / weights.max(initial=1e-300)
    x, y, w, at = was[shown], now[shown], w[shown], of[shown].astype(np.int64)
    count = int(at.max(initial=-1)) + 1
    scale = float(power_scale(x[:, None])[0])
    off = np.abs(np.bincount(at, w * (x / scale - y / scale), count))
    size = np.bincount(at, w * np.abs(x / scale), count)
    groups = classes([(at, count), (shared[0][shown], shared[1])])
    largest = np.zeros(count)
    np.maximum.at(largest, at, np.bincount(groups.ids, w)[groups.ids])
    return bool(np.all(off <= largest / 2 * (unit / scale) * (1 + ROUNDING) + ROUNDING * size + 1e-15))


def spread_nearly(x: Floats, y: Floats, of: Ints, weights: Floats, most: float) -> Bools:
    """The strata whose standard deviation moved by at most `most`: rounding that moves no value farther cannot move it more."""
    total = np.bincount(of, weights)
    each = np.where(total > 0, total, 1.0)
    spread = []
    for z in (x, y):
        mean = (np.bincount(of, weights * z) / each)[of]
        spread.append(np.sqrt(np.bincount(of, weights * (z - mean) ** 2) / each))
    size = np.sqrt(np.bincount(of, weights * x**2) / each)
    near: Bools = np.abs(spread[0] - spread[1]) <= most + ROUNDING * size + 1e-145
    return near


WHOLE_KEPT = Claim(
    Text("whole numbers stay whole", "ganze Zahlen bleiben ganz"),
    stays_whole,
    when=unless("whole", "decimals"),
)
WHOLE_TOTALS = Claim(
    Text(
        "the total of every chosen column of numbers over the records whose values are shown, in every stratum; of whole numbers, up to half the records "
        "(or their weight) that share a value in each set of records with the same gaps",
        "die Summe jeder gewählten Spalte von Zahlen über die Datensätze, deren Werte gezeigt werden, in jeder Schicht; bei ganzen Zahlen bis auf die Hälfte "
        "der Datensätze (oder ihres Gewichts), die einen Wert teilen, in jeder Menge von Datensätzen mit gleichen Lücken",
    ),
    totals_nearly,
    when=where("aggregate", "mean") & where("whole", "total"),
)
