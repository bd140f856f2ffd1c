"""Stretching ranges along cuboids: the cheapest is found, and what it proves is true."""

from __future__ import annotations

import numpy as np
import pytest

from reference.stretch_cuboids import cheapest
from reference.table_attack import equalities
from tables.quader_tables import random_tree
from tables.trees import crossed
from tarnkappe.kernels.lattice import strides_of
from tarnkappe.kernels.stretch_cuboids import State, places, stretch

CHEAPER = 0.25


def drawn(seed):
    rng = np.random.default_rng(seed)
    trees = [random_tree(rng, "abc"[j], int(rng.integers(1, 3)), 4) for j in range(int(rng.integers(1, 4)))]
    table = crossed(rng, trees, empty=0.1)
    small = table.inner & (table.value <= 3)
    value = table.value
    wide = rng.random(len(value)) < 0.2
    low, high = np.where(small, 1.0, value - wide), np.where(small, 3.0, value + wide)
    movable = ~small & table.inner
    state = State(
        value, np.where(movable, 4.0, low), np.where(movable, np.inf, high), 1.0 + rng.random(len(value)), low.copy(), high.copy(),
        np.zeros(len(value)), np.zeros(len(value)), np.full(len(value), -1),
    )  # fmt: skip
    at = places(
        table.key, strides_of([len(h) for h in trees]), table.cells.astype(np.int64),
        [h.parent.astype(np.int64) for h in trees],
    )  # fmt: skip
    return table, state, at, np.flatnonzero(small), np.arange(len(trees))


def price_of(state, low, high, cost_before):
    was = cost_before
    factor = np.where(was[1] > was[0], CHEAPER, 1.0)
    return float(((high - was[1]) + (was[0] - low)) @ (state.cost * factor))


@pytest.mark.parametrize("seed", range(40))
def test_the_cheapest_cuboid_is_taken(seed):
    """One cell that stands at the lower end of its range: only the way up is needed."""
    table, state, at, small, along = drawn(seed)
    for cell in small[state.value[small] == 1][:5]:
        was = state.low.copy(), state.high.copy()
        wanted = cheapest(table, state, cell, 2.0, CHEAPER)
        state.up[:], state.down[:] = 0, 0
        stretch(at, state, along, np.array([cell]), CHEAPER)
        assert (state.up[cell] == 2.0) == (wanted is not None)
        paid = price_of(state, state.low, state.high, was)
        assert paid == pytest.approx(0.0 if wanted is None else wanted[0])


@pytest.mark.parametrize("seed", range(40, 60))
def test_what_is_proven_is_possible(seed):
    """Whatever a cell is said to reach, some corner of a cuboid reached it within the ranges, and ranges hold their limits."""
    _, state, at, small, along = drawn(seed)
    was = state.low.copy(), state.high.copy()
    stretch(at, state, along, small, CHEAPER)
    assert (state.low <= state.value - state.down + 1e-9).all()
    assert (state.value + state.up <= state.high + 1e-9).all()
    assert (state.low >= np.minimum(was[0], state.least)).all()
    assert (state.high <= np.maximum(was[1], state.most)).all()
    touched = state.protects >= 0
    assert (touched <= (state.high > state.low)).all()
    assert np.isin(state.protects[touched], small).all()


def test_some_tables_are_done_by_cuboids_alone():
    done = tried = 0
    for seed in range(100, 120):
        _, state, at, small, along = drawn(seed)
        stretch(at, state, along, small, CHEAPER)
        done += int((state.up + state.down >= 2.0)[small].sum())
        tried += len(small)
    assert done > 0.2 * tried


def test_a_cuboid_keeps_every_sum():
    """The deviation that one cell needs, read off what was proven, adds up to nothing in every sum."""
    for seed in range(200, 215):
        table, state, at, small, along = drawn(seed)
        for cell in small[:3]:
            state.up[:], state.down[:] = 0, 0
            state.down[cell] = state.value[cell] - state.low[cell]  # only the way up is looked for
            if state.high[cell] > state.value[cell]:
                state.up[cell] = 0
                before = state.down.copy()
                stretch(at, state, along, np.array([cell]), CHEAPER)
                move = state.up - np.where(np.arange(len(before)) == cell, 0, state.down)
                assert not np.any(np.abs(equalities(table) @ move) > 1e-9)


def test_nothing_to_do():
    _, state, at, _, along = drawn(1)
    was = state.low.copy()
    stretch(at, state, along, np.zeros(0, dtype=np.int64), CHEAPER)
    assert np.array_equal(state.low, was)
