"""The audit of tables that share cells: one attack over the sums of all of them, told table by table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from tarnkappe.attack.attacker import RELAXED, Attacker, told
from tarnkappe.attack.hidden import hidden
from tarnkappe.attack.intervals import Intervals, Proof
from tarnkappe.attack.naming import named_breaches
from tarnkappe.attack.telling import MOST_INSIDE, MOST_PROOFS, Teller
from tarnkappe.attack.together import Found, Joint, attacked, ends, joint_of
from tarnkappe.attack.union import named_sums, union_test
from tarnkappe.data.column import Bools, Floats, Ints
from tarnkappe.data.pattern import Status
from tarnkappe.data.pattern_set import PatternSet
from tarnkappe.data.relations import relations_of
from tarnkappe.language import Text, listed
from tarnkappe.spec import Finding, TableMeasure

SHOWN = "shown"
"""The proof of a cell that another table shows."""


def strictest(audits: Sequence[TableMeasure]) -> Attacker:
    """An attacker who knows what any of the attackers of single tables knows."""
    known = [audit.attacker() for audit in audits]
    if not known:
        return Attacker()
    priors = [a.prior for a in known if a.prior is not None]
    inside = (word for word in ("owners", "contributors") if any(a.insiders == word for a in known))
    said = [a.exact for a in known if a.exact is not None]
    return Attacker(
        min(priors, default=None),
        next(inside, "none"),
        max(a.coalition for a in known),
        any(said) if said else None,
    )


def set_findings(over: PatternSet, audits: Sequence[TableMeasure]) -> tuple[Finding, ...]:
    """What the audit says of every table of a set; one leak anywhere and none of them holds."""
    attacker = strictest(audits)
    joint = joint_of(over, attacker)
    found = attacked(joint)
    told = found.intervals
    if not told.exact.all() and attacker.to_the_end(int(joint.hidden.sum())):
        told = ends(joint)
    judged = tuple(_judged(over, found, number, attacker) for number in range(len(over.published)))
    leaks = {"leaks": _leaks(over, joint, found), "insiders": _inside(over, joint, found)}
    return tuple(
        replace(_finding(over, found, number, judged, leaks), per_cell=_per_cell(found, told, cells))
        for number, cells in enumerate(over.tables.numbers[: len(over.published)])
    )


def _per_cell(found: Found, told: Intervals, cells: Ints) -> dict[str, Any]:
    """The intervals of an outsider over all tables, for the cells of one of them."""
    return {
        "low": told.low[cells],
        "high": told.high[cells],
        "exact": told.exact[cells],
        "leaks": (found.narrow | found.disclosed)[cells],
    }


def _judged(over: PatternSet, found: Found, number: int, attacker: Attacker) -> list[dict[str, Any]]:
    """The totals of a table whose suppressed parts together its rules do not allow to be known."""
    pattern, cells = over.patterns[number], over.tables.numbers[number]
    if attacker.insiders == "none" or not pattern.judges:
        return []
    relations = relations_of(pattern.table)
    status = np.where(found.disclosed[cells], np.uint8(Status.OPEN), pattern.status)
    return named_sums(
        pattern.table, relations, union_test(replace(pattern, status=status), relations, pattern.judges)
    )


def set_intervals(over: PatternSet, audits: Sequence[TableMeasure]) -> tuple[tuple[Floats, Floats], ...]:
    """For every table the attacker's intervals over all tables, to their ends."""
    attacker = strictest(audits)
    found = ends(joint_of(over, attacker))
    return tuple((found.low[cells], found.high[cells]) for cells in over.tables.numbers)


def _finding(
    over: PatternSet, found: Found, number: int, judged: Sequence[list[dict[str, Any]]], leaks: dict[str, Any]
) -> Finding:
    others = [t.name for i, t in enumerate(over.published) if i != number]
    sums = sum(len(one) for one in judged)
    unsure = found.unsure and not sums
    return Finding(
        float(found.holds and not sums),
        trusted=not unsure,
        because=RELAXED if unsure else _because(found, others, sums, leaks["insiders"]),
        details=dict(_details(over, found, number)) | leaks | {"unions": judged[number]},
    )


def _because(found: Found, others: list[str], sums: int, insiders: list[dict[str, Any]]) -> Text:
    names = listed(others)
    if found.holds and not sums:
        return Text(
            f"every protected cell has its required interval, also together with {names}",
            f"jede geschützte Zelle hat ihr verlangtes Intervall, auch zusammen mit {names}",
        )
    found_out = told(int(found.narrow.sum()), len(found.breaches), sums, insiders)
    return Text(f"together with {names}: {found_out.en}", f"zusammen mit {names}: {found_out.de}")


def _details(over: PatternSet, found: Found, number: int) -> Iterator[tuple[str, Any]]:
    pattern, cells = over.patterns[number], over.tables.numbers[number]
    secondary = pattern.suppressed & ~pattern.primary
    yield "suppressed", {"primary": int(pattern.primary.sum()), "secondary": int(secondary.sum())}
    yield "disclosed", int(found.disclosed[cells].sum())
    yield "too_narrow", int(found.narrow.sum())
    yield "breaches", len(found.breaches)
    proofs = np.bincount(found.intervals.proof[cells][pattern.hidden], minlength=len(Proof))
    yield "proven_by", {proof.name.lower(): int(proofs[proof]) for proof in Proof if proof is not Proof.OPEN}
    yield "programs_solved", found.intervals.solved
    yield "linked", _linked(over, number)


def _linked(over: PatternSet, number: int) -> list[dict[str, Any]]:
    """The other tables, and how many cells each shares with this one."""
    mine: Bools = np.zeros(len(over), dtype=np.bool_)
    mine[over.tables.numbers[number]] = True
    others = zip(over.published, over.tables.numbers, strict=False)
    return [
        {"table": table.name, "shared": int(mine[np.unique(cells)].sum())}
        for i, (table, cells) in enumerate(others)
        if i != number
    ]


def _leaks(over: PatternSet, joint: Joint, found: Found) -> list[dict[str, Any]]:
    """The cells that leak, each with the published sums of any table that tell too much, named by codes."""
    if not found.narrow.any():
        return []
    teller = _teller(over, joint)
    short = found.intervals.high - joint.value < joint.up
    return [
        {"cell": over.spelt(c), **_proof(found, teller, c, upward=bool(short[c]))}
        for c in np.flatnonzero(found.narrow)[:MOST_PROOFS].tolist()
    ]


def _proof(found: Found, teller: Teller, cell: int, *, upward: bool) -> dict[str, Any]:
    proof = Proof(found.intervals.proof[cell])
    if proof is Proof.OPEN:
        return {"proof": SHOWN}
    return {"proof": proof.name.lower(), **teller.of(cell, upward=upward)}


def _inside(over: PatternSet, joint: Joint, found: Found) -> list[dict[str, Any]]:
    """Cells of which insiders see too much, the first of them with the sums that tell it."""
    if joint.inside is None or not found.breaches:
        return []
    out = named_breaches(found.breaches, joint.inside.inside.within(joint.hidden), over.spelt)
    for said, breach in zip(out[:MOST_INSIDE], found.breaches, strict=False):
        known = joint.inside.inside.known(np.arange(len(joint.value)), breach.insiders)
        teller = _teller(over, joint.hiding(joint.hidden & ~known))
        said.update(teller.of(breach.cell, upward=bool(breach.up < joint.up[breach.cell])))
    return out


def _teller(over: PatternSet, joint: Joint) -> Teller:
    system = hidden(joint.relations, joint.value, joint.hidden, joint.low, joint.high)
    return Teller(joint.relations, system, over.spelt, over.tables.dimensions)
