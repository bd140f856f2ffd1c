"""Sums, counts and largest contributions of every cell, all levels of all dimensions, from records.

Records are first given the number of their innermost cell. A combination of levels, one per dimension, then maps innermost
cells to coarser ones, and one pass over the records, sorted by counting, adds everything up. Work is linear in the records
for every combination, memory linear in the records and in the cells.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from tarnkappe.kernels.coding import dense_codes
from tarnkappe.kernels.lattice import keys_of

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Nodes = NDArray[np.int32]

OWN, LIKE, TIMES, REST, WEIGHT = range(5)
"""Columns of what a record adds; without weights there is only the first."""


class Levels(NamedTuple):
    """A dimension as seen from its nodes."""

    level: Nodes
    """Level of every node."""
    ancestors: tuple[Ints, ...]
    """Per level: the ancestor of every node on it, or higher where the tree has no node there."""


class Tallied(NamedTuple):
    """Cells with what was found about each."""

    cells: Nodes
    total: Floats
    size: Floats
    """Sum of the contributions without their signs."""
    contributors: Ints
    """How many there are."""
    weight: Floats
    largest: Floats
    who: Ints


def units(x: Floats, w: Floats, one: float = 1.0) -> Floats:
    """What records with weights add: a record with weight w stands for w units with its value.

    The first of them is the contributor himself; the others are units outside the sample that nobody knows: as many whole
    ones as fit into the weight, and a last one for the fraction that is left. A weight below 1 is one contributor with
    that part of the value. Weights may be given in parts (`one` of them make 1), values are then in the same parts.
    """
    out = np.empty((len(x), 5))
    out[:, OWN] = x * np.minimum(w, one)
    out[:, LIKE] = x * one
    beyond = np.maximum(w - one, 0.0)
    out[:, TIMES] = np.floor(beyond / one)
    out[:, REST] = x * (beyond - out[:, TIMES] * one)
    out[:, WEIGHT] = w
    return out


def tally(
    nodes: Nodes, amount: Floats, who: Ints, dimensions: Sequence[Levels], strides: Ints, most: int
) -> Tallied:
    """Add up in every cell of every level; count distinct contributors and keep the `most` largest contributions.

    Contributions are ordered by size without sign, equal ones by the number of the contributor, units outside the sample
    last. Records of one contributor in one cell are one contribution.

    Parameters
    ----------
    nodes
        (records, dimensions) the leaf of every record.
    amount
        (records, 1) values, or (records, 5) what `units` gives.
    who
        Number of the contributor of every record, from 0.
    """
    innermost, first = _numbered(keys_of(nodes, strides))
    leaves, order = nodes[first], _order(innermost, who)
    innermost, who, amount = innermost[order], who[order], amount[order]
    parts = []
    for levels in product(*(range(len(d.ancestors)) for d in dimensions)):
        cells, into = _lifted(leaves, dimensions, levels, strides)
        if len(cells):
            parts.append(Tallied(cells, *_added(into[innermost], who, amount, len(cells), most)))
    return Tallied(*(np.concatenate(column) for column in zip(*parts, strict=True)))


def _order(innermost: Ints, who: Ints) -> Ints:
    """Contributors one after the other; where each has one record, by cell, so that memory is read in order."""
    alone = bool(np.all(np.diff(who) > 0))
    return np.argsort(innermost if alone else who, kind="stable")


def _numbered(keys: Ints) -> tuple[Ints, Ints]:
    """Equal keys get equal numbers 0, 1, …; and where each number comes first."""
    numbers, count = dense_codes(keys)
    first = np.empty(count, dtype=np.int64)
    first[numbers[::-1]] = np.arange(len(keys) - 1, -1, -1)
    return numbers, first


def _lifted(
    leaves: Nodes, dimensions: Sequence[Levels], levels: Sequence[int], strides: Ints
) -> tuple[Nodes, Ints]:
    """The cells with given levels, and for every innermost cell the number of the one it lies in; -1 where in none.

    A tree may have no node of a level above some leaf: such leaves take no part.
    """
    up = np.empty_like(leaves)
    there = np.ones(len(leaves), dtype=np.bool_)
    for j, (dimension, level) in enumerate(zip(dimensions, levels, strict=True)):
        up[:, j] = dimension.ancestors[level][leaves[:, j]]
        there &= dimension.level[up[:, j]] == level
    numbers, first = _numbered(keys_of(up[there], strides))
    into = np.full(len(leaves), -1, dtype=np.int64)
    into[there] = numbers
    return up[there][first], into


@njit(cache=True)
def _added(
    cell: Ints, who: Ints, amount: Floats, cells: int, most: int
) -> tuple[Floats, Floats, Ints, Floats, Floats, Ints]:
    """Total, size, count, weight, largest contributions and contributors of every cell.

    The records of one contributor in one cell must follow each other, with no other record of that cell between them.
    """
    total, size, weight = np.zeros(cells), np.zeros(cells), np.zeros(cells)
    count = np.zeros(cells, np.int64)
    largest, whose = np.zeros((cells, most)), np.full((cells, most), -1, np.int64)
    start, order = _by_cell(cell, cells)
    weighted = amount.shape[1] > 1
    for c in range(cells):
        at, kept = start[c], 0
        while at < start[c + 1]:
            person, began, own = who[order[at]], at, 0.0
            while at < start[c + 1] and who[order[at]] == person:
                own += amount[order[at], OWN]
                at += 1
            count[c] += 1
            total[c] += own
            size[c] += abs(own)
            kept = _keep(largest, whose, c, own, person, kept)
            if not weighted:
                continue
            for i in order[began:at]:
                like, times, rest = amount[i, LIKE], amount[i, TIMES], amount[i, REST]
                weight[c] += amount[i, WEIGHT]
                if like == 0:
                    continue
                total[c] += like * times + rest
                size[c] += abs(like * times + rest)
                for _ in range(min(times, most)):
                    kept = _keep(largest, whose, c, like, -1, kept)
                if rest != 0:
                    kept = _keep(largest, whose, c, rest, -1, kept)
    return total, size, count, weight, largest, whose


@njit(cache=True)
def _by_cell(cell: Ints, cells: int) -> tuple[Ints, Ints]:
    """Where every cell begins in the order by cell, and that order; within a cell as they come. -1 is no cell."""
    start = np.zeros(cells + 1, np.int64)
    for c in cell:
        if c >= 0:
            start[c + 1] += 1
    start = np.cumsum(start)
    order, following = np.empty(start[-1], np.int64), start[:-1].copy()
    for i in range(len(cell)):
        c = cell[i]
        if c >= 0:
            order[following[c]] = i
            following[c] += 1
    return start, order


@njit(cache=True)
def _keep(largest: Floats, whose: Ints, c: int, amount: float, person: int, kept: int) -> int:
    """Put a contribution into its place among the largest; returns how many there are."""
    most, size = largest.shape[1], abs(amount)
    at = kept
    while at > 0:
        ahead, other = abs(largest[c, at - 1]), whose[c, at - 1]
        if size < ahead or (size == ahead and (person < 0 or 0 <= other < person)):
            break
        at -= 1
    if at == most:
        return kept
    for j in range(min(kept, most - 1), at, -1):
        largest[c, j], whose[c, j] = largest[c, j - 1], whose[c, j - 1]
    largest[c, at], whose[c, at] = amount, person
    return kept if kept == most else kept + 1
