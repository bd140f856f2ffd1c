"""Kernels of the numeric measures of utility against second, independent computations."""

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st

from tarnkappe.kernels.covariances import correlations, covariances
from tarnkappe.kernels.displacement import displacement, lengths
from tarnkappe.kernels.distribution_distance import both_steps, hellinger, kolmogorov_smirnov, wasserstein
from tarnkappe.kernels.estimates import Estimate, mean_estimate, overlap, sd_estimate
from tarnkappe.kernels.group_figures import class_of, group_figures, weighted_cuts
from tarnkappe.kernels.inequality import gini, gini_interval, lorenz, lorenz_distance, theil
from tarnkappe.kernels.main_axes import compared_eigenvalues, leading
from tarnkappe.kernels.panel import consecutive, growth

RNG = np.random.default_rng(20261116)
SEEDS = st.integers(0, 2**32 - 1)


def drawn(seed, n=40):
    rng = np.random.default_rng(seed)
    x, y = rng.integers(-5, 9, n).astype(float), rng.normal(size=n + 7)
    y[::5] = np.round(y[::5])
    return x, rng.uniform(0.1, 3, len(x)), y, rng.uniform(0.1, 3, len(y))


# -- distances of distributions -----------------------------------------------------------------------------------------


@given(SEEDS)
@settings(max_examples=30, deadline=None)
def test_distances_of_distributions_against_scipy(seed):
    x, v, y, w = drawn(seed)
    values, f, g = both_steps(x, None, y, None)
    assert kolmogorov_smirnov(f, g) == pytest.approx(scipy.stats.ks_2samp(x, y, method="asymp").statistic)
    assert wasserstein(values, f, g) == pytest.approx(scipy.stats.wasserstein_distance(x, y))
    values, f, g = both_steps(x, v, y, w)
    assert wasserstein(values, f, g) == pytest.approx(scipy.stats.wasserstein_distance(x, y, v, w))
    by_hand = max(abs(v[x <= t].sum() / v.sum() - w[y <= t].sum() / w.sum()) for t in np.concatenate([x, y]))
    assert kolmogorov_smirnov(f, g) == pytest.approx(by_hand)


@given(SEEDS)
@settings(max_examples=20, deadline=None)
def test_weights_count_like_copies_of_records(seed):
    x, _, y, _ = drawn(seed)
    times = np.random.default_rng(seed).integers(1, 4, len(x))
    copies = both_steps(np.repeat(x, times), None, y, None)
    for ours, theirs in zip(both_steps(x, times.astype(float), y, None), copies, strict=True):
        np.testing.assert_allclose(ours, theirs)
    assert gini(np.abs(x) + 1, times.astype(float)) == pytest.approx(gini(np.repeat(np.abs(x) + 1, times)))
    assert theil(np.abs(x) + 1, times.astype(float)) == pytest.approx(theil(np.repeat(np.abs(x) + 1, times)))


def test_equal_distributions_have_no_distance_at_all():
    x, v, *_ = drawn(3, 1001)
    order = RNG.permutation(len(x))
    values, f, g = both_steps(x, None, x[order], None)
    assert (kolmogorov_smirnov(f, g), wasserstein(values, f, g), hellinger(f, g)) == (0, 0, 0)
    values, f, g = both_steps(x, v, x, v)
    assert (kolmogorov_smirnov(f, g), wasserstein(values, f, g), hellinger(f, g)) == (0, 0, 0)


def test_distributions_without_a_common_value_are_as_far_apart_as_can_be():
    values, f, g = both_steps(np.arange(100.0), None, np.arange(100.0) + 500, None)
    assert kolmogorov_smirnov(f, g) == 1
    assert hellinger(f, g) == pytest.approx(1)
    assert hellinger(g, f) == pytest.approx(1)
    assert wasserstein(values, f, g) == pytest.approx(500)


def test_hellinger_by_hand():
    x, y = np.repeat([0.0, 1.0], [50, 50]), np.repeat([0.0, 1.0], [80, 20])
    _, f, g = both_steps(x, None, y, None)
    by_hand = np.sqrt(((np.sqrt([0.5, 0.5]) - np.sqrt([0.8, 0.2])) ** 2).sum() / 2)
    assert hellinger(f, g) == pytest.approx(by_hand)


# -- inequality ----------------------------------------------------------------------------------------------------------


def test_gini_by_mean_difference_and_theil_by_definition():
    x = RNG.lognormal(1, 1, 300)
    mean_difference = np.abs(x[:, None] - x[None, :]).mean()
    assert gini(x) == pytest.approx(mean_difference / 2 / x.mean())
    ratio = x / x.mean()
    assert theil(x) == pytest.approx((ratio * np.log(ratio)).mean())
    assert theil(np.array([0.0, 2.0])) == pytest.approx(np.log(2))
    assert theil(np.full(9, 3.0)) == 0


def test_undefined_inequality():
    assert np.isnan(gini(np.array([-1.0, 1.0])))
    assert np.isnan(gini(np.zeros(5)))
    assert np.isnan(theil(np.array([-1.0, 5.0])))
    assert gini(np.array([-1.0, 3.0])) == pytest.approx(1.0)


def test_lorenz_distance_by_hand():
    equal, one = lorenz(np.ones(4), None), lorenz(np.array([0, 0, 0, 1.0]), None)
    assert lorenz_distance(equal, one) == pytest.approx(0.75)
    assert lorenz_distance(one, one) == 0


def test_bootstrap_interval_covers_and_repeats():
    x = RNG.lognormal(0, 1, 2000)
    low, high = gini_interval(x, None, 0.95)
    assert low < gini(x) < high
    assert (low, high) == gini_interval(x[RNG.permutation(2000)], None, 0.95)
    assert gini_interval(x, None, 0.5)[0] > low


def test_grouped_bootstrap_is_that_of_single_records(monkeypatch):
    x = RNG.pareto(2.5, 20_000) + 1
    grouped = gini_interval(x, None, 0.95)
    monkeypatch.setattr("tarnkappe.kernels.inequality.GROUPS", 20_000)
    single = gini_interval(x, None, 0.95)
    assert grouped == pytest.approx(single, rel=0.01)
    assert grouped[1] - grouped[0] == pytest.approx(single[1] - single[0], rel=0.25)


# -- covariances and axes ------------------------------------------------------------------------------------------------


def test_covariances_of_available_pairs():
    x = RNG.normal(size=(60, 4)) @ RNG.normal(size=(4, 4)) + 5
    w = RNG.uniform(0.5, 2, 60)
    np.testing.assert_allclose(covariances(x), np.cov(x.T, bias=True))
    np.testing.assert_allclose(covariances(x, w), np.cov(x.T, aweights=w, bias=True))
    np.testing.assert_allclose(correlations(x, w), np.cov(x.T, aweights=w) / _product(x, w))
    x[RNG.random(x.shape) < 0.2] = np.nan
    w[:3] = 0
    found = covariances(x, w, 5)
    for i in range(4):
        for j in range(4):
            both = ~np.isnan(x[:, i]) & ~np.isnan(x[:, j]) & (w > 0)
            by_hand = np.cov(x[both, i], x[both, j], aweights=w[both], bias=True)[0, 1]
            assert found[i, j] == pytest.approx(by_hand)
    assert np.isnan(covariances(x[:4], None, 5)).all()
    assert np.isnan(covariances(x[:0])).all()


def _product(x, w):
    sd = np.sqrt(np.diag(np.cov(x.T, aweights=w)))
    return np.outer(sd, sd)


def test_constant_columns_have_no_correlation():
    x = np.column_stack([np.full(20, 3.3), RNG.normal(size=20)])
    assert np.isnan(correlations(x)[0]).all()
    assert correlations(x)[1, 1] == 1


def test_turned_axes():
    a = np.diag([3.0, 1.0])
    turn = np.array([[np.cos(0.3), -np.sin(0.3)], [np.sin(0.3), np.cos(0.3)]])
    one, two = leading(a, 1), leading(turn @ a @ turn.T, 1)
    assert np.arccos(abs(one.T @ two)).item() == pytest.approx(0.3)


def test_eigenvalues_near_zero_are_guarded():
    found = compared_eigenvalues(np.ones((2, 2)), np.eye(2))
    assert found.guarded == 1
    assert found.absolute == pytest.approx(2)
    assert found.relative == pytest.approx(1 / 2 + 1)


# -- estimates -----------------------------------------------------------------------------------------------------------


def test_interval_of_a_mean_against_scipy():
    x = RNG.normal(5, 2, 200)
    found = mean_estimate(x, None, 0.9)
    assert found[1:] == pytest.approx(scipy.stats.norm.interval(0.9, x.mean(), scipy.stats.sem(x)))
    same = mean_estimate(x, np.full(200, 7.0), 0.9)
    assert same == pytest.approx(found)


@pytest.mark.parametrize("estimate", [mean_estimate, sd_estimate])
def test_intervals_cover(estimate):
    """300 normal samples of 80: a share of 0.95 ± 4 standard errors (0.0126) is covered."""
    rng = np.random.default_rng(5)
    truth = {"mean_estimate": 3.0, "sd_estimate": 2.0}[estimate.__name__]
    hits = [estimate(rng.normal(3, 2, 80), None, 0.95).holds(truth) for _ in range(300)]
    assert np.mean(hits) == pytest.approx(0.95, abs=0.05)


def test_weighted_intervals_cover():
    """The mean of a population from samples drawn with unequal probabilities."""
    rng, hits = np.random.default_rng(6), []
    population = rng.lognormal(0, 0.5, 20_000)
    chance = population / population.sum()
    for _ in range(300):
        at = rng.choice(20_000, 200, p=chance)
        hits.append(mean_estimate(population[at], 1 / chance[at], 0.95).holds(population.mean()))
    assert np.mean(hits) == pytest.approx(0.95, abs=0.05)


def test_overlap_without_width():
    point = Estimate(1, 1, 1)
    assert overlap(point, point) == 1
    assert np.isnan(overlap(point, Estimate(1, 0, 2)))
    assert np.isnan(overlap(Estimate(1, np.nan, np.nan), Estimate(1, np.nan, np.nan)))
    a, b = Estimate(1, 0, 4), Estimate(1, 3, 9)
    assert overlap(a, b) == overlap(b, a)


# -- displacement --------------------------------------------------------------------------------------------------------


def test_displacement_by_hand():
    x, y = np.array([1.0, 2.0, 4.0, np.nan, 8.0]), np.array([1.0, 3.0, 2.0, 5.0, np.nan])
    found = displacement(x, y, 2.0)
    assert found.cells == 3
    assert found.mae == pytest.approx((0 + 0.5 + 1) / 3)
    assert found.mse == pytest.approx((0 + 0.25 + 1) / 3)
    assert found.il1s == pytest.approx(found.mae / np.sqrt(2))
    assert found.mean_variation == pytest.approx((0 + 1 / 2 + 2 / 4) / 3)
    assert found.guarded == 0
    first, second = lengths(np.column_stack([x, x]), np.column_stack([y, y]), np.array([2.0, 1.0]))
    assert first == pytest.approx([0, 1.5, 3, 0, 0])
    assert second == pytest.approx([0, np.sqrt(1.25), np.sqrt(5), 0, 0])


def test_small_numbers_are_divided_by_the_standard_deviation():
    x = np.array([0.0, 0.001, 1.0, 1.0, 2.0])
    found = displacement(x, x + 0.5, 4.0)
    assert found.guarded == 2
    assert found.mean_variation == pytest.approx((0.125 + 0.125 + 0.5 + 0.5 + 0.25) / 5)


def test_nothing_to_compare():
    assert displacement(np.array([np.nan]), np.array([1.0]), 1.0).cells == 0


# -- groups and panels ----------------------------------------------------------------------------------------------------


@given(SEEDS)
@settings(max_examples=20, deadline=None)
def test_figures_of_groups_by_hand(seed):
    x, w, *_ = drawn(seed)
    group = np.random.default_rng(seed).integers(0, 4, len(x))
    x[::7] = np.nan
    found = group_figures(x, w, group, 5)
    for g in range(4):
        here = (group == g) & ~np.isnan(x)
        if here.any():
            mean = np.average(x[here], weights=w[here])
            assert (found.n[g], found.weight[g]) == (here.sum(), pytest.approx(w[here].sum()))
            assert (found.mean[g], found.total[g]) == pytest.approx((mean, (w * x)[here].sum()))
            assert found.sd[g] == pytest.approx(np.sqrt(np.average((x[here] - mean) ** 2, weights=w[here])))
    assert np.isnan(found.mean[4])


def test_fifths():
    x = np.arange(100.0)
    cuts = weighted_cuts(x, None, 5)
    assert np.bincount(class_of(x, cuts)).tolist() == [20] * 5
    assert class_of(np.array([np.nan, -9, 999]), cuts).tolist() == [5, 0, 4]
    assert weighted_cuts(np.full(50, 3.0), None, 5) == [3.0]
    assert weighted_cuts(np.full(5, np.nan), None, 5) == []


def test_steps_of_a_panel():
    unit = np.array([1, 2, 1, 1, 3, 2, 2, 4, 4, 4])
    period = np.array([2, 1, 1, 4, 9, 2, 2, 1, 2, 3])
    first, second = consecutive(unit, period)
    assert sorted(zip(first.tolist(), second.tolist(), strict=True)) == [(0, 3), (2, 0), (7, 8), (8, 9)]
    assert len(consecutive(unit[:0], period[:0])[0]) == 0


def test_growth_rates():
    a, b = np.array([100, 0, 0, 50, -1.0]), np.array([110, 5, 0, 0, 1.0])
    assert growth(a, b) == pytest.approx([10 / 105, 2, 0, -2, 2])
