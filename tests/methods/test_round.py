from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tarnkappe.data.column import MISSING, Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.errors.data import BaseTooFine, NotFinite, WrongKind
from tarnkappe.methods.microdata.round import Round
from tarnkappe.randomness import stream
from tarnkappe.spec.step import apply_step, broken_claims
from tarnkappe.testing import example_data
from tarnkappe.vocab import Kind


def rounded(values, base, state=None):
    data = Microdata({"x": Column.numbers_of(np.array(values), state)})
    return apply_step(Round(columns=("x",), base=base), data, stream("s")).column("x")


def nearest(x: Fraction, base: float) -> Fraction:
    """The definition, in exact arithmetic: the nearest multiple; half way, the even one. `round` of a fraction does that."""
    step = Fraction(repr(base))
    return round(x / step) * step


@pytest.mark.parametrize(
    ("values", "base", "wanted"),
    [
        ([14.9, 15.1, -14.9, 0.0], 10, [10, 20, -10, 0]),
        ([5.0, 15.0, 25.0, 35.0, -5.0, -15.0], 10, [0, 20, 20, 40, 0, -20]),
        ([0.29, 0.31, 0.7, 1.05, 1.15], 0.1, [0.3, 0.3, 0.7, 1.0, 1.2]),
        ([1234.567], 0.05, [1234.55]),
        ([2.0, 3.0], 2.5, [2.5, 2.5]),
        ([1e22, -1e-22], 1e20, [1e22, 0]),
        ([3.2e-20], 1e-20, [3e-20]),
    ],
)
def test_vectors(values, base, wanted):
    assert rounded(values, base).values.tolist() == wanted


def test_multiples_of_decimals_are_spelt_exactly():
    values = np.arange(0, 50, 0.1) + 0.004
    assert [repr(v) for v in rounded(values, 0.1).values.tolist()] == [repr(i / 10) for i in range(500)]


def test_zero_has_no_sign():
    assert not np.signbit(rounded([-0.3, -0.0, 0.2], 1.0).values).any()


@given(
    x=st.lists(st.floats(-1e9, 1e9, allow_subnormal=False), min_size=1, max_size=5),
    base=st.sampled_from([0.25, 0.5, 1.0, 3.0, 5.0, 7.5, 10.0, 1000.0]),
)
def test_agrees_with_exact_arithmetic(x, base):
    got = rounded(x, base).values
    for before, after in zip(x, got, strict=True):
        half = abs(Fraction(before) / Fraction(base) % 1 - Fraction(1, 2))
        assume(half == 0 or half > Fraction(1, 10**6))  # next to half way, a quotient may fall on either side
        assert after == float(nearest(Fraction(before), base))


@given(
    x=st.lists(st.decimals(-(10**6), 10**6, places=3), min_size=1, max_size=5),
    base=st.sampled_from([0.01, 0.1, 0.05, 0.3, 2.5, 12.8]),
)
def test_agrees_with_decimal_arithmetic(x, base):
    """Decimal numbers as people write them, half way included: 1.15 at the base 0.1 is 1.2."""
    got = rounded([float(v) for v in x], base).values
    assert got.tolist() == [float(nearest(Fraction(v), base)) for v in x]


@given(x=st.lists(st.integers(-(2**52) + 1, 2**52 - 1), min_size=1, max_size=5), base=st.integers(1, 10**6))
def test_whole_numbers_are_exact(x, base):
    got = rounded(x, base)
    assert got.kind is Kind.INTEGER
    assert got.values.tolist() == [round(Fraction(v, base)) * base for v in x]


def test_whole_numbers_at_a_broken_base_become_numbers():
    got = rounded([3, 4], 2.5)
    assert got.kind is Kind.NUMBER and got.values.tolist() == [2.5, 5.0]


def test_states_stay_and_the_value_below_is_rounded_too():
    data = example_data()
    after = apply_step(Round(columns=("income", "age"), base=100), data, stream("s"))
    for name in ("income", "age"):
        was, now = data.column(name), after.column(name)
        assert (now.suppressed == was.suppressed).all() and (now.missing == was.missing).all()
        assert (now.values[was.suppressed] % 100 == 0).all()


def test_what_stands_under_a_missing_cell_does_not_matter():
    state = np.array([0, MISSING], dtype=np.uint8)
    assert rounded([7, 2**62], 5, state).texts().tolist() == ["5", None]
    assert rounded([7.0, np.inf], 5, state).texts().tolist() == ["5.0", None]


def test_infinite_values_are_refused():
    with pytest.raises(NotFinite, match="1 infinite"):
        rounded([1.0, np.inf], 5)


@pytest.mark.parametrize(
    ("values", "base"),
    [
        ([1.0, 1e300], 5.0),
        ([1, 2**53], 10),
        ([1.0, 1.7e308], 9e307),
        ([3], 1e-20),
        ([2.0**43], 0.1),
        ([1.0, 1e300], 1e-10),
    ],
)
def test_values_too_large_for_the_base_are_refused(values, base):
    with pytest.raises(BaseTooFine, match=f"1 values.*record {len(values)}"):
        rounded(values, base)


def test_text_is_refused():
    with pytest.raises(WrongKind, match=r"microdata.round needs numbers"):
        Round(columns=("sex",), base=5).apply(example_data(), stream("s"))


@pytest.mark.parametrize("wrong", [[10.0, 21.0], [10.0, 30.0], [-0.0, 20.0], [np.nan, 20.0]])
def test_claims_see_wrong_results(wrong):
    data = Microdata({"x": Column.numbers_of(np.array([9.0, 21.0]))})
    after = data.with_columns({"x": Column.numbers_of(np.array(wrong))})
    assert broken_claims(Round(columns=("x",), base=10), data, after)


def test_claim_sees_a_whole_column_turned_into_numbers():
    data = Microdata({"x": Column.numbers_of(np.array([10]))})
    after = data.with_columns({"x": Column.numbers_of(np.array([10.0]))})
    assert [c.says.en for c in broken_claims(Round(columns=("x",), base=10), data, after)] == [
        "whole numbers stay whole"
    ]
    assert not broken_claims(Round(columns=("x",), base=2.5), data, after)


def test_tells_the_base():
    assert Round(columns=("income",), base=50).tells(example_data(), example_data())["base"] == 50


def test_the_record_is_that_of_the_original_file():
    data = Microdata({"x": Column.numbers_of(np.array([1.0, 2.0, 1e300]))}).take(np.array([1, 2]))
    with pytest.raises(BaseTooFine, match="record 3"):
        Round(columns=("x",), base=5).apply(data, stream("s"))
