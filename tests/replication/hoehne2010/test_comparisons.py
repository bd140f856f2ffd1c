"""Höhne (2010), 3.1: how many comparisons the farthest-pair and the centre method take (TV-06, TV-07), and who is grouped (5.6).

The table of the centre method is misprinted: its linear term was evaluated with the number of the row. The corrected figures are those
of the book's own formula n²/3 + 2n/3 - 5, and of a version that counts.
"""

from __future__ import annotations

import numpy as np
import pytest

from reference import rim_groups as reference
from tarnkappe.data.column import Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.methods.microdata.cluster_average import ClusterAverage
from tarnkappe.randomness import public_stream as stream

PAIR = {6: 38, 60: 14150, 120: 104500, 300: 1552750, 600: 12210500, 900: 40973250, 1800: 325891500, 3000: 1505252500,
        6000: 12021005000, 60000: 12002100050000}  # fmt: skip
CENTRE_PRINTED = {6: 9, 60: 1199, 120: 4801, 300: 30003, 600: 120005, 900: 270007, 1800: 1080009, 3000: 3000011,
                  6000: 12000013, 60000: 1200000015}  # fmt: skip
CENTRE = {6: 11, 60: 1235, 120: 4875, 300: 30195, 600: 120395, 900: 270595, 1800: 1081195, 3000: 3001995,
          6000: 12003995, 60000: 1200039995}  # fmt: skip
POINTS = [(1, 1), (1, 2), (2, 1), (8, 8), (9, 8), (8, 9), (1, 9), (2, 9), (1, 8)]


def test_formulas():
    for n, count in PAIR.items():
        assert n**3 / 18 + 7 * n**2 / 12 + 5 * n / 6 == pytest.approx(count, rel=1e-15)
    for row, (n, count) in enumerate(CENTRE.items(), 1):
        assert n**2 / 3 + 2 * n / 3 - 5 == pytest.approx(count, rel=1e-15)
        assert n**2 // 3 + 2 * row - 5 == CENTRE_PRINTED[n]


@pytest.mark.parametrize("n", [6, 12, 18, 60])
def test_counted(n):
    x = np.random.default_rng(n).normal(size=(n, 2))
    assert reference.centre(x, 3)[1] == {6: 11, 12: 51, 18: 115, 60: 1235}[n]
    if n in PAIR:
        assert reference.pair(x, 3)[1] == PAIR[n]


@pytest.mark.parametrize(("more", "counts", "sse"), [((), (86, 28), 4), (((5, 5),), (106, 32), 24.1667)])
def test_points(more, counts, sse):
    """5.6; the points are scaled already, and both columns alike, so standardising does not matter."""
    points = np.array([*POINTS, *more], dtype=float)
    assert (reference.pair(points, 3)[1], reference.centre(points, 3)[1]) == counts
    data = Microdata({"x": Column.numbers_of(points[:, 0]), "y": Column.numbers_of(points[:, 1])})
    for grouping in ("pair", "centre"):
        step = ClusterAverage(columns=("x", "y"), grouping=grouping)
        shown = step.apply(data, stream("any")).numbers(("x", "y"))
        assert ((points - shown) ** 2).sum() == pytest.approx(sse, abs=5e-5)
