"""Sums of suppressed cells that are themselves confidential: one more cell is hidden and protected, until none is left."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from tarnkappe.attack.further import SUMS, further
from tarnkappe.data.column import Bools, Ints
from tarnkappe.data.pattern import Pattern, Status
from tarnkappe.data.relations import relations_of
from tarnkappe.errors.unsafe_tables import PriorTooNarrow, Unprotectable
from tarnkappe.language import listed
from tarnkappe.methods.tables.quader_goals import Choices, barred, in_order
from tarnkappe.methods.tables.quader_run import Outcome, run

TURNS = 100
"""So often further cells are hidden."""


def guarded(pattern: Pattern, choices: Choices) -> Outcome:
    """Protect a pattern so that its rules allow the sums of suppressed cells to be known, or refuse (Wettig 2002, 2.2.1)."""
    first = run(pattern, choices)
    if choices.insiders == "none" or not pattern.judges:
        return first
    guard, relations = _Guard(pattern, choices, ~barred(pattern, choices.zeros)), relations_of(pattern.table)
    order, hidden = in_order(pattern, choices), first.hidden
    for _ in range(TURNS):
        found = further(_hiding(pattern, hidden), relations, guard.may, order)
        if not found.cells.any():
            break
        hidden = guard.taken(hidden, np.flatnonzero(found.cells))
    if len(found.lost) or found.cells.any():
        _refuse(pattern, found.lost)
    return replace(first, hidden=hidden)


@dataclass(slots=True, eq=False)
class _Guard:
    pattern: Pattern
    choices: Choices
    may: Bools
    """Cells that may be hidden; those that could not be protected drop out."""

    def taken(self, hidden: Bools, cells: Ints) -> Bools:
        """With further cells hidden and protected; those that cannot be are found by halving.

        What is hidden already stays so, and what was proven of it stays true: the more cells are hidden, the less is known.
        """
        more, only = hidden.copy(), np.zeros_like(hidden)
        more[cells] = only[cells] = True
        try:
            return run(_hiding(self.pattern, more), self.choices, only).hidden
        except (PriorTooNarrow, Unprotectable):
            if len(cells) == 1:
                self.may[cells] = False
                return hidden
        half = len(cells) // 2
        return self.taken(self.taken(hidden, cells[:half]), cells[half:])


def _hiding(pattern: Pattern, hidden: Bools) -> Pattern:
    new = hidden & (pattern.status == Status.OPEN)
    return replace(pattern, status=np.where(new, np.uint8(Status.SECONDARY), pattern.status))


def _refuse(pattern: Pattern, totals: Ints) -> None:
    spelt = [pattern.table.spelt(int(cell)) for cell in np.unique(totals)[:20]]
    raise Unprotectable(name=pattern.table.name, count=len(np.unique(totals)), cells=listed(spelt), why=SUMS)
