"""Microaggregation with k = 3: time beside loss, over growing sizes.

    python benchmarks/microaggregation.py [SIZE …]

Skewed columns that share a size (exponential of a normal): ten for methods that treat columns apart, five for the others. Where a plain
numpy version is short it runs on the same data and must lose the same. sdcMicro's figures are those of an earlier run on this kind of
machine (three columns) and stand in the notes; they are not measured here.
"""

from __future__ import annotations

import sys

from runner import Row, child, cost, report, row

SIZES = (100_000, 1_000_000)
MOST = 100_000
"""Groups of neighbours in several columns are asked for up to so many records unless sizes are given; one column or one axis for all."""
K = 3
APART = {
    "rank-average fixed": ("rank-average", {"sizes": "fixed"}),
    "rank-average optimal": ("rank-average", {}),
    "safe-average 5 %": ("safe-average", {}),
    "spread-average k = 4": ("spread-average", {"k": 4, "signs": "free"}),
    "resample-average": ("resample-average", {}),
}
AXIS = {
    "axis-average component, fixed": ("axis-average", {"sizes": "fixed"}),
    "axis-average component": ("axis-average", {}),
    "axis-average core": ("axis-average", {"axis": "core"}),
    "axis-average pursuit": ("axis-average", {"axis": "pursuit"}),
    "random-average": ("random-average", {}),
}
NEIGHBOURS = {
    "mdav": ("mdav", {}),
    "mdav by owners": ("mdav", {"by": "owners"}),
    "cluster-average centre": ("cluster-average", {}),
    "cluster-average centre, robust": ("cluster-average", {"distance": "robust"}),
    "cluster-average pair": ("cluster-average", {"grouping": "pair"}),
    "cluster-average ward": ("cluster-average", {"grouping": "ward"}),
    "category-average": ("category-average", {}),
}
TOGETHER = {**AXIS, **NEIGHBOURS}
PLAIN = ("rank-average fixed", "spread-average k = 4", "axis-average component, fixed")
SDCMICRO = (
    "sdcMicro 5.8.1, 100,000 records of 3 columns: MDAV 48 s",
    "sdcMicro 5.8.1, 4,580 records of 3 columns: MDAV 0.083 s, rmd 2.3 s, pppca 15.3 s, mcdpca 1.7 s; Gower, 1,000 records: 2.1 s",
)


def columns(size, many):
    import numpy as np

    rng = np.random.default_rng(20261116)
    shared = rng.normal(size=(int(size), 1))
    return np.exp(1.2 * shared + 0.5 * rng.normal(size=(int(size), many)))


def loss(x, y):
    """Share of the variation that is lost, in percent, all columns alike."""
    return round(float(100 * (((x - y) / x.std(axis=0)) ** 2).mean()), 5)


def chosen(name, size):
    method, parameters = {**APART, **TOGETHER}[name]
    return method, parameters, columns(size, 10 if name in APART else 5)


def tarnkappe(name, size):
    import numpy as np

    from tarnkappe.data.column import Column
    from tarnkappe.data.microdata import Microdata
    from tarnkappe.randomness import public_stream as stream
    from tarnkappe.spec import catalogue
    from tarnkappe.vocab import Role

    method, parameters, x = chosen(name, size)
    held = {f"x{j}": Column.numbers_of(x[:, j]) for j in range(x.shape[1])}
    roles = {}
    if parameters.get("by") == "owners":
        held["owner"] = Column.numbers_of(np.arange(len(x)) // 2)
        roles = {Role.OWNER: ("owner",)}
    data = Microdata(held, roles)
    names = tuple(n for n in held if n != "owner")
    step = catalogue[f"microdata.{method}"](columns=names, **parameters)
    step.apply(data.take(np.arange(200)), stream("warm"))
    yield
    after = step.apply(data, stream("any"))
    yield {"loss %": loss(x, after.numbers(names))}


def numpy(name, size):
    import numpy as np

    _, _, x = chosen(name, size)
    yield
    y = np.empty_like(x)
    if name in TOGETHER:
        z = (x - x.mean(axis=0)) / x.std(axis=0)
        axis = np.linalg.eigh(z.T @ z / len(z))[1][:, -1]
        order = np.argsort(z @ (axis if axis[np.argmax(np.abs(axis))] > 0 else -axis), kind="stable")
        y[order] = _means(x[order], K)
    for j in range(x.shape[1] if name in APART else 0):
        order = np.argsort(x[:, j], kind="stable")
        y[order, j] = _means(x[order, j], K) if name.startswith("rank") else _two_values(x[order, j])
    yield {"loss %": loss(x, y)}


def _groups(size, k):
    import numpy as np

    return np.minimum(np.arange(size) // k, size // k - 1)


def _means(x, k):
    import numpy as np

    of = _groups(len(x), k)
    sums = np.stack([np.bincount(of, c) for c in x.reshape(len(x), -1).T], axis=1)
    return (sums / np.bincount(of)[:, None])[of].reshape(x.shape)


def _two_values(x):
    import numpy as np

    of = _groups(len(x), 4)
    size, start = np.bincount(of), np.flatnonzero(np.diff(of, prepend=-1))
    mean = np.bincount(of, x) / size
    sd = np.sqrt(np.bincount(of, (x - mean[of]) ** 2) / size)
    low = size // 2
    upper = np.arange(len(x)) - start[of] >= low[of]
    down, up = sd * np.sqrt((size - low) / low), sd * np.sqrt(low / (size - low))
    return mean[of] + np.where(upper, up[of], -down[of])


TASKS = {task.__name__: task for task in (tarnkappe, numpy)}


def run(sizes) -> tuple[list[Row], list[str]]:
    """Rows for every method and size."""
    rows, notes = [], []
    for name in (*APART, *TOGETHER):
        for size in (s for s in sizes or SIZES if sizes or s <= MOST or name not in NEIGHBOURS):
            ours = cost(__file__, "tarnkappe", name, size)
            theirs = cost(__file__, "numpy", name, size, warm=(name, 200)) if name in PLAIN else None
            rows.append(
                row(f"{name}, {10 if name in APART else 5} columns", size, ours, "plain numpy", theirs)
            )
            notes.append(f"{name}, {size:,}: {ours.answer['loss %']} % of the variation lost")
    return rows, [*notes, *SDCMICRO]


if __name__ == "__main__" and not child(TASKS):
    report("microaggregation", *run([int(s) for s in sys.argv[1:]]))
