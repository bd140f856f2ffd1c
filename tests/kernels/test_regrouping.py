"""Groups of records that are shown alike: whatever is tried, they stay large enough and never get dearer."""

import numpy as np
import pytest

from tarnkappe.kernels.local_suppression import patterns, records_of, strict
from tarnkappe.kernels.regrouping import rearranged
from tarnkappe.kernels.shown_groups import GROUP, GROUPS, NAME, SIZE, Shown, back, grouped, named, put


def drawn(seed):
    rng = np.random.default_rng(seed)
    n, m = int(rng.integers(30, 200)), int(rng.integers(2, 6))
    codes = np.minimum(rng.geometric(0.5, (n, m)), rng.integers(2, 6, m))
    return codes, patterns(m, rng.integers(1, 4, m).astype(float)), int(rng.integers(2, 6)), rng


def shown_of(codes, sets, mask, held):
    """Records as sums, and patterns as tables, the slow way."""
    rng, m = np.random.default_rng(1), codes.shape[1]
    parts = np.column_stack([rng.integers(0, 2**64, 9, dtype=np.uint64)[codes[:, j]] for j in range(m)])
    keys = np.full((len(sets) + 1, m), -1)
    for p in sets:
        keys[p.number, : len(p.keys)] = p.keys
    marks = rng.integers(0, 2**64, m, dtype=np.uint64)
    cost = np.array([0.0, *(p.cost for p in sets)])
    return Shown(parts.sum(axis=1, dtype=np.uint64), marks - parts, keys, cost, mask, held)


def printed(codes, sets, mask):
    """What is shown of every record, marks included."""
    by_number = {0: (), **{p.number: p.keys for p in sets}}
    return [
        tuple("*" if j in by_number[p] else int(c) for j, c in enumerate(row))
        for row, p in zip(codes, mask, strict=True)
    ]


def smallest(rows):
    return min(rows.count(row) for row in rows)


def price(sets, mask):
    cost = np.array([0.0, *(p.cost for p in sets)])
    return float(cost[mask].sum())


@pytest.mark.parametrize("seed", range(20))
def test_groups_stay_large_enough_and_get_cheaper_with_every_step(seed):
    """From the worst start: all keys of all records suppressed."""
    codes, sets, k, _ = drawn(seed)
    start = np.full(len(codes), sets[-1].number)
    prices = []
    for steps in (0, 100, 1_000, 10_000, 10_000_000):
        mask = rearranged(shown_of(codes, sets, start, np.zeros(len(codes), bool)), k, steps)
        assert smallest(printed(codes, sets, mask)) >= k
        prices.append(price(sets, mask))
    assert prices == sorted(prices, reverse=True)
    assert prices[0] == price(sets, start) > prices[-1]


@pytest.mark.parametrize("seed", range(20))
def test_no_record_that_could_go_is_left_in_a_dearer_group(seed):
    """At the end nobody could leave a group of more than k for a cheaper one that is there."""
    codes, sets, k, _ = drawn(seed)
    start = np.full(len(codes), sets[-1].number)
    mask = rearranged(shown_of(codes, sets, start, np.zeros(len(codes), bool)), k, 10**9)
    rows = printed(codes, sets, mask)
    for i, row in enumerate(rows):
        if rows.count(row) > k:
            cheaper = [p for p in [0, *(s.number for s in sets)] if price(sets, [p]) < price(sets, [mask[i]])]
            assert not any(printed(codes[[i]], sets, [p])[0] in rows for p in cheaper)


@pytest.mark.parametrize("seed", range(10))
def test_held_records_stay_and_the_same_comes_twice(seed):
    codes, sets, k, rng = drawn(seed)
    start, held = np.full(len(codes), sets[-1].number), rng.random(len(codes)) < 0.2
    held[:k] = True
    found = [rearranged(shown_of(codes, sets, start, held), k, 100_000) for _ in range(2)]
    assert np.array_equal(*found)
    assert (found[0][held] == sets[-1].number).all()
    assert smallest(printed(codes, sets, found[0])) >= k


@pytest.mark.parametrize("seed", range(20))
def test_the_search_never_costs_more_than_without_it(seed, monkeypatch):
    codes, sets, k, _ = drawn(100 + seed)
    nothing = np.zeros(codes.shape, bool)

    def found():
        records = records_of(codes, nothing, np.zeros(len(codes), int), nothing, marked=True)
        return strict(records, k, sets).copy()

    after = found()
    monkeypatch.setattr("tarnkappe.kernels.local_suppression._rearranged", lambda *_: None)
    assert price(sets, after) <= price(sets, found())
    assert smallest(printed(codes, sets, after)) >= k


def test_lone_records_take_company_from_large_classes_instead_of_each_others_keys():
    """Each lone record agrees with the large class in all but one key: two cells each, six in all; together they cost nine (k = 2)."""
    codes = np.array([[0, 0, 0]] * 5 + [[1, 0, 0], [0, 1, 0], [0, 0, 1]])
    sets = patterns(3, np.ones(3))
    start = np.array([0] * 5 + [sets[-1].number] * 3)
    mask = rearranged(shown_of(codes, sets, start, np.zeros(8, bool)), 2, 10**6)
    assert price(sets, mask) == 6.0


def test_what_is_taken_back_leaves_no_trace():
    codes, sets, k, rng = drawn(3)
    s = grouped(
        shown_of(codes, sets, np.full(len(codes), sets[-1].number), np.zeros(len(codes), bool)), k, 10**6
    )
    was = {name: getattr(s, name).copy() for name in ("table", "patterns", "records", "groups")}
    groups = int(s.now[GROUPS])
    for _ in range(200):
        i = int(rng.integers(len(codes)))
        put(s, i, named(s, i, int(rng.integers(len(sets) + 1))))
    assert s.now[GROUPS] > groups
    back(s, 0, groups)
    assert s.now[GROUPS] == groups
    assert np.array_equal(s.table, was["table"])
    assert np.array_equal(s.patterns, was["patterns"])
    assert np.array_equal(s.records[:, GROUP], was["records"][:, GROUP])
    assert np.array_equal(s.groups[:groups, [NAME, SIZE]], was["groups"][:groups, [NAME, SIZE]])
