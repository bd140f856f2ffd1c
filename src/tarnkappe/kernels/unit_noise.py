"""White noise of which the records of a unit have a part in common, so that their mean does not come near the truth."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

Normal = Callable[[tuple[int, ...]], Floats]
"""Draws standard normal numbers of a shape."""
White = Callable[[Ints], Floats]
"""The white noise of some records."""


def drawn_when_asked(normal: Normal, columns: int) -> White:
    """White noise of records that have nothing in common."""
    return lambda rows: normal((len(rows), columns))


def white_of_units(of: Ints, units: int, columns: int, common: float, normal: Normal) -> White:
    """White noise √c·u + √(1 - c)·v, with u of the unit and v of the record: two records of a unit have the correlation c."""
    shared = np.sqrt(common) * normal((units, columns))
    own = normal((len(of), columns))
    own *= np.sqrt(1 - common)
    own += shared[of]
    return own.__getitem__
