"""Numbers below the smallest one that has all its digits are refused in one place, for every method."""

import sys

import numpy as np
import pytest

from tarnkappe.data.column import MISSING, OBSERVED, SUPPRESSED, Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.errors.calibration import WeightNotPositive
from tarnkappe.errors.data import TooNearZero
from tarnkappe.randomness import public_stream as stream
from tarnkappe.spec import catalogue
from tarnkappe.spec.step import apply_step
from tarnkappe.vocab import Role

N = 24


def data(x, state=None, w=None):
    columns = {"x": Column.numbers_of(x, state), "z": Column.numbers_of(np.arange(N) + 0.5)}
    weights = {} if w is None else {"w": Column.numbers_of(w)}
    return Microdata(columns | weights, {Role.WEIGHT: tuple(weights)})


def step(use, given, **parameters):
    method = catalogue[f"microdata.{use}"](**parameters)
    return apply_step(method, given, stream("a secret that is long enough", method.id))


def averaged(given, **parameters):
    return step("rank-average", given, columns=("x",), k=3, **parameters)


def test_zero_and_the_smallest_number_with_all_digits_are_numbers_like_others():
    x = np.where(np.arange(N) % 2 == 0, 0.0, sys.float_info.min * (1 + np.arange(N)))
    assert averaged(data(x)).column("x").numbers().sum() == pytest.approx(x.sum(), rel=1e-12)
    assert np.array_equal(averaged(data(-np.zeros(N))).column("x").numbers(), np.zeros(N))


@pytest.mark.parametrize("small", [5e-324, -1e-310, np.nextafter(sys.float_info.min, 0)])
def test_smaller_ones_are_refused_with_their_number_and_place(small):
    x = 1.0 + np.arange(N)
    x[[4, 7]] = small
    with pytest.raises(TooNearZero) as refused:
        averaged(data(x).take(np.arange(N)[2:]))
    assert {n: refused.value.facts[n] for n in ("name", "count", "first")} == {
        "name": "x",
        "count": 2,
        "first": 5,
    }
    assert "e-3" not in str(refused.value).replace("2.2e-308", "")


def test_what_is_missing_does_not_count_what_is_suppressed_does():
    x, first = 1.0 + np.arange(N), np.arange(N) == 0
    x[0] = 5e-324
    averaged(data(x, np.where(first, MISSING, OBSERVED)))
    with pytest.raises(TooNearZero):
        averaged(data(x, np.where(first, SUPPRESSED, OBSERVED)))


def test_columns_that_are_not_treated_may_hold_them_and_can_be_dropped():
    x = 5e-324 * (1 + np.arange(N))
    assert step("drop", data(x), columns=("x",)).names == ("z",)
    assert np.array_equal(step("rank-average", data(x), columns=("z",), k=3).column("x").numbers(), x)


def test_weights_must_have_their_digits_too():
    for w in (np.full(N, 1e-310), np.where(np.arange(N) == 3, 1e-10, 1e290)):
        with pytest.raises(WeightNotPositive):
            averaged(data(1.0 + np.arange(N), w=w), weighted=True)


@pytest.mark.parametrize("grouping", ["fixed", "records"])
@pytest.mark.parametrize("small", [1e-8, 1e-20, 1e-100, 1e-280])
def test_weights_that_are_lost_beside_others_keep_weighted_moments(grouping, small):
    """The part of a group with hardly any weight gets the value that keeps the variance; its weight is not a difference."""
    draw = np.random.default_rng(4)
    x, w = draw.normal(size=N), np.where(np.arange(N) % 3 == 0, 1.0, small)
    columns = ("x",) if grouping == "fixed" else ("x", "z")
    done = step(
        "spread-average", data(x, w=w), columns=columns, k=4, grouping=grouping, signs="free", weighted=True
    )
    y = done.column("x").numbers()
    mean, now = np.average(x, weights=w), np.average(y, weights=w)
    assert now == pytest.approx(mean, abs=1e-12)
    assert np.average((y - mean) ** 2, weights=w) == pytest.approx(np.average((x - mean) ** 2, weights=w))
