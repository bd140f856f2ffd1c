"""Sums, counts and largest contributions of every cell, all levels of all dimensions, from records.

Records are first put together where they lie in the same innermost cell and have the same contributor. Every combination
of levels, one per dimension, is then one sort of what is left: cells fall into runs, and within a run the largest come first.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Nodes = NDArray[np.int32]


class Levels(NamedTuple):
    """A dimension as seen from its nodes."""

    level: Nodes
    """Level of every node."""
    ancestors: tuple[Ints, ...]
    """Per level: the ancestor of every node on it, or higher where the tree has no node there."""


class Tallied(NamedTuple):
    """Cells in the order of their keys."""

    cells: Nodes
    total: Floats
    count: Ints
    largest: Floats
    who: Ints


def tally(nodes: Sequence[Ints], amount: Floats, who: Ints, dimensions: Sequence[Levels], most: int) -> Tallied:
    """Add up `amount` in every cell; count distinct contributors and keep the `most` largest of them.

    Contributions are ordered by size without sign; a contributor's records in one cell are one contribution.
    """
    parts = [_combination(nodes, amount, who, dimensions, levels, most) for levels in _levels(dimensions)]
    return Tallied(*(np.concatenate(column) for column in zip(*parts, strict=True)))


def _levels(dimensions: Sequence[Levels]) -> Iterator[tuple[int, ...]]:
    return product(*(range(len(d.ancestors)) for d in dimensions))


def _combination(
    nodes: Sequence[Ints], amount: Floats, who: Ints, dimensions: Sequence[Levels], levels: Sequence[int], most: int
) -> Tallied:
    """The cells with one given level per dimension."""
    lifted = [d.ancestors[at][n] for d, n, at in zip(dimensions, nodes, levels, strict=True)]
    there = np.logical_and.reduce([d.level[a] == at for d, a, at in zip(dimensions, lifted, levels, strict=True)])
    lifted, amount, who = [a[there] for a in lifted], amount[there], who[there]
    order = np.lexsort((who, *reversed(lifted)))
    cell, person = _runs([a[order] for a in lifted], who[order])
    merged, first = _merged(amount[order], person)
    return _summed([a[order][first] for a in lifted], cell[first], merged, who[order][first], most)


def _runs(columns: list[NDArray[Any]], who: Ints) -> tuple[Ints, Ints]:
    """Number the runs of equal cells, and of equal contributors within them."""
    if len(who) == 0:
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    new_cell = np.ones(len(who), dtype=np.bool_)
    new_cell[1:] = np.logical_or.reduce([c[1:] != c[:-1] for c in columns])
    new_person = new_cell.copy()
    new_person[1:] |= who[1:] != who[:-1]
    return np.cumsum(new_cell) - 1, np.cumsum(new_person) - 1


def _merged(amount: Floats, run: Ints) -> tuple[Floats, Ints]:
    """Sum of every run and the place where it starts."""
    first = np.flatnonzero(np.diff(run, prepend=-1))
    return (np.add.reduceat(amount, first) if len(first) else amount), first


def _summed(columns: list[NDArray[Any]], cell: Ints, amount: Floats, who: Ints, most: int) -> Tallied:
    starts = np.flatnonzero(np.diff(cell, prepend=-1))
    total = np.add.reduceat(amount, starts) if len(starts) else np.zeros(0)
    count = np.diff(np.append(starts, len(cell)))
    largest, whose = _largest(cell, amount, who, len(starts), most)
    cells = np.stack([c[starts].astype(np.int32) for c in columns], axis=1)
    return Tallied(cells, total, count, largest, whose)


@njit(cache=True)
def _largest(cell: Ints, amount: Floats, who: Ints, cells: int, most: int) -> tuple[Floats, Ints]:
    """The largest contributions of every cell by size without sign; equal ones in the order they come."""
    largest, whose = np.zeros((cells, most)), np.full((cells, most), -1, np.int64)
    for i in range(len(cell)):
        c = cell[i]
        at = most
        while at > 0 and (whose[c, at - 1] < 0 or abs(amount[i]) > abs(largest[c, at - 1])):
            at -= 1
        if at < most:
            for j in range(most - 1, at, -1):
                largest[c, j], whose[c, j] = largest[c, j - 1], whose[c, j - 1]
            largest[c, at], whose[c, at] = amount[i], who[i]
    return largest, whose
