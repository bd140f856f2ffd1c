"""PRAM against plain numpy with the matrix, with the quoted times of sdcMicro 5.8.1 beside them.

    python benchmarks/pram.py [SIZE …]

Three columns of twelve categories (ten columns at a million records), alpha 0.2, each column on its own; and all of them jointly, where the matrix of
existing combinations would not fit into memory. Both must change as many cells as the matrix says, up to chance.
"""

from __future__ import annotations

import sys

from runner import Row, child, cost, report, row

SIZES = (100_000, 1_000_000)
SECRET = "a secret for benchmarks only"
SDCMICRO = {4_580: 0.09, 20_000: 0.22, 100_000: 1.37}
"""Seconds measured once on the machine of the comparison, three columns."""


def codes(size):
    import numpy as np

    size = int(size)
    weights = np.arange(1, 13) / 78
    return np.random.default_rng(20261116).choice(12, (size, 10 if size >= 1_000_000 else 3), p=weights)


def as_data(x):
    import numpy as np

    from tarnkappe.data.column import Column
    from tarnkappe.data.microdata import Microdata

    names = np.array([f"{i:02d}" for i in range(12)], dtype=object)
    return Microdata({f"c{j}": Column.coded(x[:, j], names) for j in range(x.shape[1])})


def as_expected(mode, x, y):
    """Columns of which the share of changed cells is what the matrix says, to within five standard deviations."""
    import numpy as np

    found = 0
    for j in range(x.shape[1]):
        counts = np.bincount(x[:, j], minlength=12)
        leave = 1 - np.diag(matrix(mode, counts, 0.2))
        off = np.count_nonzero(x[:, j] != y[:, j]) - counts @ leave
        found += int(abs(off) < 5 * np.sqrt(counts @ (leave * (1 - leave))))
    return {"columns as expected": found}


def released(mode, size, *, joint):
    import numpy as np

    from tarnkappe.methods.microdata.pram import Pram
    from tarnkappe.randomness import public_stream as stream

    x = codes(size)
    data = as_data(x)
    step = Pram(columns=data.names, mode=mode, alpha=0.2, joint=joint)
    step.apply(as_data(x[:100]), stream(SECRET))
    yield
    after = step.apply(data, stream(SECRET))
    y = np.column_stack([after.column(n).values for n in data.names])
    yield {"changed %": round(100 * float((x != y).any(axis=1).mean()))} if joint else as_expected(mode, x, y)


def separately(mode, size):
    yield from released(mode, size, joint=False)


def jointly(mode, size):
    yield from released(mode, size, joint=True)


def numpy(mode, size):
    import numpy as np

    x = codes(size)
    rng = np.random.default_rng(1)
    yield
    y = np.empty_like(x)
    for j in range(x.shape[1]):
        counts = np.bincount(x[:, j], minlength=12)
        p = np.cumsum(matrix(mode, counts, 0.2), axis=1)
        y[:, j] = np.minimum((rng.random(len(x))[:, None] >= p[x[:, j]]).sum(axis=1), 11)
    yield as_expected(mode, x, y)


def matrix(mode, counts, alpha):
    import numpy as np

    if mode == "proportional":
        return (1 - alpha) * np.eye(12) + alpha * counts / counts.sum()
    p = np.full((12, 12), alpha / 11) + (1 - alpha - alpha / 11) * np.eye(12)
    back = (p * counts[:, None]).T / (p.T @ counts)[:, None]
    return p @ back


TASKS = {task.__name__: task for task in (separately, jointly, numpy)}


def run(sizes) -> tuple[list[Row], list[str]]:
    """Rows for two forms and every size; notes with the quoted times."""
    rows, notes = [], []
    for size in sizes:
        for mode in ("proportional", "two-stage"):
            ours, theirs = (
                cost(__file__, task, mode, size, warm=(mode, 2000)) for task in ("separately", "numpy")
            )
            rows.append(row(f"PRAM {mode}", size, ours, "plain numpy", theirs))
            if mode == "two-stage" and size in SDCMICRO:
                notes.append(
                    f"{size:,}: sdcMicro 5.8.1 {SDCMICRO[size]} s (quoted), ours {ours.seconds:.3f} s"
                )
        together = cost(__file__, "jointly", "proportional", size)
        rows.append(row("PRAM jointly on existing combinations", size, together, "–", None))
    return rows, notes


if __name__ == "__main__" and not child(TASKS):
    report("pram", *run([int(s) for s in sys.argv[1:]] or SIZES))
