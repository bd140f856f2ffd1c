"""Local suppression to k-anonymity, against the greedy algorithm of the text book in plain numpy.

    python benchmarks/local_suppression.py [--adult FILE] [SIZE …]

Made data: eight skewed categorical keys, k = 3. `strict`: every shown combination, marks included, stands in k records;
`least`: for every person k released records fit. The text book's greedy (Gottschalk G-M06) takes each rare record in turn and
suppresses the smallest set of keys that makes it fit k records when wildcards count on both sides, the weakest of the three
goals; it compares all pairs, so it is run up to 500 records only. The adult file (30,162 records; semicolons) is named by --adult
or by TARNKAPPE_ADULT: eight keys, k = 3; sdcMicro 5.8.1 was published with 413 CPU seconds and 20,052 cells for it, also with wildcards
on both sides.
"""

from __future__ import annotations

import os
import sys

from runner import Row, child, cost, report, row

SIZES = (500, 20_000, 100_000)
MOST = 500
KEYS, K = 8, 3


def made(size):
    import numpy as np

    rng = np.random.default_rng(20261116)
    return np.column_stack([np.minimum(rng.geometric(0.45, int(size)), 6) for _ in range(KEYS)])


def adult(file):
    import numpy as np

    rows = np.loadtxt(file, delimiter=";", dtype=str, skiprows=1)[:, :KEYS]
    return np.column_stack([np.unique(column, return_inverse=True)[1] for column in rows.T])


def data(what):
    return made(what) if what.isdigit() else adult(what)


def suppressed(what, mode):
    from tarnkappe.data.column import Column
    from tarnkappe.data.microdata import Microdata
    from tarnkappe.methods.microdata.local_suppression import LocalSuppression
    from tarnkappe.randomness import public_stream as stream

    codes = data(what)
    columns = {f"k{j}": Column.numbers_of(codes[:, j]) for j in range(KEYS)}
    method = LocalSuppression(keys=tuple(columns), k=K, mode=mode)
    method.apply(Microdata({n: c.take(slice(60)) for n, c in columns.items()}), stream("warm up", method.id))
    yield
    after = method.apply(Microdata(columns), stream("benchmark", method.id))
    reached = min(int(method.fitting(after, keys).min()) for keys in method.key_sets(after))
    yield {
        "k": float(min(reached, K)),
        "cells": float(sum(after.column(n).suppressed.sum() for n in columns)),
    }


def strict(what):
    yield from suppressed(what, "strict")


def least(what):
    yield from suppressed(what, "least")


def greedy(what):
    from itertools import combinations

    import numpy as np

    codes = data(what)
    gone = np.zeros(codes.shape, dtype=bool)
    yield

    def fitting(i):
        return int((((codes == codes[i]) | gone) | gone[i]).all(axis=1).sum())

    for i in np.flatnonzero([fitting(i) < K for i in range(len(codes))]):
        if fitting(i) >= K:
            continue
        for keys in (s for size in range(1, KEYS + 1) for s in combinations(range(KEYS), size)):
            was = gone[i].copy()
            gone[i, list(keys)] = True
            if fitting(i) >= K:
                break
            gone[i] = was
    yield {"k": float(K), "their cells": float(gone.sum())}


TASKS = {task.__name__: task for task in (strict, least, greedy)}


def run(sizes, adult_file) -> tuple[list[Row], list[str]]:
    """Rows for both goals and every size."""
    rows, notes = [], []
    for what, size in [*((str(s), s) for s in sizes), *([(adult_file, 30_162)] if adult_file else [])]:
        theirs = cost(__file__, "greedy", what, warm=(60,)) if size <= MOST else None
        for mode in ("strict", "least"):
            ours = cost(__file__, mode, what)
            rows.append(row(f"local suppression, 8 keys, k = 3, {mode}", size, ours, "plain greedy", theirs))
            notes.append(
                f"{'adult' if what == adult_file else 'made'}, {size:,}, {mode}: {ours.answer['cells']:,.0f} cells"
            )
        if theirs:
            notes.append(f"made, {size:,}, plain greedy: {theirs.answer['their cells']:,.0f} cells")
    return rows, notes


if __name__ == "__main__" and not child(TASKS):
    given = sys.argv[1:]
    named = os.environ.get("TARNKAPPE_ADULT", "")
    if given[:1] == ["--adult"]:
        named, given = given[1], given[2:]
    report("local_suppression", *run([int(s) for s in given] or SIZES, named))
