import numpy as np
import pytest

from reference.fellegi_sunter import highest_total
from tarnkappe.kernels import one_to_one
from tarnkappe.kernels.comparison import between, grades, side
from tarnkappe.kernels.one_to_one import assigned

GRADE = grades([(0.0, 1.0), (0.0,)])


def problem(seed, n, m, blocks=2, kinds=4):
    draw = np.random.default_rng(seed)
    one, other = (draw.integers(0, kinds, (k, 2)).astype(float) for k in (n, m))
    in_one, in_other = draw.integers(0, blocks, n), draw.integers(0, blocks, m)
    weights = np.round(draw.normal(size=GRADE.patterns), 3)
    return side(one, in_one, blocks), side(other, in_other, blocks), weights, (in_one, in_other)


def total(found, a, b, weights):
    return float((weights[between(a.values, found.one, b.values, found.other, GRADE)] * found.times).sum())


@pytest.mark.parametrize("seed", range(15))
def test_the_total_is_the_highest(seed):
    a, b, weights, blocks = problem(seed, 6, 7)
    found = assigned(a, b, GRADE, weights, np.random.default_rng(1))
    expected = 0.0
    for block in range(2):
        rows, columns = (np.flatnonzero(of == block) for of in blocks)
        if len(rows) and len(columns):
            table = [
                weights[between(a.values, np.full(len(columns), a.of[i]), b.values, b.of[columns], GRADE)].tolist()
                for i in rows
            ]  # fmt: skip
            expected += highest_total(table)
    assert total(found, a, b, weights) == pytest.approx(expected)
    assert found.greedy == 0


@pytest.mark.parametrize("cells", [0, 10**9])
@pytest.mark.parametrize("seed", range(8))
def test_no_record_is_used_twice_and_as_many_as_possible_are(seed, cells, monkeypatch):
    monkeypatch.setattr(one_to_one, "CELLS", cells)
    a, b, weights, blocks = problem(seed, 40, 30, blocks=3)
    found = assigned(a, b, GRADE, weights, np.random.default_rng(1))
    for which, kinds in ((found.one, a), (found.other, b)):
        assert (np.bincount(which, weights=found.times, minlength=len(kinds.times)) <= kinds.times).all()
    sizes = [np.bincount(of, minlength=3) for of in blocks]
    assert found.times.sum() == np.minimum(*sizes).sum()
    assert (found.greedy > 0) == (cells == 0)


@pytest.mark.parametrize("seed", range(8))
def test_greedy_leaves_no_pair_that_both_would_prefer(seed, monkeypatch):
    monkeypatch.setattr(one_to_one, "CELLS", 0)
    a, b, weights, _ = problem(seed, 12, 15, blocks=1, kinds=6)
    found = assigned(a, b, GRADE, weights, np.random.default_rng(1))
    worth = weights[between(a.values, found.one, b.values, found.other, GRADE)]
    lowest = [np.full(len(side.times), np.inf) for side in (a, b)]
    for mine, which in zip(lowest, (found.one, found.other), strict=True):
        np.minimum.at(mine, which, worth)
    for which, kinds, mine in ((found.one, a, lowest[0]), (found.other, b, lowest[1])):
        mine[np.bincount(which, weights=found.times, minlength=len(mine)) < kinds.times] = -np.inf
    for i in range(len(a.times)):
        row = weights[between(a.values, np.full(len(b.times), i), b.values, np.arange(len(b.times)), GRADE)]
        assert not ((row > lowest[0][i]) & (row > lowest[1])).any()


@pytest.mark.parametrize("cells", [0, 10**9])
def test_ties_do_not_follow_the_order_of_the_files(cells, monkeypatch):
    """All pairs weigh the same: a record's own is hit about as often as any other, not always."""
    monkeypatch.setattr(one_to_one, "CELLS", cells)
    n = 300
    values = np.stack([np.arange(n, dtype=float), np.zeros(n)], axis=1)
    a = b = side(values, np.zeros(n, dtype=np.int64), 1)
    found = assigned(a, b, GRADE, np.zeros(GRADE.patterns), np.random.default_rng(1))
    assert found.times.sum() == n
    assert found.share(a.of, b.of, (a.times, b.times)).sum() < 10


def test_equal_records_share_what_is_found():
    a = side(np.zeros((4, 2)), np.zeros(4, dtype=np.int64), 1)
    b = side(np.zeros((5, 2)), np.zeros(5, dtype=np.int64), 1)
    found = assigned(a, b, GRADE, np.zeros(GRADE.patterns), np.random.default_rng(1))
    assert found.times.tolist() == [4]
    assert found.share(a.of, b.of[:4], (a.times, b.times)) == pytest.approx(np.full(4, 0.2))


def test_nothing_to_assign():
    a = side(np.zeros((2, 2)), np.zeros(2, dtype=np.int64), 2)
    b = side(np.zeros((2, 2)), np.ones(2, dtype=np.int64), 2)
    found = assigned(a, b, GRADE, np.zeros(GRADE.patterns), np.random.default_rng(1))
    assert len(found.times) == 0
    assert found.share(a.of, b.of, (a.times, b.times)).tolist() == [0, 0]
