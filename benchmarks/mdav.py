"""MDAV microaggregation with k = 3, against a plain numpy version of the published algorithm.

    python benchmarks/mdav.py [SIZE …]

Four columns, standardised: a normal cloud and a skewed one (exponential of 1.5 times a normal). Both tools must find
groups of the same sum of squared errors. The plain version passes over all records for every group, so it is run
up to 10,000 records only.
"""

from __future__ import annotations

import sys

from runner import Row, child, cost, report, row

SIZES = (1_000, 10_000, 100_000)
MOST = 10_000
K = 3


def cloud(shape, size):
    import numpy as np

    x = np.random.default_rng(20261115).normal(size=(int(size), 4))
    x = np.exp(1.5 * x) if shape == "skewed" else x
    return (x - x.mean(axis=0)) / x.std(axis=0)


def loss(x, labels):
    """Share of the variation that is lost, in percent."""
    import numpy as np

    sums = np.zeros((labels.max() + 1, x.shape[1]))
    np.add.at(sums, labels, x)
    means = sums / np.bincount(labels)[:, None]
    return round(float(100 * ((x - means[labels]) ** 2).sum() / x.size), 6)


def tarnkappe(shape, size):
    from tarnkappe.kernels.mdav import mdav_groups

    x = cloud(shape, size)
    mdav_groups(x[:10].copy(), K)
    yield
    labels = mdav_groups(x, K)
    yield {"loss %": loss(x, labels)}


def numpy(shape, size):
    x = cloud(shape, size)
    yield
    yield {"loss %": loss(x, plain_groups(x, K))}


def plain_groups(x, k):
    """The published algorithm as it is written, one pass over all records for every group."""
    import numpy as np

    labels, left, group = np.full(len(x), -1), np.arange(len(x)), 0

    def apart(from_point):
        return ((x[left] - from_point) ** 2).sum(axis=1)

    while len(left) >= 2 * k:
        far = left[np.argmax(apart(x[left].mean(axis=0)))]
        ends = (far, left[np.argmax(apart(x[far]))]) if len(left) >= 3 * k else (far,)
        for end in ends:
            near = np.argpartition(apart(x[end]), k - 1)[:k]
            labels[left[near]] = group
            left, group = np.delete(left, near), group + 1
    labels[left] = group
    return labels


TASKS = {task.__name__: task for task in (tarnkappe, numpy)}


def run(sizes) -> tuple[list[Row], list[str]]:
    """Rows for both clouds and every size."""
    rows, notes = [], []
    for shape in ("normal", "skewed"):
        for size in sizes:
            ours = cost(__file__, "tarnkappe", shape, size)
            theirs = cost(__file__, "numpy", shape, size, warm=(shape, 100)) if size <= MOST else None
            rows.append(row(f"MDAV k = {K}, 4 columns, {shape}", size, ours, "plain numpy", theirs))
            notes.append(f"{shape}, {size:,}: {ours.answer['loss %']} % of the variation lost")
    return rows, notes


if __name__ == "__main__" and not child(TASKS):
    report("mdav", *run([int(s) for s in sys.argv[1:]] or SIZES))
