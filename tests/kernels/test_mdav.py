"""MDAV against the version of the paper, on every kind of data we could think of."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from reference import mdav as reference
from tarnkappe.kernels.mdav import group_means, mdav_groups, mdav_within
from tarnkappe.kernels.shrinking_tree import centroid, farthest, nearest, plant, remove

MAKERS = {
    "normal": lambda rng, n, p: rng.normal(size=(n, p)),
    "skewed": lambda rng, n, p: np.exp(2.5 * rng.normal(size=(n, p))),
    "clusters": lambda rng, n, p: 50 * rng.integers(4, size=(n, 1)) + rng.normal(size=(n, p)),
    "duplicates": lambda rng, n, p: (
        1.0 * rng.integers(-999, 999, (n // 5 + 1, p))[rng.integers(n // 5 + 1, size=n)]
    ),
    "one outlier": lambda rng, n, p: np.vstack([rng.normal(size=(n - 1, p)), np.full((1, p), 1e8)]),
    "zeros and a few": lambda rng, n, p: rng.exponential(size=(n, p)) * (rng.random((n, p)) < 0.2),
    "line": lambda rng, n, p: np.outer(rng.permutation(n).astype(float), np.ones(p)),
    "lattice": lambda rng, n, p: rng.integers(5, size=(n, p)).astype(float),
    "two values": lambda rng, n, p: rng.integers(2, size=(n, p)).astype(float),
    "constant": lambda rng, n, p: np.full((n, p), 3.0),
    "one constant column": lambda rng, n, p: np.hstack([np.zeros((n, 1)), rng.normal(size=(n, p))])[:, :p],
}
"""Duplicates and lattices have whole coordinates, so that sums are exact and ties are ties for both versions."""


def sizes(labels):
    return np.unique(labels, return_counts=True)[1]


@pytest.mark.parametrize("make", MAKERS, ids=str)
@pytest.mark.parametrize("p", range(1, 7))
def test_same_groups_as_the_paper(make, p):
    rng = np.random.default_rng(100 + p)
    for k in range(1, 8):
        for n in (k, 2 * k - 1, 2 * k, 3 * k - 1, 3 * k, 3 * k + 1, int(rng.integers(4 * k, 160))):
            x = np.ascontiguousarray(MAKERS[make](rng, n, p))
            assert np.array_equal(mdav_groups(x, k), reference.mdav_groups(x, k)), (make, n, p, k)


@pytest.mark.parametrize("make", MAKERS, ids=str)
def test_same_groups_as_the_paper_on_larger_data(make):
    """Large enough that the list of the rim runs out, is asked again and gives way to the tree."""
    rng = np.random.default_rng(7)
    for n, p, k in ((400, 2, 3), (1500, 3, 4)):
        x = np.ascontiguousarray(MAKERS[make](rng, n, p))
        assert np.array_equal(mdav_groups(x, k), reference.mdav_groups(x, k)), (make, n)


@given(
    st.integers(1, 3).flatmap(
        lambda p: st.integers(1, 40).flatmap(
            lambda n: arrays(np.float64, (n, p), elements=st.integers(-3, 3).map(float))
        )
    ),
    st.integers(1, 7),
)
@settings(max_examples=150, deadline=None)
def test_ties_go_to_the_smaller_index(x, k):
    k = min(k, len(x))
    labels = mdav_groups(x, k)
    assert np.array_equal(labels, reference.mdav_groups(x, k))
    assert sizes(labels).min() >= k
    assert sizes(labels).max() <= 2 * k - 1
    assert set(labels) == set(range(labels.max() + 1))


def test_one_record_and_groups_of_one():
    assert mdav_groups(np.zeros((1, 1)), 1).tolist() == [0]
    assert sorted(mdav_groups(np.arange(5.0).reshape(-1, 1), 1)) == [0, 1, 2, 3, 4]


def test_distances_that_are_too_small_or_too_large_to_square():
    """Squares that vanish or overflow make every record equally far; groups still have the right size."""
    for scale in (1e-200, 1e200):
        x = scale * np.random.default_rng(1).random((50, 2))
        labels = mdav_groups(x, 4)
        assert sizes(labels).min() >= 4
        assert sizes(labels).max() <= 7


def test_the_input_is_left_alone():
    x = np.random.default_rng(1).random((60, 2))
    was = x.copy()
    mdav_groups(x, 3)
    group_means(x, mdav_groups(x, 3))
    assert np.array_equal(x, was)


@given(st.lists(st.integers(0, 4), min_size=1, max_size=60), st.integers(1, 5))
@settings(max_examples=80, deadline=None)
def test_strata_are_grouped_apart(strata, k):
    """As if every stratum were a file of its own; strata below k records stay alone."""
    strata = np.array(strata)
    x = np.random.default_rng(len(strata)).integers(4, size=(len(strata), 2)).astype(float)
    order = np.argsort(strata, kind="stable")
    starts = np.searchsorted(strata[order], np.arange(6))
    labels = mdav_within(x, order, starts, k)
    for stratum in range(5):
        inside = np.flatnonzero(strata == stratum)
        if len(inside) < k:
            assert (labels[inside] == -1).all()
            continue
        assert np.array_equal(labels[inside] - labels[inside].min(), reference.mdav_groups(x[inside], k))
    used = labels[labels >= 0]
    assert set(used) == set(range(len(set(used)))), "numbers of groups have a gap or two strata share one"


def test_no_strata_at_all():
    assert mdav_within(np.zeros((0, 2)), np.zeros(0, np.int64), np.zeros(1, np.int64), 3).tolist() == []


# -- means ----------------------------------------------------------------------------------------------------------


def test_means_are_those_of_the_groups():
    rng = np.random.default_rng(3)
    x = rng.normal(size=(300, 3))
    labels = rng.integers(-1, 60, size=300)
    got = group_means(x, labels)
    np.testing.assert_allclose(got, reference.group_means(x, labels), rtol=1e-12, atol=1e-12)
    assert np.array_equal(got[labels < 0], x[labels < 0])


def test_a_constant_group_keeps_its_value_to_the_bit():
    x = np.full((7, 1), 0.1)
    assert (group_means(x, np.zeros(7, np.int64)) == 0.1).all()


def test_all_of_a_group_get_the_same_bits():
    x = np.random.default_rng(4).random((5000, 2))
    labels = mdav_groups(x, 3)
    means = group_means(x, labels)
    for g in range(0, labels.max() + 1, 50):
        assert len(np.unique(means[labels == g], axis=0)) == 1


def test_means_of_nothing():
    assert group_means(np.zeros((0, 2)), np.zeros(0, np.int64)).shape == (0, 2)


# -- the tree -------------------------------------------------------------------------------------------------------


@given(st.integers(1, 120), st.integers(1, 4), st.integers(0, 2**32 - 1), st.booleans())
@settings(max_examples=80, deadline=None)
def test_the_tree_answers_as_a_scan(n, p, seed, ties):
    """Points are taken away at random; after each the farthest, the nearest and the mean are those of a scan."""
    rng = np.random.default_rng(seed)
    x = rng.integers(3, size=(n, p)).astype(float) if ties else rng.normal(size=(n, p))
    tree, left = plant(x), list(range(n))
    mean = np.empty(p)
    while left:
        c = x[int(rng.integers(n))] if ties else rng.normal(size=p)
        d = reference._squared(x, left, c)
        assert farthest(tree, c) == left[int(np.argmax(d))]
        k = int(rng.integers(1, 6))
        found, distances = np.empty(k, np.int64), np.empty(k)
        have = nearest(tree, c, found, distances)
        assert have == min(k, len(left))
        order = np.argsort(d, kind="stable")[:have]
        assert found[:have].tolist() == [left[i] for i in order]
        assert np.array_equal(distances[:have], d[order])
        centroid(tree, mean)
        np.testing.assert_allclose(mean, x[left].mean(axis=0), atol=1e-12)
        for i in rng.permutation(left)[: int(rng.integers(1, 9))].tolist():
            remove(tree, i)
            left.remove(i)
    assert farthest(tree, x[0]) == -1
    assert nearest(tree, x[0], np.empty(2, np.int64), np.empty(2)) == 0
