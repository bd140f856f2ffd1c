"""Ranges whose cells and places are drawn: they hold like those that the values decide, and hardly more is masked."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tables.trees import bounds_of, city, random_table, scipy_attack, shown, table_of
from tarnkappe.data.pattern import Mark, Pattern, Status
from tarnkappe.kernels.drawn_ranges import Draws, drawn
from tarnkappe.kernels.range_mask import FAR, Nodes, tree_of
from tarnkappe.kernels.tree_audit import tighten
from tarnkappe.methods.tables.range_mask import RangeMask
from tarnkappe.randomness import public_stream as stream


def masked(table, secret="a secret of the tests", **options):
    method, before = RangeMask(**options), Pattern(table)
    after = method.protect(before, stream(secret, method.id))
    for claim in (*method.preserves, *method.protects):
        assert claim.check(method, before, after), claim.says.en
    return after


@given(
    seed=st.integers(0, 2**32),
    low=st.integers(0, 3),
    width=st.integers(1, 8),
    ragged=st.booleans(),
    pick=st.sampled_from(["max", "min", "random"]),
)
@settings(max_examples=150, deadline=None)
def test_every_small_count_keeps_its_whole_range(seed, low, width, ragged, pick):
    rng = np.random.default_rng(seed)
    table = random_table(rng, depth=int(rng.integers(1, 5)), most=4, ragged=ragged)
    after = masked(table, f"secret {seed}", lower=low, upper=low + width, pick=pick)
    starts, ends = bounds_of(after)
    assert (starts < ends)[after.status == Status.RANGE].all()
    small = np.flatnonzero(RangeMask(lower=low, upper=low + width).small(Pattern(table)))[:4]
    np.testing.assert_allclose(
        scipy_attack(after, small), np.tile([low, low + width], (len(small), 1)), atol=1e-6
    )


def test_the_kernel_seldom_needs_help():
    """On random trees it never fails, so linear programs are not asked."""
    rng = np.random.default_rng(3)
    for _ in range(400):
        table = random_table(rng, depth=int(rng.integers(1, 5)), most=4)
        value, parent, n = table.value.astype(np.int64), table.up[:, 0], len(table)
        floor = np.where(table.inner, 4, 1)
        nodes = Nodes(value, floor, np.full(n, FAR), value > 0, np.zeros(n, bool), rng.random(n))
        small = table.inner & (value >= 1) & (value <= 3)
        masks = drawn(tree_of(parent), nodes, small, np.full(n, 1), np.full(n, 3), Draws(*rng.random((4, n))))
        assert not masks.failed.any()
        least, most = tighten(parent, masks.low.astype(float), masks.high.astype(float))
        assert (least <= value).all()
        assert (value <= most).all()
        assert ((most - least)[small] == 2).all()
        assert (masks.low >= floor)[(masks.phase > 1)].all()


def test_hardly_more_is_masked():
    cells = {"places": 0, "nothing": 0}
    for seed in range(300):
        table = random_table(np.random.default_rng(seed))
        for draw in cells:
            after = RangeMask(draw=draw).protect(Pattern(table), stream(f"secret {seed}"))
            cells[draw] += int((after.status == Status.RANGE).sum())
    assert cells["nothing"] * 0.9 < cells["places"] < cells["nothing"] * 1.1


def test_the_secret_decides_and_equal_runs_are_equal():
    tree = {"total": None} | dict.fromkeys("abcdefgh", "total")
    table = table_of(tree, {"a": 3, "b": 3} | {code: 10 + i for i, code in enumerate("cdefgh")})
    seen = {tuple(shown(masked(table, f"secret {i}")).items()) for i in range(30)}
    assert len(seen) > 5
    assert len({tuple(shown(masked(table)).items()) for _ in range(3)}) == 1


def test_the_same_cells_are_masked_again_in_the_next_period():
    """The order of cells is that of their codes: a change elsewhere does not open a mask of the last period."""
    again = opened = 0
    for seed in range(60):
        before = random_table(np.random.default_rng(seed), depth=2, values=(0, 1, 2, 20, 30, 40))
        large = np.flatnonzero(before.inner & (before.value >= 20))
        if not len(large):
            continue
        value, node = before.value.copy(), int(large[0])
        while node >= 0:
            value[node] += 10
            node = int(before.up[node, 0])
        first, second = masked(before), masked(replace(before, value=value))
        again += len(shown(first))
        opened += len(set(shown(first)) - set(shown(second)))
    assert again > 200
    assert opened < again / 10


def test_sparse_tables_and_cells_that_stay_open():
    full = city(2, 7, 2, 0, 17)
    there = full.value > 0
    sparse = replace(full, cells=full.cells[there], value=full.value[there])
    assert shown(masked(sparse)) == shown(masked(full))
    mark = np.where(np.isin(full.codes(0), ["Q12", "city"]), Mark.KEEP, 0).astype(np.uint8)
    after = RangeMask().protect(Pattern(full, mark=mark), stream("secret"))
    assert not {"Q12", "city"} & set(shown(after))


@pytest.mark.parametrize("mode", ["safe", "linear"])
def test_linear_programs_widen_what_they_add(mode):
    """Where sums cross, added ranges are at least those that the values lead to."""
    table = random_table(np.random.default_rng(5), depth=2)
    assert (masked(table, mode=mode).status == Status.RANGE).any()
