"""Tabulation: against the definition on random records, and every decision about awkward ones."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reference.tabulation import Record, tabulated
from tarnkappe.data.column import MISSING, SUPPRESSED, Column
from tarnkappe.data.hierarchy import Hierarchy
from tarnkappe.data.hierarchy_builders import from_digits, from_tree
from tarnkappe.data.intervals import Bands
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.tabulate import flat, tabulate
from tarnkappe.errors import InputWrong
from tarnkappe.errors.data import EmptyData, NotFinite, TooNearZero, WrongKind
from tarnkappe.errors.hierarchy import HierarchyUncovered
from tarnkappe.errors.tables import (
    DimensionTwice,
    InnerCode,
    NoDimension,
    NothingToAdd,
    TableTooWide,
    TooLarge,
    WeightMissing,
    WeightNegative,
)
from tarnkappe.kernels.exact import decimals, written
from tarnkappe.testing import example_data
from tarnkappe.vocab import Role

INDUSTRY = from_tree("industry", {"A": ["A1", "A2"], "B": ["B1", "B2", "B3"], "C": []})
REGION = from_digits("region", ["11", "12", "21", "3"], (1, 2))
SHAPES = {"industry": INDUSTRY, "region": REGION, "size": flat("size", ["s", "m", "l"])}


def firms(columns, roles=None, **numbers):
    """Microdata from lists; categories get the hierarchies above."""
    made = {n: Column.texts_of(codes, hierarchy=SHAPES.get(n)) for n, codes in columns.items()}
    made |= {n: Column.numbers_of(np.array(x, dtype=float)) for n, x in numbers.items()}
    return Microdata(made, roles or {})


def cell(table, *codes):
    nodes = [h.positions([c])[0] for h, c in zip(table.dimensions, codes, strict=True)]
    (at,) = table.find(np.array([nodes]))
    assert at >= 0, f"no cell {codes}"
    return int(at)


def value(table, *codes):
    return float(table.value[cell(table, *codes)])


# -- against the definition -----------------------------------------------------------------------------------------

AMOUNTS = st.one_of(
    st.integers(-3, 20).map(Fraction),
    st.integers(-500, 5000).map(lambda c: Fraction(c, 100)),
    st.sampled_from([Fraction(0), Fraction(7), Fraction(1, 8)]),
)
WEIGHTS = st.one_of(st.integers(0, 4).map(Fraction), st.integers(1, 400).map(lambda c: Fraction(c, 100)))


@st.composite
def drawn(draw):
    """Records over one to three dimensions, some without value, category or owner, with and without weights."""
    names = draw(st.lists(st.sampled_from(list(SHAPES)), min_size=1, max_size=3, unique=True))
    n = draw(st.integers(1, 20))
    leaves = {name: [None, *SHAPES[name].codes[SHAPES[name].is_leaf]] for name in names}
    codes = {name: draw(st.lists(st.sampled_from(leaves[name]), min_size=n, max_size=n)) for name in names}
    amounts = draw(st.lists(st.none() | AMOUNTS, min_size=n, max_size=n))
    weights = draw(st.none() | st.lists(WEIGHTS, min_size=n, max_size=n))
    owners = draw(st.lists(st.none() | st.sampled_from(["u", "v", "w"]), min_size=n, max_size=n))
    return codes, amounts, weights, owners


def columns_of(codes, amounts, weights, owners):
    columns = {n: Column.texts_of(c, hierarchy=SHAPES[n]) for n, c in codes.items()}
    columns["x"] = Column.numbers_of(np.array([np.nan if a is None else float(a) for a in amounts]))
    columns["owner"] = Column.texts_of(owners)
    roles = {Role.OWNER: ("owner",)}
    if weights is not None:
        columns["weight"] = Column.numbers_of(np.array([float(w) for w in weights]))
        roles[Role.WEIGHT] = ("weight",)
    return Microdata(columns, roles)


def parents_of(hierarchy, missing):
    parent = {
        str(c): None if p < 0 else str(hierarchy.codes[p])
        for c, p in zip(hierarchy.codes, hierarchy.parent, strict=True)
    }
    return parent | ({"?": hierarchy.total} if missing else {})


def compare(table, kept, expected, weighted):
    assert len(table) == len(expected)
    for i in range(len(table)):
        known = expected[tuple(str(table.codes(j)[i]) for j in range(len(table.dimensions)))]
        assert table.value[i] == float(known.value)
        assert (table.value[i] if kept.size is None else kept.size[i]) == float(known.size)
        assert kept.count[i] == known.count
        assert kept.largest[i].tolist() == [float(x) for x, _ in known.largest]
        assert kept.who[i].tolist() == [w for _, w in known.largest]
        if weighted:
            assert kept.weight[i] == float(known.weight)
    if not weighted:
        assert kept.weight is None


@given(drawn(), st.integers(0, 5))
@settings(max_examples=150, deadline=None)
def test_as_by_definition(records, most):
    codes, amounts, weights, owners = records
    data = columns_of(*records)
    n = len(owners)
    there = [amounts[i] is not None and (weights is None or weights[i] > 0) for i in range(n)]
    if not any(there):
        with pytest.raises(NothingToAdd):
            tabulate(data, list(codes), "x", largest=most)
        return
    table = tabulate(data, list(codes), "x", largest=most)
    numbers, count = data.column("owner").true_codes()
    alone = iter(range(count, count + n))
    whose = [next(alone) if number < 0 else int(number) for number in numbers]
    parents = [parents_of(SHAPES[name], None in codes[name]) for name in codes]
    for kept, who in ((table.contributions, range(n)), (table.owners, whose)):
        listed = [
            Record(tuple(codes[m][i] or "?" for m in codes), amounts[i], weights and weights[i], who[i])
            for i in range(n)
            if there[i]
        ]
        compare(table, kept, tabulated(listed, parents, most), weights is not None)


# -- decisions ------------------------------------------------------------------------------------------------------


def test_levels_and_totals():
    data = firms({"industry": ["A1", "A2", "B1", "C"], "region": ["11", "12", "11", "3"]}, x=[1, 2, 4, 8])
    table = tabulate(data, ["industry", "region"], "x")
    assert value(table, "Total", "Total") == 15
    assert value(table, "A", "Total") == 3 and value(table, "A", "1") == 3 and value(table, "Total", "1") == 7
    assert value(table, "C", "3") == 8
    assert table.name == "x" and not table.counts
    assert table.find(np.array([[INDUSTRY.positions(["B2"])[0], 0]])).tolist() == [-1]


def test_ragged_leaf_is_counted_once_per_level():
    """The code C has no level below it: it stands on the upper level only."""
    table = tabulate(firms({"industry": ["C", "A1"]}, x=[5, 1]), ["industry"], "x")
    assert sorted(table.codes(0)) == ["A", "A1", "C", "Total"]


def test_counts():
    data = firms({"size": ["s", "s", "m"]})
    table = tabulate(data, ["size"])
    assert table.counts and table.name == "count"
    assert value(table, "s") == 2 and value(table, "Total") == 3
    assert table.contributions.count[cell(table, "s")] == 2


def test_counts_with_weights():
    """Whole weights count whole units; others estimate, and that is no count an attacker can rely on."""
    whole = firms({"size": ["s", "m"]}, {Role.WEIGHT: ("w",)}, w=[3, 2])
    assert tabulate(whole, ["size"]).counts and value(tabulate(whole, ["size"]), "Total") == 5
    parts = firms({"size": ["s", "m"]}, {Role.WEIGHT: ("w",)}, w=[2.5, 2])
    assert not tabulate(parts, ["size"]).counts


def test_a_weight_stands_for_units_outside_the_sample():
    data = firms({"size": ["s", "s", "m"]}, {Role.WEIGHT: ("w",)}, x=[100, 40, 10], w=[2.5, 1, 0.5])
    table = tabulate(data, ["size"], "x", largest=4)
    s, m = cell(table, "s"), cell(table, "m")
    kept = table.contributions
    assert table.value[s] == 290
    assert kept.largest[s].tolist() == [100, 100, 50, 40] and kept.who[s].tolist() == [0, -1, -1, 1]
    assert kept.count[s] == 2 and kept.weight[s] == 3.5
    assert table.value[m] == 5 and kept.largest[m].tolist() == [5, 0, 0, 0] and kept.who[m, 0] == 2


def test_enormous_weight():
    data = firms({"size": ["s", "m"]}, {Role.WEIGHT: ("w",)}, x=[3, 2], w=[1e12, 1])
    table = tabulate(data, ["size"], "x")
    assert table.contributions.largest[cell(table, "s")].tolist() == [3, 3, 3]
    assert value(table, "s") == 3e12


def test_weight_zero_is_left_out_and_others_are_refused():
    data = firms({"size": ["s", "m"]}, {Role.WEIGHT: ("w",)}, x=[3, 2], w=[0, 1])
    assert sorted(tabulate(data, ["size"], "x").codes(0)) == ["Total", "m"]
    for bad, error in ((np.nan, WeightMissing), (-1, WeightNegative), (np.inf, NotFinite)):
        data = firms({"size": ["s", "m"]}, {Role.WEIGHT: ("w",)}, x=[3, 2], w=[1, bad])
        with pytest.raises(error, match="record 2"):
            tabulate(data, ["size"], "x")


def test_owner_with_records_in_several_cells():
    data = firms(
        {"size": ["s", "m", "s", "m"], "owner": ["u", "u", "v", None]},
        {Role.OWNER: ("owner",)},
        x=[5, 4, 6, 3],
    )
    table = tabulate(data, ["size"], "x")
    total = cell(table, "Total")
    assert table.contributions.largest[total].tolist() == [6, 5, 4]
    assert table.owners.largest[total].tolist() == [9, 6, 3]
    assert table.owners.count[total] == 3 and table.contributions.count[total] == 4
    assert len(set(table.owners.who[total].tolist())) == 3 and (table.owners.who[total] >= 0).all()


def test_records_without_owner_are_their_own():
    data = firms({"size": ["s", "s"], "owner": [None, None]}, {Role.OWNER: ("owner",)}, x=[5, 4])
    assert tabulate(data, ["size"], "x").owners.count.tolist() == [2, 2]


def test_negative_contributions():
    data = firms(
        {"size": ["s", "s", "m"], "owner": ["u", "v", "u"]}, {Role.OWNER: ("owner",)}, x=[-30, 10, 20]
    )
    table = tabulate(data, ["size"], "x")
    s, total = cell(table, "s"), cell(table, "Total")
    assert table.value[s] == -20 and table.contributions.largest[s].tolist() == [-30, 10, 0]
    assert table.contributions.size[s] == 40 and table.contributions.size[total] == 60
    assert table.owners.largest[total].tolist() == [-10, 10, 0] and table.owners.size[total] == 20


def test_values_that_are_not_negative_need_no_size():
    assert tabulate(firms({"size": ["s"]}, x=[0]), ["size"], "x").contributions.size is None


def test_zero_is_a_contribution_and_missing_is_none():
    data = firms({"size": ["s", "s", "m"]}, x=[0, np.nan, np.nan])
    table = tabulate(data, ["size"], "x")
    assert sorted(table.codes(0)) == ["Total", "s"]
    assert value(table, "s") == 0 and table.contributions.count[cell(table, "s")] == 1
    assert table.contributions.who[cell(table, "s")].tolist() == [0, -1, -1]


def test_missing_category_and_suppressed_one():
    """Neither comes back in a table, though the true code still stands under the suppressed cell."""
    data = firms({"industry": ["A1", None, "B1"]}, x=[1, 2, 4])
    hidden = replace(data.column("industry"), state=np.array([0, MISSING, SUPPRESSED], dtype=np.uint8))
    table = tabulate(data.with_columns({"industry": hidden}), ["industry"], "x")
    assert value(table, "?") == 6 and value(table, "Total") == 7
    assert sorted(table.codes(0)) == ["?", "A", "A1", "Total"]


def test_the_code_of_missing_is_free():
    data = firms({"answer": ["?", None, "y"]}, x=[1, 2, 4])
    table = tabulate(data, ["answer"], "x")
    assert value(table, "?") == 1 and value(table, "?*") == 2


def test_the_code_of_the_total_is_free():
    table = tabulate(firms({"answer": ["Total", "y"]}, x=[1, 2]), ["answer"], "x")
    assert value(table, "Total") == 1 and value(table, "Total*") == 3


def test_all_categories_missing():
    table = tabulate(firms({"industry": [None, None]}, x=[1, 2]), ["industry"], "x")
    assert sorted(table.codes(0)) == ["?", "Total"]


def test_numbers_with_bands_as_dimension():
    ages = Column.numbers_of(np.array([3, 17, 18, 44]))
    ages = replace(ages, hierarchy=Bands((10.0,)).build("age", ages))
    data = Microdata({"age": ages, "x": Column.numbers_of(np.array([1.0, 2, 4, 8]))})
    assert value(tabulate(data, ["age"], "x"), "10-19") == 6
    moved = data.with_columns({"age": ages.with_numbers(np.array([3.0, 17, 25, 44]))})
    assert value(tabulate(moved, ["age"], "x"), "20-29") == 4


def test_hierarchy_of_the_total_alone():
    only = Hierarchy("all", np.array(["all"], dtype=object), np.array([-1]))
    data = Microdata(
        {"d": Column.texts_of(["all", "all"], hierarchy=only), "x": Column.numbers_of(np.ones(2))}
    )
    table = tabulate(data, ["d"], "x")
    assert len(table) == 1 and table.value.tolist() == [2]
    missing = Microdata(
        {"d": Column.texts_of([None, None], hierarchy=only), "x": Column.numbers_of(np.ones(2))}
    )
    assert sorted(tabulate(missing, ["d"], "x").codes(0)) == ["?", "all"]


def test_seven_dimensions():
    rng = np.random.default_rng(3)
    columns = {f"d{j}": [f"{c}" for c in rng.integers(0, 3, 40)] for j in range(7)}
    x = rng.integers(1, 100, 40)
    table = tabulate(firms(columns, x=x), list(columns), "x")
    assert value(table, *["Total"] * 7) == x.sum()
    first = [columns[n][0] for n in columns]
    same = np.all([np.array(columns[n]) == columns[n][0] for n in list(columns)[:6]], axis=0)
    assert value(table, *first[:6], "Total") == x[same].sum()
    assert np.sum(table.value[table.inner]) == x.sum()


@pytest.mark.parametrize("weighted", [False, True])
def test_empty_cells_are_listed_where_asked(weighted):
    """Everything else stays, and with them every combination of codes is a cell."""
    rng = np.random.default_rng(4)
    columns = {n: rng.choice(h.codes[h.is_leaf], 9).tolist() for n, h in SHAPES.items()}
    numbers = {"x": [-5, 3, 8, -1, 0, 7, 20, 4, 6], "w": rng.integers(1, 9, 9)}
    data = firms({**columns, "o": ["p", "q", "r"] * 3}, {Role.OWNER: ("o",)}, **numbers)
    data = data.with_roles({Role.OWNER: ("o",), Role.WEIGHT: ("w",)}) if weighted else data
    few, all_ = (tabulate(data, list(SHAPES), "x", empty=empty) for empty in ("left-out", "listed"))
    assert len(all_) == np.prod([len(h) for h in SHAPES.values()]) > len(few)
    at = all_.find(few.cells)
    np.testing.assert_array_equal(all_.value[at], few.value)
    for now, was in ((all_.contributions, few.contributions), (all_.owners, few.owners)):
        np.testing.assert_array_equal(now.count[at], was.count)
        np.testing.assert_array_equal(now.who[at], was.who)
        np.testing.assert_array_equal(now.size[at], was.size)
    others = np.setdiff1d(np.arange(len(all_)), at)
    assert not all_.value[others].any()
    assert not all_.contributions.count[others].any()


def test_too_many_empty_cells_are_not_listed():
    rng = np.random.default_rng(3)
    columns = {f"d{j}": [f"{c}" for c in rng.integers(0, 30, 300)] for j in range(7)}
    with pytest.raises(TableTooWide):
        tabulate(firms(columns), list(columns), empty="listed")


def test_ties_go_to_the_first_records():
    table = tabulate(firms({"size": ["s"] * 5}, x=[7, 7, 7, 7, 7]), ["size"], "x")
    assert table.contributions.who[0].tolist() == [0, 1, 2]


def test_order_of_records_does_not_matter():
    data = example_data(200)
    shuffled = data.take(np.random.default_rng(5).permutation(200))
    one, two = (tabulate(d, ["region", "occupation"], "income") for d in (data, shuffled))
    np.testing.assert_array_equal(one.value, two.value)
    np.testing.assert_array_equal(one.key, two.key)
    np.testing.assert_array_equal(one.contributions.largest, two.contributions.largest)


def test_cents_add_up_to_the_cent():
    """0.1 added ten times is 1, not 0.9999999999999999: a rule at its boundary sees the right number."""
    table = tabulate(firms({"size": ["s"] * 10}, x=[0.1] * 10), ["size"], "x")
    assert table.value.tolist() == [1.0, 1.0]
    weighted = firms({"size": ["s"] * 10}, {Role.WEIGHT: ("w",)}, x=[0.1] * 10, w=[1.1] * 10)
    assert tabulate(weighted, ["size"], "x").value.tolist() == [1.1, 1.1]


def test_numbers_without_end_are_added_as_they_are():
    x = np.array([1 / 3, 2 / 3, 1e-12])
    table = tabulate(firms({"size": ["s", "s", "m"]}, x=x), ["size"], "x")
    assert value(table, "s") == pytest.approx(1) and table.contributions.largest[cell(table, "m"), 0] == 1e-12


@pytest.mark.parametrize("x", [[1e16, 1, -1e16], [1e299, -1e299, 5.5]])
def test_large_numbers(x):
    table = tabulate(firms({"size": ["s", "m", "l"]}, x=x), ["size"], "x")
    assert table.contributions.size[cell(table, "Total")] == pytest.approx(np.abs(x).sum())


@pytest.mark.parametrize("x", [[1e308, 1e308], [1e300, 1e10], [-1e308, 1e308]])
def test_sums_that_are_no_numbers(x):
    with pytest.raises(TooLarge):
        tabulate(firms({"size": ["s", "m"]}, {Role.WEIGHT: ("w",)}, x=x, w=[1e5, 1e5]), ["size"], "x")


def test_everything_is_frozen():
    table = tabulate(firms({"size": ["s"]}, x=[1]), ["size"], "x")
    kept = table.contributions
    for array in (table.value, table.cells, table.key, table.up, kept.count, kept.largest, kept.who):
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 0


# -- bad input ------------------------------------------------------------------------------------------------------


def test_refusals():
    data = firms({"industry": ["A1", "B1"], "size": ["s", "m"]}, x=[1, 2])
    for act, error in (
        (lambda: tabulate(data, [], "x"), NoDimension),
        (lambda: tabulate(data, ["size", "size"], "x"), DimensionTwice),
        (lambda: tabulate(data.take(np.zeros(0, np.int64)), ["size"], "x"), EmptyData),
        (lambda: tabulate(data, ["size"], "industry"), WrongKind),
        (lambda: tabulate(firms({"size": ["s"]}, x=[np.nan]), ["size"], "x"), NothingToAdd),
        (lambda: tabulate(firms({"size": ["s"]}, x=[np.inf]), ["size"], "x"), NotFinite),
    ):
        with pytest.raises(error):
            act()


def test_code_that_the_hierarchy_does_not_know():
    with pytest.raises(HierarchyUncovered, match="record 2"):
        tabulate(firms({"industry": ["A1", "Z"]}, x=[1, 2]), ["industry"], "x")


def test_code_that_is_a_sum_of_others():
    with pytest.raises(InnerCode, match="2 records.*record 2"):
        tabulate(firms({"industry": ["A1", "A", None, "Total"]}, x=[1, 2, 3, 4]), ["industry"], "x")


def test_too_many_codes_together():
    codes = [str(i) for i in range(2000)]
    data = firms({f"d{j}": codes for j in range(6)}, x=np.ones(2000))
    with pytest.raises(TableTooWide):
        tabulate(data, list(data.names[:-1]), "x")


def test_no_message_tells_a_value():
    bad = firms({"size": ["s", "m"]}, {Role.WEIGHT: ("w",)}, x=[987654321, 2], w=[-987654321, 1])
    with pytest.raises(InputWrong) as refused:
        tabulate(bad, ["size"], "x")
    assert "987654321" not in str(refused.value)


# -- decimal numbers --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("values", "places"),
    [
        ([], 0),
        ([3, -7], 0),
        ([0.1, 2.25], 2),
        ([1e-6], 6),
        ([1e-7], None),
        ([1 / 3], None),
        ([2.0**53], None),
        ([0.1, 1e15], None),
    ],
)
def test_decimals(values, places):
    assert decimals(np.array(values, dtype=float)) == places


def test_written():
    assert written(17.6) == Fraction(176, 10) and written(85) == 85 and written(1e-7) == Fraction(1, 10**7)


def test_values_and_weights_without_all_their_digits_are_refused():
    lost = firms({"industry": ["A1", "A2", "C"]}, turnover=[5.0, 0.0, 1e-310])
    with pytest.raises(TooNearZero) as refused:
        tabulate(lost, "industry", "turnover")
    assert (refused.value.facts["name"], refused.value.facts["first"]) == ("turnover", 3)
    weighed = firms({"industry": ["A1", "C"]}, {Role.WEIGHT: ("w",)}, turnover=[5.0, 1.0], w=[1.0, -1e-310])
    with pytest.raises(WeightNegative):
        tabulate(weighed, "industry", "turnover")
    nearly = firms({"industry": ["A1", "C"]}, {Role.WEIGHT: ("w",)}, turnover=[5.0, 1.0], w=[1.0, 1e-310])
    with pytest.raises(TooNearZero):
        tabulate(nearly, "industry", "turnover")
