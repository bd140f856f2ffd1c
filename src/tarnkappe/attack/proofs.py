"""Why a cell can be worked out, so that a person can check it: which published sums, added and subtracted, tell how much.

The proof of a bound is the dual of the attacker's linear program: weights for sums such that everything cancels but the cell itself and
cells that stand at a bound known beforehand. Few sums are preferred.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csc_array, eye_array, hstack

from tarnkappe.attack.hidden import Hidden
from tarnkappe.data.column import Ints
from tarnkappe.solve import Polytope, Solver

NEAR = 400
"""Proofs are looked for among so many cells around the one that leaks."""
SHORT = 1e-6
"""What it costs to use one more sum, as a share of what a typical cell can move: enough to prefer short proofs."""
USED = 1e-7
MOST_STEPS = 20


@dataclass(frozen=True, slots=True)
class Bound:
    """One end of an interval as a combination of sums."""

    upward: bool
    relations: tuple[int, ...]
    times: tuple[float, ...]
    """How often each sum is added, negative: subtracted."""
    limits: tuple[int, ...]
    """Cells of which only their known bounds are used."""
    reach: float
    """How far from its value the cell can lie at most, by this proof."""


def bound(system: Hidden, cell: int, *, upward: bool, solver: Solver) -> Bound | None:
    """The combination of sums that limits a cell; None where nothing near it does."""
    cells = system.around(cell, NEAR, system.scratch())
    _, outer = system.both(cells)
    across: csc_array = outer.matrix.T.tocsc()
    rows = system.kept(cells)
    count, sums = len(cells), across.shape[1]
    up, down = (outer.high, -outer.low) if upward else (-outer.low, outer.high)
    free = eye_array(count, format="csc")
    target = csc_array((np.array([-1.0]), (np.array([0]), np.array([0]))), shape=(count, 1))
    matrix = hstack([across, -across, free, -free, target], format="csc")
    finite = np.concatenate([up, down])
    finite = finite[np.isfinite(finite) & (finite > 0)]
    little = SHORT * (float(np.median(finite)) if len(finite) else 1.0)
    ends = [
        np.full(2 * sums, np.inf),
        np.where(np.isfinite(up), np.inf, 0.0),
        np.where(np.isfinite(down), np.inf, 0.0),
    ]
    high = np.concatenate([*ends, [1.0]])
    low = np.concatenate([np.zeros(len(high) - 1), [1.0]])
    high[2 * sums] = 0.0  # the cell itself is what is limited, not its own bound
    price = np.concatenate(
        [np.full(2 * sums, little), *(np.where(np.isfinite(x), x, 0.0) for x in (up, down)), [0.0]]
    )
    point = _cheapest(Polytope(matrix, low, high), price, solver)
    if point is None:
        return None
    weights = point[:sums] - point[sums : 2 * sums]
    at = np.flatnonzero(np.abs(weights) > USED)
    slopes = point[2 * sums : 2 * sums + count], point[2 * sums + count : 2 * sums + 2 * count]
    limits = cells[np.flatnonzero(slopes[0] + slopes[1] > USED)]
    reach = sum(float(s[s > USED] @ x[s > USED]) for s, x in zip(slopes, (up, down), strict=True))
    return Bound(upward, _numbers(rows[at]), tuple(float(w) for w in weights[at]), _numbers(limits), reach)


def _cheapest(polytope: Polytope, price: np.ndarray, solver: Solver) -> np.ndarray | None:
    """The cheapest point, with errors that must come out as nothing: sums need not be able to cancel."""
    rows = polytope.matrix.shape[0]
    free = eye_array(rows, format="csc")
    dear = 1e6 * max(float(price.max(initial=0.0)), 1.0)
    none, far = np.zeros(2 * rows), np.full(2 * rows, np.inf)
    whole = Polytope(
        hstack([polytope.matrix, free, -free], format="csc"),
        np.concatenate([polytope.low, none]),
        np.concatenate([polytope.high, far]),
    )
    point = solver.open(whole).farthest(-np.concatenate([price, np.full(2 * rows, dear)])).point
    if point is None or point[len(price) :].sum() > USED:
        return None
    return point[: len(price)]


def steps(system: Hidden, cell: int) -> tuple[tuple[int, int], ...]:
    """The subtractions that lead to a cell, in their order: each time the cell found out and the relation used."""
    place = {int(c): i for i, c in enumerate(system.given_away)}
    needed, waiting = set(), [cell]
    start, members = system.incidence.start, system.incidence.cell
    while waiting:
        at = place.get(waiting.pop())
        if at is None or at in needed:
            continue
        needed.add(at)
        relation = int(system.by[at])
        if relation >= 0:
            others = members[start[relation] : start[relation + 1]]
            waiting += [int(c) for c in others if place.get(int(c), at) < at]
    order = [i for i in sorted(needed) if system.by[i] >= 0][-MOST_STEPS:]
    return tuple((int(system.given_away[i]), int(system.by[i])) for i in order)


def _numbers(values: Ints) -> tuple[int, ...]:
    return tuple(int(v) for v in values)
