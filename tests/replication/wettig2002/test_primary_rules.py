"""Primary rules and the minimum extent of suppression: spec/tables-wettig.md 18.1 and 18.2, in their corrected form.

Line numbers are those of the source text (seed 002).
"""

from fractions import Fraction

import numpy as np
import pytest

from reference.flat import flat_table
from tarnkappe.attack.union import union_test
from tarnkappe.data.column import Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.pattern import Pattern, Sensitivity
from tarnkappe.data.relations import relations_of
from tarnkappe.data.table import Contributions, Table
from tarnkappe.data.tabulate import flat, tabulate
from tarnkappe.errors.tables import NotAdditive
from tarnkappe.kernels.dominance import dominance, sensitive
from tarnkappe.language import Text
from tarnkappe.methods.tables.primary.dominance import Dominance
from tarnkappe.methods.tables.primary.linear import Linear
from tarnkappe.methods.tables.primary.minimum_frequency import MinimumFrequency
from tarnkappe.methods.tables.primary.p_percent import PPercent
from tarnkappe.methods.tables.primary.p_q import PQ

BY = Text("by hand", "von Hand")


def cell(value, *largest, count=10):
    """A table of one cell with its total: the largest contributions are given, the rest is made of small ones."""
    x = np.array([largest] * 2, dtype=float)
    kept = Contributions(np.full(2, count), x, np.arange(x.size).reshape(x.shape))
    return Table("t", (flat("d", ["a"]),), np.array([[0], [1]]), np.full(2, float(value)), kept)


def fires(rule, table):
    return bool(rule.mark(table).cells[1])


def industries(cells):
    """A table of one dimension from the contributions of its cells."""
    codes = [code for code, xs in cells.items() for _ in xs]
    x = np.array([x for xs in cells.values() for x in xs], dtype=float)
    data = Microdata({"industry": Column.texts_of(codes), "x": Column.numbers_of(x)})
    return tabulate(data, ["industry"], "x")


def suppressed(table, codes):
    mask = np.isin(table.codes(0).astype(str), codes)
    return Pattern(table).marked(Sensitivity(mask, mask * 1.0, mask * 1.0, BY))


def union_fails(table, codes, *rules):
    return len(union_test(suppressed(table, codes), relations_of(table), rules)) > 0


# -- 18.1 ---------------------------------------------------------------------------------------------------------


def test_tv_00_a_consistent_table():
    """L137-140; men 10, 1, 39 = 50; women 30, 18, 2 = 50; totals 40, 19, 41 = 100."""
    table = flat_table([[10, 1, 39], [30, 18, 2]])
    assert sorted(table.value) == sorted([10, 1, 39, 50, 30, 18, 2, 50, 40, 19, 41, 100])
    wrong = table.value.copy()
    wrong[np.flatnonzero(wrong == 39)] = 38
    with pytest.raises(NotAdditive):
        Table("t", table.dimensions, table.cells, wrong)


def test_tv_01a_dominated():
    """L212-219; 851 > 850."""
    assert fires(Dominance(n=1, k=85), cell(1000, 851))


def test_tv_01b_equality_is_published():
    """L221; 850 is not more than 85 % of 1000; the outsider's error is 17.6 %."""
    assert not fires(Dominance(n=1, k=85), cell(1000, 850))
    assert round(100 * (1000 - 850) / 850, 1) == 17.6 == round(100 * (100 - 85) / 85, 1)


def test_tv_02_the_second_largest_estimates_better():
    """L223-229; (1,85) publishes, yet 1000 - 120 = 880 misses 850 by 3.5 % only."""
    assert not fires(Dominance(n=1, k=85), cell(1000, 850, 120))
    assert round(100 * (880 - 850) / 850, 1) == 3.5


def test_tv_02b_two_dominate():
    """L239; 970 > 850."""
    assert fires(Dominance(n=2, k=85), cell(1000, 850, 120))


def test_tv_03_p_percent():
    """L261-275; 3.5 < 17.6; the printed sum 870 is 970."""
    table = cell(1000, 850, 120)
    assert fires(PPercent(p=17.6), table) and fires(Dominance(n=2, k=85), table)
    assert PPercent(p=17.6).mark(table).upper[1] == pytest.approx(0.176 * 850 - 30)


def test_tv_04_p_percent_marks_fewer_than_two_k():
    """L277-291; 20 > 17.6 is published, 900 > 850 is not."""
    table = cell(1000, 500, 400)
    assert not fires(PPercent(p=17.6), table) and fires(Dominance(n=2, k=85), table)
    assert not fires(PPercent(p=20), table) and fires(PPercent(p=20.1), table)


def test_tv_05q_prior_knowledge():
    """L311-330; estimate 1000 - 230 - 60 = 710, 9.2 % off; 114.4 > 60."""
    table = cell(1000, 650, 230, 120, count=3)
    found = PQ(p=17.6, q=50).mark(table)
    assert found.cells[1]
    assert round(100 * (710 - 650) / 650, 1) == 9.2
    assert found.upper[1] == pytest.approx((114.4 - 60) / 0.5)
    assert not fires(PPercent(p=17.6), table) and not fires(PQ(p=17.6, q=100), table), "114.4 < 120"


@pytest.mark.parametrize(("known", "unsafe"), [(1, {1, 2}), (2, {1, 2, 3})])
def test_tv_06f_minimum_frequency(known, unsafe):
    """L185-188; an attacker who knows m contributions needs m + 2 of them."""
    found = {n for n in range(5) if fires(MinimumFrequency(coalition=known), cell(100 if n else 0, count=n))}
    assert found == unsafe


def test_tv_07s_normed_sensitivity():
    """L369-377, L453-461; S*(X) = 129.41… sensitive, S*(Y) = -48.82 safe."""
    measure = dominance(1, Fraction(85))
    found = sensitive(np.array([[1300.0, 70, 30], [35, 30, 25]]), np.array([1400.0, 90]), measure)
    assert found.cells.tolist() == [True, False]
    assert found.level == pytest.approx([1300 * 100 / 85 - 1400, -48.8235], abs=1e-4)
    table = industries({"X": [1300, 70, 30], "Y": [35, 30, 25]})
    marked = Dominance(n=1, k=85).mark(table)
    assert table.codes(0)[marked.cells].tolist() == ["Total", "X"]
    assert marked.upper[table.codes(0) == "X"] == pytest.approx(129.4118, abs=1e-4)


@pytest.mark.parametrize(
    ("weights", "tail", "same"),
    [
        ([0.15], -0.85, Dominance(n=1, k=85)),
        ([0.15, 0.15], -0.85, Dominance(n=2, k=85)),
        ([0.176, 0], -0.5, PQ(p=17.6, q=50)),
    ],
)
def test_rules_as_weight_sequences(weights, tail, same):
    """L419-445, with -q/100 for the printed -q."""
    x = np.random.default_rng(1).integers(1, 1000, (200, 3))
    tables = [cell(sum(row) + 60, *sorted(row, reverse=True)) for row in x.tolist()]
    for table in tables:
        one, two = Linear(weights=weights, tail=tail).mark(table), same.mark(table)
        assert one.cells.tolist() == two.cells.tolist()
        np.testing.assert_allclose(one.upper, two.upper)


# -- 18.2 ---------------------------------------------------------------------------------------------------------

OTHERS = {"finance": [75] * 8 + [100] * 4, "insurance": [300] * 4, "cleaning": [100] * 4 + [200] * 2}


def test_tv_05_alone_in_its_relation():
    """L338-357; banks have 3, consultancies 1: Y is primary and can be subtracted, so one more cell must go."""
    table = industries({**OTHERS, "X": [20, 15, 10], "Y": [7]})
    rule = MinimumFrequency()
    found = Pattern(table).marked(rule.mark(table))
    assert table.codes(0)[found.primary].tolist() == ["Y"]
    assert union_fails(table, ["Y"], rule)
    assert not union_fails(table, ["X", "Y"], rule)


def test_tv_06_two_single_contributors():
    """L363-365; X + Y is derivable and each owner learns the other: a third cell is demanded."""
    table = industries({**OTHERS, "X": [20], "Y": [7]})
    rule = MinimumFrequency()
    assert table.contributions.count[table.codes(0) == "Total"] == 24, "printed as 22"
    assert set(table.codes(0)[rule.mark(table).cells]) == {"X", "Y"}
    assert union_fails(table, ["X", "Y"], rule)
    assert not union_fails(table, ["X", "Y", "insurance"], rule)


def test_tv_07_partner_too_small():
    """L367-389, L449-469; T = 4490: in the union 1300 > 1266.5, since Y = 90 < S*(X) = 129.4."""
    cells = {**OTHERS, "X": [1300, 70, 30], "Y": [35, 30, 25]}
    table = industries(cells)
    rule = Dominance(n=1, k=85)
    assert table.value[table.codes(0) == "Total"] == 4490
    assert table.codes(0)[rule.mark(table).cells].tolist() == ["X"]
    assert union_fails(table, ["X", "Y"], rule)
    assert not union_fails(table, ["X", "cleaning"], rule), "800 >= 129.4"
    assert not union_fails(table, ["X", "Y", "cleaning"], rule)
    largest = Fraction(85, 15) * 190
    assert round(float(largest), 2) == 1076.67, "printed as 263"
    for first, sensitive_ in ((1076, False), (1077, True)):
        table = industries({**OTHERS, "X": [first, 70, 30], "Y": [35, 30, 25]})
        assert union_fails(table, ["X", "Y"], rule) is sensitive_
