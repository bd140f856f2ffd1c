"""Merging categories of a table: as if the records had been recoded first; and proposals against trying every way."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reference.flat import cell, flat_table, suppressing
from tables.trees import hierarchy, table_of
from tarnkappe.data.column import Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.pattern import Mark, Pattern
from tarnkappe.data.recode_table import merged, rolled_up
from tarnkappe.data.tabulate import tabulate
from tarnkappe.errors.recoding import GroupsUnfit, MergedMarks, NotMergeable, RulesMissing
from tarnkappe.errors.release import ParameterWrong, Unattainable
from tarnkappe.errors.tables import AlreadyProtected, DimensionUnknown
from tarnkappe.kernels.recoding import cheapest_runs, cheapest_sets
from tarnkappe.methods.tables.merging import propose_merge
from tarnkappe.methods.tables.primary.minimum_frequency import MinimumFrequency
from tarnkappe.methods.tables.primary.p_percent import PPercent
from tarnkappe.methods.tables.recode import Recode
from tarnkappe.randomness import public_stream as stream
from tarnkappe.spec.parameters import build
from tarnkappe.spec.step import broken_claims
from tarnkappe.vocab import Kind, Role

FREQUENCY = {"use": "rule.minimum-frequency", "n": 3}


def records(rng, n, owners=None, weights=False, signed=False):
    columns = {
        "area": Column.texts_of([f"a{i}" for i in rng.integers(0, 4, n)]),
        "kind": Column.texts_of([f"k{i}" for i in rng.integers(0, 3, n)]),
        "value": Column(Kind.NUMBER, (rng.integers(-20 if signed else 0, 50, n)).astype(float)),
    }
    roles = {Role.NUMERIC: ("value",)}
    if owners:
        columns["owner"] = Column.texts_of([f"o{i}" for i in rng.integers(0, owners, n)])
        roles[Role.OWNER] = ("owner",)
    if weights:
        columns["w"] = Column(Kind.NUMBER, rng.integers(1, 12, n) / 4)
        roles[Role.WEIGHT] = ("w",)
    return Microdata(columns, roles)


def recoded(data, groups):
    texts = [groups.get(t, t) for t in data.columns["area"].texts()]
    return data.with_columns({"area": Column.texts_of(texts)})


def by_codes(table):
    """{codes: (value, count, sorted contributions, …)} without regard to the order of codes."""
    out = {}
    for i in range(len(table)):
        found = [round(table.value[i], 6)]
        for kept in (table.contributions, table.owners):
            if kept is not None:
                listed = sorted(zip(np.round(kept.largest[i], 6).tolist(), kept.who[i].tolist(), strict=True))
                sizes = [None if a is None else round(float(a[i]), 6) for a in (kept.size, kept.weight)]
                found += [int(kept.count[i]), listed, sizes]
        out[tuple(str(table.codes(j)[i]) for j in range(len(table.dimensions)))] = found
    return out


@given(st.integers(0, 10**6), st.integers(1, 25), st.booleans(), st.booleans(), st.integers(1, 6))
@settings(max_examples=60, deadline=None)
def test_merged_tables_are_those_of_recoded_records(seed, n, weights, signed, largest):
    data = records(np.random.default_rng(seed), n, weights=weights, signed=signed)
    codes = set(data.columns["area"].texts())
    groups = {c: "new" for c in ("a1", "a3") if c in codes}
    fine = tabulate(data, ["area", "kind"], "value", largest=largest)
    coarse = tabulate(recoded(data, groups), ["area", "kind"], "value", largest=largest)
    if signed != bool((data.numbers(["value"]) < 0).any()):
        return
    found = merged(Pattern(fine), 0, groups).table
    ours, theirs = by_codes(found), by_codes(coarse)
    assert ours.keys() == theirs.keys()
    for codes, facts in theirs.items():  # ties among contributions of equal size may name either contributor
        assert ours[codes][:2] == facts[:2]
        assert sorted(abs(a) for a, _ in ours[codes][2]) == sorted(abs(a) for a, _ in facts[2])
        assert ours[codes][3:] == facts[3:]


@given(st.integers(0, 10**6), st.integers(2, 25), st.integers(2, 6))
@settings(max_examples=60, deadline=None)
def test_owners_are_added_up_exactly_or_refused(seed, n, largest):
    data = records(np.random.default_rng(seed), n, owners=8)
    codes = set(data.columns["area"].texts())
    groups = {c: "new" for c in ("a1", "a3") if c in codes}
    fine = tabulate(data, ["area", "kind"], "value", largest=largest)
    coarse = tabulate(recoded(data, groups), ["area", "kind"], "value", largest=largest)
    parts = fine.owners.count[np.isin(fine.codes(0), list(groups))]
    try:
        found = merged(Pattern(fine), 0, groups).table
    except NotMergeable:
        assert parts.max() > largest
        return
    ours, theirs = by_codes(found), by_codes(coarse)
    for codes, facts in theirs.items():
        assert ours[codes][4] == facts[4]  # owners counted
        assert [a for a, _ in ours[codes][5]] == [a for a, _ in facts[5]]


def test_an_owner_in_both_parts_is_one():
    data = Microdata(
        {
            "area": Column.texts_of(["a", "b", "b", "c"]),
            "value": Column(Kind.NUMBER, np.array([5.0, 7.0, 8.0, 1.0])),
            "owner": Column.texts_of(["x", "x", "y", "y"]),
        },
        {Role.NUMERIC: ("value",), Role.OWNER: ("owner",)},
    )
    found = merged(Pattern(tabulate(data, ["area"], "value")), 0, {"a": "ab", "b": "ab"}).table
    at = cell(found, "ab")
    assert found.owners.count[at] == 2
    assert found.owners.largest[at].tolist() == [12, 8, 0]
    assert found.contributions.count[at] == 3
    one = tabulate(data, ["area"], "value", largest=1)
    with pytest.raises(NotMergeable, match="Recode the column"):
        merged(Pattern(one), 0, {"a": "ab", "b": "ab"})


TREE = {"T": None, "N": "T", "n1": "N", "n2": "N", "n3": "N", "S": "T", "s1": "S", "s2": "S"}


def tree_pattern():
    return Pattern(table_of(TREE, {"n1": 1, "n2": 4, "n3": 5, "s1": 6, "s2": 9}))


def values(pattern):
    return dict(zip(pattern.table.codes(0), pattern.table.value, strict=True))


def test_siblings_below_a_sum_and_sums_with_all_below():
    found = values(merged(tree_pattern(), 0, {"n1": "n12", "n2": "n12"}))
    assert found == {"T": 25, "N": 10, "n12": 5, "n3": 5, "S": 15, "s1": 6, "s2": 9}
    found = values(merged(tree_pattern(), 0, {"N": "all", "S": "all"}))
    assert found == {"T": 25, "all": 25, "n1": 1, "n2": 4, "n3": 5, "s1": 6, "s2": 9}
    found = values(merged(tree_pattern(), 0, {"n1": "n2", "n2": "n2"}))
    assert found == {"T": 25, "N": 10, "n2": 5, "n3": 5, "S": 15, "s1": 6, "s2": 9}


def test_rolling_up():
    assert values(rolled_up(tree_pattern(), 0, 1)) == {"T": 25, "N": 10, "S": 15}
    assert values(rolled_up(tree_pattern(), 0, 0)) == {"T": 25}
    assert values(rolled_up(tree_pattern(), 0, 2)) == values(tree_pattern())


@pytest.mark.parametrize(
    "groups",
    [
        {"n1": "x", "unknown": "x"},
        {"T": "x", "N": "x"},
        {"n1": "s1", "n2": "s1"},
        {"n1": "x", "s1": "x"},
        {"n1": "x", "N": "x"},
    ],
)
def test_groups_that_do_not_fit_are_refused(groups):
    with pytest.raises(GroupsUnfit):
        merged(tree_pattern(), 0, groups)


def test_a_leaf_beside_a_sum_is_not_merged_with_it():
    pattern = Pattern(
        table_of({"T": None, "a": "T", "b": "T", "b1": "b", "b2": "b"}, {"a": 3, "b1": 1, "b2": 2})
    )
    with pytest.raises(GroupsUnfit, match="lowest level"):
        merged(pattern, 0, {"a": "x", "b": "x"})


def test_marks_bounds_and_costs_go_along():
    table = flat_table([[1, 2, 3], [4, 5, 6]])
    mark = np.zeros(len(table), dtype=np.uint8)
    mark[cell(table, "1", "3")] = Mark.KEEP
    mark[[cell(table, "2", "1"), cell(table, "2", "2")]] = Mark.ZERO
    pattern = Pattern(table, mark=mark, low=table.value * 0.5, high=table.value * 2, cost=table.value)
    found = merged(pattern, 1, {"1": "12", "2": "12"})
    assert found.mark[cell(found.table, "1", "3")] == Mark.KEEP
    assert found.mark[cell(found.table, "2", "12")] == Mark.ZERO
    assert found.mark[cell(found.table, "1", "12")] == Mark.NONE
    assert (found.low == found.table.value * 0.5).all() and (found.high == found.table.value * 2).all()
    assert (found.cost == found.table.value).all()
    with pytest.raises(MergedMarks, match="1 × 3"):
        merged(pattern, 1, {"3": "23", "2": "23"})


# -- proposals --------------------------------------------------------------------------------------------------------------


def partitions(items):
    if not items:
        yield []
        return
    first, rest = items[0], items[1:]
    for size in range(len(rest) + 1):
        for others in itertools.combinations(rest, size):
            left = [i for i in rest if i not in others]
            for more in partitions(left):
                yield [(first, *others), *more]


@given(st.integers(1, 6), st.integers(0, 10**6), st.booleans())
@settings(max_examples=60, deadline=None)
def test_the_cheapest_way_is_found_among_all(size, seed, ordered):
    rng = np.random.default_rng(seed)
    prices = {}

    def price(group):
        if group not in prices:
            prices[group] = (
                float(rng.random() < 0.5 / len(group)),
                float(len(group) - 1),
                float(rng.random()),
            )
        return prices[group]

    found = (cheapest_runs if ordered else cheapest_sets)(size, price)

    def run(group):
        return list(group) == list(range(group[0], group[-1] + 1))

    ways = [p for p in partitions(list(range(size))) if not ordered or all(map(run, p))]
    safe = [p for p in ways if all(price(g)[0] == 0 for g in p)]
    if not safe:
        assert found is None
        return

    def cost(way):
        return tuple(np.round(np.sum([price(g) for g in way], axis=0), 9))

    assert sorted(i for g in found for i in g) == list(range(size))
    assert cost(found) == min(map(cost, safe))


def test_many_categories_are_merged_step_by_step():
    counts = np.array([1, 2, 9, 9, 9, 9, 9, 9, 9, 9, 2, 1, 9])
    table = flat_table(counts, counts=None)
    table = replace(table, counts=True)
    groups = propose_merge(table, 0, [MinimumFrequency(n=3)])
    found = merged(Pattern(table), 0, groups)
    assert (found.table.value >= 3).all()
    assert len(found.table) >= 12  # small ones are put together, large ones are left alone


@given(st.integers(0, 10**6), st.booleans())
@settings(max_examples=40, deadline=None)
def test_what_is_proposed_is_safe_or_nothing_is(seed, ordered):
    rng = np.random.default_rng(seed)
    data = records(rng, int(rng.integers(3, 40)))
    table = tabulate(data, ["area", "kind"], "value", largest=5)
    rules = [MinimumFrequency(n=3), PPercent(p=20)]
    method = Recode(
        dimension="area", propose=True, ordered=ordered, rules=[FREQUENCY, {"use": "rule.p-percent", "p": 20}]
    )
    pattern = Pattern(table)
    for rule in rules:
        pattern = pattern.marked(rule.mark(table))
    try:
        after = method.protect(pattern, stream("s"))
    except Unattainable:
        whole = merged(Pattern(table), 0, dict.fromkeys(table.dimensions[0].codes[1:], "all")).table
        assert any(rule.mark(whole).cells.any() for rule in rules) or len(table.dimensions[0]) == 2
        return
    assert broken_claims(method, pattern, after) == []
    assert not any(rule.mark(after.table).cells.any() for rule in rules)
    assert not after.suppressed.any()


# -- the method -------------------------------------------------------------------------------------------------------------


def test_groups_and_levels_and_proposals_together():
    method = Recode(
        dimension="area",
        level=2,
        groups={"n1": "n12", "n2": "n12"},
        propose=True,
        rules=[{"use": "rule.minimum-frequency", "n": 6}],
    )
    before = replace(tree_pattern(), table=replace(tree_pattern().table, counts=True))
    after = method.protect(before, stream("s"))
    assert values(after) == {"T": 25, "N": 10, "n12 + n3": 10, "S": 15, "s1": 6, "s2": 9}
    assert broken_claims(method, before, after) == []
    assert after.because(2).en == "merged; 2 cells fewer"


def test_still_confidential_cells_are_named():
    table = replace(flat_table([[1, 5], [7, 8]]), counts=True)
    method = Recode(dimension="c", groups={"1": "one"}, rules=[FREQUENCY])
    with pytest.raises(Unattainable, match="1 × one"):
        method.protect(Pattern(table).marked(MinimumFrequency(n=3).mark(table)), stream("s"))
    with pytest.raises(Unattainable, match="not enough"):
        everything = replace(flat_table([[1, 1], [7, 8]]), counts=True)
        Recode(dimension="c", propose=True, rules=[FREQUENCY]).protect(Pattern(everything), stream("s"))


def test_a_mark_by_another_rule_stays():
    """The rules given here find nothing, but the cell was marked and is still there."""
    table = replace(flat_table([[1, 5], [7, 8]]), counts=True)
    method = Recode(dimension="c", groups={"2": "two"}, rules=[{"use": "rule.group-disclosure"}])
    with pytest.raises(Unattainable, match="1 × 1"):
        method.protect(suppressing(table, [("1", "1")]), stream("s"))


def test_bad_input():
    table = flat_table([[1, 5], [7, 8]])
    pattern = suppressing(table, [("1", "1")])
    groups = {"1": "x", "2": "x"}
    with pytest.raises(RulesMissing):
        Recode(dimension="c", groups=groups).protect(pattern, stream("s"))
    with pytest.raises(DimensionUnknown, match="Known: c, r|Did you mean"):
        Recode(dimension="d", groups=groups).protect(Pattern(table), stream("s"))
    with pytest.raises(AlreadyProtected):
        Recode(dimension="c", groups=groups, rules=[FREQUENCY]).protect(
            replace(pattern, status=np.full(len(table), 2, dtype=np.uint8)), stream("s")
        )


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({}, "give level"),
        ({"propose": True}, "propose needs rules"),
        ({"level": 1, "rules": [{"use": "rule.nothing"}]}, "rule of the catalogue"),
        (
            {"level": 1, "rules": [{"use": "microdata.round", "columns": ["x"], "base": 5}]},
            "rule of the catalogue",
        ),
        ({"level": 1, "rules": [{"use": "rule.minimum-frequency", "n": -1}]}, "rule of the catalogue"),
        ({"level": 1, "rules": [{}]}, "rule of the catalogue"),
    ],
)
def test_parameters_are_checked(given, says):
    with pytest.raises(ParameterWrong, match=says):
        build(Recode, {"dimension": "c", **given})


def test_doing_nothing_breaks_a_claim():
    before = Pattern(flat_table([[1, 5], [7, 8]]))
    assert broken_claims(Recode(dimension="c", groups={"1": "x", "2": "x"}), before, before)


def test_labels_and_levels_stay():
    tree = hierarchy("area", TREE).worded(("land", "region", "county"), {"N": "north", "n1": "one"})
    pattern = Pattern(replace(tree_pattern().table, dimensions=(tree,)))
    found = merged(pattern, 0, {"n1": "n12", "n2": "n12"}).table.dimensions[0]
    assert found.level_names == ("land", "region", "county")
    assert dict(zip(found.codes, found.labels, strict=True))["N"] == "north"
    assert rolled_up(pattern, 0, "region").table.dimensions[0].codes.tolist() == ["T", "N", "S"]
