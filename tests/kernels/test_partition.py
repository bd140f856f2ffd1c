from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tarnkappe.kernels.coding import distinct
from tarnkappe.kernels.partition import same_partition


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), max_size=8))
def test_same_partition_by_definition(pairs):
    a, b = (np.array([p[side] for p in pairs], dtype=np.int64) for side in (0, 1))
    wanted = all((p[0] == q[0]) == (p[1] == q[1]) for p in pairs for q in pairs)
    assert same_partition(a, b) is wanted


@given(st.lists(st.floats() | st.sampled_from([0.0, -0.0, 1.0]), max_size=10))
def test_distinct_is_unique(values):
    np.testing.assert_array_equal(
        distinct(np.array(values, dtype=float)), np.unique(np.array(values, dtype=float))
    )


@given(st.lists(st.integers(-3, 3), max_size=10))
def test_distinct_whole_numbers(values):
    np.testing.assert_array_equal(
        distinct(np.array(values, dtype=np.int64)), np.unique(np.array(values, dtype=np.int64))
    )
