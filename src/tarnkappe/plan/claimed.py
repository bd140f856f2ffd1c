"""The claims of a method that protects tables, checked on what it did."""

from __future__ import annotations

from collections.abc import Iterator

from tarnkappe.data.pattern import Pattern
from tarnkappe.errors.release import ClaimBroken
from tarnkappe.plan.ledger import ClaimEntry
from tarnkappe.spec import Holds, TableMethod


def claims_of(method: TableMethod, before: Pattern, after: Pattern) -> Iterator[ClaimEntry]:
    """The claims of a method; one that is broken in this run is our fault."""
    for side in ("preserves", "protects"):
        for claim in getattr(method, side):
            if claim.applies(method):
                always = claim.holds is Holds.ALWAYS
                if always and claim.check is not None and not claim.check(method, before, after):
                    raise ClaimBroken(number=after.table.name, id=method.id, claim=claim.says)
                yield ClaimEntry(side, claim.says, claim.holds, True if always else None)
