"""Largest-remainder rounding against a plain loop, and what it promises."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tarnkappe.kernels.whole import whole_with_total


def blocks(ids):
    order = np.argsort(ids, kind="stable")
    sizes = np.bincount(ids, minlength=int(ids.max()) + 1 if len(ids) else 0)
    return order, np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)


def plain(x, ids):
    out = [float(np.floor(v)) for v in x]
    for block in set(ids.tolist()):
        mine = [i for i in range(len(x)) if ids[i] == block and not np.isnan(x[i])]
        ups = round(float(sum(x[i] - out[i] for i in mine)))
        for i in sorted(mine, key=lambda i: (-(x[i] - out[i]), i))[:ups]:
            out[i] += 1
    return np.array(out)


@given(
    st.lists(
        st.tuples(
            st.one_of(st.integers(-4000, 4000).map(lambda v: v / 8), st.just(float("nan"))), st.integers(0, 3)
        ),
        max_size=40,
    )
)
def test_like_the_plain_loop_and_totals_move_by_at_most_a_half(rows):
    x = np.array([v for v, _ in rows], dtype=float)
    ids = np.unique(np.array([b for _, b in rows], dtype=np.int64), return_inverse=True)[1].astype(np.int64)
    done = whole_with_total(x, *blocks(ids))
    np.testing.assert_array_equal(done, plain(x, ids))
    assert np.all(np.isnan(x) == np.isnan(done))
    there = ~np.isnan(x)
    assert np.all(np.abs(done[there] - x[there]) < 1)
    for block in np.unique(ids):
        mine = there & (ids == block)
        assert abs(done[mine].sum() - x[mine].sum()) <= 0.5


@pytest.mark.parametrize(
    ("x", "expected"), [([0.5, 0.5], [1, 0]), ([0.4, 0.4, 0.4], [1, 0, 0]), ([-0.5, -0.5], [0, -1]), ([], [])]
)
def test_ties_go_to_the_earlier_record(x, expected):
    x = np.array(x, dtype=float)
    done = whole_with_total(x, np.arange(len(x)), np.array([0, len(x)]))
    np.testing.assert_array_equal(done, expected)
