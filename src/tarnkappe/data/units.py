"""Units that several records belong to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tarnkappe.data.column import Bools, Floats, Ints
from tarnkappe.data.microdata import Microdata, Roles
from tarnkappe.kernels.classes import Classes, classes
from tarnkappe.kernels.series import in_turn
from tarnkappe.vocab import Role

MARKS = 2**61
"""Seed of the marks that tell kinds of records apart; no secret, as only equality counts."""


def units_of(data: Microdata, unit: Sequence[str], *, beneath: bool = False) -> tuple[Ints, int]:
    """The unit of every record and their number; without columns, or where one has a gap, a record is its own unit.

    A suppressed name is a gap, or with `beneath` the name that it hides.
    """
    if not unit or not len(data):
        return np.arange(len(data), dtype=np.int64), len(data)
    columns = [data.column(name) for name in unit]
    found = classes(column.true_codes() if beneath else column.codes() for column in columns)
    ids = found.ids.astype(np.int64)
    alone = np.any([column.missing if beneath else ~column.observed for column in columns], axis=0)
    ids[alone] = len(found.sizes) + np.arange(np.count_nonzero(alone))
    _, ids = np.unique(ids, return_inverse=True)
    return ids.astype(np.int64), int(ids.max()) + 1


def roles_of_new_names(data: Microdata, names: Sequence[str]) -> Roles:
    """The roles of columns after the identifiers among some got other names: in a panel the first that repeats tells the units."""
    was = data.role(Role.IDENTIFIER)
    roles = {**data.roles, Role.IDENTIFIER: tuple(n for n in was if n not in names)}
    if not data.role(Role.PERIOD) or data.role(Role.UNIT):
        return roles
    repeated = [n for n in names if n in was and _repeats(data, n)]
    return {**roles, Role.UNIT: tuple(repeated[:1])}


def _repeats(data: Microdata, name: str) -> bool:
    codes, count = data.column(name).true_codes()
    return bool(np.any(np.bincount(codes[codes >= 0], minlength=count) > 1))


def whole_units(data: Microdata, unit: Sequence[str], records: Bools) -> Bools:
    """All records of the units that some records belong to."""
    ids, count = units_of(data, unit)
    named = np.zeros(count, dtype=np.bool_)
    named[ids[records]] = True
    out: Bools = named[ids]
    return out


@dataclass(frozen=True)
class Units:
    """A partition of the records into units."""

    of: Ints
    """Unit of every record."""
    first: Ints
    """The first record of every unit."""
    size: Ints
    order: Ints
    """The records unit by unit; partners exchange place by place."""

    def record_of(self, partner: Ints) -> Ints:
        """From the partner of every unit, which is as large, to the record each record takes its values from."""
        out = np.empty(len(self.of), dtype=np.int64)
        out[self.order] = self.rows(partner)
        return out

    def rows(self, some: Ints) -> Ints:
        """The records of some units, one unit after the other."""
        out: Ints = self.order[in_turn(self.starts, some)]
        return out

    @cached_property
    def starts(self) -> Ints:
        """Where the records of every unit begin in `order`; one more entry than there are units."""
        return np.append(0, np.cumsum(self.size))

    def smallest(self, per_record: Ints | None) -> Ints | None:
        """The smallest number among the records of every unit."""
        if per_record is None:
            return None
        out = np.full(len(self.first), np.iinfo(np.int64).max)
        np.minimum.at(out, self.of, per_record)
        return out

    def means(self, per_record: Floats | None) -> Floats | None:
        """The mean of every column over the records of every unit."""
        if per_record is None:
            return None
        sums = [np.bincount(self.of, weights=column, minlength=len(self.size)) for column in per_record.T]
        return np.ascontiguousarray(np.stack(sums, axis=1) / self.size[:, None])

    def profile(self, kind: Classes | None = None) -> Ints:
        """Units with the same number of records, of the same kinds in some order, have the same number."""
        sums = np.zeros(len(self.first), dtype=np.uint64)
        if kind is not None:
            marks = np.random.Generator(np.random.PCG64(MARKS)).integers(
                0, 2**64, len(kind.sizes), dtype=np.uint64
            )
            np.add.at(sums, self.of, marks[kind.ids])  # equal sums of other sets: 1 in 2**64
        order = np.lexsort((sums, self.size))
        size, total = self.size[order], sums[order]
        other = (size[1:] != size[:-1]) | (total[1:] != total[:-1])
        out = np.empty(len(order), dtype=np.int64)
        out[order] = np.append(0, np.cumsum(other))[: len(order)]
        return out
