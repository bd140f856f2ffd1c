"""Groups on a sorted line against the obvious versions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reference import sorted_groups as reference
from tarnkappe.kernels.averages import group_averages, group_medians
from tarnkappe.kernels.sorted_groups import distant_groups, fixed_groups, optimal_groups

VALUES = st.lists(st.integers(-30, 30), min_size=1, max_size=14)


def one_block(n):
    return np.array([0, n])


@st.composite
def owned(draw):
    x = sorted(draw(VALUES))
    owners = draw(st.lists(st.integers(0, 5), min_size=len(x), max_size=len(x)))
    who = np.array(owners) if draw(st.booleans()) else np.arange(len(x))
    return np.array(x, dtype=float), who, draw(st.integers(1, 4))


@given(owned())
@settings(max_examples=150, deadline=None)
def test_fixed(case):
    x, who, k = case
    assert fixed_groups(who, one_block(len(x)), k).tolist() == reference.fixed(who.tolist(), k)


@given(owned())
@settings(max_examples=150, deadline=None)
def test_optimal_loses_least_of_all_partitions(case):
    x, who, k = case
    labels = optimal_groups(x[:, None], who, one_block(len(x)), k)
    least = reference.least_loss(x[:, None], who.tolist(), k)
    if least is None:
        assert (labels == -1).all()
        return
    groups = [x[labels == g] for g in range(labels.max() + 1)]
    assert all(len(set(who[labels == g])) >= k for g in range(labels.max() + 1))
    assert sum(map(reference.sse, groups)) == pytest.approx(least, abs=1e-9)
    assert (np.diff(labels) >= 0).all()


def test_optimal_over_several_columns():
    rng = np.random.default_rng(3)
    for n in (6, 9, 13):
        x = rng.normal(size=(n, 3))
        labels = optimal_groups(x, np.arange(n), one_block(n), 3)
        found = sum(reference.sse(x[labels == g]) for g in range(labels.max() + 1))
        assert found == pytest.approx(reference.least_loss(x, list(range(n)), 3))


def test_values_far_from_zero_are_not_lost_in_their_squares():
    x = np.array([1, 2, 3, 10, 11, 12, 13, 50, 51, 52]) * 1e-3 + 1e8
    labels = optimal_groups(x[:, None], np.arange(10), one_block(10), 3)
    assert labels.tolist() == [0] * 3 + [1] * 4 + [2] * 3


@given(
    st.lists(st.integers(1, 400), min_size=1, max_size=40),
    st.integers(1, 4),
    st.sampled_from([1.01, 1.05, 1.5]),
)
@settings(max_examples=150, deadline=None)
def test_distant(values, k, ratio):
    x = np.sort(np.array(values, dtype=float))[::-1].copy()
    labels = distant_groups(x, np.arange(len(x)), one_block(len(x)), k, ratio)
    expected = reference.distant(values, k, ratio)
    if not expected:
        assert (labels == -1).all()
        return
    assert [x[labels == g].tolist() for g in range(labels.max() + 1)] == expected


def test_blocks_are_treated_apart_and_small_ones_left():
    x = np.array([1.0, 2, 3, 7, 8, 1, 2, 3, 50, 51, 52])
    starts = np.array([0, 3, 5, 11])
    who = np.arange(11)
    assert fixed_groups(who, starts, 3).tolist() == [0] * 3 + [-1] * 2 + [1] * 3 + [2] * 3
    assert optimal_groups(x[:, None], who, starts, 3).tolist() == [0] * 3 + [-1] * 2 + [1] * 3 + [2] * 3
    down = np.concatenate([x[:3][::-1], x[3:5][::-1], x[5:][::-1]])
    assert distant_groups(down, who, starts, 3, 1.1).tolist() == [0] * 3 + [-1] * 2 + [1] * 3 + [2] * 3


def test_nothing_to_group():
    none = np.zeros(0, dtype=np.int64)
    assert len(fixed_groups(none, np.array([0]), 3)) == 0
    assert len(optimal_groups(np.zeros((0, 1)), none, np.array([0]), 3)) == 0


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=30), st.integers(1, 5))
@settings(max_examples=150, deadline=None)
def test_averages_lie_among_their_values_whatever_their_size(values, groups):
    x, labels = np.array(values)[:, None], np.arange(len(values)) % groups
    for pooled in (group_averages(x, labels), group_medians(x, labels)):
        for g in set(labels.tolist()):
            inside = x[labels == g, 0]
            assert len(set(pooled[labels == g, 0].tolist())) == 1
            quarter, slack = inside / 4, 1e-12 * np.abs(inside / 4).max() + 1e-300
            assert quarter.min() - slack <= pooled[labels == g, 0][0] / 4 <= quarter.max() + slack


def test_averages_and_medians():
    x = np.array([1.0, 2, 6, 10, 20, 5])[:, None]
    labels = np.array([0, 0, 0, 1, 1, -1])
    assert group_averages(x, labels)[:, 0].tolist() == [3, 3, 3, 15, 15, 5]
    assert group_medians(x, labels)[:, 0].tolist() == [2, 2, 2, 15, 15, 5]
    assert (group_averages(np.full((3, 1), 0.1), np.zeros(3, np.int64)) == 0.1).all()


@given(
    st.lists(st.tuples(st.integers(-20, 20), st.integers(1, 5), st.integers(-1, 2)), min_size=1, max_size=30)
)
@settings(max_examples=150, deadline=None)
def test_a_weight_of_w_is_w_equal_records(rows):
    """The same as every record w times, for means and medians; the unit of the weights does not matter."""
    x, w, labels = (np.array(part) for part in zip(*rows, strict=True))
    labels = np.unique(labels, return_inverse=True)[1] - (labels.min() < 0)
    values, weights = x[:, None].astype(float), w / 7
    often = np.repeat(np.arange(len(x)), w)
    for pooled in (group_averages, group_medians):
        expected = pooled(values[often], labels[often])
        np.testing.assert_allclose(pooled(values, labels, weights)[often], expected, rtol=1e-12, atol=1e-12)


def test_weighted_averages_do_not_overflow():
    x, weights = np.array([[1.7e308], [-1.7e308], [1.7e308]]), np.array([1e300, 1e-300, 1e300])
    labels = np.zeros(3, np.int64)
    assert group_averages(x, labels, weights)[:, 0].tolist() == [1.7e308] * 3
    assert group_medians(x, labels, weights)[:, 0].tolist() == [1.7e308] * 3
    assert (group_averages(np.full((3, 1), 0.1), labels, np.array([1.0, 2, 3])) == 0.1).all()
