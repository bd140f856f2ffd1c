"""Which columns are quantities, and which of them two files share."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tarnkappe.data.column import Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.errors.data import BeforeNeeded, NumbersNeeded, WrongKind
from tarnkappe.errors.risk import NoAmounts
from tarnkappe.language import Text
from tarnkappe.vocab import Role

_NUMBERS = Text("numbers", "Zahlen")
LEAST = 10
"""Statistics of fewer values are not told: they would come near the values themselves."""
FEW_CODES = 10
"""Whole numbers with so few values may be codes."""
DENSE = 0.9
"""Numbers of units leave few gaps."""
_NOT_A_QUANTITY = {
    Role.IDENTIFIER,
    Role.WEIGHT,
    Role.HOUSEHOLD,
    Role.UNIT,
    Role.OWNER,
    Role.PERIOD,
    Role.STRATUM,
}


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


def unsure(data: Microdata, names: Sequence[str]) -> tuple[str, ...]:
    """Those of some columns of numbers that have no role and look like codes, or like numbers of units."""
    return tuple(n for n in names if data.roles_of(n) == (Role.OTHER,) and _looks_coded(data.column(n)))


def _looks_coded(column: Column) -> bool:
    """Whole numbers that are few, or that number units: one after the other without gaps."""
    values = column.values[column.observed]
    if not column.kind.is_number or len(values) < LEAST or not np.all(values == np.rint(values)):
        return False
    different = np.unique(values)
    if len(different) <= FEW_CODES:
        return len(values) > 2 * len(different)
    dense = len(different) >= DENSE * (float(different[-1]) - float(different[0]) + 1)
    return bool(dense and (np.all(np.diff(values) >= 0) or len(different) == len(values)))


def amounts(data: Microdata, columns: Sequence[str], who: str) -> tuple[str, ...]:
    """Name the chosen columns, or those with the role numeric; all must be numbers."""
    names = tuple(columns) or data.role(Role.NUMERIC)
    if not names:
        raise NoAmounts
    for name in names:
        kind = data.column(name).kind
        if not kind.is_number:
            raise WrongKind(name=name, found=kind.text, who=who, needed=_NUMBERS)
    return names


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
