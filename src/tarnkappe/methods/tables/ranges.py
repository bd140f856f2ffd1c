"""What the methods that show cells as ranges share: fitness of the table, the shown ranges, refusal."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from tarnkappe.attack.tree import attacked
from tarnkappe.data.column import Bools, Floats, Ints
from tarnkappe.data.pattern import Pattern, Positions, Status
from tarnkappe.data.relations import relations_of
from tarnkappe.data.table import Table
from tarnkappe.errors.release import Unattainable
from tarnkappe.errors.tables import AlreadyProtected, NotAdditive, NotWhole
from tarnkappe.language import Text, listed

LARGEST = 2.0**52
"""Whole numbers up to here are exact."""
CLOSE = 1e-6

_GOAL = Text(
    "ranges that hold against all published sums", "Bereiche, die allen veröffentlichten Summen standhalten"
)
_HINT = Text(
    "Let more cells be masked (marks, limits known beforehand), widen the limits, or suppress instead.",
    "Lassen Sie mehr Zellen maskieren (Kennzeichen, Vorwissen), erweitern Sie die Grenzen oder sperren Sie stattdessen.",
)


def refuse_cells(who: str, table: Table, cells: Bools) -> None:
    """Refuse with the codes of the cells that cannot be protected."""
    if cells.any():
        names = listed([table.spelt(int(i)) for i in np.flatnonzero(cells)[:13]])
        best = Text(
            "{count} cells cannot be protected: {names}", "{count} Zellen sind nicht zu schützen: {names}"
        )
        raise Unattainable(
            who=who, goal=_GOAL, best=best.filled(count=int(cells.sum()), names=names), hint=_HINT
        )


def refuse_unfit(pattern: Pattern, who: str) -> None:
    """Only whole numbers from 0 upward that add up exactly, and no cell protected before."""
    table = pattern.table
    value = table.value
    wrong = ~((value >= 0) & (value <= LARGEST) & (value == np.floor(value)))
    if wrong.any():
        cell = table.spelt(int(np.argmax(wrong)))
        raise NotWhole(who=who, name=table.name, count=int(wrong.sum()), cell=cell)
    touched = ~np.isin(pattern.status, (Status.OPEN, Status.PRIMARY))
    if touched.any():
        raise AlreadyProtected(who=who, name=table.name, count=int(touched.sum()))
    _refuse_inexact(table)


def _refuse_inexact(table: Table) -> None:
    """A table read with a tolerance may be off; an attacker's arithmetic, and ours, is exact."""
    if table.tolerance <= 1e-9 and value_is_small(table):
        return
    relations = relations_of(table)
    off = np.flatnonzero(relations.matrix() @ table.value != 0)
    if len(off):
        raise NotAdditive(
            name=table.name, sums=listed([table.spelt(int(c)) for c in relations.total[off[:13]]])
        )


def value_is_small(table: Table) -> bool:
    """So small that the check of the table itself leaves no whole unit undetected."""
    return float(np.abs(table.value).max(initial=0.0)) < 1e8


def narrowed(pattern: Pattern, cells: Bools) -> Bools:
    """Cells of which an attacker finds a narrower interval than the published one."""
    low, high = attacked(pattern, cells)
    if pattern.shown_low is None or pattern.shown_high is None:
        return cells
    return np.asarray(cells & ((low > pattern.shown_low + CLOSE) | (high < pattern.shown_high - CLOSE)))


def too_little(before: Pattern, after: Pattern) -> Bools:
    """Cells marked by a rule that are open, or have less room for an attacker than the rule asks for."""
    if not before.primary.any():
        return before.primary
    low, high = attacked(after, before.primary)
    down, up = before.table.value - low, high - before.table.value
    short = (down < before.lower - CLOSE) | (up < before.upper - CLOSE) | (high - low < CLOSE)
    return np.asarray(before.primary & short)


@dataclass(frozen=True, slots=True, eq=False)
class Ranged:
    """The cells shown as ranges, the ranges and why."""

    cells: Bools
    low: Floats | Ints
    high: Floats | Ints
    numbers: Positions
    """Of the reason of every cell, from 1 upward."""
    said: list[Text]

    def shown(self, pattern: Pattern, small: Bools) -> Pattern:
        """The pattern with these ranges; cells in `small` are to have their whole range for an attacker."""
        value = pattern.table.value
        low, high = (np.where(self.cells, end, value).astype(np.float64) for end in (self.low, self.high))
        for end in (low, high):
            end.flags.writeable = False
        return replace(
            pattern,
            status=np.where(self.cells, np.uint8(Status.RANGE), np.uint8(Status.OPEN)),
            reason=np.where(self.cells, self.numbers + np.int32(len(pattern.reasons) - 1), pattern.reason),
            reasons=(*pattern.reasons, *self.said),
            lower=np.where(small, value - low, pattern.lower),
            upper=np.where(small, high - value, pattern.upper),
            shown_low=low,
            shown_high=high,
        )
