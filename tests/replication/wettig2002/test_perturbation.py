"""Random perturbation: spec/tables-wettig.md 18.6 (TV-19)."""

from fractions import Fraction

import numpy as np
import pytest

from reference.flat import flat_table
from tarnkappe.kernels.rounding import loss, netted_loss
from tarnkappe.methods.tables.perturb import Perturb

X = np.array([[1, 3, 4], [5, 2, 2], [7, 9, 8]])
NOISE = np.array([[-2, -1, 0], [-1, 0, 1], [0, 1, 2]])
RESULT = np.array([[0, 2, 4], [4, 2, 3], [7, 10, 10]])
MIDDLE = {-2: 0.05, -1: 0.2, 0: 0.5, 1: 0.8, 2: 0.95}
"""A number in [0, 1) that draws each offset from ninths 1, 2, 3, 2, 1."""


def test_default_noise_has_mean_zero_and_variance_four_thirds():
    noise = Perturb().noise
    whole = sum(noise.values())
    assert {e: Fraction(p, whole) for e, p in noise.items()} == {
        -2: Fraction(1, 9), -1: Fraction(2, 9), 0: Fraction(3, 9), 1: Fraction(2, 9), 2: Fraction(1, 9),
    }  # fmt: skip
    assert sum(e * p for e, p in noise.items()) == 0
    assert Fraction(sum(e * e * p for e, p in noise.items()), whole) == Fraction(4, 3)


def test_tv_19_printed_result():
    """L962-985: cell (1,1) would be -1 and is set to 0; totals as they are."""
    table = flat_table(X)
    assert table.value.reshape(4, 4)[:, 0].tolist() == [41, 8, 9, 24]
    u = np.full(len(table), 0.5)
    u[table.inner] = [MIDDLE[e] for e in NOISE.reshape(-1)]
    shown = np.where(table.inner, Perturb().noisy(table, u), table.value)
    assert (shown[table.inner].reshape(3, 3) == RESULT).all()


def test_tv_19_losses():
    """Double sum 7; the printed formula, which nets errors in a row, gives 5."""
    value, shown = X.reshape(-1).astype(float), RESULT.reshape(-1).astype(float)
    assert loss(value, shown) == 7
    assert netted_loss(value, shown, np.repeat(np.arange(3), 3)) == 5


def test_cutting_off_raises_a_one_to_ten_ninths():
    """Section 13 of the specification: for X = 1, E[X′] = 10/9; limited noise keeps it at 1."""
    table = flat_table(np.ones(90_000))
    u = (np.arange(len(table)) + 0.5) / len(table)
    assert Perturb(clip="zero").noisy(table, u)[1:].mean() == pytest.approx(10 / 9, abs=1e-3)
    assert Perturb(clip="unbiased").noisy(table, u)[1:].mean() == pytest.approx(1, abs=1e-3)
