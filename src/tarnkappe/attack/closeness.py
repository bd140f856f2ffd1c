"""What counts as close: a share of a cell's size, and of what is usual in its table where the cell is smaller."""

from __future__ import annotations

import numpy as np

from tarnkappe.data.column import Floats


def unit_of(value: Floats) -> float:
    """1, or less where most cells are smaller: tables in billions must not be judged by the billion."""
    size = np.abs(value[(value != 0) & np.isfinite(value)])
    return min(1.0, float(np.median(size))) if len(size) else 1.0


def sizes(value: Floats) -> Floats:
    """The size of every cell, and at least the unit of its table."""
    return np.asarray(np.maximum(unit_of(value), np.abs(value)))
