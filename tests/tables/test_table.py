"""The table model: what is refused, and what the structure says."""

from __future__ import annotations

import numpy as np
import pytest

from reference.flat import flat_table
from tarnkappe.data.hierarchy_builders import from_tree
from tarnkappe.data.pattern import Mark, Pattern, Sensitivity, Status
from tarnkappe.data.relations import relations_of
from tarnkappe.data.sums import sums_of
from tarnkappe.data.table import Contributions, Table
from tarnkappe.data.tabulate import flat
from tarnkappe.errors.tables import (
    CellTwice,
    CountNegative,
    MoreThanCounted,
    NotAdditive,
    TableTooWide,
    ValueMissing,
)
from tarnkappe.language import Text

TREE = from_tree("d", {"A": ["A1", "A2"], "B": ["B1"]})
WHY = Text("why", "warum")


def one(values, dimension=None, **settings):
    """A table of one dimension: {code: value}."""
    dimension = dimension or TREE
    nodes = dimension.positions(list(values))[:, None]
    return Table("t", (dimension,), nodes, np.array(list(values.values()), dtype=float), **settings)


WHOLE = {"Total": 6, "A": 5, "A1": 2, "A2": 3, "B": 1, "B1": 1}


def test_cells_in_any_order():
    table = one(dict(reversed(WHOLE.items())))
    assert table.codes(0).tolist() == ["Total", "A", "A1", "A2", "B", "B1"]
    assert table.value.tolist() == [6, 5, 2, 3, 1, 1]
    assert table.up[:, 0].tolist() == [-1, 0, 1, 1, 0, 4]
    assert table.inner.tolist() == [False, False, True, True, False, True]


def test_contributions_follow_their_cells():
    kept = Contributions(
        np.arange(6)[::-1] + 3,
        np.arange(6.0)[::-1, None],
        np.arange(6)[::-1, None],
        np.arange(6.0)[::-1],
        np.arange(6.0)[::-1],
    )
    table = one(dict(reversed(WHOLE.items())), contributions=kept)
    again = table.contributions
    assert again.count.tolist() == [3, 4, 5, 6, 7, 8] and again.who[:, 0].tolist() == list(range(6))
    assert again.size.tolist() == again.weight.tolist() == list(range(6))
    assert sums_of(table).contributions is again and len(sums_of(table)) == 6


@pytest.mark.parametrize(
    ("values", "sums"),
    [
        ({**WHOLE, "A1": 9}, "A "),
        ({**WHOLE, "Total": 7}, "Total "),
        ({"Total": 6, "A": 5}, "Total.*A "),
        ({"A1": 2, "A2": 3, "Total": 5}, "↑"),
        ({"Total": 0, "A": 1, "B": -1, "A1": 1}, "B "),
        ({code: x * 1e-290 for code, x in {**WHOLE, "A1": 9}.items()}, "A "),
    ],
)
def test_sums_that_do_not_add_up(values, sums):
    with pytest.raises(NotAdditive, match=sums):
        one(values)


def test_zero_cells_need_no_parts():
    assert len(one({"Total": 5, "A": 5, "A1": 5, "B": 0})) == 4


def test_tolerance():
    rounded = {**WHOLE, "A": 5.2, "Total": 6.3}
    with pytest.raises(NotAdditive):
        one(rounded)
    assert len(one(rounded, tolerance=0.05)) == 6


def test_large_and_small_values_add_up_to_rounding():
    parts = np.array([0.1] * 10)
    codes = [f"c{i}" for i in range(10)]
    one({"Total": 1.0, **dict(zip(codes, parts, strict=True))}, flat("d", codes))
    one({"Total": 1e15, "A": 1e15, "A1": 1e15, "A2": 0.1}, tolerance=1e-9)
    one({"Total": 0.0, "A": 1e-300, "A1": 1e-300, "B": -1e-300, "B1": -1e-300})


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_values_that_are_none(bad):
    with pytest.raises(ValueMissing, match="1 cells.*A1"):
        one({**WHOLE, "A1": bad})


def test_negative_counts():
    signed = {"Total": 0, "A": -1, "A1": -1, "B": 1, "B1": 1}
    one(signed)
    with pytest.raises(CountNegative, match="at A"):
        one(signed, counts=True)
    with pytest.raises(CountNegative):
        one(
            WHOLE,
            contributions=Contributions(np.array([1, 1, -1, 1, 1, 1]), np.zeros((6, 1)), np.full((6, 1), -1)),
        )


def test_more_contributions_than_contributors():
    largest, who = np.tile([2.0, 1.0], (6, 1)), np.tile([0, 1], (6, 1))
    for owners in (False, True):
        kept = Contributions(np.array([2, 2, 1, 2, 2, 2]), largest, who)
        with pytest.raises(MoreThanCounted, match="1 cells.*A1"):
            one(WHOLE, **{"owners" if owners else "contributions": kept})
    one(WHOLE, contributions=Contributions(np.ones(6, int), largest, who, weight=np.full(6, 2.0)))


def test_cells_twice():
    with pytest.raises(CellTwice, match="1 cells.*A1"):
        Table("t", (TREE,), TREE.positions(["A1", "Total", "A1"])[:, None], np.zeros(3))


def test_too_wide():
    wide = flat("d", [str(i) for i in range(5000)])
    with pytest.raises(TableTooWide):
        Table("t", (wide,) * 6, np.zeros((1, 6)), np.zeros(1))


def test_no_message_tells_a_value():
    for values in ({**WHOLE, "A1": 987654321}, {**WHOLE, "A1": np.nan}):
        with pytest.raises((NotAdditive, ValueMissing)) as refused:
            one(values)
        assert "987654321" not in str(refused.value)


def test_no_cells():
    table = Table("t", (TREE,), np.zeros((0, 1)), np.zeros(0))
    assert len(table) == 0 and table.find(np.array([[0]])).tolist() == [-1]
    assert len(relations_of(table)) == 0


def test_find():
    table = flat_table([[1, 2], [3, 4]])
    assert table.find(np.array([[0, 0], [2, 1]])).tolist() == [0, 7]
    sparse = one({"Total": 1, "A": 1, "A1": 1})
    assert sparse.find(np.array([[5], [0]])).tolist() == [-1, 0]


def test_relations_add_up_to_nothing():
    table = flat_table(np.arange(24).reshape(2, 3, 4))
    relations = relations_of(table)
    np.testing.assert_allclose(relations.matrix() @ table.value, 0)
    assert len(relations) == 4 * 5 + 3 * 5 + 3 * 4


def test_frozen():
    table = one(WHOLE)
    for array in (table.value, table.cells, table.key, table.up):
        assert not array.flags.writeable


def test_marks_before_rules():
    """A structural zero is not suppressed even where a rule marks it; all rules that mark a cell are its reason."""
    table = one(WHOLE)
    pattern = Pattern(table, mark=np.array([0, 0, Mark.ZERO, 0, 0, 0], dtype=np.uint8))
    both = np.array([False, False, True, True, False, False])
    found = pattern.marked(Sensitivity(both, both * 1.0, both * 2.0, WHY)).marked(
        Sensitivity(both, both * 3.0, both * 1.0, Text("b", "b"))
    )
    assert np.flatnonzero(found.primary).tolist() == [3]
    assert (found.lower[3], found.upper[3], found.lower[2]) == (3, 2, 0)
    assert found.because(3) == Text("why; b", "warum; b")
    second = found.with_secondary(np.arange(6) >= 3, Text("c", "c"))
    assert (second.status == Status.SECONDARY).sum() == 2 and second.because(3) == found.because(3)
    assert not pattern.suppressed.any()
