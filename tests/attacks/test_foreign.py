"""Tables whose suppressed values nobody hands us: the same intervals as from the truth."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reference.flat import flat_table
from tarnkappe.attack.foreign import audit
from tarnkappe.attack.intervals import Asked, intervals
from tarnkappe.data.pattern import Pattern, Status
from tarnkappe.data.relations import Relations, relations_of
from tarnkappe.data.system import Shown, System, system_of, system_of_published
from tarnkappe.errors.tables import CellTwice, Contradiction


@st.composite
def published(draw):
    shape = draw(st.lists(st.integers(1, 4), min_size=1, max_size=3))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    table = flat_table(rng.integers(0, 20, size=shape) * draw(st.sampled_from([1, 1000])))
    hidden = rng.random(len(table)) < draw(st.sampled_from([0.2, 0.4, 0.7]))
    return table, hidden


def shown(table, hidden, value=None):
    value = table.value if value is None else value
    nothing = np.zeros(len(table))
    return Shown(table.cells, np.where(hidden, np.nan, value), nothing, np.full(len(table), np.inf))


@given(published())
@settings(max_examples=60, deadline=None)
def test_intervals_do_not_depend_on_knowing_the_truth(case):
    table, hidden = case
    found = audit(system_of_published("t", table.dimensions, shown(table, hidden)))
    everything = Asked(np.full(len(table), np.inf), np.full(len(table), np.inf))
    low, high = np.zeros(len(table)), np.full(len(table), np.inf)
    truth = intervals(relations_of(table), table.value, hidden, low, high, everything)
    size = 1e-5 * max(1.0, float(table.value.max()))
    np.testing.assert_allclose(found.intervals.low[hidden], truth.low[hidden], atol=size)
    np.testing.assert_allclose(found.intervals.high[hidden], truth.high[hidden], atol=size)
    exact = hidden & (truth.high - truth.low <= size)
    assert np.array_equal(found.disclosed, exact)
    quick = audit(system_of_published("t", table.dimensions, shown(table, hidden)), quick=True)
    assert np.array_equal(quick.disclosed, exact)
    assert len(list(found.proofs())) == int(exact.sum())


def test_a_sum_that_is_not_in_the_file_is_one_more_unknown():
    table = flat_table(np.array([[1, 2], [3, 4]]))
    listed = np.flatnonzero(table.cells.sum(axis=1) > 0)  # without the grand total
    hidden = np.zeros(len(table), dtype=bool)
    hidden[listed[0]] = True
    full = shown(table, hidden)
    part = Shown(*(np.asarray(x)[listed] for x in (full.nodes, full.value, full.low, full.high)))
    found = audit(system_of_published("t", table.dimensions, part))
    assert int(found.system.suppressed.sum()) == 1
    assert found.disclosed.sum() == 1  # its own parts are all there


def test_contradictions_are_named_by_codes():
    table = flat_table(np.array([[1, 2], [3, 4]]))
    hidden = table.inner
    value = table.value.copy()
    value[1] += 3
    with pytest.raises(Contradiction) as told:
        audit(system_of_published("t", table.dimensions, shown(table, hidden, value)))
    assert table.spelt(0) in told.value.text("en") or table.spelt(1) in told.value.text("en")


def test_negative_completions_contradict_what_is_known():
    table = flat_table(np.array([5, 5]))
    value = np.array([3.0, 5.0, 5.0])
    with pytest.raises(Contradiction):
        audit(system_of_published("t", table.dimensions, shown(table, np.array([False, False, True]), value)))


def test_several_sums_together_are_the_proof():
    x = np.arange(1, 10).reshape(3, 3)
    table = flat_table(x)
    hidden = table.inner & ~np.all(table.cells == 3, axis=1)
    hidden[table.find(np.array([[1, 0], [2, 0]], np.int32))] = True  # two row sums are hidden too
    found = audit(system_of_published("t", table.dimensions, shown(table, hidden)))
    for proof in found.proofs():
        assert proof.sums
        assert proof.proof in ("subtraction", "sums")


def test_a_cell_twice_is_refused():
    table = flat_table(np.array([1, 2]))
    full = shown(table, np.zeros(3, dtype=bool))
    double = Shown(*(np.concatenate([x, x[:1]]) for x in (full.nodes, full.value, full.low, full.high)))
    with pytest.raises(CellTwice):
        system_of_published("t", table.dimensions, double)


def test_zero_margins_disclose_by_bounds():
    table = flat_table(np.array([[0, 0], [3, 4]]))
    found = audit(system_of_published("t", table.dimensions, shown(table, table.inner)))
    zeros = table.inner & (table.value == 0)
    assert found.disclosed[zeros].all()
    assert {p.proof for p in found.proofs()} <= {"bounds", "sums", "subtraction"}


def test_what_is_required_is_compared():
    table = flat_table(np.array([[5, 5], [5, 5]]))
    status = np.where(table.inner, np.uint8(Status.PRIMARY), np.uint8(0))
    enough = Pattern(
        table, status=status, lower=np.where(table.inner, 5.0, 0.0), upper=np.where(table.inner, 5.0, 0.0)
    )
    assert not audit(system_of(enough)).narrow.any()
    too_much = replace(enough, upper=np.where(table.inner, 6.0, 0.0))
    assert audit(system_of(too_much)).narrow.sum() == 4


def odd_cycle():
    """y₁ + y₂ and y₂ + y₃ are published, and x + 5 = y₁ + y₃: in whole numbers x moves by 2 or not at all."""
    x, y1, y2, y3 = range(4)
    sums = [(y1, y2), (y2, y3), (y1, y3, x)]
    coefficient = np.array([1.0, 1.0, 1.0, 1.0, 1.0, 1.0, -1.0])
    none, nothing = np.full(3, -1), np.zeros(4)
    relations = Relations(
        4,
        np.cumsum([0, *map(len, sums)]),
        np.array([c for row in sums for c in row]),
        coefficient,
        none,
        none,
    )
    return System(
        "t", np.array(["x", "y1", "y2", "y3"], dtype=object), relations, np.array([10.0, 10.0, 5.0]), np.full(4, np.nan),
        np.ones(4, dtype=bool), nothing + 4, nothing + 6, nothing, nothing.copy(),
    )  # fmt: skip


def test_whole_numbers_are_searched_for_and_not_only_rounded():
    found = audit(odd_cycle())
    assert (found.intervals.low[0], found.intervals.high[0]) == (pytest.approx(4), pytest.approx(6))
    found = audit(odd_cycle(), whole=True)
    assert (found.intervals.low[0], found.intervals.high[0]) == (5.0, 5.0)
    assert found.disclosed[0]


def test_without_whole_numbers_nothing_counts_as_exact(monkeypatch):
    monkeypatch.setattr("tarnkappe.attack.completion.SEARCHED", 1)
    found = audit(odd_cycle(), whole=True)
    assert not found.intervals.exact[0]
