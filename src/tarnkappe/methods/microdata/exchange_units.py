"""Units whose records move together: households, enterprises, persons of a panel."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tarnkappe.data.column import Ints
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.units import Units
from tarnkappe.kernels.classes import classes, first_records


def units_of(
    data: Microdata, unit: str | None, apart: Sequence[str] = (), sorted_by: Ints | None = None
) -> Units:
    """The records with one value of the column `unit`, apart for every combination of further columns.

    A record without a unit is one of its own, as is every record where no column is named. Within a unit records stand in the
    order of `sorted_by`, or of the file.
    """
    own: tuple[Ints, int] = (np.arange(len(data)), len(data))
    if unit is not None:
        codes, count = data.column(unit).true_codes()
        own = np.where(codes < 0, count + np.arange(len(codes)), codes), count + len(codes)
    found = classes([own, *(data.column(n).codes() for n in apart)])
    of = found.ids.astype(np.int64)
    order = np.argsort(of, kind="stable") if sorted_by is None else np.lexsort((sorted_by, of))
    return Units(of, first_records(found), found.sizes, order)
