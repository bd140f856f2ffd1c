"""What a larger sample would show: conditions whose weights are known, counted in a smaller one."""

import numpy as np
import pytest

from tarnkappe.kernels.larger_sample import MANY, alone_in_larger

N = 10_000


def weights(kind, draw, count=3000):
    if kind == "rare":
        return np.full(count, 0.02 / N)
    if kind == "about one":
        return np.full(count, 1 / N)
    if kind == "frequent":
        return np.full(count, 0.3)
    return (
        np.exp(draw.normal(0.0, 2.0, count)) / N
    )  # from hardly anybody to hundreds, as conditions on real columns


@pytest.mark.parametrize("part", [2, 3, 5])
@pytest.mark.parametrize("kind", ["rare", "about one", "frequent", "spread"])
def test_known_weights(kind, part):
    draw = np.random.default_rng(part)
    w = weights(kind, draw)
    truth = np.mean(N * w * (1 - w) ** (N - 1))
    size = N // part
    found = [alone_in_larger(draw.binomial(size, w), size, N, draw) for _ in range(4)]
    share, error = np.mean(found, axis=0)
    assert share == pytest.approx(truth, abs=0.01 * part)
    assert sum(abs(s - truth) <= 2 * e + 0.006 * part for s, e in found) >= 3
    assert error < 0.05


def test_the_error_is_that_of_other_conditions():
    draw = np.random.default_rng(1)
    runs = []
    for _ in range(16):
        w = weights("spread", draw, 1000)
        runs.append(alone_in_larger(draw.binomial(N // 2, w), N // 2, N, draw))
    shares, errors = np.array(runs).T
    assert np.mean(errors) == pytest.approx(shares.std(), rel=0.6)


def test_none_all_and_very_many_fit():
    draw = np.random.default_rng(2)
    assert alone_in_larger(np.zeros(50, int), 100, 200, draw) == (
        pytest.approx(0, abs=0.02),
        pytest.approx(0, abs=0.01),
    )
    assert alone_in_larger(np.full(50, MANY), 100, 200, draw) == (0, 0)
    assert alone_in_larger(np.full(50, 100), 100, 200, draw) == (0, 0)
    assert 0 <= alone_in_larger(np.array([1]), 1, 2, draw)[0] <= 1
