"""Attackers from inside upon a published table: the sole contributor of a suppressed cell knows it, and may compute another's."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tarnkappe.attack.circles import circles_of
from tarnkappe.attack.foreign import Found
from tarnkappe.attack.hidden import hidden
from tarnkappe.attack.insiders import breaches, owed_of
from tarnkappe.attack.naming import insider, known_cells
from tarnkappe.data.column import Bools, Ints
from tarnkappe.data.table import Contributions, Table
from tarnkappe.language import Text
from tarnkappe.solve import Solver
from tarnkappe.solve.highs import Highs


@dataclass(frozen=True, slots=True)
class Seen:
    """A cell that somebody inside can compute exactly, and who he is."""

    cell: str
    who: Text


def seen_inside(
    found: Found, count: Ints, sensitive: Bools, solver: Solver | None = None
) -> tuple[Seen, ...]:
    """The cells in need that the sole contributor of another suppressed cell can compute exactly.

    `count` tells by cell how many contribute, 0 where nobody says. In need are cells of a single contributor and those that are
    `sensitive`. Where a file tells how many contribute and not who, every cell counts as another's, but for a sum and its only part.
    """
    system = found.system
    assert system.nodes is not None, "the cells have codes"
    table = Table(system.name, system.trees, system.nodes, system.value, tolerance=1.0)
    nobody = np.zeros((len(table), 0))
    kept = Contributions(count, nobody, nobody.astype(np.int64))
    who = circles_of(table, kept, 1).within(system.hidden)
    tied = hidden(system.relations, system.value, system.hidden, system.low, system.high)
    needs = system.suppressed & (sensitive | (count == 1)) & ~found.disclosed
    none = np.zeros(len(table))
    owed = owed_of(tied, needs, (none, none), system.value)
    return tuple(
        Seen(system.spelt(b.cell), insider(1, known_cells(who, b.insiders, system.spelt)))
        for b in breaches(tied, who, owed, solver or Highs())
    )
