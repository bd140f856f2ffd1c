"""Ageing: months between the end of a period and the release."""

from datetime import date

import numpy as np
import pytest

from tarnkappe.data.column import Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.errors.data import WrongKind
from tarnkappe.errors.selection import TooYoung
from tarnkappe.methods.microdata.age import Age
from tarnkappe.randomness import public_stream as stream
from tarnkappe.spec.step import apply_step
from tarnkappe.vocab import Kind


def done(data, **parameters):
    method = Age(**parameters)
    return apply_step(method, data, stream("s" * 32, method.id)).rows.tolist()


YEARS = Microdata(
    {"year": Column(Kind.INTEGER, np.array([2020, 2023, 2024, 2025]), np.array([0, 0, 0, 1], np.uint8))}
)
DAYS = np.array(["2024-01-31", "2024-02-01", "2024-02-29", "2024-03-01"], dtype="datetime64[D]").astype(
    np.int32
)


def test_years_end_in_december():
    assert done(YEARS, column="year", release=date(2025, 12, 31), lag=12) == [0, 1, 2]
    assert done(YEARS, column="year", release=date(2025, 12, 30), lag=12) == [0, 1]
    assert done(YEARS, column="year", release=date(2026, 2, 28), lag=14) == [0, 1, 2]


def test_records_without_a_period_go_by_the_end_given_for_them():
    assert done(YEARS, column="year", release=date(2025, 11, 30), lag=12, period_end=date(2020, 1, 1)) == [
        0,
        1,
        3,
    ]
    assert done(YEARS, column="year", release=date(2025, 11, 30), lag=12, period_end=date(2025, 1, 1)) == [
        0,
        1,
    ]


def test_dates_count_by_full_months():
    """Gottschalk 2002, G-M07: release - end of the period >= lag; a day too early is too early."""
    data = Microdata({"day": Column(Kind.DATE, DAYS)})
    assert done(data, column="day", release=date(2025, 1, 30), lag=12) == []
    assert done(data, column="day", release=date(2025, 2, 1), lag=12) == [0, 1]
    assert done(data, column="day", release=date(2025, 2, 28), lag=12) == [0, 1, 2]
    assert done(data, column="day", release=date(2025, 3, 1), lag=12) == [0, 1, 2, 3]
    times = Microdata({"day": Column(Kind.DATETIME, DAYS.astype(np.int64) * 86_400_000_000 + 5)})
    assert done(times, column="day", release=date(2025, 2, 1), lag=12) == [0, 1]


def test_a_file_that_is_too_young_is_refused():
    assert done(YEARS, period_end=date(2024, 6, 30), release=date(2026, 6, 30), lag=24) == [0, 1, 2, 3]
    with pytest.raises(TooYoung):
        done(YEARS, period_end=date(2024, 6, 30), release=date(2026, 6, 29), lag=24)


def test_numbers_that_are_no_years_are_refused():
    data = Microdata({"year": Column.numbers_of(np.array([123456, 2020]))})
    with pytest.raises(WrongKind):
        done(data, column="year", release=date(2026, 1, 1), lag=1)
