"""Greedy links: the nearest pair of all first, as a plain loop finds it."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from reference.linkage import distances
from tarnkappe.kernels.greedy_matching import greedy
from tarnkappe.kernels.matching import Side, assignment
from tarnkappe.kernels.mixed_tree import Space


def slowly(one, other, space):
    """The total length and the number of links, record by record."""
    rows, columns = (np.repeat(np.arange(len(s.times)), s.times) for s in (one, other))
    far = np.sqrt(distances(one.points[rows], other.points[columns], space))
    far[one.block[rows][:, None] != other.block[columns][None, :]] = np.inf
    lengths = []
    while far.size and np.isfinite(far.min()):
        i, j = np.unravel_index(np.argmin(far), far.shape)
        lengths.append(far[i, j])
        far[i, :] = far[:, j] = np.inf
    return lengths


def drawn(draw, n, blocks):
    block = np.sort(draw.integers(0, blocks, n))
    return Side(draw.normal(size=(n, 2)), draw.integers(1, 4, n), block)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 40), st.integers(1, 40), st.integers(1, 3))
def test_as_a_plain_loop(seed, n, m, blocks):
    draw = np.random.default_rng(seed)
    one, other = drawn(draw, n, blocks), drawn(draw, m, blocks)
    space = Space(np.zeros(2, bool), np.zeros(2), np.zeros(2), True)
    found = greedy(one, other, blocks, space)
    apart = np.sqrt(((one.points[found.one] - other.points[found.other]) ** 2).sum(axis=1))
    got = np.repeat(apart, found.times)
    assert np.allclose(np.sort(got), np.sort(slowly(one, other, space)))
    assert np.all(np.bincount(found.one, weights=found.times, minlength=n) <= one.times)
    assert np.all(np.bincount(found.other, weights=found.times, minlength=m) <= other.times)
    assert np.array_equal(one.block[found.one], other.block[found.other])


def test_the_nearest_pair_is_taken_though_the_total_is_larger():
    """On a line: 0 and 3 beside 2 and 10. Greedily 3-2 and 0-10; at least cost 0-2 and 3-10."""
    one, other = (
        Side(np.array(x)[:, None], np.ones(2, int), np.zeros(2, int)) for x in ([0.0, 3.0], [2.0, 10.0])
    )
    space = Space(np.zeros(1, bool), np.zeros(1), np.zeros(1), True)
    pairs = [
        set(zip(p.one.tolist(), p.other.tolist(), strict=True))
        for p in (greedy(one, other, 1, space), assignment(one, other, 1, space))
    ]
    assert pairs == [{(1, 0), (0, 1)}, {(0, 0), (1, 1)}]
