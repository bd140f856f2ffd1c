"""Reading, coding and counting equivalence classes, against pandas and pycanon on the same Parquet file.

    python benchmarks/classes.py [SIZE …]

Twelve columns, eight of them keys with about as many categories as those of the adult data. No value is
missing, because pycanon drops records with missing keys. The smallest class and the number of classes must be
the same for all; pycanon tells only the smallest, which is 1 on such data, so its answer is hardly tested.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from runner import Row, child, cost, python_of, report, row

SIZES = (10_000, 100_000, 1_000_000, 10_000_000)
KEYS = {"age": 74, "work": 9, "school": 16, "family": 7, "job": 15, "origin": 5, "sex": 2, "country": 42}
MOST = {"pandas": 10_000_000, "pycanon": 1_000_000}
"""Beyond this size a peer is not run."""
CAPABILITY = "read, code, count classes"


def make(file, size):
    """Write the file: skewed categories as text, age and three quantities as numbers."""
    import numpy as np
    import polars as pl

    yield
    n, draw = int(size), np.random.default_rng(20261115)
    columns = {}
    for name, count in KEYS.items():
        codes = np.minimum(draw.exponential(count / 5, n).astype(np.int64), count - 1)
        texts = pl.Series([f"{name} {i:02d}" for i in range(count)])
        columns[name] = 17 + codes if name == "age" else texts.gather(codes)
    columns["hours"] = draw.integers(1, 99, n)
    columns["income"] = np.round(draw.lognormal(10, 1, n), 2)
    columns["wealth"] = np.round(draw.lognormal(9, 2, n), 2)
    columns["weight"] = draw.integers(1, 20, n).astype(np.float64)
    pl.DataFrame(columns).write_parquet(file)
    yield {"records": n}


def tarnkappe(file):
    import numpy as np

    import tarnkappe.io.read_columns  # noqa: F401 - loaded lazily, like pyarrow below
    from tarnkappe.io.read import read
    from tarnkappe.kernels.classes import classes

    classes([(np.zeros(2, dtype=np.int64), 1)])
    yield
    data = read(file)
    sizes = classes(data.column(name).codes() for name in KEYS).sizes
    yield {"k": int(sizes.min()), "classes": len(sizes)}


def coded(file):
    """The size of the coded data, for the memory target."""
    from tarnkappe.io.read import read

    yield
    yield {"mb": sum(column.nbytes for column in read(file).columns.values()) / 2**20}


def idle():
    """What the process takes before it reads anything."""
    import numpy as np

    import tarnkappe.io.read_columns  # noqa: F401
    from tarnkappe.kernels.classes import classes

    classes([(np.zeros(2, dtype=np.int64), 1)])
    yield
    yield {}


def pandas(file):
    import pandas as pd
    import pyarrow.parquet  # noqa: F401

    yield
    data = pd.read_parquet(file)
    sizes = data.groupby(list(KEYS), dropna=False).size()
    yield {"k": int(sizes.min()), "classes": len(sizes)}


def pycanon(file):
    import pandas as pd
    import pyarrow.parquet  # noqa: F401
    from pycanon import anonymity

    yield
    yield {"k": int(anonymity.k_anonymity(pd.read_parquet(file), list(KEYS)))}


TASKS = {task.__name__: task for task in (make, tarnkappe, coded, idle, pandas, pycanon)}


def run(sizes) -> tuple[list[Row], list[str]]:
    """Rows for every size and peer, and notes on memory."""
    pythons = {peer: python_of(peer) for peer in MOST}
    rows, notes = [], []
    idle_mb = cost(__file__, "idle").peak_mb
    with tempfile.TemporaryDirectory() as folder:
        small = Path(folder) / "small.parquet"
        cost(__file__, "make", small, 300)
        for size in sizes:
            file = Path(folder) / f"{size}.parquet"
            cost(__file__, "make", file, size)
            runs = 3 if size <= 1_000_000 else 1
            ours = cost(__file__, "tarnkappe", file, runs=runs, warm=(small,))
            for peer, python in pythons.items():
                ran = python is not None and size <= MOST[peer]
                theirs = cost(__file__, peer, file, python=python, runs=runs, warm=(small,)) if ran else None
                rows.append(row(CAPABILITY, size, ours, peer, theirs))
            notes.append(_memory(size, ours.peak_mb, idle_mb, cost(__file__, "coded", file).answer["mb"]))
            file.unlink()
    return rows, notes


def _memory(size, peak, idle_mb, coded_mb) -> str:
    times = (peak - idle_mb) / coded_mb
    return f"{size:,}: coded data {coded_mb:,.0f} MB, peak beyond the idle process {times:.1f} times that"


if __name__ == "__main__" and not child(TASKS):
    report("classes", *run([int(s) for s in sys.argv[1:]] or SIZES))
