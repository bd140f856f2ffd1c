import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference import trees as reference
from tarnkappe.kernels.trees import depths, lifted, preorder


@st.composite
def trees(draw):
    """Parents of a random tree whose nodes stand in random order."""
    n = draw(st.integers(1, 30))
    parent = [-1] + [draw(st.integers(0, i - 1)) for i in range(1, n)]
    place = draw(st.permutations(range(n)))
    shuffled = np.empty(n, dtype=np.int64)
    for node, above in enumerate(parent):
        shuffled[place[node]] = -1 if above < 0 else place[above]
    return shuffled


@given(trees())
def test_depths_are_steps_to_the_root(parent):
    depth, cycle = depths(parent)
    assert depth.tolist() == [reference.depth(parent, node) for node in range(len(parent))]
    assert len(cycle) == 0


@given(trees())
def test_preorder_is_that_of_the_definition(parent):
    assert preorder(parent, depths(parent)[0]).tolist() == reference.preorder(parent.tolist())


@given(st.integers(1, 25).flatmap(lambda n: st.lists(st.integers(-1, n - 1), min_size=n, max_size=n)))
def test_cycles_are_found_and_only_those(parent):
    depth, cycle = depths(np.array(parent))
    assert cycle.tolist() == reference.on_cycle(parent)
    if not len(cycle):
        assert depth.tolist() == [reference.depth(parent, node) for node in range(len(parent))]


@pytest.mark.parametrize("length", [1, 2, 3, 7, 8, 9, 64, 100])
def test_a_cycle_of_any_length_with_a_tail_is_named_without_its_tail(length):
    ring = np.roll(np.arange(length), 1)
    tail = np.arange(length - 1, length + 20)
    _, cycle = depths(np.concatenate([ring, tail]))
    assert cycle.tolist() == list(range(length))


@given(trees(), st.integers(0, 6))
def test_lifting_climbs_to_the_first_node_that_is_high_enough(parent, highest):
    depth, _ = depths(parent)
    found = lifted(parent, depth <= highest)
    assert found.tolist() == [reference.ancestor(parent, depth, node, highest) for node in range(len(parent))]


def test_a_very_deep_tree_is_no_problem():
    n = 5000
    depth, _ = depths(np.arange(-1, n - 1))
    assert depth.tolist() == list(range(n))
    assert preorder(np.arange(-1, n - 1), depth).tolist() == list(range(n))
    assert (lifted(np.arange(-1, n - 1), depth <= 0) == 0).all()


def test_no_nodes():
    depth, cycle = depths(np.zeros(0, dtype=np.int64))
    assert len(depth) == len(cycle) == len(preorder(np.zeros(0, dtype=np.int64), depth)) == 0
