"""Trees and tables for the tests of masking: the printed city, random ones, and a scipy attacker of their own."""

from __future__ import annotations

import numpy as np
from scipy.optimize import linprog

from tarnkappe.data.hierarchy import Hierarchy
from tarnkappe.data.pattern import Pattern, Status
from tarnkappe.data.table import Table

SPREAD = (0, 0, 1, 1, 2, 2, 3, 3, 4, 5, 6, 8, 10, 15, 25, 40)
"""Leaf values of the measurements in the specification, 8.5."""


def hierarchy(name, parents):
    """From {code: parent}; the parent of the total is None."""
    codes = list(parents)
    place = {code: i for i, code in enumerate(codes)}
    up = [-1 if parents[c] is None else place[parents[c]] for c in codes]
    return Hierarchy(name, np.array(codes, dtype=object), np.array(up))


def table_of(parents, leaves, name="area", **options):
    """A table along one hierarchy: sums are made from the leaves."""
    tree = hierarchy(name, parents)
    value = np.array([leaves.get(code, 0) for code in tree.codes], dtype=float)
    for node in range(len(tree) - 1, 0, -1):
        value[tree.parent[node]] += value[node]
    return Table("counts", (tree,), np.arange(len(tree))[:, None], value, **options)


CITY = {
    "city": None,
    "K1": "city",
    "Q11": "K1",
    "Q12": "K1",
    "K2": "city",
    "Q21": "K2",
    "Q22": "K2",
    "K3": "city",
    "Q31": "K3",
}


def city(q11, q12, q21, q22, q31):
    return table_of(CITY, {"Q11": q11, "Q12": q12, "Q21": q21, "Q22": q22, "Q31": q31})


def random_parents(rng, depth, most, ragged=False):
    """The parent of every node, parents first."""
    parent = [-1]

    def grow(node, level):
        for _ in range(int(rng.integers(1, most + 1))):
            parent.append(node)
            if level < depth and not (ragged and rng.random() < 0.3):
                grow(len(parent) - 1, level + 1)

    grow(0, 1)
    return np.array(parent)


def random_tree(rng, depth=3, most=4, values=SPREAD, ragged=False):
    """Parent, value and leaf of every node."""
    parent = random_parents(rng, depth, most, ragged)
    leaf = np.ones(len(parent), dtype=bool)
    leaf[parent[1:]] = False
    value = np.where(leaf, rng.choice(values, len(parent)), 0)
    for node in range(len(parent) - 1, 0, -1):
        value[parent[node]] += value[node]
    return parent, value, leaf


def random_table(rng, **options):
    parent, value, _ = random_tree(rng, **options)
    tree = Hierarchy("area", np.array([f"n{i}" for i in range(len(parent))], dtype=object), parent)
    assert np.array_equal(tree.parent, parent), "grown in preorder"
    return Table("counts", (tree,), np.arange(len(parent))[:, None], value.astype(float), counts=True)


def crossed(rng, trees, values=SPREAD, empty=0.2):
    """A table over several trees: all sums of random inner cells."""
    dense = rng.choice(values, [len(t) for t in trees]).astype(float)
    dense[rng.random(dense.shape) < empty] = 0
    for axis, tree in enumerate(trees):
        moved = np.moveaxis(dense, axis, 0)
        moved[~tree.is_leaf] = 0
        for node in range(len(tree) - 1, 0, -1):
            moved[tree.parent[node]] += moved[node]
    cells = np.argwhere(dense > 0)
    return Table("counts", tuple(trees), cells, dense[tuple(cells.T)], counts=True)


def bounds_of(pattern):
    """What is published, read off the arrays of the pattern here and nowhere else."""
    value = pattern.table.value
    ranged = pattern.status == Status.RANGE
    assert np.isin(pattern.status, (Status.OPEN, Status.RANGE)).all()
    low = value if pattern.shown_low is None else np.where(ranged, pattern.shown_low, value)
    high = value if pattern.shown_high is None else np.where(ranged, pattern.shown_high, value)
    return low, high


def scipy_attack(pattern, cells):
    """The attacker's interval of some cells by scipy over the whole table."""
    table, (low, high) = pattern.table, bounds_of(pattern)
    rows = []
    for j in range(len(table.dimensions)):
        for total in np.unique(table.up[:, j][table.up[:, j] >= 0]):
            row = (table.up[:, j] == total).astype(float)
            row[total] = -1
            rows.append(row)
    equalities = np.array(rows).reshape(len(rows), len(table))
    out = []
    for cell in cells:
        ends = []
        for sign in (1.0, -1.0):
            price = np.zeros(len(table))
            price[cell] = sign
            found = linprog(
                price, A_eq=equalities if rows else None, b_eq=np.zeros(len(rows)) if rows else None,
                bounds=np.stack([low, high], axis=1),
            )  # fmt: skip
            assert found.status == 0
            ends.append(sign * found.fun)
        out.append(tuple(ends))
    return np.array(out).reshape(-1, 2)


def shown(pattern):
    """{code: (low, high)} of the ranges of a table along one hierarchy."""
    low, high = bounds_of(pattern)
    codes = pattern.table.codes(0)
    return {codes[i]: (int(low[i]), int(high[i])) for i in np.flatnonzero(pattern.status == Status.RANGE)}


def unprotected(table, **options):
    return Pattern(table, **options)
