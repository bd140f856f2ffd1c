import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference.fellegi_sunter import compared
from tarnkappe.kernels.comparison import best, between, counted, grades, levels_of, side, table

TOLERANCES = [(0.0,), (0.0, 1.0, 2.5), (0.5,)]


def files(seed, n=9, m=7, blocks=3, gaps=0.1):
    draw = np.random.default_rng(seed)
    one, other = (draw.integers(0, 5, (k, 3)).astype(float) for k in (n, m))
    for values in (one, other):
        values[draw.random(values.shape) < gaps] = np.nan
    return one, other, draw.integers(0, blocks, n), draw.integers(0, blocks, m)


def number(levels, grade):
    unknown = grade.sizes - 1
    return int(sum((unknown[k] if at is None else at) * grade.strides[k] for k, at in enumerate(levels)))


@pytest.mark.parametrize("seed", range(20))
def test_counts_are_those_of_all_pairs(seed):
    one, other, in_one, in_other = files(seed)
    grade = grades(TOLERANCES)
    counts = counted(side(one, in_one, 3), side(other, in_other, 3), grade)
    expected = np.zeros(grade.patterns, dtype=int)
    for levels in compared(one, other, (in_one, in_other), TOLERANCES).values():
        expected[number(levels, grade)] += 1
    assert counts.tolist() == expected.tolist()


@pytest.mark.parametrize("seed", range(20))
def test_best_pairs_are_those_of_all_pairs(seed):
    one, other, in_one, in_other = files(seed)
    grade = grades(TOLERANCES)
    weights = np.random.default_rng(seed).integers(0, 4, grade.patterns).astype(float)
    a, b = side(one, in_one, 3), side(other, in_other, 3)
    found = best(a, b, grade, weights)
    pairs = compared(one, other, (in_one, in_other), TOLERANCES)
    for i in range(len(one)):
        mine = [weights[number(levels, grade)] for (k, _), levels in pairs.items() if k == i]
        assert found.weight[a.of[i]] == (max(mine) if mine else -np.inf)
        assert found.ties[a.of[i]] == (mine.count(max(mine)) if mine else 0)


@given(st.integers(0, 10_000))
def test_levels_and_patterns_say_the_same(seed):
    one, other, _, _ = files(seed, n=4, m=4, blocks=1)
    grade = grades(TOLERANCES)
    patterns = between(one, np.arange(4), other, np.arange(4), grade)
    pairs = compared(one, other, (np.zeros(4), np.zeros(4)), TOLERANCES)
    for i, levels in enumerate(levels_of(patterns, grade)):
        told = [size - 1 if at is None else at for at, size in zip(pairs[i, i], grade.sizes, strict=True)]
        assert levels.tolist() == told


def test_equal_records_are_taken_together_within_blocks():
    values = np.array([[1.0, np.nan], [1.0, np.nan], [1.0, 2.0], [1.0, np.nan]])
    found = side(values, np.array([1, 1, 1, 0]), 3)
    assert found.times.tolist() == [1, 2, 1]
    assert found.starts.tolist() == [0, 1, 3, 3]
    np.testing.assert_array_equal(found.values[found.of], values)


def test_a_table_has_the_weights_of_one_block():
    one, other, in_one, in_other = files(3, blocks=2)
    grade = grades(TOLERANCES)
    weights = np.arange(grade.patterns, dtype=float)
    a, b = side(one, in_one, 2), side(other, in_other, 2)
    for block in range(2):
        rows, columns = (np.arange(*s.starts[block : block + 2]) for s in (a, b))
        found = table(a, b, grade, weights, block)
        assert found.shape == (len(rows), len(columns))
        for i, row in enumerate(rows):
            np.testing.assert_array_equal(
                found[i], between(a.values, np.full(len(columns), row), b.values, columns, grade)
            )


def test_edges_of_tolerances_and_signed_zero():
    grade = grades([(0.0, 1.0)])
    one, other = np.array([[0.0]]), np.array([[-0.0], [1.0], [1.0000001], [np.nan], [-1.0]])
    found = between(one, np.zeros(5, dtype=np.int64), other, np.arange(5), grade)
    assert found.tolist() == [0, 1, 2, 3, 1]


def test_files_without_records():
    nothing = side(np.zeros((0, 3)), np.zeros(0, dtype=np.int64), 2)
    some = side(np.zeros((2, 3)), np.array([0, 1]), 2)
    grade = grades(TOLERANCES)
    assert counted(nothing, some, grade).sum() == 0
    assert best(some, nothing, grade, np.zeros(grade.patterns)).weight.tolist() == [-np.inf, -np.inf]
