from datetime import date, datetime

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tarnkappe.io.parsing import infer, parse, shows_decimal_comma, unfit
from tarnkappe.vocab import Kind

WHOLE, NUMBER, TEXT, YES, DAY, INSTANT = (
    pl.Int64,
    pl.Float64,
    pl.String,
    pl.Boolean,
    pl.Date,
    pl.Datetime("us"),
)


def series(*texts):
    return pl.Series(list(texts), dtype=pl.String)


@pytest.mark.parametrize(
    ("texts", "kind", "values"),
    [
        (["1", "-20", None, "0"], WHOLE, [1, -20, None, 0]),
        ([" 1", "2 ", "  ", ""], WHOLE, [1, 2, None, None]),
        (["9223372036854775807", "-9223372036854775808"], WHOLE, [2**63 - 1, -(2**63)]),
        (["9223372036854775808", "1"], TEXT, None),  # a float would round it
        (["01067", "10115"], TEXT, None),
        (["+49", "1"], TEXT, None),
        (["1 000", "2"], TEXT, None),
        (["1_000", "2"], TEXT, None),
        (["١", "٢"], TEXT, None),  # digits, but not ours
        (["1.5", "2", "-.5", "5."], NUMBER, [1.5, 2.0, -0.5, 5.0]),
        (["1e5", "1E-3", "-2e+2"], NUMBER, [1e5, 1e-3, -200.0]),
        (["-0", "1"], NUMBER, [-0.0, 1.0]),
        (["1e999", "1"], TEXT, None),
        (["00.5"], TEXT, None),
        (["1,5"], TEXT, None),
        (["inf", "-Infinity", "1"], NUMBER, [float("inf"), float("-inf"), 1.0]),
        (["inf", "nan"], TEXT, None),  # without a digit they are words
        (["2026-12-31", None, ""], DAY, [date(2026, 12, 31), None, None]),
        (["31.12.2026", "1.2.2020"], DAY, [date(2026, 12, 31), date(2020, 2, 1)]),
        (["2026-02-30"], TEXT, None),
        (["30.02.2026"], TEXT, None),
        (["2026-12-31", "31.12.2026"], TEXT, None),
        (["31.12.26"], TEXT, None),
        (["0000-01-01"], TEXT, None),
        (["2026-12-31 23:59", "2026-12-31T23:59:58.25"], INSTANT,
         [datetime(2026, 12, 31, 23, 59), datetime(2026, 12, 31, 23, 59, 58, 250_000)]),
        (["2026-12-31T23:00:00Z", "2027-01-01T01:00+02:00", "2026-12-31T21:30:00.5-0130"], INSTANT,
         [datetime(2026, 12, 31, 23), datetime(2026, 12, 31, 23), datetime(2026, 12, 31, 23, 0, 0, 500_000)]),
        (["2026-12-31T23:00Z", "2026-12-31T23:00"], TEXT, None),  # one with a zone, one without
        (["2026-12-31T24:00"], TEXT, None),
        (["2026-12-31T23:59:60"], TEXT, None),
        (["true", "FALSE", None], YES, [True, False, None]),
        (["true", "1"], TEXT, None),
        (["yes", "no"], TEXT, None),
        (["", "  "], TEXT, None),
        ([None, None], TEXT, None),
        ([], TEXT, None),
        (["1", "x"], TEXT, None),
        (["1\n", "2"], TEXT, None),
    ],
)  # fmt: skip
def test_the_kind_is_what_all_values_are(texts, kind, values):
    found = infer(series(*texts))
    assert found.dtype == kind
    assert found.to_list() == (texts if values is None else values)
    assert [str(v) for v in found.to_list()] == [
        str(v) for v in (texts if values is None else values)
    ]  # -0.0


def test_nan_is_a_number_to_be_missing_later():
    found = infer(series("NaN", "1"))
    assert found.dtype == NUMBER
    assert found.is_nan().to_list() == [True, False]


def test_one_odd_value_far_down_makes_text():
    assert infer(series(*["1"] * 5000, "x")).dtype == TEXT
    assert infer(series(*["1"] * 5000, "1.5")).dtype == NUMBER
    assert infer(series(*["1"] * 5000, "01")).dtype == TEXT


@pytest.mark.parametrize(
    ("texts", "kind", "values"),
    [
        (["1,5", "1.234,56", "12"], NUMBER, [1.5, 1234.56, 12.0]),
        (["1.234", "12", "-1.234.567"], WHOLE, [1234, 12, -1234567]),
        (["12.5", "1.0"], NUMBER, [12.5, 1.0]),  # no thousand is written so
        (["1.23,4"], TEXT, None),
        (["31.12.2026"], DAY, [date(2026, 12, 31)]),
        ([",5", "1,5e3"], NUMBER, [0.5, 1500.0]),
    ],
)
def test_where_the_comma_is_proven_the_point_groups_thousands(texts, kind, values):
    found = infer(series(*texts), (",", "."))
    assert found.dtype == kind
    assert found.to_list() == (texts if values is None else values)


@pytest.mark.parametrize(
    ("texts", "answer"),
    [
        (["1,5", "2"], True), (["1.234,5"], True), (["1,234", "5,678"], False), (["1,234", "5,6"], True),
        (["1", "2"], False), (["1.5"], False), (["a,b"], False), ([None], False), (["", "1,5"], True), ([], False),
    ],
)  # fmt: skip
def test_a_decimal_comma_must_be_beyond_doubt(texts, answer):
    assert shows_decimal_comma(series(*texts)) is answer


@pytest.mark.parametrize(
    ("kind", "decimal", "texts", "values"),
    [
        (Kind.INTEGER, ".", ["007", " +5", "5.0", "5.", "-3"], [7, 5, 5, 5, -3]),
        (Kind.INTEGER, ".", ["5.5", "x", "99999999999999999999", "1e3"], [None] * 4),
        (Kind.INTEGER, ",", ["1.234", "5,0", "1.5"], [1234, 5, None]),
        (Kind.NUMBER, ",", ["1,5", "1.234,5", "1.5", "+3", "01"], [1.5, 1234.5, None, 3.0, 1.0]),
        (Kind.NUMBER, ".", ["1,5", "1.5", "0x10"], [None, 1.5, None]),
        (Kind.BOOLEAN, ".", ["1", "0", "True", "1.0", "2", "yes"], [True, False, True, True, None, None]),
        (Kind.DATE, ".", ["2020-01-02", "2.1.2020", "2020-01-02T00:00:00.000000", "2020-01-02 05:00", "x"],
         [date(2020, 1, 2)] * 3 + [None, None]),
        (Kind.DATETIME, ".", ["2020-01-02", "2020-01-02T03:04Z", "2020-01-02 03:04", "x"],
         [datetime(2020, 1, 2), datetime(2020, 1, 2, 3, 4), datetime(2020, 1, 2, 3, 4), None]),
        (Kind.CATEGORY, ".", ["1", " x"], ["1", " x"]),
    ],
)  # fmt: skip
def test_a_kind_that_is_asked_for_is_read_generously_but_never_wrongly(kind, decimal, texts, values):
    parsed = parse(series(*texts), kind, decimal)
    assert parsed.to_list() == values
    assert unfit(series(*texts), parsed).to_list() == [value is None for value in values]


def test_blank_text_is_missing_and_a_number_out_of_range_does_not_fit():
    texts = series("", "  ", None, "1e999", "inf", "nan")
    assert unfit(texts, parse(texts, Kind.NUMBER)).to_list() == [False, False, False, True, False, False]


@given(st.lists(st.floats(allow_nan=False), min_size=1).map(lambda x: [*x, 0.5]))
def test_floats_survive_their_spelling(values):
    found = infer(series(*[repr(v) for v in values]))
    assert found.dtype == NUMBER
    assert [repr(v) for v in found.to_list()] == [repr(v) for v in values]


@given(st.lists(st.integers(-(2**63), 2**63 - 1), min_size=1))
def test_whole_numbers_survive_their_spelling(values):
    assert infer(series(*[str(v) for v in values])).to_list() == values


@given(st.lists(st.text(max_size=8)))
def test_no_text_breaks_the_inference(texts):
    assert len(infer(series(*texts), (",", "."))) == len(texts)
