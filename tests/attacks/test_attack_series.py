"""Attackers who follow units through a panel of averages. They know the original series of every unit and see the release with its pseudonyms.

What is claimed with `unit`: the whole series that a unit shows is shown by k units or more. So whoever compares series finds k that are equally
near and must guess. Record by record, every shown combination stands in k records of its year, and yet the series of nearly every unit is its own.
"""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import pytest

from tarnkappe.data.column import Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.randomness import public_stream as stream
from tarnkappe.spec import catalogue
from tarnkappe.spec.step import apply_step
from tarnkappe.vocab import Role

UNITS, YEARS = 300, 5
NAMES = ("turnover", "staff")
METHODS = ("mdav", "cluster-average", "axis-average", "random-average")


def originals(seed=1):
    """Firms on a random walk; some enter late, some leave early."""
    rng = np.random.default_rng(seed)
    size, walk = rng.normal(size=(UNITS, 1, 1)), np.cumsum(0.4 * rng.normal(size=(UNITS, YEARS, 1)), axis=1)
    level = size + walk + 0.2 * rng.normal(size=(UNITS, YEARS, 2))
    first, last = np.zeros(UNITS, int), np.full(UNITS, YEARS)
    first[:40], last[40:80] = 2, 3
    return {(u, t): np.exp(level[u, t]) for u in range(UNITS) for t in range(first[u], last[u])}


def released(known, method, k, **given):
    """The rows of the release as anybody reads them: pseudonym, year, values; and who is behind the pseudonyms, for counting only."""
    keys = list(known)
    columns = {
        "firm": Column.numbers_of(np.array([u for u, _ in keys])),
        "year": Column.numbers_of(np.array([t for _, t in keys])),
        **{n: Column.numbers_of(np.array([known[key][j] for key in keys])) for j, n in enumerate(NAMES)},
    }
    data = Microdata(columns, {Role.PERIOD: ("year",)})
    step = catalogue[f"microdata.{method}"](columns=NAMES, within=("year",), k=k, **given)
    after = apply_step(step, data, stream("a secret", step.id))
    pseudonym = np.random.default_rng(9).permutation(UNITS)
    rows = [(int(pseudonym[u]), t, after.numbers(NAMES)[i]) for i, (u, t) in enumerate(keys)]
    return rows, {int(p): u for u, p in enumerate(pseudonym)}


def by_years(rows):
    """Names by the years in which they are there, and their series of logarithms, a row each."""
    series = defaultdict(list)
    for name, _, values in sorted(rows, key=lambda row: row[:2]):
        series[name].extend(np.log(values))
    years, found = defaultdict(list), defaultdict(list)
    for name, year, _ in sorted(rows, key=lambda row: row[:2]):
        years[name].append(year)
    for name, there in years.items():
        found[tuple(there)].append(name)
    return {there: (names, np.array([series[n] for n in names])) for there, names in found.items()}


def nearest(known, rows):
    """For every unit the pseudonyms with its years whose whole series are nearest to its own."""
    shown, found = by_years(rows), {}
    for years, (units, sought) in by_years([(u, t, x) for (u, t), x in known.items()]).items():
        names, series = shown[years]
        for unit, own in zip(units, sought, strict=True):
            far = ((series - own) ** 2).sum(axis=1)
            found[unit] = [names[i] for i in np.flatnonzero(far <= far.min() * (1 + 1e-9))]
    return found


def hits(known, rows, behind):
    """The share of units that is found; of several that are equally near, one is taken by chance."""
    return np.mean([np.mean([behind[p] == u for p in near]) for u, near in nearest(known, rows).items()])


@pytest.mark.parametrize("k", [3, 6])
@pytest.mark.parametrize("method", METHODS)
def test_of_whole_units_at_most_one_in_k_is_found(method, k):
    known = originals()
    rows, behind = released(known, method, k, unit="firm")
    assert hits(known, rows, behind) <= 1 / k
    assert min(len(near) for near in nearest(known, rows).values()) >= k


@pytest.mark.parametrize("method", ["mdav", "cluster-average", "axis-average"])
def test_record_by_record_nearly_all_units_are_found(method):
    known = originals()
    rows, behind = released(known, method, 3)
    assert hits(known, rows, behind) > 0.95
    assert hits(known, *released(known, "rank-average", 3)) > 0.95


def test_one_year_alone_protects_either_way():
    """The weakness is in the series: with a single year, records and units are the same."""
    known = {key: x for key, x in originals().items() if key[1] == 2}
    for given in ({}, {"unit": "firm"}):
        rows, behind = released(known, "mdav", 3, **given)
        assert hits(known, rows, behind) <= 1 / 3


def test_growth_rates_do_not_give_units_away():
    """Whoever knows growth only compares growth: k units show the same."""
    known = originals()
    rows, behind = released(known, "mdav", 3, unit="firm")
    scaled = {(u, t): x / known[(u, 2)] for (u, t), x in known.items()}
    base = {p: x for p, t, x in rows if t == 2}
    growth = [(p, t, x / base[p]) for p, t, x in rows]
    assert hits(scaled, growth, behind) <= 1 / 3
