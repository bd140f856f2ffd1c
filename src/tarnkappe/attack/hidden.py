"""The hidden cells of a table and the sums between them: what is left when all open cells are moved to the other side."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csc_array, csr_array
from scipy.sparse.csgraph import connected_components

from tarnkappe.data.column import Bools, Floats, Ints
from tarnkappe.data.relations import Relations
from tarnkappe.kernels.unknowns import peel, surroundings
from tarnkappe.solve import Polytope


@dataclass(frozen=True, slots=True, eq=False)
class Hidden:
    """Hidden cells as columns, the sums that tie them as rows; every value is written as a deviation from the truth."""

    by_relation: csr_array
    by_cell: csc_array
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
        part = self.by_cell[:, cells].tocsc()
        rows = np.flatnonzero(np.diff(part.tocsr().indptr))
        return Polytope(part[rows, :].tocsc(), -self.down[cells], self.up[cells])

    def components(self) -> Iterator[Ints]:
        """The cells of every connected component."""
        cells = np.flatnonzero(self.unknown)
        order = cells[np.argsort(self.component[cells], kind="stable")]
        yield from np.split(order, np.flatnonzero(np.diff(self.component[order])) + 1) if len(order) else ()

    def around(self, cell: int, most: int, seen: Ints, stamp: int) -> Ints:
        """The `most` unknown cells nearest to a cell."""
        a, b = self.by_relation, self.by_cell
        return surroundings(
            a.indptr, a.indices, b.indptr, b.indices, self.unknown, cell, most, seen, stamp
        )  # fmt: skip


def hidden(relations: Relations, value: Floats, suppressed: Bools, low: Floats, high: Floats) -> Hidden:
    """Take the open cells out, subtract as far as that goes, and split what is left into components."""
    matrix = relations.matrix()
    keep = np.diff(matrix.indptr) > 0
    by_relation = _wide(matrix[keep, :])
    by_cell = _wide(by_relation.tocsc())
    unknown = suppressed & (high > low)
    known_before = np.flatnonzero(suppressed & ~unknown)
    fallen, by = peel(by_relation.indptr, by_relation.indices, by_cell.indptr, by_cell.indices, unknown)
    component = _components(by_relation, unknown)
    return Hidden(
        by_relation, by_cell, unknown, np.concatenate([known_before, fallen]),
        np.concatenate([np.full(len(known_before), -1), np.flatnonzero(keep)[by]]).astype(np.int64), component,
        np.maximum(value - low, 0.0), np.maximum(high - value, 0.0),
    )  # fmt: skip


def _wide(matrix: csr_array | csc_array) -> csr_array | csc_array:
    """64-bit indices, as the kernels take them."""
    matrix.indptr, matrix.indices = matrix.indptr.astype(np.int64), matrix.indices.astype(np.int64)
    return matrix


def _components(by_relation: csr_array, unknown: Bools) -> Ints:
    cells = np.flatnonzero(unknown)
    part = by_relation[:, cells]
    tied = part[np.flatnonzero(np.diff(part.indptr)), :]
    rows, columns = tied.shape
    graph = csr_array((np.ones(tied.nnz, np.int8), tied.indices, tied.indptr), shape=(rows, columns))
    edges = csr_array(
        (graph.data, graph.indices + rows, np.concatenate([graph.indptr, np.full(columns, graph.indptr[-1])])),
        shape=(rows + columns, rows + columns),
    )
    _, label = connected_components(edges, directed=False)
    out = np.full(len(unknown), -1, dtype=np.int64)
    out[cells] = np.unique(label[rows:], return_inverse=True)[1] if columns else label[rows:]
    return out
