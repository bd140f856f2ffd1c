"""Columns that stand for others: what was dropped must not come back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

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


def solved(into: Mapping[str, Mapping[str, float]]) -> dict[str, Text]:
    """Parts that linear combinations give back whatever the values are, and how: the equations are solved for them (Höhne 2010, L474-478)."""
    parts = list(dict.fromkeys(part for weights in into.values() for part in weights))
    rows = np.array([[weights.get(part, 0.0) for part in parts] for weights in into.values()])
    rows = rows / np.abs(rows).max(axis=1, keepdims=True)
    rows = rows / np.abs(rows).max(axis=0, keepdims=True)  # the size of a unit of measurement tells nothing
    how = _KINDS["linear"].filled(names=listed(list(into)))
    return {
        part: how
        for j, part in enumerate(parts)
        if np.linalg.matrix_rank(np.vstack([rows, np.eye(len(parts))[j]])) == np.linalg.matrix_rank(rows)
    }


def multiplied_back(quotients: Mapping[str, tuple[str, str]], names: Iterable[str]) -> dict[str, Text]:
    """Numerators that their ratio times a denominator that stays gives back whatever the values are, and how.

    Parameters
    ----------
    quotients
        New column -> numerator and denominator.
    names
        The columns that stay.
    """
    stay = set(names)
    found = {of: (name, over) for name, (of, over) in quotients.items() if over in stay}
    return {of: _KINDS["product"].filled(names=listed(list(pair))) for of, pair in found.items()}


def refuse(given_back: Mapping[str, Text]) -> None:
    """Refuse a step after which a dropped column can be computed."""
    for name, how in given_back.items():
        raise Recoverable(name=name, how=how)


def _finite(data: Microdata, name: str) -> Floats:
    values = data.column(name).numbers()
    return np.where(np.isfinite(values), values, np.nan)
