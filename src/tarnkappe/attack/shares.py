"""What contributors know of a cell by their own share in it: nothing that is hidden elsewhere takes that from them.

Where no contribution is negative, somebody who contributes x knows that the cell is at least x. He finds this out from himself and not
from the table, so the protection below a cell that he can be owed ends there. Whoever gives all of a cell, the others reporting 0, is
owed nothing: there is nobody else's value in it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from tarnkappe.data.column import Floats, Ints
from tarnkappe.data.table import Contributions, Table

ROOM = 64
"""Numbers up to so many times their count are ticked off in a list."""


@dataclass(frozen=True, slots=True, eq=False)
class Shares:
    """The largest contributions to every cell."""

    value: Floats
    who: Ints
    largest: Floats

    def rest(self, cell: int, group: Sequence[int]) -> float:
        """What is left of a cell without the shares of some contributors, as far as they are known."""
        mine = np.isin(self.who[cell], group) & (self.who[cell] >= 0)
        return max(0.0, float(self.value[cell] - self.largest[cell][mine].sum()))

    def without(self, cells: Ints, who: Ints) -> Floats:
        """What is left of each cell without the share of one contributor."""
        mine = (self.who[cells] == who[:, None]) & (who >= 0)[:, None]
        return np.asarray(np.maximum(self.value[cells] - (self.largest[cells] * mine).sum(axis=1), 0.0))


def shares_of(table: Table, kept: Contributions | None) -> Shares | None:
    """The shares in a table; None where they tell nothing because contributions may be negative, or where none are known."""
    if kept is None or kept.size is not None or (table.value < 0).any():
        return None
    many = min(kept.who.shape[1], kept.largest.shape[1])
    return Shares(table.value, kept.who[:, :many], kept.largest[:, :many])


def named(table: Table, kept: Contributions) -> Contributions:
    """The contributions with one number for one contributor, where a table tells amounts but not whose they are.

    Such a table numbers every amount anew, so no number occurs twice. The largest amount of a sum is the largest of one of its parts;
    where only one part has that amount, it is the same contributor.
    """
    if kept.who.shape[1] == 0 or kept.who.shape != kept.largest.shape:
        return kept
    if _twice(kept.who[kept.who >= 0]):
        return kept
    who, top = kept.who.copy(), kept.largest[:, 0]
    part, total, along = _parts(table)
    same = (top[part] == top[total]) & (top[part] != 0) & (who[part, 0] >= 0) & (who[total, 0] >= 0)
    part, total, along = part[same], total[same], along[same]
    sums = total * table.up.shape[1] + along
    only = np.bincount(sums, minlength=table.up.size)[sums] == 1
    who[:, 0] = _joined(who[:, 0], part[only], total[only])
    return replace(kept, who=who)


def _twice(numbers: Ints) -> bool:
    """Whether a number occurs more than once; ticked off where they are not much larger than they are many, as places of records are."""
    most = int(numbers.max(initial=0))
    if most > ROOM * len(numbers):
        return len(np.unique(numbers)) < len(numbers)
    ticked = np.zeros(most + 1, dtype=np.bool_)
    ticked[numbers] = True
    return int(np.count_nonzero(ticked)) < len(numbers)


def soles(table: Table, kept: Contributions) -> Ints:
    """For every cell who alone contributes to it; -1 where several do, or a unit nobody knows.

    Where a table tells how many contribute but not who, every cell counts as another's, except that a sum and the part of it
    that have one contributor each have the same one.
    """
    who = kept.who[:, 0] if kept.who.shape[1] else np.arange(len(table))
    sole = np.where(kept.count == 1, who, -1).astype(np.int64)
    part, total, _ = _parts(table)
    both = (sole[part] >= 0) & (sole[total] >= 0)
    return _joined(sole, part[both], total[both])


def _parts(table: Table) -> tuple[Ints, Ints, Ints]:
    """Every part of a sum, the sum, and the dimension along which it adds up."""
    part, along = np.nonzero(table.up >= 0)
    return part, table.up[part, along].astype(np.int64), along


def _joined(number: Ints, one: Ints, other: Ints) -> Ints:
    """Cells that belong together get one number, the least of theirs."""
    number = number.copy()
    while (number[one] != number[other]).any():
        least = np.minimum(number[one], number[other])
        np.minimum.at(number, one, least)
        np.minimum.at(number, other, least)
    return number
