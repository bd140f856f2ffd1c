"""Units that several records belong to."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tarnkappe.data.column import Bools, Floats, Ints
from tarnkappe.data.microdata import Microdata
from tarnkappe.kernels.classes import classes

TELLING = 1e-9
"""A relative change that no rounding hides, so that its direction can be told."""


def units_of(data: Microdata, unit: Sequence[str]) -> tuple[Ints, int]:
    """The unit of every record and their number; without columns, or where one has a gap, a record is its own unit."""
    if not unit or not len(data):
        return np.arange(len(data), dtype=np.int64), len(data)
    found = classes(data.column(name).codes() for name in unit)
    ids = found.ids.astype(np.int64)
    alone = ~np.all([data.column(name).observed for name in unit], axis=0)
    ids[alone] = len(found.sizes) + np.arange(np.count_nonzero(alone))
    _, ids = np.unique(ids, return_inverse=True)
    return ids.astype(np.int64), int(ids.max()) + 1


def whole_units(data: Microdata, unit: Sequence[str], records: Bools) -> Bools:
    """All records of the units that some records belong to."""
    ids, count = units_of(data, unit)
    named = np.zeros(count, dtype=np.bool_)
    named[ids[records]] = True
    out: Bools = named[ids]
    return out


def moved_in_proportion(unit: Ints, x: Floats, y: Floats) -> bool:
    """All values of a unit, in all its records and columns, were multiplied by the same factor.

    Gaps say nothing, nor do zeros and numbers so small that a product with them loses digits.
    """
    told = ~np.isnan(y) & (np.abs(x) > 1e-290)
    least, most = _ends(unit, np.divide(y, x, out=np.ones_like(x), where=told), told)
    return bool(np.all(most - least <= 1e-9 * np.abs(most)))


def moved_in_one_direction(unit: Ints, x: Floats, y: Floats) -> bool:
    """All values of a unit, in all its records and columns, became larger, or all became smaller; zeros and gaps say nothing."""
    told = ~np.isnan(x) & ~np.isnan(y) & (x != 0)
    least, most = _ends(unit, np.sign(np.abs(y) - np.abs(x)), told)
    return bool(np.all(least == most))


def _ends(unit: Ints, values: Floats, told: Bools) -> tuple[Floats, Floats]:
    """The least and the largest value of every unit of which something is told."""
    units = np.repeat(unit[:, None], values.shape[1], axis=1)[told]
    count = int(unit.max(initial=-1)) + 1
    least, most = np.full(count, np.inf), np.full(count, -np.inf)
    np.minimum.at(least, units, values[told])
    np.maximum.at(most, units, values[told])
    seen = np.isfinite(least)
    return least[seen], most[seen]
