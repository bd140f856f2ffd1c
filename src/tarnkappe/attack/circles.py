"""Who knows a hidden cell beforehand: those who together contribute all of it.

The sole contributor of a cell knows it. Of a cell of two the two know it when they act together, and so on for more.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from tarnkappe.attack.shares import soles
from tarnkappe.data.column import Bools, Ints
from tarnkappe.data.table import Contributions, Table


class Circles(NamedTuple):
    """For every cell of few contributors who they are."""

    members: Ints
    """(cells, at most so many together) numbers of contributors, -1 beyond the last; only -1 where there are more, or none."""

    @property
    def sole(self) -> Ints:
        """Who alone knows a cell; -1 where nobody does."""
        alone = (self.members[:, 1:] < 0).all(axis=1)
        return np.where(alone, self.members[:, 0], -1)

    @property
    def some(self) -> Bools:
        """Cells that some coalition knows."""
        return np.asarray(self.members[:, 0] >= 0)

    def within(self, cells: Bools) -> Circles:
        """The same for some cells only."""
        return Circles(np.where(cells[:, None], self.members, -1))

    def of(self, cell: int) -> frozenset[int]:
        return frozenset(int(m) for m in self.members[cell] if m >= 0)

    def known(self, cells: Ints, group: Sequence[int]) -> Bools:
        """Which of some cells a group knows."""
        members = self.members[cells]
        theirs = np.isin(members, list(group)) | (members < 0)
        return np.asarray(theirs.all(axis=1) & (members[:, 0] >= 0))


def circles_of(table: Table, kept: Contributions, most: int) -> Circles:
    """The contributors of every cell to which at most `most` contribute; those whom nobody names get numbers of their own."""
    out = np.full((len(table), most), -1, dtype=np.int64)
    out[:, 0] = soles(table, kept)
    fresh = max(int(kept.who.max(initial=-1)), len(table)) + 1
    for many in range(2, most + 1):
        cells = np.flatnonzero(kept.count == many)
        named = -np.sort(-kept.who[cells], axis=1)[:, :many]
        members = np.full((len(cells), many), -1, dtype=np.int64)
        members[:, : named.shape[1]] = named
        unnamed = members < 0
        members[unnamed] = fresh + np.arange(int(unnamed.sum()))
        fresh += int(unnamed.sum())
        out[cells, :many] = members
    return Circles(out)
