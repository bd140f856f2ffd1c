from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tarnkappe.kernels.predicates import (
    AT_LEAST,
    AT_MOST,
    EQUAL,
    Predicates,
    alone_in_part,
    distinct,
    index,
    matches,
)


def slow(codes, columns, signs, asked):
    fitting = 0
    for record in codes.T:
        fitting += all(
            {EQUAL: record[j] == v, AT_MOST: 0 <= record[j] <= v, AT_LEAST: record[j] >= v}[s]
            for j, s, v in zip(columns, signs, asked, strict=True)
        )
    return fitting


@settings(max_examples=60)
@given(st.integers(0, 10**6), st.integers(1, 30), st.integers(1, 4), st.integers(1, 3))
def test_matches_are_those_of_a_plain_count(seed, n, p, m):
    draw = np.random.default_rng(seed)
    codes = draw.integers(-2, 5, (p, n))
    columns = draw.integers(0, p, (8, m))
    asked = draw.integers(0, 5, (8, m))
    signs = draw.choice([AT_MOST, EQUAL, AT_LEAST], (8, m))
    asked = np.where((signs == EQUAL) & (draw.random((8, m)) < 0.2), -1, asked)
    found, one = matches(index(codes), Predicates(columns, signs, asked), n)
    assert found.tolist() == [slow(codes, *rows) for rows in zip(columns, signs, asked, strict=True)]
    assert ((one >= 0) == (found > 0)).all()
    few, _ = matches(index(codes), Predicates(columns, signs, asked), 2)
    assert few.tolist() == np.minimum(found, 3).tolist()
    for a in np.flatnonzero(found):
        assert slow(codes[:, [one[a]]], columns[a], signs[a], asked[a]) == 1


@pytest.mark.parametrize(("size", "part"), [(6, 1), (6, 3), (6, 6), (5, 4)])
def test_alone_in_a_part_by_counting_all_parts(size, part):
    counts = np.arange(size + 1)
    every = list(combinations(range(size), part))
    expected = [sum(sum(i < c for i in chosen) == 1 for chosen in every) / len(every) for c in counts]
    assert alone_in_part(counts, size, part) == pytest.approx(expected, abs=1e-12)


def test_distinct_keeps_the_first_of_equals_in_their_order():
    one = np.array([[2], [1], [2], [1]])
    zero = np.zeros((4, 1), dtype=np.int64)
    kept = distinct(Predicates(one, zero, np.array([[5], [5], [5], [6]])))
    assert (kept.columns.ravel().tolist(), kept.codes.ravel().tolist()) == ([2, 1, 1], [5, 5, 6])
