"""Small hierarchical tables with everything a file can say of their cells."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from tarnkappe.data.hierarchy import Hierarchy
from tarnkappe.data.pattern import Mark, Pattern, Status
from tarnkappe.data.table import Contributions, Table

TREES = {
    "flat": (["Total", "a", "b", "c"], [-1, 0, 0, 0]),
    "two levels": (["Total", "N", "N1", "N2", "S", "S1"], [-1, 0, 1, 1, 0, 4]),
    "ragged": (["Alle", "Ost", "O1", "O11", "O12", "West"], [-1, 0, 1, 2, 2, 0]),
}


def tree(kind: str, name: str) -> Hierarchy:
    codes, parents = TREES[kind]
    return Hierarchy(name, np.array(codes, dtype=object), np.array(parents))


def sums(hierarchy: Hierarchy) -> np.ndarray:
    """(codes, leaves) which leaf lies below which code."""
    leaves = np.flatnonzero(hierarchy.is_leaf)
    below = np.zeros((len(hierarchy), len(leaves)))
    for at, leaf in enumerate(leaves):
        node = int(leaf)
        while node >= 0:
            below[node, at] = 1
            node = int(hierarchy.parent[node])
    return below


def full_table(trees: tuple[Hierarchy, ...], leaves: np.ndarray, *, contributors: bool = True) -> Table:
    """All cells over two dimensions; every unit of value is one contribution."""
    rows, columns = (sums(h) for h in trees)
    value = (rows @ leaves @ columns.T).ravel()
    nodes = np.stack(np.unravel_index(np.arange(len(value)), [len(h) for h in trees]), axis=1).astype(
        np.int32
    )
    kept = None
    if contributors:
        count = np.ceil(np.abs(value)).astype(np.int64)
        largest = np.stack([np.minimum(value, 0.5), np.zeros(len(value))], axis=1)
        kept = Contributions(
            count, largest, np.where(largest != 0, np.arange(largest.size).reshape(largest.shape), -1)
        )
    return Table("t", trees, nodes, value, kept)


@st.composite
def patterns(draw: st.DrawFn) -> Pattern:
    """Tables with statuses, marks, required protection and costs."""
    kinds = st.sampled_from(sorted(TREES))
    trees = (tree(draw(kinds), "region"), tree(draw(kinds), "sector"))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    leaves = rng.choice([0, 1, 2.5, 7, 1000.25], size=[int(h.is_leaf.sum()) for h in trees])
    table = full_table(trees, leaves, contributors=draw(st.booleans()))
    size = len(table)
    status = rng.choice([Status.OPEN, Status.PRIMARY, Status.SECONDARY], size, p=[0.6, 0.2, 0.2]).astype(
        np.uint8
    )
    status[table.value == 0] = Status.OPEN
    mark = np.where(
        (status == Status.OPEN) & (table.value != 0), rng.choice([Mark.NONE, Mark.KEEP], size), Mark.NONE
    )
    mark[(table.value == 0) & (rng.random(size) < 0.5)] = Mark.ZERO
    hidden = status != Status.OPEN
    required = np.where(hidden & (status == Status.PRIMARY), rng.choice([0.0, 0.125, 3.0], size), 0.0)
    cost = rng.choice([1.0, 0.5, 12.0], size) if draw(st.booleans()) else None
    return Pattern(
        table, status=status, mark=mark.astype(np.uint8), lower=required, upper=2 * required, cost=cost
    )


def same(a: Pattern, b: Pattern, *names: str) -> None:
    """The two agree in value and in what is named."""
    assert [list(h.codes) for h in a.table.dimensions] == [list(h.codes) for h in b.table.dimensions]
    assert [list(h.parent) for h in a.table.dimensions] == [list(h.parent) for h in b.table.dimensions]
    assert np.array_equal(a.table.cells, b.table.cells)
    assert np.array_equal(a.table.value, b.table.value)
    for name in names:
        left, right = getattr(a, name), getattr(b, name)
        assert (left is None) == (right is None), name
        assert left is None or np.array_equal(left, right), name
