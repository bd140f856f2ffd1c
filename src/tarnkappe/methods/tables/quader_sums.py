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
    first = done = run(pattern, choices)
    if choices.insiders == "none" or not pattern.judges:
        return done
    guard, relations = _Guard(pattern, choices, ~barred(pattern, choices.zeros)), relations_of(pattern.table)
    order, lost = in_order(pattern, choices), np.zeros(0, dtype=np.int64)
    for _ in range(TURNS):
        found = further(_hiding(pattern, done.hidden), relations, guard.may, order)
        lost = found.lost
        if not found.cells.any():
            break
        done = guard.taken(done, np.flatnonzero(found.cells))
    if len(lost) or found.cells.any():
        _refuse(pattern, lost)
    mine = np.isin(done.pivot, first.pivot)
    return replace(
        done, pivot=done.pivot[mine], down=done.down[mine], up=done.up[mine], sweeps=first.sweeps,
        repaired=first.repaired, released=first.released,
    )  # fmt: skip


@dataclass(slots=True, eq=False)
class _Guard:
    pattern: Pattern
    choices: Choices
    may: Bools
    """Cells that may be hidden; those that could not be protected drop out."""

    def taken(self, done: Outcome, cells: Ints) -> Outcome:
        """With further cells hidden and protected; those that cannot be are found by halving."""
        hidden = done.hidden.copy()
        hidden[cells] = True
        try:
            return run(_hiding(self.pattern, hidden), self.choices)
        except (PriorTooNarrow, Unprotectable):
            if len(cells) == 1:
                self.may[cells] = False
                return done
        half = len(cells) // 2
        return self.taken(self.taken(done, cells[:half]), cells[half:])


def _hiding(pattern: Pattern, hidden: Bools) -> Pattern:
    new = hidden & (pattern.status == Status.OPEN)
    return replace(pattern, status=np.where(new, np.uint8(Status.SECONDARY), pattern.status))


def _refuse(pattern: Pattern, totals: Ints) -> None:
    spelt = [pattern.table.spelt(int(cell)) for cell in np.unique(totals)[:20]]
    raise Unprotectable(name=pattern.table.name, count=len(np.unique(totals)), cells=listed(spelt), why=SUMS)
