"""Finding the records and cells that a plan names."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tarnkappe.data.column import Bools, Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.spelling import canonical
from tarnkappe.errors.data import RecordOutOfRange, ValueUnknown


def records_numbered(data: Microdata, numbers: Sequence[int]) -> Bools:
    """Records by their number in the original file, counted from 1.

    A number whose record an earlier step removed is passed over.
    """
    outside = [n for n in numbers if not 1 <= n <= data.reported]
    if outside:
        raise RecordOutOfRange(last=data.reported, count=len(outside))
    return np.isin(data.rows, np.array(numbers, dtype=np.int64) - 1)


def cells_holding(data: Microdata, name: str, values: Sequence[str]) -> Bools:
    """Cells that hold one of the values, shown or suppressed; a missing cell holds none."""
    column = data.column(name)
    present = values_of(column, ~column.missing)
    unknown = [i for i, value in enumerate(values, 1) if value not in present]
    if unknown:
        raise ValueUnknown(name=name, count=len(unknown), first=unknown[0])
    wanted = set(values)
    codes, _ = column.true_codes()
    chosen: Bools = np.array([text in wanted for text in canonical(column)] + [False], dtype=np.bool_)[codes]
    return chosen  # a missing cell has the code -1 and takes the last place


def values_of(column: Column, cells: Bools) -> set[str]:
    """The different values that some cells hold, none of them missing, in canonical spelling."""
    codes, _ = column.true_codes()
    spelt = canonical(column)
    held = np.zeros(len(spelt), dtype=np.bool_)
    held[codes[cells]] = True
    return set(spelt[held])
