import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tarnkappe.data.hierarchy_builders import (
    coded,
    from_digits,
    from_levels,
    from_pairs,
    from_paths,
    from_tree,
)
from tarnkappe.errors import TarnkappeError
from tarnkappe.errors.hierarchy import (
    HierarchyCycle,
    HierarchyNotNested,
    HierarchyParent,
    HierarchyRoots,
    HierarchyTree,
    HierarchyTwice,
)


def outline(tree):
    return [(int(level), code) for level, code in zip(tree.level, tree.codes, strict=True)]


def texts(*codes):
    return np.array(codes, dtype=object)


# -- nested mappings --------------------------------------------------------------------------------------


def test_a_nested_mapping_with_its_total():
    tree = from_tree("t", {"Total": {"A": ["A1", "A2"], "B": {"B1": None, "B2": ["B21"]}}})
    assert outline(tree) == [
        (0, "Total"),
        (1, "A"),
        (2, "A1"),
        (2, "A2"),
        (1, "B"),
        (2, "B1"),
        (2, "B2"),
        (3, "B21"),
    ]


def test_several_codes_at_the_top_get_a_total():
    assert outline(from_tree("t", {"A": ["A1"], "B": []})) == [(0, "Total"), (1, "A"), (2, "A1"), (1, "B")]
    assert outline(from_tree("t", {"A": ["A1"], "B": []}, "All"))[0] == (0, "All")
    assert outline(from_tree("t", ["A", "B"])) == [(0, "Total"), (1, "A"), (1, "B")]


def test_a_single_code_at_the_top_is_the_total_unless_another_is_named():
    assert from_tree("t", {"World": ["A", "B"]}).total == "World"
    assert from_tree("t", {"World": ["A", "B"]}, "World").total == "World"
    assert outline(from_tree("t", {"A": ["A1"]}, "All")) == [(0, "All"), (1, "A"), (2, "A1")]


def test_lists_may_hold_mappings_and_codes_may_be_whole_numbers_or_single():
    tree = from_tree("t", {1: [11, {12: [121, 122]}], 2: 21})
    assert outline(tree) == [
        (0, "Total"),
        (1, "1"),
        (2, "11"),
        (2, "12"),
        (3, "121"),
        (3, "122"),
        (1, "2"),
        (2, "21"),
    ]


@pytest.mark.parametrize("bad", [True, 1.1, None, ["x"], {"a"}, object()])
def test_what_is_no_code_is_refused_with_its_place(bad):
    with pytest.raises(HierarchyTree, match="'A'"):
        from_tree("t", {"A": ["A1", bad]})


def test_codes_that_stand_twice_are_all_named():
    with pytest.raises(HierarchyTwice, match="B, A1"):
        from_tree("t", {"A": ["A1", "B"], "B": ["A1"]})


def test_a_tree_that_holds_itself_ends():
    knot = {"A": ["A1"]}
    knot["B"] = knot
    with pytest.raises(HierarchyTwice):
        from_tree("t", knot)


def test_a_very_deep_nesting_ends():
    tree = leaf = {}
    for i in range(3000):
        leaf[f"c{i}"] = leaf = {}
    assert from_tree("t", tree).depth == 2999


nested = st.recursive(
    st.none() | st.lists(st.sampled_from("abcdefghij"), max_size=4),
    lambda below: (
        st.dictionaries(st.sampled_from("klmnopqrstuvw"), below, max_size=4) | st.lists(below, max_size=2)
    ),
    max_leaves=12,
)


@given(nested)
def test_any_nesting_gives_a_tree_or_a_coded_error(tree):
    try:
        assert len(from_tree("t", tree)) >= 1
    except TarnkappeError:
        return


# -- codes and parents ------------------------------------------------------------------------------------


def test_pairs_in_any_order():
    tree = from_pairs("p", ["A1", "T", "A", "B"], ["A", None, "T", "T"], ["one", "all", "", "bee"])
    assert outline(tree) == [(0, "T"), (1, "A"), (2, "A1"), (1, "B")]
    assert tree.labels.tolist() == ["all", "", "one", "bee"]


def test_the_total_may_be_known_as_parent_only():
    assert outline(from_pairs("p", ["A", "B"], ["T", "T"], ["x", "y"])) == [(0, "T"), (1, "A"), (1, "B")]


def test_with_a_total_several_codes_may_stand_at_the_top():
    assert outline(from_pairs("p", ["A", "B"], [None, None], total="T")) == [(0, "T"), (1, "A"), (1, "B")]
    assert outline(from_pairs("p", ["A", "T", "B"], [None, None, None], total="T")) == [
        (0, "T"),
        (1, "A"),
        (1, "B"),
    ]
    assert outline(from_pairs("p", ["A", "B"], ["T", None], total="T")) == [(0, "T"), (1, "A"), (1, "B")]


@pytest.mark.parametrize(
    ("codes", "parents", "error"),
    [
        (["A", "B"], [None, None], HierarchyRoots),
        (["A", "B"], ["X", "Y"], HierarchyParent),
        (["A", "B"], [None, "Y"], HierarchyParent),
        (["A", "B"], ["B", "A"], HierarchyCycle),
        (["A", "B"], [None, "B"], HierarchyCycle),
        (["A", "B", "B"], [None, "A", "A"], HierarchyTwice),
        ([], [], HierarchyRoots),
    ],
)
def test_pairs_that_are_no_tree(codes, parents, error):
    with pytest.raises(error):
        from_pairs("p", codes, parents)


# -- leading digits ---------------------------------------------------------------------------------------


def test_leading_digits_with_full_codes_below():
    tree = from_digits("d", texts("01067", "01069", "10115"), [1, 3])
    assert outline(tree) == [
        (0, "Total"), (1, "0"), (2, "010"), (3, "01067"), (3, "01069"), (1, "1"), (2, "101"), (3, "10115"),
    ]  # fmt: skip


def test_the_last_length_may_be_that_of_the_codes():
    assert from_digits("d", texts("101", "102"), [1, 3]).depth == 2


def test_short_codes_stop_where_they_end():
    tree = from_digits("d", texts("A", "A1", "A12", "B1234", "B12345"), [1, 2, 4])
    assert outline(tree) == [
        (0, "Total"), (1, "A"), (2, "A1"), (3, "A12"), (1, "B"), (2, "B1"), (3, "B123"), (4, "B1234"), (4, "B12345"),
    ]  # fmt: skip


def test_levels_are_those_described_even_where_no_code_reaches_them():
    tree = from_digits("d", texts("1", "2"), [1, 2, 4])
    assert tree.depth == 3
    assert from_digits("d", texts(), [1, 2]).depth == 2


def test_the_total_may_occur_as_a_code_but_not_as_a_class():
    assert outline(from_digits("d", texts("12", "Total"), [1])) == [(0, "Total"), (1, "1"), (2, "12")]
    assert from_digits("d", texts("12"), [1], total="all").total == "all"
    with pytest.raises(HierarchyTwice, match="1") as caught:
        from_digits("d", texts("SECRET", "12"), [1], total="1")
    assert "SECRET" not in str(caught.value)


@pytest.mark.parametrize("lengths", [[], [0], [-1, 2], [2, 1], [1, 1]])
def test_lengths_must_grow_and_no_code_is_named(lengths):
    with pytest.raises(HierarchyNotNested) as caught:
        from_digits("d", texts("SECRET"), lengths)
    assert "SECRET" not in str(caught.value)


@given(st.lists(st.text("ab1", max_size=6)), st.sets(st.integers(1, 7), min_size=1).map(sorted))
def test_every_code_lies_below_all_its_leading_parts(codes, lengths):
    tree = from_digits("d", texts(*codes), lengths)
    place = tree.positions(codes)
    assert (place >= 0).all()
    for number, length in enumerate(lengths, 1):
        assert tree.codes[tree.ancestors(number)[place]].tolist() == [code[:length] for code in codes]


# -- paths ------------------------------------------------------------------------------------------------


def levels(*columns):
    return [coded(column) for column in columns]


def test_a_class_with_the_code_of_the_one_above_is_that_class():
    tree = from_paths("p", levels(["*", "*"], ["EU", "MT"], ["DE", "MT"], ["BE", "MT"]))
    assert outline(tree) == [(0, "*"), (1, "EU"), (2, "DE"), (3, "BE"), (1, "MT")]


def test_a_code_repeated_between_keeps_the_levels_of_what_is_below():
    """On level 2 France is still shown as Europe: less detail was asked for, so less is shown."""
    tree = from_paths("p", levels(["*"] * 2, ["Europe", "Asia"], ["Europe", "East"], ["France", "Japan"]))
    assert outline(tree) == [(0, "*"), (1, "Europe"), (3, "France"), (1, "Asia"), (2, "East"), (3, "Japan")]
    assert tree.codes[tree.ancestors(2)[tree.positions(["France", "Japan"])]].tolist() == ["Europe", "East"]


def test_classes_that_cross_are_refused():
    with pytest.raises(HierarchyNotNested, match="level 2.*: 0-4"):
        from_paths("p", levels(["*"] * 3, ["0-9", "0-19", "0-9"], ["0-4", "0-4", "5-9"], ["1", "2", "6"]))


def test_a_code_at_two_places_is_refused():
    with pytest.raises(HierarchyTwice, match="A"):
        from_paths("p", levels(["*", "*"], ["A", "B"], ["x", "A"]))


def test_the_total_is_none_of_the_classes():
    with pytest.raises(HierarchyTwice, match="Total"):
        from_levels("p", levels(["Total", "B"]))


def test_no_leaves_still_have_their_levels():
    tree = from_levels("p", levels([], []))
    assert (len(tree), tree.depth) == (1, 2)
