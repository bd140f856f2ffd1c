"""Tables that share cells: which cells are the same, one status for each, contradictions told without values."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import tarnkappe as tk
from tables.linked_tables import named, random_set
from tables.quader_tables import at, primary
from tarnkappe.attack.respondents import respondents_of
from tarnkappe.data.column import Column
from tarnkappe.data.hierarchy import Hierarchy
from tarnkappe.data.meanings import WHOLE, meanings
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.pattern import Mark, Pattern, Status
from tarnkappe.data.pattern_set import PatternSet, as_published
from tarnkappe.data.system import system_of
from tarnkappe.data.system_set import linked_system
from tarnkappe.data.table import Contributions, Table
from tarnkappe.data.table_set import TableSet, groups
from tarnkappe.errors.linked import (
    CodesDisagree,
    PublishedAlready,
    SharedCellsDiffer,
    SharedMarksContradict,
    SharedValuesDiffer,
)


def tree(name, *pairs):
    """A hierarchy from (code, parent) with the total first."""
    codes = [c for c, _ in pairs]
    return Hierarchy(
        name, np.array(codes, dtype=object), np.array([-1 if p is None else codes.index(p) for _, p in pairs])
    )


def flat(name, *codes, total="T"):
    return tree(name, (total, None), *((c, total) for c in codes))


def line(h, leaves, **fields):
    """A one-dimensional table; sums are made."""
    value = np.zeros(len(h))
    value[h.positions(list(leaves))] = list(leaves.values())
    for i in range(len(h) - 1, 0, -1):
        value[h.parent[i]] += value[i]
    return Table("t", (h,), np.arange(len(h), dtype=np.int32)[:, None], value, measure="x", **fields)


# -- which codes mean the same ---------------------------------------------------------------------------------------


def test_an_only_child_means_the_same_as_its_parent():
    (found,) = meanings([tree("a", ("T", None), ("p", "T"), ("c", "p"), ("q", "T"))])
    assert found[1] == found[2] != found[3]
    assert found[0] == WHOLE


def test_the_same_leaves_are_the_same_thing_whatever_the_code():
    one = tree("a", ("T", None), ("p", "T"), ("1", "p"), ("2", "p"), ("3", "T"))
    other = tree("a", ("all", None), ("1", "all"), ("rest", "all"), ("3", "all"), ("2", "rest"))
    first, second = meanings([one, other])
    assert second[other.positions(["2"])[0]] == second[other.positions(["rest"])[0]]
    assert first[one.positions(["2"])[0]] == second[other.positions(["rest"])[0]]
    assert first[0] == second[0] == WHOLE


def test_a_leaf_that_another_tree_divides_is_the_same_code():
    fine = tree("a", ("T", None), ("p", "T"), ("1", "p"), ("2", "p"), ("q", "T"))
    coarse = flat("a", "p", "q")
    first, second = meanings([fine, coarse])
    assert first[1] == second[1]
    assert second[0] == WHOLE


def test_a_table_of_a_part_is_at_that_part():
    whole = tree("a", ("T", None), ("p", "T"), ("1", "p"), ("2", "p"), ("q", "T"))
    part = tree("a", ("p", None), ("1", "p"), ("2", "p"))
    first, second = meanings([whole, part])
    assert second[0] == first[1] != WHOLE


def test_a_code_with_two_meanings_is_refused():
    one = tree("a", ("T", None), ("p", "T"), ("1", "p"), ("2", "p"), ("3", "T"))
    other = tree("a", ("T", None), ("p", "T"), ("1", "p"), ("3", "p"), ("2", "T"))
    with pytest.raises(CodesDisagree) as told:
        meanings([one, other])
    assert told.value.facts["codes"] == "p"


def test_codes_that_contain_each_other_are_refused():
    one = tree("a", ("T", None), ("x", "T"), ("y", "x"), ("z", "x"))
    other = tree("a", ("T", None), ("y", "T"), ("x", "y"), ("w", "y"))
    with pytest.raises(CodesDisagree):
        meanings([one, other])


def test_a_leaf_that_a_tree_does_not_know_is_empty_there():
    first, second = meanings([flat("a", "1", "2", "3"), flat("a", "1", "2")])
    assert (first[:3] == second).all()


# -- which cells are the same ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(12))
def test_cells_are_the_same_when_they_cover_the_same_leaves(seed):
    over = random_set(seed)
    seen: dict[int, object] = {}
    names: dict[object, int] = {}
    for pattern, numbers in zip(over.patterns, over.tables.numbers, strict=True):
        for row, name in named(pattern):
            assert seen.setdefault(int(numbers[row]), name) == name
            assert names.setdefault(name, int(numbers[row])) == int(numbers[row])
    assert len(names) == len(over)


@pytest.mark.parametrize("seed", range(8))
def test_all_sums_hold_over_the_physical_cells(seed):
    over = random_set(seed).tables
    relations = over.relations()
    assert np.abs(relations.matrix() @ over.value).max() < 1e-9
    for r in range(len(relations)):
        cells = relations.cell[relations.start[r] : relations.start[r + 1]]
        assert len(set(cells.tolist())) == len(cells)


def firms(n=40):
    rng = np.random.default_rng(2)
    columns = {k: Column.texts_of([f"{k}{i}" for i in rng.integers(0, 3, n)]) for k in "abc"}
    return Microdata(
        columns | {"x": Column.numbers_of(np.arange(n) + 1.0), "y": Column.numbers_of(np.ones(n))}
    )


def test_tables_of_different_measures_share_nothing():
    data = firms()
    tables = [tk.tabulate(data, ["a", "b"], v, name=str(v)) for v in ("x", "y", None)]
    assert groups(tables) == [[0], [1], [2]]
    assert not TableSet(tuple(tables)).shared.any()
    assert groups([tables[0], tk.tabulate(data, ["c"], "x"), tables[1]]) == [[0, 1], [2]]
    assert groups([]) == []


def test_a_set_of_one_table_and_of_the_same_table_twice():
    table = tk.tabulate(firms(), ["a", "b"], "x", name="one")
    assert len(TableSet((table,))) == len(table)
    both = TableSet((table, table.renamed("two")))
    assert len(both) == len(table)
    assert both.shared.all()
    assert "one, two" in repr(both)


def test_values_that_differ_are_told_by_codes_and_never_by_value():
    h = flat("a", "p", "q")
    with pytest.raises(SharedValuesDiffer) as told:
        TableSet((line(h, {"p": 123.0, "q": 7.0}), line(h, {"p": 122.0, "q": 8.0})))
    text = told.value.text("en") + told.value.text("de")
    assert "t: p" in text
    assert not any(v in text for v in ("123", "122", "130"))


def test_a_stated_tolerance_is_allowed():
    h = flat("a", "p", "q")
    TableSet((line(h, {"p": 100.0, "q": 50.0}), line(h, {"p": 100.4, "q": 50.0}, tolerance=0.01)))


def test_a_cell_that_another_table_does_not_list_is_empty():
    h = flat("a", "p", "q")
    full = line(h, {"p": 5.0, "q": 0.0})
    short = Table("s", (h,), np.array([[0], [1]], dtype=np.int32), np.array([5.0, 5.0]), measure="x")
    over = PatternSet((Pattern(full), Pattern(short)))
    assert over.tables.stock.empty.tolist() == [False, False, True]
    assert over.aligned().patterns[0].mark[2] == Mark.ZERO
    with pytest.raises(SharedMarksContradict):
        PatternSet((primary(full, [2]), Pattern(short))).aligned()
    more = line(h, {"p": 4.0, "q": 1.0})
    with pytest.raises(SharedValuesDiffer):
        TableSet(
            (more, Table("s", (h,), np.array([[0], [1]], dtype=np.int32), np.array([5.0, 5.0]), measure="x"))
        )


# -- one status for every cell ----------------------------------------------------------------------------------------


def two(**fields):
    h = flat("a", "p", "q", "r")
    table = line(h, {"p": 5.0, "q": 3.0, "r": 2.0}, **fields)
    return table, table.renamed("s")


def test_the_larger_protection_the_tighter_bounds_and_every_status_hold_everywhere():
    one, other = two()
    first = primary(one, [1], lower=2.0, upper=1.0, high=np.array([np.inf, 9.0, 9.0, 9.0]))
    second = primary(other, [1], lower=1.0, upper=4.0, low=np.array([0.0, 1.0, 0.0, 0.0])).with_secondary(
        np.array([False, False, True, False]), first.reasons[0]
    )
    for pattern in PatternSet((first, second)).aligned().patterns:
        assert pattern.status.tolist() == [Status.OPEN, Status.PRIMARY, Status.SECONDARY, Status.OPEN]
        assert (pattern.lower[1], pattern.upper[1], pattern.low[1], pattern.high[1]) == (2.0, 4.0, 1.0, 9.0)


def test_a_primary_cell_is_primary_in_every_table_and_says_why():
    one, other = two()
    aligned = PatternSet((primary(one, [1], 1.0, 1.0), Pattern(other))).aligned()
    assert aligned.patterns[1].primary[1]
    assert "linked table" in aligned.patterns[1].because(1).en


@pytest.mark.parametrize(
    ("mark", "error"), [(Mark.KEEP, SharedMarksContradict), (Mark.PUBLISHED, PublishedAlready)]
)
def test_open_in_one_and_hidden_in_another_is_told(mark, error):
    one, other = two()
    kept = Pattern(other, mark=np.array([0, mark, 0, 0], dtype=np.uint8))
    with pytest.raises(error) as told:
        PatternSet((primary(one, [1]), kept)).aligned()
    assert told.value.facts["cells"] == "t: p"
    asked = Pattern(one, mark=np.array([0, Mark.SUPPRESS, 0, 0], dtype=np.uint8))
    with pytest.raises(error):
        PatternSet((asked, kept)).aligned()


def test_what_is_published_keeps_its_looks():
    one, _ = two()
    out = as_published(
        primary(one, [1]).with_secondary(np.array([False, False, True, False]), Pattern(one).reasons[0])
    )
    assert out.mark.tolist() == [Mark.PUBLISHED, 0, 0, Mark.PUBLISHED]


def test_a_difference_between_tables_is_noticed():
    one, other = two()
    PatternSet((primary(one, [1]), primary(other, [1]))).refuse_differences()
    with pytest.raises(SharedCellsDiffer):
        PatternSet((primary(one, [1]), Pattern(other))).refuse_differences()
    rounded = replace(
        Pattern(other), shown=other.value + 1, status=np.full(4, Status.ROUNDED, dtype=np.uint8)
    )
    with pytest.raises(SharedCellsDiffer):
        PatternSet((Pattern(one), rounded)).refuse_differences()
    PatternSet((rounded, rounded)).refuse_differences()


def kept(who, count=(9, 1, 1, 3)):
    return Contributions(np.array(count), np.zeros((4, 1)), np.array(who)[:, None])


def test_contributors_of_one_source_have_one_number_and_others_meet_in_their_cells():
    h = flat("a", "p", "q", "r")
    values = {"p": 5.0, "q": 3.0, "r": 2.0}
    same = [line(h, values, contributions=kept(w), source="records") for w in ([0, 7, 8, 1], [0, 7, 8, 1])]
    owner = respondents_of(PatternSet(tuple(map(Pattern, same))), "owners").owner
    assert owner[0] == owner[3] == -1
    assert owner[1] != owner[2]
    apart = [line(h, values, contributions=kept(w)) for w in ([0, 7, 8, 1], [0, 2, 2, 1])]
    owner = respondents_of(PatternSet(tuple(map(Pattern, apart))), "owners").owner
    assert owner[1] == owner[2] >= 0
    assert respondents_of(PatternSet(tuple(map(Pattern, apart))), "none") is None


def test_published_tables_as_one_system():
    one, other = two()
    first = system_of(primary(one, [1, 2]))
    second = system_of(Pattern(other))
    whole, numbers = linked_system([first, second], ["x", "x"])
    assert len(whole) == 4
    assert whole.hidden.tolist() == [False, True, True, False]
    assert (whole.low == whole.high)[1:3].all()
    assert whole.spelt(int(numbers[1][1])) == "t: p"
    apart, _ = linked_system([first, second], ["x", "y"])
    assert len(apart) == 8


# -- doors -------------------------------------------------------------------------------------------------------------


def test_several_tables_are_protected_together():
    data = firms(120)
    tables = [tk.tabulate(data, list(by), "x", name=by) for by in ("ab", "bc")]
    done = tk.protect(tables, [tk.rule.MinimumFrequency(n=14)], tk.table.Quader())
    done.over.refuse_differences()
    assert [p.pattern.table.name for p in done.tables] == ["ab", "bc"]
    assert set(done.audit()) == set(done.published()) == {"ab", "bc"}
    assert "shared" in repr(done)
    late = tk.protect(tables[1], [], tk.table.Quader(), after=[done.tables[0].pattern])
    hidden = done.over.patterns[0].suppressed[at(tables[0], "Total", "b0")]
    assert late.pattern.suppressed[at(tables[1], "b0", "Total")] == hidden
