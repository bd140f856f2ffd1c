"""Named weaknesses: our checks beside a plain group-by in polars that answers the same questions.

    python benchmarks/weaknesses.py [SIZE …]

Three tasks on made data with six keys and a sensitive category of 16 values. *Classes*: homogeneity, background knowledge and
elimination at once; polars counts the sensitive values of every class and takes what each needs from the counts. *Earlier releases*: the smallest class that
two releases at different levels show together; polars groups by the columns of both, which it can only because it is given both files, while we work from
the register. *Dependencies*: which of twenty columns give back a generalised town; polars groups by every other column and looks at the
share of the most frequent town, without leaving the own record out. The last one only has to name the same column.

There is no peer with these checks: the baseline is what a statistician would write. Reading is not timed.
"""

from __future__ import annotations

import sys

from runner import Row, child, cost, report, row

SIZES = (10_000, 100_000, 1_000_000)
KEYS = {"age": 74, "work": 9, "school": 16, "family": 7, "sex": 2, "country": 42}
OTHERS = 20
REPEATED = 1_000_000
"""Up to here the fastest of three runs counts."""


def codes(size):
    import numpy as np

    n, draw = int(size), np.random.default_rng(20261116)
    skewed = {
        name: np.minimum(draw.exponential(count / 5, n).astype(np.int64), count - 1)
        for name, count in (*KEYS.items(), ("illness", 16))
    }
    postcode = draw.integers(0, 4000, n)
    more = {f"x{j}": draw.integers(0, (3, 50, 1000)[j % 3], n) for j in range(OTHERS - 2)}
    return skewed, {"postcode": postcode, "town": postcode // 4, **more}


def frame(columns):
    import polars as pl

    return pl.DataFrame({name: pl.Series(values) for name, values in columns.items()})


def microdata(columns, keys=()):
    import numpy as np

    from tarnkappe.data.column import Column
    from tarnkappe.data.microdata import Microdata
    from tarnkappe.vocab import Role

    coded = {
        name: Column.coded(values, np.array([f"{i}" for i in range(int(values.max()) + 1)], dtype=object))
        for name, values in columns.items()
    }
    roles = {Role.KEY: tuple(keys), Role.SENSITIVE: ("illness",)} if keys else {}
    return Microdata(coded, roles)


# -- classes --------------------------------------------------------------------------------------------------------------


def ours_classes(size):
    from tarnkappe.risk.background_knowledge import BackgroundKnowledge
    from tarnkappe.risk.elimination import Elimination
    from tarnkappe.risk.homogeneity import Homogeneity

    measures = {"homogeneous": Homogeneity(), "known": BackgroundKnowledge(), "eliminated": Elimination()}
    data = microdata(codes(size)[0], KEYS)
    for measure in measures.values():
        measure.measure(microdata(codes(1000)[0], KEYS))
    yield
    yield {name: float(measure.measure(data).details["exposed"]) for name, measure in measures.items()}


def polars_classes(size):
    import polars as pl

    data, keys = frame(codes(size)[0]), list(KEYS)
    yield
    counts = data.group_by([*keys, "illness"]).len()
    of_class = counts.group_by(keys).agg(
        pl.col("len").sum().alias("n"),
        pl.col("len").max().alias("first"),
        pl.col("len").top_k(2).sum().alias("both"),
    )
    n, first, rest = pl.col("n"), pl.col("first"), pl.col("n") - pl.col("both")
    yield {
        "homogeneous": float(of_class.filter(first / n >= 0.8 - 1e-12)["n"].sum()),
        "known": float(of_class.filter(first / (first + rest) >= 0.8 - 1e-12)["n"].sum()),
        "eliminated": float(of_class.filter(n - first <= 2)["n"].sum()),
    }


# -- earlier releases -----------------------------------------------------------------------------------------------------


def two_releases(size):
    """One shows halved ages and all else, the other halved countries."""
    raw = {name: values for name, values in codes(size)[0].items() if name in ("age", "sex", "country")}
    one = {"age": raw["age"] // 8, "sex": raw["sex"]}
    two = {"age": raw["age"] // 12, "country": raw["country"] // 6}
    return raw, one, two


def ours_earlier(size):
    from tarnkappe.data.release_signature import Earlier, Signer, signature
    from tarnkappe.risk.earlier_releases import EarlierReleases
    from tarnkappe.vocab import Role

    def taken(size):
        raw, one, two = (microdata(part).with_roles({Role.KEY: tuple(part)}) for part in two_releases(size))
        signer = Signer(b"k" * 32)
        return Earlier((signature(raw, one, signer, "", ""),), signer), two, raw

    EarlierReleases().held_against(*taken(1000))
    held = taken(size)
    yield
    found = EarlierReleases().held_against(*held)
    yield {"k": found.value, "below 5": float(found.details["below"]["5"])}


def polars_earlier(size):
    _, one, two = two_releases(size)
    data = frame({**{f"one {n}": v for n, v in one.items()}, **{f"two {n}": v for n, v in two.items()}})
    yield
    sizes = data.group_by(data.columns).len()["len"]
    yield {"k": float(sizes.min()), "below 5": float(sizes.filter(sizes < 5).sum())}


# -- dependencies ---------------------------------------------------------------------------------------------------------


def ours_dependencies(size):
    from tarnkappe.risk.dependencies import Dependencies

    def both(size):
        columns = codes(size)[1]
        return microdata({**columns, "town": columns["town"] // 10}), microdata(columns)

    after, before = both(1000)
    Dependencies().measure(after, before=before)
    after, before = both(size)
    yield
    found = Dependencies().measure(after, before=before).details["hidden"]["town"]
    yield {"postcode tells the town": float(found["by"] == ("postcode",))}


def polars_dependencies(size):
    import polars as pl

    columns = codes(size)[1]
    data = frame({**columns, "shown": columns["town"] // 10})
    yield
    best = {}
    for name in data.columns:
        if name not in ("town", "shown"):
            counts = data.group_by(["shown", name, "town"]).len().group_by(["shown", name])
            of_class = counts.agg(pl.col("len").sum().alias("n"), pl.col("len").max().alias("first"))
            sure = of_class.filter((pl.col("first") >= 0.95 * pl.col("n")) & (pl.col("first") > 3))
            best[name] = sure["n"].sum()
    yield {"postcode tells the town": float(max(best, key=best.__getitem__) == "postcode")}


TASKS = {
    task.__name__: task
    for task in (
        ours_classes,
        polars_classes,
        ours_earlier,
        polars_earlier,
        ours_dependencies,
        polars_dependencies,
    )
}
ROWS = {
    "classes": "three weaknesses",
    "earlier": "earlier releases",
    "dependencies": "dependencies of a town",
}


def run(sizes: tuple[int, ...]) -> list[Row]:
    rows = []
    for task, capability in ROWS.items():
        for size in sizes:
            runs = 3 if size <= REPEATED else 1
            ours, theirs = (
                cost(__file__, f"{who}_{task}", size, runs=runs, warm=(1000,)) for who in ("ours", "polars")
            )
            rows.append(row(capability, size, ours, "polars by hand", theirs))
    return rows


if __name__ == "__main__" and not child(TASKS):
    asked = tuple(int(size) for size in sys.argv[1:]) or SIZES
    report(
        "weaknesses",
        run(asked),
        notes=(
            "Ours also deals the sensitive values out at random, to tell what chance would expose, and gives the details of every class.",
            "polars uses both cores; ours one.",
        ),
    )
