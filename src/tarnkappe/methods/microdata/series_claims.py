"""What microaggregation of whole units promises of the series that they show, checked without the groups that were made."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from tarnkappe.data.column import Ints
from tarnkappe.data.contributors import contributor_codes
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.units import units_of
from tarnkappe.kernels.classes import classes, first_records
from tarnkappe.language import Text
from tarnkappe.methods.microdata.unit_averaging import UnitAveraging
from tarnkappe.spec import Claim
from tarnkappe.spec.conditions import given


def series_of_k(m: UnitAveraging, before: Microdata, after: Microdata) -> bool:
    """Whoever shows a value shows the same as others in all places, and in each of them k contributors stand behind it."""
    was = before.aligned_to(after)
    unit, count = units_of(was, m.unit)
    who = contributor_codes(was, m.unit) if m.counts_contributors(was) else unit
    place = classes(
        [(np.zeros(len(after), dtype=np.int64), 1), *(after.column(n).codes() for n in m.places(after))]
    )
    cells = classes([(place.ids, len(place.sizes)), *(after.column(n).codes() for n in m.columns)])
    series = _series(unit, cells.ids, count)[unit]
    shown = np.logical_or.reduce([after.column(n).observed for n in m.columns])
    tells = np.bincount(series, shown, count) > 0
    there = classes([(series, count), (place.ids, len(place.sizes))])
    behind = classes([(there.ids, len(there.sizes)), (who, int(who.max(initial=0)) + 1)])
    people = np.bincount(there.ids[first_records(behind)], minlength=len(there.sizes))
    return bool(np.all(people[there.ids[tells[series]]] >= m.k))


def _series(unit: Ints, cell: Ints, count: int) -> Ints:
    """A number for the series of every unit: equal where its records, in whatever order, are the same."""
    order = np.lexsort((cell, unit))
    all_of_them = cell[order].astype(np.int64).tobytes()
    ends = np.cumsum(np.bincount(unit, minlength=count)) * 8
    known: dict[bytes, int] = {}
    found = [known.setdefault(all_of_them[a:b], len(known)) for a, b in pairwise([0, *ends.tolist()])]
    return np.array(found, dtype=np.int64)


SERIES_OF_K = Claim(
    Text(
        "the whole series that a unit shows, its values in all its strata and periods, is shown by units of at least k contributors",
        "die ganze Reihe, die eine Einheit zeigt, ihre Werte in allen ihren Schichten und Perioden, zeigen Einheiten von mindestens k Beitragenden",
    ),
    series_of_k,
    when=given("unit"),
)
