"""Individual risk, SUDA2 and population uniques, against the same formulas in plain numpy.

    python benchmarks/reidentification.py [--testdata FILE] [SIZE …]

Made data: eight skewed categorical keys, weights, households of three. *individual risk*: classes, the exact risk of every record and
that of its household; the plain version sorts rows for the classes and sums the negative binomial series term by term. *SUDA2*: all
minimal sample uniques of all 255 sets of keys; the plain version counts every set by sorting and keeps who is unique on it,
so it is run up to 20,000 records. Both must find the same. Pitman, SNB and the log-linear model have no peer here.

With the testdata of sdcMicro (named by --testdata or by TARNKAPPE_TESTDATA; 4,580 records, seven keys, and samples of it with
replacement) the seconds of sdcMicro 5.8.1 stand beside ours. They are quoted: they were measured on another day, and on a busy
machine. Its expected hits, 10.78 and 51.81 with households, must come out.
"""

from __future__ import annotations

import os
import sys

from runner import Row, Told, child, cost, report, row

SIZES = (5_000, 20_000, 100_000, 1_000_000)
MOST = {"individual": 100_000, "suda": 20_000}
KEYS = 8
QUOTED = {
    "testdata_individual": {4_580: 0.043, 20_000: 0.12, 100_000: 0.52},
    "testdata_suda": {4_580: 0.012, 20_000: 0.06, 100_000: 0.31},
}
"""Seconds of measure_risk with households and of suda2."""
TESTDATA_KEYS = ("urbrur", "roof", "walls", "water", "electcon", "relat", "sex")


def made(size):
    import numpy as np

    n, draw = int(size), np.random.default_rng(20261116)
    codes = np.column_stack([np.minimum(draw.geometric(0.45, n), 6) for _ in range(KEYS)]).astype(np.int64)
    return codes, draw.integers(5, 40, n).astype(np.float64), np.arange(n) // 3


def data(size):
    from tarnkappe.data.column import Column
    from tarnkappe.data.microdata import Microdata
    from tarnkappe.vocab import Role

    codes, weights, homes = made(size)
    columns = {f"k{j}": Column.numbers_of(codes[:, j].copy()) for j in range(KEYS)}
    columns |= {"w": Column.numbers_of(weights), "h": Column.numbers_of(homes)}
    roles = {Role.KEY: tuple(f"k{j}" for j in range(KEYS)), Role.WEIGHT: ("w",), Role.HOUSEHOLD: ("h",)}
    return Microdata(columns, roles)


def individual(size):
    from tarnkappe.risk.expected_hits import ExpectedHits

    given = data(size)
    ExpectedHits().measure(data(60))
    yield
    found = ExpectedHits().measure(given)
    yield {"hits": round(found.value, 6), "household": round(found.details["by_household"], 5)}


def plain_individual(size):
    import numpy as np

    codes, weights, homes = made(size)
    yield
    _, place, f = np.unique(codes, axis=0, return_inverse=True, return_counts=True)
    place = place.ravel()
    p = f / np.bincount(place, weights=weights)
    term, total, m = np.ones(len(f)), np.ones(len(f)), 0
    while term.max() > 1e-12:
        term *= (1 - p) * (m + 1) / (f + 1 + m)
        total += term
        m += 1
    risk = (p / f * total)[place]
    home = 1 - np.exp(np.bincount(homes, weights=np.log1p(-risk)))[homes]
    yield {"hits": round(float(risk.sum()), 6), "household": round(float(home.sum()), 5)}


def suda(size):
    from tarnkappe.risk.suda import Suda

    given = data(size)
    Suda().measure(data(60))
    yield
    found = Suda().measure(given).details["sets_by_size"]
    yield {f"sets of {k}": float(v) for k, v in found.items()}


def plain_suda(size):
    from itertools import combinations

    import numpy as np

    codes, _, _ = made(size)
    yield
    alone, found = {}, {}
    for count in range(1, KEYS + 1):
        for keys in combinations(range(KEYS), count):
            _, place, sizes = np.unique(codes[:, keys], axis=0, return_inverse=True, return_counts=True)
            here = sizes[place.ravel()] == 1
            below = [alone[keys[:k] + keys[k + 1 :]] for k in range(count)] if count > 1 else []
            alone[keys] = here
            found[count] = found.get(count, 0) + int(
                (here & ~np.any(below, axis=0)).sum() if below else here.sum()
            )
    yield {f"sets of {k}": float(v) for k, v in found.items() if v}


def uniques(size, model):
    from tarnkappe.risk.population_uniques import PopulationUniques

    given, made_model = data(size), PopulationUniques(model=model)
    made_model.measure(data(600))
    yield
    yield {"uniques": made_model.measure(given).value}


def testdata(file, size):
    import numpy as np

    from tarnkappe.io.read import read
    from tarnkappe.vocab import Role

    roles = {Role.KEY: TESTDATA_KEYS, Role.WEIGHT: ("sampling_weight",), Role.HOUSEHOLD: ("ori_hid",)}
    whole = read(file).with_roles(roles)
    more = np.random.default_rng(1).integers(0, len(whole), int(size))
    return whole if int(size) == len(whole) else whole.take(more)


def testdata_individual(file, size):
    import numpy as np

    from tarnkappe.risk.expected_hits import ExpectedHits

    given, measure = testdata(file, size), ExpectedHits(mode="sdcmicro")
    measure.measure(given.take(np.arange(60)))
    yield
    found = measure.measure(given)
    yield {"hits": round(found.value, 2), "household": round(found.details["by_household"], 2)}


def testdata_suda(file, size):
    import numpy as np

    from tarnkappe.risk.suda import Suda

    given = testdata(file, size)
    Suda().measure(given.take(np.arange(60)))
    yield
    yield {"records": float(Suda().measure(given).details["records_with_sets"])}


TASKS = {
    task.__name__: task
    for task in (individual, plain_individual, suda, plain_suda, uniques, testdata_individual, testdata_suda)
}


def quoted(file) -> list[Row]:
    """Our seconds beside those that are quoted for sdcMicro."""
    known = {"testdata_individual": {"hits": 10.78, "household": 51.81}}
    rows = []
    for task, seconds in QUOTED.items():
        for size, theirs in seconds.items():
            ours = cost(__file__, task, file, size, runs=3)
            if size == min(seconds) and ours.answer != known.get(task, ours.answer):
                raise RuntimeError(f"{task}: sdcMicro is quoted with {known[task]}, we found {ours.answer}")
            title = task.replace("testdata_", "testdata, 7 keys: ")
            rows.append(row(title, size, ours, "sdcMicro", Told(theirs, "quoted")))
    return rows


def run(sizes, file) -> tuple[list[Row], list[str]]:
    """Rows for every size, and for testdata if it is there."""
    rows = []
    for size in sizes:
        for task, title in (
            ("individual", "individual risk with households"),
            ("suda", "SUDA2, all sets of 8 keys"),
        ):
            theirs = cost(__file__, f"plain_{task}", size, warm=(60,)) if size <= MOST[task] else None
            rows.append(row(title, size, cost(__file__, task, size), "plain numpy", theirs))
        for model in ("pitman", "snb", "log-linear"):
            ours = cost(__file__, "uniques", size, model)
            rows.append(row(f"population uniques, {model}", size, ours, "–", None))
    notes = (
        ["sdcMicro 5.8.1 is quoted, not run: only the order of magnitude can be compared."] if file else []
    )
    return [*rows, *(quoted(file) if file else [])], notes


if __name__ == "__main__" and not child(TASKS):
    given = sys.argv[1:]
    named = os.environ.get("TARNKAPPE_TESTDATA", "")
    if given[:1] == ["--testdata"]:
        named, given = given[1], given[2:]
    report("reidentification", *run([int(s) for s in given] or SIZES, named))
