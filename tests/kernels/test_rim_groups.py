"""Multivariate groups against the obvious versions; owners; k-Ward; blocks; robust scatter; mixed records."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reference import mdav as reference_mdav
from reference import rim_groups as reference
from tarnkappe.kernels.clusters import centre_clusters
from tarnkappe.kernels.mixed_groups import Mixed, medoids, mixed_groups_within
from tarnkappe.kernels.neighbour_blocks import neighbour_blocks
from tarnkappe.kernels.partition import same_partition
from tarnkappe.kernels.rim_groups import ABSORB, BOTH, CENTRE, PAIR, rim_groups, rim_groups_within
from tarnkappe.kernels.robust import core_scatter, covariance, main_axis, pursuit_axis, whitening
from tarnkappe.kernels.ward import ward_groups

RNG = np.random.default_rng(11)


def clouds():
    for n, p, k in ((3, 1, 3), (7, 2, 3), (20, 2, 3), (22, 2, 3), (61, 3, 4), (120, 2, 5), (90, 1, 2)):
        yield RNG.normal(size=(n, p)), k
        yield np.exp(2 * RNG.normal(size=(n, p))), k
        yield RNG.integers(5, size=(n, p)).astype(float), k


def test_same_groups_as_with_every_distance():
    for x, k in clouds():
        who = np.arange(len(x))
        absorbed = partial(reference.pair, absorb=True)
        for way, plain in ((CENTRE, reference.centre), (PAIR, reference.pair), (ABSORB, absorbed)):
            expected = reference.labels(plain(x, k)[0], len(x))
            assert np.array_equal(rim_groups(x, who, k, way, 0.0), expected), (way, len(x), k)
        assert np.array_equal(rim_groups(x, who, k, BOTH, 0.0), reference_mdav.mdav_groups(x, k))


def test_larger_clouds_sort_their_rim_anew():
    x = np.exp(RNG.normal(size=(1500, 3)))
    expected = reference.labels(reference.centre(x, 3)[0], len(x))
    assert np.array_equal(rim_groups(x, np.arange(len(x)), 3, CENTRE, 0.0), expected)


@given(
    st.lists(st.integers(0, 9), min_size=4, max_size=60),
    st.integers(2, 4),
    st.sampled_from([CENTRE, PAIR, BOTH, ABSORB]),
)
@settings(max_examples=80, deadline=None)
def test_every_group_has_k_owners(owners, k, way):
    who = np.unique(owners, return_inverse=True)[1]
    x = np.random.default_rng(len(owners)).integers(6, size=(len(who), 2)).astype(float)
    groups = rim_groups_within(x, who, np.arange(len(who)), np.array([0, len(who)]), k, way, 0.3)
    if len(set(owners)) < k:
        assert (groups == -1).all()
        return
    for g in range(groups.max() + 1):
        assert len(set(who[groups == g])) >= k
    wards = ward_groups(x, who, k)
    assert all(len(set(who[wards == g])) >= k for g in range(wards.max() + 1))


def test_an_owner_of_many_records_does_not_fill_groups_alone():
    """More neighbours of one owner than the list of the tree holds."""
    x = np.vstack(
        [np.zeros((3000, 1)) + 1e-3 * np.arange(3000)[:, None], [[50.0], [60.0], [70.0], [80.0], [90.0]]]
    )
    who = np.r_[np.zeros(3000, np.int64), 1:6]
    groups = rim_groups(x, who, 3, BOTH, 0.0)
    assert all(len(set(who[groups == g])) >= 3 for g in range(groups.max() + 1))


def test_groups_grow_only_towards_near_records():
    """V-MDAV: four heaps of four, k = 3: with gain each heap is one group; without, records are torn from theirs."""
    heaps = np.array([[0, 0], [0, 40], [40, 0], [40, 40]])
    x = np.vstack([h + np.array([[0, 0], [0, 1], [1, 0], [1, 1]]) for h in heaps]).astype(float)
    grown = rim_groups(x, np.arange(16), 3, CENTRE, 1.1)
    assert same_partition(grown, np.repeat(np.arange(4), 4))
    plain = rim_groups(x, np.arange(16), 3, CENTRE, 0.0)
    assert not same_partition(plain, np.repeat(np.arange(4), 4))
    sizes = np.bincount(rim_groups(RNG.normal(size=(500, 2)), np.arange(500), 4, CENTRE, 5.0))
    assert sizes.min() >= 4
    assert sizes.max() <= 7


def test_a_group_takes_a_record_that_is_nearer_than_gain_times_the_others():
    """8 lies 6 from the group {0, 1, 2} and 10 from the nearest other record: taken with 0.7, not with 0.5."""
    x = np.array([0.0, 1, 2, 8, 18, 19, 20, 21, 22])[:, None]
    for gain, taken in ((0.5, False), (0.59, False), (0.61, True), (0.7, True)):
        groups = rim_groups(x, np.arange(9), 3, CENTRE, gain)
        assert bool(groups[3] == groups[0]) is taken


def test_ward_counts_the_sizes_of_clusters():
    """10.8 is nearer to the mean of {0, 1, 2}, but joining {20.5, 21.5} adds less to the sum of squares: 69.4 against 72.0."""
    x = np.array([0.0, 1, 2, 10.8, 20.5, 21.5, 36, 37, 38])[:, None]
    assert same_partition(ward_groups(x, np.arange(9), 3), np.repeat(np.arange(3), 3))


def test_ward_finds_heaps_of_different_sizes():
    sizes = (3, 5, 4, 3, 4)
    x = np.vstack([100 * i + RNG.random((s, 2)) for i, s in enumerate(sizes)])
    found = ward_groups(x, np.arange(len(x)), 3)
    assert same_partition(found, np.repeat(np.arange(5), sizes))


def test_ward_never_keeps_a_group_that_could_be_two():
    for n in (3, 5, 6, 11, 100, 400):
        for make in (RNG.normal, RNG.standard_cauchy):
            sizes = np.bincount(ward_groups(make(size=(n, 2)), np.arange(n), 3))
            assert sizes.min() >= 3
            assert sizes.max() <= 5


def test_ward_with_all_records_alike():
    assert np.bincount(ward_groups(np.zeros((30, 2)), np.arange(30), 3)).min() >= 3


def test_blocks_of_neighbours():
    x = RNG.normal(size=(1000, 2))
    order = np.argsort(RNG.integers(3, size=1000), kind="stable")
    starts = np.array([0, 300, 301, 1000])
    rows, cuts = neighbour_blocks(x, np.arange(1000), order, starts, 3, 50)
    sizes = np.diff(cuts)
    assert set(starts) <= set(cuts)
    assert sizes.max() <= 50
    assert set(rows[:300]) == set(order[:300])
    assert sorted(rows) == list(range(1000))
    alone, cut = neighbour_blocks(x, np.zeros(1000, np.int64), order, starts, 3, 50)
    assert cut.tolist() == starts.tolist()
    assert sorted(alone) == list(range(1000))


@pytest.mark.parametrize("axis", [pursuit_axis, lambda x: main_axis(core_scatter(x))])
def test_a_tenth_of_wild_records_does_not_turn_the_axis(axis):
    x = RNG.normal(size=(2000, 3)) * [1.0, 5.0, 1.0]
    x[:200] += [300.0, 0.0, 0.0]
    assert abs(main_axis(covariance(x))[0]) > 0.99
    assert abs(axis(x)[1]) > 0.98


def test_scatter_of_few_or_flat_points():
    assert np.isfinite(whitening(core_scatter(np.zeros((50, 2))))).all()
    assert np.isfinite(pursuit_axis(np.zeros((5, 2)))).all()
    flat = np.outer(np.arange(50.0), [1.0, 2.0])
    z = flat @ whitening(core_scatter(flat))
    assert np.isfinite(z).all()
    assert np.isfinite(core_scatter(flat[:2])).all()


def test_whitening_makes_the_scatter_round():
    x = RNG.normal(size=(500, 3)) @ RNG.normal(size=(3, 3))
    w = whitening(covariance(x))
    np.testing.assert_allclose(covariance(x @ w), np.eye(3), atol=1e-9)


def test_clusters_have_k_contributors():
    x = np.vstack([RNG.normal(size=(40, 2)), 50 + RNG.normal(size=(40, 2)), [[900.0, 900.0]]])
    part = centre_clusters(x, np.arange(81), 3, 3)
    assert np.bincount(part).min() >= 3
    assert len(set(part[:40])) == 1 or len(set(part)) <= 3
    assert part[0] != part[45]
    assert len(set(centre_clusters(x, np.zeros(81, np.int64), 3, 3))) == 1


def mixed(n, seed):
    rng = np.random.default_rng(seed)
    return Mixed(
        rng.integers(4, size=(n, 1)) / 4.0,
        rng.integers(3, size=(n, 2)).astype(np.int32),
        np.array([1.0, 0.5]),
        np.zeros((1, 1, 1)),
        np.full(2, -1),
    )


def gower(x, i, number, code):
    return np.abs(x.numbers[i] - number).sum() + x.weights[x.codes[i] != code].sum()


def plain_mixed(x, k):
    """MDAV with means and most frequent codes."""
    n = len(x.codes)
    labels, left, group = np.full(n, -1), list(range(n)), 0

    def farthest(number, code):
        return max(left, key=lambda i: (gower(x, i, number, code), -i))

    def take(centre):
        near = sorted(left, key=lambda i: (gower(x, i, x.numbers[centre], x.codes[centre]), i))[:k]
        labels[near] = group
        return [i for i in left if i not in near]

    while len(left) >= 2 * k:
        modes = np.array([np.bincount(c).argmax() for c in x.codes[left].T])
        r = farthest(x.numbers[left].sum(axis=0) / len(left), modes)
        s = farthest(x.numbers[r], x.codes[r])
        left = take(r)
        group += 1
        if len(left) >= 2 * k:
            left = take(s)
            group += 1
    labels[left] = group
    return labels


@pytest.mark.parametrize("n", [3, 6, 7, 25, 60])
def test_mixed_groups_as_with_every_distance(n):
    for k in (2, 3):
        x = mixed(n, n)
        found = mixed_groups_within(x, np.arange(n), np.arange(n), np.array([0, n]), k)
        assert np.array_equal(found, plain_mixed(x, k))
        for g in range(found.max() + 1):
            rows = np.flatnonzero(found == g)
            sums = [sum(gower(x, j, x.numbers[i], x.codes[i]) for j in rows) for i in rows]
            assert set(medoids(x, found, np.ones(len(found)))[rows]) == {
                rows[int(np.argmin(np.round(sums, 12)))]
            }
