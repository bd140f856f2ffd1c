"""Names for units that a method made: unused, and like those of the others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from string import ascii_lowercase, ascii_uppercase

import numpy as np

from tarnkappe.data.column import Bools, Column, Ints
from tarnkappe.errors.data import WrongKind
from tarnkappe.language import Text
from tarnkappe.vocab import Kind

DIGITS = "0123456789"
KINDS = (DIGITS, ascii_lowercase, ascii_uppercase)
TRIES = 20
"""So often the signs of a name are drawn anew before it gets one more."""
_NAMES = Text("names or whole numbers", "Namen oder ganze Zahlen")


def refuse_other_names(column: Column, name: str, who: str) -> None:
    """Units are named by texts or whole numbers; of other kinds there is no unused value to be found."""
    if column.kind not in (Kind.CATEGORY, Kind.INTEGER):
        raise WrongKind(name=name, found=column.kind.text, who=who, needed=_NAMES)


def with_new_names(column: Column, cells: Ints, of: Ints, generator: np.random.Generator) -> Column:
    """Some cells with unused names, one for all cells of a unit; `of` is the unit of every such cell, 0, 1, …

    A whole number is drawn among the unused ones between the smallest and the largest name, or up to twice as many as there are names. A text is as long
    as the name that stands there, and each of its signs is that of a name drawn among all of this length, at the same place: what all of them have in common stays,
    and nothing else tells whose name stood there. Where all such are taken, further digits follow. Cells without a name stay so.
    """
    shown = column.observed[cells]
    cells, of = cells[shown], of[shown]
    units, first, of = np.unique(of, return_index=True, return_inverse=True)
    values = column.values.astype(np.int64)
    if column.categories is None:
        values[cells] = _unused_numbers(values[column.observed], len(units), generator)[of]
        return replace(column, values=values)
    taken = set(column.categories.tolist())
    models = column.categories[values[cells[first]]].tolist()
    by_length: dict[int, list[str]] = {}
    for name in column.categories.tolist():
        by_length.setdefault(len(name), []).append(name)
    fresh = np.array(
        [_unused_text(model, by_length[len(model)], taken, generator) for model in models], dtype=object
    )
    values[cells] = len(column.categories) + of
    labels = column.value_labels
    return replace(column.with_codes(values, np.concatenate([column.categories, fresh])), value_labels=labels)


def names_of_their_own(column: Column, made: Bools) -> bool:
    """No record that a method made has a name that another record shows."""
    return not np.intersect1d(
        column.values[made & column.observed], column.values[~made & column.observed]
    ).size


def _unused_numbers(used: Ints, count: int, generator: np.random.Generator) -> Ints:
    taken, found = np.unique(used), np.zeros(0, dtype=np.int64)
    while len(found) < count:
        low = int(taken[0])
        high = max(int(taken[-1]), low + 2 * (len(taken) + count))
        drawn = generator.integers(low, high, 2 * (count - len(found)), endpoint=True)
        found = np.unique(np.concatenate([found, np.setdiff1d(drawn, taken)]))
    return generator.permutation(found)[:count]


def _unused_text(model: str, alike: Sequence[str], taken: set[str], generator: np.random.Generator) -> str:
    """A name of the form of the model, which is then taken: nothing of the model is kept that not all names alike have."""
    made, more = model, ""
    while made in taken:
        for _ in range(TRIES):
            made = _mixed(model, alike, generator) + more
            if made not in taken:
                break
        more += DIGITS[generator.integers(10)]
    taken.add(made)
    return made


def _mixed(model: str, alike: Sequence[str], generator: np.random.Generator) -> str:
    """Every sign that of another name of this length; of a name without any, digits and letters of the same kind."""
    if len(alike) > 1:
        others = generator.integers(len(alike), size=len(model)).tolist()
        return "".join(alike[other][at] for at, other in enumerate(others))
    kinds = [next((kind for kind in KINDS if sign in kind), sign) for sign in model]
    return "".join(kind[generator.integers(len(kind))] for kind in kinds)
