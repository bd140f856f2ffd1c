"""Attacks on numeric values: outlier risk (RMD) beside its dense form, and how all of them grow.

    python benchmarks/value_disclosure.py [--testdata FILE] [SIZE …]

Made data: five correlated columns, noise of a tenth of the variance. *outlier risk*: robust Mahalanobis distances by the minimum
covariance determinant, intervals, and the nearest other record; the dense version keeps the distances of all pairs, as sdcMicro does, so
it is run up to 10,000 records (sdcMicro wants 37 GB for 100,000). Both must find the same. *swaps undone* searches the windows of
rank swapping by five per cent, *ratio attack* links records by their ratios; beside them stands numpy over all pairs, up to 5,000 records.
Interval and value disclosure have no peer here.

With the testdata of sdcMicro (named by --testdata or by TARNKAPPE_TESTDATA; 4,580 records, three columns, and samples of it with
replacement) the seconds of dRiskRMD of sdcMicro 5.8.1 stand beside ours, quoted: it fails from 20,000 records on.
"""

from __future__ import annotations

import os
import sys

from runner import Row, Told, child, cost, report, row

SIZES = (1_000, 10_000, 100_000)
MOST = {"outliers": 10_000, "swaps": 5_000}
COLUMNS = 5
NUMERIC = ("expend", "income", "savings")
QUOTED = {4_580: 2.0}
"""Seconds of dRiskRMD."""


def made(size):
    import numpy as np

    draw = np.random.default_rng(20261116)
    x = np.exp(draw.normal(size=(int(size), 1)) + 0.7 * draw.normal(size=(int(size), COLUMNS)))
    return x, x + np.sqrt(0.1) * x.std(axis=0) * draw.normal(size=x.shape)


def swapped(x):
    """Ranks exchanged with a neighbour at most a twentieth of the records away."""
    import numpy as np

    draw, y = np.random.default_rng(1), np.empty_like(x)
    for j in range(x.shape[1]):
        by_rank = np.argsort(x[:, j])
        moved = np.argsort(np.arange(len(x)) + draw.uniform(0, 0.05 * len(x), len(x)))
        y[by_rank, j] = x[by_rank[moved], j]
    return y


def data(x):
    from tarnkappe.data.column import Column
    from tarnkappe.data.microdata import Microdata

    return Microdata({f"x{j}": Column.numbers_of(x[:, j].copy()) for j in range(x.shape[1])})


def measured(measure, x, y):
    """Warm up on a few records; then the value that is timed."""
    measure.measure(data(y[:60]), before=data(x[:60]))
    before, after = data(x), data(y)
    yield
    yield {"value": round(measure.measure(after, before=before).value, 6)}


def outliers(size):
    from tarnkappe.risk.outliers import Outliers

    yield from measured(Outliers(width=0.05), *made(size))


def dense_outliers(size):
    import numpy as np

    from tarnkappe.kernels.outlying import robust_distances

    x, y = made(size)
    yield
    x, y = ((v - x.mean(axis=0)) / x.std(axis=0) for v in (x, y))
    unsafe = (np.abs(y - x) <= 0.05 * robust_distances(x)[:, None]).any(axis=1)
    apart = np.zeros((len(y), len(y)))
    for j in range(y.shape[1]):
        apart += (y[:, None, j] - y[None, :, j]) ** 2
    np.fill_diagonal(apart, np.inf)
    yield {"value": round(float((unsafe & (np.sqrt(apart.min(axis=1)) > 0.05)).mean()), 6)}


def swaps(size):
    from tarnkappe.risk.swaps_undone import SwapsUndone

    x, _ = made(size)
    yield from measured(SwapsUndone(), x, swapped(x))


def dense_swaps(size):
    import numpy as np

    x, _ = made(size)
    y = swapped(x)
    yield
    fits, apart = np.ones((len(x), len(x)), dtype=bool), np.zeros((len(x), len(x)))
    for j in range(x.shape[1]):
        rank = np.sort(x[:, j])
        was, now = np.searchsorted(rank, x[:, j]), np.searchsorted(rank, y[:, j])
        window = np.abs(was - now).max()
        moved = np.abs(was[:, None] - now[None, :])
        fits &= moved <= window
        apart += (moved / (window + 1)) ** 2
    apart[~fits] = np.inf
    nearest = apart <= apart.min(axis=1, keepdims=True) + 1e-12
    ways = [np.mean(np.diag(found) / found.sum(axis=1)) for found in (fits, nearest)]
    yield {"value": round(float(max(ways)), 6)}


def intervals(size):
    from tarnkappe.risk.interval_disclosure import IntervalDisclosure

    yield from measured(IntervalDisclosure(), *made(size))


def ranks(size):
    from tarnkappe.risk.interval_disclosure import IntervalDisclosure

    yield from measured(IntervalDisclosure(scale="rank"), *made(size))


def values(size):
    from tarnkappe.risk.value_disclosure import ValueDisclosure

    yield from measured(ValueDisclosure(), *made(size))


def ratios(size):
    from tarnkappe.risk.ratio_attack import RatioAttack

    yield from measured(RatioAttack(), *made(size))


def testdata_outliers(file, size):
    import numpy as np

    from tarnkappe.io.read import read

    x = read(file).numbers(NUMERIC)
    draw = np.random.default_rng(1)
    x = x if int(size) == len(x) else x[draw.integers(0, len(x), int(size))]
    from tarnkappe.risk.outliers import Outliers

    yield from measured(Outliers(width=0.0005), x, x + 0.1 * x.std(axis=0) * draw.normal(size=x.shape))


TASKS = {
    task.__name__: task
    for task in (
        outliers, dense_outliers, swaps, dense_swaps, intervals, ranks, values, ratios, testdata_outliers,
    )
}  # fmt: skip
ALONE = {
    "intervals": "interval disclosure, standard deviations",
    "ranks": "interval disclosure, ranks",
    "values": "value disclosure, each column known in turn",
    "ratios": "ratio attack with linkage by ratios",
}


def quoted(file) -> list[Row]:
    """Our seconds beside those of dRiskRMD, which were measured on another day; it finds something else, so only seconds are compared."""
    rows = []
    for size in (*QUOTED, 20_000, 100_000):
        ours = cost(__file__, "testdata_outliers", file, size, runs=3)
        theirs = Told(QUOTED[size], "quoted") if size in QUOTED else None
        rows.append(row("testdata, 3 columns: outlier risk", size, ours, "sdcMicro", theirs))
    return rows


def run(sizes, file) -> tuple[list[Row], list[str]]:
    """Rows for every size, and for testdata if it is there."""
    rows = []
    for size in sizes:
        for task, title in (
            ("outliers", "outlier risk (RMD), 5 columns"),
            ("swaps", "swaps undone, 5 columns"),
        ):
            theirs = cost(__file__, f"dense_{task}", size, warm=(100,)) if size <= MOST[task] else None
            rows.append(row(title, size, cost(__file__, task, size), "dense numpy", theirs))
        rows += [row(title, size, cost(__file__, task, size), "–", None) for task, title in ALONE.items()]
    notes = ["The dense forms keep a number for every pair of records: 80 GB for 100,000."]
    if file:
        notes.append(
            "dRiskRMD of sdcMicro 5.8.1 is quoted; at 20,000 records it fails (> 10 GB), at 100,000 it wants 37 GB."
        )
    return [*rows, *(quoted(file) if file else [])], notes


if __name__ == "__main__" and not child(TASKS):
    given = sys.argv[1:]
    named = os.environ.get("TARNKAPPE_TESTDATA", "")
    if given[:1] == ["--testdata"]:
        named, given = given[1], given[2:]
    report("value_disclosure", *run([int(s) for s in given] or SIZES, named))
