"""The hidden cells of a table and the sums between them: what is left when all open cells are moved to the other side."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csc_array, csr_array
from scipy.sparse.csgraph import connected_components
from scipy.sparse.linalg import lsmr

from tarnkappe.attack.witnesses import Room, Witnesses, allowed
from tarnkappe.data.column import Bools, Floats, Ints
from tarnkappe.data.relations import Relations
from tarnkappe.kernels.unknowns import Incidence, incidence, peel, surroundings
from tarnkappe.solve import Polytope

STILL = 1e-7
"""A cell that a random movement of size 1 moves by less than this does not move."""


@dataclass(frozen=True, slots=True, eq=False)
class Hidden:
    """Hidden cells as columns, the sums that tie them as rows; every value is written as a deviation from the truth."""

    by_cell: csc_array
    incidence: Incidence
    unknown: Bools
    """Cells that plain subtraction does not give away."""
    given_away: Ints
    """Cells that subtraction gives away, in the order in which they fall,"""
    by: Ints
    """and the relation that does it."""
    component: Ints
    """Number of the connected component of every unknown cell; -1 for the others."""
    down: Floats
    up: Floats
    """How far every cell may lie below and above its value by what the attacker knows beforehand."""

    def polytope(self, cells: Ints) -> Polytope:
        """Deviations of some cells, all others staying at their values."""
        return Polytope(sums_between(self.by_cell, cells), -self.down[cells], self.up[cells])

    def both(self, cells: Ints) -> tuple[Polytope, Polytope]:
        """Deviations of some cells: with all others staying, and with all sums forgotten in which others may move."""
        inner = self.polytope(cells)
        kept = self.by_cell[:, cells].tocsr()[self.kept(cells), :].tocsc()
        return inner, Polytope(kept, inner.low.copy(), inner.high.copy())

    def kept(self, cells: Ints) -> Ints:
        """Relations of some cells in which no other cell is unknown."""
        of_cell, relation = self.incidence.of_cell, self.incidence.relation
        parts = [relation[of_cell[c] : of_cell[c + 1]] for c in cells]
        rows = np.unique(np.concatenate([*parts, np.zeros(0, dtype=np.int64)]))
        beyond = self.unknown.copy()
        beyond[cells] = False
        start, cell = self.incidence.start, self.incidence.cell
        alone = [not beyond[cell[start[r] : start[r + 1]]].any() for r in rows]
        return rows[np.array(alone, dtype=np.bool_)]

    def components(self) -> Iterator[Ints]:
        """The cells of every connected component."""
        cells = np.flatnonzero(self.unknown)
        order = cells[np.argsort(self.component[cells], kind="stable")]
        yield from np.split(order, np.flatnonzero(np.diff(self.component[order])) + 1) if len(order) else ()

    def determined(self, cells: Ints) -> Bools:
        """Which cells of a component the sums fix exactly, whatever the bounds."""
        matrix = self.by_cell[:, cells].tocsr()
        return fixed_by(matrix[np.flatnonzero(np.diff(matrix.indptr)), :])

    def possible(self, movements: Witnesses) -> Bools:
        """Which movements are possible: of unknown cells only, within their bounds, with every sum as it is."""
        return allowed(self.incidence, self.by_cell.data, Room(self.unknown, self.down, self.up), movements)

    def around(self, cell: int, most: int, seen: Ints) -> Ints:
        """The `most` unknown cells nearest to a cell; `seen` is scratch space made by `scratch`."""
        return surroundings(self.incidence, self.unknown, cell, most, seen)

    def scratch(self) -> Ints:
        return np.zeros(len(self.unknown) + 1, dtype=np.int64)


def fixed_by(matrix: csr_array | csc_array) -> Bools:
    """Which columns a homogeneous system of sums fixes: those that no solution of it moves.

    Two random vectors, projected onto these solutions by least squares, move every column that can move (with probability 1).
    """
    moves: Floats = np.zeros(matrix.shape[1])
    for seed in (1, 2):
        start = np.random.default_rng(seed).uniform(1.0, 2.0, len(moves))
        fit = lsmr(matrix.T, start, atol=1e-14, btol=1e-14, conlim=0, maxiter=20 * len(moves))[0]
        moves = np.maximum(moves, np.abs(start - matrix.T @ fit))
    return np.asarray(moves < STILL)


def sums_between(by_cell: csc_array, cells: Ints) -> csc_array:
    """The sums in which some cells stand, with these cells as columns; takes no longer where the table is large."""
    part = by_cell[:, cells].tocsc()
    rows, row = np.unique(part.indices, return_inverse=True)
    return csc_array((part.data, row.reshape(-1), part.indptr), shape=(len(rows), len(cells)))


def hidden(relations: Relations, value: Floats, suppressed: Bools, low: Floats, high: Floats) -> Hidden:
    """Take the open cells out, subtract as far as that goes, and split what is left into components."""
    by_relation = relations.matrix()
    by_cell = by_relation.tocsc()
    tied = incidence(by_relation, by_cell)
    unknown = suppressed & (high > low)
    known_before = np.flatnonzero(suppressed & ~unknown)
    fallen, by = peel(tied, unknown)
    return Hidden(
        by_cell, tied, unknown, np.concatenate([known_before, fallen]),
        np.concatenate([np.full(len(known_before), -1, dtype=np.int64), by]), _components(by_relation, unknown),
        np.maximum(value - low, 0.0), np.maximum(high - value, 0.0),
    )  # fmt: skip


def _components(by_relation: csr_array, unknown: Bools) -> Ints:
    cells = np.flatnonzero(unknown)
    part = by_relation[:, cells]
    tied = part[np.flatnonzero(np.diff(part.indptr)), :]
    rows, columns = tied.shape
    graph = csr_array((np.ones(tied.nnz, np.int8), tied.indices, tied.indptr), shape=(rows, columns))
    edges = csr_array(
        (
            graph.data,
            graph.indices + rows,
            np.concatenate([graph.indptr, np.full(columns, graph.indptr[-1])]),
        ),
        shape=(rows + columns, rows + columns),
    )
    _, label = connected_components(edges, directed=False)
    out = np.full(len(unknown), -1, dtype=np.int64)
    out[cells] = np.unique(label[rows:], return_inverse=True)[1] if columns else label[rows:]
    return out
