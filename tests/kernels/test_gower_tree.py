import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tarnkappe.kernels.gower_tree import HALF, ONE, UNSEEN, cell_distance, grow, middles, nearest, votes


def slow(released, target):
    """Distances to all released records, cell by cell."""
    return np.array(
        [sum(slow_cell(int(a), int(b)) for a, b in zip(row, target, strict=True)) for row in released]
    )


def slow_cell(a, b):
    return HALF if UNSEEN in (a, b) else min(abs(a - b), ONE)


@st.composite
def files(draw):
    seed, n, m, p = draw(
        st.tuples(st.integers(0, 10**6), st.integers(1, 25), st.integers(1, 6), st.integers(1, 4))
    )
    rng = np.random.default_rng(seed)
    kinds = rng.integers(0, 2, p)

    def made(size):
        numbers, codes = rng.integers(0, 5, (size, p)) * (ONE // 4), rng.integers(-1, 3, (size, p)) * 2 * ONE
        cells = np.where(kinds, numbers, codes)
        cells[rng.random((size, p)) < 0.1] = UNSEEN
        return cells.astype(np.int64)

    return made(n), made(m), draw(st.integers(1, n)), rng


@settings(max_examples=60)
@given(files())
def test_nearest_are_those_of_a_plain_search(given):
    released, targets, k, rng = given
    rows, distances = nearest(grow(released), targets, k, rng)
    for t, target in enumerate(targets):
        every = slow(released, target)
        assert distances[t].tolist() == np.sort(every)[:k].tolist()
        assert every[rows[t]].tolist() == distances[t].tolist()
        assert len(set(rows[t])) == k


@settings(max_examples=60)
@given(files())
def test_votes_and_medians_are_those_of_a_plain_search(given):
    released, targets, k, rng = given
    kinds = rng.integers(-2, 4, len(released))
    numbers = np.where(rng.random(len(released)) < 0.3, np.nan, rng.integers(0, 9, len(released)))
    tree = grow(released)
    chosen, middle = votes(tree, targets, k, kinds, 77), middles(tree, targets, k, numbers, 77.0)
    for t, target in enumerate(targets):
        every = slow(released, target)
        near = every <= np.sort(every)[k - 1]
        heard = kinds[near & (kinds >= -1)]
        values, times = np.unique(heard, return_counts=True)
        assert chosen[t] == (values[np.argmax(times)] if len(heard) else 77)
        told = numbers[near & ~np.isnan(numbers)]
        assert middle[t] == (np.median(told) if len(told) else 77)


def test_ties_are_broken_by_chance():
    """Six equal records: each is taken about as often; 6,000 draws, five standard deviations."""
    tree = grow(np.zeros((6, 2), dtype=np.int64))
    rows, distances = nearest(tree, np.zeros((3000, 2), dtype=np.int64), 2, np.random.default_rng(1))
    assert (distances == 0).all()
    assert (rows[:, 0] != rows[:, 1]).all()
    times = np.bincount(rows.ravel(), minlength=6)
    assert np.abs(times - 1000).max() < 5 * np.sqrt(6000 * (1 / 6) * (5 / 6))


def test_a_nearer_record_is_never_displaced_by_ties():
    released = np.array([[0], [5], [5], [5], [5]], dtype=np.int64)
    for seed in range(20):
        rows, _ = nearest(grow(released), np.array([[0]], dtype=np.int64), 2, np.random.default_rng(seed))
        assert rows[0, 0] == 0


@pytest.mark.parametrize(
    ("a", "b", "distance"),
    [
        (0, 0, 0),
        (0, ONE, ONE),
        (0, 9 * ONE, ONE),
        (-2 * ONE, 0, ONE),
        (UNSEEN, 5, HALF),
        (UNSEEN, UNSEEN, HALF),
        (3, 1, 2),
    ],
)
def test_cells(a, b, distance):
    assert cell_distance(a, b) == distance == cell_distance(b, a)
