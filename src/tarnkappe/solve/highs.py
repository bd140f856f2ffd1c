"""HiGHS: the only module that imports highspy."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import highspy
import numpy as np
from scipy.sparse import csc_array

from tarnkappe.errors.release import SolverFailed
from tarnkappe.solve import Bools, Choice, Floats, Ints, Optimum, Polytope, Session

_OPTIMAL = highspy.HighsModelStatus.kOptimal
_UNBOUNDED = (highspy.HighsModelStatus.kUnbounded, highspy.HighsModelStatus.kUnboundedOrInfeasible)
_EMPTY = (highspy.HighsModelStatus.kInfeasible, highspy.HighsModelStatus.kUnboundedOrInfeasible)
_BY_COLUMN, _SMALLEST = int(highspy.MatrixFormat.kColwise), int(highspy.ObjSense.kMinimize)
Bounds = tuple[Floats, Floats]
_LIMIT = highspy.HighsModelStatus.kSolutionLimit
AFRESH = 2000
"""Programs with more columns are solved afresh each time: simplifying them first saves more than the last answer gives."""
NODES = 500
"""Where numbers must be whole, a search ends after so many branches."""
REFINED = 4
"""What rounding leaves over is solved for again, so often at most,"""
STEPS = 1000
"""in so many steps at most,"""
NOISE = 1e-14
"""until no row is off by more than this share of its numbers;"""
FEW = 200
"""with more columns only where some row is off"""
ROUGH = 100.0
"""by more than so many times that."""
LARGEST = 23
"""Bounds are at most 2 to this power: tolerances of 1e-7 mean nothing for larger numbers."""
ENDLESS = 2**31 - 1
FITS = 1e4
"""A point inside fits when no row is off by more than so many times that."""
FOUND = 2
"""What HiGHS says of a point that keeps all bounds."""


class Highs:
    """Linear and integer programs by HiGHS."""

    name = "highs"
    integers = True

    def open(self, polytope: Polytope) -> Session:
        return _Open(polytope)

    def choose(self, choice: Choice) -> Optimum | None:
        solver = _solver(presolve="on", mip_rel_gap=0.0)
        a, scale = choice.matrix, float(np.abs(choice.price).max(initial=1e-300))
        _pass(
            solver,
            a,
            choice.price / scale,
            (np.zeros(a.shape[1]), choice.most),
            (choice.low, choice.high),
            choice.whole,
        )
        solver.run()
        status, found = solver.getModelStatus(), np.asarray(solver.getSolution().col_value)
        if status in _EMPTY or solver.getInfo().primal_solution_status != FOUND:
            return None
        point = np.where(choice.whole, np.rint(found), found)
        return Optimum(float(choice.price @ point), point, status == _OPTIMAL)


class _Open:
    """One model, kept open. All numbers are divided by one power of two so that a typical bound is about 1."""

    def __init__(self, polytope: Polytope) -> None:
        a = polytope.matrix
        rows, columns = a.shape
        right = np.zeros(rows) if polytope.right is None else polytope.right
        whole = np.broadcast_to(np.asarray(polytope.whole, dtype=np.bool_), columns)
        self._which, self._whole, self._afresh = whole, bool(whole.any()), columns > AFRESH
        self._scale = 1.0 if self._whole else _typical(polytope.low, polytope.high, right)
        self._low, self._high = polytope.low / self._scale, polytope.high / self._scale
        self._right, self._matrix = right / self._scale, a
        self._solver = _solver(presolve="on" if self._afresh or self._whole else "off")
        _pass(self._solver, a, np.zeros(columns), (self._low, self._high), (self._right, self._right), whole)
        self._all = np.arange(columns, dtype=np.int32)
        self._rows = np.arange(rows, dtype=np.int32)
        self._priced: int | None = None
        self._held = np.zeros(0, dtype=np.int32)

    def hold(self, coordinates: Ints) -> None:
        free, nothing = self._held, np.zeros(len(coordinates))
        self._solver.changeColsBounds(len(free), free, self._low[free], self._high[free])
        self._held = coordinates.astype(np.int32)
        self._solver.changeColsBounds(len(self._held), self._held, nothing, nothing)

    def _bounds(self) -> Bounds:
        """The bounds as they are now."""
        if not len(self._held):
            return self._low, self._high
        low, high = self._low.copy(), self._high.copy()
        low[self._held] = high[self._held] = 0.0
        return low, high

    def largest(self, coordinate: int) -> Optimum:
        found = self._optimum(coordinate, -1.0)
        return Optimum(-found.value, found.point, found.proven)

    def smallest(self, coordinate: int) -> Optimum:
        return self._optimum(coordinate, 1.0)

    def farthest(self, direction: Floats) -> Optimum:
        self._solver.changeColsCost(
            len(direction), self._all, -direction / np.abs(direction).max(initial=1e-300)
        )
        self._priced = None
        point = self._solved()
        return Optimum(np.inf if point is None else float(direction @ point), point)

    def inside(self) -> Floats | None:
        solver = _solver(solver="ipm", run_crossover="off", presolve="off")
        columns = len(self._all)
        whole = np.zeros(columns, dtype=np.bool_)
        _pass(solver, self._matrix, np.zeros(columns), self._bounds(), (self._right, self._right), whole)
        solver.run()
        if solver.getModelStatus() != _OPTIMAL:
            return None
        point = np.clip(np.asarray(solver.getSolution().col_value), *self._bounds())
        gap, rounding = self._gap(point)
        return None if (np.abs(gap) > FITS * rounding).any() else point * self._scale

    def cheapest(self, price: Floats) -> Floats | None:
        """Where nothing moves costs are right and some bounds are not: the dual simplex method starts there, and is soon done.

        Simplifying first would take longer than solving.
        """
        self._solver.changeColsCost(len(price), self._all, price / price.max(initial=1e-300))
        self._priced, status = None, None
        for simplify in ("off", "on"):
            self._solver.clearSolver()
            self._solver.setOptionValue("presolve", simplify)
            self._solver.run()
            status = self._solver.getModelStatus()
            if status == _OPTIMAL or status in _EMPTY:
                break
        self._solver.setOptionValue("presolve", "on" if self._afresh else "off")
        if status == _OPTIMAL:
            return self._refined() * self._scale
        if status in _EMPTY:
            return None
        raise SolverFailed(solver="HiGHS", status=self._solver.modelStatusToString(status))

    def _optimum(self, coordinate: int, price: float) -> Optimum:
        if self._priced is None:
            self._solver.changeColsCost(len(self._all), self._all, np.zeros(len(self._all)))
        else:
            self._solver.changeColCost(self._priced, 0.0)
        self._solver.changeColCost(coordinate, price)
        self._priced = coordinate
        point = self._solved()
        value = -np.inf if point is None else price * float(point[coordinate])
        return Optimum(value, point, self._solver.getModelStatus() != _LIMIT)

    def _solved(self) -> Floats | None:
        """An optimal point; None where nothing bounds it. What fails from a warm start is tried afresh."""
        if self._whole:
            return self._searched()
        for method in ("warm", "simplex", "ipm") if not self._afresh else ("simplex", "ipm"):
            if method != "warm":
                self._solver.clearSolver()
                self._solver.setOptionValue("solver", method)
            self._solver.run()
            status = self._solver.getModelStatus()
            if status == _OPTIMAL or status in _UNBOUNDED:
                break
        self._solver.setOptionValue("solver", "simplex")
        if status == _OPTIMAL:
            return self._refined() * self._scale
        if status in _UNBOUNDED:
            return None
        raise SolverFailed(solver="HiGHS", status=self._solver.modelStatusToString(status))

    def _refined(self) -> Floats:
        """The point that was found, with every bound kept and every row as exact as numbers of its size can be.

        HiGHS is content where bounds and rows are off by 1e-7: much for a cell of 1 beside cells of a billion. So what is left over
        is blown up and solved for in its turn, from the same basis, and added (Gleixner, Steffy & Wolter 2016, iterative refinement).
        """
        low, high = self._bounds()
        point: Floats = np.clip(np.asarray(self._solver.getSolution().col_value), low, high)
        gap, rounding = self._gap(point)
        if (np.abs(gap) <= (ROUGH if len(point) > FEW else 1.0) * rounding).all():
            return point
        self._solver.setOptionValue("presolve", "off")
        self._solver.setOptionValue("simplex_iteration_limit", STEPS)
        for _ in range(REFINED):
            times = 2.0 ** np.floor(-np.log2(np.abs(gap).max()))
            fuzz = rounding / 4  # rows that follow from others contradict them by what was rounded
            rows = (gap - fuzz) * times, (gap + fuzz) * times
            self._move(((low - point) * times, (high - point) * times), rows)
            self._solver.run()
            if self._solver.getModelStatus() != _OPTIMAL:
                break
            step = np.asarray(self._solver.getSolution().col_value) / times
            better: Floats = np.clip(point + step, low, high)
            left, rounding = self._gap(better)
            if np.abs(left).max() >= np.abs(gap).max():
                break
            point, gap = better, left
            if (np.abs(gap) <= rounding).all():
                break
        self._move((low, high), (self._right, self._right))
        self._solver.setOptionValue("simplex_iteration_limit", ENDLESS)
        self._solver.setOptionValue("presolve", "on" if self._afresh else "off")
        return point

    def _gap(self, point: Floats) -> tuple[Floats, Floats]:
        """How far every row is off, and how far its numbers may be by being rounded."""
        gap = self._right - self._matrix @ point
        if not gap.any():
            return gap, gap
        return gap, NOISE * (self._sizes @ np.abs(point) + np.abs(self._right))

    @cached_property
    def _sizes(self) -> csc_array:
        return abs(self._matrix)

    def _move(self, bounds: Bounds, rows: Bounds) -> None:
        self._solver.changeColsBounds(len(self._all), self._all, *bounds)
        self._solver.changeRowsBounds(len(self._rows), self._rows, *rows)

    def _searched(self) -> Floats | None:
        """The best point of whole numbers that was found; nothing moving is always one."""
        self._solver.clearSolver()
        self._solver.run()
        status = self._solver.getModelStatus()
        if status in _UNBOUNDED:
            return None
        found = np.asarray(self._solver.getSolution().col_value)
        return (
            np.where(self._which, np.rint(found), found)
            if len(found) and self._solver.getInfo().primal_solution_status == FOUND
            else 0.0 * self._low
        )


def _solver(**options: object) -> Any:
    """HiGHS as it is used here: one thread, and an end that no clock decides."""
    solver: Any = highspy.Highs()  # type: ignore[no-untyped-call]
    common = {"output_flag": False, "mip_max_nodes": NODES, "threads": 1, "solver": "simplex"}
    for option, value in (common | options).items():
        solver.setOptionValue(option, value)
    return solver


def _pass(solver: Any, matrix: csc_array, price: Floats, x: Bounds, rows: Bounds, whole: Bools) -> None:
    """Hand the model over as arrays: three times as fast as field by field."""
    start, index = matrix.indptr.astype(np.int32), matrix.indices.astype(np.int32)
    told = solver.passModel(
        matrix.shape[1], matrix.shape[0], len(index), _BY_COLUMN, _SMALLEST, 0.0, price, *x, *rows,
        start, index, matrix.data.astype(np.float64), whole.astype(np.int32),
    )  # fmt: skip
    if told == highspy.HighsStatus.kError:
        raise SolverFailed(solver="HiGHS", status=told.name)


def _typical(low: Floats, high: Floats, right: Floats) -> float:
    """A power of two near the middle of what rows must come to, or else of all finite bounds; nothing may then be very large."""
    sizes = np.abs(right if right.any() else np.concatenate([low, high]))
    sizes = np.log2(sizes[np.isfinite(sizes) & (sizes > 0)])
    return float(2.0 ** np.round(max(np.median(sizes), sizes.max() - LARGEST))) if len(sizes) else 1.0
