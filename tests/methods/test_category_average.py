"""Averages of categories: distances by hierarchy, typical records, mixed columns."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from methods.averaging_data import contributors_per_value, done, firms, numbers
from tarnkappe.data.column import MISSING, Column
from tarnkappe.data.hierarchy_builders import from_tree
from tarnkappe.data.microdata import Microdata
from tarnkappe.errors.data import TooFewRecords, ValueUnknown, WrongKind
from tarnkappe.errors.hierarchy import HierarchyUncovered
from tarnkappe.errors.masking import WeightsNeeded
from tarnkappe.errors.release import ClaimBroken, ParameterWrong
from tarnkappe.methods.microdata import category_average
from tarnkappe.vocab import Kind, Role

STATES = {"east": ["Saxony", "Thuringia"], "west": ["Hesse", "Bavaria"]}


def states(texts):
    return replace(Column.texts_of(texts), hierarchy=from_tree("state", STATES))


def test_without_a_hierarchy_the_most_frequent_category_stands():
    data = Microdata({"c": Column.texts_of(list("aaab"))})
    assert done("category-average", data, columns=["c"], k=4).column("c").texts().tolist() == list("aaaa")


def test_with_a_hierarchy_the_category_nearest_to_all_stands():
    """Two from Hesse, but three from the two eastern states: the middle of the group lies in the east."""
    texts = ["Hesse", "Hesse", "Saxony", "Saxony", "Thuringia"]
    data = Microdata({"s": states(texts)})
    assert set(done("category-average", data, columns=["s"], k=5).column("s").texts()) == {"Saxony"}


@pytest.mark.parametrize("aggregate", ["mean", "median", "medoid"])
def test_groups_of_k_and_nothing_invented(aggregate):
    data = firms()
    columns = ["turnover", "staff", "branch"]
    after = done("category-average", data, columns=columns, k=4, aggregate=aggregate)
    assert min(contributors_per_value(after, *columns)) >= 4
    if aggregate == "medoid":
        was = set(zip(*(data.column(n).texts() for n in columns), strict=True))
        assert set(zip(*(after.column(n).texts() for n in columns), strict=True)) <= was
        assert after.column("staff").kind is Kind.INTEGER
    if aggregate == "mean":
        assert after.column("turnover").values.sum() == pytest.approx(data.column("turnover").values.sum())


@pytest.mark.parametrize("weighted", [False, True])
def test_totals_of_numbers_are_promised_with_means(weighted, monkeypatch):
    data = firms()
    w = numbers(np.random.default_rng(2).uniform(1, 5, len(data)))
    data = data.with_columns({"w": w}).with_roles({Role.WEIGHT: ("w",)})
    given = {"columns": ["turnover", "branch"], "weighted": weighted}
    done("category-average", data, **given)
    honest = category_average.group_averages
    monkeypatch.setattr(category_average, "group_averages", lambda x, labels, w: honest(x, labels, w) * 1.001)
    with pytest.raises(ClaimBroken):
        done("category-average", data, **given)
    done("category-average", data, aggregate="median", **given)


def test_owners_and_strata():
    data = firms(owners=40)
    after = done("category-average", data, columns=["turnover", "wages"], k=3, within=["branch"])
    assert min(contributors_per_value(after, "branch", "turnover", "wages", owner="group")) >= 3


def test_a_weight_makes_a_column_count():
    rng = np.random.default_rng(1)
    data = Microdata(
        {"c": Column.texts_of(rng.choice(list("abc"), 90).tolist()), "x": numbers(rng.random(90))}
    )
    kept = {}
    for weight in (0.001, 100.0):
        after = done("category-average", data, columns=["c", "x"], weights={"c": weight})
        kept[weight] = np.mean(after.column("c").texts() == data.column("c").texts())
    assert kept[100.0] > 0.95 > kept[0.001]


def test_gaps_stay():
    gaps = np.array([MISSING] * 4 + [0] * 8, dtype=np.uint8)
    data = Microdata(
        {"c": replace(Column.texts_of(list("xxxxaaaabbbb")), state=gaps), "x": numbers(range(12))}
    )
    after = done("category-average", data, columns=["c", "x"], k=4)
    assert after.column("c").missing.tolist() == [True] * 4 + [False] * 8
    assert after.column("c").texts().tolist() == [None] * 4 + list("aaaabbbb")


def test_more_than_a_block():
    """Above 4,096 records in blocks of neighbours; heaps of equal records stay together."""
    rng = np.random.default_rng(2)
    heaps = rng.integers(40, size=9000)
    data = Microdata({"c": Column.texts_of([f"c{h % 8}" for h in heaps]), "x": numbers(heaps // 8)})
    after = done("category-average", data, columns=["c", "x"], k=3)
    assert min(contributors_per_value(after, "c", "x")) >= 3
    assert np.mean(after.column("c").texts() == data.column("c").texts()) > 0.95


def test_refusals():
    data = Microdata(
        {"c": Column.texts_of(list("abab")), "d": Column(Kind.DATE, np.arange(4, dtype=np.int32))}
    )
    with pytest.raises(WrongKind):
        done("category-average", data, columns=["d"])
    with pytest.raises(TooFewRecords):
        done("category-average", data, columns=["c"], k=5)
    with pytest.raises(ParameterWrong):
        done("category-average", data, columns=["c"], weights={"d": 1.0})
    with pytest.raises(ParameterWrong):
        done("category-average", data, columns=["c"], weights={"c": 0.0})
    unknown = Microdata({"s": replace(Column.texts_of(list("abcd")), hierarchy=from_tree("state", STATES))})
    with pytest.raises(HierarchyUncovered):
        done("category-average", unknown, columns=["s"])


def test_weights_of_records_count():
    data = Microdata(
        {"c": Column.texts_of(list("aaab")), "x": numbers([1.0, 2, 3, 10]), "w": numbers([1.0, 1, 1, 9])},
        {Role.WEIGHT: ("w",)},
    )
    plain, weighted = (
        done("category-average", data, columns=["c", "x"], k=4, weighted=w) for w in (False, True)
    )
    assert set(plain.column("c").texts()) == {"a"}
    assert set(weighted.column("c").texts()) == {"b"}
    assert plain.column("x").values[0] == 4
    assert weighted.column("x").values[0] == 8
    medoid = done("category-average", data, columns=["c", "x"], k=4, weighted=True, aggregate="medoid")
    assert set(medoid.column("x").values) == {10}
    with pytest.raises(WeightsNeeded):
        done("category-average", data.with_roles({}), columns=["c"], k=4, weighted=True)


# -- distances that are given ------------------------------------------------------------------------------------------

PAIRS = {"Saxony": {"Thuringia": 0.5}, "Bavaria": {"Hesse": 0.5}}


@pytest.mark.parametrize("aggregate", ["mean", "medoid"])
def test_a_table_of_distances_does_what_the_hierarchy_does(aggregate):
    """The distances of TV-03: 0 in one state, one half in one region, 1 beyond."""
    rng = np.random.default_rng(4)
    texts = rng.choice(["Saxony", "Thuringia", "Hesse", "Bavaria"], 60).tolist()
    amounts = numbers(rng.normal(size=60))
    given = {"columns": ["s", "x"], "k": 4, "aggregate": aggregate}
    by_tree = done("category-average", Microdata({"s": states(texts), "x": amounts}), **given)
    plain = Microdata({"s": Column.texts_of(texts), "x": amounts})
    by_table = done("category-average", plain, distances={"s": PAIRS}, **given)
    without = done("category-average", plain, **given)
    assert by_table.column("s").texts().tolist() == by_tree.column("s").texts().tolist()
    assert np.array_equal(by_table.column("x").values, by_tree.column("x").values)
    assert not np.array_equal(by_table.column("x").values, without.column("x").values)


def test_distances_that_no_hierarchy_has():
    """b is near to a and to c, which are far from each other: it stands for all, though it is the rarest."""
    data = Microdata({"c": Column.texts_of(list("aabcc"))})
    near = {"b": {"a": 0.1, "c": 0.1}}
    assert set(
        done("category-average", data, columns=["c"], k=5, distances={"c": near}).column("c").texts()
    ) == {"b"}
    assert set(done("category-average", data, columns=["c"], k=5).column("c").texts()) == {"a"}


def test_two_columns_with_tables_of_their_own_sizes():
    data = Microdata({"c": Column.texts_of(list("aabccc")), "d": Column.texts_of(list("xyxyxy"))})
    tables = {"c": {"b": {"a": 0.1}}, "d": {"x": {"y": 0.9}}}
    after = done("category-average", data, columns=["c", "d"], k=3, distances=tables)
    assert min(contributors_per_value(after, "c", "d")) >= 3


def test_bad_distances():
    data = Microdata({"c": Column.texts_of(list("aabcc")), "x": numbers(range(5))})
    for wrong in (
        {"c": {"a": {"b": 2}}},
        {"c": {"a": {"b": 0.1}, "b": {"a": 0.2}}},
        {"c": {"a": {"a": 0.1}}},
        {"y": {}},
    ):
        with pytest.raises(ParameterWrong):
            done("category-average", data, columns=["c"], distances=wrong)
    with pytest.raises(ValueUnknown):
        done("category-average", data, columns=["c"], distances={"c": {"a": {"z": 0.1}}})
    with pytest.raises(WrongKind):
        done("category-average", data, columns=["x"], distances={"x": {"1": {"2": 0.1}}})
