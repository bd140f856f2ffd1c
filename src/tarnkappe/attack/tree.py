"""The attacker's intervals where all sums run along one hierarchy: exact, and in time that grows with the cells only.

Knows no masker. Where sums cross, `attack.intervals` answers by linear programs.
"""

from __future__ import annotations

import numpy as np

from tarnkappe.attack.intervals import Asked, intervals
from tarnkappe.data.column import Bools, Floats, Ints
from tarnkappe.data.pattern import Pattern, Status
from tarnkappe.data.relations import relations_of
from tarnkappe.data.table import Table
from tarnkappe.kernels.tree_audit import tighten


def parents_in_tree(table: Table) -> Ints | None:
    """The row of every cell's parent, -1 for none; None when sums run along more than one dimension."""
    along = [table.up[:, j] for j in range(len(table.dimensions)) if (table.up[:, j] >= 0).any()]
    if len(along) > 1:
        return None
    return along[0].astype(np.int64) if along else np.full(len(table), -1, dtype=np.int64)


def published(pattern: Pattern) -> tuple[Floats, Floats]:
    """What is published of every cell, as bounds: open cells exactly, ranges as shown, all others as known beforehand."""
    value, status = pattern.table.value, pattern.status
    low, high = pattern.low, pattern.high
    if pattern.shown_low is not None and pattern.shown_high is not None:
        ranged = status == Status.RANGE
        low = np.where(ranged, np.maximum(low, pattern.shown_low), low)
        high = np.where(ranged, np.minimum(high, pattern.shown_high), high)
    shown = status == Status.OPEN
    return np.where(shown, value, low), np.where(shown, value, high)


def attacked(pattern: Pattern, cells: Bools) -> tuple[Floats, Floats]:
    """The attacker's intervals of some cells, exact; for the others at least what is published holds."""
    low, high = published(pattern)
    parent = parents_in_tree(pattern.table)
    if parent is not None:
        found: tuple[Floats, Floats] = tighten(parent, low, high)
        return found
    asked = np.where(cells, np.inf, 0.0)
    system = relations_of(pattern.table)
    hidden = pattern.status != Status.OPEN
    lp = intervals(system, pattern.table.value, hidden, low, high, Asked(asked, asked))
    return lp.low, lp.high
