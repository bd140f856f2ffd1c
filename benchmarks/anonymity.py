"""Anonymity models: the nine measures of pycanon on the adult data, and all of ours on made data.

    python benchmarks/anonymity.py ADULT.csv [SIZE …]

ADULT.csv is the file of ARX (30,162 records, separator ``;``): eight keys, sensitive ``salary-class``. Reading is not timed. Both
tools must agree on k, α, distinct and entropy l, t, basic β and δ. pycanon's recursive (c,l)-diversity and enhanced β are not compared:
it sorts the frequencies the wrong way round, and takes a minimum where the definition has a condition.

The made data has six keys, a sensitive category of 16 values and one of numbers; there is no peer for it.
"""

from __future__ import annotations

import os
import sys

from runner import Row, child, cost, python_of, report, row

SIZES = (1_000, 10_000, 100_000, 1_000_000, 10_000_000)
SENSITIVE = "salary-class"
KEYS = {"age": 74, "work": 9, "school": 16, "family": 7, "sex": 2, "country": 42}
DIGITS = 9


def adult(file):
    from tarnkappe.io.read import read
    from tarnkappe.vocab import Role

    data = read(file)
    keys = tuple(name for name in data.names if name != SENSITIVE)
    return data.with_roles({Role.KEY: keys, Role.SENSITIVE: (SENSITIVE,)})


def models():
    """The nine measures of pycanon, by name."""
    from tarnkappe.risk.alpha_k import AlphaK
    from tarnkappe.risk.beta_likeness import BetaLikeness
    from tarnkappe.risk.delta_disclosure import DeltaDisclosure
    from tarnkappe.risk.k_anonymity import KAnonymity
    from tarnkappe.risk.l_diversity import LDiversity
    from tarnkappe.risk.t_closeness import TCloseness

    return {
        "k": KAnonymity(),
        "alpha": AlphaK(k=1),
        "l": LDiversity(),
        "entropy l": LDiversity(kind="entropy"),
        "recursive l": LDiversity(kind="recursive"),
        "basic beta": BetaLikeness(),
        "enhanced beta": BetaLikeness(kind="enhanced"),
        "t": TCloseness(),
        "delta": DeltaDisclosure(),
    }


def all_models():
    """All models that need no register, by name."""
    from tarnkappe.risk.average_risk import AverageRisk
    from tarnkappe.risk.k_map import KMap
    from tarnkappe.risk.subset_anonymity import SubsetAnonymity
    from tarnkappe.risk.t_closeness import TCloseness

    more = {
        "ordered t": TCloseness(ground="ordered", sensitive=("hours",)),
        "average": AverageRisk(),
        "k-map": KMap(population=80_000_000),
        "two keys": SubsetAnonymity(subsets=2),
    }
    return models() | more


def made(size):
    """Skewed categories; one cell in a hundred of one key suppressed where the size is odd."""
    import numpy as np

    from tarnkappe.data.column import Column
    from tarnkappe.data.microdata import Microdata
    from tarnkappe.vocab import Role

    n, draw = int(size), np.random.default_rng(20261116)
    columns = {}
    for name, count in (*KEYS.items(), ("illness", 16), ("hours", 99)):
        codes = np.minimum(draw.exponential(count / 5, n).astype(np.int64), count - 1)
        texts = np.array([f"{name} {i:02d}" for i in range(count)], dtype=object)
        columns[name] = Column.numbers_of(codes) if name == "hours" else Column.coded(codes, texts)
    if n % 2:
        columns["work"] = columns["work"].suppress(draw.random(n) < 0.01)
    return Microdata(columns, {Role.KEY: tuple(KEYS), Role.SENSITIVE: ("illness",)})


def values(measures, data):
    return {name: round(measure.measure(data).value, DIGITS) for name, measure in measures.items()}


def tarnkappe(file):
    data, measures = adult(file), models()
    values(measures, adult(file))
    yield
    yield values(measures, data)


def tarnkappe_made(size):
    data, measures = made(size), all_models()
    for warm in (1000, 1001):
        values(measures, made(warm))
    yield
    yield values(measures, data)


def idle(size):
    """What the process takes with the data alone."""
    data = made(size)
    for warm in (1000, 1001):
        values(all_models(), made(warm))
    yield
    yield {"records": len(data)}


def pycanon(file, records=None):
    import pandas as pd
    from pycanon import anonymity

    data = pd.read_csv(file, sep=";", nrows=int(records) if records else None)
    keys, told = [name for name in data.columns if name != SENSITIVE], [SENSITIVE]
    data = data.astype(dict.fromkeys(keys, str))
    yield
    anonymity.recursive_c_l_diversity(data, keys, told)
    anonymity.enhanced_beta_likeness(data, keys, told)
    yield {
        "k": float(anonymity.k_anonymity(data, keys)),
        "alpha": round(float(anonymity.alpha_k_anonymity(data, keys, told)[0]), DIGITS),
        "l": float(anonymity.l_diversity(data, keys, told)),
        "entropy l": float(anonymity.entropy_l_diversity(data, keys, told)),
        "basic beta": round(float(anonymity.basic_beta_likeness(data, keys, told)), DIGITS),
        "t": round(float(anonymity.t_closeness(data, keys, told)), DIGITS),
        "delta": round(float(anonymity.delta_disclosure(data, keys, told)), DIGITS),
    }


TASKS = {task.__name__: task for task in (tarnkappe, tarnkappe_made, idle, pycanon)}


def run(file, sizes) -> tuple[list[Row], list[str]]:
    """The adult data beside pycanon, then made data of every size, without and with suppressed cells."""
    python = python_of("pycanon")
    ours = cost(__file__, "tarnkappe", file)
    theirs = cost(__file__, "pycanon", file, python=python, warm=(file, 300)) if python else None
    rows = [row("nine anonymity models, adult", 30_162, ours, "pycanon", theirs)]
    notes = []
    for size in sizes:
        for label, n in (("", size), (", suppressed keys", size + 1)):
            found = cost(__file__, "tarnkappe_made", n)
            rows.append(row(f"thirteen anonymity models{label}", n, found, "none", None))
        extra = found.peak_mb - cost(__file__, "idle", size + 1).peak_mb
        notes.append(f"{size + 1:,}: {extra:,.0f} MB beyond data and libraries")
    return rows, notes


if __name__ == "__main__" and not child(TASKS):
    named = (sys.argv[1:2] or [os.environ.get("TARNKAPPE_ADULT", "")])[0]
    if named:
        report("anonymity", *run(named, [int(s) for s in sys.argv[2:]] or SIZES))
    else:
        print("  no data: ADULT.csv or TARNKAPPE_ADULT")
