"""Every noise, swapping, PRAM and one-dimensional microaggregation method on a million records of ten columns.

    python benchmarks/masking.py [--size N] [PART OF A NAME …]

The step and the check of its claims are timed apart, in seconds of the processor and of the clock, one after the other in one process. Numbers are
exponentials of normal ones that share a half of their variance; categories have eight values. Nothing is compared here: the plain versions and the
figures of sdcMicro stand in noise.py, swapping.py, pram.py, microaggregation.py and sdcmicro.py.
"""

from __future__ import annotations

import gc
import sys
import time

from runner import RESULTS

SIZE = 1_000_000
NAMES = tuple(f"x{j}" for j in range(10))
CATEGORIES = tuple(f"c{j}" for j in range(10))
ALL = {"columns": NAMES}
FORMS = {
    "noise": [
        {}, {"noise": {"law": "normal", "smallest": 0.2, "largest": 2.5}},
        {"noise": {"law": "uniform", "smallest": 0.3}, "signs": "keep"}, {"treat": "outliers"},
        {"unit": ("unit",)}, {"noise": {"law": "uniform", "smallest": 0.3}, "unit": ("unit",)},
    ],
    "correlated-noise": [{}, {"moments": "exact", "kim": "sample"}, {"kim": "realised"}, {"moments": "exact", "unit": ("unit",)}],
    "mixture-noise": [{}, {"kind": "yancey"}, {"kind": "roque"}, {"unit": ("unit",)}],
    "factor-noise": [
        {}, {"factors": {"law": "uniform"}, "shared": "nothing"}, {"shared": "factor", "unit": ("unit",)}, {"totals": "keep"},
    ],
    "controlled-noise": [
        {}, {"control": {"by": "one-column", "column": "x0"}}, {"unit": ("unit",)}, {"control": {"by": "exchange"}},
        {"control": {"by": "best-of"}},
    ],
    "log-noise": [{}, {"unbiased": True}, {"unit": ("unit",)}],
    "rotate": [{}],
    "redraw": [{}],
    "sullivan": [{"unprotected": "suppress"}, {"unprotected": "suppress", "marginals": "exact"}, {"unprotected": "suppress", "unit": ("unit",)}],
    "camouflage": [{}],
    "swap": [
        {}, {"joint": True}, {"unit": "unit"}, {"columns": NAMES[:8], "near": NAMES[8:], "joint": True},
        {"columns": NAMES[:8], "near": NAMES[8:]},
    ],
    "half-swap": [{}],
    "rank-swap": [
        {"columns": {n: {"percent": 5} for n in NAMES}}, {"columns": {n: {"percent": 5} for n in NAMES}, "partner": "next"},
        {"columns": {n: {"correlation": 0.95} for n in NAMES}},
    ],
    "shuffle": [{"columns": NAMES[:8], "given": NAMES[8:]}],
    "covariance-swap": [{"columns": NAMES[:8], "keep": NAMES[8:]}],
    "swap-unprotected": [{}],
    "pram": [
        {"columns": CATEGORIES, "alpha": 0.2, "joint": False, "mode": mode} for mode in ("proportional", "direct", "two-stage")
    ],
    "rank-average": [{}, {"sizes": "fixed"}, {"aggregate": "median"}],
    "axis-average": [{"axis": axis} for axis in ("first", "sum", "component", "core", "pursuit", "influence", "file")],
    "spread-average": [{}, {"grouping": "optimal"}],
    "safe-average": [{}, {"mode": "strict"}],
    "random-average": [{}],
    "resample-average": [{}],
    "restore-variance": [{"step": {"use": "microdata.rank-average", "columns": NAMES}, "block": 1000}],
}  # fmt: skip
HEADER = ("method", "records", "CPU s", "s", "claims CPU s", "claims s")


def made(size):
    import numpy as np

    from tarnkappe.data.column import Column
    from tarnkappe.data.microdata import Microdata

    rng = np.random.default_rng(20261116)
    shared = rng.normal(size=size)
    texts = np.array([f"v{i}" for i in range(8)], dtype=object)
    numbers = {n: Column.numbers_of(np.exp(0.6 * (shared + rng.normal(size=size)))) for n in NAMES}
    coded = {n: Column.coded(rng.choice(8, size, p=np.arange(1, 9) / 36), texts) for n in CATEGORIES}
    return Microdata(numbers | coded | {"unit": Column.numbers_of(np.arange(size) // 4)})


def clock():
    return time.process_time(), time.perf_counter()


def timed(id, form, data, small):
    from tarnkappe.randomness import public_stream as stream
    from tarnkappe.spec import catalogue
    from tarnkappe.spec.step import broken_claims

    step = catalogue[f"microdata.{id}"](**{**ALL, **form})
    broken_claims(step, small, step.apply(small, stream("warm", id)))
    gc.collect()
    began = clock()
    after = step.apply(data, stream("timed", id))
    applied = clock()
    if broken_claims(step, data, after):
        raise RuntimeError(f"{id} {form}: a claim does not hold")
    ended = clock()
    return [b - a for a, b in zip((*began, *applied), (*applied, *ended), strict=True)]


def spelt(id, form):
    shown = {
        k: v
        for k, v in form.items()
        if k not in ("columns", "given", "keep", "alpha", "near") or id == "rank-swap"
    }
    if id == "rank-swap":
        shown["columns"] = next(iter(form["columns"].values()))
    return f"{id} {shown or ''}".replace("'", "").strip()


def main(words) -> None:
    size = int(words.pop(1)) if words[:1] == ["--size"] else SIZE
    parts = [w for w in words if w != "--size"]
    import numpy as np

    data = made(size)
    small = data.take(np.arange(2_000))
    rows = ["| " + " | ".join(HEADER) + " |", "|" + " --- |" * len(HEADER)]
    for id, form in ((id, form) for id, forms in FORMS.items() for form in forms):
        if parts and not any(part in id for part in parts):
            continue
        figures = " | ".join(f"{seconds:.2f}" for seconds in timed(id, form, data, small))
        rows.append(f"| {spelt(id, form)} | {size:,} | {figures} |")
        print(rows[-1], flush=True)
    RESULTS.mkdir(exist_ok=True)
    if not parts and size == SIZE:
        (RESULTS / "masking.md").write_text("\n".join(rows) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
