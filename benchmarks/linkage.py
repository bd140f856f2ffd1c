"""Linkage by distance of a release with an attacker's file, against recordlinkage and against scipy's assignment.

    python benchmarks/linkage.py [SIZE …]

Both files have the same persons in another order: four skewed numbers, released with a relative error of 20 %, in blocks of about 1,000 persons.
*nearest*: the nearest released record of the block by Gower's distance; recordlinkage compares every pair of a block by linear similarities,
whose sum falls as that distance grows, so both must find the same persons. *one to one*: the assignment of least total standardised distance in every block;
the peer computes all distances of a block and calls `linear_sum_assignment`, and both must find the same persons. *mahalanobis* and *no blocks*
(the nearest among all records) have no peer here.
"""

from __future__ import annotations

import sys

from runner import Row, child, cost, python_of, report, row

SIZES = (1_000, 10_000, 100_000)
IN_BLOCK, KEYS = 1_000, 4
MOST = {"recordlinkage": 10_000, "scipy": 100_000}
"""Beyond these sizes the peers are not run: recordlinkage keeps every pair."""


def made(size):
    """What the attacker knows, what is released, and the blocks."""
    import numpy as np

    n, draw = int(size), np.random.default_rng(20261116)
    known = np.exp(draw.normal(size=(n, 1)) + 0.5 * draw.normal(size=(n, KEYS)))
    return (
        known,
        known * (1 + 0.2 * draw.normal(size=(n, KEYS))),
        draw.integers(max(n // IN_BLOCK, 1), size=n),
    )


def files(size):
    import numpy as np

    from tarnkappe.data.column import Column
    from tarnkappe.data.microdata import Microdata

    known, released, block = made(size)
    both = []
    for values in (known, released):
        columns = {f"x{j}": Column.numbers_of(values[:, j].copy()) for j in range(KEYS)}
        both.append(Microdata(columns | {"block": Column.numbers_of(block)}))
    return both[0], both[1].take(np.random.default_rng(1).permutation(int(size)))


def attacked(size, **how):
    from tarnkappe.risk.linkage import Linkage

    measure = Linkage(keys=[f"x{j}" for j in range(KEYS)], **how)
    measure(*files(200))
    before, after = files(size)
    yield
    found = measure.measure(after, before=before)
    yield {"right": round(found.details["hits"]), "proven": float(found.details["proven"])}


def nearest(size):
    yield from attacked(size, distance="gower", within=["block"])


def one_to_one(size):
    yield from attacked(size, within=["block"], match="one-to-one")


def mahalanobis(size):
    yield from attacked(size, distance="mahalanobis", within=["block"])


def no_blocks(size):
    yield from attacked(size, distance="gower")


def recordlinkage(size):
    import numpy as np
    import pandas as pd
    import recordlinkage as rl

    known, released, block = made(size)
    names = [f"x{j}" for j in range(KEYS)]
    one, other = (pd.DataFrame(values, columns=names).assign(block=block) for values in (known, released))
    widths = np.ptp(np.concatenate([known, released]), axis=0)
    yield
    pairs = rl.Index().block("block").index(one, other)
    compare = rl.Compare()
    for name, width in zip(names, widths, strict=True):
        compare.numeric(name, name, method="linear", scale=float(width), label=name)
    alike = compare.compute(pairs, one, other).sum(axis=1)
    best = alike.groupby(level=0).idxmax()
    yield {"right": int(sum(a == b for a, b in best))}


def scipy(size):
    import numpy as np
    from scipy.optimize import linear_sum_assignment
    from scipy.spatial.distance import cdist

    known, released, block = made(size)
    spread = released.std(axis=0)
    yield
    right = 0
    for b in range(block.max() + 1):
        rows = np.flatnonzero(block == b)
        one, other = linear_sum_assignment(cdist(known[rows] / spread, released[rows] / spread))
        right += int((one == other).sum())
    yield {"right": right}


TASKS = {t.__name__: t for t in (nearest, one_to_one, mahalanobis, no_blocks, recordlinkage, scipy)}


def run(sizes) -> tuple[list[Row], list[str]]:
    peer = python_of("recordlinkage")
    rows, notes = [], []
    for size in sizes:
        theirs = (
            cost(__file__, "recordlinkage", size, python=peer, warm=(200,))
            if peer and size <= MOST["recordlinkage"]
            else None
        )
        rows.append(row("nearest, Gower", size, cost(__file__, "nearest", size), "recordlinkage", theirs))
        dense = cost(__file__, "scipy", size, warm=(200,)) if size <= MOST["scipy"] else None
        ours = cost(__file__, "one_to_one", size)
        rows.append(row("one to one, standardised", size, ours, "scipy, all pairs of a block", dense))
        notes.append(
            f"one to one, {size:,}: {ours.answer['right']:,} persons found, proven: {bool(ours.answer['proven'])}"
        )
        for task, title in (
            ("mahalanobis", "nearest, Mahalanobis"),
            ("no_blocks", "nearest, Gower, no blocks"),
        ):
            rows.append(row(title, size, cost(__file__, task, size), "–", None))
    return rows, notes


if __name__ == "__main__" and not child(TASKS):
    report("linkage", *run([int(s) for s in sys.argv[1:]] or SIZES))
