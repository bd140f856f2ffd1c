"""The audit of a published table whose suppressed values nobody hands us, ours or another program's.

Any completion that fits all published sums does (see `attack.completion`): the attacker's interval of a cell is the same whichever
possible table he starts from.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from scipy.sparse import csc_array, csr_array, eye_array, hstack

from tarnkappe.attack.closeness import sizes
from tarnkappe.attack.completion import completed, whole_values
from tarnkappe.attack.cuboids import MANY, with_cuboids
from tarnkappe.attack.intervals import CLOSE, Asked, Intervals, intervals
from tarnkappe.data.column import Bools, Floats
from tarnkappe.data.system import System
from tarnkappe.data.table import TOLERANCE, Table
from tarnkappe.solve import Polytope, Solver
from tarnkappe.solve.highs import Highs

LITTLE = 1e-3
"""A quick audit is content when a cell can move by this share of its size: then it is not disclosed exactly."""
POINT = 1e-11
"""A cell is disclosed exactly when its interval is narrower than this share of its size."""
MOST_PROOFS = 50
"""So many disclosed cells are listed with their proof."""
LARGEST_PROOF = 5000
"""Proofs by several sums are looked for among so many sums at most."""


@dataclass(frozen=True, slots=True)
class Disclosed:
    """A suppressed cell that can be computed, and the published sums that do it."""

    cell: str
    proof: str
    sums: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """What an attacker finds in a published table."""

    system: System
    """With possible values in place of the unknown ones."""
    intervals: Intervals
    disclosed: Bools
    """Suppressed cells that he knows exactly."""
    narrow: Bools
    """Suppressed cells with less than the required protection, where the file says what is required."""

    @property
    def width(self) -> Floats:
        """Width of the interval as a share of its middle; NaN for cells that are not suppressed or not bounded."""
        low, high = self.intervals.low, self.intervals.high
        bounded = self.system.suppressed & np.isfinite(low) & np.isfinite(high)
        low, high = np.where(bounded, low, 0.0), np.where(bounded, high, 0.0)
        middle = np.abs(low + high) / 2
        known = bounded & ((middle > 0) | self.disclosed)
        wide = np.where(known, high - low, np.nan)
        return np.where(self.disclosed, 0.0, wide / np.where(middle > 0, middle, 1.0))

    def proofs(self, solver: Solver | None = None) -> Iterator[Disclosed]:
        """The disclosed cells with the sums that give them away, named by codes."""
        for cell in np.flatnonzero(self.disclosed)[:MOST_PROOFS]:
            by = int(self.intervals.by[cell])
            sums = (by,) if by >= 0 else _combination(self.system, int(cell), solver or Highs())
            proof = "subtraction" if by >= 0 else "sums" if sums else "bounds"
            yield Disclosed(
                self.system.spelt(int(cell)), proof, tuple(self.system.spelt_sum(r) for r in sums)
            )


def audit(
    system: System,
    *,
    quick: bool = False,
    whole: bool = False,
    tolerance: float = TOLERANCE,
    solver: Solver | None = None,
) -> Found:
    """The attacker's interval of every suppressed cell.

    With `quick` intervals are followed only until it is proven that a cell is not disclosed exactly. With `whole` the
    values are known to be whole numbers; where no possible table of whole numbers is found, intervals are those of broken ones, rounded
    inwards, and count as exact only where nothing is left of them.
    """
    solver = solver or Highs()
    made = completed(system, tolerance, solver)
    counted = whole_values(system, made.value, solver) if whole else None
    value = made.value if counted is None else counted
    wanted = LITTLE * sizes(value) if quick else np.full(len(value), np.inf)
    wanted = np.where(system.suppressed, wanted, 0.0)
    span = np.zeros(len(value)) if system.span is None else system.span
    truth = value if system.truth is None else np.where(np.isnan(system.truth), value, system.truth)
    off = np.abs(truth - value)
    ends = (
        np.maximum(np.maximum(wanted, span), np.where(side > 0, side + off, 0.0))
        for side in (system.lower, system.upper)
    )
    asked = Asked(*ends, whole=counted is not None)
    asked = _with_cuboids(asked, system, value)
    found = intervals(system.relations, value, system.hidden, system.low, system.high, asked, solver)
    if whole:
        low, high = np.ceil(found.low - CLOSE), np.floor(found.high + CLOSE)
        sure = found.exact if counted is not None else found.exact & (low >= high)
        found = replace(found, low=low, high=high, exact=sure)
    slack = np.maximum(CLOSE * sizes(value), made.noise)
    point = np.maximum(POINT * sizes(value), made.noise)
    disclosed = system.suppressed & found.exact & (found.high - found.low <= 2 * point)
    narrow = (system.lower > 0) & (truth - found.low < system.lower - slack)
    narrow |= (system.upper > 0) & (found.high - truth < system.upper - slack)
    narrow |= found.high - found.low < span - slack
    return Found(replace(system, value=value), found, disclosed, system.suppressed & (narrow | disclosed))


def _with_cuboids(asked: Asked, system: System, value: Floats) -> Asked:
    """What is asked of a large table, together with what cuboids of its hidden cells prove; a system without codes has none."""
    if system.nodes is None or system.hidden.sum() <= MANY:
        return asked
    table = Table(system.name, system.trees, system.nodes, value, tolerance=1.0, counts=asked.whole)
    if not np.array_equal(table.cells, system.nodes):
        return asked
    return with_cuboids(asked, table, system.hidden, system.low, system.high)


def _combination(system: System, cell: int, solver: Solver) -> tuple[int, ...]:
    """The published sums that together give a cell away: few of them, by the least sum of their weights."""
    by_relation: csr_array = system.relations.matrix()[:, np.flatnonzero(system.hidden)]
    rows = np.flatnonzero(np.diff(by_relation.indptr))
    if len(rows) > LARGEST_PROOF:
        return ()
    across = by_relation[rows, :].T.tocsc()
    target = np.zeros((across.shape[0], 1))
    target[int(np.flatnonzero(np.flatnonzero(system.hidden) == cell)[0])] = -1.0
    free = eye_array(across.shape[0], format="csc")
    matrix = hstack([across, -across, csc_array(target), free, -free], format="csc")
    weights, errors = 2 * len(rows), 2 * across.shape[0]
    low = np.concatenate([np.zeros(weights), [1.0], np.zeros(errors)])
    high = np.concatenate([np.full(weights, np.inf), [1.0], np.full(errors, np.inf)])
    dear = 1e3 * max(len(rows), 1)
    price = np.concatenate([np.full(weights, -1.0), [0.0], np.full(errors, -dear)])
    point = solver.open(Polytope(matrix, low, high)).farthest(price).point
    if point is None or point[weights + 1 :].sum() > CLOSE * dear:
        return ()
    used = np.abs(point[: len(rows)] - point[len(rows) : weights]) > CLOSE
    return tuple(int(r) for r in rows[used])
