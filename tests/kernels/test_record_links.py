"""Nearest records, ranks and assignments over mixed keys, against a look at every pair."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reference import linkage as reference
from tarnkappe.kernels import matching, mixed_tree, record_links
from tarnkappe.kernels.matching import Side, assignment
from tarnkappe.kernels.mixed_tree import Space


def drawn(seed, largest=45):
    """Two files of mixed keys with gaps, ties and several blocks."""
    rng = np.random.default_rng(seed)
    n, m, p, blocks = (int(rng.integers(1, top)) for top in (largest, largest + 20, 4, 4))
    category = rng.random(p) < 0.4
    gap = rng.random(p) * rng.choice([0.0, 2.0])
    space = Space(category, rng.random(p) + 0.1, gap, bool(rng.random() < 0.5))
    digits = int(rng.choice([0, 1, 6]))

    def file(size):
        x = np.round(rng.normal(size=(size, p)), digits)
        x[:, category] = rng.integers(0, 4, (size, int(category.sum())))
        x[rng.random((size, p)) < rng.choice([0.0, 0.2])] = np.nan
        return x

    return rng, file(n), file(m), rng.integers(0, blocks, n), rng.integers(0, blocks, m), blocks, space


def tree_of(released, block, blocks, space, times=None):
    times = np.ones(len(released), dtype=np.int64) if times is None else times
    return Side(released, times, block).tree(blocks, space)


@given(st.integers(0, 10**9), st.integers(1, 7))
@settings(max_examples=80, deadline=None)
def test_nearest_points_with_prices(seed, wanted):
    rng, known, released, block, other, blocks, space = drawn(seed)
    tree = tree_of(released, other, blocks, space)
    price = np.round(rng.random(len(released)), 1)
    mixed_tree.reprice(tree, price)
    starts, found, far = mixed_tree.nearest(tree, known, block, space, np.full(len(known), wanted))
    d = reference.distances(known, released, space)
    full = (np.sqrt(d) if space.squared else d) + price
    for i in range(len(known)):
        there = np.flatnonzero(other == block[i])
        best = there[np.lexsort((there, full[i, there]))][:wanted]
        got = found[starts[i] : starts[i + 1]]
        assert len(set(got)) == len(got) == len(best)
        assert set(got) <= set(there)
        assert full[i, got] == pytest.approx(full[i, best])
        assert far[starts[i] : starts[i + 1]] == pytest.approx(full[i, best])


@given(st.integers(0, 10**9), st.integers(1, 5))
@settings(max_examples=80, deadline=None)
def test_chance_to_be_among_the_nearest(seed, nearest):
    rng, known, released, block, other, blocks, space = drawn(seed)
    truth = rng.integers(-1, len(released), len(known))
    same_block = block[:, None] == other[None, :]
    findable = (truth >= 0) & same_block[np.arange(len(known)), truth]
    both = record_links.Files(known, released, block, other, blocks, space)
    expected = reference.found_by_nearest(
        reference.distances(known, released, space), truth, same_block, nearest
    )
    assert record_links.by_nearest(both, truth, findable, nearest) == pytest.approx(expected)


@pytest.mark.parametrize("all_pairs", [0, 4_000_000])
@given(st.integers(0, 10**9))
@settings(max_examples=80, deadline=None)
def test_assignment_has_the_least_total_distance(all_pairs, seed):
    """With candidates only, and with all pairs where blocks are small: the same total, that of a look at all pairs."""
    rng, known, released, block, other, blocks, space = drawn(seed)
    times = [rng.integers(1, 4, len(known)), rng.integers(1, 4, len(released))]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(matching, "ALL_PAIRS", all_pairs)
        pairs = assignment(Side(known, times[0], block), Side(released, times[1], other), blocks, space)
    d = reference.distances(known, released, space)
    lengths = np.sqrt(d) if space.squared else d
    one, two = (np.repeat(np.arange(len(t)), t) for t in times)
    total, count = reference.least_total(lengths[np.ix_(one, two)], block[one, None] == other[None, two])
    assert pairs.optimal
    assert pairs.times.sum() == count
    assert (lengths[pairs.one, pairs.other] * pairs.times).sum() == pytest.approx(total, abs=1e-9)
    assert (block[pairs.one] == other[pairs.other]).all()
    for which, own in ((pairs.one, times[0]), (pairs.other, times[1])):
        assert (np.bincount(which, pairs.times, minlength=len(own)) <= own).all()


def test_assignment_of_many_records_that_all_want_the_same_few(monkeypatch):
    """More candidates are needed than every record has at first; the least total is that of the sorted values."""
    monkeypatch.setattr(matching, "ALL_PAIRS", 0)
    rng = np.random.default_rng(5)
    known, released = (
        np.sort(rng.normal(size=(400, 1)) * 0.01, axis=0),
        np.sort(rng.normal(size=(400, 1)), axis=0),
    )
    space = Space(np.array([False]), np.ones(1), np.ones(1), squared=False)
    ones, block = np.ones(400, dtype=np.int64), np.zeros(400, dtype=np.int64)
    pairs = assignment(Side(known, ones, block), Side(released, ones, block), 1, space)
    assert pairs.optimal
    total = np.abs(known[pairs.one, 0] - released[pairs.other, 0]).sum()
    assert total == pytest.approx(np.abs(known - released).sum())


def test_equal_records_share_their_hits():
    """Three equal persons and their three equal records: each is found with one in three, whatever is assigned to whom."""
    values = np.zeros((3, 1))
    space = Space(np.array([False]), np.ones(1), np.ones(1), squared=True)
    block = np.zeros(3, dtype=np.int64)
    both = record_links.Files(values, values, block, block, 1, space)
    truth, all_ = np.arange(3), np.ones(3, dtype=bool)
    found, proven = record_links.by_assignment(both, truth, all_, all_)
    assert proven
    assert found == pytest.approx(np.full(3, 1 / 3))
    assert record_links.by_nearest(both, truth, all_, 2) == pytest.approx(np.full(3, 2 / 3))
