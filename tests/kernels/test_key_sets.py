"""Contributions of keys: against every order of the keys, counted record by record."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tarnkappe.kernels.compatible import Key, compatible_counts
from tarnkappe.kernels.key_sets import Policy, counted, sampled
from tarnkappe.vocab import Missing, Suppressed


def average(fitting, records):
    return float((records / fitting).sum() / records.sum())


def uniques(fitting, records):
    return float(records[fitting == 1].sum() / records.sum())


def risk(keys, chosen, policy):
    """The same number from counts of every record, without any set of rows."""
    size = len(keys[0].codes)
    each = np.ones(size, dtype=np.int64)
    if not chosen:
        return policy.score(np.full(size, size), each)
    found = compatible_counts([keys[j] for j in chosen], policy.missing, policy.suppressed)
    return policy.score(found, each)


def by_hand(keys, policy):
    """The mean over all orders of what a key adds when it becomes known."""
    adds = np.zeros(len(keys))
    orders = list(permutations(range(len(keys))))
    for order in orders:
        for place, key in enumerate(order):
            adds[key] += risk(keys, order[: place + 1], policy) - risk(keys, order[:place], policy)
    return adds / len(orders)


@st.composite
def tables(draw):
    size, count = draw(st.integers(1, 25)), draw(st.integers(1, 4))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    states = draw(st.booleans())
    keys = []
    for _ in range(count):
        codes = rng.integers(0, 3, size).astype(np.int32)
        state = rng.choice([0, 1, 2], size, p=[0.7, 0.15, 0.15]).astype(np.uint8) if states else None
        keys.append(Key(codes, state, 3))
    return keys


@given(tables(), st.sampled_from([Missing.CATEGORY, Missing.WILDCARD]), st.sampled_from(list(Suppressed)))
def test_as_counted_record_by_record(keys, missing, suppressed):
    for score in (average, uniques):
        policy = Policy(missing, suppressed, score)
        found = counted(keys, policy)
        everything = tuple(range(len(keys)))
        assert found.shapley == pytest.approx(by_hand(keys, policy), abs=1e-12)
        assert found.whole == pytest.approx(risk(keys, everything, policy))
        assert found.nothing == pytest.approx(risk(keys, (), policy))
        assert found.shapley.sum() == pytest.approx(found.whole - found.nothing, abs=1e-12)
        assert (found.shapley >= -1e-12).all(), "knowing more never hides anybody"
        for j in everything:
            assert found.without[j] == pytest.approx(risk(keys, [i for i in everything if i != j], policy))
            assert found.alone[j] == pytest.approx(risk(keys, (j,), policy))


@given(tables())
def test_all_orders_give_the_exact_contributions(keys):
    policy = Policy(Missing.CATEGORY, Suppressed.ATTACKER, average)
    orders = list(permutations(range(len(keys))))
    found = sampled(keys, policy, orders * 2)  # twice: one order alone has no error
    exact = counted(keys, policy)
    assert found.shapley == pytest.approx(exact.shapley, abs=1e-12)
    assert found.without == pytest.approx(exact.without)
    assert found.alone == pytest.approx(exact.alone)
    assert (found.whole, found.nothing) == pytest.approx((exact.whole, exact.nothing))


def test_some_orders_come_near_and_say_how_near():
    rng = np.random.default_rng(3)
    keys = [Key(rng.integers(0, n, 400).astype(np.int32), None, n) for n in (2, 3, 4, 5, 6, 7)]
    policy = Policy(Missing.CATEGORY, Suppressed.ATTACKER, average)
    exact = counted(keys, policy)
    found = sampled(keys, policy, [rng.permutation(6).tolist() for _ in range(400)])
    assert (found.error > 0).all()
    assert (np.abs(found.shapley - exact.shapley) < 4.5 * found.error).all()
    assert found.shapley.sum() == pytest.approx(exact.shapley.sum())
