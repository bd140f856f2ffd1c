"""What microaggregation promises of totals where its results are rounded to whole numbers."""

from __future__ import annotations

import numpy as np

from tarnkappe.data.masked import not_rounded
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.strata import Strata, strata_of
from tarnkappe.kernels.classes import classes
from tarnkappe.kernels.standard import power_scale
from tarnkappe.language import Text
from tarnkappe.methods.microdata.averaging import Averaging
from tarnkappe.spec import Claim

ROUNDING = 1e-9


def totals_nearly(m: Averaging, before: Microdata, after: Microdata) -> bool:
    """In every set of records that were treated together, totals are off by at most half of the records with one value; exact where nothing is rounded."""
    aligned = before.aligned_to(after)
    exact = not_rounded(before, m.columns, m.whole)
    return all(
        _nearly(m, aligned, after, name, strata_of(aligned, m.within, names), rounds=name not in exact)
        for names in m.sets()
        for name in names
    )


def _nearly(
    m: Averaging, before: Microdata, after: Microdata, name: str, sets: Strata, *, rounds: bool
) -> bool:
    weights = m.record_weights(before)
    column = after.column(name)
    shown, count = column.observed, len(sets)
    x, y, of = before.column(name).numbers()[shown], column.numbers()[shown], sets.of[shown].astype(np.int64)
    w = np.ones(len(x)) if weights is None else weights[shown] / weights.max()
    scale = float(power_scale(x[:, None])[0])
    off = np.abs(np.bincount(of, w * (x / scale - y / scale), count))
    size = np.bincount(of, w * np.abs(x / scale), count)
    groups = classes([(of, count), (column.codes()[0][shown], column.codes()[1])])
    largest = np.zeros(count)
    np.maximum.at(largest, of, np.bincount(groups.ids, w)[groups.ids])
    allowed = largest / 2 / scale if rounds else np.zeros(count)
    return bool(np.all(off <= allowed * (1 + ROUNDING) + ROUNDING * size + 1e-15))


WHOLE_TOTALS = Claim(
    Text(
        "the total of every chosen column over the records whose values are shown, in every stratum; of whole numbers, up to half the records (or their "
        "weight) that share a value in each set of records with the same gaps",
        "die Summe jeder gewählten Spalte über die Datensätze, deren Werte gezeigt werden, in jeder Schicht; bei ganzen Zahlen bis auf die Hälfte der "
        "Datensätze (oder ihres Gewichts), die einen Wert teilen, in jeder Menge von Datensätzen mit gleichen Lücken",
    ),
    totals_nearly,
    when=lambda m: m.aggregate == "mean" and m.whole == "total",
)
