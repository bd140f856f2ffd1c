from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tarnkappe.data.column import Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.errors.data import NoKeys, RecordOutOfRange, ValueUnknown
from tarnkappe.errors.release import ParameterWrong, Unattainable
from tarnkappe.methods.microdata.suppress_records import SuppressRecords
from tarnkappe.randomness import public_stream as stream
from tarnkappe.spec.parameters import build
from tarnkappe.spec.step import apply_step, broken_claims
from tarnkappe.vocab import Role


def small():
    return Microdata(
        {
            "job": Column.texts_of(["a", "a", "a", "b", "b", "c", None, None]),
            "sex": Column.texts_of(["f", "f", "m", "m", "m", "f", "m", "m"]),
            "x": Column.numbers_of(np.arange(8.0)),
        },
        {Role.KEY: ("job", "sex")},
    )


def done(data=None, budget=0.9, **parameters):
    step = SuppressRecords(budget=budget, **parameters)
    return apply_step(step, small() if data is None else data, stream("s"))


def test_by_number():
    assert done(records=(1, 8, 1)).rows.tolist() == [1, 2, 3, 4, 5, 6]


def test_by_number_in_the_original_file():
    turned = small().take(np.array([7, 3, 0]))
    assert done(turned, records=(4, 2)).rows.tolist() == [7, 0]
    with pytest.raises(RecordOutOfRange, match="between 1 and 8; 2 of"):
        done(records=(9, 10))


def test_by_value():
    assert done(values={"job": ["a"], "x": [7]}).rows.tolist() == [3, 4, 5, 6]


def test_by_a_value_under_a_suppressed_cell():
    data = small().with_columns({"job": small().column("job").suppress(np.arange(8) == 0)})
    assert done(data, values={"job": ["a"]}).rows.tolist() == [3, 4, 5, 6, 7]


def test_a_value_that_does_not_occur():
    with pytest.raises(ValueUnknown, match="number 1"):
        done(values={"job": ["z"]})


def test_by_class_size():
    assert done(below=2).rows.tolist() == [0, 1, 3, 4, 6, 7]
    assert done(below=3, keys=("job",)).rows.tolist() == [0, 1, 2]


def test_suppressed_keys_are_a_class_of_their_own():
    data = small().with_columns({"job": small().column("job").suppress(np.isin(np.arange(8), [3, 4, 5]))})
    assert done(data, below=3, keys=("job",)).rows.tolist() == [0, 1, 2, 3, 4, 5]


def test_classes_shrink_with_the_named_records():
    data = Microdata({"k": Column.texts_of(["a"] * 3 + ["b"] * 4)}, {Role.KEY: ("k",)})
    assert done(data, records=(1,), below=3).rows.tolist() == [3, 4, 5, 6]


def test_no_keys():
    with pytest.raises(NoKeys):
        done(small().with_roles({}), below=2)


class TestBudget:
    def test_is_a_share_of_the_records(self):
        assert len(done(records=(1, 2), budget=0.25)) == 6
        with pytest.raises(Unattainable, match=r"3 of 8 records would have to go, the budget is 2"):
            done(records=(1, 2, 3), budget=0.25)

    def test_is_not_spoilt_by_floats(self):
        data = Microdata({"x": Column.numbers_of(np.arange(100))})
        assert len(done(data, records=tuple(range(1, 30)), budget=0.29)) == 71

    def test_says_what_it_would_reach(self):
        data = Microdata({"k": Column.texts_of(["a"] + ["b"] * 2 + ["c"] * 5)}, {Role.KEY: ("k",)})
        with pytest.raises(Unattainable, match="classes of at least 2"):
            done(data, below=5, budget=0.25)
        with pytest.raises(Unattainable, match="classes of at least 1"):
            done(data, below=5, budget=0)
        with pytest.raises(Unattainable, match="none of these records"):
            done(data, records=(1, 2), below=5, budget=0.125)
        assert len(done(data, below=5, budget=0.375)) == 5

    @given(
        keys=st.lists(st.sampled_from("abcd"), min_size=1, max_size=30),
        below=st.integers(2, 6),
        budget=st.sampled_from([0, 0.1, 0.3, 0.6]),
    )
    def test_what_it_would_reach_is_reached(self, keys, below, budget):
        data = Microdata({"k": Column.texts_of(keys)}, {Role.KEY: ("k",)})
        try:
            after = done(data, below=below, budget=budget)
        except Unattainable as refused:
            best = int(refused.facts["best"].en.removeprefix("classes of at least "))
            sizes = Counter(keys)
            allowed = int(budget * len(keys) + 1e-9)
            assert sum(n for n in sizes.values() if n < best) <= allowed
            assert sum(n for n in sizes.values() if n <= best) > allowed
        else:
            assert min(Counter(after.column("k").texts()).values(), default=99) >= below

    def test_everybody_cannot_go(self):
        with pytest.raises(Unattainable):
            done(below=9, budget=0.99)

    def test_no_records_no_trouble(self):
        assert len(done(small().take(np.zeros(0, dtype=int)), below=5, budget=0)) == 0


@pytest.mark.parametrize(
    ("given_", "says"),
    [
        ({}, "needs records, values or below"),
        ({"records": [1], "keys": ["a"]}, "keys need below"),
        ({"below": 1}, "below: must be at least 2"),
        ({"below": 2, "budget": 1}, "budget: must be less than 1"),
    ],
)
def test_parameters(given_, says):
    with pytest.raises(ParameterWrong, match=says):
        build(SuppressRecords, given_)


def told(step, data):
    return step.tells(data, step.apply(data, None))


def test_tells_the_rule_and_the_count_unless_it_is_one_or_two():
    data, rule = small(), {"below": 2, "keys": ["job", "sex"]}
    for count in (0, 3):
        assert SuppressRecords(below=2).tells(data, data.take(np.arange(8 - count))) == {
            "suppressed_records": count,
            **rule,
        }
    for count in (1, 2):
        assert SuppressRecords(below=2).tells(data, data.take(np.arange(8 - count))) == {}


def panel(**roles):
    return Microdata(
        {
            "unit": Column.texts_of(["u", "u", "u", "v", "w", "x", "y", "z"]),
            "owner": Column.texts_of(["O", "O", "O", "P", "Q", "R", "R", "S"]),
            "asked": Column.texts_of(["g", "e", "h", "g", "g", "h", "e", "e"]),
        },
        {Role(role): names for role, names in roles.items()},
    )


def test_tells_by_which_values_and_never_who():
    data = panel(owner=("owner",))
    step = SuppressRecords(values={"asked": ["g", "h"]}, records=(7,), unit=("unit",), budget=0.9)
    assert told(step, data) == {
        "suppressed_records": 7,
        "one_by_one": True,
        "by": ["asked"],
        "values": {"asked": ["g"]},  # only two have an h
        "unit": ["unit"],
    }
    assert told(SuppressRecords(values={"owner": ["O", "P", "Q"]}, budget=0.9), data) == {
        "suppressed_records": 5,
        "by": ["owner"],
    }


def test_tells_nothing_where_many_records_are_of_few():
    """Three years of one enterprise are one enterprise, and enterprises of one owner one owner."""
    data = panel()
    assert told(SuppressRecords(values={"unit": ["u"]}, budget=0.9), data)["suppressed_records"] == 3
    assert told(SuppressRecords(values={"unit": ["u"]}, unit=("unit",), budget=0.9), data) == {}
    data = panel(owner=("owner",))
    assert told(SuppressRecords(records=(1, 2, 3, 4), budget=0.9), data) == {}


def test_claims_see_wrong_results():
    data = small()
    step = SuppressRecords(records=(1,), values={"job": ["c"]}, below=2, keys=("job",), budget=0.5)
    right = data.take(np.array([1, 2, 3, 4, 6, 7]))
    assert broken_claims(step, data, right) == []
    for wrong in (
        data,
        data.take(np.array([0, 1, 2, 3, 4, 6, 7])),
        data.take(np.array([1, 2, 3, 4, 5, 6, 7])),
        data.take(np.array([1, 2, 3, 6, 7])),
        data.take(np.array([2, 1, 3, 4, 6, 7])),
        data.take(np.array([6, 7])),
        right.with_columns({"x": Column.numbers_of(np.zeros(6))}),
    ):
        assert broken_claims(step, data, wrong)


def test_units_go_whole_until_all_classes_are_large():
    """The lonely 'c' takes its unit along; that leaves 'b' with two, which takes the next one along."""
    data = Microdata(
        {
            "job": Column.texts_of(["c", "b", "b", "b", "a", "a", "a", "a"]),
            "unit": Column.texts_of(["u", "u", "v", "w", "v", "x", "y", "z"]),
        }
    )
    assert done(data, keys=("job",), below=3).rows.tolist() == [1, 2, 3, 4, 5, 6, 7]
    assert done(data, keys=("job",), below=3, unit="unit").rows.tolist() == [5, 6, 7]
    assert done(data, records=(1,), unit="unit").rows.tolist() == [2, 3, 4, 5, 6, 7]
    with pytest.raises(Unattainable, match="5 of 8 records"):
        done(data, keys=("job",), below=3, unit="unit", budget=0.5)


def test_the_office_learns_what_went_and_whether_it_was_like_the_rest():
    """Gottschalk 2002, G-M09: shares of units and totals; DAV 2025, D-M04: records that go may be unlike those that stay."""
    data = small().with_roles({Role.KEY: ("job", "sex"), Role.NUMERIC: ("x",)})
    step = SuppressRecords(values={"job": ["a"]}, budget=0.9)
    header, rows = step.keeps(data, done(data, values={"job": ["a"]}))["left-out.csv"]
    assert header == ("of", "share", "distance")
    assert rows == [
        ("records", "0.375000", ""), ("x", f"{3 / 28:.6f}", "1.000000"), ("job", "", "1.000000"),
        ("sex", "", f"{2 / 3 - 1 / 5:.6f}"),
    ]  # fmt: skip
    none = step.keeps(data, data)["left-out.csv"][1]
    assert none == [("records", "0.000000", ""), ("x", "0.000000", ""), ("job", "", ""), ("sex", "", "")]
