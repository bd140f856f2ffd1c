"""How much memory a table takes: 1,000,000 and 10,000,000 cells in three dimensions with subtotals.

    python benchmarks/table.py [CELLS …]

Every cell has a value, a number of contributors, its two largest contributions and whose they are; the table is checked on entry
(order, doubles, sums) and made a pattern with status, required protection and bounds of every cell. The peak is that of the
whole process, with the dense arrays that the table is drawn in.
"""

from __future__ import annotations

import sys

from quader import _tree
from runner import Row, child, cost, report

SHAPES = {1_000_000: (9, 10), 10_000_000: (12, 17)}
"""Codes below each code, by level, in each of three dimensions."""


def held(branching):
    import numpy as np

    from tarnkappe.data.pattern import Pattern
    from tarnkappe.data.table import Contributions, Table

    trees = [_tree(name, eval(branching)) for name in "abc"]
    drawn = np.random.default_rng(20261116)
    value = np.zeros([len(h) for h in trees])
    inner = np.ix_(*(np.flatnonzero(h.is_leaf) for h in trees))
    value[inner] = np.round(drawn.lognormal(5, 1.5, value[inner].shape)) + 1
    for j, h in enumerate(trees):
        v = np.moveaxis(value, j, 0)
        for node in range(len(h) - 1, 0, -1):
            v[h.parent[node]] += v[node]
    cells = np.indices(value.shape, dtype=np.int32).reshape(3, -1).T
    value = value.ravel()
    count = np.full(len(value), 3)
    largest = np.stack([value * 0.5, value * 0.3], axis=1)
    who = np.stack([np.arange(len(value)), np.arange(len(value)) + 1], axis=1)
    yield
    table = Table("made", tuple(trees), cells, value, Contributions(count, largest, who))
    pattern = Pattern(table)
    arrays = [table.cells, table.value, table.key, table.up]
    arrays += [table.contributions.count, table.contributions.largest, table.contributions.who]
    arrays += [
        pattern.status,
        pattern.reason,
        pattern.mark,
        pattern.lower,
        pattern.upper,
        pattern.low,
        pattern.high,
    ]
    yield {"cells": len(table), "table MB": sum(a.nbytes for a in arrays) / 2**20}


TASKS = {task.__name__: task for task in (held,)}


def run(sizes) -> tuple[list[Row], list[str]]:
    rows, notes = [], []
    for size, branching in SHAPES.items():
        if not sizes or size in sizes:
            found = cost(__file__, "held", branching)
            cells = int(found.answer["cells"])
            rows.append(Row("table and pattern in memory", cells, found, "–", None))
            notes.append(
                f"{cells:,} cells: {found.answer['table MB']:,.0f} MB of arrays, {found.peak_mb:,.0f} MB peak of the process"
            )
    return rows, notes


if __name__ == "__main__" and not child(TASKS):
    report("table", *run([int(a) for a in sys.argv[1:] if a.isdigit()]))
