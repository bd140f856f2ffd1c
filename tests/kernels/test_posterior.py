"""The negative binomial posterior against sums over its terms and against draws from a known population."""

import numpy as np
import pytest
from scipy.special import gammaln

from tarnkappe.kernels.posterior import approximate_risk, at_most, mean_risk, smallest_class


def terms(f, p, many=None):
    """P(F = h | f) for h = f … f + many - 1."""
    many = many or min(4_000_000, int(40 * (f + 20) / p))
    h = np.arange(f, f + many, dtype=np.float64)
    log = gammaln(h) - gammaln(f) - gammaln(h - f + 1) + f * np.log(p) + (h - f) * np.log1p(-p)
    return h, np.exp(log)


def risk(f, p):
    return float(mean_risk(np.array([f], dtype=np.int64), np.array([p]))[0])


@pytest.mark.parametrize("p", [0.001, 0.02, 0.3, 0.499, 0.5, 0.501, 0.9, 0.9999])
@pytest.mark.parametrize("f", [1, 2, 3, 7, 29, 30, 31, 200])
def test_mean_risk_is_the_sum_over_all_sizes(f, p):
    h, chance = terms(f, p)
    assert risk(f, p) == pytest.approx(float((chance / h).sum()), rel=2e-8)


def test_closed_forms_of_one_and_two():
    for p in (1e-6, 0.01, 0.4, 0.7):
        q = 1 - p
        assert risk(1, p) == pytest.approx(-np.log(p) * p / q, rel=1e-12)
        assert risk(2, p) == pytest.approx(p / q - (p / q) ** 2 * np.log(1 / p), rel=1e-9)


@pytest.mark.parametrize("f", [1, 2, 5, 29, 30, 10_000])
def test_edges_of_the_chance_to_be_drawn(f):
    assert risk(f, 1.0) == pytest.approx(1 / f)
    assert risk(f, 1 - 1e-12) == pytest.approx(1 / f)
    tiny = risk(f, 1e-15)
    assert 0 < tiny < 1e-13 / f * 40
    ordered = [risk(f, p) for p in np.linspace(0.01, 1, 50)]
    assert all(a < b for a, b in zip(ordered, ordered[1:], strict=False))
    assert all(r <= 1 / f + 1e-15 for r in ordered)


def test_approximation_of_sdcmicro_is_close_from_three_records_on():
    f = np.arange(1, 40)
    for p in (0.01, 0.1, 0.9):
        chance = np.full(len(f), p)
        exact, near = mean_risk(f, chance), approximate_risk(f, chance)
        assert near[:2] == pytest.approx(exact[:2])
        assert near[2:] == pytest.approx(p / (f[2:] - 1 + p))
        assert near == pytest.approx(exact, rel=0.03)


def test_distribution_function():
    for f, p in ((1, 0.1), (3, 0.4), (8, 0.9)):
        h, chance = terms(f, p, 400)
        for m in (0, f - 1, f, f + 1, f + 7, f + 100):
            expected = float(chance[h <= m].sum())
            assert at_most(np.array([f]), np.array([p]), m)[0] == pytest.approx(expected, abs=1e-12)


def test_the_smallest_of_many_classes():
    f, p, times = np.array([1, 2]), np.array([0.1, 0.3]), np.array([5.0, 3.0])

    def beyond(m):
        one, two = (terms(k, c, 500) for k, c in zip(f, p, strict=True))
        return float(one[1][one[0] > m].sum() ** 5 * two[1][two[0] > m].sum() ** 3)

    for chance in (0.025, 0.5, 0.975):
        m = smallest_class(f, p, times, (chance,))[0]
        assert 1 - beyond(m) >= chance > 1 - beyond(m - 1)
    assert smallest_class(np.array([4]), np.array([1.0]), np.array([1.0]), (0.025, 0.975)) == [4, 4]


def test_risk_of_a_population_that_is_known():
    """Sizes with P(F = h) proportional to 1/h, each person drawn with 0.2: the mean of 1/F given f is that of the formula.

    100,000 classes; tolerance four standard errors.
    """
    draw = np.random.default_rng(7)
    h = np.arange(1, 5001)
    sizes = draw.choice(h, 100_000, p=(1 / h) / (1 / h).sum())
    drawn = draw.binomial(sizes, 0.2)
    for f in (1, 2, 3, 6):
        true = 1 / sizes[drawn == f]
        error = 4 * true.std() / np.sqrt(len(true))
        assert risk(f, 0.2) == pytest.approx(true.mean(), abs=error)
