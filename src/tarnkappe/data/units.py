"""Units that several records belong to."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tarnkappe.data.column import Bools, Ints
from tarnkappe.data.microdata import Microdata
from tarnkappe.kernels.classes import classes


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
