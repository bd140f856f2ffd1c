"""The book of witnesses: for every cell that needs protection, the cuboids that prove it.

A witness is a cuboid of hidden cells: its corners can move by ±ε while every published sum stays as it is. The book
knows which witnesses lean on which cell, so that a superfluous cell can be shown again after looking at those alone.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from tarnkappe.kernels.cuboids import Cells, Lattice, better
from tarnkappe.kernels.quader import Goal, Space, secure

Ints = NDArray[np.int64]
Rows = NDArray[np.int32]
Bytes = NDArray[np.int8]
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]


class Goals(NamedTuple):
    """What every pivot needs, one entry per pivot; see `Goal`."""

    pivot: Ints
    up: Floats
    down: Floats
    span: Floats
    own: Ints
    guard: Floats


class Book(NamedTuple):
    """Two places per pivot, for its first and its second cuboid; entries of one cell are chained."""

    row: Rows
    """(2 × pivots, most corners)"""
    sign: Bytes
    size: Ints
    head: Rows
    """By cell, the first entry that leans on it; -1."""
    after: Rows
    before: Rows


def new_book(pivots: int, cells: int, most: int) -> Book:
    return Book(
        np.full((2 * pivots, most), -1, np.int32), np.zeros((2 * pivots, most), np.int8), np.zeros(2 * pivots, np.int64),
        np.full(cells, -1, np.int32), np.full(2 * pivots * most, -1, np.int32), np.full(2 * pivots * most, -1, np.int32),
    )  # fmt: skip


@njit(cache=True)
def goal_of(goals: Goals, i: int) -> Goal:
    return Goal(goals.pivot[i], goals.up[i], goals.down[i], goals.span[i], goals.own[i], goals.guard[i])


@njit(cache=True)
def protect(
    lattice: Lattice, cells: Cells, goals: Goals, book: Book, order: Ints, how: tuple[int, bool], space: Space
) -> Ints:
    """Protect the pivots in their order, each at the least price; return those that found nothing."""
    reach, frozen = how
    failed = np.empty(len(order), np.int64)
    count = 0
    for i in order:
        found, _, _ = secure(lattice, cells, goal_of(goals, i), reach, frozen, space)
        if found:
            _enter(cells, book, i, space)
        else:
            failed[count] = i
            count += 1
    return failed[:count]


@njit(cache=True)
def _enter(cells: Cells, book: Book, i: int, space: Space) -> None:
    """Write the witnesses of a pivot into the book and hide their corners."""
    strike(book, i)
    most = book.row.shape[1]
    for which in range(2):
        place = 2 * i + which
        book.size[place] = space.size[which]
        for c in range(space.size[which]):
            row, entry = space.row[which, c], place * most + c
            cells.hidden[row] = True
            book.row[place, c], book.sign[place, c] = row, space.sign[which, c]
            book.before[entry], book.after[entry] = -1, book.head[row]
            if book.head[row] >= 0:
                book.before[book.head[row]] = entry
            book.head[row] = entry


@njit(cache=True)
def strike(book: Book, i: int) -> None:
    """Take the witnesses of a pivot out of the book."""
    most = book.row.shape[1]
    for place in (2 * i, 2 * i + 1):
        for c in range(book.size[place]):
            entry, row = place * most + c, book.row[place, c]
            if book.before[entry] >= 0:
                book.after[book.before[entry]] = book.after[entry]
            else:
                book.head[row] = book.after[entry]
            if book.after[entry] >= 0:
                book.before[book.after[entry]] = book.before[entry]
        book.size[place] = 0


@njit(cache=True)
def improve(
    lattice: Lattice, cells: Cells, goals: Goals, book: Book, spare: Bools, reach: int, space: Space
) -> int:
    """Look again for every pivot, with the cells that only it needs shown; return how many found something cheaper."""
    changed = 0
    for i in range(len(goals.pivot)):
        alone = _alone(cells, book, spare, i)
        if len(alone) == 0:
            continue
        rank, cost = cells.rank[alone].sum(), cells.cost[alone].sum()
        cells.hidden[alone] = False
        found, new_rank, new_cost = secure(lattice, cells, goal_of(goals, i), reach, False, space)
        if found and better(new_rank, new_cost, rank, cost - 1e-9 * abs(cost)):
            _enter(cells, book, i, space)
            changed += 1
        else:
            cells.hidden[alone] = True
    return changed


@njit(cache=True)
def _alone(cells: Cells, book: Book, spare: Bools, i: int) -> Ints:
    """The cells of our own hiding that no other pivot leans on."""
    most = book.row.shape[1]
    out, count = np.empty(2 * most, np.int64), 0
    for place in (2 * i, 2 * i + 1):
        for c in range(book.size[place]):
            row = book.row[place, c]
            if not spare[row] or not cells.hidden[row]:
                continue
            entry, only = book.head[row], True
            while entry >= 0 and only:
                only = entry // (2 * most) == i
                entry = book.after[entry]
            if only and not (out[:count] == row).any():
                out[count] = row
                count += 1
    return out[:count]


@njit(cache=True)
def release(
    lattice: Lattice, cells: Cells, goals: Goals, book: Book, order: Ints, reach: int, space: Space
) -> int:
    """Show hidden cells again, in the given order, where every pivot that leans on them finds another witness."""
    shown = 0
    for row in order:
        if not cells.hidden[row]:
            continue
        cells.hidden[row] = False
        while book.head[row] >= 0:
            i = np.int64(book.head[row]) // (2 * book.row.shape[1])
            found, _, _ = secure(lattice, cells, goal_of(goals, i), reach, True, space)
            if not found:
                break
            _enter(cells, book, i, space)
        if book.head[row] >= 0:
            cells.hidden[row] = True
        else:
            shown += 1
    return shown
