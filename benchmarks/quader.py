"""The Quader method over tables of 1,000 to 1,000,000 cells, and over the tables of the τ-ARGUS test file.

    python benchmarks/quader.py [CELLS …] [--tau FILE]

Made tables: two, three and four dimensions with subtotals, skewed values, one cell in six empty from three dimensions on; a cell
is primary under the p % rule (p = 15, one contributor known); the attacker knows that no value is negative. The τ-ARGUS
file (tau_testW.csv, value Var2, p = 15) is named by --tau or by TARNKAPPE_TAU: T1 Size × Region, T2 Industry × Size, T3
Industry × Region, T4 all three; the attacker knows 0 ≤ x ≤ 1.5 · the largest value. `insiders` says whether the owners of
single-respondent cells attack too. The answer counts the
cells whose witnesses, multiplied by all sums of the table, prove less than is required; it must be 0. That is the method's own
proof; the audit by linear programs is a benchmark of its own.
"""

from __future__ import annotations

import os
import sys

from runner import Row, child, cost, report, row

SHAPES = {
    1_000: ((4, 6), (4, 6)), 10_000: ((9, 10), (9, 10)), 100_000: ((6, 7, 6), (6, 7, 6)), 1_000_000: ((9, 10, 10), (9, 10, 10)),
}  # fmt: skip
MORE = {
    "3-D": {
        1_000: ((4, 2), (3, 2), (6,)),
        50_000: ((5, 6), (5, 6), (7, 6)),
        500_000: ((9, 9), (9, 9), (8, 8)),
    },
    "4-D": {
        1_000: ((5,), (5,), (5,), (4,)),
        50_000: ((4, 4), (4, 3), (3, 4), (9,)),
        200_000: ((4, 5), (4, 5), (4, 5), (4, 4)),
    },
}
TAU = {"T1": ("Size", "Region"), "T2": ("IndustryCode", "Size"), "T3": ("IndustryCode", "Region")}
TAU["T4"] = ("IndustryCode", "Size", "Region")
REGIONS = {"Nr": ["1", "2", "3"], "Os": ["4", "5", "6", "7"], "Ws": ["8", "9", "10"], "Zd": ["11", "12"]}


def _tree(name, branching):
    import numpy as np

    from tarnkappe.data.hierarchy import Hierarchy

    codes, parent, layer = [name], [-1], [0]
    for size in branching:
        below = []
        for node in layer:
            for k in range(size):
                codes.append(f"{codes[node]}.{k}")
                parent.append(node)
                below.append(len(codes) - 1)
        layer = below
    return Hierarchy(name, np.array(codes, dtype=object), np.array(parent))


def _made(branchings):
    """A made table with its primary cells."""
    import numpy as np

    from tarnkappe.data.pattern import Pattern, Sensitivity
    from tarnkappe.data.table import Table
    from tarnkappe.language import Text

    draw = np.random.default_rng(20261115)
    trees = [_tree("abcd"[j], b) for j, b in enumerate(branchings)]
    inner = np.ix_(*(np.flatnonzero(h.is_leaf) for h in trees))
    value, one, two = (np.zeros([len(h) for h in trees]) for _ in range(3))
    shape = value[inner].shape
    x = np.round(draw.lognormal(5, 1.5, shape)) + 1
    x[draw.random(shape) < (0.17 if len(trees) > 2 else 0.0)] = 0
    value[inner] = x
    one[inner] = x * (1 - 0.8 * draw.random(shape) ** 0.45)
    two[inner] = (value - one)[inner] * draw.random(shape)
    for j, h in enumerate(trees):
        v, a, b = (np.moveaxis(array, j, 0) for array in (value, one, two))
        for node in range(len(h) - 1, 0, -1):
            up = h.parent[node]
            v[up] += v[node]
            less = np.minimum(a[up], a[node])
            a[up] = np.maximum(a[up], a[node])
            b[up] = np.maximum(less, np.maximum(b[up], b[node]))
    cells = np.argwhere(value > 0)
    at = tuple(cells.T)
    level = 0.15 * one[at] - (value - one - two)[at]
    needs = level > 0
    upper = np.where(needs, level, 0.0)
    table = Table("made", tuple(trees), cells.astype(np.int32), value[at])
    return Pattern(table).marked(
        Sensitivity(needs, np.minimum(upper, table.value), upper, Text("p %", "p %"))
    )


def _tau(file, by):
    """A table of the τ-ARGUS test file with its primary cells."""
    import numpy as np

    from tarnkappe.data.column import Column
    from tarnkappe.data.hierarchy_builders import from_digits, from_tree
    from tarnkappe.data.pattern import Pattern
    from tarnkappe.data.tabulate import tabulate
    from tarnkappe.io.read import read
    from tarnkappe.methods.tables.primary.p_percent import PPercent

    data = read(file)
    texts = {name: data.column(name).texts() for name in by}
    trees = {"Region": from_tree("Region", REGIONS)}
    if "IndustryCode" in by:
        trees["IndustryCode"] = from_digits("IndustryCode", np.unique(texts["IndustryCode"]), [3, 4, 5])
    columns = {name: Column.texts_of(texts[name], hierarchy=trees.get(name)) for name in by}
    table = tabulate(data.with_columns(columns).with_roles({}), by, "Var2", largest=2)
    high = np.full(len(table), 1.5 * table.value.max())
    return Pattern(table, high=high).marked(PPercent(p=15).mark(table))


def _protect(pattern, insiders):
    import numpy as np

    from tarnkappe.methods.tables.quader import Quader

    done = Quader(insiders=insiders).run(pattern)
    more = done.hidden & ~pattern.primary
    lack = (done.up < (1 - 1e-6) * pattern.upper[done.pivot]) | (
        done.down < (1 - 1e-6) * pattern.lower[done.pivot]
    )
    return {
        "cells": len(pattern.table), "primary": int(pattern.primary.sum()), "secondary": int(more.sum()),
        "value": float(np.abs(pattern.table.value[more]).sum()), "under-protected": int(lack.sum()), "repaired": done.repaired,
    }  # fmt: skip


def made(branchings):
    pattern = _made(eval(branchings))
    _protect(_made(((2, 2), (2, 2))), "none")
    yield
    yield _protect(pattern, "none")


def tau(file, name, insiders):
    pattern = _tau(file, TAU[name])
    _protect(_made(((2, 2), (2, 2))), "none")
    yield
    yield _protect(pattern, insiders)


TASKS = {task.__name__: task for task in (made, tau)}


def run(sizes, file) -> tuple[list[Row], list[str]]:
    rows, notes = [], []
    shapes = [("2-D", size, shape) for size, shape in SHAPES.items()]
    shapes += [(name, size, shape) for name, some in MORE.items() for size, shape in some.items()]
    for name, size, shape in shapes:
        if not sizes or size in sizes:
            _add(rows, notes, f"quader {name}, outsiders", cost(__file__, "made", shape))
    for name in TAU if file else ():
        for insiders in ("none", "contributors"):
            _add(
                rows,
                notes,
                f"quader {name}, insiders: {insiders}",
                cost(__file__, "tau", file, name, insiders),
            )
    return rows, notes


def _add(rows, notes, name, ours) -> None:
    found = ours.answer
    rows.append(row(name, int(found["cells"]), ours, "–", None))
    notes.append(
        f"{name}, {found['cells']:,.0f} cells: {found['primary']:,.0f} primary, {found['secondary']:,.0f} secondary cells with value "
        f"{found['value']:,.0f}, {found['under-protected']:.0f} under-protected, {found['repaired']:.0f} by linear program"
    )


if __name__ == "__main__" and not child(TASKS):
    given = sys.argv[1:]
    path = given[given.index("--tau") + 1] if "--tau" in given else os.environ.get("TARNKAPPE_TAU", "")
    report("quader", *run([int(a) for a in given if a.isdigit()], path))
