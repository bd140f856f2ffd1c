"""Which columns are quantities, and which of them two files share."""

from __future__ import annotations

from collections.abc import Sequence

from tarnkappe.data.microdata import Microdata
from tarnkappe.errors.data import BeforeNeeded, NumbersNeeded
from tarnkappe.vocab import Role

LEAST = 10
"""Statistics of fewer values are not told: they would come near the values themselves."""
_NOT_A_QUANTITY = {Role.IDENTIFIER, Role.WEIGHT, Role.HOUSEHOLD, Role.OWNER, Role.PERIOD, Role.STRATUM}


def original(before: Microdata | None, who: str) -> Microdata:
    """Insist on the data before: a comparison needs both."""
    if before is None:
        raise BeforeNeeded(who=who)
    return before


def quantities(data: Microdata) -> tuple[str, ...]:
    """Name the columns that hold numbers and are not codes of a household, period, stratum …."""
    return tuple(
        name for name, column in data.columns.items() if column.kind.is_number and _measured(data, name)
    )


def in_both(
    after: Microdata, before: Microdata, columns: Sequence[str], who: str, needed: int
) -> tuple[str, ...]:
    """Name the numeric columns to compare: the chosen ones, or all quantities that both files have."""
    here = set(quantities(after))
    names = tuple(columns) or tuple(name for name in quantities(before) if name in here)
    if len(names) < needed:
        raise NumbersNeeded(who=who, needed=needed, found=len(names))
    return names


def _measured(data: Microdata, name: str) -> bool:
    roles = set(data.roles_of(name))
    return Role.NUMERIC in roles or not roles & _NOT_A_QUANTITY
