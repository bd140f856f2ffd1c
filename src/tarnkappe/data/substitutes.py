"""Columns that stand for others: what was dropped must not come back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from tarnkappe.data.column import Bools, Floats, Ints
from tarnkappe.data.found_relations import found_relations
from tarnkappe.data.further_formulas import TINY, further_formula, hits, same_values
from tarnkappe.data.linear_relations import LinearRelation
from tarnkappe.data.microdata import Microdata
from tarnkappe.errors.selection import Recoverable
from tarnkappe.kernels.recover import recovered, same
from tarnkappe.language import Text, listed
from tarnkappe.vocab import Role

LOOKED_AT = 3000
"""Records of either kind, hidden and shown, at which formulas for hidden values are looked for."""
HIDDEN_BACK = 0.5
"""A column is given back if a formula gives so many of its hidden values."""

_KINDS = {
    "linear": Text("a linear combination of {names}", "eine Linearkombination von {names}"),
    "product": Text("the product of {names}", "das Produkt von {names}"),
    "quotient": Text("the quotient of {names}", "der Quotient von {names}"),
    "powers": Text(
        "a product or quotient of {names}, of one or a hundred plus or minus them included",
        "ein Produkt oder Quotient von {names}, auch von eins oder hundert plus oder minus diesen",
    ),
    "sum with a product": Text(
        "a sum with a product or ratio of {names}", "eine Summe mit einem Produkt oder Verhältnis von {names}"
    ),
}


def recoverable(before: Microdata, after: Microdata, dropped: Iterable[str]) -> dict[str, Text]:
    """Dropped columns that can be computed from the columns of `after`, and how.

    Looks for linear formulas over all numeric columns and for products and quotients of two (Höhne 2010, L474-478), of several columns, of shares and odds,
    and for sums with a product or ratio of two.
    """
    old, new = before.paired(after)
    names = [n for n in new.names if new.column(n).kind.is_number]
    others = np.column_stack([_finite(new, n) for n in names]) if names else np.zeros((len(new), 0))
    found = {}
    for name in dropped:
        y = _finite(old, name)
        formula = recovered(y, others) or further_formula(y, others)
        if formula is not None:
            parts = listed([names[j] for j in formula.columns])
            found[name] = _KINDS[formula.kind].filled(names=parts)
    return found


def hidden_and_computed(
    before: Microdata, after: Microdata, declared: Sequence[LinearRelation] = ()
) -> dict[str, Text]:
    """Numbers that the release shows otherwise, or not at all, and that its other columns give back all the same, and how.

    Of a column that was masked only those records count in which what is shown is off by more than a thousandth: in the others nothing is given back.
    Tried are formulas that are found in the release, and what adds up in the original, declared or found, even where steps have changed some of the terms.
    """
    old, new = before.paired(after)
    shown = [n for n in new.names if new.column(n).kind.is_number]
    left_out = {n for role in (Role.IDENTIFIER, Role.OWNER, Role.HOUSEHOLD) for n in before.role(role)}
    numbers = [n for n in old.names if n not in left_out and old.column(n).kind.is_number]
    hidden = {n: rows for n in numbers if (rows := _hidden(old, new, n)).any()}
    equations = (*declared, *found_relations(old, numbers)) if hidden else ()
    found = {}
    for name, rows in hidden.items():
        others = [n for n in shown if n != name]
        some = _some(rows)
        x = {n: _finite(new, n, some) for n in others}
        y = _finite(old, name, some)
        if others and (how := _computed(y, np.column_stack(list(x.values())), rows[some])):
            kind, columns = how
            found[name] = _KINDS[kind].filled(names=listed([others[j] for j in columns]))
        elif terms := _added_up(name, y, x, rows[some], equations):
            found[name] = _KINDS["linear"].filled(names=listed(terms))
    return found


def _added_up(
    name: str, y: Floats, x: Mapping[str, Floats], hidden: Bools, equations: Iterable[LinearRelation]
) -> tuple[str, ...]:
    """The shown columns that give most of the hidden values back by an equation of the original, if any do."""
    for equation in equations:
        if equation.sense != "=" or name not in equation.coefficients:
            continue
        weights, constant = equation.solved_for(name)
        if not set(weights) <= set(x):
            continue
        made = constant + np.sum([w * x[n] for n, w in weights.items()], axis=0)
        if _gives(made, y, hidden):
            return tuple(weights)
    return ()


def _hidden(old: Microdata, new: Microdata, name: str) -> Bools:
    """The records whose value is not shown, or off by more than a thousandth."""
    if name in new.names and new.column(name) is old.column(name):
        return np.zeros(len(old), dtype=np.bool_)
    y = _finite(old, name)
    there = name in new.names and new.column(name).kind.is_number
    hidden: Bools = np.isfinite(y) & ~(
        hits(_finite(new, name), y) if there else np.zeros(len(y), dtype=np.bool_)
    )
    return hidden


def _some(hidden: Bools) -> Ints:
    """Some of the records that are hidden and some of the others, evenly from the file."""
    parts = (np.flatnonzero(hidden), np.flatnonzero(~hidden))
    chosen = [
        rows[np.linspace(0, len(rows) - 1, min(len(rows), LOOKED_AT)).astype(np.int64)]
        for rows in parts
        if len(rows)
    ]
    return np.sort(np.concatenate(chosen))


def _computed(y: Floats, x: Floats, hidden: Bools) -> tuple[str, tuple[int, ...]] | None:
    """A formula that gives most of the hidden values back, and its columns."""
    formula = recovered(y, x)
    if formula is not None and _gives(_values(formula.kind, y, x[:, formula.columns], hidden), y, hidden):
        return formula.kind, formula.columns
    further = further_formula(y, x)
    if further is not None and _gives(further.values, y, hidden):
        return further.kind, further.columns
    return None


def _values(kind: str, y: Floats, parts: Floats, hidden: Bools) -> Floats:
    """What a formula gives in every record, fitted to the records that are not hidden where there are enough of them."""
    known = np.isfinite(y) & np.isfinite(parts).all(axis=1)
    open_ones = known & ~hidden
    used = open_ones if np.count_nonzero(open_ones) > np.count_nonzero(known) / 2 else known
    with np.errstate(all="ignore"):
        if kind == "linear":
            design = np.column_stack([np.ones(len(y)), parts])
            size = np.maximum(np.abs(design[used]).max(axis=0, initial=0.0), TINY)
            weights, *_ = np.linalg.lstsq(design[used] / size, y[used], rcond=None)
            linear: Floats = (design / size) @ weights
            return linear
        first, last = parts[:, 0], parts[:, -1]
        made = first * last if kind == "product" else first / last
        out: Floats = made * np.nanmedian((y / made)[used & (made != 0)])
        return out


def _gives(values: Floats, y: Floats, hidden: Bools) -> bool:
    """Whether most of the hidden values come back."""
    return same_values(values[hidden], y[hidden], HIDDEN_BACK)


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


def _finite(data: Microdata, name: str, rows: Ints | None = None) -> Floats:
    values = (data.column(name) if rows is None else data.column(name).take(rows)).numbers()
    return np.where(np.isfinite(values), values, np.nan)
