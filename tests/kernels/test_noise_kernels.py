"""Kernels of noise: exact moments, restricted laws, mixtures, rotations, controlled directions."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import log_ndtr
from scipy.stats import norm

from reference import controlled as reference
from tarnkappe.kernels import controlled
from tarnkappe.kernels import controlled_search as search
from tarnkappe.kernels.block_noise import exact_noise, proportional_noise
from tarnkappe.kernels.block_spread import block_spreads, outliers
from tarnkappe.kernels.fitting import FAMILIES, distance, fitted
from tarnkappe.kernels.kept_totals import dominated, undone, with_totals
from tarnkappe.kernels.mixtures import (
    equal_shares,
    hoehne_mixture,
    roque_means,
    roque_mixture,
    yancey_mixture,
)
from tarnkappe.kernels.nearest_original import Originals, marks
from tarnkappe.kernels.normal_scores import RUNGS, Ladder, SmoothCdf, adjusted
from tarnkappe.kernels.rotation import angle, rotated
from tarnkappe.kernels.symmetric_laws import bounded_normal, bounded_variance, underlying_sd, uniform_end
from tarnkappe.kernels.unit_noise import drawn_when_asked
from tarnkappe.kernels.unlike import unlike, unlike_with_sign
from tarnkappe.kernels.white_noise import (
    collinear,
    covariance,
    exact_white,
    matrix_root,
    nearest_correlation,
    orthogonal_white,
)

RNG = np.random.default_rng


def cov(x):
    return np.cov(x, rowvar=False, ddof=0)


def correlated(n=200, m=4, seed=1):
    z = RNG(seed).normal(size=(n, m))
    return z @ RNG(seed + 1).normal(size=(m, m)) + 5


class TestWhiteNoise:
    @pytest.mark.parametrize(("n", "m"), [(3, 1), (5, 3), (50, 4), (1000, 10)])
    def test_exact_moments(self, n, m):
        w = exact_white(RNG(n).normal(size=(n, m)))
        np.testing.assert_allclose(w.mean(axis=0), 0, atol=1e-13)
        np.testing.assert_allclose(w.T @ w / n, np.eye(m), atol=1e-10)

    def test_as_in_the_footnote(self):
        """(W - mean) L⁻ᵀ, word for word."""
        w = RNG(3).normal(size=(20, 3))
        centred = w - w.mean(axis=0)
        lower = np.linalg.cholesky(cov(w))
        np.testing.assert_allclose(exact_white(w), centred @ np.linalg.inv(lower).T, atol=1e-12)

    def test_orthogonal_to_the_data(self):
        x = correlated()
        w = orthogonal_white(RNG(5).normal(size=x.shape), x)
        np.testing.assert_allclose(w.T @ (x - x.mean(axis=0)) / len(x), 0, atol=1e-12)
        np.testing.assert_allclose(cov(w), np.eye(4), atol=1e-10)

    def test_orthogonal_to_data_with_a_linear_relation(self):
        x = correlated()
        x[:, 3] = x[:, 0] + x[:, 1]
        w = orthogonal_white(RNG(5).normal(size=x.shape), x)
        np.testing.assert_allclose(w.T @ (x - x.mean(axis=0)) / len(x), 0, atol=1e-9)

    def test_root(self):
        r = covariance(correlated()).r
        np.testing.assert_allclose(matrix_root(r) @ matrix_root(r).T, r, atol=1e-12)

    def test_collinear_columns_are_named(self):
        x = correlated(m=5)
        x[:, 4] = x[:, 1] - 2 * x[:, 3]
        assert collinear(covariance(x).r).tolist() == [1, 3, 4]
        assert collinear(covariance(correlated()).r).tolist() == []

    def test_covariance_over_the_values_there_are(self):
        x = correlated()
        x[::7, 1] = np.nan
        c = covariance(x)
        assert c.sd[1] == pytest.approx(np.nanstd(x[:, 1]))
        both = ~np.isnan(x[:, 1])
        assert c.r[0, 1] == pytest.approx(np.corrcoef(x[both, 0], x[both, 1])[0, 1])

    def test_nearest_correlation(self):
        r = nearest_correlation(np.array([[1, 0.9, -0.9], [0.9, 1, 0.9], [-0.9, 0.9, 1]]))
        assert np.linalg.eigvalsh(r).min() > -1e-12
        np.testing.assert_allclose(np.diag(r), 1)

    def test_sums_stay_sums(self):
        x = correlated(m=2)
        x = np.column_stack([x, x.sum(axis=1)])
        w = proportional_noise(x, [np.arange(200)], 0.3, drawn_when_asked(RNG(1).standard_normal, x.shape[1]))
        np.testing.assert_allclose(w[:, 2], w[:, 0] + w[:, 1], atol=1e-7)

    def test_exact_noise(self):
        x = correlated()
        w = exact_noise(
            x,
            [np.arange(100), np.arange(100, 200)],
            0.3,
            drawn_when_asked(RNG(1).standard_normal, x.shape[1]),
        )
        for rows in (slice(0, 100), slice(100, 200)):
            np.testing.assert_allclose(cov(x[rows] + w[rows]), 1.3 * cov(x[rows]), rtol=1e-8)


class TestLaws:
    @pytest.mark.parametrize(
        ("low", "high"),
        [
            (0, np.inf),
            (0.3, np.inf),
            (0.1, 2),
            (1.5, 1.6),
            (0, 0.001),
            (40, np.inf),
            (300, np.inf),
            (50, 50.01),
        ],
    )
    def test_variance_of_a_bounded_normal(self, low, high):
        end = min(high, max(40, np.hypot(low, 12)))

        def density(z):  # that at the lower limit is 1: far out it would be 0
            return np.exp((low - z) * (low + z) / 2)

        share, _ = quad(density, low, end)
        second, _ = quad(lambda z: z * z * density(z), low, end)
        assert bounded_variance(low, high) == pytest.approx(second / share, rel=1e-6)

    @pytest.mark.parametrize(
        ("low", "high"), [(25, np.inf), (35, np.inf), (500, np.inf), (35, 35.01), (35, 60)]
    )
    def test_draws_far_out(self, low, high):
        """Where probabilities vanish: the size at u has the share 1 - u of the law below it, by their logarithms."""
        u = np.array([1e-6, 0.25, 0.5, 0.999])
        z = bounded_normal(u, np.ones(4), low, high)
        beyond = np.exp(log_ndtr(-high) - log_ndtr(-low))
        below = (1 - np.exp(log_ndtr(-z) - log_ndtr(-low))) / (1 - beyond)
        np.testing.assert_allclose(1 - below, u, rtol=1e-5)
        assert np.all((z >= low) & (z <= high))

    @pytest.mark.parametrize(
        ("low", "high"),
        [
            (0, np.inf),
            (0.5, np.inf),
            (0.9, np.inf),
            (0.999, np.inf),
            (1 - 1e-9, np.inf),
            (0.2, 2.5),
            (0, 1.74),
            (0.5, 1.5),
            (0.999, 1.01),
        ],
    )
    def test_variance_one_between_the_limits(self, low, high):
        sigma = underlying_sd(low, high)
        assert sigma**2 * bounded_variance(low / sigma, high / sigma) == pytest.approx(1, rel=1e-9)
        rng = RNG(1)
        z = sigma * bounded_normal(rng.random(400_000), rng.random(400_000) - 0.5, low / sigma, high / sigma)
        assert np.abs(z).min() >= low * (1 - 1e-12)
        assert np.abs(z).max() <= high
        assert z.var() == pytest.approx(1, abs=0.015)
        assert z.mean() == pytest.approx(0, abs=0.008)

    @pytest.mark.parametrize("low", [0, 0.3, 0.9])
    def test_uniform_end(self, low):
        high = uniform_end(low)
        assert (high**2 + high * low + low**2) / 3 == pytest.approx(1)


class TestMixtures:
    R = covariance(correlated(m=3, seed=4)).r

    @pytest.mark.parametrize("draw", [hoehne_mixture, yancey_mixture, roque_mixture])
    def test_mean_and_covariance(self, draw):
        """Five standard errors of a covariance of 100,000 records."""
        w = draw(100_000, self.R, RNG(1), 0.3)
        np.testing.assert_allclose(w.mean(axis=0), 0, atol=1e-12)
        np.testing.assert_allclose(cov(w), self.R, atol=5 * 1.5 / np.sqrt(100_000))

    def test_yancey_by_the_cholesky_factor(self):
        """(4.1-10): the first column keeps the two peaks of the white noise, with the excess -2p⁴; the last is a sum over all.

        400,000 records, five standard errors of normal numbers, which are larger: a root that mixes all columns is seen.
        """
        r, p = np.array([[1, 0.8, 0.5], [0.8, 1, 0.6], [0.5, 0.6, 1]]), 0.95
        w = yancey_mixture(400_000, r, RNG(1), p)
        lower = np.linalg.cholesky(r)
        excess = (w**4).mean(axis=0) / w.var(axis=0) ** 2 - 3
        np.testing.assert_allclose(excess, -2 * p**4 * (lower**4).sum(axis=1), atol=5 * np.sqrt(24 / 400_000))

    def test_hoehne_is_exact_for_even_numbers(self):
        np.testing.assert_allclose(cov(hoehne_mixture(40, self.R, RNG(1), 0.3)), self.R, atol=1e-10)

    def test_roque_solves_its_equation(self):
        """Σ μ μᵀ = k (1 - g) Σ with 1 - g = p²; the peaks are ±√m times the columns of the root."""
        means = roque_means(self.R, 0.4, equal_shares(3))
        assert len(means) == 6
        np.testing.assert_allclose(means.T @ means, 6 * 0.4**2 * self.R, atol=1e-12)
        np.testing.assert_allclose(means.sum(axis=0), 0, atol=1e-12)
        np.testing.assert_allclose(means[::2], -means[1::2], atol=1e-12)

    @pytest.mark.parametrize("k", [4, 5, 6])
    def test_roque_solves_its_equation_with_any_shares(self, k):
        """(4.1-8): Σ ω μ = 0 and Σ ω μ μᵀ = p² Σ; no peak lies at zero, and no two are the same."""
        for seed in range(20):
            shares = RNG(seed).dirichlet(np.ones(k))
            means = roque_means(self.R, 0.4, shares)
            np.testing.assert_allclose(shares @ means, 0, atol=1e-12)
            np.testing.assert_allclose((shares[:, None] * means).T @ means, 0.4**2 * self.R, atol=1e-10)
            assert np.linalg.norm(means, axis=1).min() > 1e-3
            assert len(np.unique(means.round(6), axis=0)) == k

    def test_roque_draws_its_shares_and_spreads(self):
        """One column, rare peak far above: the law is known. 100,000 draws, five standard errors, so 1 in 10⁶ for each."""
        n, p, w = 100_000, 0.9, np.array([1.0, 3.0])
        x = roque_mixture(n, np.eye(1), RNG(3), p, w, np.array([4.0, 1.0]))[:, 0]
        peaks = roque_means(np.eye(1), p, w / 4)[:, 0]
        np.testing.assert_allclose(np.abs(peaks), p * np.array([np.sqrt(3), 1 / np.sqrt(3)]))
        g = (1 - p**2) * np.array([4.0, 1.0]) / (0.25 * 4 + 0.75)
        assert 0.25 * g[0] + 0.75 * g[1] == pytest.approx(1 - p**2)
        at = np.quantile(x, np.linspace(0.05, 0.95, 19))
        expected = sum(s * norm.cdf(at, m, np.sqrt(v)) for s, m, v in zip(w / 4, peaks, g, strict=True))
        np.testing.assert_allclose(expected, np.linspace(0.05, 0.95, 19), atol=5 * 0.5 / np.sqrt(n))

    def test_hoehne_has_two_peaks_in_every_column(self):
        """Few values near zero: a normal law would have 8 % within 0.1."""
        w = hoehne_mixture(100_000, np.eye(2), RNG(1), 0.69)
        normal = 2 * norm.cdf(0.1) - 1
        assert (np.abs(w) < 0.1).mean(axis=0).max() < 0.9 * normal
        assert (np.sign(w[:, 0]) == np.sign(w[:, 1])).mean() > 0.6, "both columns go the same way"

    @pytest.mark.parametrize("draw", [hoehne_mixture, yancey_mixture, roque_mixture])
    def test_the_place_in_the_file_tells_nothing(self, draw):
        """Step 6, shuffle: which records go up does not follow from their order. Five standard errors: 1 in 10⁶ for each."""
        up = draw(4000, np.eye(1), RNG(2), 0.95)[:, 0] > 0
        assert abs(up[:2000].mean() - up.mean()) < 5 * 0.5 / np.sqrt(2000)
        assert abs((up[1:] == up[:-1]).mean() - 0.5) < 5 * 0.5 / np.sqrt(4000)


class TestRotation:
    @pytest.mark.parametrize("n", [3, 4, 5, 30, 31, 101, 102])
    def test_mean_and_covariance_stay(self, n):
        x = correlated(n=n, m=2)
        y = x.mean(axis=0) + rotated(x - x.mean(axis=0), 0.4, RNG(1))
        np.testing.assert_allclose(y.mean(axis=0), x.mean(axis=0), rtol=1e-12)
        np.testing.assert_allclose(cov(y), cov(x), rtol=1e-10)
        assert not np.any(np.isclose(x, y))

    @pytest.mark.parametrize("n", [3, 4, 7, 11, 101, 200])
    def test_the_map_is_orthogonal_and_keeps_ones(self, n):
        t = rotated(np.eye(n), 0.4, RNG(1))
        np.testing.assert_allclose(t.T @ t, np.eye(n), atol=1e-12)
        np.testing.assert_allclose(t @ np.ones(n), 1, atol=1e-12)

    @pytest.mark.parametrize("d", [0.1, 0.3, 1, 4])
    @pytest.mark.parametrize("n", [3, 4, 15, 200_000])
    def test_own_share(self, n, d):
        """A record keeps 1/√(1 + d) of its deviation: the mean of the diagonal of the map, or of z·y for deviations z of the size 1.

        Five standard errors of many maps, or of 200,000 records; there a d that is 10 % off would lie outside.
        """
        if n > 1000:
            z = RNG(1).normal(size=(n, 1))
            z = (z - z.mean()) / z.std()
            found = (z * rotated(z, d, RNG(2)))[:, 0]
        else:
            runs = 9_000 // n
            found = np.array([(np.trace(rotated(np.eye(n), d, RNG(k))) - 1) / (n - 1) for k in range(runs)])
        error = 5 * (np.sqrt(d / (1 + d)) if n > 1000 else found.std()) / np.sqrt(len(found))
        assert found.mean() == pytest.approx(1 / np.sqrt(1 + d), abs=error)
        if n > 1000:
            assert all(abs(1 / np.sqrt(1 + wrong * d) - 1 / np.sqrt(1 + d)) > error for wrong in (0.9, 1.1))

    @pytest.mark.parametrize("n", [3, 4, 6, 9])
    def test_few_records_do_not_come_back(self, n):
        """Also where half of them are equal: none of 300 maps brings a value back, and the smallest turn is seen in the largest change."""
        z = np.where(np.arange(n) < n // 2, 1.0, -1.0)[:, None]
        z -= z.mean()
        changes = np.abs([rotated(z, 0.1, RNG(k)) - z for k in range(300)])
        assert changes.min() > 1e-6
        if n == 3:
            assert changes.max(axis=1).min() > 0.5 * np.sin(angle(0.1, 3) / 2)

    def test_nearly_all_are_equal(self):
        """One giant among zeros: everybody gets a part of it."""
        z = np.zeros((3000, 1))
        z[7] = 1e6
        z -= z.mean()
        assert np.abs(rotated(z, 0.1, RNG(1)) - z).min() > 1e-3


def panel(seed, units=7, strata=2, m=3):
    """Units with records in some strata, gaps and negative values."""
    rng = RNG(seed)
    unit = np.concatenate([np.arange(units), rng.integers(units, size=units)])
    stratum = rng.integers(strata, size=len(unit))
    stratum[:strata] = np.arange(strata)
    x = np.exp(rng.normal(size=(len(unit), m))) * np.where(rng.random((len(unit), m)) < 0.15, -1, 1)
    x[rng.random(x.shape) < 0.1] = np.nan
    w = 0.03 * rng.normal(size=x.shape)
    return x, w, unit, stratum, strata


def ranked(x, w, unit, stratum, size, f=0.11):
    """The order of the units and their values in it; equal units as they are numbered."""
    order = controlled.from_large_to_small(size, unit, np.arange(len(size)) / len(size))
    return order, order.values(x, w, stratum.astype(np.int64), f)


class TestControlled:
    @pytest.mark.parametrize("alpha", [1.0, 0.5, 0.0])
    @pytest.mark.parametrize("seed", range(6))
    def test_all_columns_as_by_definition(self, seed, alpha):
        x, w, unit, stratum, strata = panel(seed, units=12)
        size = controlled.scores(x, unit, 12)
        (order, v), t = ranked(x, w, unit, stratum, size), controlled.targets(x, stratum, strata, alpha)
        signs = controlled.ranked_signs(v, t, -1.0, np.ones(12))
        assert order.units.tolist() == np.argsort(-size, kind="stable").tolist()
        found = order.as_numbered(signs)
        expected = reference.all_columns(x, w, 0.11, unit, stratum, order.units, -1.0, alpha)
        assert found.tolist() == expected.tolist()
        y = reference.noisy(x, w, 0.11, unit, found)
        assert controlled.objective(v, t, signs) == pytest.approx(
            reference.objective(x, y, stratum, alpha), rel=1e-9
        )

    @pytest.mark.parametrize("seed", range(4))
    def test_records_are_ranked_as_units_are(self, seed):
        """Every record a unit of its own is another loop; a unit without records leaves it to the general one."""
        x, w, _, stratum, strata = panel(seed, units=30)
        t, unit, ties = controlled.targets(x, stratum, strata, 0.5), np.arange(60), np.ones(61)
        _, v = ranked(x, w, unit, stratum, controlled.scores(x, unit, 60))
        one_more = v._replace(starts=np.append(v.starts, 60))
        records = controlled.ranked_signs(v, t, 1.0, ties[:60])
        assert records.tolist() == controlled.ranked_signs(one_more, t, 1.0, ties)[:60].tolist()

    def test_the_order_of_units(self):
        unit, size = np.array([2, 0, 1, 2, 0, 3]), np.array([5.0, 7.0, 5.0, 9.0])
        order = controlled.from_large_to_small(size, unit, np.array([0.9, 0.1, 0.3, 0.2]))
        assert order.units.tolist() == [3, 1, 2, 0]
        assert order.records.tolist() == [5, 2, 0, 3, 1, 4]
        assert order.starts.tolist() == [0, 1, 2, 4, 6]
        assert order.as_numbered(np.array([1.0, 2, 3, 4])).tolist() == [4, 2, 3, 1]
        alone = controlled.from_large_to_small(size, np.array([1, 0, 3, 2]), np.arange(4.0))
        assert alone.records.tolist() == [2, 0, 1, 3]

    @pytest.mark.parametrize("seed", range(4))
    def test_one_column_as_by_definition(self, seed):
        rng = RNG(seed)
        x = np.exp(rng.normal(size=(40, 1))) * np.where(rng.random((40, 1)) < 0.2, -1, 1)
        w = 0.03 * rng.normal(size=x.shape)
        order, v = ranked(x, w, np.arange(40), np.zeros(40), np.abs(x[:, 0]))
        signs = order.as_numbered(controlled.one_column_signs(v, 1, np.array([-1.0])))
        assert signs.tolist() == reference.one_column(x[:, 0], w[:, 0], 0.11, order.units, -1.0).tolist()

    @pytest.mark.parametrize("seed", range(4))
    @pytest.mark.parametrize("units", [1, 2, 5, 8])
    def test_best_of_all_balanced_choices(self, seed, units):
        x, w, unit, stratum, strata = panel(seed, units=units)
        (_, v), t = (
            ranked(x, w, unit, stratum, np.ones(units)),
            controlled.targets(x, stratum, strata, 0.6),
        )
        signs = search.best_signs(v, t, units)
        cost, _ = reference.best(x, w, 0.11, unit, stratum, units, 0.6)
        assert abs(signs.sum()) <= 1
        assert controlled.objective(v, t, signs) == pytest.approx(cost, rel=1e-9)

    @pytest.mark.parametrize("seed", range(4))
    def test_exchanges_as_by_definition(self, seed):
        """Unit after unit, with the same partners, and every objective computed from the whole file."""
        x, w, unit, stratum, strata = panel(seed, units=40)
        (order, v), t = (
            ranked(x, w, unit, stratum, np.ones(40)),
            controlled.targets(x, stratum, strata, 0.5),
        )
        start = search.balanced(np.ones(40))
        assert start.tolist() == [1] * 20 + [-1] * 20
        end = search.exchanged_signs(v, t, start, 3, RNG(seed))
        expected = reference.exchanged(x, w, 0.11, unit, stratum, order.as_numbered(start), 0.5, 3, RNG(seed))
        assert order.as_numbered(end).tolist() == expected.tolist()
        assert end.sum() == 0
        assert controlled.objective(v, t, end) < 0.7 * controlled.objective(v, t, start)

    @pytest.mark.parametrize("alpha", [1.0, 0.5, 0.0])
    @pytest.mark.parametrize("seed", range(4))
    def test_many_draws_at_once_cost_what_each_does(self, seed, alpha):
        x, w, unit, stratum, strata = panel(seed, units=20)
        rng = RNG(seed)
        ups, alike = (rng.integers(1 << 64, size=n, dtype=np.uint64) for n in (20, 40))
        order, starts = np.argsort(stratum, kind="stable"), np.append(0, np.cumsum(np.bincount(stratum)))
        draws = search.Draws(w.T.copy(), ups[unit], alike, rng.integers(40, size=50))
        t = controlled.targets(x, stratum, strata, alpha)
        costs = search.costs_of(x, 0.11, t, draws, order, starts)
        assert len(costs) == 50
        for r in range(50):
            up, along = (np.array([1.0 if (int(a) >> r) & 1 else -1.0 for a in v]) for v in (ups, alike))
            spread = np.empty_like(w)
            for place, record in enumerate(order):
                source = w[(place + draws.shift[r]) % 40]
                spread[record] = up[unit[record]] * along[record] * source
            assert np.array_equal(search.drawn(draws, r, order), spread)
            assert search.spelled(ups, r).tolist() == up.tolist()
            y = reference.noisy(x, spread, 0.11, unit, up)
            assert costs[r] == pytest.approx(reference.objective(x, y, stratum, alpha), rel=1e-9)

    def test_a_column_that_sums_to_nothing_is_measured_by_its_size(self):
        x = np.array([[5.0], [-5.0], [1.0], [-1.0]])
        t = controlled.targets(x, np.zeros(4, dtype=np.int64), 1, 1.0)
        assert t.mean_weight[0, 0] == pytest.approx(1 / 12)


class TestTotals:
    def test_kept_with_signs_and_zeros(self):
        rng = RNG(1)
        x = np.exp(rng.normal(size=100)) * np.where(rng.random(100) < 0.3, -1, 1) * (rng.random(100) > 0.1)
        of = rng.integers(3, size=100)
        y = x * rng.uniform(0.6, 1.4, size=100)
        kept = with_totals(x, y, of, 3)
        np.testing.assert_allclose(np.bincount(of, kept), np.bincount(of, x), rtol=1e-12)
        assert np.array_equal(np.sign(kept), np.sign(x))

    def test_dominated_and_small_blocks_are_seen(self):
        x = np.array([9.0, 4, 4, 0, 1, 1, 2, 2, 2, 0, 0])
        of = np.array([0, 0, 0, 0, 1, 1, 2, 2, 2, 3, 3])
        assert dominated(x, of, np.arange(11), 4) == 2, (
            "9 of 17 in the first, two values in the second; no value at all is no trouble"
        )
        assert dominated(x, of, np.array([0, 1, 2, 3, 4, 5, 6, 6, 7, 8, 9]), 4) == 3, (
            "two of 2, 2, 2 are one unit's"
        )

    def test_blocks_that_came_back_are_seen(self):
        x, of = np.array([1.0, 2, 3, 4, 5, 6, 0]), np.array([0, 0, 0, 1, 1, 1, 2])
        y = x * np.array([1.2, 1.2, 1.2, 1.2, 0.8, 1.2, 1.2])
        assert undone(x, with_totals(x, y, of, 3), of, 3) == 1

    def test_values_of_one_contributor_count_together(self):
        x, of = np.array([3.0, 3, 3, 4, 3, -3, 3, -3]), np.array([0, 0, 0, 0, 1, 1, 1, 1])
        assert dominated(x, of, np.arange(8), 2) == 0
        assert dominated(x, of, np.array([0, 0, 1, 2, 0, 1, 2, 3]), 2) == 0, "6 of 13"
        assert dominated(x, of, np.array([0, 2, 1, 2, 0, 1, 2, 3]), 2) == 1, "7 of 13"
        assert dominated(x, of, np.array([0, 1, 2, 3, 0, 1, 1, 0]), 2) == 1, "two contributors"


class TestSpread:
    def test_constant_blocks_take_the_spread_of_all(self):
        x = np.array([[1.0], [1], [5], [7], [np.nan]])
        got = block_spreads(x, np.array([0, 0, 1, 1, 1]), 2)
        assert got[:, 0].tolist() == [pytest.approx(np.std([1, 1, 5, 7])), pytest.approx(1.0)]

    def test_planted_outliers_are_found(self):
        x = correlated(500, 3)
        x[3, 1] += 50 * x[:, 1].std()
        z = x - x.mean(axis=0)
        x[7] = x.mean(axis=0) + 6 * np.linalg.eigh(cov(z))[1][:, 0] * np.sqrt(np.linalg.eigh(cov(z))[0][0])
        found = outliers(x)
        assert found[3]
        assert found[7], "ordinary in each column, far out in all together"
        assert found.mean() < 0.1

    def test_how_far_out_an_outlier_is(self):
        """Of normal numbers those beyond the 97.5 % point of χ²: 500 of 20,000, five standard errors. Or 3 deviations in one of many columns."""
        found = outliers(RNG(1).normal(size=(20_000, 1)))
        assert abs(found.sum() - 500) < 5 * np.sqrt(500) + 100, "100 for the error of the median deviation"
        x = RNG(2).normal(size=(2000, 6))
        x[0] = 0.0
        x[1] = x[0]
        x[1, 2] = 3.5
        assert outliers(x)[:2].tolist() == [False, True]


class TestUnlike:
    def test_what_is_lost_in_the_last_digit(self):
        x = np.array([1.0, -1.0, 0.0, 5.0, np.nan])
        y = unlike(np.array([1.0, -1.0, 0.0, 6.0, np.nan]), x)
        assert np.all((y != x)[:4])
        assert y[1] < -1

    def test_products_keep_sign_and_zero(self):
        x = np.array([5e-324, -5e-324, 0.0, 1.0])
        y = unlike_with_sign(np.array([0.0, -0.0, 0.0, 1.0]), x)
        assert np.array_equal(np.sign(y), np.sign(x))
        assert (y != x).tolist() == [True, True, False, True]


class TestNearest:
    @pytest.mark.parametrize("rank_limit", [1, 2, 5])
    def test_as_by_counting(self, rank_limit):
        rng = RNG(1)
        original = rng.normal(size=(150, 2))
        masked = original + 0.4 * rng.normal(size=original.shape)
        codes = rng.integers(-1, 3, size=150)
        seen = np.where(rng.random(150) < 0.2, rng.integers(-1, 3, size=150), codes)
        a, b = np.column_stack([original, marks(codes, 3)]), np.column_stack([masked, marks(seen, 3)])
        got = Originals(a).recognised(b, np.arange(150), rank_limit)
        for i in range(150):
            apart = ((masked[i] - original) ** 2).sum(axis=1) + (seen[i] != codes)
            assert got[i] == (np.count_nonzero(apart < apart[i] - 1e-12) < rank_limit)

    def test_too_few_to_hide_among(self):
        assert Originals(np.zeros((2, 1))).recognised(np.ones((2, 1)), np.arange(2), 2).all()


class TestScores:
    def test_a_ladder_is_near_to_what_becomes_of_scores_by_rank(self):
        """Between two rungs it is straight; at the ends and where all scores are the same it is level."""
        rng = np.random.default_rng(3)
        v, becomes = np.sort(rng.normal(size=5000)), np.sort(rng.normal(size=5000))
        asked = np.concatenate([rng.permutation(v), [-99.0, 99.0]])
        rung = (v[-1] - v[0]) / (RUNGS - 1)
        low, high = (np.interp(asked + step, v, becomes) for step in (-rung, rung))
        found = Ladder.of(v, becomes).scores(asked)
        assert (found >= low - 1e-12).all()
        assert (found <= high + 1e-12).all()
        assert Ladder.of(np.zeros(1), np.ones(1)).scores(np.array([-1.0, 0.0, 2.0])).tolist() == [1.0] * 3

    def test_smooth_there_and_back(self):
        x = np.array([1.0, 1, 2, 4, 8, 8, 8, 16])
        cdf = SmoothCdf.of(x)
        assert cdf.borders.tolist() == [0.5, 1.5, 3, 6, 12, 20]
        assert cdf.at.tolist() == [0, 0.25, 0.375, 0.5, 0.875, 1]
        np.testing.assert_allclose(cdf.values_and_scores(cdf.scores(x))[0], x, rtol=1e-9)

    def test_adjusted_covariance(self):
        x, y = correlated(seed=1), correlated(seed=9)
        got = adjusted(y - y.mean(axis=0), cov(x), cov(y))
        np.testing.assert_allclose(cov(got), cov(x), rtol=1e-9)


DRAWS = {
    "normal": lambda g, n: g.normal(3, 2, n), "laplace": lambda g, n: g.laplace(3, 2, n),
    "log-normal": lambda g, n: g.lognormal(1, 0.7, n), "exponential": lambda g, n: g.exponential(3, n),
    "gamma": lambda g, n: g.gamma(3.5, 2, n), "weibull": lambda g, n: 3 * g.weibull(2.4, n),
}  # fmt: skip


class TestFits:
    @pytest.mark.parametrize("family", FAMILIES)
    def test_the_true_family_fits_and_is_drawn_from(self, family):
        """Distance below the 0.1 % point 1.95/√n, for the data and for 200,000 draws: a variance that is 10 % off is twice as far away."""
        x = DRAWS[family](RNG(1), 20_000)
        fit = FAMILIES[family](x)
        assert distance(fit, x) < 1.95 / np.sqrt(len(x))
        y = fit.draw(RNG(2), 200_000)
        assert distance(fit, y) < 1.95 / np.sqrt(len(y))
        assert distance(fit, np.sqrt(1.1) * y) > 2 * 1.95 / np.sqrt(len(y))

    @pytest.mark.parametrize("family", FAMILIES)
    def test_the_true_family_is_chosen(self, family):
        x = DRAWS[family](RNG(1), 20_000)
        best = min(fitted(x, tuple(FAMILIES)), key=lambda fit: fit.aic)
        assert best.family == family or family == "exponential", "gamma and Weibull contain the exponential"

    def test_likelihood_is_the_largest(self):
        x = DRAWS["gamma"](RNG(1), 2000)
        from scipy.stats import gamma, weibull_min

        k, _, theta = gamma.fit(x, floc=0)
        assert FAMILIES["gamma"](x).log_likelihood == pytest.approx(
            gamma.logpdf(x, k, 0, theta).sum(), rel=1e-6
        )
        c, _, scale = weibull_min.fit(x, floc=0)
        assert FAMILIES["weibull"](x).log_likelihood == pytest.approx(
            weibull_min.logpdf(x, c, 0, scale).sum(), rel=1e-5
        )

    def test_nothing_fits_what_does_not_vary(self):
        assert fitted(np.ones(10), tuple(FAMILIES)) == []
        assert fitted(np.array([1.0, 2, 0]), ("gamma", "weibull")) == []
