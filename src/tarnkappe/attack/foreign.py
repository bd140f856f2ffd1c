"""The audit of a published table whose suppressed values nobody hands us, ours or another program's.

Subtraction gives away what it can. For the rest any completion that fits all published sums does: the attacker's interval
of a cell is the same whichever possible table he starts from. The completion is found by a linear program in which every sum
may be off and the error is made least; an error that stays says which published cells contradict each other.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from scipy.sparse import csc_array, csr_array, eye_array, hstack

from tarnkappe.attack.closeness import sizes
from tarnkappe.attack.hidden import Hidden, hidden
from tarnkappe.attack.intervals import CLOSE, Asked, Intervals, intervals
from tarnkappe.data.column import Bools, Floats, Ints
from tarnkappe.data.system import System
from tarnkappe.data.table import TOLERANCE
from tarnkappe.errors.tables import Contradiction
from tarnkappe.language import listed
from tarnkappe.solve import Polytope, Solver
from tarnkappe.solve.highs import Highs

LITTLE = 1e-3
"""A quick audit is content when a cell can move by this share of its size: then it is not disclosed exactly."""
CORNERS = 4
"""So many corners of the possible tables are averaged, so that most cells have room on both sides."""
SEARCHED = 5000
"""Whole numbers are looked for where so many cells hang together, at most."""
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
        middle = np.abs(np.where(bounded, low + high, 0.0)) / 2
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
    value = completed(system, tolerance, solver)
    counted = _whole_values(system, value, solver) if whole else None
    value = value if counted is None else counted
    wanted = LITTLE * np.maximum(np.abs(value), 1.0) if quick else np.full(len(value), np.inf)
    wanted = np.where(system.suppressed, wanted, 0.0)
    asked = Asked(
        np.maximum(wanted, system.lower), np.maximum(wanted, system.upper), whole=counted is not None
    )
    found = intervals(system.relations, value, system.hidden, system.low, system.high, asked, solver)
    if whole:
        low, high = np.ceil(found.low - CLOSE), np.floor(found.high + CLOSE)
        sure = found.exact if counted is not None else found.exact & (low >= high)
        found = replace(found, low=low, high=high, exact=sure)
    slack = CLOSE * sizes(value)
    disclosed = system.suppressed & found.exact & (found.high - found.low <= 2 * slack)
    narrow = (value - found.low < system.lower - slack) | (found.high - value < system.upper - slack)
    return Found(replace(system, value=value), found, disclosed, system.suppressed & (narrow | disclosed))


def completed(system: System, tolerance: float, solver: Solver) -> Floats:
    """The values with possible ones where they are not known."""
    unknown = np.isnan(system.value)
    value = np.where(unknown, 0.0, system.value)
    tied = hidden(system.relations, value, unknown, system.low, system.high)
    fill = _Fill(system, value, tied, tolerance)
    fill.known_beforehand(unknown)
    fill.by_subtraction()
    for cells in tied.components():
        fill.component(cells, solver)
    fill.refuse_contradictions(unknown)
    return fill.value


def _whole_values(system: System, value: Floats, solver: Solver) -> Floats | None:
    """The values with possible whole numbers where they are not known; None where none were found."""
    unknown = np.isnan(system.value)
    out = np.where(unknown, 0.0, value)
    tied = hidden(system.relations, value, unknown, system.low, system.high)
    given = unknown & ~tied.unknown
    out[given] = np.rint(value[given])
    left = system.rhs - system.relations.matrix() @ out  # no sum runs through two components
    for cells in tied.components():
        if len(cells) > SEARCHED:
            return None
        part = tied.by_cell[:, cells].tocsc()
        rows = np.flatnonzero(np.diff(part.tocsr().indptr))
        rest = left[rows]
        matrix = hstack([part[rows, :], csc_array(-np.rint(rest)[:, None])], format="csc")
        far = 10.0 * max(float(np.abs(rest).max(initial=0.0)), 1.0) * len(cells)
        low, high = np.maximum(system.low[cells], -far), np.minimum(system.high[cells], far)
        low, high = np.append(np.ceil(low - CLOSE), 1.0), np.append(np.floor(high + CLOSE), 1.0)
        if (low > high).any():
            return None
        point = solver.open(Polytope(matrix, low, high, whole=True)).farthest(np.zeros(len(low))).point
        if point is None or np.abs(matrix @ point).max(initial=0.0) > CLOSE or point[-1] != 1.0:
            return None
        out[cells] = point[:-1]
    return out if (out == np.rint(out)).all() else None


class _Fill:
    """Fills in unknown values, the determined ones first."""

    def __init__(self, system: System, value: Floats, tied: Hidden, tolerance: float) -> None:
        self.system, self.value, self.tied = system, value, tied
        self.by_relation: csr_array = system.relations.matrix()
        sizes = abs(self.by_relation) @ np.abs(value)
        self.slack = max(tolerance, TOLERANCE) * np.maximum(np.maximum(sizes, np.abs(system.rhs)), 1.0)

    def known_beforehand(self, unknown: Bools) -> None:
        fixed = unknown & (self.system.low >= self.system.high)
        self.value[fixed] = self.system.low[fixed]

    def by_subtraction(self) -> None:
        matrix = self.by_relation
        for cell, relation in zip(self.tied.given_away, self.tied.by, strict=True):
            if relation < 0:
                continue
            part = slice(matrix.indptr[relation], matrix.indptr[relation + 1])
            cells, coefficients = matrix.indices[part], matrix.data[part]
            own = float(coefficients[cells == cell].sum())
            rest = self.system.rhs[relation] - float(
                coefficients[cells != cell] @ self.value[cells[cells != cell]]
            )
            self.value[cell] = rest / own

    def component(self, cells: Ints, solver: Solver) -> None:
        """Possible values of tied cells: the mean of some corners of what fits best."""
        part: csc_array = self.tied.by_cell[:, cells].tocsc()
        rows = np.flatnonzero(np.diff(part.tocsr().indptr))
        part = part[rows, :]
        rest = (self.system.rhs - self.by_relation @ self.value)[rows]
        reach = max(float(np.abs(rest).max(initial=0.0)), 1.0)
        ties = eye_array(len(rows), format="csc")
        matrix = hstack([part, csc_array(-(rest / reach)[:, None]), ties, -ties], format="csc")
        low, high = self._bounds(cells, reach)
        price = np.concatenate([np.zeros(len(cells) + 1), np.full(2 * len(rows), -1.0)])
        point = (
            solver.open(_polytope(matrix, low, high, reach, np.full(2 * len(rows), np.inf)))
            .farthest(price)
            .point
        )
        assert point is not None  # the error is at least 0
        error = np.maximum(point[len(cells) + 1 :], 0.0)
        corners = [
            point[: len(cells)],
            *self._corners(_polytope(matrix, low, high, reach, error), len(cells), solver),
        ]
        self.value[cells] = np.clip(np.mean(corners, axis=0), self.system.low[cells], self.system.high[cells])

    def _bounds(self, cells: Ints, reach: float) -> tuple[Floats, Floats]:
        """Prior bounds, with far ones in place of none so that there are corners."""
        far = 10.0 * reach * max(len(cells), 1)
        return np.maximum(self.system.low[cells], -far), np.minimum(self.system.high[cells], far)

    @staticmethod
    def _corners(polytope: Polytope, size: int, solver: Solver) -> Iterator[Floats]:
        session = solver.open(polytope)
        rng = np.random.default_rng(1)
        for turn in range(CORNERS):
            side = np.zeros(polytope.matrix.shape[1])
            side[:size] = (
                rng.uniform(0.5, 1.0, size) * (1 if turn % 2 else -1) * rng.choice((-1.0, 1.0), size)
            )
            point = session.farthest(side).point
            if point is not None:
                yield point[:size]

    def refuse_contradictions(self, unknown: Bools) -> None:
        off = np.abs(self.by_relation @ self.value - self.system.rhs) > self.slack
        size = CLOSE * sizes(self.value)
        outside = unknown & ((self.value < self.system.low - size) | (self.value > self.system.high + size))
        off |= (abs(self.by_relation) @ outside.astype(np.float64)) > 0
        wrong = np.flatnonzero(off)
        if len(wrong):
            sums = listed([self.system.spelt_sum(int(r)) for r in wrong])
            raise Contradiction(name=self.system.name, sums=sums)


def _polytope(matrix: csc_array, low: Floats, high: Floats, reach: float, error: Floats) -> Polytope:
    """Cells, the known part held at its size, and how far every sum may be off upward and downward."""
    none = np.zeros(len(error))
    return Polytope(matrix, np.concatenate([low, [reach], none]), np.concatenate([high, [reach], error]))


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
