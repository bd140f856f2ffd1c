import numpy as np
import pytest

from reference.fellegi_sunter import posterior as plain
from tarnkappe.kernels.comparison import side
from tarnkappe.kernels.hit_miss import (
    LEAST_NOISE,
    Errors,
    category_errors,
    density,
    frequency,
    number_errors,
    of_pairs,
    posterior,
    ratios,
    searched,
)

ERRORS = [Errors(0.0, 0.05), Errors(0.3, 0.1), Errors(0.5, 0.0)]


def files(seed, n=8, m=9, gaps=0.1):
    draw = np.random.default_rng(seed)
    one, other = (
        np.column_stack([draw.integers(0, 3, k), draw.normal(size=(k, 2))]).astype(float) for k in (n, m)
    )
    for values in (one, other):
        values[draw.random(values.shape) < gaps] = np.nan
    return one, other


def anybody(one, other):
    columns = [frequency(one[:, 0], other[:, 0], 3)]
    columns += [density(one[:, j], other[:, j], ERRORS[j].noise) for j in (1, 2)]
    return np.column_stack(columns)


@pytest.mark.parametrize("absent", [0.0, 0.3])
@pytest.mark.parametrize("seed", range(10))
def test_posteriors_are_those_of_all_pairs(seed, absent):
    one, other = files(seed)
    nowhere = np.zeros(len(one), dtype=np.int64)
    a, b = side(one, nowhere, 1), side(other, np.zeros(len(other), dtype=np.int64), 1)
    g = anybody(a.values, other)
    parts = ratios(g, ERRORS)
    found = searched(a, b, parts)
    for i in range(len(a.values)):
        chances, _ = plain(a.values[i], other, ERRORS, g[i], absent)
        got = posterior(
            of_pairs(a, np.full(len(other), i), b, b.of, parts),
            np.full(len(other), found.total[i]),
            np.full(len(other), len(other)),
            absent,
        )
        np.testing.assert_allclose(got, chances, rtol=1e-9, atol=1e-12)
        assert posterior(found.highest[[i]], found.total[[i]], np.array([len(other)]), absent)[
            0
        ] == pytest.approx(max(chances))
        if absent == 0:
            assert sum(chances) == pytest.approx(1)


def test_only_the_block_is_searched_and_equal_records_tie():
    values = np.array([[0.0], [0.0], [0.0], [1.0]])
    a = side(values[:2], np.array([0, 1]), 3)
    b = side(values[[0, 1, 3, 0]], np.array([0, 0, 0, 2]), 3)
    found = searched(a, b, ratios(np.full((2, 1), 0.5), [Errors(0.0, 0.1)]))
    assert found.ties.tolist() == [2, 0]
    assert found.total == pytest.approx([2 * (0.9 / 0.5 + 0.1) + 0.1, 0])
    assert posterior(found.highest, found.total, np.array([3, 0]), 0.0)[1] == 0


def test_errors_of_numbers_are_recovered():
    draw = np.random.default_rng(1)
    x = draw.normal(size=20_000) * 5
    y = np.where(draw.random(20_000) < 0.2, draw.permutation(x), x + 0.1 * draw.normal(size=20_000))
    found = number_errors(y, x, x, None)
    assert found.noise == pytest.approx(0.1, rel=0.05)
    assert found.miss == pytest.approx(0.2, abs=0.02)
    assert number_errors(y, x, x, 0.4).noise == 0.4


def test_mostly_equal_numbers_with_some_noise():
    draw = np.random.default_rng(2)
    x = draw.normal(size=2000)
    found = number_errors(x, x, x, None)
    assert found.noise == LEAST_NOISE
    assert found.miss < 0.01


def test_errors_of_categories_are_recovered():
    draw = np.random.default_rng(3)
    x = draw.choice(4, 20_000, p=[0.4, 0.3, 0.2, 0.1]).astype(float)
    y = np.where(draw.random(20_000) < 0.3, draw.permutation(x), x)
    assert category_errors(y, x, frequency(y, x, 4)).miss == pytest.approx(0.3, abs=0.015)


def test_density_counts_what_is_in_reach():
    released = np.array([0.0, 0.0, 1.0, np.nan, 10.0])
    reach = np.sqrt(3)
    found = density(np.array([0.0, 5.0, np.nan]), released, 1.0)
    assert found == pytest.approx([3.5 / (5 * 2 * reach), 0.5 / (5 * 2 * reach), 1.0])


def test_pairs_without_a_known_value_leave_defined_errors():
    gaps = np.full(3, np.nan)
    assert 0 < number_errors(gaps, gaps, np.ones(3), None).miss < 1
    assert 0 < category_errors(gaps, gaps, np.ones(3)).miss < 1
    assert (frequency(gaps, gaps, 2) == 1).all()


def test_huge_differences_neither_overflow_nor_warn():
    one, other = np.array([[1e200], [0.0]]), np.array([[-1e200], [0.0]])
    a, b = (side(v, np.zeros(2, dtype=np.int64), 1) for v in (one, other))
    found = searched(a, b, ratios(density(a.values[:, 0], other[:, 0], 1.0)[:, None], [Errors(1.0, 0.0)]))
    assert found.total[a.of[0]] == 0
    assert found.ties[a.of[1]] == 1
