"""Probabilistic and Bayesian linkage of a release with an attacker's file, against the ECM classifier of recordlinkage.

    python benchmarks/probable_linkage.py [SIZE …]

Both files have the same persons in another order; a tenth of the categories of each key is exchanged, numbers have a relative error of
5 %. *categories*: five keys that agree or do not, in blocks of about 100 persons, by EM; both tools must compare as many pairs. *mixed*: three
categories and two numbers in five levels of agreement, blocks of about 1,000 persons, assigned one to one; recordlinkage knows no levels
in this model. *Bayes*: the same keys, posterior probabilities. The shares of right links stand in the notes.
"""

from __future__ import annotations

import sys

from runner import Cost, Row, child, cost, python_of, report, row

SIZES = (1_000, 10_000, 100_000)
MOST = 10_000
"""Beyond this size the peer, which keeps every pair, is not run."""
COUNTS = (2, 8, 6, 12, 20)


def made(size, in_block):
    """Categories and numbers of the persons, of their released records, and their blocks."""
    import numpy as np

    n, draw = int(size), np.random.default_rng(20261116)
    block = draw.integers(max(n // in_block, 1), size=n)
    known = np.column_stack([draw.integers(count, size=n) for count in COUNTS])
    wrong = draw.random(known.shape) < 0.1
    released = np.where(wrong, np.column_stack([draw.permutation(column) for column in known.T]), known)
    numbers = np.exp(draw.normal(size=(n, 2)))
    return known, released, numbers, numbers * (1 + 0.05 * draw.normal(size=(n, 2))), block


def files(size, in_block):
    import numpy as np

    from tarnkappe.data.column import Column
    from tarnkappe.data.microdata import Microdata

    known, released, numbers, changed, block = made(size, in_block)
    both = []
    for codes, amounts in ((known, numbers), (released, changed)):
        columns = {f"k{j}": Column.coded(codes[:, j], np.array([f"{c:02d}" for c in range(count)])) for j, count in enumerate(COUNTS)}  # fmt: skip
        columns |= {f"n{j}": Column.numbers_of(amounts[:, j].copy()) for j in range(2)}
        both.append(Microdata(columns | {"block": Column.numbers_of(block)}))
    return both[0], both[1].take(np.random.default_rng(1).permutation(int(size)))


def attacked(measure, size, in_block):
    measure(*files(200, in_block))
    before, after = files(size, in_block)
    yield
    found = measure.measure(after, before=before)
    yield {
        "pairs": found.details.get("pairs_compared", 0), "our_share": round(found.value, 4),
        "precision": round(found.details["precision"] or 0, 4), "greedy": found.details.get("greedy_blocks", 0),
    }  # fmt: skip


def categories(size):
    from tarnkappe.risk.probable_linkage import ProbableLinkage

    keys = [f"k{j}" for j in range(5)]
    yield from attacked(ProbableLinkage(keys=keys, within=["block"], match="heaviest"), size, 100)


def mixed(size):
    from tarnkappe.risk.probable_linkage import ProbableLinkage

    yield from attacked(ProbableLinkage(keys=["k0", "k1", "k2", "n0", "n1"], within=["block"]), size, 1_000)


def bayes(size):
    from tarnkappe.risk.bayes_linkage import BayesLinkage

    yield from attacked(BayesLinkage(keys=["k0", "k1", "k2", "n0", "n1"], within=["block"]), size, 1_000)


def recordlinkage(size):
    import pandas as pd
    import recordlinkage as rl

    known, released, _, _, block = made(size, 100)
    names = [f"k{j}" for j in range(5)]
    one, other = (pd.DataFrame(codes, columns=names).assign(block=block) for codes in (known, released))
    yield
    pairs = rl.Index().block("block").index(one, other)
    compare = rl.Compare()
    for name in names:
        compare.exact(name, name, label=name)
    links = rl.ECMClassifier().fit_predict(compare.compute(pairs, one, other))
    right = sum(a == b for a, b in links)
    yield {"pairs": len(pairs), "their_links": len(links), "their_right": int(right)}


TASKS = {task.__name__: task for task in (categories, mixed, bayes, recordlinkage)}


def run(sizes) -> tuple[list[Row], list[str]]:
    peer = python_of("recordlinkage")
    rows, notes = [], []
    for size in sizes:
        ours = cost(__file__, "categories", size)
        theirs = (
            cost(__file__, "recordlinkage", size, python=peer, warm=(500,)) if peer and size <= MOST else None
        )
        rows.append(row("categories, EM", size, ours, "recordlinkage", theirs))
        notes.append(_found("categories", size, ours))
        if theirs is not None:
            told = theirs.answer
            notes.append(f"recordlinkage, {size:,}: {told['their_links']:,} links, of which {told['their_right']:,} are right")  # fmt: skip
        for task, title in (("mixed", "mixed, EM, one to one"), ("bayes", "mixed, Bayes")):
            taken = cost(__file__, task, size)
            rows.append(row(title, size, taken, "", None))
            notes.append(_found(task, size, taken))
    return rows, notes


def _found(task, size, taken: Cost) -> str:
    told = taken.answer
    pairs = f"{told['pairs']:,} pairs, " if told["pairs"] else ""
    return f"{task}, {size:,}: {pairs}share rightly linked {told['our_share']}, precision {told['precision']}"


if __name__ == "__main__" and not child(TASKS):
    report("probable_linkage", *run([int(s) for s in sys.argv[1:]] or SIZES))
