"""Multivariate microaggregation as in Höhne (2010), "Verfahren zur Anonymisierung von Einzeldaten", 2.2.6 and 3.1.

The points and groups are the test vector of our specification (5.6), made for the method of the book (M09, groups from
the rim inwards). Tolerance: none for groups, four decimals for the second sum of squares, as it is given.
"""

import numpy as np
import pytest

from tarnkappe.kernels.mdav import group_means, mdav_groups

POINTS = [(1, 1), (1, 2), (2, 1), (8, 8), (9, 8), (8, 9), (1, 9), (2, 9), (1, 8)]


def groups(points):
    labels = mdav_groups(np.array(points, dtype=float), 3)
    return {frozenset(np.flatnonzero(labels == g) + 1) for g in set(labels)}


def sse(points):
    x = np.array(points, dtype=float)
    return ((x - group_means(x, mdav_groups(x, 3))) ** 2).sum()


def test_three_corners():
    assert groups(POINTS) == {frozenset({1, 2, 3}), frozenset({4, 5, 6}), frozenset({7, 8, 9})}
    assert sse(POINTS) == pytest.approx(4, abs=1e-12)


def test_a_point_in_the_middle_goes_to_the_last_group():
    more = [*POINTS, (5, 5)]
    assert groups(more) == {frozenset({1, 2, 3}), frozenset({4, 5, 6}), frozenset({7, 8, 9, 10})}
    assert sse(more) == pytest.approx(24.1667, abs=5e-5)
