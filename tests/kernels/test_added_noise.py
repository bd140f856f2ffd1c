"""Loops that add noise, beside the same in arrays."""

import numpy as np
import pytest

from tarnkappe.kernels.added_noise import add_noise, filled_covariance, near_in_any

SCALE = np.array([1.0, 1024.0, 0.25])


def data(seed, n=60):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, 3)) @ rng.normal(size=(3, 3)) * SCALE
    x[rng.random(x.shape) < 0.2] = np.nan
    return rng, x


@pytest.mark.parametrize("n", [0, 1, 2, 60])
def test_covariance_with_gaps_at_the_mean(n):
    _, x = data(n, n)
    shown = ~np.isnan(x)
    count = np.maximum(shown.sum(axis=0), 1)
    z = np.where(shown, x / SCALE - np.where(shown, x / SCALE, 0).sum(axis=0) / count, 0)
    assert np.allclose(filled_covariance(x, SCALE), z.T @ z / np.sqrt(np.outer(count, count)), rtol=1e-12)
    if n == 60:
        whole = np.nan_to_num(x)
        assert np.allclose(filled_covariance(whole, SCALE), np.cov(whole.T / SCALE[:, None], ddof=0))


def test_noise_is_added():
    rng, x = data(1)
    root, white = rng.normal(size=(3, 3)), rng.normal(size=x.shape)
    expected = x + white @ root.T * SCALE
    add_noise(x, SCALE, root, white)
    assert np.allclose(white, expected, rtol=1e-12, equal_nan=True)


def test_who_is_near():
    rng, x = data(2)
    x[0], y = 0.0, x * (1 + 0.2 * rng.normal(size=x.shape))
    expected = (np.abs(y - x) < 0.1 * np.abs(x)).any(axis=1)
    assert 5 < expected.sum() < 55
    assert near_in_any(x, y, SCALE, 0.1).tolist() == expected.tolist()
    assert not near_in_any(x[:1], x[:1], SCALE, 0.1)[0], "no part of zero"
