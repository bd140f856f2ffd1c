"""Names for units that a method made: unused, and like those of the others."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tarnkappe.data.column import Bools, Column, Ints
from tarnkappe.errors.data import WrongKind
from tarnkappe.language import Text
from tarnkappe.vocab import Kind

DIGITS = "0123456789"
TRIES = 20
"""So often the digits of a name are drawn anew before it gets one more."""
_NAMES = Text("names or whole numbers", "Namen oder ganze Zahlen")


def refuse_other_names(column: Column, name: str, who: str) -> None:
    """Units are named by texts or whole numbers; of other kinds there is no unused value to be found."""
    if column.kind not in (Kind.CATEGORY, Kind.INTEGER):
        raise WrongKind(name=name, found=column.kind.text, who=who, needed=_NAMES)


def with_new_names(column: Column, cells: Ints, of: Ints, generator: np.random.Generator) -> Column:
    """Some cells with unused names, one for all cells of a unit; `of` is the unit of every such cell, 0, 1, …

    A whole number is drawn among the unused ones between the smallest and the largest name, or up to twice as many as there are names. In a
    text the digits of the name that stands there are drawn anew; where all are taken, or it has none, further digits follow. Cells without a
    name stay so.
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
    fresh = np.array([_unused_text(model, taken, generator) for model in models], dtype=object)
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


def _unused_text(model: str, taken: set[str], generator: np.random.Generator) -> str:
    """A name like the model, which is then taken."""
    made = model
    while made in taken:
        for _ in range(TRIES):
            made = "".join(DIGITS[generator.integers(10)] if sign in DIGITS else sign for sign in model)
            if made not in taken:
                break
        model += DIGITS[generator.integers(10)]
    taken.add(made)
    return made
