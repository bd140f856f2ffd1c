import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from tarnkappe.kernels.closeness import advantage, advantage_by_chance, area, area_interval, caught

Z = 1.959963984540054
some = arrays(np.float64, st.integers(1, 12), elements=st.integers(0, 6).map(float))


@given(some, some)
def test_against_all_pairs_and_all_limits(first, second):
    pairs = [(a < b) + 0.5 * (a == b) for a in first for b in second]
    assert area(first, second) == pytest.approx(np.mean(pairs))
    gaps = [np.mean(first <= t) - np.mean(second <= t) for t in [*first, *second]]
    assert advantage(first, second) == pytest.approx(max([0.0, *gaps]))


@given(some, some, st.sampled_from([0.0, 0.1, 0.34, 0.5, 1.0]))
def test_caught_never_raises_more_false_alarms_than_allowed(first, second, share):
    limits = [t for t in [*second, np.inf] if np.mean(second < t) <= share + 1e-9]
    assert caught(first, second, share) == max([np.sum(first < t) for t in limits], default=0)


def test_the_interval_at_its_ends_and_in_the_middle():
    low, high = area_interval(1.0, 50, 40, Z)
    assert 0.9 < low < high == 1
    assert area_interval(0.0, 50, 40, Z) == pytest.approx((0, 1 - low))
    low, high = area_interval(0.5, 100, 100, Z)
    assert (high - low) / 2 == pytest.approx(
        Z * np.sqrt(201 / (12 * 100 * 100)), rel=0.02
    )  # Mann and Whitney


@pytest.mark.parametrize("shift", [0.0, 0.5, 2.0])
def test_coverage_of_the_area(shift):
    """400 draws from two normal distributions; at least 92 % of the intervals hold the true area."""
    from scipy.stats import norm

    truth, draw = norm.cdf(shift / np.sqrt(2)), np.random.default_rng(5)
    held = 0
    for _ in range(400):
        first, second = draw.normal(-shift, 1, 60), draw.normal(0, 1, 40)
        low, high = area_interval(area(first, second), 60, 40, Z)
        held += low <= truth <= high
    assert held >= 0.92 * 400


def test_advantage_by_chance():
    """Its mean over draws without difference lies near the limit and not above."""
    draw = np.random.default_rng(3)
    found = [advantage(draw.random(200), draw.random(300)) for _ in range(300)]
    assert np.mean(found) < advantage_by_chance(200, 300) < 0.12
    assert advantage_by_chance(1, 1) == 1
