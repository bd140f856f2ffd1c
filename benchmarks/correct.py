"""Regression on a protected file, corrected, beside plain least squares with numpy on the same file.

    python benchmarks/correct.py [SIZE …]

Plain least squares with its sandwich is what an analyst would compute without correction: the ratio says what the correction
costs. Ours includes building the matrix, the naive estimate beside the corrected one, and all checks.
"""

from __future__ import annotations

import sys

from runner import Row, child, cost, report, row

SIZES = (10_000, 100_000, 1_000_000)
STEPS = {
    "shared factor (Hwang)": ("microdata.factor-noise", {"factors": {"law": "uniform"}, "shared": "factor"}),
    "additive noise": ("microdata.noise", {"variance_ratio": 0.2}),
    "correlated noise": ("microdata.correlated-noise", {"variance_ratio": 0.2}),
}
COLUMNS = ("x0", "x1", "x2", "x3")


def cloud(size):
    import numpy as np

    rng = np.random.default_rng(20261116)
    x = np.exp(0.4 * rng.normal(size=(int(size), 1)) + 0.5 * rng.normal(size=(int(size), len(COLUMNS))))
    return x, 1 + x @ [1.0, 2.0, 3.0, 4.0] + rng.normal(size=int(size))


def protected(what, size):
    from tarnkappe.correct.release import Release, Step
    from tarnkappe.data.column import Column
    from tarnkappe.data.microdata import Microdata
    from tarnkappe.randomness import public_stream as stream
    from tarnkappe.spec import catalogue

    x, y = cloud(size)
    data = Microdata(
        {**{n: Column.numbers_of(x[:, j]) for j, n in enumerate(COLUMNS)}, "y": Column.numbers_of(y)}
    )
    id, parameters = STEPS[what]
    step = catalogue[id](columns=COLUMNS, **parameters)
    after = step.apply(data, stream("timed", id))
    told = Step(1, id, step.title, step.tells(data, after))
    return Release("made", after, (told,), dict.fromkeys(COLUMNS, (1,)))


def tarnkappe(what, size):
    from tarnkappe.correct import model

    formula = "y ~ " + " + ".join(COLUMNS)
    model(protected(what, 500), formula)
    release = protected(what, size)
    yield
    found = model(release, formula)
    yield {"records": found.records}


def numpy(what, size):
    import numpy as np

    data = protected(what, size).data
    x, y = data.numbers(COLUMNS), data.column("y").numbers()
    yield
    z = np.column_stack([np.ones(len(x)), x])
    inverse = np.linalg.inv(z.T @ z)
    beta = inverse @ (z.T @ y)
    scores = z * (y - z @ beta)[:, None]
    errors = np.sqrt(np.diag(inverse @ (scores.T @ scores) @ inverse))
    yield {"records": len(y) if errors.all() else 0}


TASKS = {task.__name__: task for task in (tarnkappe, numpy)}


def run(sizes) -> tuple[list[Row], list[str]]:
    """Rows for every kind of noise and size."""
    rows = []
    for what in STEPS:
        for size in sizes:
            ours, theirs = (
                cost(__file__, task, what, size, warm=(what, 500)) for task in ("tarnkappe", "numpy")
            )
            rows.append(row(f"corrected regression, {what}", size, ours, "plain numpy OLS", theirs))
    return rows, []


if __name__ == "__main__" and not child(TASKS):
    report("correct", *run([int(s) for s in sys.argv[1:]] or SIZES))
