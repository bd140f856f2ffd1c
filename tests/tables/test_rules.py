"""Primary rules: against the inequalities of the source, at their boundaries, and on degenerate cells."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from reference import rules as by_definition
from tarnkappe.data.column import Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.pattern import Pattern
from tarnkappe.data.table import Contributions, Table
from tarnkappe.data.tabulate import flat, tabulate
from tarnkappe.errors.release import ParameterWrong
from tarnkappe.errors.tables import (
    ContributionsFew,
    ContributionsMissing,
    CountsMissing,
    DimensionUnknown,
    NotCounts,
)
from tarnkappe.kernels import dominance as kernel
from tarnkappe.methods.tables.primary.dominance import Dominance
from tarnkappe.methods.tables.primary.group_disclosure import GroupDisclosure
from tarnkappe.methods.tables.primary.linear import Linear
from tarnkappe.methods.tables.primary.minimum_frequency import MinimumFrequency
from tarnkappe.methods.tables.primary.p_percent import PPercent
from tarnkappe.methods.tables.primary.p_q import PQ
from tarnkappe.methods.tables.primary.shares import Shares
from tarnkappe.methods.tables.primary.small_counts import SmallCounts
from tarnkappe.spec.parameters import build
from tarnkappe.vocab import Role


def of_cells(cells, owners=None, weights=None, largest=6):
    """A table of one dimension from the contributions to its cells: {code: [x1, x2, …]}."""
    code = [c for c, xs in cells.items() for _ in xs]
    columns = {
        "cell": Column.texts_of(code),
        "x": Column.numbers_of(np.array([x for xs in cells.values() for x in xs], float)),
    }
    roles = {}
    if owners is not None:
        columns["owner"], roles[Role.OWNER] = (
            Column.texts_of([o for os in owners.values() for o in os]),
            ("owner",),
        )
    if weights is not None:
        columns["w"], roles[Role.WEIGHT] = (
            Column.numbers_of(np.array([w for ws in weights.values() for w in ws], float)),
            ("w",),
        )
    return tabulate(Microdata(columns, roles), ["cell"], "x", largest=largest)


def counted(rows):
    """A table of counts: {row: {column: count}}; zeros are cells too."""
    columns = list(dict.fromkeys(c for row in rows.values() for c in row))
    x = np.array([[row.get(c, 0) for c in columns] for row in rows.values()], dtype=float)
    full = np.zeros((len(rows) + 1, len(columns) + 1))
    full[1:, 1:] = x
    full[0, 1:], full[1:, 0], full[0, 0] = x.sum(axis=0), x.sum(axis=1), x.sum()
    cells = np.stack(np.indices(full.shape), axis=-1).reshape(-1, 2)
    return Table(
        "counts", (flat("row", list(rows)), flat("column", columns)), cells, full.ravel(), counts=True
    )


def at(table, *codes):
    nodes = [h.positions([c])[0] for h, c in zip(table.dimensions, codes, strict=True)]
    return int(table.find(np.array([nodes]))[0])


def marked(found, table):
    """Codes of the marked cells."""
    return {
        " × ".join(str(table.codes(j)[i]) for j in range(len(table.dimensions)))
        for i in np.flatnonzero(found.cells)
    }


# -- against the inequalities -----------------------------------------------------------------------------------------

NUMBERS = st.one_of(
    st.integers(0, 12).map(Fraction),
    st.integers(0, 1000).map(lambda c: Fraction(c, 10)),
    st.integers(0, 10**12).map(Fraction),
)
LISTS = st.lists(NUMBERS, min_size=1, max_size=8)
PERCENT = st.sampled_from([10, 12.5, 17.6, 20, 25, 50, 60, 75, 80, 85, 90, 99.9])
KNOWN = st.integers(0, 3)


@st.composite
def rules(draw):
    """A rule with its definition."""
    p, q, known, n = draw(PERCENT), draw(PERCENT), draw(KNOWN), draw(st.integers(1, 4))
    kind = draw(st.sampled_from(["dominance", "p", "pq", "linear"]))
    if kind == "dominance":
        return Dominance(n=n, k=p), lambda x: by_definition.dominance(x, n, Fraction(str(p)))
    if kind == "p":
        return PPercent(p=p, coalition=known), lambda x: by_definition.p_percent(x, Fraction(str(p)), known)
    if kind == "pq" and p < q:
        return PQ(p=p, q=q, coalition=known), lambda x: by_definition.p_q(
            x, Fraction(str(p)), Fraction(str(q)), known
        )
    ladder = sorted(draw(st.lists(st.integers(-9, 9), min_size=1, max_size=4)), reverse=True)
    weights, tail = (
        [max(ladder[0], 1) / 10, *(w / 10 for w in ladder[1:])],
        -draw(st.sampled_from([1.0, 1.5, 3.0])),
    )
    weights = sorted(weights, reverse=True)
    exact = [Fraction(str(w)) for w in weights]
    return Linear(weights=weights, tail=tail), lambda x: by_definition.linear(x, exact, Fraction(str(tail)))


@given(rules(), LISTS, LISTS)
@example(
    (Dominance(n=1, k=85), lambda x: by_definition.dominance(x, 1, Fraction(85))),
    [Fraction(850), Fraction(150)],
    [Fraction(1)],
)
@example(
    (Dominance(n=1, k=85), lambda x: by_definition.dominance(x, 1, Fraction(85))),
    [Fraction("0.34"), Fraction("0.06")],
    [Fraction(1)],
)
@settings(max_examples=300, deadline=None)
def test_as_by_definition(drawn, a, b):
    rule, definition = drawn
    table = of_cells({"a": a, "b": b})
    found = rule.mark(table)
    for code, contributions in (("a", a), ("b", b), ("Total", a + b)):
        cell = at(table, code)
        fires, level = definition(contributions)
        assert found.cells[cell] == fires, code
        assert (found.upper[cell] > 0) == fires and (found.lower[cell] > 0) == fires
        if fires:
            least = 1e-6 * table.value[cell]
            assert found.upper[cell] == pytest.approx(max(float(level), least), rel=1e-9)
            assert found.lower[cell] == min(found.upper[cell], table.value[cell])


@given(st.integers(1, 4), st.integers(1, 999), st.integers(1, 10**6), st.integers(0, 6))
@settings(max_examples=200, deadline=None)
def test_exactly_on_the_boundary(n, permille, unit, places):
    """x1 + … + xn = k % of X is not sensitive, a little more is; whatever the decimals."""
    k = permille / 10
    part = 10.0**-places
    top, total = Fraction(permille * unit * n), Fraction(1000 * unit * n)
    x = [float(top / n) * part] * n
    largest = np.array([[round(v, places) for v in x]])
    measure = kernel.dominance(n, Fraction(str(k)))
    for more, fires in ((0, False), (-1, True)):
        X = np.array([round(float(total + more) * part, places)])
        assert kernel.sensitive(largest, X, measure).cells.tolist() == [fires]


def test_floats_alone_would_be_wrong():
    """The boundary case of the specification: in binary numbers 0.15·850 - 0.85·150 is above 0."""
    assert (1 - 85 / 100) * 850 - 85 / 100 * 150 > 0
    assert not Dominance(n=1, k=85).mark(of_cells({"a": [850, 100, 50]})).cells[0]


def test_whole_numbers_too_large_for_floats():
    """8.51e21 is 85.1 % of 1e22, to the last digit; computed with floats it would be more."""
    measure = kernel.dominance(1, Fraction(851, 10))
    assert kernel.sensitive(np.array([[8.51e21]]), np.array([1e22]), measure).cells.tolist() == [False]


@pytest.mark.parametrize("scale", [1e-300, 1e-12, 1.0, 2.0**60, 1e290])
def test_any_magnitude(scale):
    found = kernel.sensitive(
        np.array([[860.0], [840.0]]) * scale, np.full(2, 1000.0) * scale, kernel.dominance(1, Fraction(85))
    )
    assert found.cells.tolist() == [True, False]
    assert found.level[0] == pytest.approx((860 / 0.85 - 1000) * scale)


@given(st.lists(st.tuples(LISTS, LISTS), min_size=1, max_size=3), rules())
@settings(max_examples=100, deadline=None)
def test_joining_cells_never_makes_them_sensitive(pairs, drawn):
    """Sub-additivity (L447): S(X + Y) <= S(X) + S(Y), contributors in common counted once."""
    _, definition = drawn
    for a, b in pairs:
        x, y = dict(enumerate(a)), dict(enumerate(b, start=len(a) // 2))
        both = by_definition.merged(x, y)
        one, two, joined = (definition(list(c.values())) for c in (x, y, both))
        assert joined[1] <= one[1] + two[1]
        assert not joined[0] or one[0] or two[0]


@given(LISTS, LISTS, rules())
@settings(max_examples=100, deadline=None)
def test_sub_additivity_of_the_kernel(a, b, drawn):
    """The same over tables with owners in both cells: a total is sensitive only if one of its parts is."""
    rule, _ = drawn
    owners = {"a": [f"o{i}" for i in range(len(a))], "b": [f"o{i + len(a) // 2}" for i in range(len(b))]}
    table = of_cells({"a": a, "b": b}, owners, largest=16)
    found = rule.mark(table)
    a_, b_, total = (at(table, c) for c in ("a", "b", "Total"))
    assert not found.cells[total] or found.cells[a_] or found.cells[b_]
    assert found.upper[total] <= (found.upper[a_] + found.upper[b_]) * (1 + 1e-9) + 2e-6 * table.value[total]


# -- degenerate cells -----------------------------------------------------------------------------------------------

ALL = [Dominance(), PPercent(), PQ(p=10, q=50), Linear(weights=[0.5], tail=-1)]


@pytest.mark.parametrize("rule", ALL, ids=lambda r: r.id)
def test_degenerate(rule):
    """One contributor always shows; nothing but zeros never does."""
    table = of_cells({"one": [5], "zero": [0, 0], "many": [1] * 40})
    assert marked(rule.mark(table), table) == {"one"}


@pytest.mark.parametrize("rule", [PPercent(p=0.001), PQ(p=0.001, q=1)], ids=lambda r: r.id)
def test_two_contributors_always_show(rule):
    table = of_cells({"two": [5, 3], "zeros": [5, 3, 0, 0], "many": [1] * 40})
    assert marked(rule.mark(table), table) == {"two", "zeros"}


def test_cell_without_contributors():
    none = Contributions(np.zeros(1, np.int64), np.zeros((1, 2)), np.full((1, 2), -1))
    table = Table("t", (flat("d", []),), np.zeros((1, 1)), np.zeros(1), none)
    for rule in (*ALL, MinimumFrequency()):
        assert not rule.mark(table).cells.any()


def test_negative_contributions_count_without_sign():
    table = of_cells({"a": [-900, 50, 50], "b": [500, -480, 10], "c": [1] * 300})
    found = Dominance(n=1, k=85).mark(table)
    assert marked(found, table) == {"a"}
    assert found.upper[at(table, "a")] == pytest.approx(900 / 0.85 - 1000) == found.lower[at(table, "a")]
    assert marked(PPercent(p=10).mark(table), table) == {"a", "b"}


def test_signed_cells_of_a_file_without_sizes_are_judged_on_the_safe_side():
    """Value -10 with contributions -500 and 480 listed of 5: the rest is unknown, so it is taken as nothing."""
    kept = Contributions(np.array([5, 5]), np.array([[-500.0, 480], [-500, 480]]), np.array([[0, 1], [0, 1]]))
    table = Table("t", (flat("d", ["a"]),), np.array([[0], [1]]), np.full(2, -10.0), kept)
    assert PPercent(p=1).mark(table).cells.all()


def test_a_boundary_case_keeps_some_protection():
    """S* of a cell that is sensitive by a hair must not vanish."""
    table = of_cells({"a": [10**12 * 85 + 1, 10**12 * 15 - 1], "b": [1] * 50})
    found = Dominance(n=1, k=85).mark(table)
    assert found.cells[at(table, "a")] and found.upper[at(table, "a")] == pytest.approx(1e-6 * 1e14)
    counts = replace(table, counts=True)
    assert Dominance(n=1, k=85).mark(counts).upper[at(table, "a")] == pytest.approx(1.18, abs=0.01)


# -- who counts as one --------------------------------------------------------------------------------------------


def test_owners_count_together():
    table = of_cells(
        {"a": [40, 40, 10, 10], "b": [25] * 4}, {"a": ["u", "u", "v", "w"], "b": ["u", "v", "w", "z"]}
    )
    assert marked(PPercent(p=30).mark(table), table) == {"a"}
    assert marked(PPercent(p=30, by="contributor").mark(table), table) == set()
    assert marked(MinimumFrequency(n=4).mark(table), table) == {"a"}
    assert marked(MinimumFrequency(n=4, by="contributor").mark(table), table) == set()


def test_without_owners_everybody_is_his_own():
    table = of_cells({"a": [5, 3], "b": [1] * 9})
    one, two = (MinimumFrequency(by=by).mark(table) for by in ("owner", "contributor"))
    np.testing.assert_array_equal(one.cells, two.cells)


def test_weights_stand_for_units_where_a_rule_is_asked_to_take_them_in():
    """A record of 100 with weight 10 does not dominate as ten units; as the one respondent that it is, it does."""
    table = of_cells({"a": [100, 5, 5], "b": [100, 5, 5]}, weights={"a": [10, 1, 1], "b": [1, 1, 1]})
    for rule in (Dominance(n=1, k=85), PPercent(p=10)):
        assert marked(rule.mark(table), table) == {"a", "b"}
        assert marked(rule.model_copy(update={"weighted": True}).mark(table), table) == {"b"}


def test_minimum_frequency_counts_records_and_where_told_to_weigh_units_too():
    table = of_cells({"a": [100, 5], "b": [7] * 3}, weights={"a": [10, 1], "b": [0.5] * 3})
    assert marked(MinimumFrequency().mark(table), table) == {"a"}
    assert marked(MinimumFrequency(weighted=True).mark(table), table) == {"a", "b"}


@pytest.mark.parametrize(("n", "known", "least"), [(3, 1, 3), (3, 2, 4), (1, 0, 2), (5, 1, 5)])
def test_smallest_count_published(n, known, least):
    cells = {str(i): [10] * i for i in range(1, 7)}
    table = of_cells(cells)
    assert marked(MinimumFrequency(n=n, coalition=known).mark(table), table) == {
        str(i) for i in range(1, least)
    }


def test_protection_of_the_frequency_rule():
    table = of_cells({"a": [200], "zero": [0], "b": [3, 4, 5]})
    found = MinimumFrequency(safety=20).mark(table)
    a, zero = at(table, "a"), at(table, "zero")
    assert (found.lower[a], found.upper[a]) == (40, 40)
    assert found.lower[zero] == 0 and found.upper[zero] == pytest.approx(0.2 * 12)
    signed = of_cells({"a": [-200], "b": [3, 4, 5]})
    assert MinimumFrequency(safety=20).mark(signed).lower[at(signed, "a")] == 40


def test_counts_are_protected_by_at_least_one():
    table = counted({"r": {"a": 2, "b": 7}, "s": {"a": 30, "b": 40}})
    found = MinimumFrequency().mark(table)
    assert marked(found, table) == {"r × a"}
    assert found.lower[at(table, "r", "a")] == found.upper[at(table, "r", "a")] == 1


# -- what a table must have ---------------------------------------------------------------------------------------


def bare(**options):
    return Table("bare", (flat("d", ["a"]),), np.array([[0], [1]]), np.full(2, 7.0), **options)


@pytest.mark.parametrize("rule", ALL, ids=lambda r: r.id)
def test_contributions_missing(rule):
    with pytest.raises(ContributionsMissing, match=f"{len(rule.weights_of().weights)} largest contributions"):
        rule.mark(bare())


def test_counts_missing():
    with pytest.raises(CountsMissing, match="count"):
        MinimumFrequency().mark(bare())


def test_too_few_contributions_kept():
    table = of_cells({"a": [5, 4, 3, 2], "b": [1]}, largest=2)
    with pytest.raises(ContributionsFew, match="3 largest.*has 2"):
        Dominance(n=3, k=80).mark(table)
    assert PPercent().mark(table).cells.any()
    assert Dominance(n=3, k=80).mark(of_cells({"a": [5, 4]}, largest=2)).cells.all(), "all are listed"


def test_only_counts_in_a_cell_file():
    kept = Contributions(np.array([2, 2]), np.zeros((2, 0)), np.zeros((2, 0), np.int64))
    assert MinimumFrequency().mark(bare(contributions=kept)).cells.all()
    with pytest.raises(ContributionsFew):
        PPercent().mark(bare(contributions=kept))


@pytest.mark.parametrize("rule", [SmallCounts(), Shares(), GroupDisclosure()], ids=lambda r: r.id)
def test_counts_only(rule):
    with pytest.raises(NotCounts):
        rule.mark(bare())


@pytest.mark.parametrize("rule", [Shares, GroupDisclosure])
def test_unknown_dimension(rule):
    with pytest.raises(DimensionUnknown, match="Did you mean 'row'"):
        rule(along=("rwo",)).mark(counted({"r": {"a": 1, "b": 2}}))


@pytest.mark.parametrize(
    ("rule", "parameters", "word"),
    [
        (PQ, {"p": 50, "q": 50}, "smaller than q"),
        (Linear, {"weights": [0.1, 0.2]}, "increase"),
        (Linear, {"weights": [0.5, -2], "tail": -1}, "tail"),
        (Linear, {"weights": [0, -0.5]}, "above 0"),
        (Dominance, {"k": float("nan")}, "k"),
    ],
)
def test_parameters_that_do_not_fit(rule, parameters, word):
    with pytest.raises(ParameterWrong, match=word):
        build(rule, parameters)


# -- counts -------------------------------------------------------------------------------------------------------


def test_small_counts():
    table = counted({"r": {"a": 1, "b": 2, "c": 3, "d": 0}, "s": {"a": 9, "b": 9, "c": 9, "d": 9}})
    assert marked(SmallCounts().mark(table), table) == {"r × a", "r × b"}
    assert marked(SmallCounts(n=3).mark(table), table) == {"r × a", "r × b", "r × c"}
    assert set(SmallCounts(n=3, safety=50).mark(table).upper[[at(table, "r", c) for c in "abc"]]) == {1, 1.5}


def test_shares():
    table = counted({"r": {"a": 5, "b": 0}, "s": {"a": 3, "b": 4}, "empty": {"a": 0, "b": 0}})
    everything = Shares(side="all", along=("column",)).mark(table)
    assert marked(everything, table) == {"r × a"}
    cell = at(table, "r", "a")
    assert (everything.lower[cell], everything.upper[cell]) == (1, 0)
    none = Shares(side="none", along=("column",)).mark(table)
    assert marked(none, table) == {"r × b"}
    assert (none.lower[at(table, "r", "b")], none.upper[at(table, "r", "b")]) == (0, 1)
    assert marked(Shares().mark(table), table) == {
        "r × a",
        "r × b",
        "s × b",
        "empty × a",
        "empty × b",
        "empty × Total",
    }


def test_the_only_part_of_a_sum_is_no_news():
    table = counted({"r": {"a": 5, "b": 6}})
    assert marked(Shares(side="all").mark(table), table) == set()
    assert marked(GroupDisclosure().mark(table), table) == set()


def test_group_disclosure():
    table = counted(
        {"r": {"a": 5, "b": 0, "c": 0}, "s": {"a": 9, "b": 1, "c": 0}, "t": {"a": 9, "b": 2, "c": 3}}
    )
    assert marked(GroupDisclosure(along=("column",)).mark(table), table) == {"r × a"}
    one = GroupDisclosure(along=("column",), coalition=1).mark(table)
    assert marked(one, table) == {"r × a", "s × a"}
    assert one.lower[[at(table, "r", "a"), at(table, "s", "a")]].tolist() == [2, 1]
    two = GroupDisclosure(along=("column",), coalition=2).mark(table)
    assert marked(two, table) == {"r × a", "s × a"} and two.lower[at(table, "s", "a")] == 2


# -- several rules ------------------------------------------------------------------------------------------------


def test_a_union_of_rules_takes_the_larger_protection():
    table = of_cells({"a": [100], "b": [90, 5, 5], "c": [10] * 9})
    frequency, percent = MinimumFrequency(safety=50).mark(table), PPercent(p=10).mark(table)
    pattern = Pattern(table).marked(frequency).marked(percent)
    a, b = at(table, "a"), at(table, "b")
    assert set(np.flatnonzero(pattern.primary)) == {a, b}
    assert pattern.upper[a] == 50 and pattern.upper[b] == percent.upper[b] == pytest.approx(4)
    assert (
        pattern.because(a).en == "minimum frequency rule; p % rule" and pattern.because(b).de == "p-%-Regel"
    )


def test_a_cell_of_contributions_with_both_signs_may_lie_below_0():
    """100 and -95 make 5: 10 % of 100 is asked for on both sides, although no cell of the table is negative."""
    data = Microdata(
        {"d": Column.texts_of(["a", "a", "b"]), "x": Column.numbers_of(np.array([100.0, -95, 50]))}
    )
    table = tabulate(data, ["d"], "x")
    found = PPercent(p=10).mark(table)
    at = table.codes(0).tolist().index("a")
    assert found.lower[at] == found.upper[at] == 10
    assert Pattern(table).low[at] == -np.inf
