"""Columns that stand for others: what was dropped must not come back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from tarnkappe.data.column import Floats
from tarnkappe.data.microdata import Microdata
from tarnkappe.errors.selection import Recoverable
from tarnkappe.kernels.recover import recovered, same
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


def solved(before: Microdata, after: Microdata, into: Mapping[str, Mapping[str, float]]) -> dict[str, Text]:
    """Parts that the equations of linear combinations give back, in a file of any size, and how (Höhne 2010, L474-478).

    Parameters
    ----------
    before, after
        The parts, and what is left of the combinations.
    into
        New column -> its parts with their weights.
    """
    old, new = before.paired(after)
    names = [n for n in into if n in new.names and new.column(n).kind.is_number]
    parts = list(dict.fromkeys(part for name in names for part in into[name]))
    rows = np.array([[into[name].get(part, 0.0) for part in parts] for name in names]).reshape(len(names), -1)
    if not names:
        return {}
    size = np.abs(rows).max(axis=1, keepdims=True)  # the unit of measurement of a column tells nothing
    made = np.column_stack([_finite(new, name) for name in names]) / size.T
    answers = np.linalg.pinv(rows / size)
    determined = np.isclose(np.diag(answers @ (rows / size)), 1)
    found = {}
    for j, part in enumerate(parts):
        with np.errstate(over="ignore", invalid="ignore"):
            guess = made @ answers[j]
        if determined[j] and part in old.names and _given(guess, _finite(old, part)):
            found[part] = _KINDS["linear"].filled(names=listed(names))
    return found


def multiplied_back(
    before: Microdata, after: Microdata, quotients: Mapping[str, tuple[str, str]]
) -> dict[str, Text]:
    """Numerators that their ratio times the denominator gives back, in a file of any size, and how.

    Parameters
    ----------
    before, after
        The numerators, and what is left of ratios and denominators.
    quotients
        New column -> numerator and denominator.
    """
    old, new = before.paired(after)
    found = {}
    for name, (of, over) in quotients.items():
        left = all(n in new.names and new.column(n).kind.is_number for n in (name, over))
        if left and of in old.names:
            with np.errstate(over="ignore"):
                guess = _finite(new, name) * _finite(new, over)
            if _given(guess, _finite(old, of)):
                found[of] = _KINDS["product"].filled(names=listed([name, over]))
    return found


def _given(guess: Floats, truth: Floats) -> bool:
    """Whether a guess gives the truth back where both are known."""
    there = ~np.isnan(guess) & ~np.isnan(truth)
    return bool(there.any()) and same(guess[there], truth[there])


def refuse(given_back: Mapping[str, Text]) -> None:
    """Refuse a step after which a dropped column can be computed."""
    for name, how in given_back.items():
        raise Recoverable(name=name, how=how)


def _finite(data: Microdata, name: str) -> Floats:
    values = data.column(name).numbers()
    return np.where(np.isfinite(values), values, np.nan)
