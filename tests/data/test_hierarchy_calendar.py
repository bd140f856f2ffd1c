import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tarnkappe.data.calendar import PERIODS, Dates
from tarnkappe.data.column import MISSING, OBSERVED, Column
from tarnkappe.vocab import Kind


def days(*dates, state=None):
    values = np.array(dates, dtype="datetime64[D]").astype(np.int32)
    return Column(Kind.DATE, values, None if state is None else np.array(state, dtype=np.uint8))


def moments(*times):
    return Column(Kind.DATETIME, np.array(times, dtype="datetime64[us]").astype(np.int64))


def shown(periods, column, level):
    return Dates(periods).build("d", column).generalise(column, level, "d").texts().tolist()


def test_dates_on_every_level():
    column = days("2026-03-15", "1969-12-31", "1970-01-01")
    assert shown(PERIODS, column, "year") == ["2026", "1969", "1970"]
    assert shown(PERIODS, column, "quarter") == ["2026-Q1", "1969-Q4", "1970-Q1"]
    assert shown(PERIODS, column, "month") == ["2026-03", "1969-12", "1970-01"]
    assert shown(PERIODS, column, "day") == ["2026-03-15", "1969-12-31", "1970-01-01"]
    assert shown(PERIODS, column, "total") == ["Total"] * 3
    assert shown(PERIODS, column, "decade") == ["2020s", "1960s", "1970s"]


def test_the_dates_themselves_are_the_finest_level():
    assert Dates(("month", "year")).build("d", days("2026-03-15")).level_names == (
        "total",
        "year",
        "month",
        "day",
    )
    assert Dates(("year", "day")).build("d", days("2026-03-15")).level_names == ("total", "year", "day")
    at = moments("2026-03-15T12:30:00", "2026-03-15T23:59:59.999999")
    tree = Dates(("year", "day")).build("d", at)
    assert tree.level_names == ("total", "year", "day", "time")
    assert shown(("year", "day"), at, "day") == ["2026-03-15", "2026-03-15"]
    assert tree.place(at).unknown.sum() == 0


def test_missing_dates_make_no_class():
    column = days("2026-03-15", "1900-01-01", state=[OBSERVED, MISSING])
    assert "1900" not in Dates(("year",)).build("d", column).codes
    empty = days()
    assert Dates(("year", "month")).build("d", empty).depth == 3


def test_dates_that_a_step_has_moved_find_their_place():
    tree = Dates(("year", "month")).build("d", days("2026-03-15"))
    moved = days("2027-05-01")
    assert tree.generalise(moved, "month", "d").texts().tolist() == ["2027-05"]


@pytest.mark.parametrize("date", ["0001-01-01", "9999-12-31", "1600-02-29"])
def test_dates_far_away(date):
    assert shown(("year",), days(date), "year") == [date[:4]]


@given(st.lists(st.dates(), max_size=30), st.sets(st.sampled_from(PERIODS[1:]), min_size=1))
def test_every_date_lies_in_its_periods(dates, periods):
    column = days(*dates)
    spelt = {
        "year": [f"{d.year:04d}" for d in dates],
        "quarter": [f"{d.year:04d}-Q{(d.month + 2) // 3}" for d in dates],
        "month": [f"{d.year:04d}-{d.month:02d}" for d in dates],
        "day": [d.isoformat() for d in dates],
    }
    for period in periods:
        assert shown(tuple(periods), column, period) == spelt[period]
