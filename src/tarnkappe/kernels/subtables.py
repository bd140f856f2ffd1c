"""Subtables without subtotals, swept from the highest aggregation down until nothing changes (Wettig 2002, L1017, L1338-1350).

A subtable takes one sum per dimension. A cell stands in up to 2^n of them: along each dimension as the total or as a part. A hidden
cell must lie on a cuboid of hidden cells in each; once it does it stays so, because hidden cells stay hidden. So every pair of
cell and subtable is looked at once, and only subtables with hidden cells are visited.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tarnkappe.kernels.cuboids import Cells, Lattice
from tarnkappe.kernels.quader import Space
from tarnkappe.kernels.witnesses import PROTECT, Goals, chosen, new_book, work

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


class Pairs(NamedTuple):
    """A hidden cell and a subtable; bit j of `mask` is set where the cell is the total along dimension j."""

    row: Ints
    mask: Ints
    level: Ints
    """Depth of the sums; small is high aggregation."""


def sweeps(
    lattice: Lattice, cells: Cells, goals: Goals, depth: Ints, least: Floats, space: Space, most: int
) -> int:
    """Sweep until nothing is added, at most so often; return the number of rounds.

    Pivots have their goals; cells hidden on the way must only stay in doubt: their span is `least`.
    """
    waiting, known = goals.pivot, _by_row(goals, least)
    for rounds in range(1, most + 1):
        before = cells.hidden.copy()
        for row, mask in _groups(_pairs(lattice, depth, waiting), known):
            pairs = chosen(known, row)
            book = new_book(len(row), len(before), space.row.shape[1])
            work(lattice, cells, pairs, book, np.arange(len(row)), (PROTECT, mask), space)
        waiting = np.flatnonzero(cells.hidden & ~before)
        if len(waiting) == 0:
            return rounds
    return most


def _by_row(goals: Goals, least: Floats) -> Goals:
    size = len(least)
    nothing, nobody = np.zeros(size), np.full(size, -1, np.int64)
    known = Goals(
        nobody, nothing, nothing.copy(), least.copy(), nobody.copy(), nobody.copy(), nothing.copy(), nothing.copy(),
        np.full(size, -1.0),
    )  # fmt: skip
    for values, given in zip(known[1:], goals[1:], strict=True):
        values[goals.pivot] = given
    return known


def _pairs(lattice: Lattice, depth: Ints, rows: Ints) -> Pairs:
    """All subtables of some cells."""
    row, mask, level = rows, np.zeros(len(rows), np.int64), np.zeros(len(rows), np.int64)
    for j in range(depth.shape[1]):
        part = lattice.up[row, j] >= 0
        total = lattice.first[j, row] < lattice.first[j, row + 1]
        below = level + depth[row, j]
        row, mask, level = (
            np.concatenate([row[part], row[total]]),
            np.concatenate([mask[part], mask[total] | (1 << j)]),
            np.concatenate([below[part] - 1, below[total]]),
        )
    return Pairs(row, mask, level)


def _groups(pairs: Pairs, known: Goals) -> list[tuple[Ints, int]]:
    """Pairs of one level and one mask together, high aggregation first, the most demanding cells first."""
    need = np.maximum(known.up + known.down, known.span)[pairs.row]
    order = np.lexsort((pairs.row, -need, pairs.mask, pairs.level))
    row, mask, level = (values[order] for values in pairs)
    cuts = np.flatnonzero((np.diff(level) != 0) | (np.diff(mask) != 0)) + 1
    return [
        (part, int(m[0]))
        for part, m in zip(np.split(row, cuts), np.split(mask, cuts), strict=True)
        if len(part)
    ]
