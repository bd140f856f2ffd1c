"""The audit against linear and integer programs written out with scipy, on random tables with random suppressions."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from scipy.optimize import LinearConstraint, milp

from reference.flat import flat_table, suppressing
from reference.quader import attack, sums
from tables.quader_tables import random_pattern
from tarnkappe.attack.shares import shares_of
from tarnkappe.attack.together import Attacker, attacked, joint_of
from tarnkappe.data.pattern import Status
from tarnkappe.data.pattern_set import PatternSet
from tarnkappe.risk.table_audit import TableAudit

FEW = range(24)
MANY = range(1000, 3000)
SMALL = 60
"""Hidden cells of the tables that are tried; the programs of scipy take their time."""
RECORDS = {4: 6, 5: 4}
"""Fewer records where every record makes many sums."""


def drawn(seed, dimensions=None):
    """Primary cells by a rule, all or some of them, and further cells suppressed at random."""
    pattern = random_pattern(seed, dimensions=dimensions, records=RECORDS.get(dimensions, 9))
    rng = np.random.default_rng(seed + 10**6)
    dropped = rng.random(len(pattern.table)) < rng.choice([0.0, 0.7])
    more = rng.random(len(pattern.table)) < rng.choice([0.2, 0.5, 0.9])
    status = np.where(dropped, np.uint8(Status.OPEN), pattern.status)
    status = np.where(more & (status == Status.OPEN), np.uint8(Status.SECONDARY), status)
    lower, upper = (np.where(dropped, 0.0, need) for need in (pattern.lower, pattern.upper))
    return replace(pattern, status=status, lower=lower, upper=upper)


def narrow(pattern, known=None, group=()):
    """Primary cells with too narrow an interval for somebody who knows some cells besides."""
    value, table = pattern.table.value, pattern.table
    low, high = attack(table, pattern.hidden, pattern.low, pattern.high, known, pattern.needs)
    lower, upper = pattern.lower, pattern.upper
    shares = shares_of(table, table.contributions) if group else None
    if shares is not None:
        rest = np.array([shares.rest(c, group) for c in range(len(table))])
        lower, upper = np.minimum(lower, rest), np.where((rest > 0) | (value <= 0), upper, 0.0)
    slack = 1e-5 * np.maximum(1.0, np.abs(value))
    short = (value - low < lower - slack) | (high - value < upper - slack)
    if known is not None:
        short &= ~known
    else:
        short |= high - low < slack
    return pattern.needs & short


def compare(seed, coalition=1, dimensions=None):
    """Whether the table was small enough to be tried, and whether insiders were looked at."""
    pattern = drawn(seed, dimensions)
    if pattern.hidden.sum() > SMALL / coalition:
        return False, False
    found = TableAudit(insiders="contributors", coalition=coalition).audit(pattern)
    outside = narrow(pattern)
    assert np.array_equal(found.narrow, outside), seed
    if outside.any():
        return True, False
    kept = pattern.table.contributions
    inside = np.zeros(len(outside), dtype=bool)
    few = pattern.hidden & (kept.count <= coalition)
    for size in range(1, coalition + 1):
        for group in combinations(np.unique(kept.who[few][kept.who[few] >= 0]).tolist(), size):
            theirs = few & (np.isin(kept.who, group) | (kept.who < 0)).all(axis=1)
            if theirs.any():
                inside |= narrow(pattern, theirs, group) & ~theirs
    assert {b.cell for b in found.breaches} == set(np.flatnonzero(inside).tolist()), seed
    return True, True


@pytest.mark.parametrize("part", range(3))
def test_a_few_dozen_random_tables(part):
    assert any(inside for _, inside in (compare(seed) for seed in FEW if seed % 3 == part))


@pytest.mark.parametrize("dimensions", [4, 5])
def test_many_dimensions(dimensions):
    assert sum(tried for tried, _ in (compare(seed, dimensions=dimensions) for seed in range(100, 106))) > 1


def test_coalitions_of_two():
    for seed in range(200, 206):
        compare(seed, coalition=2)


@pytest.mark.long
@pytest.mark.parametrize("part", range(20))
def test_thousands_of_random_tables(part):
    seeds = [seed for seed in MANY if seed % 20 == part]
    done = [compare(seed, coalition=1 + seed // 4 % 2, dimensions=2 + seed % 4) for seed in seeds]
    assert sum(tried for tried, _ in done) > len(seeds) // 5
    assert any(inside for _, inside in done)


def whole_ends(pattern, cell):
    """Both ends of a cell among whole numbers."""
    matrix, value, hidden = sums(pattern.table), pattern.table.value, pattern.hidden
    low, high = np.where(hidden, pattern.low, value), np.where(hidden, pattern.high, value)
    ends = []
    for sign in (1, -1):
        cost = np.zeros(len(value))
        cost[cell] = sign
        ties = LinearConstraint(matrix, 0, 0)
        found = milp(cost, constraints=ties, bounds=(low, high), integrality=np.ones(len(value)))
        ends.append(-sign * np.inf if found.x is None else sign * found.fun)
    return ends


def counts(seed):
    rng = np.random.default_rng(seed)
    shape = tuple(rng.integers(2, 4, size=3))
    table = flat_table(rng.integers(0, 4, size=shape))
    cells = np.argwhere(rng.random(shape) < rng.choice([0.6, 0.9])) + 1
    names = [tuple(str(i) for i in cell) for cell in cells]
    return suppressing(table, names, lower=0.0, upper=float(rng.integers(1, 3)))


def compare_counts(seed):
    pattern = counts(seed)
    pattern = replace(pattern, table=replace(pattern.table, contributions=None, counts=True))
    found = TableAudit(insiders="none").audit(pattern)
    assert not found.intervals.relaxed.any(), seed
    for cell in np.flatnonzero(pattern.needs):
        low, high = whole_ends(pattern, cell)
        short = high - pattern.table.value[cell] < pattern.upper[cell] - 1e-6 or high - low < 1e-6
        assert found.narrow[cell] == short, (seed, cell)
    over = PatternSet((pattern,))
    as_set = attacked(joint_of(over, Attacker(insiders="none"))).narrow[over.tables.numbers[0]]
    assert np.array_equal(as_set, found.narrow), seed


def test_counts_in_three_dimensions_are_judged_among_whole_numbers():
    for seed in range(12):
        compare_counts(seed)


@pytest.mark.long
def test_hundreds_of_tables_of_counts():
    for seed in range(1000, 1400):
        compare_counts(seed)
