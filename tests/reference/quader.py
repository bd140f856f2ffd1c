"""The Quader method by hand: the index formula, all cuboids of one cell, and the attacker's intervals by scipy."""

from __future__ import annotations

from itertools import product

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import csr_array


def vertices(pivot, diametral):
    """The 2^n corners; corner k takes the diametral index where its binary digit is 1, dimension 1 first (L1125-1151)."""
    n = len(pivot)
    return [
        tuple(
            f + ((k >> (n - 1 - i)) & 1) * (d - f)
            for i, (f, d) in enumerate(zip(pivot, diametral, strict=True))
        )
        for k in range(2**n)
    ]


def cuboids(pivot, shape):
    """All cuboids of a cell in one subtable: one for every diametral cell."""
    others = [[i for i in range(size) if i != f] for f, size in zip(pivot, shape, strict=True)]
    return {d: vertices(pivot, d) for d in product(*others)}


def is_even(k, levels):
    """Parity of corner k, with aggregation levels counted from 1 (L1167)."""
    return (k.bit_count() + sum(levels)) % 2 == 0


def sums(table):
    """Every sum of a table as a row of coefficients, from the codes alone."""
    place = {tuple(c): i for i, c in enumerate(table.cells.tolist())}
    rows = []
    for cell, at in place.items():
        for j, h in enumerate(table.dimensions):
            children = np.flatnonzero(h.parent == cell[j])
            if len(children):
                row = np.zeros(len(table))
                row[at] = -1.0
                for child in children:
                    part = place.get((*cell[:j], int(child), *cell[j + 1 :]))
                    if part is not None:
                        row[part] = 1.0
                rows.append(row)
    return np.array(rows) if rows else np.zeros((0, len(table)))


def attack(table, hidden, low, high, known=None, only=None):
    """The attacker's interval of every hidden cell, or of some: two linear programs each. `known` cells are known to him too."""
    unknown = hidden.copy() if known is None else hidden & ~known
    cells = np.flatnonzero(unknown)
    matrix = sums(table)
    a = matrix[:, cells]
    b = -matrix[:, ~unknown] @ table.value[~unknown]
    use = np.abs(a).sum(axis=1) > 0
    ties = LinearConstraint(csr_array(a[use]), b[use], b[use])
    bounds = Bounds(low[cells], high[cells])
    lowest, highest = table.value.copy(), table.value.copy()
    for i, cell in enumerate(cells):
        if only is not None and not only[cell]:
            continue
        c = np.zeros(len(cells))
        for sign, out in ((1.0, lowest), (-1.0, highest)):
            c[i] = sign
            found = milp(
                c, constraints=ties if use.any() else None, bounds=bounds
            )  # no integers: a linear program
            out[cell] = sign * found.fun if found.status == 0 else -sign * np.inf
            assert found.status in (0, 3), found.message
    return lowest, highest
