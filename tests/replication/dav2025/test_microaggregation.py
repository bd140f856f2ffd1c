"""Microaggregation in the results report of the German Association of Actuaries (dav2025), section 3.3.4.

The numbers are the vector of our specification (D-M11): of ten values in three heaps, groups of variable size reach the
optimum, groups of fixed size in sorted order do not. MDAV lets the last group grow and finds the optimum.
"""

import numpy as np
import pytest

from tarnkappe.data.column import Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.kernels.mdav import group_means, mdav_groups
from tarnkappe.methods.microdata.mdav import Mdav
from tarnkappe.methods.microdata.rank_average import RankAverage
from tarnkappe.randomness import public_stream as stream

VALUES = np.array([1, 2, 3, 10, 11, 12, 13, 50, 51, 52], dtype=float)


def loss(shown):
    return ((VALUES - shown) ** 2).sum() / ((VALUES - VALUES.mean()) ** 2).sum()


def test_groups_of_variable_size():
    data = Microdata({"x": Column.numbers_of(VALUES)})
    shown = Mdav(columns=("x",), k=3).apply(data, stream("any")).column("x").values
    assert shown.tolist() == [2] * 3 + [11.5] * 4 + [51] * 3
    assert ((VALUES - shown) ** 2).sum() == pytest.approx(9, abs=1e-12)
    assert loss(shown) == pytest.approx(0.0021684, abs=5e-8)


def test_fixed_sizes_in_sorted_order_lose_a_hundred_times_more():
    """What the report warns of: the remark on variable group sizes."""
    fixed = np.repeat([0, 1, 2], [3, 3, 4])
    shown = group_means(VALUES.reshape(-1, 1), fixed)[:, 0]
    assert sorted(set(shown)) == [2, 11, 41.5]
    assert loss(shown) == pytest.approx(0.2623780, abs=5e-8)
    ours = group_means(VALUES.reshape(-1, 1), mdav_groups(VALUES.reshape(-1, 1), 3))[:, 0]
    assert loss(ours) * 100 < loss(shown)


@pytest.mark.parametrize(
    ("sizes", "means", "sse", "lost"),
    [("optimal", [2, 11.5, 51], 9, 0.0021684), ("fixed", [2, 11, 41.5], 1089, 0.2623780)],
)
def test_individual_ranking(sizes, means, sse, lost):
    data = Microdata({"x": Column.numbers_of(VALUES)})
    shown = RankAverage(columns=("x",), sizes=sizes).apply(data, stream("any")).column("x").values
    assert sorted(set(shown)) == means
    assert ((VALUES - shown) ** 2).sum() == pytest.approx(sse, abs=1e-12)
    assert loss(shown) == pytest.approx(lost, abs=5e-8)
