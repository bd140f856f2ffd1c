"""Columns that stand for others: what was dropped must not come back."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from tarnkappe.data.column import Floats
from tarnkappe.data.microdata import Microdata
from tarnkappe.errors.selection import Recoverable
from tarnkappe.kernels.recover import recovered
from tarnkappe.language import Text, listed

_KINDS = {
    "linear": Text("a linear combination of {names}", "eine Linearkombination von {names}"),
    "product": Text("the product of {names}", "das Produkt von {names}"),
    "quotient": Text("the quotient of {names}", "der Quotient von {names}"),
}


def recoverable(before: Microdata, after: Microdata, dropped: Iterable[str]) -> dict[str, Text]:
    """Dropped columns that can be computed from the columns of `after`, and how.

    Looks for linear formulas over all numeric columns and for products and quotients of two (Höhne 2010, L474-478).
    """
    old, new = before.paired(after)
    names = [n for n in new.names if new.column(n).kind.is_number]
    others = np.column_stack([_finite(new, n) for n in names]) if names else np.zeros((len(new), 0))
    found = {}
    for name in dropped:
        formula = recovered(_finite(old, name), others)
        if formula is not None:
            parts = listed([names[j] for j in formula.columns])
            found[name] = _KINDS[formula.kind].filled(names=parts)
    return found


def refuse_recoverable(before: Microdata, after: Microdata, dropped: Iterable[str]) -> None:
    for name, how in recoverable(before, after, dropped).items():
        raise Recoverable(name=name, how=how)


def _finite(data: Microdata, name: str) -> Floats:
    values = data.column(name).numbers()
    return np.where(np.isfinite(values), values, np.nan)
