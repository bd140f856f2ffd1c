"""MDAV-generic of Domingo-Ferrer & Torra (2005), Data Mining and Knowledge Discovery 11(2): 195-212, followed by hand.

Ten points on a line, k = 2. Each line below is one step of the printed algorithm; the tree and the list of the rim
that stand in for its passes over all records are not used here.
"""

import numpy as np
import pytest

from tarnkappe.kernels.mdav import mdav_groups

LINE = np.array([0, 1, 3, 4, 9, 10, 14, 20, 22, 31], dtype=float).reshape(-1, 1)


def test_step_by_step():
    expected = {
        frozenset({31, 22}): "1: mean 11.4, farthest 31; its nearest is 22",
        frozenset({0, 1}): "   farthest from 31 is 0; its nearest is 1",
        frozenset({20, 14}): "2: mean of the six left 10, farthest 20; its nearest is 14",
        frozenset({3, 4}): "   farthest from 20 is 3; its nearest is 4",
        frozenset({9, 10}): "3: two left, fewer than 2k: one group",
    }
    labels = mdav_groups(LINE, 2)
    assert {frozenset(LINE[labels == g, 0]) for g in set(labels)} == set(expected)


@pytest.mark.parametrize(
    ("n", "sizes"), [(6, [3, 3]), (7, [3, 4]), (8, [3, 5]), (9, [3, 3, 3]), (11, [3, 3, 5]), (12, [3] * 4)]
)
def test_what_becomes_of_the_rest(n, sizes):
    """Step 3 and 4: at least 2k left give one more group and the rest; fewer give one group."""
    labels = mdav_groups(LINE[:n] if n <= 10 else np.arange(n, dtype=float).reshape(-1, 1), 3)
    assert sorted(np.bincount(labels)) == sizes
