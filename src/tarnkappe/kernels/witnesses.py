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
from tarnkappe.kernels.lean import lean
from tarnkappe.kernels.quader import Goal, Space, secure

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


PROTECT, CHECK, IMPROVE, RELEASE = range(4)


class Goals(NamedTuple):
    """What every pivot needs, one entry per pivot; see `Goal`."""

    pivot: Ints
    up: Floats
    down: Floats
    span: Floats
    own: Ints
    main: Ints
    rest: Floats
    guard: Floats


def chosen(goals: Goals, which: Ints) -> Goals:
    """Some of the pivots."""
    return Goals(
        goals.pivot[which], goals.up[which], goals.down[which], goals.span[which], goals.own[which], goals.main[which],
        goals.rest[which], goals.guard[which],
    )  # fmt: skip


class Book(NamedTuple):
    """Two places per pivot, for its first and its second cuboid; entries of one cell are chained."""

    row: Ints
    """(2 × pivots, most corners)"""
    sign: Ints
    size: Ints
    head: Ints
    """By cell, the first entry that leans on it; -1."""
    after: Ints
    before: Ints


def new_book(pivots: int, cells: int, most: int) -> Book:
    return Book(
        np.full((2 * pivots, most), -1, np.int64), np.zeros((2 * pivots, most), np.int64), np.zeros(2 * pivots, np.int64),
        np.full(cells, -1, np.int64), np.full(2 * pivots * most, -1, np.int64), np.full(2 * pivots * most, -1, np.int64),
    )  # fmt: skip


@lean
def goal_of(goals: Goals, i: int) -> Goal:
    return Goal(
        goals.pivot[i], goals.up[i], goals.down[i], goals.span[i], goals.own[i], goals.main[i], goals.rest[i],
        goals.guard[i],
    )  # fmt: skip


@njit(cache=True)
def work(
    lattice: Lattice, cells: Cells, goals: Goals, book: Book, items: Ints, task: tuple[int, int], space: Space
) -> Ints:
    """Go through pivots (PROTECT, CHECK, IMPROVE) or cells (RELEASE) in their order; return those where it failed.

    PROTECT finds the cheapest witnesses of a pivot and hides their corners; CHECK does so with cells that are hidden
    already. IMPROVE looks again for a pivot with the cells shown that only it needs, and takes what is cheaper. RELEASE shows a
    cell if every pivot that leans on it has another witness.
    """
    what, reach = task
    failed, count, most = np.empty(len(items), np.int64), 0, book.row.shape[1]
    nothing = np.empty(0, np.int64)
    for item in items:
        alone = _alone(cells, book, item) if what == IMPROVE else nothing
        rank, cost = np.inf, np.inf
        if what == IMPROVE:
            rank, cost = _shown(cells, alone)
        elif what == RELEASE:
            cells.hidden[item] = False
        done = what == IMPROVE and len(alone) == 0
        while not done:
            i = item
            if what == RELEASE:
                if book.head[item] < 0:
                    break
                i = book.head[item] // (2 * most)
            frozen = 1 if what in (RELEASE, CHECK) else 0
            found, new_rank, new_cost = secure(lattice, cells, goal_of(goals, i), (reach, frozen), space)
            if found and better(new_rank, new_cost, rank, cost - 1e-9 * abs(cost)):
                _enter(cells, book, i, space)
                done = what != RELEASE
            else:
                if what == RELEASE:
                    cells.hidden[item] = True
                for row in alone:
                    cells.hidden[row] = True
                failed[count] = item
                count += 1
                done = True
    return failed[:count]


@lean
def _shown(cells: Cells, rows: Ints) -> tuple[float, float]:
    """Show some cells; return what it costs to hide them."""
    rank, cost = 0.0, 0.0
    for row in rows:
        cells.hidden[row] = False
        rank += cells.rank[row]
        cost += cells.cost[row]
    return rank, cost


@lean
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


@lean
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
def _alone(cells: Cells, book: Book, i: int) -> Ints:
    """The cells of our own hiding that no other pivot leans on."""
    most = book.row.shape[1]
    out, count = np.empty(2 * most, np.int64), 0
    for place in (2 * i, 2 * i + 1):
        for c in range(book.size[place]):
            row = book.row[place, c]
            if not cells.spare[row]:
                continue
            entry, only = book.head[row], True
            while entry >= 0 and only:
                only = entry // (2 * most) == i
                entry = book.after[entry]
            for k in range(count):
                only &= out[k] != row
            if only:
                out[count] = row
                count += 1
    return out[:count]
