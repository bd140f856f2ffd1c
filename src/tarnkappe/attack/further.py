"""Further cells to hide where the sum of the suppressed parts of a published total is itself confidential.

Of the two repairs that Wettig (2002, L389) names, another partner or one more, this is the second: what is hidden already
protects other cells too.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from tarnkappe.attack.union import union_test
from tarnkappe.data.column import Bools, Floats, Ints
from tarnkappe.data.pattern import Pattern, Status
from tarnkappe.data.relations import Relations, only
from tarnkappe.language import Text

TRIED = 16
"""So many cells of a sum are tried, the cheapest first, before the largest is taken."""
SUMS = Text(
    "Their suppressed parts are known in sum, and that sum is confidential itself.",
    "Ihre gesperrten Teile sind in der Summe bekannt, und diese Summe ist selbst vertraulich.",
)


@dataclass(frozen=True, slots=True, eq=False)
class Further:
    """What to hide next."""

    cells: Bools
    lost: Ints
    """Published totals whose suppressed parts together stay confidential, and no part may be hidden that helps."""


def further(pattern: Pattern, relations: Relations, may: Bools, order: Ints) -> Further:
    """For every sum of suppressed parts that a rule marks one more part, or where none is left the total.

    Parameters
    ----------
    pattern
        What is suppressed so far.
    may
        Cells that may be hidden.
    order
        Every cell by its price: the cheapest has 0.
    """
    failed = only(relations, union_test(pattern, relations, pattern.judges).relation)
    offered = [
        np.array(sorted(_open(pattern, failed, r, may), key=order.item), dtype=np.int64)
        for r in range(len(failed))
    ]
    chosen = np.full(len(failed), -1, dtype=np.int64)
    for place in range(max((min(len(cells), TRIED) for cells in offered), default=0)):
        left = np.array([r for r in np.flatnonzero(chosen < 0) if place < len(offered[r])], dtype=np.int64)
        tried = np.array([offered[r][place] for r in left], dtype=np.int64)
        now = _hiding(pattern, np.concatenate([chosen[chosen >= 0], tried]))
        fail = np.isin(np.arange(len(left)), union_test(now, only(failed, left), pattern.judges).relation)
        chosen[left[~fail]] = tried[~fail]
    size = np.abs(pattern.table.value)
    for r in np.flatnonzero(chosen < 0):
        chosen[r] = _last(offered[r], int(failed.total[r]), size, may)
    cells = np.zeros(len(pattern.table), dtype=np.bool_)
    cells[chosen[chosen >= 0]] = True
    return Further(cells, failed.total[chosen < 0])


def _open(pattern: Pattern, relations: Relations, relation: int, may: Bools) -> Iterator[int]:
    """The parts of a sum that are shown and may be hidden."""
    cells = relations.cell[relations.start[relation] : relations.start[relation + 1]]
    yield from cells[may[cells] & ~pattern.suppressed[cells] & (cells != relations.total[relation])].tolist()


def _hiding(pattern: Pattern, cells: Ints) -> Pattern:
    status = pattern.status.copy()
    status[cells] = Status.SECONDARY
    return replace(pattern, status=status)


def _last(offered: Ints, total: int, size: Floats, may: Bools) -> int:
    """The largest part, which adds most to what the others must be told from; else the total; -1 where nothing may be hidden."""
    if len(offered):
        return int(offered[np.argmax(size[offered])])
    return total if may[total] else -1
