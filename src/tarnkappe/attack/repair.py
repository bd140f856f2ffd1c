"""The cheapest further cells that protect one cell, by linear programming over all sums of the table.

This is the heuristic of CONFID (Wettig 2002, L649): the cell must move by what is required; the movement that costs least, with
cells already hidden moving for nothing, shows which cells to hide. It is used where no single cuboid is enough, because several
cycles together can carry more than one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from scipy.sparse import csc_array, hstack

from tarnkappe.attack.hidden import sums_between
from tarnkappe.attack.witnesses import Room, Witnesses
from tarnkappe.data.column import Bools, Floats, Ints
from tarnkappe.data.relations import Relations
from tarnkappe.kernels.forced import Scratch, Sums, impossible, new_scratch
from tarnkappe.kernels.unknowns import Incidence, incidence, surroundings
from tarnkappe.solve import Polytope, Solver

SIZES = (300, 1500, 8000)
"""Neighbourhoods that are tried before the whole table."""
LARGE = 60_000
"""In tables with more cells the sums above a cell come along before the whole table is tried: quicker, and dearer. Where only
hidden cells may move, the whole table is not tried."""
CHEAP = (0.5, 0.95)
"""Before all open cells, these shares of them are tried, the cheapest: otherwise the totals next door would be taken."""
FARTHEST = 16.0
"""No cell moves farther than so many times the way of the one to be protected; keeps the numbers of a program alike."""
MOVED = 1e-8
"""A cell takes part in a movement when it moves by more than this share of the largest one."""
CARRIERS = 8
"""Before all cells, those are tried of which so many together can carry what the cell must move by."""
SHUN = 10.0
"""A shunned cell is moved when it saves moving so many others."""
NEW = 100.0
"""A cell that costs nothing is hidden when it saves moving so many hidden ones."""
SHORT = 1e-9
"""A movement is long enough when it is short by less than this share."""


@dataclass(frozen=True, slots=True, eq=False)
class Wanted:
    """What one cell needs: so far up, so far down; and the cells that must not move for it."""

    cell: int
    up: float
    down: float
    fixed: Bools
    shunned: Bools | None = field(default=None, kw_only=True)
    """Cells that are moved only if others do not do as well: single respondents know them."""


class _Try(NamedTuple):
    """Cells that may move, how many of them around the one to be protected, and whether with the sums above it."""

    cells: Bools
    size: int
    sums: bool = False


@dataclass(slots=True, eq=False)
class Repair:
    """Finds movements; hides nothing itself."""

    relations: Relations
    room: Room
    """`hidden` is read anew for every question."""
    barred: Bools
    cost: Floats
    solver: Solver
    farthest: float = FARTHEST
    """So many times the way of the cell to be protected others may move."""
    matrix: csc_array = field(init=False)
    tied: Incidence = field(init=False)
    sums: Sums = field(init=False)
    scratch: Scratch = field(init=False)
    least: Floats = field(init=False)
    """How far every cell can move to either side."""
    near: Bools = field(init=False)
    """Always False between questions."""
    seen: Ints = field(init=False)
    limits: Floats = field(init=False)

    def __post_init__(self) -> None:
        by_relation = self.relations.matrix()
        self.matrix = by_relation.tocsc()
        self.tied = incidence(by_relation, self.matrix)
        self.sums = Sums(self.tied, by_relation.data.astype(np.float64))
        self.scratch = new_scratch(self.sums)
        self.least = np.minimum(self.room.down, self.room.up)
        self.near = np.zeros(self.relations.cells, dtype=np.bool_)
        self.seen = np.zeros(self.relations.cells + 1, dtype=np.int64)
        may = self.cost[~self.barred & ~self.room.hidden]
        self.limits = np.quantile(may, CHEAP) if len(may) else np.zeros(0)

    def movements(self, wanted: Wanted, *, frozen: bool, most: int | None = None) -> Witnesses | None:
        """One movement up and one down; None where there is none.

        With `frozen` only hidden cells move. With `most` it is given up where no neighbourhood of so many cells has any.
        """
        usable = self.room.hidden if frozen else self.room.hidden | ~self.barred
        usable = usable & ~wanted.fixed
        lent = np.zeros(0, dtype=np.int64)
        found = []
        for sign, amount in ((1, wanted.up), (-1, wanted.down)):
            if amount > 0:
                self.room.hidden[lent] = True  # what the way up hides is free for the way down
                found.append(
                    self._near(wanted, sign, amount, self._tries(usable, amount, frozen=frozen, most=most))
                )
                self.room.hidden[lent] = False
                if found[-1] is None:
                    return None
                lent = found[-1][0][~self.room.hidden[found[-1][0]]]
        cells = [f[0] for f in found if f is not None]
        return Witnesses(
            np.full(len(cells), wanted.cell),
            np.cumsum([0, *map(len, cells)]).astype(np.int64),
            np.concatenate([*cells, np.zeros(0, np.int64)]),
            np.concatenate([*(f[1] for f in found if f is not None), np.zeros(0)]),
        )

    def price(self, movements: Witnesses) -> float:
        """What hiding the open cells of some movements costs."""
        cells = np.unique(movements.cell)
        return float(self.cost[cells[~self.room.hidden[cells]]].sum())

    def _tries(self, usable: Bools, amount: float, *, frozen: bool, most: int | None) -> list[_Try]:
        """What is tried, cheap, able and few cells first.

        Where neighbourhoods in a large table have no movement, the sums above the cell come along: with all of them there is
        one, unless some must stay open, and a program over the whole table would take minutes.
        """
        limits = np.zeros(0) if frozen else self.limits
        cheap = [usable & (self.room.hidden | (self.cost <= limit)) for limit in limits]
        able, large = usable & (self.least >= amount / CARRIERS), len(usable) > LARGE
        sizes = SIZES if most is None else tuple(size for size in SIZES if size <= most)
        tries = [_Try(cells, size) for cells in cheap for size in sizes[1:3]]
        if large and not frozen and most is None:
            tries += [_Try(cells, size) for cells in (able, usable) for size in SIZES[:-1]]
            return [
                *tries,
                _Try(usable, SIZES[-1], sums=True),
                *(_Try(cells, len(usable)) for cells in (able, usable)),
            ]
        more = () if large or most is not None else (len(usable),)
        return tries + [
            _Try(cells, min(size, len(usable))) for cells in (able, usable) for size in (*sizes, *more)
        ]

    def _near(
        self, wanted: Wanted, sign: int, amount: float, tries: list[_Try]
    ) -> tuple[Ints, Floats] | None:
        tried: dict[int, int] = {}
        hopeless: dict[int, bool] = {}
        for cells, size, sums in tries:
            if id(cells) not in hopeless:
                hopeless[id(cells)] = self._impossible(cells, wanted.cell, sign * amount)
            if hopeless[id(cells)]:
                continue
            near = surroundings(self.tied, cells, wanted.cell, size, self.seen)
            if sums:
                near = np.concatenate([near, np.setdiff1d(self._above(wanted.cell, cells), near)])
            if len(near) > tried.get(id(cells), 0) and not self._impossible_within(near, sign * amount):
                found = self._within(near, sign, amount, wanted.shunned)
                if found is not None:
                    return found
            tried[id(cells)] = len(near)
        return None

    def _impossible(self, free: Bools, cell: int, move: float) -> bool:
        """Whether a glance at the sums shows that no program can succeed; most that have no movement fail here."""
        room = self.room.down, self.room.up
        return bool(impossible(self.sums, free, room, cell, move, self.farthest * abs(move), self.scratch))

    def _impossible_within(self, near: Ints, move: float) -> bool:
        self.near[near] = True
        blocked = self._impossible(self.near, int(near[0]), move)
        self.near[near] = False
        return blocked

    def _above(self, cell: int, usable: Bools) -> Ints:
        """All sums above a cell, and where it is a sum itself, above the part of it that can move farthest."""
        below, part = -1, cell
        while part != below:
            below = part
            parts = self._parts(below)
            parts = parts[usable[parts]]
            if len(parts):
                part = int(parts[np.argmax(self.least[parts])])
        found, waiting = {below}, [below]
        while waiting:
            sums = {int(t) for t in self._sums(waiting.pop())} - found
            found |= sums
            waiting += sums
        above = np.array(sorted(found), dtype=np.int64)
        return above[usable[above]]

    def _sums(self, cell: int) -> Ints:
        """The sums one step above a cell."""
        total = self.relations.total[self._relations(cell)]
        return np.asarray(total[(total >= 0) & (total != cell)])

    def _parts(self, cell: int) -> Ints:
        """The parts of a cell along the first dimension that divides it."""
        mine = self._relations(cell)
        mine = mine[self.relations.total[mine] == cell][:1]
        cells = [self.relations.cell[self.relations.start[r] : self.relations.start[r + 1]] for r in mine]
        parts = np.concatenate([np.zeros(0, np.int64), *cells])
        return np.asarray(parts[parts != cell])

    def _relations(self, cell: int) -> Ints:
        return np.asarray(self.tied.relation[self.tied.of_cell[cell] : self.tied.of_cell[cell + 1]])

    def _within(
        self, cells: Ints, sign: int, amount: float, shunned: Bools | None
    ) -> tuple[Ints, Floats] | None:
        part = sums_between(self.matrix, cells)
        down, up = (
            np.minimum(side[cells], self.farthest * amount) for side in (self.room.down, self.room.up)
        )
        down[0], up[0] = (0.0, amount) if sign > 0 else (amount, 0.0)
        return self._cheapest(part, cells, (down, up), sign, shunned)

    def _cheapest(
        self, part: csc_array, cells: Ints, room: tuple[Floats, Floats], sign: int, shunned: Bools | None
    ) -> tuple[Ints, Floats] | None:
        price = np.where(self.room.hidden[cells], 0.0, self.cost[cells])
        little = 1e-6 * price.max(initial=0.0) + 1e-9
        price = price + (little if shunned is None else np.where(shunned[cells], SHUN * little, little))
        price[~self.room.hidden[cells] & (self.cost[cells] <= 0)] += NEW * little
        moved = least_movement(Polytope(part, -room[0], room[1]), sign, price, self.solver)
        if moved is None:
            return None
        keep = np.abs(moved) > MOVED * np.abs(moved).max()
        return cells[keep], moved[keep]


def laid_out(up: float, down: float, span: float, room: tuple[float, float]) -> Iterator[tuple[float, float]]:
    """How far up and down a cell moves: as required, and what the span asks beyond laid upwards or downwards first."""
    more = span - up - down
    if more <= 0:
        yield up, down
        return
    above, below = min(more, max(room[0] - up, 0.0)), min(more, max(room[1] - down, 0.0))
    yield up + above, down + more - above
    if below > more - above:
        yield up + more - below, down + below


def least_movement(free: Polytope, sign: int, price: Floats, solver: Solver) -> Floats | None:
    """The cheapest movement that moves the first cell to its bound up (1) or down (-1); None where there is none.

    Movements up and down are columns of their own, each with its price.
    """
    count = len(price)
    low = np.zeros(2 * count)
    low[0 if sign > 0 else count] = (free.high[0] if sign > 0 else -free.low[0]) * (1 - SHORT)
    both = Polytope(hstack([free.matrix, -free.matrix]).tocsc(), low, np.concatenate([free.high, -free.low]))
    point = solver.open(both).cheapest(np.concatenate([price, price]))
    return None if point is None else point[:count] - point[count:]
