"""Cuboids of hidden cells as proofs: movements that are found in no time, and checked against all sums before they are believed.

In a table of many cells nearly every interval is wide enough because of a few cells nearby, the corners of a cuboid; programs are
needed for the rest only. Who hid the cells, and how, does not matter.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from tarnkappe.attack.closeness import sizes
from tarnkappe.attack.intervals import CLOSE, Asked
from tarnkappe.attack.witnesses import Room, Witnesses, joined
from tarnkappe.data.column import Bools, Floats, Ints
from tarnkappe.data.table import Table
from tarnkappe.kernels.cuboids import Cells, Lattice, new_lattice
from tarnkappe.kernels.quader import STAGED, new_space
from tarnkappe.kernels.witnesses import CHECK, Book, Goals, corners, new_book, work

CORNERS = 256
"""Most corners of a cuboid, unless a plain one or a tower has more,"""
TOWER = 1024
"""a tower up to so many. It is a cell of the lowest level with all sums above it: they can move up together by any amount."""
MANY = 2000
"""With fewer hidden cells programs are as quick."""
LITTLE = 1e-3
"""Hidden cells of which nothing is asked are moved by this share of their size."""


def lattice_of(table: Table) -> Lattice:
    """The structure of a table; dimensions with one code only have no sums and are left out."""
    real = [j for j, h in enumerate(table.dimensions) if len(h) > 1]
    return new_lattice(table.key, np.ascontiguousarray(table.up[:, real]))


def most_corners(table: Table) -> int:
    """How many corners a cuboid of a table may have."""
    real = [h for h in table.dimensions if len(h) > 1]
    tower = math.prod(int(h.level.max()) + 1 for h in real)
    return max(CORNERS, 1 << len(real), min(TOWER, tower))


def both_ways(book: Book, pivot: Ints, most: Floats, room: Room) -> tuple[Witnesses, Witnesses]:
    """The cuboids of a book as movements up and down, as far as their corners and `most` allow."""
    place, start, row, sign = corners(book)
    size = np.diff(start)
    ways = []
    for way in (1, -1):
        rooms = np.where(way * sign > 0, room.up[row], room.down[row])
        amount = np.minimum.reduceat(rooms, start[:-1]) if len(row) else np.zeros(0)
        amount = np.minimum(amount, most[place // 2])
        ways.append(Witnesses(pivot[place // 2], start, row, way * sign * np.repeat(amount, size)))
    return ways[0], ways[1]


def with_cuboids(asked: Asked, table: Table, hidden: Bools, low: Floats, high: Floats) -> Asked:
    """What is asked of a table with many hidden cells, together with what cuboids of them prove."""
    if hidden.sum() <= MANY or not (np.isfinite(asked.down).all() and np.isfinite(asked.up).all()):
        return asked
    if asked.whole:
        low, high = np.ceil(low - CLOSE), np.floor(high + CLOSE)
    room = Room(hidden, np.maximum(table.value - low, 0.0), np.maximum(high - table.value, 0.0))
    down, up = np.minimum(asked.down, room.down), np.minimum(asked.up, room.up)
    return replace(asked, shown=by_cuboids(table, room, down, up))


def by_cuboids(table: Table, room: Room, down: Floats, up: Floats) -> Witnesses:
    """Movements that prove what is asked, as far as cuboids can; the other hidden cells are moved a little."""
    lattice = lattice_of(table)
    asked = np.flatnonzero(room.hidden & ((down > 0) | (up > 0)))
    found = _found(table, lattice, room, asked, (down[asked], up[asked]))
    moved = np.zeros(len(table), dtype=np.bool_)
    moved[found.cell[found.amount != 0]] = True
    rest = np.flatnonzero(room.hidden & ~moved)
    little = LITTLE * sizes(table.value)[rest]
    if table.counts:
        little = np.ones(len(rest))
    nudges = np.minimum(little, room.down[rest]), np.minimum(little, room.up[rest])
    return joined([found, _found(table, lattice, room, rest, nudges)])


def _found(
    table: Table, lattice: Lattice, room: Room, pivot: Ints, asked: tuple[Floats, Floats]
) -> Witnesses:
    """Cuboids for some cells, each as far as it is asked for; nothing for cells that have none."""
    down, up = asked
    space, count = new_space(lattice.up.shape[1], most_corners(table)), len(pivot)
    nobody, nothing = np.full(count, -1, dtype=np.int64), np.zeros(count)
    goals = Goals(pivot, up, down, nothing, nobody, nobody, down, nothing, np.full(count, -1.0))
    book = new_book(count, len(table), most_corners(table))
    items = np.arange(count, dtype=np.int64)
    book = work(lattice, _cells(room), goals, book, items, (CHECK, STAGED), space)[1]
    return joined(list(both_ways(book, pivot, _most(table.value[pivot], down, up, whole=table.counts), room)))


def _cells(room: Room) -> Cells:
    """Nothing but hidden cells, all for nothing."""
    none, free = np.zeros(len(room.hidden), dtype=np.bool_), np.zeros(len(room.hidden))
    nobody = np.full(len(room.hidden), -1, dtype=np.int64)
    return Cells(
        room.hidden.copy(), ~room.hidden, room.down, room.up, free, free, nobody, none[:0], none, free
    )


def _most(value: Floats, down: Floats, up: Floats, *, whole: bool) -> Floats:
    """A movement goes no farther than is of use."""
    most = np.abs(value) + down + up
    return np.ceil(most) if whole else most
