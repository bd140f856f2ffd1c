"""The Quader method over tables of 1,000 to 1,000,000 cells, and over the tables of the τ-ARGUS test file.

    python benchmarks/quader.py [CELLS …] [--tau FILE]

Made tables: two, three and four dimensions with subtotals, skewed values, one cell in six empty from three dimensions on; a cell
is primary under the p % rule (p = 15, one contributor known); the attacker knows that no value is negative. Tables of made records
have contributors too. The τ-ARGUS file (tau_testW.csv, value Var2, p = 15) is named by --tau or by TARNKAPPE_TAU: T1 Size × Region, T2
Industry × Size, T3 Industry × Region, T4 all three; the attacker knows 0 ≤ x ≤ 1.5 · the largest value. `insiders` says whether those
attack too who alone contribute to a cell; then the sums of suppressed cells must pass the rule as well.

Beside us on T1 to T3: pytauargus (T1 optimal, else modular, single-respondent treatment on), in an environment of its own
(python benchmarks/peers.py install pytauargus); it does not finish T4. Under-protected cells are counted afterwards, outside the
measured time, against outsiders, for them and for us alike: by linear programs alone, that know nothing of the protector, or in tables
of records and those made for 1,000,000 cells by the audit, which looks for cuboids of hidden cells first, multiplies each by all sums of the table,
and needs programs for the rest. The count must be 0.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

from runner import Cost, Row, child, cost, python_of, report

SHAPES = {
    1_000: ((4, 6), (4, 6)), 10_000: ((9, 10), (9, 10)), 100_000: ((6, 7, 6), (6, 7, 6)), 1_000_000: ((9, 10, 10), (9, 10, 10)),
}  # fmt: skip
MORE = {
    "3-D": {
        1_000: ((4, 2), (3, 2), (6,)),
        10_000: ((4, 4), (4, 4), (5, 4)),
        50_000: ((5, 6), (5, 6), (7, 6)),
        100_000: ((6, 7), (6, 7), (6, 6)),
        1_000_000: ((9, 10), (9, 10), (9, 10)),
    },
    "4-D": {
        1_000: ((5,), (5,), (5,), (4,)),
        10_000: ((3, 3), (3, 3), (3, 2), (6,)),
        50_000: ((4, 4), (4, 3), (3, 4), (9,)),
        100_000: ((4, 4), (4, 4), (4, 3), (4, 3)),
        1_000_000: ((5, 5), (5, 5), (5, 5), (5, 5)),
    },
}
RECORDS = {
    50_000: (((5, 6), (5, 6), (7, 6)), 200_000),
    100_000: (((6, 7), (6, 7), (6, 6)), 400_000),
    1_000_000: (((9, 10, 10), (9, 10, 10)), 3_000_000),
}
"""Tables of made records, with as many records."""
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


def _recorded(branchings, number):
    """A table of made records with its primary cells; every record is a contributor."""
    import numpy as np

    from tarnkappe.data.column import Column
    from tarnkappe.data.microdata import Microdata
    from tarnkappe.data.pattern import Pattern
    from tarnkappe.data.tabulate import tabulate
    from tarnkappe.methods.tables.primary.p_percent import PPercent

    draw, columns = np.random.default_rng(20261116), {}
    for j, branching in enumerate(branchings):
        tree = _tree("abcd"[j], branching)
        codes = tree.codes[tree.is_leaf]
        columns["abcd"[j]] = Column.texts_of(codes[draw.integers(0, len(codes), number)], hierarchy=tree)
    by = tuple(columns)
    columns["v"] = Column.numbers_of(np.round(draw.lognormal(5, 1.5, number)) + 1)
    table, rule = tabulate(Microdata(columns), by, "v", largest=2), PPercent(p=15)
    return Pattern(table, judges=(rule,)).marked(rule.mark(table))


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
    high, rule = np.full(len(table), 1.5 * table.value.max()), PPercent(p=15)
    return Pattern(table, high=high, judges=(rule,)).marked(rule.mark(table))


def _protect(pattern, insiders, out=""):
    import numpy as np

    from tarnkappe.errors.unsafe_tables import Unprotectable
    from tarnkappe.methods.tables.quader import Quader

    try:
        done = Quader(insiders=insiders).run(pattern)
    except Unprotectable:
        return {"cells": len(pattern.table), "primary": int(pattern.primary.sum()), "refused": 1}
    more = done.hidden & ~pattern.primary
    lack = (done.up < (1 - 1e-6) * pattern.upper[done.pivot]) | (
        done.down < (1 - 1e-6) * pattern.lower[done.pivot]
    )
    if out:
        np.save(out, done.hidden)
    return {
        "cells": len(pattern.table), "primary": int(pattern.primary.sum()), "secondary": int(more.sum()),
        "value": float(np.abs(pattern.table.value[more]).sum()), "under-protected": int(lack.sum()), "repaired": done.repaired,
    }  # fmt: skip


def made(branchings, out):
    pattern = _made(eval(branchings))
    _warm_up()
    yield
    yield _protect(pattern, "none", out)


def recorded(branchings, number, insiders, out):
    pattern = _recorded(eval(branchings), int(number))
    _warm_up()
    yield
    yield _protect(pattern, insiders, out)


def tau(file, name, insiders, out):
    pattern = _tau(file, TAU[name])
    _warm_up()
    yield
    yield _protect(pattern, insiders, out)


def _warm_up():
    for branchings in (((2, 2), (2, 2)), ((2, 2), (2,), (2,))):
        _protect(_made(branchings), "none")


def pytauargus(file, name, out):
    """The peer, on the same records; `out` gets a line per suppressed cell: its codes."""
    import csv

    from pytauargus import protect

    with Path(file).open(encoding="utf-8") as lines:
        records = list(csv.DictReader(lines))
    data = {column: [record[column] for record in records] for column in TAU[name]}
    data["Var2"] = [float(record["Var2"]) for record in records]
    folder = Path(out).parent
    os.chdir(folder)  # its engine leaves logs where it runs
    tree = folder / "region.hrc"
    tree.write_text(
        "".join("\n".join([top, *(f"@{code:>2}" for code in below), ""]) for top, below in REGIONS.items())
    )
    trees = {"IndustryCode": "3 1 1", "Region": str(tree)}
    yield
    done = protect(
        data, list(TAU[name]), "Var2", safety_rules="P(15,1)", suppress="OPT(1,5)" if name == "T1" else "MOD(1,5,1,1,1)",
        hrc={column: trees[column] for column in TAU[name] if column in trees}, workdir=str(folder / "argus"),
    ).tables[0]  # fmt: skip
    rows = [row for row in done.rows if row["status"] in (PRIMARY, SECONDARY)]
    more = [row for row in rows if row["status"] == SECONDARY]
    with Path(out).open("w", encoding="utf-8", newline="") as lines:
        csv.writer(lines).writerows([row[column] for column in TAU[name]] for row in rows)
    yield {
        "primary": len(rows) - len(more), "secondary": len(more), "value": sum(abs(float(row["Var2"])) for row in more),
    }  # fmt: skip


def _again(kind, table):
    if kind == "made":
        return _made(eval(table))
    return _recorded(*eval(table)) if kind == "records" else _tau(kind, TAU[table])


def audited(kind, table, out, quick):
    """How many primary cells of a finished pattern an outsider finds too closely; `quick`: not by programs alone."""
    import numpy as np

    from tarnkappe.attack.cuboids import with_cuboids
    from tarnkappe.attack.intervals import CLOSE, Asked, intervals
    from tarnkappe.data.relations import relations_of

    pattern = _again(kind, table)
    hidden = np.load(out) if out.endswith(".npy") else _theirs(pattern, out)
    yield
    value, need = pattern.table.value, pattern.primary
    lower, upper = np.where(need, pattern.lower, 0.0), np.where(need, pattern.upper, 0.0)
    asked, known = Asked(lower, upper), (hidden | need, pattern.low, pattern.high)
    if quick == "quick":
        asked = with_cuboids(asked, pattern.table, *known)
    found = intervals(relations_of(pattern.table), value, *known, asked)
    slack = CLOSE * np.maximum(1.0, np.abs(value))
    yield {
        "under-protected": int(
            ((value - found.low < lower - slack) | (found.high - value < upper - slack))[need].sum()
        )
    }


def _theirs(pattern, file):
    """The cells that the peer hides, by their codes."""
    import csv

    import numpy as np

    table = pattern.table
    with Path(file).open(encoding="utf-8") as lines:
        rows = [[code.strip() or "Total" for code in row] for row in csv.reader(lines)]
    known = [set(map(str, h.codes)) for h in table.dimensions]
    rows = [row for row in rows if all(code in codes for code, codes in zip(row, known, strict=True))]
    nodes = [h.positions([row[j] for row in rows]) for j, h in enumerate(table.dimensions)]
    found = table.find(np.stack(nodes, axis=1).astype(np.int32))
    hidden = np.zeros(len(table), dtype=bool)
    hidden[found[found >= 0]] = True
    return hidden


PRIMARY, SECONDARY = "U", "M"
"""How pytauargus calls them."""
TASKS = {task.__name__: task for task in (made, recorded, tau, pytauargus, audited)}


def run(sizes, file) -> tuple[list[Row], list[str]]:
    rows, notes = [], []
    shapes = [("2-D", size, shape) for size, shape in SHAPES.items()]
    shapes += [(name, size, shape) for name, some in MORE.items() for size, shape in some.items()]
    with tempfile.TemporaryDirectory() as folder:
        ours, theirs = f"{folder}/ours.npy", f"{folder}/theirs.csv"
        for name, size, shape in shapes:
            if not sizes or size in sizes:
                found = cost(__file__, "made", shape, ours)
                how = "by-programs" if size <= 100_000 else "quick"
                checked = cost(__file__, "audited", "made", shape, ours, how)
                rows.append(Row(f"quader {name}, outsiders", int(found.answer["cells"]), found, "–", None))
                notes.append(_note(rows[-1].capability, found, checked))
        for size, (shape, number) in RECORDS.items():
            for insiders in ("none", "contributors") if not sizes or size in sizes else ():
                found = cost(__file__, "recorded", shape, number, insiders, ours)
                checked = cost(__file__, "audited", "records", (shape, number), ours, "quick")
                capability = f"quader {len(shape)}-D of {number:,} records, insiders: {insiders}"
                rows.append(Row(capability, int(found.answer["cells"]), found, "–", None))
                notes.append(_note(capability, found, checked))
        for name in TAU if file else ():
            peer = _peer(file, name, theirs, notes)
            for insiders in ("none", "contributors"):
                found = cost(__file__, "tau", file, name, insiders, ours)
                checked = (
                    None
                    if "refused" in found.answer
                    else cost(__file__, "audited", file, name, ours, "by-programs")
                )
                capability = f"quader {name}, insiders: {insiders}"
                rows.append(
                    Row(capability, int(found.answer["cells"]), found, "pytauargus" if peer else "–", peer)
                )
                notes.append(_note(capability, found, checked))
    return rows, notes


def _peer(file, name, out, notes) -> Cost | None:
    """pytauargus on one table; None, with a note, where it cannot run or does not finish."""
    if name == "T4":
        notes.append("pytauargus T4: not run; it was not finished after 12 minutes")
        return None
    python = python_of("pytauargus")
    if python is None:
        notes.append(f"pytauargus {name}: not installed")
        return None
    try:
        found = cost(__file__, "pytauargus", file, name, out, python=python, warm=(file, "T1", out))
    except RuntimeError as failed:
        notes.append(f"pytauargus {name}: {str(failed).strip().splitlines()[-1]}")
        return None
    notes.append(
        _note(f"pytauargus {name}", found, cost(__file__, "audited", file, name, out, "by-programs"))
    )
    return found


def _note(name, cost_of, checked) -> str:
    if "refused" in cost_of.answer:
        return f"{name}: {cost_of.answer['primary']:,.0f} primary cells; refused, out of reach against these insiders"
    found, short = cost_of.answer, checked.answer["under-protected"]
    extra = f", {found['repaired']:.0f} by linear program" if "repaired" in found else ""
    return (
        f"{name}: {found['primary']:,.0f} primary, {found['secondary']:,.0f} secondary cells with value "
        f"{found['value']:,.0f}, {short:.0f} under-protected against outsiders{extra}"
    )


if __name__ == "__main__" and not child(TASKS):
    given = sys.argv[1:]
    path = given[given.index("--tau") + 1] if "--tau" in given else os.environ.get("TARNKAPPE_TAU", "")
    report("quader", *run([int(a) for a in given if a.isdigit()], path))
