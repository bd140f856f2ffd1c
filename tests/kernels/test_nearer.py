"""Counting nearer points against every distance."""

import numpy as np
import pytest

from tarnkappe.kernels.nearer import LEAF, nearer, plant
from tarnkappe.kernels.nearest_original import Originals

SHAPES = [(1, 1), (2, 3), (LEAF, 2), (LEAF + 1, 2), (700, 1), (700, 4), (1500, 10)]


def points(n, p, whole, seed=1):
    rng = np.random.default_rng(seed)
    x = rng.integers(0, 4, (n, p)).astype(float) if whole else rng.normal(size=(n, p))
    return x, x + 0.4 * rng.normal(size=(n, p)), rng


def twice(reach):
    return np.stack([reach, reach], axis=1)


@pytest.mark.parametrize("whole", [False, True])
@pytest.mark.parametrize(("n", "p"), SHAPES)
@pytest.mark.parametrize("most", [1, 3, 10_000])
def test_counts(n, p, whole, most):
    x, y, rng = points(n, p, whole)
    but, reach = rng.integers(0, n, n), rng.exponential(1.0, n) * p
    reach[::5] = 0.0
    d = np.zeros((n, n))
    for j in range(p):
        d += (x[None, :, j] - y[:, None, j]) ** 2
    d[np.arange(n), but] = np.inf
    reaches = np.stack([reach, reach * rng.choice([0.0, 0.9, 1.0], n)], axis=1)
    expected = np.minimum((d[:, :, None] < reaches[:, None]).sum(axis=1), most)
    assert np.array_equal(nearer(plant(x), y, but, reaches, most), expected)


@pytest.mark.parametrize(
    ("shift", "scale", "far"), [(1e9, 1.0, 1.0), (0.0, 1e150, 1.0), (0.0, 1e-150, 1.0), (0.0, 1.0, 1e30)]
)
def test_counts_wherever_the_points_lie(shift, scale, far):
    """Far from zero, huge, tiny, and asked from far outside: what the short numbers cannot tell is measured."""
    x, y, _ = points(500, 4, whole=False)
    x, y = x * scale + shift, y * scale * far + shift
    d = sum((x[None, :, j] - y[:, None, j]) ** 2 for j in range(4))
    own = np.arange(500)
    reach = d[own, own].copy()
    d[own, own] = np.inf
    expected = (d < reach[:, None]).sum(axis=1)
    assert far > 1 or 0 < (expected == 0).sum() < 500
    assert np.array_equal(nearer(plant(x), y, own, twice(reach), 500)[:, 0], expected)


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
    reach = twice(np.array([0.003, 1e-6]))
    assert nearer(plant(x), np.array([[1.64, -0.02]] * 2), np.array([0, 1]), reach, 1)[:, 0].tolist() == [
        1,
        0,
    ]


@pytest.mark.parametrize("lead", [0.0, 0.05, 0.5, 100.0])
@pytest.mark.parametrize("rank_limit", [1, 3])
def test_recognised_by_a_lead(lead, rank_limit):
    x, y, _ = points(300, 3, whole=False)
    own = np.arange(300)
    d = np.sqrt(((x[None] - y[:, None]) ** 2).sum(axis=2))
    right = d[own, own].copy()
    d[own, own] = np.inf
    found, with_lead = Originals(x).recognised_by(y, own, rank_limit, lead)
    assert np.array_equal(found, (d < right[:, None]).sum(axis=1) < rank_limit)
    assert np.array_equal(with_lead, (d < right[:, None] - lead).sum(axis=1) < rank_limit)
    assert found.any() and not found.all()
