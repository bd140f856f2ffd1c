"""Categories as uniform numbers and back, against the formulas cell by cell (Höhne 2010, L620-645)."""

import numpy as np
import pytest
from scipy.stats import kstest

from tarnkappe.kernels.uniform_categories import categories_of, uniform_columns

SHARES = {0: (0.1, 0.0, 0.3, 0.6), 1: (0.25, 0.5, 0.25, 0.0), 2: (1.0, 0.0, 0.0, 0.0)}


def records(n, seed=1):
    rng = np.random.default_rng(seed)
    stratum = rng.integers(0, len(SHARES), n)
    codes = np.array([rng.choice(4, p=SHARES[s]) for s in stratum])
    return codes, np.array([SHARES[s] for s in stratum]), rng.random((n, 3))


def slowly(codes, shares, z):
    out = z.copy()
    for i, code in enumerate(codes):
        for col in range(3):
            h = shares[i, col]
            if code == col:
                out[i, col] = 1 - h * (1 - z[i, col])
            elif code >= 0:
                out[i, col] = z[i, col] * (1 - h)
    return out


def back_slowly(d, shares):
    out = []
    for row, h in zip(d, shares, strict=True):
        able = [col for col in range(3) if h[col] > 0]
        there = [col for col in able if row[col] >= 1 - h[col]]
        if there:
            out.append(max(there, key=lambda col: row[col]))
        elif h[3] > 0:
            out.append(3)
        else:
            out.append(max(able, key=lambda col: row[col] - (1 - h[col])))
    return out


def test_as_the_formulas_say():
    codes, shares, z = records(500)
    codes[::17] = -1
    d = uniform_columns(codes, shares, z)
    np.testing.assert_array_equal(d, slowly(codes, shares, z))
    moved = d + np.random.default_rng(2).normal(0, 0.5, d.shape)
    assert moved.min() < 0 < 1 < moved.max()
    assert categories_of(moved, shares).tolist() == back_slowly(moved, shares)


def test_untouched_numbers_are_the_categories():
    codes, shares, z = records(2000)
    np.testing.assert_array_equal(categories_of(uniform_columns(codes, shares, z), shares), codes)


def test_no_category_that_the_stratum_does_not_have():
    codes, shares, z = records(2000)
    moved = uniform_columns(codes, shares, z) + np.random.default_rng(3).normal(0, 2, z.shape)
    got = categories_of(moved, shares)
    assert (shares[np.arange(2000), got] > 0).all()


def test_the_numbers_are_uniform():
    """Over 20,000 records of one stratum, each column; p below 1e-4 would be a fault (error probability 3e-4 over three columns)."""
    rng = np.random.default_rng(4)
    h = (0.1, 0.2, 0.3, 0.4)
    codes = rng.choice(4, 20_000, p=h)
    d = uniform_columns(codes, np.tile(h, (20_000, 1)), rng.random((20_000, 3)))
    assert min(kstest(column, "uniform").pvalue for column in d.T) > 1e-4


@pytest.mark.parametrize("n", [0, 3])
def test_one_category_only(n):
    assert categories_of(np.zeros((n, 0)), np.ones((n, 1))).tolist() == [0] * n
