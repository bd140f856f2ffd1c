"""Panels for the tests of microaggregation of whole units, and what units show, counted the slow way."""

from __future__ import annotations

from collections import Counter, defaultdict

import numpy as np

from tarnkappe.data.column import Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.vocab import Role

METHODS = ("mdav", "cluster-average", "axis-average", "random-average")
XY = ("x", "y")
YEARS = 4


def panel(units=60, seed=1, *, gaps=0.0, absent=0.3):
    """Firms on a random walk, a third of them not there in all years, in random order; `gaps` of the values are missing."""
    rng = np.random.default_rng(seed)
    there = np.ones((units, YEARS), dtype=bool)
    late = rng.random(units) < absent
    there[late, : rng.integers(1, YEARS)] = False
    firm, year = np.nonzero(there)
    order = rng.permutation(len(firm))
    firm, year = firm[order], year[order]
    walk = np.exp(
        rng.normal(size=(units, 1, 2)) + 0.3 * np.cumsum(rng.normal(size=(units, YEARS, 2)), axis=1)
    )
    values = walk[firm, year] * [1.0, 1000.0]
    values[rng.random(values.shape) < gaps] = np.nan
    columns = {
        "firm": Column.texts_of([f"f{f:03d}" for f in firm]),
        "year": Column.numbers_of(2020 + year),
        "x": Column.numbers_of(values[:, 0]),
        "y": Column.numbers_of(values[:, 1]),
    }
    return Microdata(columns, {Role.IDENTIFIER: ("firm",), Role.PERIOD: ("year",)})


def rows_of(data, names):
    return list(zip(*(data.column(n).texts().tolist() for n in names), strict=True)) or [()] * len(data)


def series_shown(data, unit, places, names):
    """The slow way: of every unit what it shows in which place, in any order; a record without a unit stands for itself."""
    found = defaultdict(list)
    states = [tuple(int(s) for s in row) for row in zip(*(states_of(data, n) for n in names), strict=True)]
    cells = zip(rows_of(data, unit), rows_of(data, places), rows_of(data, names), states, strict=True)
    for i, (who, where, what, state) in enumerate(cells):
        found[who if None not in who else i].append((where, what, state))
    return {who: tuple(sorted(cells, key=repr)) for who, cells in found.items()}


def states_of(data, name):
    column = data.column(name)
    return np.zeros(len(column), int) if column.state is None else column.state


def shared_by(data, unit=("firm",), places=("year",), names=XY):
    """By how many units each series is shown that shows a value."""
    shown = Counter(series_shown(data, unit, places, names).values())
    return [n for cells, n in shown.items() if any(v is not None for _, row, _ in cells for v in row)]
