"""What proves or refutes without a program, against programs: cuboids in the audit, forced movements, sums multiplied out."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import linprog

from attacks.test_audit_random import drawn
from tables.quader_tables import primary, random_pattern, random_tree
from tarnkappe.attack import cuboids
from tarnkappe.attack.intervals import Asked, intervals
from tarnkappe.attack.witnesses import Room, Witnesses, valid
from tarnkappe.data.relations import relations_of
from tarnkappe.data.table import Table
from tarnkappe.kernels import cuboids as search
from tarnkappe.kernels import witnesses
from tarnkappe.kernels.forced import Sums, impossible, new_scratch
from tarnkappe.kernels.unknowns import incidence
from tarnkappe.methods.tables.quader import Quader
from tarnkappe.risk.table_audit import TableAudit


def room_of(pattern):
    value = pattern.table.value
    return Room(pattern.hidden, np.maximum(value - pattern.low, 0.0), np.maximum(pattern.high - value, 0.0))


def protected(seed):
    """A four-dimensional table whose cuboids have many corners, or a small one of two or three dimensions."""
    return random_pattern(seed, dimensions=4 if seed % 2 else None, most=4, records=40)


@pytest.mark.parametrize("seed", range(12))
def test_the_audit_says_the_same_with_cuboids(seed, monkeypatch):
    pattern = drawn(seed)
    plain = TableAudit(insiders="none").audit(pattern)
    monkeypatch.setattr(cuboids, "MANY", 0)
    quick = TableAudit(insiders="none").audit(pattern)
    assert np.array_equal(quick.narrow, plain.narrow)
    assert np.array_equal(quick.disclosed, plain.disclosed)
    exact = TableAudit(insiders="none").audit(pattern, exact=True).intervals
    slack = 1e-5 * np.maximum(1.0, np.abs(pattern.table.value))
    assert (quick.intervals.low >= exact.low - slack).all()
    assert (quick.intervals.high <= exact.high + slack).all()


def test_most_of_a_large_table_needs_no_program(monkeypatch):
    rng = np.random.default_rng(3)
    pattern = _large(rng)
    done = Quader(insiders="none").protect(pattern, None)
    monkeypatch.setattr(cuboids, "MANY", 0)
    found = TableAudit(insiders="none").audit(done)
    assert found.holds
    assert found.intervals.solved < 0.05 * pattern.primary.sum()


def _large(rng):
    trees = [random_tree(rng, name, 3, 5) for name in "ab"]
    value = np.zeros([len(h) for h in trees])
    leaves = np.ix_(*(np.flatnonzero(h.is_leaf) for h in trees))
    value[leaves] = np.round(rng.lognormal(4, 1, value[leaves].shape)) + 1
    for j, h in enumerate(trees):
        v = np.moveaxis(value, j, 0)
        for node in range(len(h) - 1, 0, -1):
            v[h.parent[node]] += v[node]
    cells = np.argwhere(value > 0)
    table = Table("t", tuple(trees), cells.astype(np.int32), value[tuple(cells.T)])
    marked = np.flatnonzero(table.inner & (rng.random(len(table)) < 0.1))
    return primary(table, marked, 0.1 * table.value, 0.1 * table.value)


@pytest.mark.parametrize("seed", range(6))
def test_a_wrong_movement_is_not_believed(seed):
    """Every cell alone, far out: none of them keeps its sums, so the answer is the same as without."""
    pattern = drawn(seed)
    hidden, value = np.flatnonzero(pattern.hidden), pattern.table.value
    lies = Witnesses(hidden, np.arange(len(hidden) + 1), hidden, np.full(len(hidden), 0.5))
    system = relations_of(pattern.table), value, pattern.hidden, pattern.low, pattern.high
    told = intervals(*system, Asked(pattern.lower, pattern.upper, shown=lies))
    plain = intervals(*system, Asked(pattern.lower, pattern.upper))
    assert np.array_equal(told.low, plain.low)
    assert np.array_equal(told.high, plain.high)


@pytest.mark.parametrize("seed", range(6))
def test_movements_are_multiplied_out(seed):
    """Cuboids, some of them spoilt, against the product of two matrices."""
    pattern = protected(seed)
    relations, room, nothing = relations_of(pattern.table), room_of(pattern), np.zeros(len(pattern.table))
    everything = Room(np.ones(len(pattern.table), dtype=bool), room.down, room.up)
    found = cuboids.by_cuboids(pattern.table, everything, nothing, nothing)
    amount = np.where(np.random.default_rng(seed).random(len(found.amount)) < 0.02, 0.5, 1.0) * found.amount
    spoilt = Witnesses(found.pivot, found.start, found.cell, amount)
    moved = np.zeros((len(pattern.table), len(spoilt)))
    column = np.repeat(np.arange(len(spoilt)), np.diff(spoilt.start))
    np.add.at(moved, (spoilt.cell, column), amount)
    slack = 1e-6 * np.abs(moved).max(axis=0)
    off = np.abs(relations.matrix() @ moved).max(axis=0) > slack
    within = ((moved <= room.up[:, None] + slack) & (-moved <= room.down[:, None] + slack)).all(axis=0)
    assert np.array_equal(valid(relations, everything, spoilt), ~off & within)
    assert off.any()
    assert valid(relations, everything, found).all()


def test_a_movement_that_names_a_cell_twice_is_none():
    """Up by 5 and down by 5 keeps every sum and every bound, and proves nothing."""
    pattern = protected(0)
    room, cell = room_of(pattern), np.flatnonzero(pattern.hidden)[[0, 0]]
    wide = Room(room.hidden, np.full(len(pattern.table), 9.0), np.full(len(pattern.table), 9.0))
    twice = Witnesses(cell[:1], np.array([0, 2]), cell, np.array([5.0, -5.0]))
    assert not valid(relations_of(pattern.table), wide, twice)[0]


@pytest.mark.parametrize("seed", range(8))
def test_what_is_ruled_out_has_no_movement(seed):
    """Whatever the sums rule out one by one, a program over all of them finds impossible too."""
    pattern = random_pattern(seed, records=20)
    by_relation = relations_of(pattern.table).matrix()
    sums = Sums(incidence(by_relation, by_relation.tocsc()), by_relation.data)
    scratch, room, rng = new_scratch(sums), room_of(pattern), np.random.default_rng(seed)
    ruled_out = 0
    for cell in rng.choice(len(pattern.table), min(12, len(pattern.table)), replace=False):
        free = rng.random(len(pattern.table)) < rng.choice([0.4, 0.8])
        move = float(rng.choice([-1, 1]) * rng.choice([0.2, 2.0]) * max(1.0, abs(pattern.table.value[cell])))
        if not impossible(sums, free, (room.down, room.up), cell, move, 16 * abs(move), scratch):
            continue
        ruled_out += 1
        bounds = [
            (-min(d, 16 * abs(move)), min(u, 16 * abs(move))) if f else (0.0, 0.0)
            for d, u, f in zip(room.down, room.up, free, strict=True)
        ]
        bounds[cell] = (move, move)
        zeros = np.zeros(by_relation.shape[0])
        found = linprog(np.zeros(len(bounds)), A_eq=by_relation, b_eq=zeros, bounds=bounds, method="highs")
        assert found.status == 2, (seed, cell)
    assert ruled_out or seed % 2


@pytest.mark.parametrize("seed", range(4))
def test_a_book_that_grows_and_a_hash_table_change_nothing(seed, monkeypatch):
    pattern = protected(seed)
    wide = Quader(insiders="none").run(pattern).hidden
    monkeypatch.setattr(witnesses, "START", 0)
    monkeypatch.setattr(witnesses, "_longer", lambda a: np.concatenate([a, np.empty(40, a.dtype)]))
    monkeypatch.setattr(search, "DENSE", 0)
    assert np.array_equal(Quader(insiders="none").run(pattern).hidden, wide)
