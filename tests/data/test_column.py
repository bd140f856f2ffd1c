"""One column: kinds, states, and what stands under a suppressed cell."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tarnkappe.data.column import BOOLEANS, MISSING, OBSERVED, SUPPRESSED, Column
from tarnkappe.vocab import Kind

STATES = st.sampled_from([0, 0, 0, 1, 2])


def states(*given):
    return np.array(given, dtype=np.uint8)


@st.composite
def columns(draw):
    """A column of any kind with any states."""
    n = draw(st.integers(0, 12))
    state = np.array(draw(st.lists(STATES, min_size=n, max_size=n)), dtype=np.uint8)
    kind = draw(st.sampled_from(Kind))
    if kind is Kind.CATEGORY:
        words = np.array(
            draw(st.lists(st.text(max_size=4), min_size=1, max_size=4, unique=True)), dtype=object
        )
        codes = np.array(
            draw(st.lists(st.integers(0, len(words) - 1), min_size=n, max_size=n)), dtype=np.uint8
        )
        return Column.coded(codes, words, state)
    if kind is Kind.BOOLEAN:
        values = np.array(draw(st.lists(st.integers(0, 1), min_size=n, max_size=n)), dtype=np.uint8)
        return Column(kind, values, state, BOOLEANS)
    whole = st.integers(-5, 5) | st.integers(-(2**31), 2**31 - 1)
    number = st.floats(allow_nan=False, width=64) if kind is Kind.NUMBER else whole
    dtype = {Kind.NUMBER: np.float64, Kind.DATE: np.int32}.get(kind, np.int64)
    if kind is Kind.DATE:
        number = st.integers(-100_000, 100_000)
    return Column(kind, np.array(draw(st.lists(number, min_size=n, max_size=n)), dtype=dtype), state)


# -- making -------------------------------------------------------------------------------------------------------------


def test_numbers():
    column = Column.numbers_of(np.array([1.5, np.nan, np.inf, -0.0]))
    assert column.kind is Kind.NUMBER
    assert column.missing.tolist() == [False, True, False, False]
    assert column.texts().tolist() == ["1.5", None, "inf", "0.0"]
    whole = Column.numbers_of(np.array([1, -2], dtype=np.int8))
    assert whole.kind is Kind.INTEGER
    assert whole.values.dtype == np.int64
    assert whole.state is None


def test_numbers_are_copied():
    values = np.array([1.0, 2.0])
    column = Column.numbers_of(values)
    values[0] = 9
    assert column.values[0] == 1


def test_texts():
    column = Column.texts_of(["b", None, "a", "b", ""])
    assert column.categories.tolist() == ["", "a", "b"]
    assert column.texts().tolist() == ["b", None, "a", "b", ""]
    assert column.missing.tolist() == [False, True, False, False, False]
    assert column.values.dtype == np.uint8


@pytest.mark.parametrize("texts", [[], [None], [None, None]])
def test_texts_of_nothing(texts):
    column = Column.texts_of(texts)
    assert len(column) == len(texts)
    assert column.categories.tolist() == []
    assert column.texts().tolist() == texts
    assert column.sealed().texts().tolist() == texts


@given(st.lists(st.none() | st.text(max_size=5), max_size=12))
def test_texts_come_back(texts):
    column = Column.texts_of(texts)
    assert column.texts().tolist() == texts
    assert list(column.sealed().categories) == sorted({t for t in texts if t is not None})


def test_many_categories_need_wider_codes():
    column = Column.texts_of([f"{i:05d}" for i in range(70_000)])
    assert column.values.dtype == np.uint32
    assert column.texts()[66_000] == "66000"


def test_a_category_needs_its_categories():
    for kind in (Kind.CATEGORY, Kind.BOOLEAN):
        with pytest.raises(TypeError):
            Column(kind, np.zeros(2, dtype=np.uint8))


def test_nothing_can_be_changed_in_place():
    column = Column.texts_of(["a", None])
    for array in (column.values, column.state, column.categories):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = array[0]
    with pytest.raises(AttributeError):
        column.kind = Kind.NUMBER


def test_states_that_say_nothing_are_dropped():
    assert Column(Kind.INTEGER, np.arange(3), states(0, 0, 0)).state is None


def test_a_column_does_not_print_its_values():
    assert "987654321" not in repr(Column.numbers_of(np.array([987654321])))
    assert "ZZMARKERZZ" not in repr(Column.texts_of(["ZZMARKERZZ"]))


# -- reading ------------------------------------------------------------------------------------------------------------


@given(columns())
def test_every_cell_is_in_one_state(column):
    together = column.observed.astype(int) + column.missing + column.suppressed
    assert (together == 1).all()


@given(columns())
def test_codes_tell_cells_apart_as_texts_do(column):
    codes, count = column.codes()
    true, same_count = column.true_codes()
    assert count == same_count
    assert (codes[column.missing] == -1).all()
    assert (codes[column.suppressed] == -2).all()
    assert (true[column.missing] == -1).all()
    assert ((true[~column.missing] >= 0) & (true[~column.missing] < max(count, 1))).all()
    assert np.array_equal(codes[column.observed], true[column.observed])
    texts = column.texts()
    spelt = column.distinct()
    for i in np.flatnonzero(column.observed):
        assert spelt[true[i]] == texts[i]
    assert all(texts[i] is None for i in np.flatnonzero(~column.observed))


@given(columns())
def test_numbers_hide_what_is_not_observed(column):
    numbers = column.numbers()
    assert np.isnan(numbers[~column.observed]).all()
    assert np.array_equal(numbers[column.observed], column.values[column.observed].astype(float))


def test_dates_are_spelt():
    day = Column(Kind.DATE, np.array([0, 19_723, -1], dtype=np.int32))
    assert day.texts().tolist() == ["1970-01-01", "2024-01-01", "1969-12-31"]
    instant = Column(Kind.DATETIME, np.array([0, 1_500_000]))
    assert instant.texts().tolist() == ["1970-01-01T00:00:00.000000", "1970-01-01T00:00:01.500000"]


def test_booleans_are_spelt():
    assert Column(Kind.BOOLEAN, states(1, 0, 1), states(0, 0, 1), BOOLEANS).texts().tolist() == [
        "true",
        "false",
        None,
    ]


# -- changing -----------------------------------------------------------------------------------------------------------


def test_suppressing():
    column = Column.numbers_of(np.array([1.0, np.nan, 3.0]))
    hidden = column.suppress(np.array([True, True, False]))
    assert hidden.state.tolist() == [SUPPRESSED, MISSING, OBSERVED], "what was missing stays missing"
    assert hidden.true_codes()[0].tolist()[0] >= 0, "the true value is still known to the office"
    assert column.suppressed.sum() == 0, "the old column is as it was"


@given(columns(), st.data())
def test_suppressing_never_brings_back(column, data):
    cells = np.array(
        data.draw(st.lists(st.booleans(), min_size=len(column), max_size=len(column))), dtype=bool
    )
    after = column.suppress(cells)
    assert np.array_equal(after.missing, column.missing)
    assert not np.any(after.observed & ~column.observed)
    assert np.array_equal(after.suppressed, column.suppressed | (cells & column.observed))
    assert np.array_equal(after.suppress(cells).suppressed, after.suppressed)


@given(columns(), st.data())
def test_taking(column, data):
    n = len(column)
    if n:
        positions = np.array(data.draw(st.lists(st.integers(0, n - 1), max_size=8)), dtype=np.int64)
    else:
        positions = np.zeros(0, dtype=np.int64)
    taken = column.take(positions)
    assert taken.texts().tolist() == column.texts()[positions].tolist()
    assert np.array_equal(taken.suppressed, column.suppressed[positions])
    mask = column.observed
    assert column.take(mask).observed.all()


def test_new_numbers_stay_whole_if_all_are():
    column = Column(Kind.INTEGER, np.array([1, 2, 3]), states(0, 1, 2))
    same = column.with_numbers(np.array([7.0, np.nan, np.nan]))
    assert same.kind is Kind.INTEGER
    assert same.values.tolist() == [7, 2, 3], "cells that are not observed keep what stands under them"
    assert same.state.tolist() == [0, 1, 2]
    assert column.with_numbers(np.array([7.5, 0, 0])).kind is Kind.NUMBER
    assert column.with_numbers(np.array([1e300, 0, 0])).kind is Kind.NUMBER, "too large to be whole"
    assert column.with_numbers(np.array([np.inf, 0, 0])).kind is Kind.NUMBER


@pytest.mark.parametrize("value", [2.0**53, -(2.0**61), 0.0, -0.0, 12345678901.0])
def test_whole_numbers_are_kept_exactly(value):
    column = Column.numbers_of(np.array([1])).with_numbers(np.array([value]))
    assert column.kind is Kind.INTEGER
    assert int(column.values[0]) == int(value)


def test_numbers_stay_numbers():
    column = Column.numbers_of(np.array([1.5, np.nan]))
    after = column.with_numbers(np.array([2.0, 5.0]))
    assert after.kind is Kind.NUMBER
    assert after.missing.tolist() == [False, True]
    assert after.numbers()[0] == 2


def test_new_codes_keep_the_states():
    column = Column(Kind.INTEGER, np.array([31, 42, 53]), states(0, 1, 2), value_labels={"31": "old"})
    banded = column.with_codes(np.array([0, 0, 1]), np.array(["30-39", "50-59"], object))
    assert banded.kind is Kind.CATEGORY
    assert banded.texts().tolist() == ["30-39", None, None]
    assert banded.value_labels == {}, "labels of the old values mean nothing for the new ones"


# -- sealing ------------------------------------------------------------------------------------------------------------


@given(columns())
@settings(max_examples=200)
def test_sealing_wipes_what_is_not_observed(column):
    sealed = column.sealed()
    assert sealed.texts().tolist() == column.texts().tolist()
    assert np.array_equal(sealed.missing, column.missing)
    assert np.array_equal(sealed.suppressed, column.suppressed)
    hidden = sealed.values[~sealed.observed]
    assert len(set(hidden.tolist()) - {0}) == 0 or np.isnan(hidden).all()
    if column.kind is Kind.CATEGORY:
        shown = {t for t in column.texts() if t is not None}
        assert set(sealed.categories) == shown, "a category that only hidden cells had must go"
        assert list(sealed.categories) == [c for c in column.categories if c in shown], "in the old order"
    assert sealed.sealed().texts().tolist() == sealed.texts().tolist()


def test_sealing_leaves_the_office_its_column():
    column = Column.texts_of(["shown", "hidden"]).suppress(np.array([False, True]))
    column.sealed()
    assert "hidden" in column.categories


def test_sealing_takes_the_labels_of_hidden_values_away():
    """A label names its value: of a suppressed cell it would tell what stood there."""
    category = Column.texts_of(["1", "2"], value_labels={"1": "well", "2": "HIV", "3": "not in the file"})
    sealed = category.suppress(np.array([False, True])).sealed()
    assert dict(sealed.value_labels) == {"1": "well"}
    whole = Column.numbers_of(np.array([1, 2]), value_labels={"1": "well", "2": "HIV"})
    assert dict(whole.suppress(np.array([False, True])).sealed().value_labels) == {"1": "well"}
    assert dict(whole.sealed().value_labels) == {"1": "well", "2": "HIV"}


def test_memory_is_that_of_the_codes():
    column = Column.texts_of(["a", "b"] * 500)
    assert column.nbytes == 1000
    assert column.suppress(np.arange(1000) < 1).nbytes == 2000
