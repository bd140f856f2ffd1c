"""The corrected moments against sums written out record by record."""

import numpy as np
import pytest
import statsmodels.api as sm

from tarnkappe.kernels.corrected_moments import (
    Rules,
    Shrink,
    contributions,
    sandwich,
    second_moments,
    smallest_eigenvalue,
    solved,
    spread_before,
)
from tarnkappe.kernels.left_out import changes, pieces, summed


@pytest.fixture
def case():
    g = np.random.default_rng(3)
    n, k = 12, 4
    z = g.normal(size=(n, k))
    centred = z - z.mean(axis=0)
    share = np.zeros((k, k))
    share[1:3, 1:3] = 0.2
    m = np.ones((k, k))
    m[3, 3] = 1.1
    t = np.zeros((k, k))
    t[1, 1] = -0.05
    shrink = Shrink(share, centred, g.uniform(0.5, 1, n), np.zeros(n, dtype=np.int64))
    rules = Rules(m, t, (shrink,), {(0, 0): z[:, 0], (0, 2): None})
    return z, g.integers(0, 3, n).astype(float), rules


def written_out(z, weight, rules):
    """Every record's matrix, one after the other."""
    out = []
    for i in range(len(z)):
        one = weight[i] * (np.outer(z[i], z[i]) / rules.divisor + rules.constant)
        for (j, k), product in rules.pairs.items():
            one[j, k] = one[k, j] = weight[i] * (
                (0 if product is None else product[i]) + rules.constant[j, k]
            )
        for s in rules.shrinks:
            one -= s.weight[i] * s.share * np.outer(s.centred[i], s.centred[i])
        out.append(one)
    return np.array(out)


def test_sums(case):
    z, weight, rules = case
    expected = written_out(z, weight, rules)
    np.testing.assert_allclose(second_moments(z, weight, rules), expected.sum(axis=0), atol=1e-12)


def test_contributions(case):
    z, weight, rules = case
    theta = np.array([1.0, -2.0, 0.5, 3.0])
    expected = np.array([one @ theta for one in written_out(z, weight, rules)])
    np.testing.assert_allclose(contributions(z, weight, rules, theta), expected, atol=1e-12)


def test_counted_several_times(case):
    z, weight, rules = case
    times = np.arange(len(z)) % 3.0
    expected = (written_out(z, weight, rules) * times[:, None, None]).sum(axis=0)
    np.testing.assert_allclose(second_moments(z, weight, rules, times), expected, atol=1e-12)


def test_pieces(case):
    z, weight, rules = case
    np.testing.assert_allclose(pieces(z, weight, rules), written_out(z, weight, rules), atol=1e-12)


@pytest.mark.parametrize("clusters", [None, np.arange(60) // 2])
def test_changes_are_those_of_solving_again(clusters):
    """Every record, or cluster, left out in earnest."""
    g = np.random.default_rng(5)
    z, weight = np.column_stack([np.ones(60), g.normal(size=(60, 3))]), g.uniform(0.5, 2, 60)
    divisor, share = np.ones((4, 4)), np.zeros((4, 4))
    divisor[1, 1], share[2, 2] = 1.1, 0.1
    shrink = Shrink(share, z - z.mean(axis=0), weight, np.zeros(60, dtype=np.int64))
    rules = Rules(divisor, np.zeros((4, 4)), (shrink,))
    moments = second_moments(z, weight, rules)
    beta, inverse = solved(moments)
    scores = -contributions(z, weight, rules, np.append(beta, -1.0))[:, :-1]
    matrices = pieces(z, weight, rules)
    found = changes(summed(matrices[:, :-1, :-1], clusters), summed(scores, clusters), inverse)
    again = np.array([beta - solved(moments - one)[0] for one in summed(matrices, clusters)])
    np.testing.assert_allclose(found, again, atol=1e-9)


def test_left_out_is_hc3():
    """In least squares g/(1 - h): statsmodels' HC3."""
    g = np.random.default_rng(4)
    x, y = sm.add_constant(g.lognormal(0, 1, (30, 2))), g.normal(size=30)
    z, rules = np.column_stack([x, y]), Rules.plain(4)
    beta, inverse = solved(second_moments(z, np.ones(30), rules))
    scores = contributions(z, np.ones(30), rules, np.append(beta, -1.0))[:, :-1]
    found = changes(pieces(z, np.ones(30), rules)[:, :-1, :-1], scores, inverse)
    np.testing.assert_allclose(found.T @ found, sm.OLS(y, x).fit(cov_type="HC3").cov_params())


def test_the_only_record_of_a_category_has_its_plain_influence():
    x = np.column_stack([np.ones(5), np.eye(5)[0]])
    z, rules = np.column_stack([x, np.arange(5.0)]), Rules.plain(3)
    beta, inverse = solved(second_moments(z, np.ones(5), rules))
    scores = -contributions(z, np.ones(5), rules, np.append(beta, -1.0))[:, :-1]
    found = changes(pieces(z, np.ones(5), rules)[:, :-1, :-1], scores, inverse)
    assert np.isfinite(found).all()
    np.testing.assert_allclose(found[0], scores[0] @ inverse)


def test_clusters_are_sums():
    g = np.random.default_rng(1)
    scores, inverse = g.normal(size=(10, 2)), np.eye(2) * 2
    of = np.arange(10) // 2
    sums = scores.reshape(5, 2, 2).sum(axis=1)
    expected = 5 / 4 * 9 / 8 * inverse @ (sums.T @ sums) @ inverse
    np.testing.assert_allclose(sandwich(inverse, scores, of, 10), expected)


def test_spread_of_the_original():
    """Cov(x'Lx) from x plus proportional normal noise; five standard errors of 200 files, seen over their spread."""
    g = np.random.default_rng(11)
    n, d = 500, 0.3
    form = np.array([[1.0, 0.2], [0.2, -0.5]])
    found, true = [], []
    for _ in range(200):
        x = g.normal(size=(n, 2)) @ np.array([[1.0, 0.0], [0.6, 0.8]]).T
        s = np.cov(x.T, ddof=0)
        z = x + g.multivariate_normal(np.zeros(2), d * s, n)
        c = z - z.mean(axis=0)
        shrink = Shrink(np.full((2, 2), d / (1 + d)), c, np.ones(n), np.zeros(n, dtype=np.int64))
        found.append(spread_before(shrink, c, form[None])[0, 0] / n)
        true.append(((x @ form) * x).sum(axis=1).var())
    difference = np.array(found) - np.array(true)
    assert abs(difference.mean()) < 5 * difference.std() / np.sqrt(200)
    assert difference.std() < np.mean(true)


def test_eigenvalues_do_not_depend_on_units():
    a = np.array([[2.0, 1.0], [1.0, 3.0]])
    scale = np.array([1e-9, 1e9])
    assert smallest_eigenvalue(a) == pytest.approx(smallest_eigenvalue(a * np.outer(scale, scale)))
    assert smallest_eigenvalue(np.array([[1.0, 2.0], [2.0, 1.0]])) < 0
    assert smallest_eigenvalue(np.array([[1.0, np.nan], [np.nan, 1.0]])) == -np.inf


def test_solution_is_that_of_the_normal_equations():
    g = np.random.default_rng(2)
    z = g.normal(size=(30, 4))
    beta, inverse = solved(z.T @ z)
    np.testing.assert_allclose(beta, np.linalg.lstsq(z[:, :-1], z[:, -1], rcond=None)[0])
    np.testing.assert_allclose(inverse, np.linalg.inv(z[:, :-1].T @ z[:, :-1]))
