import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from reference import moments as reference
from tarnkappe.kernels.moments import guarded_quantiles, moments, pearson, ranks, relative_error, spearman

NAN = math.nan
small = st.integers(-50, 50).map(lambda v: v / 4) | st.just(NAN)


def close(found, expected):
    return np.allclose(found, expected, rtol=1e-9, atol=1e-12, equal_nan=True)


@given(st.lists(st.tuples(small, st.integers(0, 5)), max_size=30), st.booleans())
def test_moments_are_those_of_the_definition(cases, weighted):
    x = np.array([v for v, _ in cases], dtype=np.float64)
    w = np.array([u for _, u in cases], dtype=np.float64) if weighted else None
    assert close(moments(x, w), reference.moments(x, w))


@pytest.mark.parametrize("scale", [1e-308, 1e-160, 1e160, 1.7e307])
def test_squares_neither_overflow_nor_vanish(scale):
    x = np.array([-10.0, -2.0, 1.0, 3.0, 8.0])
    plain, scaled = moments(x), moments(x * scale)
    assert math.isclose(scaled.sd / scale, plain.sd, rel_tol=1e-6)
    assert math.isclose(scaled.mean / scale, plain.mean, rel_tol=1e-6, abs_tol=1e-9)
    assert math.isclose(scaled.skewness, plain.skewness, rel_tol=1e-6)
    assert math.isclose(scaled.excess, plain.excess, rel_tol=1e-6)


def test_a_large_offset_does_not_drown_the_spread():
    found = moments(1e9 + np.array([1.0, 2.0, 3.0, 4.0]))
    assert math.isclose(found.sd, math.sqrt(1.25), rel_tol=1e-9)
    assert abs(found.skewness) < 1e-6


@pytest.mark.parametrize("value", [0.1, -7.3, 1e300, 0.0, 5e-324])
def test_a_constant_is_its_own_mean_and_has_no_shape(value):
    found = moments(np.full(7, value))
    assert (found.n, found.mean, found.sd) == (7, value, 0.0)
    assert math.isnan(found.skewness)
    assert math.isnan(found.excess)


def test_rounding_noise_has_no_shape():
    assert math.isnan(moments(np.array([0.1 + 0.2, 0.3] * 9)).skewness)


def test_weights_count_like_copies():
    x, w = np.array([1.0, 5.0, 9.0, NAN]), np.array([3.0, 0.0, 1.0, 7.0])
    once, copied = moments(x, w), moments(np.array([1.0, 1.0, 1.0, 9.0]))
    assert once.n == 2
    assert close(once[1:], copied[1:])
    assert close(moments(x, w * 1e300)[1:], once[1:])


def test_nothing_observed_has_no_moments():
    for x, w in ((np.zeros(0), None), (np.full(3, NAN), None), (np.ones(3), np.zeros(3))):
        found = moments(x, w)
        assert found.n == 0
        assert all(math.isnan(v) for v in found[1:])


def test_relative_error_and_its_guard():
    assert relative_error(110.0, 100.0, 100.0) == (pytest.approx(0.1), False)
    assert relative_error(-90.0, -100.0, 100.0) == (pytest.approx(-0.1), False)
    assert relative_error(3.0, 0.0, 6.0) == (0.5, True)
    assert relative_error(3.0, 1e-13, 6.0) == (pytest.approx(0.5), True)
    assert relative_error(0.0, 0.0, 0.0) == (0.0, True)
    error, guarded = relative_error(1.0, NAN, 1.0)
    assert math.isnan(error)
    assert not guarded


# -- quantiles -------------------------------------------------------------------------------------------------------


def test_a_guarded_quantile_is_a_mean_of_three_neighbours():
    x = np.arange(101.0) ** 2
    assert guarded_quantiles(x, None, [0.5]) == [pytest.approx((49**2 + 50**2 + 51**2) / 3)]


@given(
    arrays(np.float64, st.integers(0, 40), elements=st.integers(0, 1000).map(float), unique=True),
    st.sampled_from([0.05, 0.25, 0.5, 0.75, 0.95]),
)
def test_a_guarded_quantile_never_tells_about_the_extremes(x, share):
    """Three records lie beyond on either side, and moving the outermost three moves nothing."""
    (found,) = guarded_quantiles(x, None, [share])
    if len(x) < 9:
        assert math.isnan(found)
    assume(not math.isnan(found))
    assert (x < found).sum() >= 4
    assert (x > found).sum() >= 4
    far = np.sort(x)
    far[:3] -= 10_000
    far[-3:] += 10_000
    assert guarded_quantiles(far, None, [share]) == [pytest.approx(found)]


def test_extreme_quantiles_of_few_records_are_not_shown():
    shown = [
        not math.isnan(q) for q in guarded_quantiles(np.arange(60.0), None, [0.05, 0.25, 0.5, 0.75, 0.95])
    ]
    assert shown == [False, True, True, True, False]


def test_weighted_quantiles_follow_the_weights():
    x, w = np.arange(100.0), np.ones(100)
    w[80:] = 20.0
    assert guarded_quantiles(x, w, [0.5])[0] > 80
    assert guarded_quantiles(x, np.ones(100), [0.5]) == guarded_quantiles(x, None, [0.5])


def test_huge_neighbours_do_not_overflow():
    assert guarded_quantiles(np.full(20, 1.7e308), None, [0.5]) == [pytest.approx(1.7e308)]


# -- correlations ----------------------------------------------------------------------------------------------------


@given(arrays(np.float64, st.tuples(st.integers(0, 12), st.integers(1, 3)), elements=small))
def test_correlations_are_those_of_the_definition(x):
    for fast, slow in ((pearson, reference.pearson), (spearman, reference.spearman)):
        p = x.shape[1]
        expected = [[slow(x[:, i], x[:, j]) for j in range(p)] for i in range(p)]
        assert np.allclose(fast(x), np.array(expected).reshape(p, p), rtol=1e-9, atol=1e-9, equal_nan=True)


def test_a_pair_needs_enough_records():
    x = np.array([[1.0, 2.0, NAN], [2.0, 1.0, 3.0], [4.0, 4.0, 5.0], [3.0, 7.0, 4.0]])
    assert np.isnan(pearson(x, least=4)).tolist() == [
        [False, False, True], [False, False, True], [True, True, True],
    ]  # fmt: skip


def test_a_column_correlates_with_itself_exactly():
    x = np.random.default_rng(0).normal(size=(50, 3))
    assert np.diag(pearson(x)).tolist() == [1.0, 1.0, 1.0]


@pytest.mark.parametrize("scale", [1e-300, 1e300])
def test_correlations_survive_any_scale(scale):
    x = np.random.default_rng(1).normal(size=(40, 2))
    assert np.allclose(pearson(x * scale), pearson(x))


def test_constants_up_to_rounding_have_no_correlation():
    x = np.column_stack([np.array([0.1 + 0.2, 0.3] * 5), np.arange(10.0)])
    assert math.isnan(pearson(x)[0, 1])
    assert math.isnan(pearson(x)[0, 0])


@given(st.lists(st.integers(-3, 3), max_size=20))
def test_ranks_are_those_of_the_definition(x):
    assert ranks(np.array(x, dtype=np.float64)).tolist() == reference.ranks(x)
