"""Why a cell leaks, told by the codes of published sums, so that a person can check it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from tarnkappe.attack.hidden import Hidden
from tarnkappe.attack.proofs import bound, steps
from tarnkappe.data.relations import Relations
from tarnkappe.solve import Solver
from tarnkappe.solve.highs import Highs

MOST_PROOFS = 50
"""So many leaks are listed with their proof."""
MOST_INSIDE = 5
"""For so many cells the sums are named that tell an insider too much: for each the table is laid out anew, as he sees it."""


@dataclass(frozen=True, slots=True, eq=False)
class Teller:
    """Names the sums of one table, or of several that share cells."""

    relations: Relations
    system: Hidden
    spelt: Callable[[int], str]
    dimensions: Sequence[str]
    """As `relations.along` counts them."""
    solver: Solver = field(default_factory=Highs)

    def of(self, cell: int, *, upward: bool) -> dict[str, Any]:
        """By subtractions one after the other, or by a combination of sums and known bounds."""
        if not self.system.unknown[cell]:
            chain = [{"cell": self.spelt(c), **self._sum(r)} for c, r in steps(self.system, cell)]
            return {
                "steps": chain,
                **({k: chain[-1][k] for k in ("sum", "along") if k in chain[-1]} if chain else {}),
            }
        told = bound(self.system, cell, upward=upward, solver=self.solver)
        if told is None:
            return {}
        return {
            "side": "high" if upward else "low",
            "sums": [
                {**self._sum(r), "times": round(w, 9)}
                for r, w in zip(told.relations, told.times, strict=True)
            ],
            "limits": [self.spelt(c) for c in told.limits],
        }

    def _sum(self, relation: int) -> dict[str, str]:
        total = int(self.relations.total[relation])
        if total < 0:
            return {}
        return {"sum": self.spelt(total), "along": self.dimensions[self.relations.along[relation]]}
