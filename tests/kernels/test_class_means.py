import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tarnkappe.kernels.class_means import class_means, rounded_quantiles

numbers = st.floats(allow_nan=False, allow_infinity=False)


@given(st.lists(st.tuples(numbers, st.integers(0, 3)), min_size=1, max_size=40))
def test_means_lie_in_their_class_and_are_means(pairs):
    values = np.array([v for v, _ in pairs])
    _, ids = np.unique([i for _, i in pairs], return_inverse=True)
    means = class_means(values, ids, int(ids.max()) + 1)
    for number, mean in enumerate(means):
        members = values[ids == number]
        assert members.min() <= mean <= members.max()
        scale = np.abs(values).max()
        assert abs(mean / 4 - np.mean(members / 4)) <= 1e-12 * scale


def test_a_constant_class_keeps_its_value_exactly():
    assert class_means(np.full(3, 0.1), np.zeros(3, dtype=np.int64), 1)[0] == 0.1


@pytest.mark.parametrize("count", [2, 3, 4, 10])
def test_limits_part_the_values_about_equally(count):
    values = np.exp(np.random.default_rng(1).normal(8, 1, 5000))
    limits = rounded_quantiles(values, count)
    sizes = np.bincount(np.searchsorted(limits, values, side="right"))
    assert len(sizes) == count
    assert sizes.min() > 5000 / count / 2
    assert not set(limits) & set(values)


def test_limits_are_rounded_to_the_leading_digit_of_their_distance():
    values = np.array([18_345.67, 21_000.11, 25_010.99, 31_234.56, 36_777.77, 41_000.13, 52_345.6, 60_000.1])
    for limit in rounded_quantiles(values, 4):
        assert limit % 1000 == 0


def test_limits_of_years_are_whole_years():
    assert all(limit.is_integer() for limit in rounded_quantiles(np.arange(2001.0, 2021.0), 4))


def test_equal_values_give_one_limit():
    assert rounded_quantiles(np.full(9, 7.0), 4) == [7.0]
