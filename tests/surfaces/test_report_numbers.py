"""Numbers as people read them: right in value, right in both languages."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tarnkappe.report.numbers import error, fixed, percent, seconds, shown
from tarnkappe.report.tables import as_written, flat, spelt


@pytest.mark.parametrize(
    ("value", "en", "de"),
    [
        (0, "0", "0"),
        (7, "7", "7"),
        (70.4, "70.4", "70,4"),
        (1234567, "1,234,567", "1.234.567"),
        (1234.5, "1,234", "1.234"),
        (0.12345, "0.123", "0,123"),
        (-3.5, "−3.5", "−3,5"),
        (99.99, "100", "100"),
        (2e-5, "2.0e-05", "2,0e-05"),
        (1e-12, "0", "0"),
        (-1e-12, "0", "0"),
        (math.inf, "∞", "∞"),
        (-math.inf, "−∞", "−∞"),
        (math.nan, "–", "–"),
        (None, "–", "–"),
        (1.5e300, "1.50e+300", "1,50e+300"),
    ],
)
def test_numbers_in_both_languages(value, en, de):
    assert (shown(value).en, shown(value).de) == (en, de)


@given(st.floats(min_value=1e-4, max_value=1e12), st.integers(2, 6))
def test_what_is_shown_is_the_number(value, digits):
    read = float(shown(value, digits).en.replace(",", ""))
    assert read == pytest.approx(value, rel=10.0 ** (1 - digits))
    german = shown(value, digits).de.replace(".", "").replace(",", ".")
    assert float(german) == read


@given(st.floats(min_value=1e-4, max_value=100))
def test_percentages_are_a_hundred_times_the_share(share):
    assert float(percent(share).en.rstrip("%").replace(",", "")) == pytest.approx(100 * share, rel=0.01)


def test_small_percentages_are_not_called_zero():
    assert percent(1e-5).en == "< 0.01%"
    assert percent(0.7, 2).en == "70%"
    assert percent(1e-14).de == "0\u00a0%"
    assert percent(math.nan).en == "–"


def test_errors_have_a_sign_and_two_decimals():
    assert error(0.01544).en == "+1.54%"
    assert error(-0.6402).de == "−64,02\u00a0%"
    assert error(1e-9).en == "0.00%"
    assert error(-1e-9).en == "0.00%"
    assert error(12.5).en == "+1,250.00%"
    assert error(None).en == error(math.inf).en == "–"


def test_fixed_decimals():
    assert fixed(-0.001).en == "0.00"
    assert fixed(-0.254).de == "−0,25"
    assert fixed(1).en == "1.00"


def test_times():
    assert seconds(0.0001).en == "1 ms"
    assert seconds(2.5).de == "2,5 s"


def test_facts_and_parameters_are_spelt_for_people():
    assert spelt([1000, 2.5]).de == "1.000; 2,5"
    assert spelt(["a", "b"]).de == "a, b"
    assert spelt({"en": "yes", "de": "ja"}).de == "ja"
    assert spelt({"lower": 3, "upper": None}).en == "lower: 3, upper: –"
    assert spelt(True).de == "ja"
    assert as_written({"year": 2020, "share": 0.05, "columns": ["a", "b"], "exact": False}) == (
        "year: 2020, share: 0.05, columns: a, b, exact: false"
    )
    assert as_written(()) == as_written(None) == as_written({}) == "–"
    assert (
        flat({"income": {"upper": {"limit": 5}}, "note": {"en": "a", "de": "b"}})[0][0]
        == "income · upper · limit"
    )
