"""Noise methods on skewed, correlated columns, against plain numpy where a line of it does the same, and sdcMicro's figures.

    python benchmarks/noise.py [SIZE …]

The whole step is timed, from coded columns to coded columns, without the check of its claims. What sdcMicro 5.8.1 took for the
same on a comparable machine stands in the notes (measured in November 2026, see the manual); it cannot run beside us here.
"""

from __future__ import annotations

import sys

from runner import Row, child, cost, report, row

SIZES = (100_000, 1_000_000)
COLUMNS = 10
STEPS = {
    "additive": ("microdata.noise", {}),
    "additive, truncated": ("microdata.noise", {"noise": {"law": "normal", "smallest": 0.2, "largest": 2.5}}),
    "correlated": ("microdata.correlated-noise", {}),
    "correlated, exact, Kim": ("microdata.correlated-noise", {"moments": "exact", "kim": "asymptotic"}),
    "logarithms": ("microdata.log-noise", {}),
    "mixture (N10)": ("microdata.mixture-noise", {"separation": 0.3}),
    "factors (N13)": ("microdata.factor-noise", {}),
    "controlled, all columns (N17)": ("microdata.controlled-noise", {}),
    "controlled, one column (N16)": (
        "microdata.controlled-noise",
        {"control": {"by": "one-column", "column": "x0"}},
    ),
    "ROMM": ("microdata.rotate", {}),
    "redraw": ("microdata.redraw", {}),
}
SDCMICRO = {"correlated": {4_580: 0.001, 20_000: 5.1, 100_000: 15.4}, "ROMM": {4_580: 540.0}}
"""Seconds of addNoise with 3 columns; ROMM did not end within 540."""


def cloud(size):
    import numpy as np

    rng = np.random.default_rng(20261116)
    common = rng.normal(size=(int(size), 1))
    return np.exp(0.6 * common + 0.6 * rng.normal(size=(int(size), COLUMNS)))


def tarnkappe(what, size):
    import numpy as np

    from tarnkappe.data.column import Column
    from tarnkappe.data.microdata import Microdata
    from tarnkappe.randomness import public_stream as stream
    from tarnkappe.spec import catalogue

    x = cloud(size)
    data = Microdata({f"x{j}": Column.numbers_of(x[:, j]) for j in range(COLUMNS)})
    id, parameters = STEPS[what]
    step = catalogue[id](columns=data.names, **parameters)
    step.apply(data.take(np.arange(min(200, len(data)))), stream("warm", id))
    yield
    after = step.apply(data, stream("timed", id))
    yield {"records": len(after)}


def numpy(what, size):
    import numpy as np

    x = cloud(size)
    rng = np.random.default_rng(1)
    yield
    if what == "additive":
        y = x + np.sqrt(0.1) * x.std(axis=0) * rng.standard_normal(x.shape)
    elif what == "correlated":
        y = x + rng.multivariate_normal(np.zeros(COLUMNS), 0.1 * np.cov(x.T), len(x))
    elif what == "factors (N13)":
        y = x * (1 + 0.11 * rng.choice([-1, 1], (len(x), 1)) + 0.03 * rng.standard_normal(x.shape))
    elif what == "controlled, all columns (N17)":
        y = ranked(x, 0.03 * rng.standard_normal(x.shape))
    else:  # ROMM with a full matrix: two bases that begin with the vector of ones, near each other
        n = len(x)
        near = np.eye(n) + 0.3 / np.sqrt(n) * rng.standard_normal((n, n))
        one, two = (np.linalg.qr(np.column_stack([np.ones(n), m[:, 1:]]))[0] for m in (np.eye(n), near))
        y = two @ (one.T @ x)
    yield {"records": len(y)}


def ranked(x, w, f=0.11):
    """Multi-dimensional ranking as written in the book, a loop over the units."""
    import numpy as np

    total, gained, y = x.sum(axis=0), np.zeros(x.shape[1]), np.empty_like(x)
    for place, i in enumerate(np.argsort(-(x / x.mean(axis=0)).mean(axis=1))):
        down, up = gained + (w[i] - f) * x[i], gained + (w[i] + f) * x[i]
        lower = place == 0 or np.abs(down / total).sum() < np.abs(up / total).sum()
        gained = down if lower else up
        y[i] = (1 + w[i] + (-f if lower else f)) * x[i]
    return y


PLAIN = {
    "additive": 10**7,
    "correlated": 10**7,
    "factors (N13)": 10**7,
    "controlled, all columns (N17)": 100_000,
    "ROMM": 2_000,
}
"""What plain numpy is asked for, and up to which size."""
TASKS = {task.__name__: task for task in (tarnkappe, numpy)}


def run(sizes) -> tuple[list[Row], list[str]]:
    """Rows for every method and size."""
    rows, notes = [], []
    for what in STEPS:
        for size in sizes:
            ours = cost(__file__, "tarnkappe", what, size)
            theirs = (
                cost(__file__, "numpy", what, size, warm=(what, 200)) if size <= PLAIN.get(what, 0) else None
            )
            rows.append(row(f"{what}, {COLUMNS} columns", size, ours, "plain numpy", theirs))
            seconds = SDCMICRO.get(what, {}).get(size)
            if seconds:
                notes.append(
                    f"{what}, {size:,}: sdcMicro 5.8.1 took {seconds} s with 3 columns, we {ours.seconds:.3f} s with {COLUMNS}"
                )
    return rows, notes


if __name__ == "__main__" and not child(TASKS):
    report("noise", *run([int(s) for s in sys.argv[1:]] or SIZES))
