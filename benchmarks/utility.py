"""Measures of utility on fifteen numeric columns, beside plain pandas, numpy and scipy where a few lines of them do the same.

    python benchmarks/utility.py [SIZE …]

Made data: fifteen skewed, correlated columns, a hundredth of the cells missing in five of them, noise of a tenth of the variance, a hundred
groups, units with four periods. Each measure runs in a process of its own, from coded columns to the finding. A plain version must find the
same value to six digits; it says nothing about intervals, guards and gaps, so a measure may do more than what stands beside it.
To add a measure: one line in MEASURES, and where a plain version exists, a function in PLAIN with the same name.
"""

from __future__ import annotations

import sys

from runner import Row, child, cost, report, row

SIZES = (10_000, 100_000, 1_000_000)
COLUMNS = tuple(f"x{j}" for j in range(15))
GAPS = COLUMNS[:5]
MOST_PLAIN = 1_000_000
MEASURES = {
    "moments": ("utility.moments", {"columns": COLUMNS}),
    "variances": ("utility.variances", {"columns": COLUMNS}),
    "shape": ("utility.shape", {"columns": COLUMNS}),
    "quantiles": ("utility.quantiles", {"columns": COLUMNS}),
    "overlap": ("utility.confidence-overlap", {"columns": COLUMNS}),
    "distributions": ("utility.distributions", {"columns": COLUMNS}),
    "inequality": ("utility.inequality", {"columns": COLUMNS}),
    "correlations": ("utility.correlations", {"columns": COLUMNS}),
    "covariances": ("utility.covariances", {"columns": COLUMNS}),
    "attenuation": ("utility.attenuation", {"columns": COLUMNS}),
    "eigenvalues": ("utility.eigenvalues", {"columns": COLUMNS}),
    "eigenvalues, robust": ("utility.eigenvalues", {"columns": COLUMNS, "robust": True}),
    "components": ("utility.components", {"columns": COLUMNS}),
    "distance": ("utility.distance", {"columns": COLUMNS}),
    "structure": ("utility.structure", {"columns": COLUMNS}),
    "ratios": ("utility.ratios", {"columns": COLUMNS, "over": ("x14",)}),
    "growth": ("utility.growth", {"columns": COLUMNS, "unit": "unit", "period": "period"}),
    "subgroups": ("utility.subgroups", {"columns": COLUMNS, "within": ("group",)}),
    "lost share": ("utility.lost-share", {"columns": COLUMNS}),
    "changed": ("utility.changed", {"columns": COLUMNS}),
}


def made(size):
    """Both files as arrays, and the codes of group, unit and period."""
    import numpy as np

    draw, n = np.random.default_rng(20261116), int(size)
    x = np.exp(0.6 * draw.normal(size=(n, 1)) + 0.6 * draw.normal(size=(n, len(COLUMNS))))
    y = x + np.sqrt(0.1) * x.std(axis=0) * draw.normal(size=x.shape)
    gaps = draw.random((n, len(GAPS))) < 0.01
    for part in (x, y):
        part[:, : len(GAPS)][gaps] = np.nan
    return x, y, {"group": np.arange(n) % 100, "unit": np.arange(n) // 4, "period": np.arange(n) % 4}


def data(x, codes):
    from tarnkappe.data.column import Column
    from tarnkappe.data.microdata import Microdata

    columns = {name: Column.numbers_of(x[:, j].copy()) for j, name in enumerate(COLUMNS)}
    return Microdata(columns | {name: Column.numbers_of(c) for name, c in codes.items()})


def ours(what, size):
    import numpy as np

    from tarnkappe.spec import catalogue
    from tarnkappe.spec.parameters import build

    x, y, codes = made(size)
    before, after = data(x, codes), data(y, codes)
    del x, y
    id, parameters = MEASURES[what]
    measure = build(catalogue[id], parameters)
    few = np.arange(40)
    measure.measure(after.take(few), before=before.take(few))
    yield
    yield {"value": six(measure.measure(after, before=before).value)}


def six(value):
    return float(f"{value:.6g}")


def frames(size):
    import pandas as pd

    x, y, codes = made(size)
    return (pd.DataFrame(v, columns=COLUMNS).assign(**codes) for v in (x, y))


def moments(a, b):
    for file in (a, b):
        file.skew(), file.kurt(), file.std(), file.quantile([0.05, 0.25, 0.5, 0.75, 0.95])
    return (b.mean() / a.mean() - 1).abs().max()


def variances(a, b):
    return (b.std(ddof=0) / a.std(ddof=0) - 1).abs().max()


def distributions(a, b):
    from scipy.stats import ks_2samp, wasserstein_distance

    worst = 0.0
    for name in COLUMNS:
        x, y = a[name].dropna(), b[name].dropna()
        wasserstein_distance(x, y)
        worst = max(worst, ks_2samp(x, y, method="asymp").statistic)
    return worst


def correlations(a, b):
    import numpy as np

    a.corr("spearman"), b.corr("spearman")
    apart = (a.corr() - b.corr()).abs().to_numpy()
    return apart[np.tril_indices(len(COLUMNS), -1)].mean()


def covariances(a, b):
    import numpy as np

    at = np.tril_indices(len(COLUMNS))
    x, y = (v.cov(ddof=0).to_numpy()[at] for v in (a, b))
    return (np.abs(x - y) / np.abs(x)).mean()


def eigenvalues(a, b):
    import numpy as np

    x, y = (np.linalg.eigvalsh(np.corrcoef(v.dropna().to_numpy().T)) for v in (a, b))
    return np.abs(x - y).sum()


def distance(a, b):
    import numpy as np

    return np.nanmean(((a - b).abs() / a.std()).to_numpy()) / 2**0.5


def subgroups(a, b, group):
    x, y = a.groupby(group).mean(), b.groupby(group).mean()
    return ((y - x).abs() / x.abs() > 0.1).to_numpy().mean()


def plain(what, size):
    import pandas as pd  # noqa: F401 - its import is not timed

    a, b = frames(size)
    group = a["group"].to_numpy()
    x, y = a[list(COLUMNS)], b[list(COLUMNS)]
    yield
    yield {"value": six(PLAIN[what](x, y, group) if what == "subgroups" else PLAIN[what](x, y))}


PLAIN = {
    f.__name__: f
    for f in (moments, variances, distributions, correlations, covariances, eigenvalues, distance, subgroups)
}
TASKS = {"ours": ours, "plain": plain}


def run(sizes) -> tuple[list[Row], list[str]]:
    """A row per measure and size, and the sum of all measures at each size."""
    rows, notes = [], []
    for size in sizes:
        total = 0.0
        for what in MEASURES:
            theirs = (
                cost(__file__, "plain", what, size, warm=(what, 2000))
                if what in PLAIN and size <= MOST_PLAIN
                else None
            )
            found = cost(__file__, "ours", what, size)
            total += found.seconds
            rows.append(row(what, size, found, "pandas, numpy, scipy" if theirs else "–", theirs))
        notes.append(f"All measures at {size:,} records: {total:.1f} s.")
    return rows, notes


if __name__ == "__main__" and not child(TASKS):
    report("utility", *run([int(s) for s in sys.argv[1:]] or SIZES))
