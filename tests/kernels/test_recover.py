"""Formulas that give a dropped column back."""

import numpy as np
import pytest

from tarnkappe.kernels.recover import recovered

RNG = np.random.default_rng(5)
A, B, C = (np.exp(RNG.normal(3, 1, 200)) for _ in range(3))


@pytest.mark.parametrize(
    ("target", "others", "kind", "columns"),
    [
        (A, [B, A + B], "linear", {0, 1}),
        (A, [C, 2.5 * A - 7], "linear", {1}),
        (A, [C, B, A / B], "product", {1, 2}),
        (A, [A * B, C, B], "quotient", {0, 2}),
        (A, [np.round(A * B, 3), B], "quotient", {0, 1}),
        (1e200 * A, [B, A / B], "product", {0, 1}),
    ],
)
def test_what_can_be_computed_is_found(target, others, kind, columns):
    found = recovered(target, np.column_stack(others))
    assert found is not None
    assert (found.kind, set(found.columns)) == (kind, columns)


@pytest.mark.parametrize(
    ("target", "others"),
    [
        (A, [B, C]),
        (A, [A * RNG.uniform(0.8, 1.2, 200), B]),
        (A, [A * RNG.uniform(0.98, 1.02, 200), B]),
        (A, [A + B, C]),
        (np.full(200, 3.0), [B]),
        (A[:5], [B[:5], C[:5]]),
        (np.full(200, np.nan), [B]),
        (A, [np.zeros(200), np.full(200, np.nan)]),
    ],
)
def test_what_cannot_is_not(target, others):
    assert recovered(target, np.column_stack(others)) is None


def test_no_other_columns():
    assert recovered(A, np.zeros((200, 0))) is None


EVEN = np.arange(200) % 2 == 0
GAPS = [
    np.full(200, np.nan),
    np.where(EVEN, RNG.normal(size=200), np.nan),
    np.where(EVEN, np.nan, RNG.normal(size=200)),
]


@pytest.mark.parametrize(
    ("others", "kind", "columns"),
    [
        ([B, A + B, *GAPS], "linear", {0, 1}),
        ([*GAPS, B, A / B], "product", {3, 4}),
        ([B, np.where(EVEN, A + B, np.nan), *GAPS], "linear", {0, 1}),
        (
            [np.where(EVEN, A * B, np.nan), np.where(np.arange(200) < 60, B, np.nan), *GAPS],
            "quotient",
            {0, 1},
        ),
    ],
)
def test_columns_with_gaps_hide_no_formula(others, kind, columns):
    """Also where no record has all columns, or only some have those of the formula."""
    found = recovered(A, np.column_stack(others))
    assert found is not None
    assert (found.kind, set(found.columns)) == (kind, columns)


def test_a_few_records_that_fit_by_chance_are_no_formula():
    """A column that is there in ten records, and zeros in all but one of them."""
    few = np.where(np.arange(200) < 10, (np.arange(200) == 3) * 5.0, np.nan)
    assert recovered((np.arange(200) == 3) * 2.0 + (np.arange(200) >= 10) * A, few[:, None]) is None


def test_quotients_beyond_all_numbers_are_no_formula():
    """A third of the values is as small as numbers are: a large value over such a one is infinite, and nothing warns."""
    draw = np.random.default_rng(3)
    values = np.where(np.arange(120) % 3 == 0, 2.3e-308, 1.0) * draw.lognormal(size=120)
    target, *others = (values[draw.permutation(120)] for _ in range(3))
    assert recovered(target, np.stack(others, axis=1)) is None
