"""Comparing columns and data sets cell by cell."""

from __future__ import annotations

import numpy as np

from tarnkappe.data.column import Column
from tarnkappe.data.microdata import Microdata


def same_values(a: Column, b: Column) -> bool:
    """The same kind and the same values, whatever the state of the cells; not-a-number equals itself."""
    if a.kind is not b.kind or not np.array_equal(a.values, b.values, equal_nan=a.values.dtype.kind == "f"):
        return False
    if a.categories is None or b.categories is None:
        return a.categories is b.categories
    both = min(len(a.categories), len(b.categories))  # categories that only one of them has are further ones
    return np.array_equal(a.categories[:both], b.categories[:both])


def same_states(a: Column, b: Column) -> bool:
    """The same cells are observed, missing and suppressed."""
    return np.array_equal(a.observed, b.observed) and np.array_equal(a.missing, b.missing)


def same_cells(a: Column, b: Column) -> bool:
    return same_values(a, b) and same_states(a, b)


def same_records(a: Microdata, b: Microdata) -> bool:
    """The same columns with the same cells, and the same records in the same order."""
    if a.names != b.names or not np.array_equal(a.rows, b.rows):
        return False
    return all(same_cells(a.columns[name], b.columns[name]) for name in a.names)
