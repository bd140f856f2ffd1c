"""Rounding with totals kept, record by record and group by group, against plain loops, and what it promises."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tarnkappe.kernels.whole import whole_groups, whole_with_total


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


def plain_groups(values, weights, blocks):
    """The rule in words: nearest first, then the other neighbour, those nearest to half way first, while the total comes nearer and the order stays."""
    out = [float(np.rint(v)) for v in values]
    for block in set(blocks):
        mine = [g for g in range(len(values)) if blocks[g] == block]
        over = float(sum(weights[g] * (out[g] - values[g]) for g in mine))
        waiting = {
            "down": sorted(
                (g for g in mine if out[g] > values[g]), key=lambda g: (*turn(values[g], block), g)
            ),
            "up": sorted(
                (g for g in mine if out[g] < values[g]), key=lambda g: (*turn(values[g], block), -g)
            ),
        }
        while over and waiting[way := "down" if over > 0 else "up"]:
            g = waiting[way].pop(0)
            nearer = weights[g] < 2 * abs(over)
            for other in waiting.values():  # those that could then end on the wrong side of this one
                other[:] = [
                    h
                    for h in other
                    if np.floor(values[h]) != np.floor(values[g]) or (other is waiting[way]) == nearer
                ]
            if nearer:
                out[g] += 1.0 if way == "up" else -1.0
                over += weights[g] if way == "up" else -weights[g]
    return out


def turn(value, block):
    """When it is the turn of a group: by how near it is to half way; then by the place between whole numbers, in an order that does not follow size."""
    low = float(np.floor(value))
    near = abs(value - low - 0.5)
    golden = 5**0.5 / 2 - 0.5
    return float(np.round(near, 6)), (low * golden + block * golden**2) % 1, near


GROUPS = st.lists(
    st.tuples(
        st.integers(0, 2),
        st.one_of(st.integers(1, 6), st.sampled_from([1, 10**6]), st.floats(0.01, 100)),
        st.one_of(st.integers(-40, 40).map(lambda v: v / 8), st.integers(-9, 9).map(lambda v: v / 3), st.floats(-1e9, 1e9)),
    ),
    max_size=25,
)  # fmt: skip


@given(GROUPS)
@settings(max_examples=300, deadline=None)
def test_groups_like_the_plain_loop(groups):
    blocks, weights, values = ([g[i] for g in groups] for i in range(3))
    every = np.arange(len(groups))
    done = whole_groups(np.array(values, float), every, np.array(blocks, np.int64), np.array(weights, float))
    largest = max(weights, default=1)
    assert done.tolist() == plain_groups(values, [w / largest for w in weights], blocks)


@given(GROUPS, st.randoms(use_true_random=False))
@settings(max_examples=300, deadline=None)
def test_what_is_promised_of_groups(groups, random):
    """Neighbouring whole numbers, alike in a group, in order, and the total of a block within half its heaviest group; rows in any order, some without a group."""
    rows = [(g, *group) for g, group in enumerate(groups) for _ in range(1 + g % 3)] + [(-1, 0, 1.0, 0.25)]
    random.shuffle(rows)
    labels, block, w, x = (
        np.array(part, t) for part, t in zip(zip(*rows, strict=True), (int, int, float, float), strict=True)
    )
    done = whole_groups(x, labels, block, w)
    assert done[labels < 0].tolist() == [0.25]
    inside = labels >= 0
    assert np.all((done[inside] == np.floor(x[inside])) | (done[inside] == np.ceil(x[inside])))
    for g in range(len(groups)):
        assert len(set(done[labels == g].tolist())) == 1
    for b in set(block[inside].tolist()):
        mine = inside & (block == b)
        heaviest = max(w[labels == g].sum() for g in set(labels[mine].tolist()))
        moved = w[mine] @ (done[mine] - x[mine])
        assert abs(moved) <= heaviest / 2 * (1 + 1e-9) + 1e-15 * (w[mine] @ np.abs(x[mine]))
        order = np.lexsort((labels[mine], x[mine]))
        assert np.all(np.diff(done[mine][order]) >= 0)


def test_a_light_group_does_not_pay_for_a_heavy_one():
    """What a heavy group is off by, over the weight of a light one, is a million: no group leaves its neighbours for it."""
    x = np.array([10.4, 20.3, 30.2])
    done = whole_groups(x, np.arange(3), np.zeros(3, np.int64), np.array([1e6, 1.0, 1.0]))
    assert done.tolist() == [10, 21, 31]  # 400,000 are owed: both light ones go up, and no farther


def test_groups_of_one_size_are_rounded_by_largest_remainders():
    rng = np.random.default_rng(5)
    x, block = rng.normal(size=300) * 9, rng.integers(7, size=300)
    alone = whole_with_total(x, *blocks(block))
    for size in (1, 4):
        done = whole_groups(np.repeat(x, size), np.repeat(np.arange(300), size), np.repeat(block, size))
        np.testing.assert_array_equal(done, np.repeat(alone, size))


def test_values_are_not_drawn_apart():
    """Fifths and thirds are equally near to half way at every size: small values must not go down and large ones up, or the variance would grow."""
    rng = np.random.default_rng(7)
    for parts in (3, 5):
        x = rng.poisson(40, 60_000) / parts
        block = np.repeat(np.arange(6000), 10)
        groups = np.unique(block * 1000 + x * parts, return_inverse=True)[1]
        e = whole_groups(x, groups, block) - x
        nearest = np.rint(x) - x
        assert abs(np.cov(x, e)[0, 1]) < 0.01
        assert (e**2).mean() < 1.5 * (nearest**2).mean()


@pytest.mark.parametrize("size", [1e308, 1e-300])
def test_values_and_weights_of_any_size(size):
    """Equal weights are no weights, however large; of 3.4 that are missing after rounding to the nearest, the half and then one of the others make up."""
    x = np.repeat([1.4, 1.4, -1e300, 4e15 + 0.5, 1.4], 2)
    groups, block = np.repeat(np.arange(5), 2), np.zeros(10, np.int64)
    done = whole_groups(x, groups, block, np.full(10, size))
    assert done.tolist() == whole_groups(x, groups, block).tolist()
    assert done[::2].tolist() == [1, 1, -1e300, 4e15 + 1, 2]


def test_no_groups():
    for x in ([], [0.5, 1.5]):
        none = np.full(len(x), -1)
        assert whole_groups(np.array(x, float), none, np.zeros(len(x), np.int64)).tolist() == x
