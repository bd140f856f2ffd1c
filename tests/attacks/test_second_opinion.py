"""Published tables of any size of numbers are judged like an attacker without rounding judges them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from reference.exact_attack import exact_intervals
from reference.flat import flat_table
from tarnkappe.attack.foreign import audit
from tarnkappe.data.pattern import Pattern, Status
from tarnkappe.data.system import Shown, system_of_published
from tarnkappe.risk.table_audit import TableAudit

SHAPES = [(3, 3), (4, 5), (2, 3, 2), (6,), (3, 2, 3)]


def drawn(seed):
    """A table with sums that are right as they are written, and cells hidden at random.

    Of three tables one has numbers of one size, one numbers from 0.001 to 1,000,000,000,000 beside each other, and one small ones with
    a few that are very large. Decimals are kept so few that sums are numbers of 15 digits.
    """
    rng = np.random.default_rng(seed)
    shape = SHAPES[seed % len(SHAPES)]
    kind = seed % 3
    if kind == 0:
        x, places = rng.lognormal(0, 2, shape) * 10.0 ** rng.integers(-3, 12), 3
    elif kind == 1:
        x, places = 10.0 ** rng.uniform(-3, 11, shape), 3
    else:
        x, places = np.where(rng.random(shape) < 0.2, 1e9, 1.0) * rng.lognormal(0, 1, shape), 2
    x = np.rint(np.minimum(x, 1e11) * 10**places).astype(np.int64) * (rng.random(shape) < 0.9)
    table = flat_table(x)
    value = table.value / 10**places
    hidden = rng.random(len(table)) < rng.choice([0.3, 0.5, 0.7])
    return table, value, hidden


def published(table, value, hidden):
    nothing, most = np.zeros(len(table)), np.full(len(table), np.inf)
    return system_of_published(
        "t", table.dimensions, Shown(table.cells, np.where(hidden, np.nan, value), nothing, most)
    )


def matrix_of(table):
    """Every sum of a flat table written out: 1 for its parts, -1 for the total."""
    place = {tuple(c): i for i, c in enumerate(table.cells.tolist())}
    rows = []
    for cell, number in place.items():
        for j in (j for j in range(len(cell)) if cell[j] == 0):
            row = np.zeros(len(place), dtype=np.int64)
            row[number] = -1
            for code in range(1, len(table.dimensions[j])):
                row[place[(*cell[:j], code, *cell[j + 1 :])]] = 1
            rows.append(row)
    return np.array(rows)


def check(seed):
    table, value, hidden = drawn(seed)
    system = published(table, value, hidden)
    matrix = matrix_of(table)
    truth = exact_intervals(matrix, value, hidden)
    found, quick = audit(system), audit(system, quick=True)
    for cell, (low, high) in truth.items():
        close = 1e-6 * float(low if high is None else high) + 1e-13 * value.max()
        assert abs(found.intervals.low[cell] - float(low)) <= close, (seed, cell)
        if high is None:
            assert np.isinf(found.intervals.high[cell]), (seed, cell)
        else:
            assert abs(found.intervals.high[cell] - float(high)) <= close, (seed, cell)
        if high is None or high == low or high - low > close:  # narrower ones are known but for rounding
            assert found.disclosed[cell] == quick.disclosed[cell] == (low == high), (seed, cell)


def check_own(seed):
    """The audit of a run, which knows the values: the same intervals, and never more protection than there is."""
    table, value, hidden = drawn(seed)
    table = replace(table, value=value)
    truth = exact_intervals(matrix_of(table), value, hidden)
    rng = np.random.default_rng(seed)
    down, up = np.zeros(len(value)), np.zeros(len(value))
    for cell, (low, high) in truth.items():
        down[cell] = (value[cell] - float(low)) * rng.choice([0.5, 0.999, 1.001, 2.0])
        most = value[cell] if high is None else float(high) - value[cell]
        up[cell] = most * rng.choice([0.5, 0.999, 1.001, 2.0])
    status = np.where(hidden, np.uint8(Status.PRIMARY), np.uint8(Status.OPEN))
    pattern = Pattern(table, status=status, lower=down, upper=up)
    narrow = TableAudit(insiders="none").audit(pattern).narrow
    found = TableAudit(insiders="none").audit(pattern, exact=True).intervals
    for cell, (low, high) in truth.items():
        end = np.inf if high is None else float(high)
        close = 1e-6 * value[cell] + 1e-13 * value.max()
        assert abs(found.low[cell] - float(low)) <= close, (seed, cell)
        assert found.high[cell] == end or abs(found.high[cell] - end) <= close + 1e-9 * end, (seed, cell)
        short = max(down[cell] - (value[cell] - float(low)), up[cell] - (end - value[cell]))
        assert narrow[cell] == (short > 0 or low == high) or abs(short) <= close, (seed, cell)


@pytest.mark.parametrize("part", range(4))
def test_numbers_of_any_size(part):
    for seed in range(part, 40, 4):
        check(seed)


@pytest.mark.parametrize("part", range(4))
def test_the_audit_of_numbers_of_any_size(part):
    for seed in range(part, 40, 4):
        check_own(seed)


@pytest.mark.long
@pytest.mark.parametrize("part", range(10))
def test_two_hundred_tables_of_numbers_of_any_size(part):
    for seed in range(1000 + part, 1200, 10):
        check(seed)
        check_own(seed)
