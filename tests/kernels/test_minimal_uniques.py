import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from reference import minimal_uniques as slow
from tarnkappe.kernels.minimal_uniques import minimal_uniques, sets_up_to


def pairs(codes, largest):
    found = minimal_uniques(codes, largest)
    listed = list(zip(found.records.tolist(), found.sets.tolist(), strict=True))
    assert len(set(listed)) == len(listed)
    return set(listed)


@settings(max_examples=150, deadline=None)
@given(
    st.tuples(st.integers(1, 14), st.integers(1, 5)).flatmap(
        lambda shape: arrays(np.int32, shape, elements=st.integers(-1, 2))
    ),
    st.integers(1, 5),
)
def test_the_same_sets_as_by_looking_at_all(codes, largest):
    largest = min(largest, codes.shape[1])
    assert pairs(codes, largest) == slow.minimal_uniques(codes, largest)


@pytest.mark.parametrize("seed", range(5))
def test_many_keys_and_values(seed):
    draw = np.random.default_rng(seed)
    codes = np.minimum(draw.geometric(0.3, (60, 7)), 9).astype(np.int32)
    assert pairs(codes, 7) == slow.minimal_uniques(codes, 7)
    assert pairs(codes, 3) == slow.minimal_uniques(codes, 3)


def test_many_minimal_uniques_need_a_growing_list():
    codes = np.arange(3000, dtype=np.int32).repeat(2).reshape(3000, 2)
    assert pairs(codes, 2) == {(i, key) for i in range(3000) for key in (1, 2)}


def test_edges():
    assert pairs(np.zeros((0, 3), np.int32), 3) == set()
    assert pairs(np.zeros((1, 2), np.int32), 2) == {(0, 1), (0, 2)}
    assert pairs(np.zeros((4, 2), np.int32), 2) == set()
    assert pairs(np.full((3, 2), -1, np.int32), 2) == set()


def test_number_of_sets():
    assert sets_up_to(8, 8) == 255
    assert sets_up_to(8, 2) == 36
