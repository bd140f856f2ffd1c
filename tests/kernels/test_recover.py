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
