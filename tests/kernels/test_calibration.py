"""Weights that meet totals, against iterative proportional fitting done by hand."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tarnkappe.kernels.calibration import calibrated, design


def proportional_fitting(weights, classes, totals):
    """Raking as taught: scale to one margin after the other until nothing moves."""
    w = weights.copy()
    for _ in range(200):
        for (ids, count), want in zip(classes, totals, strict=True):
            for c in range(count):
                w[ids == c] *= want[c] / w[ids == c].sum()
    return w


@settings(max_examples=20)
@given(st.integers(0, 2**32 - 1))
def test_raking_is_iterative_proportional_fitting(seed):
    draw = np.random.default_rng(seed)
    first, second = np.arange(60) % 3, draw.permutation(np.arange(60) % 4)
    weights = draw.uniform(0.5, 3, 60)
    other = weights * draw.uniform(0.7, 1.5, 60)  # totals that surely can be met
    classes = [(first, 3), (second, 4)]
    totals = [np.bincount(ids, other, count) for ids, count in classes]
    found = calibrated(weights, design(classes, []), np.concatenate(totals))
    slow = proportional_fitting(weights, classes, totals)
    np.testing.assert_allclose(found, slow, rtol=1e-5)


@given(st.integers(0, 2**32 - 1), st.floats(1e-6, 1e6))
def test_sums_are_met_at_any_size(seed, size):
    draw = np.random.default_rng(seed)
    ids = draw.integers(0, 3, 80)
    values = draw.normal(0, size, 80)
    weights = draw.uniform(0.5, 3, 80)
    other = weights * draw.uniform(0.7, 1.5, 80)
    rows = design([(ids, 3)], [values])
    found = calibrated(weights, rows, rows.T @ other)
    assert (found > 0).all()
    np.testing.assert_allclose(np.bincount(ids, found, 3), np.bincount(ids, other, 3), rtol=1e-6)
    assert abs(found @ values - other @ values) <= 1e-6 * (np.abs(values) @ other)


def test_gaps_keep_their_weight_and_count_nowhere():
    ids = np.array([0, 0, 1, -1])
    found = calibrated(np.ones(4), design([(ids, 2)], []), np.array([6.0, 2.0]))
    np.testing.assert_allclose(found, [3, 3, 2, 1])


@pytest.mark.parametrize(
    "totals",
    [
        pytest.param([3.0, 1.0], id="a class without records"),
        pytest.param([0.0, 0.0], id="nothing is left"),
    ],
)
def test_what_no_weights_give_is_not_invented(totals):
    assert calibrated(np.ones(2), design([(np.zeros(2, dtype=int), 2)], []), np.array(totals)) is None


def test_a_negative_sum_of_positive_values_is_not_met():
    assert calibrated(np.ones(3), design([], [np.array([1.0, 2.0, 3.0])]), np.array([-1.0])) is None
