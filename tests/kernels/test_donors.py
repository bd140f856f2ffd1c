"""Donors, against the list of all that may give."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tarnkappe.kernels.donors import unlike_donors, unlike_units


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 3)), max_size=30), st.integers(0, 99))
def test_a_donor_is_like_and_unlike(pairs, seed):
    alike, other = (np.array([p[i] for p in pairs], dtype=np.int64) for i in (0, 1))
    donors = unlike_donors(alike, other, np.random.default_rng(seed))
    for i, donor in enumerate(donors):
        may = [j for j in range(len(pairs)) if alike[j] == alike[i] and other[j] != other[i]]
        assert donor in may if may else donor == -1


def test_every_donor_has_the_same_chance():
    alike, other = np.zeros(5, dtype=np.int64), np.array([0, 1, 1, 2, 2])
    draw = np.random.default_rng(7)
    drawn = [unlike_donors(alike, other, draw)[0] for _ in range(8000)]
    counts = np.bincount(drawn, minlength=5)[1:]
    assert counts.sum() == 8000
    assert np.abs(counts - 2000).max() < 4.5 * np.sqrt(2000 * 0.75)  # wrong alarms: below 1 in 30,000


def units(lists):
    """Kinds of records unit by unit, ascending in each, and where units begin."""
    kinds = np.array([kind for unit in lists for kind in sorted(unit)], dtype=np.int64)
    return kinds, np.concatenate([[0], np.cumsum([len(unit) for unit in lists])]).astype(np.int64)


@given(
    st.lists(st.tuples(st.integers(0, 2), st.lists(st.integers(0, 5), min_size=1, max_size=4)), max_size=30),
    st.integers(0, 99),
)
def test_a_unit_has_nothing_in_common_with_its_donor(pairs, seed):
    alike, lists = np.array([p[0] for p in pairs], dtype=np.int64), [p[1] for p in pairs]
    donors = unlike_units(alike, *units(lists), np.random.default_rng(seed))
    for i, donor in enumerate(donors):
        may = [j for j in range(len(pairs)) if alike[j] == alike[i] and not set(lists[i]) & set(lists[j])]
        assert donor in may if may else donor == -1


@pytest.mark.parametrize("takers", [80, 3000])
def test_every_unit_that_may_give_has_the_same_chance(takers):
    """In a small group all are looked at, in a large one some are drawn: χ² with 19 degrees of freedom, seven standard deviations."""
    giving, draw = 20, np.random.default_rng(7)
    lists = (
        [[0, 1]] * takers + [[2, 3]] * giving if takers == 80 else [[0, 1]] * takers + [[2, 3]] * 20 * giving
    )
    alike = np.zeros(len(lists), dtype=np.int64)
    drawn = np.concatenate([unlike_units(alike, *units(lists), draw)[:takers] for _ in range(25)])
    counts = np.bincount((drawn - takers) % giving, minlength=giving)
    assert counts.sum() == 25 * takers
    expected = 25 * takers / giving
    assert ((counts - expected) ** 2 / expected).sum() < 19 + 7 * np.sqrt(2 * 19)


def test_a_donor_that_is_rare_in_a_large_group_may_not_be_found():
    """One of ten thousand has nothing in common with the others: a hundred draws hardly find it, and are the end."""
    lists = [[0]] * 9_999 + [[1]]
    donors = unlike_units(np.zeros(10_000, dtype=np.int64), *units(lists), np.random.default_rng(1))
    assert set(donors[:9_999].tolist()) == {-1, 9_999}
    assert 0.005 < np.mean(donors[:9_999] == 9_999) < 0.015
    assert donors[9_999] in range(9_999)
