"""Swapping and shuffling against plain numpy, with the published times of sdcMicro 5.8.1 beside them.

    python benchmarks/swapping.py [SIZE …]

Three skewed columns (ten at a million records), as for the times of sdcMicro; window 5 percent; shuffling given two further columns; records
are swapped between 400 towns in three levels, with households and k = 2. The plain versions do the same without tricks: rank swapping passes
over the free records of every window. Both must keep the values of every column and leave at most one record with its own.
"""

from __future__ import annotations

import sys

from runner import Row, child, cost, report, row

SIZES = (100_000, 1_000_000)
MOST = 20_000
SECRET = "a secret for benchmarks only"
SDCMICRO = {
    "rank-swap": {4_580: 0.012, 20_000: 0.03, 100_000: 0.80},
    "shuffle": {4_580: 0.056, 20_000: 11.7, 100_000: 128.0},
    "record-swap": {20_000: 0.12, 100_000: 0.70},
}
"""Seconds measured once on the machine of the comparison, three columns."""


def skewed(size):
    import numpy as np

    size = int(size)
    x = np.random.default_rng(20261116).normal(size=(size, 12 if size >= 1_000_000 else 5))
    x[:, 1:] += 0.5 * x[:, :1]
    return np.exp(x)


def as_data(x):
    from tarnkappe.data.column import Column
    from tarnkappe.data.microdata import Microdata

    return Microdata({f"x{j}": Column.numbers_of(x[:, j]) for j in range(x.shape[1])})


def steps(names):
    from tarnkappe.methods.microdata.covariance_swap import CovarianceSwap
    from tarnkappe.methods.microdata.half_swap import HalfSwap
    from tarnkappe.methods.microdata.rank_swap import RankSwap
    from tarnkappe.methods.microdata.shuffle import Shuffle
    from tarnkappe.methods.microdata.swap import Swap
    from tarnkappe.methods.microdata.swap_unprotected import SwapUnprotected

    return {
        "swap": Swap(columns=names[:-2]),
        "half-swap": HalfSwap(columns=names[:-2]),
        "rank-swap": RankSwap(columns={n: {"percent": 5} for n in names[:-2]}),
        "shuffle": Shuffle(columns=names[:-2], given=names[-2:]),
        "covariance-swap": CovarianceSwap(columns=names[:-2], keep=names[-2:]),
        "swap-unprotected": SwapUnprotected(columns=names[:-2]),
    }


def kept(x, y):
    """Columns whose values all stay in the file, while at most one record keeps its own."""
    import numpy as np

    same = (np.sort(x, axis=0) == np.sort(y, axis=0)).all(axis=0)
    return {"columns kept": int((same & ((x == y).sum(axis=0) <= 1)).sum())}


def answer(what, x, y):
    """Noise changes every value: there is nothing to compare but that nobody is found."""
    return (
        {"values as they were": int((x[:, :-2] == y).sum())}
        if what == "swap-unprotected"
        else kept(x[:, :-2], y)
    )


def tarnkappe(what, size):
    from tarnkappe.randomness import public_stream as stream

    x = skewed(size)
    data, small = as_data(x), as_data(x[:50])
    step = steps(data.names)[what]
    steps(small.names)[what].model_copy(update={"tolerance": 1.0} if what == "covariance-swap" else {}).apply(
        small, stream(SECRET)
    )
    yield
    after = step.apply(data, stream(SECRET))
    yield answer(what, x, after.numbers(data.names[:-2]))


def numpy(what, size):
    import numpy as np

    x = skewed(size)
    given = x[:, -2:]
    rng = np.random.default_rng(1)
    plain_shuffle(x[:500, :-2], given[:500], rng)  # imports
    yield
    yield answer(what, x, PLAIN[what](x[:, :-2], given, rng))


def plain_swap(x, _, rng):
    import numpy as np

    out = x.copy()
    for j in range(x.shape[1]):
        order = rng.permutation(len(x))
        out[order, j] = x[np.roll(order, 1), j]
    return out


def plain_half(x, _, rng):
    import numpy as np

    out = x.copy()
    for j in range(x.shape[1]):
        half = len(x) // 2
        order = rng.permutation(len(x))[: 2 * half]
        a, b = (part[np.argsort(x[part, j])] for part in (order[:half], order[half:]))
        out[a, j], out[b, j] = x[b, j], x[a, j]
    return out


def plain_rank(x, _, rng):
    import numpy as np

    out, window = x.copy(), 5 * len(x) // 100
    for j in range(x.shape[1]):
        order = np.argsort(-x[:, j])
        free = np.ones(len(x), dtype=bool)
        for i in range(len(x)):
            if free[i]:
                free[i] = False
                near = i + 1 + np.flatnonzero(free[i + 1 : i + 1 + window])
                if len(near):
                    other = rng.choice(near)
                    free[other] = False
                    a, b = order[i], order[other]
                    out[a, j], out[b, j] = x[b, j], x[a, j]
    return out


def plain_shuffle(x, given, rng):
    """With scipy's ranks and normal quantiles; own values are passed on by a ring."""
    import numpy as np
    from scipy.stats import norm, rankdata, spearmanr

    n, q = x.shape
    both = np.column_stack([x, given])
    z = norm.ppf(rankdata(both, axis=0) / (n + 1))
    z = (z - z.mean(axis=0)) / z.std(axis=0)
    r = 2 * np.sin(np.pi / 6 * spearmanr(both).statistic)
    b = np.linalg.solve(r[q:, q:], r[q:, :q]).T
    rest = np.linalg.cholesky(r[:q, :q] - b @ r[q:, :q])
    y = z[:, q:] @ b.T + rng.normal(size=(n, q)) @ rest.T
    out = np.empty_like(x)
    for j in range(q):
        out[np.argsort(y[:, j]), j] = np.sort(x[:, j])
        own = np.flatnonzero(out[:, j] == x[:, j])
        own = own if len(own) != 1 else np.append(own, (own + 1) % n)
        out[own, j] = np.roll(out[own, j], 1)
    return out


def census(size):
    import numpy as np

    from tarnkappe.data.column import Column
    from tarnkappe.data.microdata import Microdata

    size = int(size)
    rng = np.random.default_rng(20261116)
    house = np.repeat(np.arange(size), rng.integers(1, 6, size))[:size]
    town = rng.integers(0, 400, size)[house]
    codes = {
        "state": town // 80, "district": town // 20, "town": town, "kind": rng.integers(0, 4, size)[house],
        "sex": rng.integers(0, 2, size), "age": rng.integers(0, 15, size), "school": rng.integers(0, 6, size),
    }  # fmt: skip
    texts = {
        n: Column.coded(v, np.array([f"{i:03d}" for i in range(v.max() + 1)], dtype=object))
        for n, v in codes.items()
    }
    return Microdata(texts | {"house": Column.numbers_of(house)})


def tarnkappe_records(size):
    import numpy as np

    from tarnkappe.methods.microdata.record_swap import RecordSwap
    from tarnkappe.randomness import public_stream as stream

    data = census(size)
    step = RecordSwap(
        columns=("state", "district", "town"), keys=("sex", "age", "school"), k=2, unit="house",
        similar=(("kind",), ()), share=0.05, too_small="leave",
    )  # fmt: skip
    step.apply(census(50), stream(SECRET))
    yield
    after = step.apply(data, stream(SECRET))
    was, now = data.column("town").values, after.column("town").values
    yield {"towns keep their size": int(np.array_equal(np.bincount(was), np.bincount(now)))}


def plain_unprotected(x, _, rng):
    """With scipy's k-d tree: whoever is nearest to its own original exchanges with others of that kind."""
    import numpy as np
    from scipy.spatial import KDTree

    unit = x.std(axis=0)
    noise = rng.multivariate_normal(np.zeros(x.shape[1]), 0.1 * np.cov(x.T, ddof=0), len(x))
    y = x + noise
    near = KDTree(x / unit).query(y / unit)[1]
    close = (np.abs(noise) < 0.1 * np.abs(x)).any(axis=1)
    known = rng.permutation(np.flatnonzero((near == np.arange(len(x))) & close))
    y[known] = y[np.roll(known, 1)]
    return y


PLAIN = {
    "swap": plain_swap, "half-swap": plain_half, "rank-swap": plain_rank, "shuffle": plain_shuffle,
    "swap-unprotected": plain_unprotected,
}  # fmt: skip
TASKS = {task.__name__: task for task in (tarnkappe, numpy, tarnkappe_records)}


def run(sizes) -> tuple[list[Row], list[str]]:
    """Rows for every method and size; notes with the published times."""
    rows, notes = [], []
    for size in sizes:
        for what in ("swap", "half-swap", "rank-swap", "shuffle", "covariance-swap", "swap-unprotected"):
            slow = what in ("rank-swap", "swap-unprotected") and size > (
                MOST if what == "rank-swap" else 5 * MOST
            )
            peer = (
                None if slow or what not in PLAIN else cost(__file__, "numpy", what, size, warm=(what, 500))
            )
            ours = cost(__file__, "tarnkappe", what, size)
            rows.append(row(what, size, ours, "plain numpy", peer))
            notes += published(what, size, ours)
        ours = cost(__file__, "tarnkappe_records", size)
        rows.append(row("record-swap, 3 levels", size, ours, "–", None))
        notes += published("record-swap", size, ours)
    return rows, notes


def published(what, size, ours):
    """The time of sdcMicro beside ours, where there is one."""
    seconds = SDCMICRO.get(what, {}).get(size)
    return (
        [f"{what}, {size:,}: sdcMicro 5.8.1 {seconds} s (quoted), ours {ours.seconds:.3f} s"]
        if seconds
        else []
    )


if __name__ == "__main__" and not child(TASKS):
    report("swapping", *run([int(s) for s in sys.argv[1:]] or SIZES))
