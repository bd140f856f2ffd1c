"""What makes records recognisable: how many are unique on the keys, and which keys drive that."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tarnkappe.data.column import Ints
from tarnkappe.data.microdata import Microdata
from tarnkappe.kernels.classes import classes


@dataclass(frozen=True, slots=True)
class Driver:
    """One key and what leaving it out would change."""

    name: str
    unique_share_without: float
    drop: float
    """By how much the share of unique records falls without this key."""


@dataclass(frozen=True, slots=True)
class KeyRisk:
    """The risk on all keys together. A missing key counts as a category of its own."""

    keys: tuple[str, ...]
    k: int
    """Records in the smallest class."""
    uniques: int
    """Records that share their keys with nobody."""
    unique_share: float
    drivers: tuple[Driver, ...]
    """The keys that could be left out, those that drive uniqueness most first."""


def key_risk(data: Microdata, keys: Sequence[str], fixed: Sequence[str] = ()) -> KeyRisk:
    """Count the classes on all keys, and again without each of them but the fixed ones.

    A period is fixed: without it, the records of one firm in several years would seem to be several firms.
    """
    sizes = _sizes(data, keys)
    uniques = int((sizes == 1).sum())
    share = uniques / len(data)
    open_keys = [name for name in keys if name not in fixed]
    drivers = [_driver(data, [other for other in keys if other != name], name, share) for name in open_keys]
    ranked = sorted(drivers, key=lambda driver: -driver.drop)
    return KeyRisk(tuple(keys), int(sizes.min()), uniques, share, tuple(ranked))


def _driver(data: Microdata, others: list[str], name: str, share: float) -> Driver:
    without = float((_sizes(data, others) == 1).sum() / len(data))
    return Driver(name, without, share - without)


def _sizes(data: Microdata, keys: Sequence[str]) -> Ints:
    """Sizes of the classes; without keys there is one."""
    if not keys:
        return np.array([len(data)], dtype=np.int64)
    return classes(data.column(name).codes() for name in keys).sizes
