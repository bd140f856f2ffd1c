"""Possible values for the suppressed cells of a published table: some that fit all published sums and all that is known of cells.

What subtraction gives away comes first. The rest is looked for component by component: a point inside all bounds, else by a linear
program in which every sum may be off and the error is made least; an error that stays says which published cells contradict each other. Decimal numbers are reckoned with
as whole numbers of their last digit, so that what is published adds up without rounding.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csc_array, csr_array, eye_array, hstack

from tarnkappe.attack.closeness import sizes
from tarnkappe.attack.hidden import Hidden, hidden
from tarnkappe.attack.intervals import CLOSE
from tarnkappe.data.column import Bools, Floats, Ints
from tarnkappe.data.system import System
from tarnkappe.data.table import TOLERANCE
from tarnkappe.errors.tables import Contradiction
from tarnkappe.kernels.exact import WHOLE, decimals, shifted
from tarnkappe.language import listed
from tarnkappe.solve import Polytope, Solver

TRIES = 3
"""So often values inside are looked for, each time with those cells at their bounds that came close to them."""
STUCK = 1e-7
"""A cell is close to a bound when it is by less than this share of a typical one."""
FINEST = 20
"""The grid on which sums are exact is at most so many times halved."""
CORNERS = 4
"""So many corners of the possible tables are averaged, so that most cells have room on both sides."""
SEARCHED = 5000
"""Whole numbers are looked for where so many cells hang together, at most."""
SHARP = 1e-14
"""Differences of this share of the largest cell that hangs together with a cell are rounding."""
ROUNDING = 2.0**-50
"""What adding up numbers of different size loses, as a share of their sizes together."""


@dataclass(frozen=True, slots=True, eq=False)
class Completed:
    """A table that fits what is published."""

    value: Floats
    noise: Floats
    """How far every cell may be off by rounding."""


def completed(system: System, tolerance: float, solver: Solver) -> Completed:
    """The values with possible ones where they are not known."""
    unknown = np.isnan(system.value)
    places = _places(system, unknown)
    fill = _Fill(system, unknown, places, tolerance)
    fill.known_beforehand()
    fill.by_subtraction()
    for cells in fill.tied.components():
        fill.component(cells, solver)
    fill.refuse_contradictions()
    fill.blur()
    return Completed(np.where(unknown, fill.value / 10.0**places, system.value), fill.noise / 10.0**places)


def _places(system: System, unknown: Bools) -> int:
    """The decimals of all published numbers, where their sums are exact as whole numbers of the last one; else 0."""
    known = np.concatenate([system.value[~unknown], system.rhs])
    places = decimals(known)
    if places is None or float(np.abs(known).sum()) * 10.0**places >= WHOLE:
        return 0
    return places


class _Fill:
    """Fills in unknown values, the determined ones first. Numbers are in units of the last decimal."""

    def __init__(self, system: System, unknown: Bools, places: int, tolerance: float) -> None:
        self.system, self.unknown, self.times = system, unknown, 10.0**places
        known = np.where(unknown, 0.0, system.value)
        self.value, self.rhs = shifted(known, places), shifted(system.rhs, places)
        if not places:
            self.value, self.rhs = known, system.rhs
        self.low, self.high = system.low * self.times, system.high * self.times
        self.tied: Hidden = hidden(system.relations, self.value, unknown, self.low, self.high)
        self.by_relation: csr_array = system.relations.matrix()
        reach = np.maximum(abs(self.by_relation) @ np.abs(self.value), np.abs(self.rhs))
        self.slack = max(tolerance, TOLERANCE) * np.maximum(reach, self.times)
        whole = bool((self.value == np.rint(self.value)).all() and (self.rhs == np.rint(self.rhs)).all())
        self.exact = whole and float(np.abs(self.value).sum()) < WHOLE
        self.noise = np.zeros(len(self.value)) if self.exact else self._rounding(reach)

    def _rounding(self, reach: Floats) -> Floats:
        """For every cell the rounding of the largest sum it stands in."""
        out: Floats = np.zeros(len(self.value))
        relation = np.repeat(np.arange(len(self.slack)), np.diff(self.by_relation.indptr))
        np.maximum.at(out, self.by_relation.indices, ROUNDING * reach[relation])
        return out

    def known_beforehand(self) -> None:
        fixed = self.unknown & (self.low >= self.high)
        self.value[fixed] = self.low[fixed]

    def by_subtraction(self) -> None:
        matrix = self.by_relation
        for cell, relation in zip(self.tied.given_away, self.tied.by, strict=True):
            if relation < 0:
                continue
            part = slice(matrix.indptr[relation], matrix.indptr[relation + 1])
            cells, coefficients = matrix.indices[part], matrix.data[part]
            own = float(coefficients[cells == cell].sum())
            others = cells != cell
            rest = self.rhs[relation] - float(coefficients[others] @ self.value[cells[others]])
            found, slack = rest / own, abs(self.slack[relation] / own)
            end = float(np.clip(found, self.low[cell], self.high[cell]))
            self.value[cell] = end if abs(found - end) <= slack else found

    def component(self, cells: Ints, solver: Solver) -> None:
        """Possible values of tied cells, most of them with room on both sides."""
        part: csc_array = self.tied.by_cell[:, cells].tocsc()
        rows = np.flatnonzero(np.diff(part.tocsr().indptr))
        part = part[rows, :]
        rest = (self.rhs - self.by_relation @ self.value)[rows]
        found = self._inside(part, cells, rest, solver)
        if found is None:
            found = self._fitting(part, cells, rest, solver)
        if self.exact:
            found = self._on_grid(part, cells, rest, found, solver)
        self.value[cells] = np.clip(found, self.low[cells], self.high[cells])

    def _inside(self, part: csc_array, cells: Ints, rest: Floats, solver: Solver) -> Floats | None:
        """Values far from all bounds; cells that cannot leave theirs are put there, and the others looked for again."""
        low, high = self.low[cells], self.high[cells]
        value, free = np.zeros(len(cells)), np.arange(len(cells))
        for _ in range(TRIES):
            right = rest - part @ value
            point = solver.open(Polytope(part[:, free], low[free], high[free], right=right)).inside()
            if point is None:
                return None
            tight = STUCK * float(np.median(np.abs(point)))
            at_low, at_high = point - low[free] <= tight, high[free] - point <= tight
            stuck = at_low | at_high
            if not stuck.any():
                value[free] = point
                return value
            value[free[stuck]] = np.where(at_low, low[free], high[free])[stuck]
            free = free[~stuck]
            if not len(free):
                return value if not (rest - part @ value).any() else None
        return None

    def _on_grid(self, part: csc_array, cells: Ints, rest: Floats, found: Floats, solver: Solver) -> Floats:
        """The same on a grid on which sums are exact: rounded to it, and what is then missing made good by the least movement."""
        size = float(np.abs(found).sum() + np.abs(rest).sum())
        grid = 2.0 ** float(np.clip(np.floor(np.log2(WHOLE / max(size, 1.0))) - 1, 0, FINEST))
        low, high = (np.maximum(end, -WHOLE) for end in (self.low[cells], self.high[cells]))
        near = np.rint(np.clip(found, low, high) * grid)
        near = np.clip(near, np.ceil(low * grid), np.floor(high * grid))
        right = rest * grid - part @ near
        if not right.any():
            return np.asarray(near / grid)
        room = np.concatenate([high * grid - near, near - low * grid])
        if (room < 0).any():
            return found
        moves = Polytope(hstack([part, -part], format="csc"), np.zeros(len(room)), room, right=right)
        point = solver.open(moves).cheapest(np.ones(len(room)))
        if point is None:
            return found
        step = point[: len(cells)] - point[len(cells) :]
        better = near + (np.rint(step) if np.abs(step - np.rint(step)).max() < CLOSE else step)
        before, after = (np.abs(rest - part @ x).max() for x in (found, better / grid))
        return np.asarray(better / grid) if after <= before else found

    def _fitting(self, part: csc_array, cells: Ints, rest: Floats, solver: Solver) -> Floats:
        """The values that fit best, moved to the middle of some others that fit as well."""
        rows = len(rest)
        ties, none = eye_array(rows, format="csc"), np.zeros(2 * rows)
        low, high = np.concatenate([self.low[cells], none]), np.concatenate([self.high[cells], none + np.inf])
        off = hstack([part, ties, -ties], format="csc")
        price = np.concatenate([np.zeros(len(cells)), none - 1.0])
        point = solver.open(Polytope(off, low, high, right=rest)).farthest(price).point
        assert point is not None  # the error is at least 0
        found = point[: len(cells)]
        corners = self._corners(part, cells, found, solver)
        return np.asarray(found + np.mean([np.zeros(len(cells)), *corners], axis=0))

    def _corners(self, part: csc_array, cells: Ints, found: Floats, solver: Solver) -> Iterator[Floats]:
        """Movements to other possible tables, none farther than the largest cell so that there are corners."""
        far = max(float(np.abs(found).max(initial=0.0)), self.times)
        low = np.maximum(self.low[cells] - found, -far)
        high = np.minimum(self.high[cells] - found, far)
        session = solver.open(Polytope(part, np.minimum(low, 0.0), np.maximum(high, 0.0)))
        rng = np.random.default_rng(1)
        for turn in range(CORNERS):
            side = rng.uniform(0.5, 1.0, len(cells)) * rng.choice((-1.0, 1.0), len(cells))
            point = session.farthest(side if turn % 2 else -side).point
            if point is not None:
                yield point

    def blur(self) -> None:
        """What was filled in is no sharper than the largest cell it hangs together with."""
        for cells in self.tied.components():
            self.noise[cells] = np.maximum(self.noise[cells], SHARP * np.abs(self.value[cells]).max())

    def refuse_contradictions(self) -> None:
        reach = TOLERANCE * (abs(self.by_relation) @ np.abs(self.value))  # what was filled in is rounded too
        off = np.abs(self.by_relation @ self.value - self.rhs) > np.maximum(self.slack, reach)
        size = np.maximum(CLOSE * sizes(self.value), self.noise)
        outside = self.unknown & ((self.value < self.low - size) | (self.value > self.high + size))
        off |= (abs(self.by_relation) @ outside.astype(np.float64)) > 0
        wrong = np.flatnonzero(off)
        if len(wrong):
            sums = listed([self.system.spelt_sum(int(r)) for r in wrong])
            raise Contradiction(name=self.system.name, sums=sums)


def whole_values(system: System, value: Floats, solver: Solver) -> Floats | None:
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
        low, high = np.ceil(system.low[cells] - CLOSE), np.floor(system.high[cells] + CLOSE)
        if (low > high).any():
            return None
        right = np.rint(left[rows])
        point = (
            solver.open(Polytope(part[rows, :], low, high, whole=True, right=right))
            .farthest(np.zeros(len(low)))
            .point
        )
        if point is None or np.abs(part[rows, :] @ point - right).max(initial=0.0) > CLOSE:
            return None
        out[cells] = point
    return out if (out == np.rint(out)).all() else None
