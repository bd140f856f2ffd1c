"""Panel estimators: what is the same for all records of a unit is taken out before a regression (wooldridge2010, 10.5 and 10.6)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def within(x: Floats, unit: Ints) -> Floats:
    """Deviations from the mean of the unit."""
    count = np.maximum(np.bincount(unit), 1)
    means = np.stack([np.bincount(unit, column) / count for column in x.T], axis=1)
    out: Floats = x - means[unit]
    return out


def first_differences(x: Floats, unit: Ints, period: Floats) -> tuple[Floats, Ints]:
    """Differences to the record of the same unit one period earlier, as far as there is one, and their units."""
    order = np.lexsort((period, unit))
    sorted_unit, sorted_period = unit[order], period[order]
    follows = (np.diff(sorted_unit) == 0) & (np.diff(sorted_period) > 0)
    out: Floats = np.diff(x[order], axis=0)[follows]
    return out, sorted_unit[1:][follows]
