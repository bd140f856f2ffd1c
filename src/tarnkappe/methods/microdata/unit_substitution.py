"""Units that show the values of one donor in all their records, and what can be claimed of them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tarnkappe.data.column import Bools, Column, Ints
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.units import Units
from tarnkappe.kernels.classes import Classes, classes
from tarnkappe.kernels.donors import unlike_units
from tarnkappe.methods.microdata.exchange_units import units_of
from tarnkappe.vocab import Kind

_UNIT = "unit of the record"


def classes_of(data: Microdata, names: Sequence[str]) -> Classes:
    """Records that agree on some columns; all of them where none is named."""
    one = (np.zeros(len(data), dtype=np.int64), 1)
    return classes([one, *(data.column(n).codes() for n in names)])


def sharing(data: Microdata, units: Units, names: Sequence[str]) -> Ints:
    """How many units, each counting itself, have the same values in all their records."""
    found = classes_of(data, names)
    if len(units.first) == len(data):  # every unit is one record
        return np.asarray(found.sizes[found.ids])
    alike = units.profile(found)
    return np.asarray(np.bincount(alike)[alike])


def unit_donors(
    data: Microdata,
    unit: Sequence[str],
    period: Sequence[str],
    names: Sequence[str],
    similar: Sequence[Sequence[str]],
    draw: np.random.Generator,
) -> Ints:
    """For every record the one whose values it takes if its unit takes those of a donor; -1 where its unit has none.

    A donor has as many records in every period, agrees in all of them on the first list in `similar` that finds one, and has in no period
    values of `names` that the unit has there. Units with a gap there neither give nor take.
    """
    gap = ~np.all([data.column(n).observed for n in names], axis=0)
    every = units_of(data, unit)
    whole = np.flatnonzero((np.bincount(every.of[gap], minlength=len(every.first)) == 0)[every.of])
    some = data.take(whole)
    kinds = classes_of(some, (*period, *names)).ids.astype(np.int64)
    ordered = units_of(some, unit, sorted_by=kinds)
    source = np.full(len(some), -1, dtype=np.int64)
    for wanted in similar:
        alike = classes_of(some, (*period, *wanted))
        units = units_of(some, unit, sorted_by=alike.ids.astype(np.int64))
        donors = unlike_units(units.profile(alike), kinds[ordered.order], ordered.starts, draw)
        given = np.where(donors < 0, np.arange(len(donors)), donors)
        found = (source < 0) & (donors >= 0)[units.of]
        source[found] = units.record_of(given)[found]
    out = np.full(len(data), -1, dtype=np.int64)
    out[whole] = np.where(source < 0, -1, whole[source])
    return out


def kept_units(before: Microdata, after: Microdata, units: Units) -> Ints:
    """The unit, as counted before, of every record that is left."""
    marked = before.with_columns({_UNIT: Column(Kind.INTEGER, units.of)}).aligned_to(after)
    out: Ints = marked.column(_UNIT).values
    return out


def shows_own(before: Microdata, after: Microdata, units: Units, names: Sequence[str]) -> Bools:
    """Which units still show, in one of their records, values that they had in one of theirs."""
    old, new = _kinds(before, after, names)
    left = kept_units(before, after, units)
    count = int(max(old.max(initial=0), new.max(initial=0))) + 1
    if len(units.first) == len(before):  # every unit is one record
        own = new == old[units.first[left]]
    else:
        own = np.isin(left * count + new, units.of * count + old)
    out = np.zeros(len(units.first), dtype=np.bool_)
    out[left[own]] = True
    return out


def as_one_unit(before: Microdata, after: Microdata, units: Units, names: Sequence[str]) -> bool:
    """Whether every unit that is left has all its records, and they show what the records of one unit had."""
    old, new = _kinds(before, after, names)
    number, left = np.unique(kept_units(before, after, units), return_inverse=True)
    count = len(units.first)
    sizes = np.concatenate([units.size, np.bincount(left, minlength=len(number))])
    both = Units(np.concatenate([units.of, count + left]), np.zeros(len(sizes), np.int64), sizes, units.order)
    kinds = np.concatenate([old, new])
    alike = both.profile(Classes(kinds, np.bincount(kinds)))
    return bool((sizes[count:] == units.size[number]).all() and np.isin(alike[count:], alike[:count]).all())


def _kinds(before: Microdata, after: Microdata, names: Sequence[str]) -> tuple[Ints, Ints]:
    """Numbers for the combinations of some columns, before and after: equal for equal ones."""
    both = [before.column(n).followed_by(after.column(n)) for n in names]
    ids = classes([(np.zeros(len(before) + len(after), dtype=np.int64), 1), *(c.codes() for c in both)]).ids
    return ids[: len(before)].astype(np.int64), ids[len(before) :].astype(np.int64)
