"""The audit of protected tables of 1,000 to 1,000,000 cells, and of those of the τ-ARGUS test file.

    python benchmarks/audit.py [CELLS …] [--tau FILE]

The tables are those of `quader.py`, protected by the Quader method before the clock starts. The baseline is what a plain audit does: two
linear programs over all hidden cells for every primary cell, by scipy's HiGHS. It is run for a few primary cells drawn at random and
extrapolated to all of them; the column `peer s` is that extrapolation. The notes tell how many cells were proven by which argument, and who
attacks: outsiders only, or also the sole contributors of cells.
"""

from __future__ import annotations

import os
import sys

from quader import MORE, SHAPES, TAU, _made, _tau
from runner import Row, Told, child, cost, report, row

SAMPLE = 5
"""Primary cells that the baseline is run for,"""
LARGEST = 10_000
"""in tables up to this size."""


def _protected(pattern, insiders="none"):
    from tarnkappe.methods.tables.quader import Quader

    return Quader(insiders=insiders).protect(pattern, None)


def _audit(pattern, insiders):
    from tarnkappe.attack.intervals import Proof
    from tarnkappe.risk.table_audit import TableAudit

    found = TableAudit(insiders=insiders).audit(pattern)
    by = {p.name.lower(): int((found.intervals.proof == p).sum()) for p in Proof if p is not Proof.OPEN}
    return {
        "cells": len(pattern.table), "hidden": int(pattern.hidden.sum()), "primary": int(pattern.needs.sum()),
        "leaks": int(found.narrow.sum()), "breaches": len(found.breaches), "programs": found.intervals.solved, **by,
    }  # fmt: skip


def _plain(pattern):
    """Two programs over all hidden cells for some primary cells."""
    import numpy as np
    from scipy.optimize import linprog

    from tarnkappe.data.relations import relations_of

    hidden = np.flatnonzero(pattern.hidden)
    matrix = relations_of(pattern.table).matrix()[:, hidden]
    matrix = matrix[np.flatnonzero(np.diff(matrix.indptr)), :]
    known = matrix @ pattern.table.value[hidden]
    bounds = np.stack([pattern.low[hidden], pattern.high[hidden]], axis=1)
    needs = np.flatnonzero(pattern.needs[hidden])
    for at in np.random.default_rng(0).choice(needs, min(SAMPLE, len(needs)), replace=False):
        for sign in (1.0, -1.0):
            price = np.zeros(len(hidden))
            price[at] = sign
            linprog(price, A_eq=matrix, b_eq=known, bounds=bounds, method="highs")
    return {"sampled": float(min(SAMPLE, len(needs))), "primary": float(len(needs))}


def _pattern(kind, what, insiders):
    if kind == "made":
        return _protected(_made(eval(what)), insiders)
    file, name = what.split("|")
    return _protected(_tau(file, TAU[name]), insiders)


def ours(kind, what, insiders):
    pattern = _pattern(kind, what, insiders)
    _audit(_protected(_made(((2, 2), (2, 2)))), insiders)
    yield
    yield _audit(pattern, insiders)


def plain(kind, what, insiders):
    pattern = _pattern(kind, what, insiders)
    yield
    yield _plain(pattern)


TASKS = {task.__name__: task for task in (ours, plain)}


def run(sizes, file) -> tuple[list[Row], list[str]]:
    rows, notes = [], [f"baseline: {SAMPLE} primary cells at random, extrapolated to all primary cells"]
    shapes = [("2-D", size, shape) for size, shape in SHAPES.items()]
    shapes += [(name, size, shape) for name, some in MORE.items() for size, shape in some.items()]
    for name, size, shape in shapes:
        if not sizes or size in sizes:
            _add(rows, notes, f"audit {name}, outsiders", ("made", shape, "none"), baseline=size <= LARGEST)
    for name in TAU if file else ():
        for insiders in ("none", "contributors"):
            says = "outsiders" if insiders == "none" else "outsiders and single contributors"
            what = ("tau", f"{file}|{name}", insiders)
            _add(rows, notes, f"audit {name}, {says}", what, baseline=insiders == "none" and name != "T4")
    return rows, notes


def _add(rows, notes, name, what, *, baseline) -> None:
    done = cost(__file__, "ours", *what)
    found, theirs = done.answer, None
    if baseline:
        sample = cost(__file__, "plain", *what, warm=("made", min(SHAPES.items())[1], "none"))
        times = sample.answer["primary"] / max(sample.answer["sampled"], 1.0)
        theirs = Told(round(sample.seconds * times, 1), "extrapolated")
    rows.append(row(name, int(found["cells"]), done, "plain LPs", theirs))
    by = ", ".join(
        f"{found[k]:,.0f} {k}" for k in ("subtraction", "rank", "pushed", "neighbourhood", "component")
    )
    notes.append(
        f"{name}, {found['cells']:,.0f} cells: {found['hidden']:,.0f} hidden, {found['primary']:,.0f} primary, {found['leaks']:.0f} "
        f"too narrow, {found['breaches']:.0f} for insiders; {found['programs']:,.0f} programs; by {by}"
    )


if __name__ == "__main__" and not child(TASKS):
    given = sys.argv[1:]
    path = given[given.index("--tau") + 1] if "--tau" in given else os.environ.get("TARNKAPPE_TAU", "")
    report("audit", *run([int(a) for a in given if a.isdigit()], path))
