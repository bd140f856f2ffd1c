"""The book of witnesses: for every cell that needs protection, the cuboids that prove it.

A witness is a cuboid of hidden cells: its corners can move by ±ε while every published sum stays as it is. The book
knows which witnesses lean on which cell, so that a superfluous cell can be shown again after looking at those alone.
"""

from __future__ import annotations

from typing import NamedTuple, TypeVar

import numpy as np
from numba import njit
from numpy.typing import NDArray

from tarnkappe.kernels.cuboids import Cells, Lattice, better
from tarnkappe.kernels.lean import lean
from tarnkappe.kernels.quader import Goal, Space, secure

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Rows = NDArray[np.int32]
Entry = TypeVar("Entry", np.int8, np.int32, np.int64)

PROTECT, CHECK, IMPROVE, RELEASE = range(4)
START = 8
"""Entries per pivot that a book begins with."""


class Goals(NamedTuple):
    """What every pivot needs, one entry per pivot; see `Goal`."""

    pivot: Ints
    up: Floats
    down: Floats
    span: Floats
    own: Ints
    main: Ints
    rest: Floats
    share: Floats
    guard: Floats


def chosen(goals: Goals, which: Ints) -> Goals:
    """Some of the pivots."""
    return Goals(
        goals.pivot[which], goals.up[which], goals.down[which], goals.span[which], goals.own[which], goals.main[which],
        goals.rest[which], goals.share[which], goals.guard[which],
    )  # fmt: skip


class Book(NamedTuple):
    """Two places per pivot, for its first and its second cuboid. A place has one entry per corner, side by side."""

    start: Ints
    """By place, its first entry,"""
    size: Ints
    """and how many it has."""
    head: Ints
    """By cell, the first entry that leans on it; -1. Entries of one cell are chained."""
    free: Ints
    """The first free block of 1, 2, 4, … entries, chained by `after`, or -1; at the end, how many entries were ever used."""
    row: Rows
    sign: NDArray[np.int8]
    place: Rows
    after: Ints
    before: Ints


def new_book(pivots: int, cells: int, most: int) -> Book:
    """An empty book for cuboids of up to so many corners; it grows when they are written."""
    free = np.full(most.bit_length() + 2, -1, np.int64)
    free[-1] = 0
    count = START * pivots + 4 * most
    return Book(
        np.zeros(2 * pivots, np.int64), np.zeros(2 * pivots, np.int64), np.full(cells, -1, np.int64), free,
        np.empty(count, np.int32), np.empty(count, np.int8), np.empty(count, np.int32), np.empty(count, np.int64),
        np.empty(count, np.int64),
    )  # fmt: skip


def _larger(book: Book) -> Book:
    """The same book with room for more entries."""
    return book._replace(
        row=_longer(book.row), sign=_longer(book.sign), place=_longer(book.place), after=_longer(book.after),
        before=_longer(book.before),
    )  # fmt: skip


def _longer(values: NDArray[Entry]) -> NDArray[Entry]:
    return np.concatenate([values, np.empty(len(values), values.dtype)])


def corners(book: Book) -> tuple[Ints, Ints, Ints, Floats]:
    """The places with a cuboid, where the corners of each begin, their cells and signs."""
    place = np.flatnonzero(book.size)
    size = book.size[place]
    start = np.concatenate([[0], np.cumsum(size)]).astype(np.int64)
    entry = np.arange(start[-1]) + np.repeat(book.start[place] - start[:-1], size)
    return place, start, book.row[entry].astype(np.int64), book.sign[entry].astype(np.float64)


@lean
def goal_of(goals: Goals, i: int) -> Goal:
    return Goal(
        goals.pivot[i], goals.up[i], goals.down[i], goals.span[i], goals.own[i], goals.main[i], goals.rest[i],
        goals.share[i], goals.guard[i],
    )  # fmt: skip


def work(
    lattice: Lattice, cells: Cells, goals: Goals, book: Book, items: Ints, task: tuple[int, int], space: Space
) -> tuple[Ints, Book]:
    """Go through pivots (PROTECT, CHECK, IMPROVE) or cells (RELEASE) in their order; return those where it failed, and the book.

    PROTECT finds the cheapest witnesses of a pivot and hides their corners; CHECK does so with cells that are hidden
    already. IMPROVE looks again for a pivot with the cells shown that only it needs, and takes what is cheaper. RELEASE shows a
    cell if every pivot that leans on it has another witness.
    """
    failed: list[Ints] = []
    while True:
        lost, done = _work(lattice, cells, goals, book, items, task, space)
        failed.append(lost)
        if done == len(items):
            return np.concatenate(failed), book
        items, book = items[done:], _larger(book)


@njit(cache=True)
def _work(
    lattice: Lattice, cells: Cells, goals: Goals, book: Book, items: Ints, task: tuple[int, int], space: Space
) -> tuple[Ints, int]:
    """As `work`; where the book is full it stops and tells how many items are done."""
    what, reach = task
    failed, count, enough = np.empty(len(items), np.int64), 0, len(book.row) - 4 * space.row.shape[1]
    nothing = np.empty(0, np.int64)
    for at in range(len(items)):
        item = items[at]
        if book.free[-1] > enough:
            return failed[:count], at
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
                if book.free[-1] > enough:
                    cells.hidden[item] = True
                    return failed[:count], at
                i = book.place[book.head[item]] // 2
            frozen = 1 if what in (RELEASE, CHECK) else 0
            found, new_rank, new_cost = secure(lattice, cells, goal_of(goals, i), (reach, frozen), space)
            if found and better(new_rank, new_cost, rank, cost - 1e-9 * abs(cost)):
                _enter(cells, book, i, space)
                done = what != RELEASE
            else:
                _hide_again(cells, alone, item if what == RELEASE else -1)
                failed[count] = item
                count += 1
                done = True
    return failed[:count], len(items)


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
def _hide_again(cells: Cells, rows: Ints, row: int) -> None:
    for other in rows:
        cells.hidden[other] = True
    if row >= 0:
        cells.hidden[row] = True


@lean
def _enter(cells: Cells, book: Book, i: int, space: Space) -> None:
    """Write the witnesses of a pivot into the book and hide their corners."""
    _strike(book, i)
    for which in range(2):
        place = 2 * i + which
        start = _taken(book, space.size[which])
        book.start[place], book.size[place] = start, space.size[which]
        for c in range(space.size[which]):
            row, entry = space.row[which, c], start + c
            cells.hidden[row] = True
            book.row[entry], book.sign[entry], book.place[entry] = row, space.sign[which, c], place
            book.before[entry], book.after[entry] = -1, book.head[row]
            if book.head[row] >= 0:
                book.before[book.head[row]] = entry
            book.head[row] = entry


@lean
def _block(size: int) -> int:
    """Which blocks hold so many entries: those of 2 to the power of the answer."""
    power = 0
    while 1 << power < size:
        power += 1
    return power


@lean
def _taken(book: Book, size: int) -> int:
    """A block for so many entries."""
    if size == 0:
        return 0
    power = _block(size)
    start: int = book.free[power]
    if start < 0:
        start = book.free[-1]
        book.free[-1] += 1 << power
    else:
        book.free[power] = book.after[start]
    return start


@lean
def _strike(book: Book, i: int) -> None:
    """Take the witnesses of a pivot out of the book."""
    for place in (2 * i, 2 * i + 1):
        start = book.start[place]
        for entry in range(start, start + book.size[place]):
            row = book.row[entry]
            if book.before[entry] >= 0:
                book.after[book.before[entry]] = book.after[entry]
            else:
                book.head[row] = book.after[entry]
            if book.after[entry] >= 0:
                book.before[book.after[entry]] = book.before[entry]
        if book.size[place] > 0:
            power = _block(book.size[place])
            book.after[start], book.free[power] = book.free[power], start
        book.size[place] = 0


@njit(cache=True)
def _alone(cells: Cells, book: Book, i: int) -> Ints:
    """The cells of our own hiding that no other pivot leans on."""
    out, count = np.empty(book.size[2 * i] + book.size[2 * i + 1], np.int64), 0
    for place in (2 * i, 2 * i + 1):
        for own in range(book.start[place], book.start[place] + book.size[place]):
            row = book.row[own]
            if not cells.spare[row]:
                continue
            entry, only = book.head[row], True
            while entry >= 0 and only:
                only = book.place[entry] // 2 == i
                entry = book.after[entry]
            for k in range(count):
                only &= out[k] != row
            if only:
                out[count] = row
                count += 1
    return out[:count]
