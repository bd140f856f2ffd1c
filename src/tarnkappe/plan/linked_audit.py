"""The audit of tables that share cells: one attack over the sums of all of them, told table by table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from tarnkappe.attack.attacker import RELAXED, Attacker
from tarnkappe.attack.intervals import Proof
from tarnkappe.attack.together import Found, attacked, joint_of
from tarnkappe.data.column import Bools, Floats
from tarnkappe.data.pattern_set import PatternSet
from tarnkappe.data.relations import Relations
from tarnkappe.language import Text, listed
from tarnkappe.spec import Finding, TableMeasure

MOST_PROOFS = 50
SHOWN = "shown"
"""The proof of a cell that another table shows."""


def strictest(audits: Sequence[TableMeasure]) -> Attacker:
    """An attacker who knows what any of the attackers of single tables knows."""
    known = [audit.attacker() for audit in audits]
    if not known:
        return Attacker()
    priors = [a.prior for a in known if a.prior is not None]
    inside = (word for word in ("owners", "contributors") if any(a.insiders == word for a in known))
    return Attacker(min(priors, default=None), next(inside, "none"), max(a.coalition for a in known))


def set_findings(over: PatternSet, audits: Sequence[TableMeasure]) -> tuple[Finding, ...]:
    """What the audit says of every table of a set; one leak anywhere and none of them holds."""
    attacker = strictest(audits)
    joint = joint_of(over, attacker)
    found = attacked(joint, attacker.coalition)
    return tuple(_finding(over, joint.relations, found, number) for number in range(len(over.patterns)))


def set_intervals(over: PatternSet, audits: Sequence[TableMeasure]) -> tuple[tuple[Floats, Floats], ...]:
    """For every table the attacker's intervals over all tables, to their ends."""
    attacker = strictest(audits)
    found = attacked(joint_of(over, attacker), attacker.coalition, exact=True).intervals
    return tuple((found.low[cells], found.high[cells]) for cells in over.tables.numbers)


def _finding(over: PatternSet, relations: Relations, found: Found, number: int) -> Finding:
    cells = over.tables.numbers[number]
    others = [t.name for i, t in enumerate(over.tables.tables) if i != number]
    return Finding(
        float(found.holds),
        trusted=not found.unsure,
        because=RELAXED if found.unsure else _because(found, others),
        details=dict(_details(over, relations, found, number)),
        per_cell={
            "low": found.intervals.low[cells],
            "high": found.intervals.high[cells],
            "exact": found.intervals.exact[cells],
            "leaks": (found.narrow | found.disclosed)[cells],
        },
    )


def _because(found: Found, others: list[str]) -> Text:
    narrow, inside, names = int(found.narrow.sum()), len(found.breaches), listed(others)
    if found.holds:
        return Text(
            f"every protected cell has its required interval, also together with {names}",
            f"jede geschützte Zelle hat ihr verlangtes Intervall, auch zusammen mit {names}",
        )
    return Text(
        f"together with {names}, {narrow} cells are too narrow for an outsider, {inside} for an insider",
        f"zusammen mit {names} sind {narrow} Zellen für Außenstehende zu eng, {inside} für Beteiligte",
    )


def _details(over: PatternSet, relations: Relations, found: Found, number: int) -> Iterator[tuple[str, Any]]:
    pattern, cells = over.patterns[number], over.tables.numbers[number]
    hidden = pattern.hidden
    secondary = pattern.suppressed & ~pattern.primary
    yield "suppressed", {"primary": int(pattern.primary.sum()), "secondary": int(secondary.sum())}
    yield "disclosed", int(found.disclosed[cells].sum())
    yield "too_narrow", int(found.narrow.sum())
    yield "breaches", len(found.breaches)
    proofs = np.bincount(found.intervals.proof[cells][hidden], minlength=len(Proof))
    yield "proven_by", {proof.name.lower(): int(proofs[proof]) for proof in Proof if proof is not Proof.OPEN}
    yield "programs_solved", found.intervals.solved
    yield (
        "leaks",
        [_proof(over, relations, found, int(c)) for c in np.flatnonzero(found.narrow)[:MOST_PROOFS]],
    )
    yield (
        "insiders",
        [
            {"cell": over.tables.spelt(b.cell), "together": len(b.insiders)}
            for b in found.breaches[:MOST_PROOFS]
        ],
    )
    yield "linked", _linked(over, number)


def _linked(over: PatternSet, number: int) -> list[dict[str, Any]]:
    """The other tables, and how many cells each shares with this one."""
    mine: Bools = np.zeros(len(over), dtype=np.bool_)
    mine[over.tables.numbers[number]] = True
    others = zip(over.tables.tables, over.tables.numbers, strict=True)
    return [
        {"table": table.name, "shared": int(mine[np.unique(cells)].sum())}
        for i, (table, cells) in enumerate(others)
        if i != number
    ]


def _proof(over: PatternSet, relations: Relations, found: Found, cell: int) -> dict[str, Any]:
    """The cell and the published sum that gives it away, named by codes."""
    relation = int(found.intervals.by[cell])
    proof = Proof(found.intervals.proof[cell])
    out: dict[str, Any] = {
        "cell": over.tables.spelt(cell),
        "proof": SHOWN if proof is Proof.OPEN else proof.name.lower(),
    }
    if relation >= 0 and relations.total[relation] >= 0:
        out |= {
            "sum": over.tables.spelt(int(relations.total[relation])),
            "along": over.tables.dimensions[relations.along[relation]],
        }
    return out
