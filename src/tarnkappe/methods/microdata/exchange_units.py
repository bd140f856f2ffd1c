"""Units whose records move together: households, enterprises, persons of a panel."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tarnkappe.data.column import Ints
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.units import Units
from tarnkappe.data.units import units_of as named_units
from tarnkappe.kernels.classes import classes, first_records


def units_of(
    data: Microdata, unit: Sequence[str], apart: Sequence[str] = (), sorted_by: Ints | None = None
) -> Units:
    """The records with the same values of the columns `unit`, apart for every combination of further columns.

    A record without a unit is one of its own, as is every record where no column is named; one whose unit is suppressed moves with it.
    Within a unit records stand in the order of `sorted_by`, or of the file.
    """
    own = named_units(data, unit, beneath=True)
    found = classes([own, *(data.column(n).codes() for n in apart)])
    of = found.ids.astype(np.int64)
    order = np.argsort(of, kind="stable") if sorted_by is None else np.lexsort((sorted_by, of))
    return Units(of, first_records(found), found.sizes, order)
