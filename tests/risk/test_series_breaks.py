"""Breaks in series: planted events are found, what everybody does is none, index numbers keep them, and bad input."""

import numpy as np
import pytest

from tarnkappe import catalogue
from tarnkappe.data.column import Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.errors.data import EmptyData, WrongKind
from tarnkappe.errors.risk import NoAmounts, SeriesNeeded
from tarnkappe.errors.selection import PeriodTwice
from tarnkappe.randomness import public_stream as stream
from tarnkappe.risk.series_breaks import SeriesBreaks
from tarnkappe.vocab import Role

YEARS, UNITS = 5, 40
ROLES = {Role.OWNER: ("firm",), Role.PERIOD: ("year",), Role.NUMERIC: ("turnover",)}


def grown(seed=1):
    """(units, years): every firm grows by some two per cent a year."""
    draw = np.random.default_rng(seed)
    steps = 0.02 + 0.01 * draw.standard_normal((UNITS, YEARS))
    return np.exp(draw.normal(10, 1, (UNITS, 1)) + np.cumsum(steps, axis=1))


def panel(values, there=None, seed=3):
    unit, year = np.indices(values.shape)
    kept = np.ones(values.shape, bool) if there is None else there
    order = np.random.default_rng(seed).permutation(kept.sum())
    columns = {
        "firm": Column.texts_of([f"F{u:02d}" for u in unit[kept][order]]),
        "year": Column.numbers_of(2020 + year[kept][order]),
        "turnover": Column.numbers_of(values[kept][order]),
        "region": Column.texts_of(["east" if u % 2 else "west" for u in unit[kept][order]]),
    }
    return Microdata(columns, ROLES)


def firms(data, found):
    told = np.array(data.column("firm").texts())[found.per_record == 1]
    return set(told.tolist())


def test_a_quiet_panel_has_no_break():
    found = SeriesBreaks().measure(panel(grown()))
    assert found.value == 0
    assert found.trusted
    assert found.details["units"] == UNITS
    assert found.details["periods"] == YEARS


@pytest.mark.parametrize("event", [3.0, 1 / 3, 0.0, -1.0])
def test_one_planted_event_points_to_its_firm(event):
    values = grown()
    values[7, 3:] *= event
    data = panel(values)
    found = SeriesBreaks().measure(data)
    assert found.value == pytest.approx(1 / UNITS)
    assert firms(data, found) == {"F07"}
    assert found.details["by_break"] == {"turnover": 1}


def test_an_event_that_two_have_is_none_unless_k_is_larger():
    values = grown()
    values[[7, 8], 3:] *= 3
    data = panel(values)
    assert SeriesBreaks().measure(data).value == 0
    assert firms(data, SeriesBreaks(k=3).measure(data)) == {"F07", "F08"}
    assert firms(data, SeriesBreaks(within=("region",)).measure(data)) == {"F07", "F08"}, "one in each region"


def test_two_firms_in_different_years_are_two_breaks():
    values = grown()
    values[7, 3:] *= 3
    values[8, 2:] *= 3
    data = panel(values)
    assert firms(data, SeriesBreaks().measure(data)) == {"F07", "F08"}


def test_what_happens_to_everybody_is_no_break():
    values = grown()
    values[:, 3:] *= 3
    assert SeriesBreaks().measure(panel(values)).value == 0


def test_a_series_that_ends_alone_is_found():
    there = np.ones((UNITS, YEARS), bool)
    there[5, 3:] = False
    data = panel(grown(), there)
    found = SeriesBreaks().measure(data)
    assert firms(data, found) == {"F05"}
    assert found.details["by_edge"] == 1


def test_index_numbers_do_not_hide_it():
    values = grown()
    values[7, 3:] *= 3
    data = panel(values)
    index = catalogue["microdata.index-numbers"](
        columns=("turnover",), unit=("firm",), period="year", base="2020"
    )
    after = index.apply(data, stream("secret-of-a-test-that-is-long-enough"))
    assert firms(after, SeriesBreaks().measure(after, before=data)) == {"F07"}


def test_gaps_tell_nothing():
    values = grown()
    values[7, 3:] *= 3
    data = panel(values)
    hidden = np.array(data.column("firm").texts()) == "F07"
    after = data.with_columns({"turnover": data.column("turnover").suppress(hidden)})
    found = SeriesBreaks().measure(after, before=data)
    assert found.value == 0
    assert found.baseline == pytest.approx(1 / UNITS)


def test_few_units_are_not_trusted():
    data = panel(grown())
    few = data.take(np.flatnonzero(np.array([t < "F03" for t in data.column("firm").texts()])))
    assert not SeriesBreaks().measure(few).trusted


def test_bad_input():
    data = panel(grown())
    with pytest.raises(NoAmounts):
        SeriesBreaks().measure(data.with_roles({Role.OWNER: ("firm",), Role.PERIOD: ("year",)}))
    with pytest.raises(SeriesNeeded):
        SeriesBreaks().measure(data.with_roles({Role.NUMERIC: ("turnover",), Role.PERIOD: ("year",)}))
    with pytest.raises(SeriesNeeded):
        SeriesBreaks().measure(data.with_roles({Role.NUMERIC: ("turnover",), Role.OWNER: ("firm",)}))
    with pytest.raises(PeriodTwice):
        SeriesBreaks().measure(data.take(np.concatenate([np.arange(len(data)), [0]])))
    with pytest.raises(WrongKind):
        SeriesBreaks(columns=("region",)).measure(data)
    with pytest.raises(EmptyData):
        SeriesBreaks().measure(data.take(np.arange(0)))
