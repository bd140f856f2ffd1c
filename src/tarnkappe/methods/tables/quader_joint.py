"""Small tables: all confidential cells at once, by one program with whole numbers, where that costs less than one cell after the other.

Cuboids are chosen for one cell after the other, and what is cheapest for each need not be so for all: a circle of six cells may serve two of
them for half of what cuboids cost. The program is that of the exact optimisation (Wettig 2002, L559-573), cut short: it hides
the cheapest cells such that every confidential cell can move as far as it must. What it finds is protected and proven like
everything else, against insiders too, and taken only if it then still costs less.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.sparse import coo_array

from tarnkappe.data.column import Bools, Floats, Ints
from tarnkappe.data.relations import Relations
from tarnkappe.kernels.cuboids import Cells
from tarnkappe.kernels.witnesses import Goals
from tarnkappe.solve import Choice
from tarnkappe.solve.highs import Highs

MOST = 400
"""Cells times pivots; with more it takes longer than it is worth."""
FARTHEST = 16.0
"""No cell moves farther than so many times what a pivot must."""
CHEAPER = 1e-6
"""It must save at least this share."""


@dataclass(frozen=True, slots=True, eq=False)
class Joint:
    """What is asked of all pivots together."""

    relations: Relations
    cells: Cells
    """As before the first search."""
    goals: Goals
    """Of the confidential cells."""

    @property
    def small(self) -> bool:
        """Whether it is worth trying."""
        return 0 < len(self.goals.pivot) * int(self._usable().sum()) <= MOST

    def cost(self, hidden: Bools) -> float:
        """What is hidden beyond what was at the beginning costs so much."""
        return float(self._price()[hidden & ~self.cells.hidden].sum())

    def cheaper(self, hidden: Bools) -> Bools | None:
        """Cells to hide that cost less and let every pivot move as far as it must, all at the same time or not; None: none was found."""
        use = np.flatnonzero(self._usable())
        open_ = use[~self.cells.hidden[use]]
        limit = self.cost(hidden) * (1 - CHEAPER)
        if len(open_) == 0 or limit <= 0:
            return None
        found = Highs().choose(self._choice(use, open_, limit))
        if found is None or found.point is None:
            return None
        out = self.cells.hidden.copy()
        out[open_[found.point[: len(open_)] > 0.5]] = True
        return out

    def _usable(self) -> Bools:
        return np.asarray(self.cells.hidden | ~self.cells.barred)

    def _price(self) -> Floats:
        """The rank decides, the cost breaks ties."""
        rank, cost = self.cells.rank, self.cells.cost
        return rank * (1.0 + cost.sum()) + cost if rank.any() else cost

    def _choice(self, use: Ints, open_: Ints, limit: float) -> Choice:
        """Columns: hide an open cell or not; then for every pivot up and down how far each cell moves up, and how far down."""
        goals, program = self.goals, _Program(len(open_))
        sums = self.relations.matrix().tocsc()[:, use].tocoo()
        hide = np.searchsorted(open_, use)
        hide = np.where(self.cells.hidden[use], -1, hide)
        for i, at in enumerate(np.searchsorted(use, goals.pivot).tolist()):
            need = float(max(goals.up[i], goals.down[i], goals.span[i]))
            room = tuple(
                np.minimum(side[use], FARTHEST * need) / need for side in (self.cells.up, self.cells.down)
            )
            above, below = (program.movement(sums, hide, room) for _ in range(2))
            own = (above[0] + at, above[1] + at), (below[1] + at, below[0] + at)
            for (plus, minus), asked in zip(own, (goals.up[i], goals.down[i]), strict=True):
                program.row([plus, minus], [1.0, -1.0], asked / need, np.inf)
            program.row([*own[0], *own[1]], [1.0, -1.0, 1.0, -1.0], goals.span[i] / need, np.inf)
        price = self._price()[open_] / limit
        program.row(np.arange(len(open_)), price, 0.0, 1.0)
        return program.choice(price)


class _Program:
    """A program that is written row by row."""

    def __init__(self, hides: int) -> None:
        self._hides = hides
        self._most: list[Floats] = [np.ones(hides)]
        self._columns, self._rows = hides, 0
        self._row: list[Ints] = []
        self._column: list[Ints] = []
        self._coefficient: list[Floats] = []
        self._low: list[Floats] = []
        self._high: list[Floats] = []

    def movement(self, sums: coo_array, hide: Ints, room: tuple[Floats, ...]) -> tuple[int, int]:
        """Cells that move up and down within their room, keep all sums, and move only where they are hidden.

        Return where the columns up and down begin.
        """
        count = len(hide)
        up, down = self._columns, self._columns + count
        self._columns += 2 * count
        self._most += [*room]
        for start, sign in ((up, 1.0), (down, -1.0)):
            self._put(sums.row.astype(np.int64), start + sums.col.astype(np.int64), sign * sums.data)
        self._bounded(np.zeros(sums.shape[0]), np.zeros(sums.shape[0]))
        opened = np.flatnonzero(hide >= 0)
        rows = np.arange(len(opened))
        for start, most in ((up, room[0]), (down, room[1])):
            share = np.divide(1.0, most[opened], out=np.zeros(len(opened)), where=most[opened] > 0)
            self._put(rows, start + opened, share)
        self._put(rows, hide[opened], np.full(len(opened), -1.0))
        self._bounded(np.full(len(opened), -np.inf), np.zeros(len(opened)))
        return up, down

    def row(
        self, columns: Sequence[int] | Ints, coefficients: Sequence[float] | Floats, low: float, high: float
    ) -> None:
        """One more row."""
        self._put(np.zeros(len(columns), np.int64), np.asarray(columns), np.asarray(coefficients))
        self._bounded(np.array([low]), np.array([high]))

    def choice(self, price: Floats) -> Choice:
        parts = (np.concatenate(p) for p in (self._coefficient, self._row, self._column))
        coefficient, row, column = parts
        matrix = coo_array((coefficient, (row, column)), shape=(self._rows, self._columns)).tocsc()
        return Choice(
            np.concatenate([price, np.zeros(self._columns - self._hides)]), matrix, np.concatenate(self._low),
            np.concatenate(self._high), np.concatenate(self._most), np.arange(self._columns) < self._hides,
        )  # fmt: skip

    def _put(self, row: Ints, column: Ints, coefficient: Floats) -> None:
        self._row.append(self._rows + row)
        self._column.append(column)
        self._coefficient.append(coefficient)

    def _bounded(self, low: Floats, high: Floats) -> None:
        self._low.append(low)
        self._high.append(high)
        self._rows += len(low)
