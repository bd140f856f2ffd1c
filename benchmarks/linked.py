"""Linked tables: three that share margins, protected and audited together.

    python benchmarks/linked.py [CELLS …]

Records with hierarchical variables a, b, c, d and a skewed value. Flat sets: the tables a × b, b × c and c × a share the totals of
every variable. Deep sets: the tables a × b × c, a × b × d and a × c × d share the margins a × b, a × c and a × d, where many cells are hidden. CELLS
is the number of cells that each table would have if none were empty. A cell is primary under
the p % rule (p = 15) or with fewer than three contributors; the attacker knows that no value is negative, and everybody who
alone contributes to a cell attacks too where the row says so. Under-protected cells are counted afterwards by the attack over
the sums of all three tables, outside the measured time; the count must be 0.
"""

from __future__ import annotations

import sys
import time

from quader import _tree
from runner import Row, child, cost, report

FLAT, DEEP = ("ab", "bc", "ca"), ("abc", "abd", "acd")
SETS = {
    "flat": {1_000: (4, 6), 5_000: (8, 8), 20_000: (10, 12), 100_000: (6, 7, 7)},
    "deep": {1_000: (9,), 5_000: (4, 3), 20_000: (4, 5), 70_000: (5, 7)},
}
"""Codes below each code, by level, for about so many cells a table."""


def _start(kind, branching):
    """The aligned set with its primary cells."""
    import numpy as np

    from tarnkappe.data.column import Column
    from tarnkappe.data.microdata import Microdata
    from tarnkappe.data.pattern import Pattern
    from tarnkappe.data.pattern_set import PatternSet
    from tarnkappe.data.tabulate import tabulate
    from tarnkappe.methods.tables.primary.minimum_frequency import MinimumFrequency
    from tarnkappe.methods.tables.primary.p_percent import PPercent

    draw = np.random.default_rng(20261116)
    trees = {name: _tree(name, branching) for name in "abcd"}
    leaves = {name: np.array(tree.codes)[tree.is_leaf] for name, tree in trees.items()}
    tables = FLAT if kind == "flat" else DEEP
    records = 15 * len(leaves["a"]) ** len(tables[0])
    columns = {
        name: Column.texts_of(draw.choice(codes, records, p=_skewed(draw, len(codes))).tolist(), hierarchy=trees[name])
        for name, codes in leaves.items()
    }  # fmt: skip
    columns["value"] = Column.numbers_of(np.round(draw.lognormal(5, 1.5, records)) + 1)
    data = Microdata(columns)
    patterns = []
    for by in tables:
        table = tabulate(data, list(by), "value", largest=2, name=by)
        marked = Pattern(table)
        for rule in (PPercent(p=15), MinimumFrequency(n=3)):
            marked = marked.marked(rule.mark(table))
        patterns.append(marked)
    return PatternSet(tuple(patterns)).aligned()


def _skewed(draw, count):
    weight = draw.lognormal(0, 0.8, count)
    return weight / weight.sum()


def together(kind, branching, insiders):
    from tarnkappe.attack.attacker import Attacker
    from tarnkappe.attack.together import attacked, joint_of
    from tarnkappe.methods.tables.quader import Quader
    from tarnkappe.plan.linked_protection import Member, protect_linked

    attacker, method = Attacker(insiders=insiders), Quader(insiders=insiders)
    small = _start(kind, (2, 3))
    protect_linked(small, [Member(method)] * 3, attacker)
    start = _start(kind, eval(branching))
    yield
    began = time.process_time()
    after = protect_linked(start, [Member(method)] * 3, attacker)
    yield {
        "cpu": time.process_time() - began,
        "cells": len(start),
        "shared": int(start.tables.shared.sum()),
        "primary": int(start.primary.sum()),
        "secondary": int((after.suppressed & ~start.primary).sum()),
        "value": float(abs(start.tables.value[after.suppressed & ~start.primary]).sum()),
        **_checked(attacked(joint_of(after, attacker))),
    }


def _checked(found):
    return {"under-protected": int(found.narrow.sum()) + len(found.breaches)}


TASKS = {task.__name__: task for task in (together,)}


def run(sizes) -> tuple[list[Row], list[str]]:
    rows, notes = [], []
    for kind, size, insiders in _cases(sizes):
        found = cost(__file__, "together", kind, SETS[kind][size], insiders)
        told, who = found.answer, "outsiders" if insiders == "none" else "outsiders and single contributors"
        name = f"three linked tables, {kind}, {who}"
        rows.append(Row(name, int(told["cells"]), found, "–", None))
        notes.append(
            f"{name}, {told['cells']:,.0f} cells: {told['shared']:,.0f} shared, {told['primary']:,.0f} primary, {told['secondary']:,.0f} "
            f"secondary cells with value {told['value']:,.0f}, {told['under-protected']:.0f} under-protected; {told['cpu']:.1f} CPU s"
        )
    return rows, notes


def _cases(sizes):
    for kind, shapes in SETS.items():
        for size in shapes:
            if not sizes or size in sizes:
                yield kind, size, "none"
                yield kind, size, "contributors"


if __name__ == "__main__" and not child(TASKS):
    report("linked", *run([int(a) for a in sys.argv[1:] if a.isdigit()]))
