from dataclasses import replace

import numpy as np
import pytest

from tarnkappe.data.column import Column
from tarnkappe.data.hierarchy_builders import from_tree
from tarnkappe.data.intervals import Bands
from tarnkappe.data.microdata import Microdata
from tarnkappe.errors.data import ColumnMissing, RoleKind
from tarnkappe.errors.hierarchy import HierarchyLevel, HierarchyNone
from tarnkappe.errors.release import ParameterWrong
from tarnkappe.methods.microdata.generalise import Generalise
from tarnkappe.randomness import public_stream as stream
from tarnkappe.spec.step import apply_step, broken_claims
from tarnkappe.testing import example_data
from tarnkappe.vocab import Kind, Role

STREAM = stream("for tests only")
TREE = {"T": {"a": ["a1", "a2"], "b": ["b1", "b2"]}}


def data(texts=("a1", "a2", "b1", None), **roles):
    return Microdata({"x": replace(Column.texts_of(list(texts)), hierarchy=from_tree("x", TREE))}, roles)


def aged():
    age = Column.numbers_of(np.array([21, 22, 34, 67]))
    return replace(age, hierarchy=Bands((5.0, 10.0)).build("age", age))


def test_levels_by_number_and_by_name():
    before = example_data()
    after = apply_step(Generalise(columns={"postcode": 1, "birth": "year"}), before, STREAM)
    for was, now in zip(before.column("postcode").texts(), after.column("postcode").texts(), strict=True):
        assert now == (None if was is None else was[0])
    for was, now in zip(before.column("birth").texts(), after.column("birth").texts(), strict=True):
        assert now == (None if was is None else was[:4])
    assert before.column("postcode").texts()[0] is None or len(before.column("postcode").texts()[0]) == 5


def test_other_columns_are_shared_and_the_hierarchy_stays():
    before = example_data()
    after = Generalise(columns={"occupation": 1}).apply(before, STREAM)
    assert after.column("occupation").hierarchy is before.column("occupation").hierarchy
    assert all(after.column(n) is before.column(n) for n in before.names if n != "occupation")


def test_a_step_can_follow_a_step():
    once = apply_step(Generalise(columns={"x": 1}), data(), STREAM)
    assert apply_step(Generalise(columns={"x": 1}), once, STREAM).column("x").texts().tolist() == [
        "a",
        "a",
        "b",
        None,
    ]
    assert apply_step(Generalise(columns={"x": 0}), once, STREAM).column("x").texts().tolist() == [
        "T",
        "T",
        "T",
        None,
    ]


def test_a_number_in_classes_is_no_longer_numeric_but_stays_a_key():
    before = Microdata({"age": aged()}, {Role.NUMERIC: ("age",), Role.KEY: ("age",)})
    after = apply_step(Generalise(columns={"age": 1}), before, STREAM)
    assert after.roles == {Role.KEY: ("age",)}
    assert after.column("age").kind is Kind.CATEGORY
    same = apply_step(Generalise(columns={"age": 3}), before, STREAM)
    assert same.roles == before.roles


def test_a_weight_cannot_be_put_into_classes():
    before = Microdata({"w": aged()}, {Role.WEIGHT: ("w",)})
    with pytest.raises(RoleKind):
        Generalise(columns={"w": 1}).apply(before, STREAM)


def test_wrong_columns_and_levels():
    before = Microdata({**data().columns, "plain": Column.texts_of(["u"] * 4)})
    with pytest.raises(HierarchyNone, match="'plain'"):
        Generalise(columns={"plain": 1}).apply(before, STREAM)
    with pytest.raises(ColumnMissing, match="'plain'"):
        Generalise(columns={"plane": 1}).apply(before, STREAM)
    with pytest.raises(HierarchyLevel):
        Generalise(columns={"x": 3}).apply(before, STREAM)


@pytest.mark.parametrize("columns", [{}, {"x": -1}, {"x": True}, {"x": 1.0}, {"x": None}, ["x"]])
def test_wrong_parameters(columns):
    with pytest.raises(ParameterWrong):
        Generalise(columns=columns)


def test_names_its_columns_and_tells_their_levels():
    step = Generalise(columns={"postcode": 2, "birth": "year"})
    before = example_data()
    assert step.named_columns() == ("postcode", "birth")
    assert step.tells(before, step.apply(before, STREAM)) == {"levels": {"postcode": "2", "birth": "year"}}


def broken(after, level=1):
    step, before = Generalise(columns={"x": level}), data()
    return {c.says.en.split(" ")[0].rstrip(":") for c in broken_claims(step, before, after)}


@pytest.mark.parametrize(
    ("texts", "claims"),
    [
        (("a", "a", "b", None), set()),
        (("b", "a", "b", None), {"the"}),
        (("b", "b", "b", None), {"the"}),
        (("a", "a", "b1", None), {"every"}),
        (("a", "a", None, "b"), {"which"}),
    ],
)
def test_claims_find_planted_faults(texts, claims):
    assert claims <= broken(data(texts))
    assert bool(claims) is bool(broken(data(texts)))


def test_a_code_that_was_split_breaks_equality():
    step = Generalise(columns={"x": 1})
    before = data(("a1", "a1", "b1", None))
    after = data(("a", "T", "b", None))
    assert "equality" in {c.says.en.split(":")[0] for c in broken_claims(step, before, after)}


def test_claims_hold_when_an_earlier_step_has_moved_values_and_rows():
    before = Microdata({"age": aged()})
    moved = before.with_numbers(["age"], np.array([[21.0], [30.0], [45.0], [99.0]])).take(np.array([2, 0, 1]))
    after = apply_step(Generalise(columns={"age": 2}), moved, STREAM)
    assert after.column("age").texts().tolist() == ["45-49", "20-24", "30-34"]
    assert not broken_claims(Generalise(columns={"age": 2}), moved, after.take(np.array([1, 2, 0])))
