import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar
from scipy.stats import binom

from tarnkappe.kernels.excess import Rate, excess, excess_error, excess_interval, ratio_interval

Z = 1.959963984540054


def test_vector_of_the_specification():
    """spec actuarial-dav 2.1: n = 500; 120, 60 and 10 hits."""
    attack, control, naive = (Rate(s, 500) for s in (120, 60, 10))
    assert (attack.point(Z), attack.error(Z)) == pytest.approx((0.2419823, 0.0373445), abs=5e-8)
    assert (control.point(Z), control.error(Z)) == pytest.approx((0.1228972, 0.0285223), abs=5e-8)
    assert (naive.point(Z), naive.error(Z)) == pytest.approx((0.0236597, 0.0127605), abs=5e-8)
    assert excess(attack, control, Z) == pytest.approx(0.1357710, abs=5e-8)
    assert excess_error(attack, control, Z) == pytest.approx(0.0510159, abs=5e-8)
    low, high = excess_interval(attack, control, Z)
    assert (low, high) == pytest.approx((0.13577 - 0.05102, 0.13577 + 0.05102), abs=1e-3)


def slow_score(x1, n1, x0, n0, ratio):
    """Pearson's statistic at the likeliest pair of shares with that ratio, found by search instead of by formula."""

    def unlikely(p0):
        p1 = ratio * p0
        return -sum(
            hits * math.log(p) + (cases - hits) * math.log(1 - p)
            for hits, cases, p in ((x1, n1, p1), (x0, n0, p0))
        )

    p0 = minimize_scalar(
        unlikely, bounds=(1e-12, min(1, 1 / ratio) - 1e-12), method="bounded", options={"xatol": 1e-12}
    ).x
    p1 = ratio * p0
    return (x1 - n1 * p1) ** 2 / (n1 * p1 * (1 - p1)) + (x0 - n0 * p0) ** 2 / (n0 * p0 * (1 - p0))


@pytest.mark.parametrize(
    ("x1", "n1", "x0", "n0"), [(10, 50, 20, 50), (3, 40, 7, 90), (49, 50, 30, 60), (1, 8, 5, 9)]
)
def test_the_ends_are_where_the_score_reaches_the_quantile(x1, n1, x0, n0):
    low, high = ratio_interval((x1, n1), (x0, n0), Z)
    assert low < x1 * n0 / (x0 * n1) < high
    assert slow_score(x1, n1, x0, n0, low) == pytest.approx(Z * Z, rel=1e-4)
    assert slow_score(x1, n1, x0, n0, high) == pytest.approx(Z * Z, rel=1e-4)


def test_all_and_none():
    assert ratio_interval((0, 50), (20, 50), Z)[0] == 0
    assert ratio_interval((20, 50), (0, 50), Z)[1] == math.inf
    assert ratio_interval((0, 0), (3, 5), Z) == (0, math.inf)
    low, high = excess_interval(Rate(200, 200), Rate(0, 200), Z)
    assert 0.95 < low < high == 1
    assert excess_interval(Rate(0, 200), Rate(0, 200), Z)[0] == 0
    assert excess_interval(Rate(200, 200), Rate(200, 200), Z) == (0, 1)
    assert Rate(0, 0).interval(Z) == (0, 1)


@given(st.integers(1, 60), st.integers(1, 60), st.data())
def test_the_interval_holds_the_value_and_narrows_with_the_level(n1, n0, data):
    attack, control = Rate(data.draw(st.integers(0, n1)), n1), Rate(data.draw(st.integers(0, n0)), n0)
    value = min(max(excess(attack, control, Z), 0), 1)
    low, high = excess_interval(attack, control, Z)
    assert 0 <= low <= value <= high <= 1
    wide = ratio_interval((n1 - attack.hits, n1), (n0 - control.hits, n0), 2.6)
    narrow = ratio_interval((n1 - attack.hits, n1), (n0 - control.hits, n0), 1.6)
    assert wide[0] <= narrow[0] <= narrow[1] <= wide[1]


def coverage(a, c, n1, n0):
    """The exact chance that the interval holds the true excess, summed over all outcomes that are not very unlikely."""
    truth, total = (a - c) / (1 - c), 0.0
    chances = [binom.pmf(np.arange(n + 1), n, p) for n, p in ((n1, a), (n0, c))]
    for s1, s0 in itertools.product(*(np.flatnonzero(p > 1e-7) for p in chances)):
        low, high = excess_interval(Rate(float(s1), n1), Rate(float(s0), n0), Z)
        total += chances[0][s1] * chances[1][s0] * (low - 1e-12 <= truth <= high + 1e-12)
    return total


@pytest.mark.parametrize(("a", "c"), [(0.3, 0.25), (0.1, 0.1), (0.9, 0.5)])
def test_coverage(a, c):
    assert coverage(a, c, 60, 40) > 0.93


@pytest.mark.long
@pytest.mark.parametrize("sizes", [(60, 60), (200, 50), (50, 200)])
@pytest.mark.parametrize(
    ("a", "c"), [(0.02, 0.0), (0.02, 0.02), (0.5, 0.1), (0.97, 0.03), (1.0, 0.2), (0.9, 0.88)]
)
def test_coverage_everywhere(a, c, sizes):
    assert coverage(a, c, *sizes) > 0.91
