"""Counting nearer points against every distance."""

import numpy as np
import pytest

from tarnkappe.kernels.grove import LEAF, plant
from tarnkappe.kernels.nearer import SOON, Asked, nearer
from tarnkappe.kernels.nearest_original import Originals

SHAPES = [(1, 1), (2, 3), (LEAF, 2), (LEAF + 1, 2), (700, 1), (700, 4), (1500, 10)]


def points(n, p, whole, seed=1):
    rng = np.random.default_rng(seed)
    x = rng.integers(0, 4, (n, p)).astype(float) if whole else rng.normal(size=(n, p))
    return x, x + 0.4 * rng.normal(size=(n, p)), rng


def squared(x, y):
    return sum((x[None, :, j] - y[:, None, j]) ** 2 for j in range(x.shape[1]))


def counted(x, y, but, reach, most=10_000):
    """Every distance is computed."""
    d = squared(x, y)
    d[np.arange(len(y)), but] = np.inf
    return np.minimum((d < reach[:, None]).sum(axis=1), most)


@pytest.mark.parametrize("whole", [False, True])
@pytest.mark.parametrize(("n", "p"), SHAPES)
@pytest.mark.parametrize("most", [1, 3, 10_000])
def test_counts(n, p, whole, most):
    x, y, rng = points(n, p, whole)
    but, reach = rng.integers(0, n, n), rng.exponential(1.0, n) * p
    reach[::5] = 0.0
    assert np.array_equal(nearer(plant(x), Asked(y, but, reach), most), counted(x, y, but, reach, most))


@pytest.mark.parametrize("whole", [False, True])
def test_counts_in_more_leaves_than_are_looked_into_nearest_first(whole):
    x, y, rng = points(8000, 6, whole)
    y, but, reach = y[:200], rng.integers(0, 8000, 200), rng.exponential(6.0, 200)
    expected = counted(x, y, but, reach)
    assert expected.max() > 2 * SOON * LEAF
    assert np.array_equal(nearer(plant(x), Asked(y, but, reach), 10_000), expected)


@pytest.mark.parametrize("whole", [False, True])
@pytest.mark.parametrize("leaves", [1, 2])
def test_a_short_search_finds_no_more_than_there_are(whole, leaves):
    x, y, rng = points(3000, 3, whole)
    own, reach = np.arange(3000), rng.exponential(0.3, 3000)
    found = nearer(plant(x), Asked(y, own, reach), 5, leaves)
    expected = counted(x, y, own, reach, 5)
    assert (found <= expected).all()
    assert np.mean(found == expected) > 0.3
    assert (found < expected).any()
    enough = nearer(plant(x), Asked(y, own, reach), 5, 3000)
    assert np.array_equal(enough, expected)


@pytest.mark.parametrize(
    ("shift", "scale", "far"), [(1e9, 1.0, 1.0), (0.0, 1e150, 1.0), (0.0, 1e-150, 1.0), (0.0, 1.0, 1e30)]
)
def test_counts_wherever_the_points_lie(shift, scale, far):
    """Far from zero, huge, tiny, and asked from far outside: what the short numbers cannot tell is measured."""
    x, y, _ = points(500, 4, whole=False)
    x, y = x * scale + shift, y * scale * far + shift
    own = np.arange(500)
    reach = squared(x, y)[own, own]
    expected = counted(x, y, own, reach)
    assert far > 1 or 0 < (expected == 0).sum() < 500
    assert np.array_equal(nearer(plant(x), Asked(y, own, reach), 500), expected)


@pytest.mark.parametrize("whole", [False, True])
@pytest.mark.parametrize(("n", "p"), SHAPES)
def test_linked(n, p, whole):
    """Linked is who has no other original as near; values on a grid are full of ties and of equal originals."""
    x, y, rng = points(n, p, whole)
    if whole:
        y = x + rng.integers(0, 2, (n, p)) / 2
    own = rng.permutation(n)
    d = ((x[None] - y[:, None]) ** 2).sum(axis=2)
    right = d[np.arange(n), own].copy()
    d[np.arange(n), own] = np.inf
    assert np.array_equal(Originals(x).linked(y, own), right < d.min(axis=1) * (1 - 1e-12))


def test_equal_originals_are_told_apart_by_nobody():
    x = np.array([[0.0], [0.0], [1.0]])
    assert Originals(x).linked(x, np.arange(3)).tolist() == [False, False, True]
    assert Originals(x).recognised(x, np.arange(3), 1).all()
    assert Originals(x[:0]).linked(x[:0], np.arange(0)).tolist() == []


def test_points_that_nearly_coincide_and_a_question_from_far_outside():
    x = np.array([[1.6, 0.0], [1.6, 1.2e-154]])
    asked = Asked(np.array([[1.64, -0.02]] * 2), np.array([0, 1]), np.array([0.003, 1e-6]))
    assert nearer(plant(x), asked, 1).tolist() == [1, 0]


@pytest.mark.parametrize("lead", [0.0, 0.05, 0.5, 100.0])
@pytest.mark.parametrize("rank_limit", [1, 3])
def test_recognised_by_a_lead(lead, rank_limit):
    x, y, _ = points(300, 3, whole=False)
    own = np.arange(300)
    d = np.sqrt(((x[None] - y[:, None]) ** 2).sum(axis=2))
    right = d[own, own].copy()
    d[own, own] = np.inf
    originals = Originals(x)
    found, doubted = originals.recognised(y, own, rank_limit), originals.doubted(y, own, rank_limit, lead)
    assert np.array_equal(found, (d < right[:, None]).sum(axis=1) < rank_limit)
    assert np.array_equal(doubted, (d < right[:, None] - lead).sum(axis=1) < rank_limit)
    assert found.any() and not found.all()


def test_everybody_who_is_recognised_is_doubted():
    x, y, _ = points(20_000, 5, whole=False)
    own, originals = np.arange(20_000), Originals(x)
    found, doubted = originals.recognised(y, own, 2), originals.doubted(y, own, 2, 0.0)
    assert (found <= doubted).all()
    assert found.sum() <= doubted.sum() < 1.05 * found.sum()
