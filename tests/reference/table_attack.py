"""An attacker of protected tables with nothing but scipy: reads what is published, knows the sums, and solves programs.

Shares no code with the package: relations are built here from the codes and parents of the dimensions.
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import csr_array

OPEN, PRIMARY, SECONDARY, ROUNDED, PERTURBED, RANGE = range(6)


def equalities(table):
    """Sums as rows: -1 for the total, +1 for its parts."""
    row_of = {tuple(nodes): i for i, nodes in enumerate(table.cells.tolist())}
    rows, columns, data, count = [], [], [], 0
    for j, dimension in enumerate(table.dimensions):
        children = {}
        for nodes, i in row_of.items():
            above = int(dimension.parent[nodes[j]])
            home = row_of.get((*nodes[:j], above, *nodes[j + 1 :])) if above >= 0 else None
            if home is not None:
                children.setdefault(home, []).append(i)
        for home, parts in children.items():
            rows += [count] * (len(parts) + 1)
            columns += [home, *parts]
            data += [-1.0] + [1.0] * len(parts)
            count += 1
    return csr_array((data, (rows, columns)), shape=(count, len(table.value)))


def published(pattern, originals=None):
    """Bounds of every cell by what is published of it; `originals` tells what rounding or noise leaves."""
    value, status = pattern.table.value, pattern.status
    low, high = pattern.low.copy(), pattern.high.copy()
    is_open, ranged = status == OPEN, status == RANGE
    low[is_open] = high[is_open] = value[is_open]
    if ranged.any():
        low[ranged] = np.maximum(low[ranged], pattern.shown_low[ranged])
        high[ranged] = np.minimum(high[ranged], pattern.shown_high[ranged])
    changed = (status == ROUNDED) | (status == PERTURBED)
    if originals is not None:
        least, most = originals(pattern)
        low[changed] = np.maximum(low[changed], least[changed])
        high[changed] = np.minimum(high[changed], most[changed])
    return low, high


def attack(pattern, cells, originals=None, known=None):
    """(cells, 2) the least and largest value of some cells; `known` are further cells that the attacker knows."""
    table = pattern.table
    low, high = published(pattern, originals)
    if known is not None:
        low[known] = high[known] = table.value[known]
    matrix = equalities(table)
    scale = max(1.0, float(np.abs(table.value).max(initial=0.0)))
    bounds = np.stack([low, high], axis=1) / scale
    out = []
    for cell in cells:
        ends = []
        for sign in (1.0, -1.0):
            price = np.zeros(len(table.value))
            price[cell] = sign
            found = linprog(price, A_eq=matrix if matrix.shape[0] else None,
                            b_eq=np.zeros(matrix.shape[0]) if matrix.shape[0] else None, bounds=bounds)  # fmt: skip
            assert found.status in (0, 3), found.message
            ends.append(sign * found.fun * scale if found.status == 0 else -sign * np.inf)
        out.append(ends)
    return np.array(out).reshape(-1, 2)
