"""Values that all members of a household have in common, such as the income of the household."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from tarnkappe.data.column import Floats, Ints
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.units import units_of
from tarnkappe.vocab import Role

SOME = 3
"""In fewer households of several members equal values may be chance."""


def homes_of(data: Microdata) -> tuple[Ints, int]:
    """The household of every record, in a panel that of its period, and their number; without the role each record is one of its own."""
    home = data.role(Role.HOUSEHOLD)
    return units_of(data, (*home, *data.role(Role.PERIOD)) if home else ())


def shared_in_homes(data: Microdata, names: Sequence[str]) -> tuple[str, ...]:
    """The columns of numbers that differ between households, but are the same for all members of each who have a value."""
    if not data.role(Role.HOUSEHOLD) or not len(data):
        return ()
    of, count = homes_of(data)
    telling = {*data.role(Role.HOUSEHOLD), *data.role(Role.PERIOD)}
    looked_at = (n for n in names if n not in telling and data.column(n).kind.is_number)
    return tuple(n for n in looked_at if _shared(data, n, of, count))


def _shared(data: Microdata, name: str, of: Ints, count: int) -> bool:
    there = np.flatnonzero(data.column(name).observed)
    values, home = data.column(name).values[there], of[there]
    first = np.zeros(count, dtype=np.int64)
    first[home[::-1]] = np.arange(len(there))[::-1]
    several = np.count_nonzero(np.bincount(home, minlength=count) > 1) >= SOME
    return bool(several and np.all(values == values[first[home]]) and np.any(values != values[0]))


def as_first_member(data: Microdata, names: Sequence[str], values: Floats) -> Floats:
    """For each of these columns every member of a household with what stands for the first one who has a value."""
    out, (of, count) = values.copy(), homes_of(data)
    for j, name in enumerate(names):
        there = np.flatnonzero(data.column(name).observed)
        first = np.zeros(count, dtype=np.int64)
        first[of[there][::-1]] = there[::-1]
        out[there, j] = values[first[of[there]], j]
    return out


def alike_in_homes(data: Microdata, names: Sequence[str], values: Floats) -> Floats:
    """New numbers of some columns; where members of a household had a value in common, they have one of the new numbers in common."""
    shared = shared_in_homes(data, names)
    if not shared:
        return values
    at, out = [names.index(n) for n in shared], values.copy()
    out[:, at] = as_first_member(data, shared, values[:, at])
    return out


def largest_in_homes(data: Microdata, names: Sequence[str], values: Floats) -> Floats:
    """In the columns that members of a household have in common, the largest number that stands for one of them."""
    shared = shared_in_homes(data, names)
    if not shared:
        return values
    out, (of, count) = values.copy(), homes_of(data)
    for j in (names.index(n) for n in shared):
        most = np.full(count, -np.inf)
        np.maximum.at(most, of, values[:, j])
        out[:, j] = most[of]
    return out


def first_members(data: Microdata) -> Ints:
    """For every record the first one of its household."""
    of, count = homes_of(data)
    first = np.zeros(count, dtype=np.int64)
    first[of[::-1]] = np.arange(len(of))[::-1]
    out: Ints = first[of]
    return out


def moving_together(data: Microdata, unit: Sequence[str], names: Sequence[str]) -> tuple[Ints, int]:
    """The unit of every record, and their number; those of one household are one where its members have a value in common."""
    ids, count = units_of(data, unit)
    if not shared_in_homes(data, names):
        return ids, count
    homes, many = homes_of(data)
    links = csr_array((np.ones(len(ids)), (ids, count + homes)), shape=(count + many, count + many))
    groups, of = connected_components(links, directed=False)
    del groups
    _, together = np.unique(of[ids], return_inverse=True)
    return together.astype(np.int64), int(together.max(initial=-1)) + 1


def torn_apart(before: Microdata, after: Microdata) -> tuple[str, ...]:
    """Columns in which members of a household had the same value before, and have different ones now."""
    was, now = before.paired(after)
    still: Mapping[str, object] = now.columns
    shared = shared_in_homes(
        was, [n for n in was.names if n in still and now.columns[n] is not was.columns[n]]
    )
    if not shared:
        return ()
    of, count = homes_of(was)
    numbers = (n for n in shared if now.column(n).kind.is_number)
    return tuple(n for n in numbers if now.column(n).observed.any() and _differs(now, n, of, count))


def _differs(data: Microdata, name: str, of: Ints, count: int) -> bool:
    there = data.column(name).observed
    values = data.column(name).values.astype(np.float64)
    low, high = np.full(count, np.inf), np.full(count, -np.inf)
    np.minimum.at(low, of[there], values[there])
    np.maximum.at(high, of[there], values[there])
    return bool(np.any(low < high))
