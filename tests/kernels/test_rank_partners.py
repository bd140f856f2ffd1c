"""Rank swapping against all outcomes with their exact probabilities, and its invariants on random blocks."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chi2

from reference.swapping import matchings, partners_by_scan
from tarnkappe.kernels.exchange import at_random, half_swap, how_many, round_robin
from tarnkappe.kernels.near_partners import grounds_of, nearest_partners
from tarnkappe.kernels.rank_swap import BEYOND, FREE, NEXT, rank_partners
from tarnkappe.kernels.ranks import ascending, mid_ranks, rank_distances, shared_within, sorted_within
from tarnkappe.kernels.region_partners import region_partners

RULES = {"free": FREE, "next": NEXT, "beyond": BEYOND}
RUNS = 20_000
P_VALUE = 1e-7
"""Each of the chi-square tests below fails by chance once in ten million; a probability off by a tenth of itself in a cell of
1/10 of the runs is found with a probability above 0.999."""


def generator(seed=1):
    return np.random.Generator(np.random.PCG64DXSM(seed))


def near_partners(x, order, starts, counts):
    """The trees are planted from the records in another order than that in which they choose."""
    parts = [np.sort(order[a:b]) for a, b in zip(starts[:-1], starts[1:], strict=True)]
    return nearest_partners(grounds_of(x, np.concatenate(parts), starts), order, starts, counts)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize(("n", "window"), [(2, 1), (4, 2), (5, 1), (5, 4), (6, 2), (7, 3)])
def test_outcomes_have_the_probabilities_of_the_source(rule, n, window):
    expected = matchings(n, window, rule)
    assert sum(expected.values()) == 1
    many = np.arange(RUNS + 1) * n
    found = rank_partners(many, np.full(RUNS, window), RULES[rule], generator(n * 10 + window))
    rows = found.reshape(RUNS, n) - many[:-1, None]
    outcomes, times = np.unique(rows, axis=0, return_counts=True)
    seen = {tuple(int(v) for v in row): int(t) for row, t in zip(outcomes, times, strict=True)}
    assert set(seen) <= set(expected)
    likely = [o for o, p in expected.items() if p * RUNS >= 5]
    statistic = sum(
        (seen.get(o, 0) - float(expected[o]) * RUNS) ** 2 / (float(expected[o]) * RUNS) for o in likely
    )
    assert statistic < chi2.isf(P_VALUE, max(len(likely) - 1, 1))


@given(
    st.lists(st.integers(1, 30), min_size=1, max_size=8), st.integers(1, 40), st.sampled_from(sorted(RULES))
)
def test_every_place_has_one_partner_in_its_block_and_window(sizes, window, rule):
    starts = np.concatenate([[0], np.cumsum(sizes)])
    windows = np.minimum(window, np.maximum(np.array(sizes) - 1, 1))
    partner = rank_partners(starts, windows, RULES[rule], generator())
    place = np.arange(starts[-1])
    block = np.repeat(np.arange(len(sizes)), sizes)
    assert np.array_equal(partner[partner], place)
    assert np.array_equal(block[partner], block)
    assert np.bincount(block[partner == place], minlength=1).max(initial=0) <= 1
    if rule != "beyond":
        assert (np.abs(partner - place) <= windows[block]).all()


@given(st.lists(st.integers(1, 12), min_size=1, max_size=8), st.floats(0.01, 1), st.integers(0, 99))
def test_a_ring_leaves_nobody_alone(sizes, share, seed):
    starts = np.concatenate([[0], np.cumsum(sizes)])
    order = at_random(generator(seed).permutation(starts[-1]), starts, generator(seed))
    counts = how_many(np.array(sizes), share)
    source = round_robin(order, starts, counts)
    assert np.array_equal(np.sort(source), np.arange(starts[-1]))
    for b, count in enumerate(counts):
        members = order[starts[b] : starts[b + 1]]
        assert set(source[members]) == set(members)
        assert np.count_nonzero(source[members] != members) == count
        assert count >= share * sizes[b] - 1e-9 or sizes[b] == 1


@given(st.lists(st.integers(1, 12), min_size=1, max_size=6), st.floats(0.01, 1), st.integers(0, 99))
def test_nearest_partners_are_a_permutation_inside_blocks(sizes, share, seed):
    rng = generator(seed)
    starts = np.concatenate([[0], np.cumsum(sizes)])
    order = rng.permutation(starts[-1])
    counts = how_many(np.array(sizes), share)
    x = rng.integers(0, 4, (starts[-1], 2)).astype(float)
    source = near_partners(x, order, starts, counts)
    assert np.array_equal(source, partners_by_scan(x, order, starts, counts))
    for b, count in enumerate(counts):
        members = order[starts[b] : starts[b + 1]]
        assert set(source[members]) == set(members)
        moved = np.count_nonzero(source[members] != members)
        assert count <= moved <= count + 1 and moved <= sizes[b]


@pytest.mark.parametrize(("n", "p", "values"), [(400, 1, 5), (700, 2, 1), (700, 3, 0), (333, 2, 30)])
def test_nearest_partners_as_by_scan(n, p, values):
    """Continuous, tied and equal values (0 is continuous), in one block and in three."""
    rng = generator(n + values)
    x = rng.normal(size=(n, p)) if values == 0 else rng.integers(0, values, (n, p)).astype(float)
    order = rng.permutation(n)
    for starts, counts in (([0, n], [n]), ([0, 5, n - 3, n], [5, (n - 8) // 2, 3])):
        given = x, order, np.array(starts), np.array(counts)
        assert np.array_equal(near_partners(*given), partners_by_scan(*given))


def test_records_outside_all_blocks_stay_where_they_are():
    rng = generator()
    x, order, starts = rng.normal(size=(90, 2)), rng.permutation(90)[:60], np.array([0, 20, 60])
    source = near_partners(x, order, starts, np.array([20, 40]))
    out = np.setdiff1d(np.arange(90), order)
    assert np.array_equal(source[out], out)
    assert (source[order] != order).all()
    place = np.full(90, -1)
    place[order] = np.arange(60)
    inner = partners_by_scan(x[order], np.arange(60), starts, np.array([20, 40]))
    assert np.array_equal(place[source[order]], inner)


def test_the_nearest_free_record_is_taken():
    x = np.array([[0.0], [0.1], [5.0], [5.2], [9.0]])
    source = near_partners(x, np.array([3, 0, 1, 2, 4]), np.array([0, 5]), np.array([4]))
    assert source.tolist() == [1, 0, 3, 2, 4]
    ring = near_partners(x, np.array([3, 0, 1, 2, 4]), np.array([0, 5]), np.array([5]))
    assert sorted(ring) == [0, 1, 2, 3, 4] and (ring != np.arange(5)).all()


@given(st.lists(st.integers(1, 9), min_size=1, max_size=6), st.integers(0, 99))
def test_halves_exchange_rank_by_rank(sizes, seed):
    starts = np.concatenate([[0], np.cumsum(sizes)])
    values = generator(seed).permutation(starts[-1]).astype(float)
    order = generator(seed).permutation(starts[-1])
    source = half_swap(values, generator(seed), order, starts)
    assert np.array_equal(source[source], np.arange(starts[-1]))
    for b, size in enumerate(sizes):
        members = order[starts[b] : starts[b + 1]]
        pairs = {tuple(sorted((int(i), int(source[i])))) for i in members if source[i] != i}
        assert len(pairs) == size // 2
        # equal ranks of two sorted halves: the smaller ones of the pairs and the larger ones cannot cross twice
        lows = sorted(pairs, key=lambda p: min(values[list(p)]))
        first = [min(values[list(p)]) for p in lows]
        assert first == sorted(first)


def test_both_halves_are_random():
    """Every pair of four records is a pair of partners with the right probability; fails by chance once in ten million."""
    starts = np.arange(RUNS + 1) * 4
    values = np.tile(np.arange(4.0), RUNS)
    source = half_swap(values, generator(), np.arange(4 * RUNS), starts).reshape(RUNS, 4) - starts[:-1, None]
    # splits {01|23}, {02|13}, {03|12} in either order: 0 goes to 2, 1, 1
    times = np.bincount(source[:, 0], minlength=4)
    assert times[[0, 3]].sum() == 0
    expected = np.array([2, 1]) / 3 * RUNS
    assert ((times[[1, 2]] - expected) ** 2 / expected).sum() < chi2.isf(P_VALUE, 1)


@given(
    st.lists(st.lists(st.integers(0, 3), min_size=1, max_size=8), min_size=1, max_size=5), st.integers(0, 99)
)
@settings(max_examples=50)
def test_sorting_inside_blocks(blocks, seed):
    values = np.array([v for block in blocks for v in block])
    starts = np.concatenate([[0], np.cumsum([len(b) for b in blocks])])
    order = np.arange(len(values))
    assert sorted_within(values, order, starts).tolist() == [v for block in blocks for v in sorted(block)]
    assert values[ascending(values, order, starts)].tolist() == [v for block in blocks for v in sorted(block)]
    assert shared_within(values, order, starts).tolist() == [
        sum(block.count(v) > 1 for v in block) for block in blocks
    ]
    new = values.copy()
    rng = generator(seed)
    for a, b in zip(starts[:-1], starts[1:], strict=True):
        new[a:b] = rng.permutation(new[a:b])
    expected = []
    for a, b in zip(starts[:-1], starts[1:], strict=True):
        ordered = sorted(values[a:b].tolist())
        for was, now in zip(values[a:b], new[a:b], strict=True):
            here = [r for r, v in enumerate(ordered) if v == was]
            there = [r for r, v in enumerate(ordered) if v == now]
            expected.append(min(abs(r - s) for r in here for s in there))
    assert rank_distances(values, new, order, starts).tolist() == expected


def test_many_blocks_are_sorted_alike():
    rng = generator()
    values = rng.integers(0, 9, 6000)
    starts = np.arange(0, 6001, 2)
    assert len(starts) > 1000
    expected = np.sort(values.reshape(-1, 2), axis=1).ravel()
    assert np.array_equal(sorted_within(values, np.arange(6000), starts), expected)
    assert np.array_equal(values[ascending(values, np.arange(6000), starts)], expected)


def test_mid_ranks():
    assert mid_ranks(np.array([5, 1, 5, 2])).tolist() == [3.5, 1, 3.5, 2]


@given(
    st.lists(st.tuples(st.integers(0, 2), st.integers(0, 3), st.booleans()), min_size=1, max_size=40),
    st.integers(0, 99),
)
def test_partners_live_in_other_regions_of_the_group(units, seed):
    group, region, seeks = (np.array(part) for part in zip(*units, strict=True))
    order = np.lexsort((region, group))
    present = np.unique(group)
    starts = np.searchsorted(group[order], np.append(present, 99))
    free = np.ones(len(units), dtype=bool)
    partner = region_partners(order, starts, region, seeks.astype(bool), free, len(units), generator(seed))
    has = partner >= 0
    assert np.array_equal(partner[partner[has]], np.flatnonzero(has))
    assert np.array_equal(group[partner[has]], group[has])
    assert (region[partner[has]] != region[has]).all()
    assert np.array_equal(free, ~has)
    for i in np.flatnonzero(seeks & ~has):  # nobody was left over whom it could have taken
        assert not (~has & (group == group[i]) & (region != region[i])).any()


def test_a_partner_is_found_among_many_taken_ones():
    """One region of 2,000 and one of 1,999: the lists run empty and are made anew."""
    region = np.repeat([0, 1], [2000, 1999])
    free = np.ones(3999, dtype=bool)
    partner = region_partners(
        np.arange(3999), np.array([0, 3999]), region, np.ones(3999, dtype=bool), free, 3999, generator()
    )
    assert np.count_nonzero(partner < 0) == 1


def test_no_more_than_asked_for():
    region = np.arange(100) % 2
    order = np.argsort(region, kind="stable")
    seeks, free = np.ones(100, dtype=bool), np.ones(100, dtype=bool)
    partner = region_partners(order, np.array([0, 100]), region, seeks, free, 10, generator())
    assert np.count_nonzero(partner >= 0) == 10
