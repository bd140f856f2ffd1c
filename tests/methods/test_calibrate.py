"""Weights adjusted to totals."""

import numpy as np
import pytest

from tarnkappe import catalogue
from tarnkappe.data.column import MISSING, Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.errors.calibration import (
    TotalsApart,
    TotalsOutOfReach,
    TotalUnknown,
    WeightNotPositive,
    WeightsTooFar,
)
from tarnkappe.errors.release import ParameterWrong
from tarnkappe.randomness import public_stream as stream
from tarnkappe.spec.step import apply_step
from tarnkappe.vocab import Kind, Role

Calibrate = catalogue["microdata.calibrate"]
SEXES = ["m", "f", "f", "m", None, "f"]


def people(weights=(1.0, 1, 1, 1, 1, 1)):
    columns = {
        "sex": Column.texts_of(SEXES),
        "pay": Column(Kind.NUMBER, np.array([10.0, 20, 30, 40, np.nan, 60]), np.array([0, 0, 0, 0, MISSING, 0], dtype=np.uint8)),
        "w": Column(Kind.NUMBER, np.asarray(weights, dtype=float)),
    }  # fmt: skip
    return Microdata(columns, {Role.WEIGHT: ("w",)})


def after(data, **parameters):
    return apply_step(Calibrate(weight="w", **parameters), data, stream("for tests only")).column("w").values


def test_counts_by_value():
    got = after(people(), totals={"sex": {"m": 4, "f": 9}})
    np.testing.assert_allclose(got, [2, 3, 3, 2, 1, 3])


def test_gaps_have_a_total_of_their_own():
    assert after(people(), totals={"sex": {"m": 4, "f": 9, "": 5}})[4] == pytest.approx(5)


def test_a_sum_and_its_gaps():
    got = after(people(), totals={"pay": 200.0})
    assert got @ np.array([10, 20, 30, 40, 0, 60]) == pytest.approx(200)
    assert got[4] == 1


def test_both_together():
    got = after(people(), totals={"sex": {"m": 4, "f": 9}, "pay": 420.0})
    assert got[[0, 3]].sum() == pytest.approx(4)
    assert got[[1, 2, 5]].sum() == pytest.approx(9)
    assert got @ np.array([10, 20, 30, 40, 0, 60]) == pytest.approx(420)


@pytest.mark.parametrize(
    ("parameters", "error"),
    [
        ({"totals": {"sex": {"m": 4}}}, TotalUnknown),
        ({"totals": {"sex": {"m": 4, "f": 9, "x": 1}}}, TotalsOutOfReach),
        ({"totals": {"pay": -1.0}}, TotalsOutOfReach),
        ({"totals": {"sex": {"m": 4, "f": 400}}, "at_most": 10}, WeightsTooFar),
    ],
)
def test_what_cannot_be_is_told(parameters, error):
    with pytest.raises(error):
        after(people(), **parameters)


def test_margins_of_everybody_agree():
    data = people().with_columns({"again": Column.texts_of(SEXES)})
    totals = {"sex": {"m": 4, "f": 9, "": 1}, "again": {"m": 4, "f": 9, "": 2}}
    with pytest.raises(TotalsApart):
        after(data, totals=totals)


@pytest.mark.parametrize("weight", [0.0, -1.0, np.nan])
def test_weights_are_positive(weight):
    with pytest.raises(WeightNotPositive):
        after(people((1, 1, weight, 1, 1, 1)), totals={"pay": 100.0})


def test_the_weight_itself_has_no_total():
    with pytest.raises(ParameterWrong, match="must not name the weight"):
        Calibrate(weight="w", totals={"w": 10.0})


def test_sums_near_the_largest_number_are_met_or_refused():
    pay = np.array([1.0, 2, 3, 4, 5, 6])
    data = people().with_columns({"pay": Column(Kind.NUMBER, 1e300 * pay)})
    np.testing.assert_allclose(after(data, totals={"pay": 42e300}) @ pay, 42.0)
    wild = np.array([1e300, -1e300, 1e-300, 1.0, 1.7e308, 1.0])
    with pytest.raises(TotalsOutOfReach):
        after(people((10.0,) * 6).with_columns({"pay": Column(Kind.NUMBER, wild)}), totals={"pay": 10.0})
