"""What stands behind released values: the original values of the records that show them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class Behind(NamedTuple):
    """For every record: how many original values its released value can stand for, and how likely its own is among them."""

    values: Floats
    chance: Floats


def behind(shown: Ints, was: Ints) -> Behind:
    """Look at the records that show the same; both are codes from 0."""
    size = int(was.max(initial=-1)) + 1
    keys, inverse, count = np.unique(shown * size + was, return_inverse=True, return_counts=True)
    groups = int(shown.max(initial=-1)) + 1
    different = np.bincount(keys // max(size, 1), minlength=groups)
    records = np.bincount(shown, minlength=groups)
    return Behind(different[shown].astype(np.float64), count[inverse.ravel()] / records[shown])


def spans(shown: Ints, x: Floats) -> Floats:
    """For every record the range of the numbers behind its released value."""
    groups = int(shown.max(initial=-1)) + 1
    low, high = np.full(groups, np.inf), np.full(groups, -np.inf)
    np.minimum.at(low, shown, x)
    np.maximum.at(high, shown, x)
    out: Floats = (high - low)[shown]
    return out


def discernibility(sizes: Ints, lost: int, records: int) -> float:
    """Σ f² over the classes, and all records for every one that is lost (bayardoagrawal2005)."""
    return float((sizes.astype(np.float64) ** 2).sum()) + float(lost) * records
