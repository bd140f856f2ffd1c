"""Estimates of population uniques, on samples from populations that are known."""

from collections import Counter

import numpy as np
import pytest
from scipy.stats import hypergeom

from tarnkappe.kernels.loglinear import fitted_table, main_effects, misfit, pairs_of_keys, single_keys
from tarnkappe.kernels.superpopulation import Sizes, pitman, sizes_of, slide_negative_binomial, zayatz


def sampled(population, share, seed):
    """Class sizes of a simple random sample of persons, who are given by the number of their class."""
    draw = np.random.default_rng(seed)
    chosen = draw.choice(population, int(share * len(population)), replace=False)
    counts = np.bincount(chosen)
    return sizes_of(counts[counts > 0])


def pitman_population(persons, alpha, theta, seed):
    """The urn that leads to Pitman's formula: a new class with probability (θ + classes·α)/(θ + persons)."""
    draw = np.random.default_rng(seed)
    sizes, of = [], np.empty(persons, dtype=np.int64)
    chances, picks, keeps = draw.random(persons), draw.random((persons, 40)), draw.random((persons, 40))
    for i in range(persons):
        if chances[i] * (theta + i) < theta + len(sizes) * alpha:
            sizes.append(0)
            k = len(sizes) - 1
        else:
            tries = (of[int(pick * i)] for pick in picks[i])
            k = next(
                k for k, keep in zip(tries, keeps[i], strict=False) if keep * sizes[k] < sizes[k] - alpha
            )
        of[i] = k
        sizes[k] += 1
    return of


def uniques(population):
    return sum(1 for count in Counter(population.tolist()).values() if count == 1)


@pytest.mark.parametrize("share", [0.1, 0.3])
def test_pitman_finds_the_uniques_of_its_own_population(share):
    """Mean of five samples within 12 % of the truth."""
    population = pitman_population(40_000, 0.5, 300, 1)
    found = [pitman(sampled(population, share, seed), 40_000).uniques for seed in range(5)]
    assert np.mean(found) == pytest.approx(uniques(population), rel=0.12)


def test_pitman_expects_the_uniques_of_the_sample_itself():
    population = pitman_population(20_000, 0.6, 100, 2)
    sample = sampled(population, 1.0, 0)
    assert pitman(sample, 20_000).uniques == pytest.approx(sample.of(1), rel=0.05)


def test_pitman_for_huge_populations_has_digits_left():
    sample = sampled(pitman_population(20_000, 0.6, 100, 2), 0.2, 0)
    small, large = pitman(sample, 1e6).uniques, pitman(sample, 2e6).uniques
    huge, double = pitman(sample, 1e12).uniques, pitman(sample, 2e12).uniques
    assert double / huge == pytest.approx(large / small, rel=1e-3)


@pytest.mark.parametrize("share", [0.1, 0.3])
def test_slide_negative_binomial_finds_the_uniques_of_its_own_population(share):
    """Mean of five samples within 15 % of the truth."""
    draw = np.random.default_rng(4)
    population = np.repeat(np.arange(20_000), 1 + draw.negative_binomial(0.5, 0.1, 20_000))
    found = [
        slide_negative_binomial(sampled(population, share, s), len(population)).uniques for s in range(5)
    ]
    assert np.mean(found) == pytest.approx(uniques(population), rel=0.15)


def test_without_pairs_there_is_no_slide_negative_binomial():
    assert np.isnan(slide_negative_binomial(Sizes(np.array([1, 3]), np.array([5.0, 2.0])), 100).uniques)


def test_zayatz_by_its_formula():
    sample = Sizes(np.array([1, 2, 5]), np.array([30.0, 10.0, 4.0]))
    n, persons = 70, 400
    chances = [hypergeom.pmf(1, persons, s, n) for s in (1, 2, 5)]
    shares = sample.times / sample.times.sum()
    conditional = shares[0] * chances[0] / (shares * chances).sum()
    assert zayatz(sample, persons).uniques == pytest.approx(30 * conditional / (n / persons))


def test_zayatz_of_the_whole_population_counts():
    sample = Sizes(np.array([1, 2, 5]), np.array([30.0, 10.0, 4.0]))
    assert zayatz(sample, 70).uniques == pytest.approx(30)


def table(seed, shape=(3, 4, 2)):
    draw = np.random.default_rng(seed)
    counts = draw.poisson(draw.gamma(1, 3, shape))
    cells = np.argwhere(counts > 0)
    return counts, cells, counts[counts > 0].astype(np.float64)


def test_main_effects_are_products_of_margins():
    counts, cells, filled = table(1)
    n = counts.sum()
    a, b, c = counts.sum(axis=(1, 2)) / n, counts.sum(axis=(0, 2)) / n, counts.sum(axis=(0, 1)) / n
    expected = [n * a[i] * b[j] * c[k] for i, j, k in cells]
    assert main_effects(cells, filled, counts.shape) == pytest.approx(expected)


def design(shape, pairs):
    """The columns of a saturated-in-pairs model, one dummy for every category or pair of categories."""
    grid = np.indices(shape).reshape(len(shape), -1)
    columns = [grid[d] == v for d in range(len(shape)) for v in range(1, shape[d])]
    if pairs:
        columns += [
            (grid[d] == v) & (grid[e] == w)
            for d in range(len(shape)) for e in range(d)
            for v in range(1, shape[d]) for w in range(1, shape[e])
        ]  # fmt: skip
    return np.column_stack([np.ones(grid.shape[1]), *columns]).astype(np.float64)


def poisson(x, y, offset):
    """Poisson regression with a logarithmic link by Newton steps."""
    beta = np.zeros(x.shape[1])
    beta[0] = np.log(y.mean()) - offset.mean()
    for _ in range(100):
        mean = np.exp(x @ beta + offset)
        beta += np.linalg.lstsq(x.T @ (mean[:, None] * x), x.T @ (y - mean), rcond=None)[0]
    return np.exp(x @ beta + offset)


def test_fits_are_those_of_poisson_regression():
    draw = np.random.default_rng(5)
    shape = (3, 4, 2)
    counts = draw.poisson(6, shape) + 1.0
    start = draw.uniform(0.1, 0.9, shape)
    paired = fitted_table(counts, pairs_of_keys(3))
    assert paired.ravel() == pytest.approx(
        poisson(design(shape, True), counts.ravel(), np.zeros(counts.size)), rel=1e-4
    )
    offset = fitted_table(counts, single_keys(3), start)
    assert offset.ravel() == pytest.approx(
        poisson(design(shape, False), counts.ravel(), np.log(start.ravel())), rel=1e-4
    )


def test_main_effects_need_no_table():
    counts, cells, filled = table(2)
    whole = fitted_table(counts.astype(np.float64), single_keys(3))
    assert main_effects(cells, filled, counts.shape) == pytest.approx(whole[tuple(cells.T)])


def test_one_key_is_fitted_exactly():
    counts = np.array([3.0, 0.0, 4.0])
    assert main_effects(np.array([[0], [2]]), counts[[0, 2]], (3,)) == pytest.approx(counts[[0, 2]])
    assert fitted_table(counts, pairs_of_keys(1)) == pytest.approx(counts)


def test_misfit_is_standard_normal_where_the_model_is_right():
    """400 tables with the true means: mean and standard deviation within 0.2 of 0 and 1."""
    draw = np.random.default_rng(9)
    means = draw.gamma(0.5, 0.6, 3000)
    found = [misfit(draw.poisson(means).astype(np.float64), means, 0.1) for _ in range(400)]
    assert np.mean(found) == pytest.approx(0, abs=0.2)
    assert np.std(found) == pytest.approx(1, abs=0.2)


def test_misfit_tells_too_little_from_too_closely():
    draw = np.random.default_rng(10)
    means = draw.gamma(0.3, 1.0, 5000)
    counts = draw.poisson(means).astype(np.float64)
    assert misfit(counts, np.full(5000, counts.mean()), 0.1) > 2
    assert misfit(counts, 0.9 * counts + 0.1 * means, 0.1) < -2
    assert misfit(counts, means, 1.0) == 0
