"""A start near the wanted correlations."""

import numpy as np
import pytest

from tarnkappe.kernels.copula import drawn_sources
from tarnkappe.kernels.series import Series


def single(starts):
    """Blocks of single records."""
    return Series(np.asarray(starts), np.ones(len(starts) - 1, dtype=np.int64))


def firms(n, seed=1):
    rng = np.random.default_rng(seed)
    x = np.exp(0.6 * rng.normal(size=(n, 4)) + 0.8 * rng.normal(size=(n, 1)))
    return (x - x.mean(axis=0)) / x.std(axis=0)


@pytest.mark.parametrize("q", [1, 3, 4])
def test_correlations_are_near_and_independent_of_the_old_places(q):
    z = firms(30_000)
    source = drawn_sources(z, q, single([0, 10_000, 30_000]), np.random.default_rng(3))
    now = z.copy()
    for j in range(q):
        now[:, j] = z[source[:, j], j]
    wanted, got = z.T @ z / len(z), now.T @ now / len(z)
    assert np.abs(wanted - got).max() < 0.1 < wanted[0, 1]
    if q == 4:
        assert abs(np.corrcoef(now[:, 0], z[:, 0])[0, 1]) < 0.05


@pytest.mark.parametrize("sizes", [[], [1], [2], [1, 2, 3, 1, 5], [2] * 40])
@pytest.mark.parametrize("q", [1, 3])
def test_every_block_is_a_permutation_without_a_fixed_point(sizes, q):
    starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    n = int(starts[-1])
    z = firms(n) if n > 1 else np.zeros((n, 4))
    for seed in range(5):
        source = drawn_sources(z, q, single(starts), np.random.default_rng(seed))
        for j in range(q):
            for a, b in zip(starts[:-1], starts[1:], strict=True):
                assert np.array_equal(np.sort(source[a:b, j]), np.arange(a, b))
                assert b - a == 1 or (source[a:b, j] != np.arange(a, b)).all()


def test_constant_and_collinear_columns():
    z = firms(500)
    z[:, 1], z[:, 3] = 0.0, z[:, 2]
    source = drawn_sources(z, 2, single([0, 500]), np.random.default_rng(1))
    assert (source != np.arange(500)[:, None]).all()
