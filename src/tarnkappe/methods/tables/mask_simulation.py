"""An attacker who knows the method: he masks every table that fits what is published, and keeps those that would look the same.

Source: specification of Schenker (2019), 8.2 and 8.5. Exact intervals do not show what he learns, because where and how far a method masks
depends on the hidden values. All possible tables must be tried, so this is for small groups.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import product

import numpy as np

from tarnkappe.attack.tree import parents_in_tree, published
from tarnkappe.data.column import Bools, Floats, Ints
from tarnkappe.data.pattern import Pattern
from tarnkappe.errors import TarnkappeError

NOT_TRIED = -1
"""The group of the cell has more possible tables than are tried."""


def possible_values(after: Pattern, mask: Callable[[Pattern], Pattern], cells: Bools, most: int) -> Ints:
    """How many values each of `cells` can still have for him; NOT_TRIED where its group is too large, and for all other cells.

    `mask` does again what was done. Sums must run along one hierarchy and no rule may have marked cells: what it marks in other tables
    is not known.
    """
    left = np.full(len(after.table), NOT_TRIED, dtype=np.int64)
    parent = parents_in_tree(after.table)
    if parent is None or after.judges:
        return left
    for group in _groups(parent, after.hidden):
        seen = _seen(after, mask, parent, group, most)
        if seen is not None:
            wanted = group[cells[group]]
            left[wanted] = [len(np.unique(seen[:, cell])) for cell in wanted]
    return left


def _groups(parent: Ints, hidden: Bools) -> Iterator[Ints]:
    """Hidden cells that hang together: a cell with its parent, and the children of a cell that is shown."""
    root = np.arange(len(parent))

    def top(cell: int) -> int:
        while root[cell] != cell:
            root[cell] = root[root[cell]]
            cell = int(root[cell])
        return cell

    first: dict[int, int] = {}
    for cell in np.flatnonzero(hidden & (parent >= 0)):
        above = int(parent[cell])
        other = above if hidden[above] else first.setdefault(above, int(cell))
        root[top(int(cell))] = top(other)
    tops = np.array([top(int(cell)) for cell in np.flatnonzero(hidden)], dtype=np.int64)
    for one in np.unique(tops):
        yield np.flatnonzero(hidden)[tops == one]


def _seen(
    after: Pattern, mask: Callable[[Pattern], Pattern], parent: Ints, group: Ints, most: int
) -> Floats | None:
    """The tables that would be published like this one, as rows of values; None where there are too many to try."""
    low, high = published(after)
    leaves = group[~np.isin(group, parent)]
    choices = [range(int(low[cell]), int(high[cell]) + 1) for cell in leaves]
    if np.prod([float(len(choice)) for choice in choices]) > most:
        return None
    start = replace(
        Pattern(after.table),
        mark=after.mark,
        low=after.low,
        high=after.high,
        cost=after.cost,
        again=after.again,
    )
    rows = [after.table.value]
    for values in product(*choices):
        value = _summed(after.table.value, parent, leaves, values)
        fits = bool(np.all((value >= low) & (value <= high)))
        if fits and not np.array_equal(value, after.table.value) and _same(after, mask, start, value):
            rows.append(value)
    return np.stack(rows)


def _summed(value: Floats, parent: Ints, leaves: Ints, values: tuple[int, ...]) -> Floats:
    """The values with others at some leaves, and the sums above them moved along."""
    out = value.copy()
    for cell, new in zip(leaves.tolist(), values, strict=True):
        moved, node = new - value[cell], cell
        while node >= 0:
            out[node] += moved
            node = int(parent[node])
    return out


def _same(after: Pattern, mask: Callable[[Pattern], Pattern], start: Pattern, value: Floats) -> bool:
    """Whether another table would look the same."""
    other = replace(after.table, value=value, contributions=None, owners=None)
    try:
        again = mask(replace(start, table=other))
    except TarnkappeError:
        return False
    return all(np.array_equal(a, b) for a, b in zip(published(again), published(after), strict=True))
