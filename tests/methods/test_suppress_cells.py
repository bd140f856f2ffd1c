from __future__ import annotations

import numpy as np
import pytest

from tarnkappe.data.column import Column
from tarnkappe.data.comparison import same_cells
from tarnkappe.data.microdata import Microdata
from tarnkappe.errors.data import IdentifierTouched, LoneCell, RecordOutOfRange, ValueUnknown
from tarnkappe.errors.release import ParameterWrong
from tarnkappe.methods.microdata.suppress_cells import SuppressCells
from tarnkappe.randomness import public_stream as stream
from tarnkappe.spec.parameters import build
from tarnkappe.spec.step import apply_step, broken_claims
from tarnkappe.testing import example_data


def small():
    return Microdata({
        "region": Column.texts_of(["n", "n", "n", "s", "s", None]),
        "job": Column.texts_of(["baker", "mayor", "mayor", "baker", None, "clerk"]),
        "age": Column.numbers_of(np.array([30, 40, 50, 60, 70, 80])),
    })  # fmt: skip


def done(data=None, **parameters):
    return apply_step(SuppressCells(**parameters), small() if data is None else data, stream("s"))


def test_named_cells():
    after = done(columns=("age", "region"), records=(1, 3))
    assert after.column("age").suppressed.tolist() == [True, False, True, False, False, False]
    assert after.column("region").suppressed.tolist() == [True, False, True, False, False, False]
    assert after.column("age").values.tolist() == [30, 40, 50, 60, 70, 80]
    assert same_cells(after.column("job"), small().column("job"))


def test_named_values():
    after = done(values={"job": ["mayor"]}, share=1)
    assert after.column("job").texts().tolist() == ["baker", None, None, "baker", None, "clerk"]
    assert after.column("job").suppressed.tolist() == [False, True, True, False, False, False]


def test_values_and_cells_of_one_column_add_up():
    after = done(columns=("age",), records=(1,), values={"age": [80]})
    assert np.flatnonzero(after.column("age").suppressed).tolist() == [0, 5]


@pytest.mark.parametrize("value", [40, 40.0, "40", " 40 "])
def test_a_value_may_be_spelt_in_any_way(value):
    assert done(values={"age": [value, 50]}, share=1).column("age").suppressed.tolist() == [
        False,
        True,
        True,
        *[False] * 3,
    ]


def test_dates_and_leading_zeros():
    data = example_data()
    day = data.column("birth").texts()[0]
    after = done(data, values={"birth": [day], "postcode": ["01067"]}, lone="allow")
    assert day not in after.column("birth").texts()
    assert "01067" not in after.column("postcode").texts()
    with pytest.raises(ValueUnknown):
        done(data, values={"postcode": [1067]}, lone="allow")


def test_missing_stays_missing():
    after = done(columns=("job", "age"), records=(4, 5), lone="allow")
    assert after.column("job").missing[4] and not after.column("job").suppressed[4]


def test_records_are_numbered_as_in_the_original_file():
    turned = small().take(np.array([5, 4, 3, 2]))
    after = done(turned, columns=("age",), records=(6, 3, 1))
    assert after.column("age").suppressed.tolist() == [True, False, False, True]


def test_records_that_an_earlier_step_removed_are_passed_over_also_at_the_end_of_the_file():
    rest = small().take(np.arange(4))
    assert done(rest, columns=("age",), records=(6, 3, 1)).column("age").suppressed.tolist() == [
        True,
        False,
        True,
        False,
    ]
    with pytest.raises(RecordOutOfRange, match="between 1 and 6; 1 of"):
        done(rest, columns=("age",), records=(6, 3, 7))


@pytest.mark.parametrize("number", [7, 100])
def test_records_beyond_the_end(number):
    with pytest.raises(RecordOutOfRange, match="between 1 and 6; 1 of"):
        done(columns=("age",), records=(2, number))


def test_a_value_that_does_not_occur_is_refused_without_saying_it():
    with pytest.raises(ValueUnknown, match=r"1 of the values given for column 'job'.*number 2") as caught:
        done(values={"job": ["mayor", "mayorr"]})
    assert "mayorr" not in caught.value.text("de") + repr(caught.value)


def test_a_value_only_under_a_suppressed_cell_is_known():
    once = done(values={"job": ["mayor"]})
    assert once.column("job").suppressed.sum() == 4, "two others go with them"
    assert done(once, values={"job": ["mayor"]}).column("job").suppressed.sum() == 4


class TestLone:
    def test_exactly_one_gap_is_refused(self):
        with pytest.raises(LoneCell, match="'job' would have 1 groups"):
            done(values={"job": ["clerk"]}, share=1)
        with pytest.raises(LoneCell, match="'age'"):
            done(columns=("age",), records=(2,))

    def test_unless_allowed(self):
        assert done(columns=("age",), records=(2,), lone="allow").column("age").suppressed.sum() == 1

    def test_a_gap_from_before_counts(self):
        once = done(columns=("age",), records=(2,), lone="allow")
        assert done(once, columns=("age",), records=(4,)).column("age").suppressed.sum() == 2

    def test_within_groups(self):
        done(columns=("age",), records=(1, 2, 4, 5), within=("region",))
        with pytest.raises(LoneCell, match="2 groups"):
            done(columns=("age",), records=(1, 4), within=("region",))
        with pytest.raises(LoneCell, match="1 groups"):
            done(columns=("age",), records=(1, 2, 6), within=("region",))

    def test_groups_are_those_the_release_shows(self):
        """Record 1 is in the north, which nobody sees: its gap stands alone among the records of unknown region."""
        data = small().with_columns({"region": small().column("region").suppress(np.arange(6) == 0)})
        with pytest.raises(LoneCell, match="2 groups"):
            done(data, columns=("age",), records=(1, 2), within=("region",))

    def test_a_lone_gap_that_was_there_is_not_our_doing(self):
        once = done(columns=("age",), records=(6,), lone="allow")
        after = done(once, columns=("age",), records=(1, 2), within=("region",))
        assert after.column("age").suppressed.sum() == 3

    def test_nothing_new_nothing_refused(self):
        once = done(columns=("age",), records=(2,), lone="allow")
        assert done(once, columns=("age",), records=(2,)).column("age").suppressed.sum() == 1

    def test_claim_agrees_with_the_refusal(self):
        data, step = small(), SuppressCells(columns=("age",), records=(1, 4), within=("region",))
        after = data.with_columns(
            {"age": data.column("age").suppress(np.array([1, 0, 0, 1, 0, 0], dtype=bool))}
        )
        assert [c.says.en[:8] for c in broken_claims(step, data, after)] == ["no group"]
        whole = SuppressCells(columns=("age",), records=(1, 4))
        assert broken_claims(whole, data, after) == []


@pytest.mark.parametrize(
    ("given_", "says"),
    [
        ({}, "needs records and columns, or values"),
        ({"columns": ["age"]}, "columns and records go together"),
        ({"records": [1]}, "columns and records go together"),
        ({"columns": ["age"], "records": [0]}, r"records\[1\]: must be at least 1"),
        ({"values": {"job": []}}, r"values.job: needs at least 1"),
        ({"values": {"job": [["baker"]]}}, "must be text"),
        ({"values": {"job": ["x"]}, "lone": "perhaps"}, "lone: must be one of"),
    ],
)
def test_parameters(given_, says):
    with pytest.raises(ParameterWrong, match=says):
        build(SuppressCells, given_)


@pytest.mark.parametrize(
    "parameters", [{"columns": ["name"], "records": [1, 2]}, {"values": {"name": ["Ada Ahrens"]}}]
)
def test_identifiers_are_refused(parameters):
    with pytest.raises(IdentifierTouched):
        done(example_data(), **parameters)


def test_claims_see_a_cell_shown_and_a_cell_too_many():
    data, step = small(), SuppressCells(columns=("age",), records=(1, 2), values={"job": ["mayor"]})
    right = apply_step(step, data, stream("s"))
    assert broken_claims(step, data, right) == []
    for wrong in (
        right.with_columns({"age": data.column("age")}),
        right.with_columns({"job": data.column("job")}),
        right.with_columns({"age": data.column("age").suppress(np.array([1, 1, 1, 0, 0, 0], dtype=bool))}),
        right.with_columns(
            {"age": Column.numbers_of(np.array([30, 40, 50, 60, 70, 81]), right.column("age").state)}
        ),
    ):
        assert broken_claims(step, data, wrong)


def test_tells_counts_of_three_or_more():
    data = small()
    step = SuppressCells(columns=("age", "region"), records=(1, 2, 4), values={"job": ["mayor"]}, share=1)
    assert step.tells(data, apply_step(step, data, stream("s"))) == {"age": 3, "region": 3}
