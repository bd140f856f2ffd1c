from dataclasses import FrozenInstanceError, replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reference import trees as reference
from tarnkappe.data.column import MISSING, OBSERVED, SUPPRESSED, Column
from tarnkappe.data.hierarchy import Hierarchy
from tarnkappe.data.hierarchy_builders import from_tree
from tarnkappe.data.intervals import Bands
from tarnkappe.errors.hierarchy import (
    HierarchyCycle,
    HierarchyFiner,
    HierarchyLevel,
    HierarchyLevelNames,
    HierarchyNotNested,
    HierarchyParent,
    HierarchyRoots,
    HierarchyTwice,
    HierarchyUncovered,
    HierarchyUnknown,
)
from tarnkappe.vocab import Kind

EUROPE = {"Europe": {"north": ["se", "no"], "south": {"it": ["it1", "it2"], "mt": None}}}


def europe():
    return from_tree("region", EUROPE)


def texts(*codes):
    return np.array(codes, dtype=object)


@st.composite
def hierarchies(draw):
    """Random trees, nodes in random order, some codes more than one level below their parent."""
    n = draw(st.integers(1, 25))
    parent = [-1] + [draw(st.integers(0, i - 1)) for i in range(1, n)]
    level = [0] * n
    for i in range(1, n):
        level[i] = level[parent[i]] + draw(st.sampled_from([1, 1, 1, 2]))
    place = draw(st.permutations(range(n)))
    codes, parents, levels = [""] * n, [0] * n, [0] * n
    for i in range(n):
        codes[place[i]], levels[place[i]] = f"c{i}", level[i]
        parents[place[i]] = -1 if parent[i] < 0 else place[parent[i]]
    return Hierarchy("h", texts(*codes), np.array(parents), level=np.array(levels))


@st.composite
def columns(draw, hierarchy):
    """A column of codes of the hierarchy, with spare categories that no cell holds."""
    used = draw(st.lists(st.sampled_from(hierarchy.codes.tolist()), max_size=30))
    states = draw(st.lists(st.sampled_from([0, 0, 0, 1, 2]), min_size=len(used), max_size=len(used)))
    categories = draw(st.permutations(sorted({*used, "spare", "other"})))
    codes = np.array([categories.index(u) for u in used], dtype=np.int64)
    return Column.coded(codes, texts(*categories), np.array(states, dtype=np.uint8)), used, states


# -- the tree ---------------------------------------------------------------------------------------------


def test_codes_stand_in_preorder_with_children_as_given():
    tree = europe()
    assert tree.codes.tolist() == ["Europe", "north", "se", "no", "south", "it", "it1", "it2", "mt"]
    assert tree.level.tolist() == [0, 1, 2, 2, 1, 2, 3, 3, 2]
    assert tree.parent.tolist() == [-1, 0, 1, 1, 0, 4, 5, 5, 4]
    assert tree.total == "Europe"
    assert tree.depth == 3
    assert tree.level_names == ("0", "1", "2", "3")
    assert tree.is_leaf.tolist() == [False, False, True, True, False, False, True, True, True]
    assert tree.children("south").tolist() == ["it", "mt"]
    assert tree.children("mt").tolist() == []
    assert tree.level.dtype == tree.parent.dtype == np.int32


@given(hierarchies())
def test_any_order_of_nodes_gives_the_same_kind_of_tree(tree):
    assert tree.codes[0] == tree.total == "c0"
    assert (tree.parent[1:] < np.arange(1, len(tree))).all()
    assert reference.preorder(tree.parent.tolist()) == list(range(len(tree)))
    inner = {int(p) for p in tree.parent[1:]}
    assert tree.is_leaf.tolist() == [i not in inner for i in range(len(tree))]
    for i, code in enumerate(tree.codes):
        assert tree.children(code).tolist() == [
            c for c, p in zip(tree.codes, tree.parent, strict=True) if p == i
        ]


@given(hierarchies())
def test_ancestors_are_those_of_the_definition(tree):
    for level in range(tree.depth + 1):
        expected = [reference.ancestor(tree.parent, tree.level, node, level) for node in range(len(tree))]
        assert tree.ancestors(level).tolist() == expected
        assert tree.ancestors(str(level)).tolist() == expected


@given(hierarchies())
def test_positions_find_every_code_and_nothing_else(tree):
    assert tree.positions(tree.codes).tolist() == list(range(len(tree)))
    assert tree.positions(["", "nobody", tree.total]).tolist() == [-1, -1, 0]
    assert tree.positions([]).tolist() == []


def test_a_branch_that_skips_a_level_is_not_taken_for_its_neighbour():
    tree = Hierarchy(
        "h", texts("all", "a", "a1", "b", "deep"), np.array([-1, 0, 1, 0, 0]), level=np.array([0, 1, 2, 1, 3])
    )
    assert tree.codes[tree.ancestors(2)].tolist() == ["all", "a", "a1", "b", "all"]


def test_one_code_is_a_tree():
    tree = Hierarchy("h", texts("all"), np.array([-1]))
    assert (len(tree), tree.depth, tree.is_leaf.tolist()) == (1, 0, [True])
    assert tree.ancestors(0).tolist() == [0]


def test_nothing_can_be_changed_in_place():
    tree = europe()
    for array in (tree.codes, tree.labels, tree.parent, tree.level):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = array[1]
    with pytest.raises(FrozenInstanceError):
        tree.name = "other"


def test_it_shows_itself_without_its_codes():
    assert repr(europe()) == "Hierarchy('region', 9 codes, levels 0 > 1 > 2 > 3)"


@pytest.mark.parametrize(
    ("codes", "parent", "error"),
    [
        (["a", "b", "a"], [-1, 0, 0], HierarchyTwice),
        (["a", "b", "c"], [-1, -1, 0], HierarchyRoots),
        ([], [], HierarchyRoots),
        (["a", "b", "c"], [-1, 2, 1], HierarchyCycle),
        (["a"], [0], HierarchyCycle),
        (["a", "b"], [1, 0], HierarchyCycle),
        (["a", "b"], [-1, 7], HierarchyParent),
    ],
)
def test_what_is_not_one_tree_of_distinct_codes_is_refused(codes, parent, error):
    with pytest.raises(error):
        Hierarchy("h", texts(*codes), np.array(parent, dtype=np.int64))


def test_the_error_of_a_cycle_names_the_codes_on_it_only():
    with pytest.raises(HierarchyCycle, match="the codes b, c") as caught:
        Hierarchy("h", texts("a", "b", "c", "below"), np.array([-1, 2, 1, 2]))
    assert "below" not in caught.value.text("de")


@pytest.mark.parametrize("level", [[0, 0, 1], [0, 1, 1], [1, 2, 3], [0, 2, 1]])
def test_levels_must_grow_from_the_total_downward(level):
    with pytest.raises(HierarchyNotNested):
        Hierarchy("h", texts("a", "b", "c"), np.array([-1, 0, 1]), level=np.array(level))


@pytest.mark.parametrize("names", [("total",), ("total", "a"), ("total", "a", "a"), ("x", "x", "x", "x")])
def test_every_level_has_a_name_of_its_own(names):
    with pytest.raises(HierarchyLevelNames):
        Hierarchy("h", texts("a", "b", "c"), np.array([-1, 0, 1]), level_names=names)


def test_levels_are_found_by_number_and_name():
    tree = europe().worded(("total", "part", "country", "region", "town"), {})
    assert [tree.level_number(x) for x in (0, "total", "part", 2, "3", "town", 4)] == [0, 0, 1, 2, 3, 4, 4]
    assert tree.depth == 4
    for wrong in (5, -1, "5", "-1", "county", "", "²", 10**30):
        with pytest.raises(HierarchyLevel, match="total, part, country, region, town"):
            tree.level_number(wrong)


def test_children_of_an_unknown_code():
    with pytest.raises(HierarchyUnknown) as caught:
        europe().children("SECRET")
    assert "SECRET" not in str(caught.value)


# -- generalising a column --------------------------------------------------------------------------------


@given(st.data())
@settings(max_examples=200)
def test_generalising_is_that_of_the_definition(data):
    tree = data.draw(hierarchies())
    column, used, states = data.draw(columns(tree))
    level = data.draw(st.integers(0, tree.depth))
    parents = {c: tree.codes[p] for c, p in zip(tree.codes, tree.parent, strict=True)}
    levels = dict(zip(tree.codes, tree.level.tolist(), strict=True))
    held = {u for u, s in zip(used, states, strict=True) if s != MISSING}

    def is_split(code):
        below = [levels[c] for c in tree.children(code)]
        return levels[code] < level and below and max(below) <= level

    if held and all(map(is_split, held)):
        with pytest.raises(HierarchyFiner):
            tree.generalise(column, level, "c")
        return
    coarse = tree.generalise(column, level, "c")
    expected = reference.generalise(used, states, parents, levels, level)
    assert (coarse.hierarchy, coarse.kind) == (tree, Kind.CATEGORY)
    assert coarse.missing.tolist() == column.missing.tolist()
    assert coarse.suppressed.tolist() == column.suppressed.tolist()
    truth = replace(coarse, state=np.where(coarse.missing, MISSING, OBSERVED).astype(np.uint8))
    assert truth.texts().tolist() == expected
    shown = [None if s != OBSERVED else e for e, s in zip(expected, states, strict=True)]
    assert coarse.texts().tolist() == shown
    assert set(coarse.categories) - {*used, "spare", "other"} <= set(tree.codes)
    again = tree.generalise(coarse, level, "c")
    assert again.texts().tolist() == shown


def test_new_categories_are_compact_and_in_the_order_of_the_hierarchy():
    column = Column.texts_of(["it2", "se", "mt", "no", None, "it1"])
    coarse = europe().generalise(column, 1, "c")
    assert coarse.categories.tolist() == ["north", "south"]
    assert coarse.values.dtype == np.uint8
    assert coarse.texts().tolist() == ["south", "north", "south", "north", None, "south"]


def test_the_true_value_under_a_suppressed_cell_is_generalised_too_and_wiped_by_sealing():
    column = Column.texts_of(["se", "it1", "it2"]).suppress(np.array([False, True, False]))
    coarse = europe().generalise(column, 1, "c")
    codes, _ = coarse.true_codes()
    assert codes[1] == codes[2] != codes[0]
    assert coarse.texts().tolist() == ["north", None, "south"]
    hidden = europe().generalise(Column.texts_of(["se", "it1"]).suppress(np.array([False, True])), 1, "c")
    assert hidden.categories.tolist() == ["north", "south"]
    assert hidden.sealed().categories.tolist() == ["north"]


def test_a_ragged_leaf_above_the_level_stays():
    column = Column.texts_of(["mt", "it1"])
    assert europe().generalise(column, 3, "c").texts().tolist() == ["mt", "it1"]
    assert europe().generalise(column, 2, "c").texts().tolist() == ["mt", "it"]


def test_inner_codes_are_data_too():
    column = Column.texts_of(["south", "it1", "Europe", "se"])
    assert europe().generalise(column, 1, "c").texts().tolist() == ["south", "south", "Europe", "north"]


def test_nothing_can_be_made_finer():
    coarse = europe().generalise(Column.texts_of(["it1", "se"]), 1, "c")
    with pytest.raises(HierarchyFiner, match="'c'"):
        europe().generalise(coarse, 2, "c")
    assert europe().generalise(coarse, 1, "c").texts().tolist() == ["south", "north"]
    assert europe().generalise(coarse, 0, "c").texts().tolist() == ["Europe", "Europe"]


def test_leaves_are_as_fine_as_can_be_so_a_finer_level_changes_nothing():
    column = Column.texts_of(["se", "mt"])
    assert europe().generalise(column, 3, "c").texts().tolist() == ["se", "mt"]


def test_unknown_codes_are_counted_once_each_and_never_named():
    column = Column.texts_of(["se", "SECRET", None, "SECRET", "se", "HIDDEN"])
    with pytest.raises(HierarchyUncovered) as caught:
        europe().generalise(column, 1, "c")
    assert caught.value.facts == {"name": "c", "count": 2, "first": 2}
    assert "SECRET" not in caught.value.text("en") + caught.value.text("de")


def test_an_unknown_code_under_a_suppressed_cell_counts_and_a_missing_cell_does_not():
    column = Column.coded(
        np.array([0, 0, 1]), texts("?", "se"), np.array([MISSING, SUPPRESSED, OBSERVED], dtype=np.uint8)
    )
    with pytest.raises(HierarchyUncovered) as caught:
        europe().generalise(column, 1, "c")
    assert caught.value.facts["first"] == 2
    missing = replace(column, state=np.array([MISSING, MISSING, OBSERVED], dtype=np.uint8))
    assert europe().generalise(missing, 1, "c").texts().tolist() == [None, None, "north"]


@pytest.mark.parametrize("column", [Column.texts_of([]), Column.texts_of([None, None])])
def test_a_column_without_values_stays_without(column):
    coarse = europe().generalise(column, 1, "c")
    assert coarse.texts().tolist() == column.texts().tolist()


def test_a_sealed_column_with_no_category_left_can_be_generalised():
    column = Column.texts_of(["se", "no"]).suppress(np.array([True, True])).sealed()
    assert europe().generalise(column, 1, "c").suppressed.all()
    assert europe().place(column).cells.tolist() == [-1, -1]


def test_labels_come_from_the_hierarchy_and_else_stay():
    tree = europe().worded(europe().level_names, {"north": "The North", "it": "Italy"})
    column = replace(
        Column.texts_of(["se", "mt", "it1"]), value_labels={"mt": "Malta", "se": "Sweden"}, label="Region"
    )
    assert tree.generalise(column, 2, "c").value_labels == {"it": "Italy", "mt": "Malta", "se": "Sweden"}
    coarse = tree.generalise(column, 1, "c")
    assert coarse.value_labels == {"north": "The North"}
    assert coarse.label == "Region"


@pytest.mark.parametrize("flags", [[0, 1, 1], [1, 1], [0]])
def test_yes_and_no_can_be_generalised(flags):
    tree = from_tree("b", {"any": ["false", "true"]})
    column = Column(Kind.BOOLEAN, np.array(flags, dtype=np.uint8), None, texts("false", "true"))
    assert tree.generalise(column, 0, "b").texts().tolist() == ["any"] * len(flags)
    assert tree.generalise(column, 1, "b").kind is Kind.BOOLEAN


# -- trees made by a rule grow with their column ---------------------------------------------------------


def test_values_that_a_step_has_changed_find_their_class_again():
    age = Column.numbers_of(np.array([21, 34, 67]))
    age = replace(
        age, hierarchy=Bands((5.0, 10.0)).build("age", age).worded(("total", "ten", "five", "year"), {})
    )
    moved = age.with_numbers(np.array([21.0, 30.0, 45.0]))
    coarse = moved.hierarchy.generalise(moved, "five", "age")
    assert coarse.texts().tolist() == ["20-24", "30-34", "45-49"]
    assert coarse.hierarchy.level_names == ("total", "ten", "five", "year")
    assert coarse.hierarchy.generalise(coarse, "ten", "age").texts().tolist() == ["20-29", "30-39", "40-49"]


def test_means_that_are_no_longer_whole_find_their_class():
    age = Column.numbers_of(np.array([20, 21, 67]))
    tree = Bands((5.0,)).build("age", age)
    moved = age.with_numbers(np.array([20.5, 20.5, 67.0]))
    assert tree.generalise(moved, 1, "age").texts().tolist() == ["20-<25", "20-<25", "65-<70"]


def test_labels_of_a_tree_that_grows_are_kept():
    age = Column.numbers_of(np.array([21, 34]))
    tree = Bands((5.0,)).build("age", age)
    tree = tree.worded(tree.level_names, {"20-24": "young"})
    grown = tree.generalise(Column.numbers_of(np.array([22, 99])), 1, "age")
    assert grown.value_labels == {"20-24": "young"}


def test_a_column_of_classes_is_not_put_through_the_rule():
    tree = Bands((5.0,)).build("age", Column.numbers_of(np.array([21, 34])))
    with pytest.raises(HierarchyUncovered):
        tree.generalise(Column.texts_of(["20-24", "95-99"]), 0, "age")


def test_not_a_number_never_gets_a_class():
    values = np.array([1.0, np.nan, np.nan])
    state = np.array([OBSERVED, OBSERVED, MISSING], dtype=np.uint8)
    column = Column(Kind.NUMBER, values, state)
    with pytest.raises(HierarchyUncovered) as caught:
        Bands((5.0,)).build("x", column).generalise(column, 1, "x")
    assert caught.value.facts == {"name": "x", "count": 1, "first": 2}
    sealed = Column(Kind.NUMBER, values, np.array([OBSERVED, SUPPRESSED, MISSING], dtype=np.uint8))
    coarse = Bands((5.0,)).build("x", sealed).generalise(sealed, 1, "x")
    assert coarse.texts().tolist() == ["0-<5", None, None]
    assert coarse.suppressed.tolist() == [False, True, False]
