"""What measures of utility share: the two files, the columns both have, and how few records are too few."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tarnkappe.errors.data import BeforeNeeded, NumbersNeeded, WeightsWrong
from tarnkappe.language import NOTHING, Text, listed
from tarnkappe.vocab import Role

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tarnkappe.data.column import Floats
    from tarnkappe.data.microdata import Microdata

LEAST = 10
"""Below so many observed values nothing is told: n moments of n values give the values away."""
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


def weights(data: Microdata) -> Floats | None:
    """Give the weights of the records, or nothing where no column has that role."""
    for name in data.role(Role.WEIGHT):
        w = data.numbers([name])[:, 0]
        wrong = np.flatnonzero(np.isnan(w) | (w < 0))
        if len(wrong):
            raise WeightsWrong(name=name, count=len(wrong), first=int(wrong[0]) + 1)
        return w
    return None


def left_out(names: Iterable[str], why: Text) -> Text:
    """Say which columns were left out and why, or nothing."""
    shown = listed(list(names))
    said = Text("Left out ({why}): {names}.", "Nicht verglichen ({why}): {names}.")
    return said.filled(why=why, names=shown) if shown else NOTHING


def joined(*texts: Text) -> Text:
    """Put sentences side by side."""
    return Text(" ".join(t.en for t in texts if t), " ".join(t.de for t in texts if t))


def _measured(data: Microdata, name: str) -> bool:
    roles = set(data.roles_of(name))
    return Role.NUMERIC in roles or not roles & _NOT_A_QUANTITY
