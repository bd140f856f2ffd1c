"""Compare any pair of files: risk of both, and what the second is still worth."""

from __future__ import annotations

from collections.abc import Sequence

from tarnkappe.data.microdata import Microdata
from tarnkappe.data.swapped import warn_if_swapped
from tarnkappe.plan.ledger import MeasureEntry
from tarnkappe.plan.measuring import Routine
from tarnkappe.plan.progress import Progress
from tarnkappe.plan.propose import propose
from tarnkappe.plan.routine import Occasion, usual
from tarnkappe.vocab import Role

ROW_BY_ROW = (
    "utility.changed",
    "risk.dependencies",
    "risk.interval-disclosure",
    "risk.linkage",
    "risk.row-order",
    "risk.weight-leakage",
)
"""Measures that need the records of both files in the same order; two files alone do not tell."""


def compare(
    before: Microdata, after: Microdata, keys: Sequence[str] = (), numbers: Sequence[str] = ()
) -> tuple[MeasureEntry, ...]:
    """Measure both files on the given columns, or on those that look like keys and numbers in the first; warn where they look swapped."""
    warn_if_swapped(before, after)
    return compared(before, after, keys, numbers)


def compared(
    before: Microdata, after: Microdata, keys: Sequence[str] = (), numbers: Sequence[str] = ()
) -> tuple[MeasureEntry, ...]:
    """Measure both files, whichever way round they are."""
    after = after.empty_as({name: column.kind for name, column in before.columns.items()})
    keys = keys or _proposed(before, after, Role.KEY)
    numbers = numbers or _numeric(before, after)
    roles = {Role.KEY: tuple(keys), Role.NUMERIC: tuple(numbers)}
    before, after = before.with_roles(roles), after.with_roles(roles)
    routine = Routine([one for one in usual() if one.cls.id not in ROW_BY_ROW])
    routine.take(Occasion(before, after), Progress())
    return tuple(routine.taken)


def _proposed(before: Microdata, after: Microdata, role: Role) -> list[str]:
    return [c.name for c in propose(before, "").columns if role in c.roles and c.name in after.columns]


def _numeric(before: Microdata, after: Microdata) -> list[str]:
    """Quantities that are still numbers in the second file."""
    return [n for n in _proposed(before, after, Role.NUMERIC) if after.column(n).kind.is_number]
