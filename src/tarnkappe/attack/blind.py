"""Movements that leave the cells of insiders alone: who knows only those cells cannot tell them from the truth.

A movement found for one cell often proves others too: a sum and its only part move alike. So movements are kept.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from tarnkappe.attack.hidden import Hidden
from tarnkappe.attack.pushes import WHOLE
from tarnkappe.attack.repair import FARTHEST, MOVED, SIZES, least_movement
from tarnkappe.data.column import Bools, Floats, Ints
from tarnkappe.kernels.unknowns import surroundings
from tarnkappe.solve import Polytope, Solver


class _Movement(NamedTuple):
    cell: Ints
    amount: Floats


@dataclass(slots=True, eq=False)
class BlindMovements:
    """Finds such movements, and remembers them."""

    system: Hidden
    owner: Ints
    solver: Solver
    whole: bool = field(default=False, kw_only=True)
    """Only movements by whole numbers hide anything."""
    seen: Ints = field(init=False)
    known: dict[int, list[_Movement]] = field(default_factory=dict)
    """By cell: the movements that move it."""

    def __post_init__(self) -> None:
        self.seen = self.system.scratch()

    def hide(self, cell: int, down: float, up: float, insiders: Ints) -> bool:
        """Say whether a cell can move so far down and up while all cells of these insiders stay, itself apart."""
        fixed = np.isin(self.owner, insiders)
        fixed[cell] = False
        return all(
            amount <= 0
            or self._remembered(cell, sign * amount, fixed)
            or self._found(cell, sign, amount, fixed)
            for sign, amount in ((1, up), (-1, down))
        )

    def _remembered(self, cell: int, amount: float, fixed: Bools) -> bool:
        for moved in self.known.get(cell, ()):
            far = float(moved.amount[moved.cell == cell][0])
            if far * amount > 0 and abs(far) >= abs(amount) * (1 - 1e-8) and not fixed[moved.cell].any():
                return True
        return False

    def _found(self, cell: int, sign: int, amount: float, fixed: Bools) -> bool:
        """Look for a movement on growing neighbourhoods, up to the whole component."""
        usable, before = self.system.unknown & ~fixed, 0
        for size in (*SIZES, len(usable)):
            near = surroundings(self.system.incidence, usable, cell, size, self.seen)
            if len(near) > before and self._within(near, sign, amount):
                return True
            before = len(near)
        return False

    def _within(self, near: Ints, sign: int, amount: float) -> bool:
        free, far = self.system.polytope(near), FARTHEST * amount
        low, high = np.maximum(free.low, -far), np.minimum(free.high, far)
        low[0], high[0] = (0.0, amount) if sign > 0 else (-amount, 0.0)
        moved = least_movement(Polytope(free.matrix, low, high), sign, np.ones(len(near)), self.solver)
        if moved is None:
            return False
        if self.whole:
            if np.abs(moved - np.rint(moved)).max() > WHOLE:
                return False
            moved = np.rint(moved)
        keep = np.abs(moved) > MOVED * np.abs(moved).max()
        found = _Movement(near[keep], moved[keep])
        for cell in found.cell.tolist():
            self.known.setdefault(cell, []).append(found)
        return True
