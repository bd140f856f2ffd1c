"""The audit of a protected table: can an attacker work out too much from what is published?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field

from tarnkappe.attack.hidden import hidden
from tarnkappe.attack.insiders import Breach, breaches
from tarnkappe.attack.intervals import CLOSE, Asked, Intervals, Proof, intervals
from tarnkappe.attack.tree import published
from tarnkappe.data.column import Bools, Floats, Ints
from tarnkappe.data.pattern import Pattern
from tarnkappe.data.relations import Relations, relations_of
from tarnkappe.language import Text
from tarnkappe.solve.highs import Highs
from tarnkappe.spec import Finding, Goal, Source, TableMeasure, table_measure

MOST_PROOFS = 50
"""So many leaks are listed with their proof."""


@dataclass(frozen=True, slots=True, eq=False)
class Audit:
    """What the audit found, cell by cell."""

    intervals: Intervals
    disclosed: Bools
    """Cells an attacker knows exactly."""
    narrow: Bools
    """Primary cells whose interval is narrower than required."""
    breaches: tuple[Breach, ...]
    """Looked for only when the table holds against outsiders."""

    @property
    def holds(self) -> bool:
        return not (self.narrow.any() or self.breaches)


@table_measure(
    "risk.table-audit",
    title=Text("Audit of the table", "Prüfung der Tabelle"),
    does=Text(
        "The attacker's interval of every suppressed cell was computed from all published sums.",
        "Aus allen veröffentlichten Summen wurde für jede gesperrte Zelle das Intervall eines Angreifers berechnet.",
    ),
    sources=(
        Source("wettig2002", "2.2.3 value ranges; 3.2 CONFID, routine BOUND"),
        Source("hundepool2012", "ch. 4, auditing"),
    ),
    reads=Text(
        "{value} (1: the table holds, 0: it does not)", "{value} (1: die Tabelle hält, 0: sie hält nicht)"
    ),
    knows=Text(
        "all published cells, that the sums are right, and bounds for every cell (by default: not negative); insiders "
        "also know the cells to which they alone contribute",
        "alle veröffentlichten Zellen, dass die Summen stimmen, und Grenzen für jede Zelle (sonst: nicht negativ); "
        "Beteiligte kennen außerdem die Zellen, zu denen sie allein beitragen",
    ),
    does_not=(
        Text(
            "cover tables that are published elsewhere and share cells with this one, unless they are audited together",
            "anderswo veröffentlichte Tabellen mit gemeinsamen Zellen erfassen, außer bei gemeinsamer Prüfung",
        ),
        Text(
            "use knowledge of the suppression method itself",
            "Wissen über das Sperrverfahren selbst nutzen",
        ),
    ),
    goal=Goal.HIGH,
    bounds=(0, 1),
    example={"prior": 50, "insiders": "none", "coalition": 2},
)
class TableAudit(TableMeasure):
    """Audit a table with suppressed cells, ours or another program's.

    Plain subtraction comes first, then feasible deviations on small neighbourhoods, then linear programs over whole connected
    components. The result is exact where it matters: a cell counts as protected only when its required interval is proven.
    Counts are whole numbers and bounds are rounded inwards. Cells shown as ranges are known within their range; rounded and
    perturbed cells count as unknown, because what they tell depends on their method, which checks it itself.
    """

    prior: Annotated[float, Field(gt=0)] | None = None
    """The attacker knows every cell up to so many percent. | Der Angreifer kennt jede Zelle auf so viel Prozent genau."""
    insiders: Literal["owners", "contributors", "none"] = "owners"
    """Who also attacks from inside; owners where the table has them. | Wer auch von innen angreift; Eigentümer, wo bekannt."""
    coalition: Annotated[int, Field(ge=1, le=3)] = 1
    """So many insiders act together. | So viele Beteiligte handeln gemeinsam."""

    def measure(self, pattern: Pattern) -> Finding:
        found = self.audit(pattern)
        return Finding(
            float(found.holds),
            because=_because(found),
            details=dict(_details(pattern, relations_of(pattern.table), found)),
            per_cell={
                "low": found.intervals.low,
                "high": found.intervals.high,
                "exact": found.intervals.exact,
                "leaks": found.narrow | found.disclosed,
            },
        )

    def intervals(self, pattern: Pattern) -> tuple[Floats, Floats]:
        found = self.audit(pattern, exact=True).intervals
        return found.low, found.high

    def audit(self, pattern: Pattern, *, exact: bool = False) -> Audit:
        """The audit cell by cell; with `exact` every interval to its end, not only as far as required."""
        relations, value = relations_of(pattern.table), pattern.table.value
        low, high = self._bounds(pattern)
        want = np.where(pattern.hidden, np.inf, 0.0) if exact else None
        asked = Asked(pattern.lower if want is None else want, pattern.upper if want is None else want)
        found = intervals(relations, value, pattern.hidden, low, high, asked)
        found = _whole(found) if pattern.table.counts else found
        slack = CLOSE * np.maximum(1.0, np.abs(value))
        narrow = pattern.needs & (
            (value - found.low < pattern.lower - slack) | (found.high - value < pattern.upper - slack)
        )
        disclosed = pattern.hidden & found.exact & (found.high - found.low <= slack)
        narrow |= disclosed & pattern.needs
        inside = () if narrow.any() else tuple(self._inside(pattern, relations, low, high))
        return Audit(found, disclosed, narrow, inside)

    def _bounds(self, pattern: Pattern) -> tuple[Floats, Floats]:
        low, high = published(pattern)
        if self.prior is None:
            return low, high
        reach = np.abs(pattern.table.value) * self.prior / 100
        return np.maximum(low, pattern.table.value - reach), np.minimum(high, pattern.table.value + reach)

    def _inside(self, pattern: Pattern, relations: Relations, low: Floats, high: Floats) -> Iterator[Breach]:
        owner = self._sole(pattern)
        if owner is None:
            return
        system = hidden(relations, pattern.table.value, pattern.hidden, low, high)
        lower = np.minimum(np.where(pattern.needs, pattern.lower, 0.0), system.down)
        upper = np.minimum(np.where(pattern.needs, pattern.upper, 0.0), system.up)
        yield from breaches(system, owner, lower, upper, self.coalition, Highs())

    def _sole(self, pattern: Pattern) -> Ints | None:
        """For every suppressed cell who alone contributes to it; -1 where several do, or a unit nobody knows.

        Where a table tells how many contribute but not who, every cell counts as another's.
        """
        table = pattern.table
        kept = (table.owners or table.contributions) if self.insiders == "owners" else table.contributions
        if self.insiders == "none" or kept is None:
            return None
        who = kept.who[:, 0] if kept.who.shape[1] else np.arange(len(table))
        return np.where(pattern.suppressed & (kept.count == 1), who, -1)


def _whole(found: Intervals) -> Intervals:
    """Whole numbers only: bounds are rounded inwards."""
    low, high = np.ceil(found.low - CLOSE), np.floor(found.high + CLOSE)
    return Intervals(low, high, found.exact, found.proof, found.by, found.solved)


def _because(found: Audit) -> Text:
    if found.holds:
        return Text(
            "every protected cell has its required interval",
            "jede geschützte Zelle hat ihr verlangtes Intervall",
        )
    narrow, inside = int(found.narrow.sum()), len(found.breaches)
    return Text(
        f"{narrow} cells are too narrow for an outsider, {inside} for an insider",
        f"{narrow} Zellen sind für Außenstehende zu eng, {inside} für Beteiligte",
    )


def _details(pattern: Pattern, relations: Relations, found: Audit) -> Iterator[tuple[str, Any]]:
    table, suppressed = pattern.table, pattern.suppressed
    hidden_cells = pattern.hidden
    yield (
        "suppressed",
        {"primary": int(pattern.primary.sum()), "secondary": int((suppressed & ~pattern.primary).sum())},
    )
    yield "disclosed", int(found.disclosed.sum())
    yield "too_narrow", int(found.narrow.sum())
    yield "breaches", len(found.breaches)
    proofs = np.bincount(found.intervals.proof[hidden_cells], minlength=len(Proof))
    yield "proven_by", {proof.name.lower(): int(proofs[proof]) for proof in Proof if proof is not Proof.OPEN}
    yield "programs_solved", found.intervals.solved
    leaks = np.flatnonzero(found.narrow)[:MOST_PROOFS]
    yield "leaks", [_proof(pattern, relations, found, int(cell)) for cell in leaks]
    yield (
        "insiders",
        [{"cell": table.spelt(b.cell), "together": len(b.insiders)} for b in found.breaches[:MOST_PROOFS]],
    )


def _proof(pattern: Pattern, relations: Relations, found: Audit, cell: int) -> dict[str, Any]:
    """The cell and the published sum that gives it away, named by codes, for a person to check."""
    table, relation = pattern.table, int(found.intervals.by[cell])
    out: dict[str, Any] = {
        "cell": table.spelt(cell),
        "proof": Proof(found.intervals.proof[cell]).name.lower(),
    }
    if relation >= 0 and relations.total[relation] >= 0:
        out |= {
            "sum": table.spelt(int(relations.total[relation])),
            "along": table.dimensions[relations.along[relation]].name,
        }
    return out
