"""Rounding: spec/tables-wettig.md 18.5 (TV-16, TV-16b, TV-17, TV-18), base 5."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from reference.flat import flat_table
from reference.originals import all_tables
from tarnkappe.attack.rounded import attacked, before_nearest
from tarnkappe.data.pattern import Pattern, Status
from tarnkappe.errors.release import Unattainable
from tarnkappe.kernels.rounding import loss, nearest, split, unbiased
from tarnkappe.methods.tables.drawing import draws
from tarnkappe.methods.tables.round_conventional import RoundConventional
from tarnkappe.methods.tables.round_random import RoundRandom
from tarnkappe.randomness import public_stream as stream

TABLE_7A = np.array([[1, 4, 0, 15], [15, 10, 10, 20], [2, 10, 10, 3], [2, 6, 15, 12]])
CONVENTIONAL = np.array([[0, 5, 0, 15], [15, 10, 10, 20], [0, 10, 10, 5], [0, 5, 15, 10]])
PRINTED_RANDOM = np.array([[0, 0, 0, 15], [15, 10, 10, 20], [0, 10, 10, 5], [0, 10, 15, 15]])


def inner(pattern):
    return pattern.shown[pattern.table.inner].reshape(4, 4)


def test_table_7a_is_additive():
    """L820-824."""
    value = flat_table(TABLE_7A).value.reshape(5, 5)
    assert value[1:, 0].tolist() == [20, 55, 25, 35]
    assert value[0].tolist() == [135, 20, 30, 35, 50]


@pytest.mark.parametrize("margins", ["round", "exact"])
def test_tv_16_conventional(margins):
    """L840-852: margins unchanged, L = 11, row 4 and column 1 no longer add up."""
    table = flat_table(TABLE_7A)
    method = RoundConventional(base=5, margins=margins)
    shown = np.where(table.inner, nearest(table.value, 5), table.value)
    assert (shown[table.inner].reshape(4, 4) == CONVENTIONAL).all()
    if margins == "round":
        after = method.protect(Pattern(table), stream("s"))
        assert (inner(after) == CONVENTIONAL).all()
        assert (after.shown[~table.inner] == table.value[~table.inner]).all()
        assert loss(table.value, after.shown) == 11
        assert after.reasons[-1].en.endswith("information loss 11")
    assert CONVENTIONAL[3].sum() == 30
    assert CONVENTIONAL[:, 0].sum() == 15


def test_tv_16_random_outcome():
    """L883-895: the printed outcome has L = 18 and the probability 216/78125."""
    assert np.abs(PRINTED_RANDOM - TABLE_7A).sum() == 18
    probability = Fraction(1)
    for n, shown in zip(TABLE_7A.reshape(-1).tolist(), PRINTED_RANDOM.reshape(-1).tolist(), strict=True):
        r = n % 5
        probability *= Fraction(r, 5) if shown > n else Fraction(5 - r, 5)
    assert probability == Fraction(216, 78125)
    # numbers u that lead to it: just below the share of the remainder for up, at it for down
    r = (TABLE_7A % 5).reshape(-1).astype(float)
    up = (PRINTED_RANDOM > TABLE_7A).reshape(-1)
    u = np.where(up, r / 5 - 0.01, r / 5)
    assert (unbiased(TABLE_7A.reshape(-1).astype(float), 5, u) == PRINTED_RANDOM.reshape(-1)).all()


def test_tv_16_random_outcome_comes_as_often_as_computed():
    """Seven cells are not multiples; over many secrets each goes up with its own share."""
    table = flat_table(TABLE_7A)
    n = 1500
    method = RoundRandom()
    ups = np.zeros((4, 4))
    for i in range(n):
        drawn = draws(table, stream(f"s{i}"), method.id, lasting=True)
        ups += (unbiased(table.value, 5, drawn) > table.value)[table.inner].reshape(4, 4)
    share = TABLE_7A % 5 / 5
    assert (np.abs(ups / n - share) <= 4 * np.sqrt(share * (1 - share) / n) + 1e-12).all()
    assert (share[share > 0]).size == 7


def test_tv_16b_parts_of_83():
    """L816: h = 16, r = 3, result 80 or 85."""
    down, r = split(np.array([83.0]), 5)
    assert (down[0] / 5, r[0]) == (16, 3)
    assert {unbiased(np.array([83.0]), 5, np.array([u]))[0] for u in (0.0, 0.59, 0.6, 0.99)} == {80, 85}


def test_tv_17_zeros_that_are_not_safe():
    """L856-866: published 0 0 | 4; 0 0 | 4; 4 4 | 8 has the one original 2, 2, 2, 2."""
    table = flat_table([[2, 2], [2, 2]])
    shown = np.where(table.inner, 0.0, table.value)
    pattern = replace(
        Pattern(table),
        status=np.where(table.inner, np.uint8(Status.ROUNDED), np.uint8(Status.OPEN)),
        shown=shown,
    )
    low, high = attacked(pattern, before_nearest(pattern, 5), np.full(9, np.inf))
    assert (low == table.value).all()
    assert (high == table.value).all()

    tried = all_tables((2, 2), 4)
    fits = np.where(table.inner, nearest(tried, 5) == 0, tried == table.value).all(axis=1)
    assert tried[fits].tolist() == [table.value.tolist()]
    with pytest.raises(Unattainable):
        RoundConventional(base=5, margins="exact").protect(Pattern(table), stream("s"))


@pytest.mark.parametrize("digit", range(6))
def test_tv_18_probabilities_of_the_last_digit(digit):
    """L872-879: down with 1, 4/5, 3/5, 2/5, 1/5, 0 (5 itself is a multiple); right on average."""
    u = (np.arange(1000) + 0.5) / 1000
    shown = unbiased(np.full(1000, 70.0 + digit), 5, u)
    assert shown.mean() == pytest.approx(70 + digit)
    if digit < 5:
        assert (shown == 70).mean() == pytest.approx((5 - digit) / 5)
