"""The union test against contributions merged one by one."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tarnkappe as tk
from reference import rules as by_definition
from tarnkappe.attack.union import union_test
from tarnkappe.data.column import Column
from tarnkappe.data.hierarchy_builders import from_tree
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.pattern import Mark, Pattern, Status
from tarnkappe.data.relations import relations_of
from tarnkappe.data.table import Contributions, Table
from tarnkappe.data.tabulate import flat, tabulate
from tarnkappe.errors import Refused
from tarnkappe.errors.unsafe_tables import Unprotectable
from tarnkappe.kernels.pooling import Lists, pool
from tarnkappe.methods.tables.primary.dominance import Dominance
from tarnkappe.methods.tables.primary.group_disclosure import GroupDisclosure
from tarnkappe.methods.tables.primary.minimum_frequency import MinimumFrequency
from tarnkappe.methods.tables.primary.p_percent import PPercent
from tarnkappe.methods.tables.primary.shares import Shares
from tarnkappe.methods.tables.primary.small_counts import SmallCounts
from tarnkappe.plan.linked_audit import set_findings
from tarnkappe.plan.tables import ruled
from tarnkappe.randomness import public_stream as stream
from tarnkappe.vocab import Role

TREE = from_tree("a", {"A": ["A1", "A2", "A3"], "B": ["B1", "B2"]})


def by_hand(pattern, relations, records, fires):
    """The relations whose suppressed parts together are sensitive: {leaf codes: [(who, x), …]} merged one by one."""
    table, hidden = pattern.table, pattern.suppressed
    below = [[_leaves(h, p) for p in range(len(h))] for h in table.dimensions]
    failed = []
    for r in range(len(relations)):
        cells = relations.cell[relations.start[r] : relations.start[r + 1]]
        parts = [c for c in cells if hidden[c] and c != relations.total[r]]
        if hidden[relations.total[r]] or not parts:
            continue
        if all(hidden[c] for c in cells if c != relations.total[r]):  # that is the total itself, which is out
            continue
        pool_ = defaultdict(Fraction)
        for codes, who, x in records:
            for c in parts:
                if all(code in below[j][table.cells[c, j]] for j, code in enumerate(codes)):
                    pool_[who] += x
        if fires(list(pool_.values())):
            failed.append(r)
    return failed


def _leaves(hierarchy, node):
    """Codes of the leaves below a node."""
    inside = {node}
    for p in range(node + 1, len(hierarchy)):
        if hierarchy.parent[p] in inside:
            inside.add(p)
    return {str(hierarchy.codes[p]) for p in inside if hierarchy.is_leaf[p]}


@st.composite
def suppressed(draw, *, signed=False):
    """Records with owners, a pattern with some cells suppressed, and the length of the lists."""
    n = draw(st.integers(2, 25))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    leaves = TREE.codes[TREE.is_leaf].tolist()
    a = [leaves[i] for i in rng.integers(0, len(leaves), n)]
    b = [["x", "y", "z"][i] for i in rng.integers(0, 3, n)]
    x = np.round(np.exp(rng.normal(2, 1.5, n)), 1) * (rng.choice([-1, 1], n, p=[0.3, 0.7]) if signed else 1)
    owner = [f"o{i}" for i in rng.integers(0, draw(st.sampled_from([2, 4, 12])), n)]
    data = Microdata(
        {
            "a": Column.texts_of(a, hierarchy=TREE),
            "b": Column.texts_of(b),
            "x": Column.numbers_of(x),
            "o": Column.texts_of(owner),
        },
        {Role.OWNER: ("o",)},
    )
    table = tabulate(data, ["a", "b"], "x", largest=draw(st.sampled_from([2, 3, 4, 30])))
    hidden = rng.random(len(table)) < draw(st.sampled_from([0.2, 0.5]))
    pattern = Pattern(table, status=np.where(hidden, np.uint8(Status.PRIMARY), np.uint8(Status.OPEN)))
    records = [((a[i], b[i]), owner[i], i, Fraction(str(float(x[i])))) for i in range(n)]
    return pattern, records


RULES = st.sampled_from(["dominance", "p", "frequency"])


def rule_of(kind, by):
    if kind == "dominance":
        return Dominance(n=2, k=85, by=by), lambda x: by_definition.dominance(x, 2, Fraction(85))[0]
    if kind == "p":
        return PPercent(p=10, by=by), lambda x: by_definition.p_percent(x, Fraction(10))[0]
    return MinimumFrequency(n=3, by=by), lambda x: 0 < len(x) < 3


@given(suppressed(), RULES)
@settings(max_examples=150, deadline=None)
def test_exact_by_contributor(case, kind):
    pattern, records = case
    rule, fires = rule_of(kind, "contributor")
    relations = relations_of(pattern.table)
    found = union_test(pattern, relations, [rule])
    assert found.relation.tolist() == by_hand(
        pattern, relations, [(c, i, x) for c, _, i, x in records], fires
    )


@given(suppressed() | suppressed(signed=True), RULES)
@settings(max_examples=300, deadline=None)
def test_never_unsafe_by_owner(case, kind):
    pattern, records = case
    rule, fires = rule_of(kind, "owner")
    relations = relations_of(pattern.table)
    found = union_test(pattern, relations, [rule])
    truth = set(by_hand(pattern, relations, [(c, o, x) for c, o, _, x in records], fires))
    assert truth <= set(found.relation.tolist())
    assert set(found.relation[found.exact].tolist()) <= truth
    if pattern.table.owners.count.max() <= pattern.table.owners.largest.shape[1]:
        assert found.exact.all()


@pytest.mark.parametrize("kind", ["dominance", "p", "frequency"])
@given(case=suppressed())
@settings(max_examples=5, deadline=None)
def test_no_protected_table_tells_such_a_sum(kind, case):
    """Whatever the method suppresses: the sums of suppressed parts pass the rule, checked record by record."""
    rule, fires = rule_of(kind, "contributor")
    table = case[0].table
    try:
        done = tk.protect(table, [rule], tk.table.Quader(insiders="contributors"))
    except Refused:
        return
    records = [(codes, i, x) for codes, _, i, x in case[1]]
    assert by_hand(done.pattern, relations_of(table), records, fires) == []


def test_the_second_largest_of_two_cells_does_not_find_the_largest():
    """100 and 1 beside 90 and 1: who has 90 knows 100 to 2 %, so two cells are not enough; an audit says so (L359-389)."""
    owners = {code: [f"{code}{i}" for i in range(3)] for code in "abcd"}
    shown = {"a": [100, 1, 0.5], "b": [90, 1, 0.5], "c": [60, 50, 40], "d": [70, 60, 50]}
    rules = [PPercent(p=10)]
    start = ruled(table_with(owners, [], 3, **shown), rules)
    codes = start.table.codes(0).astype(str)
    assert codes[start.primary].tolist() == ["a", "b"]
    found = tk.catalogue["risk.table-audit"]().measure(start)
    assert not found.value
    assert found.details["unions"] == [{"sum": "Total", "along": "d", "certain": True}]
    assert "1 sums of suppressed cells are themselves confidential" in found.because.en
    assert tk.catalogue["risk.table-audit"](insiders="none").measure(start).details["unions"] == []
    done = tk.protect(start.table, rules, tk.table.Quader()).pattern
    assert codes[done.suppressed].tolist() == ["a", "b", "c"]
    alone = tk.table.Quader(insiders="none").protect(start, stream("s"))
    assert codes[alone.suppressed].tolist() == ["a", "b"]
    kept = replace(
        start, mark=np.where(np.isin(codes, ["c", "d", "Total"]), np.uint8(Mark.KEEP), np.uint8(0))
    )
    with pytest.raises(Unprotectable, match="known in sum"):
        tk.protect(kept, rules, tk.table.Quader())


def test_linked_tables_tell_no_such_sum_either():
    """The sums of both tables are judged, each by the rules of its own."""
    rng = np.random.default_rng(10)
    n = 90
    data = Microdata(
        {name: Column.texts_of([codes[i] for i in rng.integers(0, len(codes), n)]) for name, codes in (("a", "stuv"), ("b", "xyz"), ("c", "klm"))}
        | {"v": Column.numbers_of(np.round(np.exp(rng.normal(3, 2, n)), 1))}
    )  # fmt: skip
    tables = [tk.tabulate(data, by, "v", name=by[0]) for by in (["a", "b"], ["c", "b"])]
    rules = [Dominance(n=2, k=80)]
    done = tk.protect(tables, rules, tk.table.Quader())
    for one in done.tables:
        assert one.pattern.suppressed.any()
        assert len(union_test(one.pattern, relations_of(one.pattern.table), rules)) == 0
    weak = tk.protect(
        tables,
        rules,
        tk.table.Quader(insiders="none"),
        audit=tk.catalogue["risk.table-audit"](insiders="none"),
    )
    told = set_findings(weak.over, [tk.catalogue["risk.table-audit"]()])
    assert not any(finding.value for finding in told)
    assert any(finding.details["unions"] for finding in told)


def table_with(owners, hidden, largest, **cells):
    """One dimension; contributions and owners by cell."""
    code = [c for c, xs in cells.items() for _ in xs]
    x = np.array([x for xs in cells.values() for x in xs], float)
    data = Microdata(
        {
            "d": Column.texts_of(code),
            "x": Column.numbers_of(x),
            "o": Column.texts_of([o for c in cells for o in owners[c]]),
        },
        {Role.OWNER: ("o",)},
    )
    table = tabulate(data, ["d"], "x", largest=largest)
    status = np.where(np.isin(table.codes(0).astype(str), hidden), np.uint8(1), np.uint8(0))
    return Pattern(table, status=status)


def test_owners_meet_across_cells():
    """Each cell has three contributors, the union has two owners."""
    owners = {"a": ["u", "u", "v"], "b": ["v", "u", "v"], "c": ["w", "z", "q"]}
    pattern = table_with(owners, ["a", "b"], 3, a=[1, 2, 3], b=[4, 5, 6], c=[7, 8, 9])
    relations = relations_of(pattern.table)
    assert len(union_test(pattern, relations, [MinimumFrequency(by="contributor")])) == 0
    found = union_test(pattern, relations, [PPercent(p=0.1, by="contributor"), MinimumFrequency()])
    assert found.relation.tolist() == [0] and found.rule.tolist() == [1] and found.exact.all()


def test_the_total_bounds_what_an_owner_can_have():
    """u is not listed in b, but the total shows all he has: no alarm. Without that ceiling there would be one."""
    owners = {"a": ["u", "v", "w"], "b": ["p", "q", "r"], "c": ["p", "q", "r"]}
    pattern = table_with(owners, ["a", "b"], 2, a=[1000, 5, 5], b=[55, 54, 53], c=[900, 800, 700])
    found = union_test(pattern, relations_of(pattern.table), [Dominance(n=1, k=86)])
    assert len(found) == 0
    lists = Lists(np.array([[1000.0, 5], [55, 54]]), np.array([[0, 1], [3, 4]]), np.array([5.0, 53]))
    free = Lists(np.zeros((1, 2)), np.full((1, 2), -1), np.array([np.inf]))
    under = Lists(np.array([[1000.0, 955]]), np.array([[0, 3]]), np.array([854.0]))
    assert pool(np.zeros(2, int), lists, free).largest.tolist() == [[1053, 60]]
    assert pool(np.zeros(2, int), lists, under).largest.tolist() == [[1000, 60]]


def test_somebody_whom_nobody_lists():
    """Two cells list a stranger each with 5; one who has up to 4 in both may have 8."""
    lists = Lists(np.full((2, 1), 5.0), np.full((2, 1), -1), np.full(2, 4.0))
    free = Lists(np.zeros((1, 1)), np.full((1, 1), -1), np.array([np.inf]))
    found = pool(np.zeros(2, int), lists, free)
    assert found.largest.tolist() == [[8]] and found.listed.tolist() == [2] and not found.complete.any()


def test_nothing_suppressed_and_hidden_totals():
    pattern = table_with({"a": ["u"], "b": ["v"]}, [], 2, a=[1], b=[2])
    relations = relations_of(pattern.table)
    assert len(union_test(pattern, relations, [MinimumFrequency()])) == 0
    assert len(union_test(pattern, relations, [])) == 0
    hidden = table_with({"a": ["u"], "b": ["v"]}, ["a", "Total"], 2, a=[1], b=[2])
    assert len(union_test(hidden, relations, [MinimumFrequency()])) == 0
    alone = table_with({"a": ["u"], "b": ["v"]}, ["a"], 2, a=[1], b=[2])
    assert union_test(alone, relations, [MinimumFrequency()]).relation.tolist() == [0]


def test_counts_together():
    """Two hidden counts that add up to 2 are known to add up to 2. Rules about rows have nothing to say."""
    table = Table(
        "t", (flat("d", ["a", "b", "c"]),), np.arange(4)[:, None], np.array([9.0, 1, 1, 7]), counts=True
    )
    pattern = Pattern(table, status=np.array([0, 1, 1, 0], dtype=np.uint8))
    relations = relations_of(table)
    assert len(union_test(pattern, relations, [SmallCounts(n=2)])) == 1
    assert len(union_test(pattern, relations, [SmallCounts(n=1), Shares(), GroupDisclosure()])) == 0


def test_decimals_are_added_without_rounding():
    """u has 0.1 and 0.2 of 0.15 and 0.25 together: exactly 75 %, which is not more than 75 %."""
    assert 0.1 + 0.2 > 0.3
    largest = np.array([[5.0, 1], [0.1, 0.05], [0.2, 0.05], [5, 1]])
    kept = Contributions(np.array([9, 2, 2, 5]), largest, np.array([[9, 8], [1, 2], [1, 2], [9, 8]]))
    table = Table(
        "t", (flat("d", ["a", "b", "c"]),), np.arange(4)[:, None], np.array([6.4, 0.15, 0.25, 6]), kept
    )
    pattern = Pattern(table, status=np.array([0, 1, 1, 0], dtype=np.uint8))
    assert len(union_test(pattern, relations_of(table), [Dominance(n=1, k=75)])) == 0
    assert len(union_test(pattern, relations_of(table), [Dominance(n=1, k=74.9)])) == 1


def test_units_outside_the_sample_are_different_from_each_other():
    data = Microdata(
        {
            "d": Column.texts_of(["a", "b", "c"]),
            "x": Column.numbers_of(np.array([10.0, 10, 500])),
            "w": Column.numbers_of(np.array([3.0, 3, 9])),
        },
        {Role.WEIGHT: ("w",)},
    )
    table = tabulate(data, ["d"], "x")
    pattern = Pattern(
        table, status=np.where(np.isin(table.codes(0).astype(str), ["a", "b"]), np.uint8(1), np.uint8(0))
    )
    relations = relations_of(table)
    assert len(union_test(pattern, relations, [Dominance(n=1, k=17, weighted=True)])) == 0, (
        "one of six units: 16.7 %"
    )
    assert len(union_test(pattern, relations, [Dominance(n=1, k=16, weighted=True)])) == 1
    assert len(union_test(pattern, relations, [MinimumFrequency()])) == 1
    assert len(union_test(pattern, relations, [MinimumFrequency(weighted=True)])) == 1, "two respondents"


@pytest.mark.parametrize("m", [0, 1])
def test_short_lists(m):
    pattern = table_with({"a": ["u", "v"], "b": ["v"], "c": ["w"]}, ["a", "b"], m, a=[1, 2], b=[2], c=[5])
    assert len(union_test(pattern, relations_of(pattern.table), [MinimumFrequency(n=2, coalition=0)])) == 0
    assert len(union_test(pattern, relations_of(pattern.table), [MinimumFrequency()])) == 1
