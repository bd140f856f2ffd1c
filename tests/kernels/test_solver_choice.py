"""The cheapest choice: what trying all finds, nothing where there is nothing, and no proof where the search was cut short."""

from itertools import product

import numpy as np
import pytest
from scipy.sparse import csc_array

from tarnkappe.solve import Choice, highs


def drawn(seed):
    """Cover every row a number of times; every column up to twice."""
    rng = np.random.default_rng(seed)
    matrix = (rng.random((6, 7)) < 0.4).astype(float)
    low = rng.integers(0, 3, 6).astype(float)
    price = rng.integers(1, 9, 7) / 2
    return matrix, low, price


def choice(matrix, low, price, **changed):
    rows, columns = matrix.shape
    given = {
        "price": price, "matrix": csc_array(matrix), "low": low, "high": np.full(rows, np.inf), "most": np.full(columns, 2.0),
        "whole": np.ones(columns, bool),
    }  # fmt: skip
    return Choice(**(given | changed))


@pytest.mark.parametrize("seed", range(20))
def test_no_choice_is_cheaper(seed):
    matrix, low, price = drawn(seed)
    all_points = np.array(list(product(range(3), repeat=7)))
    good = (all_points @ matrix.T >= low).all(axis=1)
    found = highs.Highs().choose(choice(matrix, low, price))
    if not good.any():
        assert found is None
        return
    assert found.proven
    assert found.value == pytest.approx((all_points[good] @ price).min())
    assert (matrix @ found.point >= low).all() and np.array_equal(found.point, np.rint(found.point))


def test_bounds_and_parts_of_a_whole():
    """Two halves where numbers need not be whole, one of each where they must; no more than there are."""
    matrix, low, price = np.array([[2.0, 2.0]]), np.array([3.0]), np.array([1.0, 2.0])
    solver = highs.Highs()
    assert solver.choose(choice(matrix, low, price, whole=np.zeros(2, bool))).value == pytest.approx(1.5)
    assert solver.choose(choice(matrix, low, price)).value == pytest.approx(2.0)
    assert solver.choose(choice(matrix, low, price, most=np.ones(2))).value == pytest.approx(3.0)
    assert solver.choose(choice(matrix, low, price, most=np.zeros(2))) is None
    assert solver.choose(choice(matrix, low, price, high=np.array([2.5]))) is None


def test_a_search_that_was_cut_short_says_so(monkeypatch):
    """A split of numbers into equal halves that does not exist: the root alone cannot tell."""
    monkeypatch.setattr(highs, "NODES", 1)
    rng = np.random.default_rng(1)
    weights = rng.integers(10**5, 10**6, 40).astype(float)
    half = np.array([weights.sum() / 2 - 0.25])
    found = highs.Highs().choose(choice(weights[np.newaxis], half, weights, most=np.ones(40)))
    assert found is not None and not found.proven
