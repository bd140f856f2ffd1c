"""Donors, against the list of all that may give."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tarnkappe.kernels.donors import unlike_donors


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
