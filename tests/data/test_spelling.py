from __future__ import annotations

from datetime import UTC, date, datetime

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tarnkappe.data.column import BOOLEANS, Column
from tarnkappe.data.spelling import canonical, canonical_value
from tarnkappe.vocab import Kind

MOMENT = datetime(2020, 2, 29, 12, 30, 5, tzinfo=UTC)


def spelt(column):
    codes, _ = column.true_codes()
    return canonical(column)[codes].tolist()


@pytest.mark.parametrize(
    ("column", "wanted"),
    [
        (Column.texts_of([" b ", "a", "01067"]), ["b", "a", "01067"]),
        (Column.numbers_of(np.array([7, -3])), ["7", "-3"]),
        (Column.numbers_of(np.array([42.0, 0.5, -0.0, np.inf, 1e300])), ["42", "0.5", "0", "inf", "1e+300"]),
        (Column(Kind.DATE, np.array([0, -1], dtype=np.int32)), ["1970-01-01", "1969-12-31"]),
        (Column(Kind.DATETIME, np.array([0, 1])), ["1970-01-01T00:00:00", "1970-01-01T00:00:00.000001"]),
        (Column(Kind.BOOLEAN, np.array([1, 1], dtype=np.uint8), None, BOOLEANS), ["true", "true"]),
    ],
)
def test_every_kind(column, wanted):
    assert spelt(column) == wanted


@pytest.mark.parametrize(
    ("value", "wanted"),
    [
        (True, "true"),
        (42, "42"),
        (42.0, "42"),
        (-0.0, "0"),
        (0.1, "0.1"),
        ("a\u0308 ", "ä"),
        (date(2020, 2, 29), "2020-02-29"),
        (MOMENT.replace(tzinfo=None), "2020-02-29T12:30:05"),
        ([1], [1]),
        (None, None),
    ],
)
def test_values_of_a_plan(value, wanted):
    assert canonical_value(value) == wanted


@given(st.floats(allow_nan=False) | st.integers(-(2**63), 2**63 - 1))
def test_a_plan_and_a_column_spell_a_number_alike(number):
    assert spelt(Column.numbers_of(np.array([number]))) == [canonical_value(number)]


@given(st.text())
def test_a_plan_and_a_column_spell_a_text_alike(text):
    assert spelt(Column.texts_of([text])) == [canonical_value(text)]
