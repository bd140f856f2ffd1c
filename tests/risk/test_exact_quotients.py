"""Whole numbers that quotients give back: by an attacker of its own, who has the released file only."""

from fractions import Fraction

import numpy as np
import pytest

from tarnkappe.data.column import Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.errors.data import BeforeNeeded, EmptyData
from tarnkappe.risk.exact_quotients import ExactQuotients

N = 200


def firms(seed=1):
    rng = np.random.default_rng(seed)
    return {
        "unit": np.repeat(np.arange(N // 2), 2),
        "turnover": np.rint(rng.lognormal(13, 1, N)),
        "employees": np.rint(rng.lognormal(4, 1, N)) + 1,
        "costs": np.rint(rng.lognormal(12, 1, N)) / 100,
    }


def file(**columns):
    made = {name: Column.numbers_of(np.asarray(v, float)) for name, v in columns.items()}
    return Microdata(made, {"identifier": ("unit",)} if "unit" in made else {})


def attacked(x, y):
    """The simplest fraction by Python's own search, from the released numbers alone."""
    found = [Fraction(a / b).limit_denominator(10**6) for a, b in zip(x, y, strict=True)]
    return [(f.numerator, f.denominator) for f in found]


def test_a_factor_that_two_columns_share_gives_both_back():
    true = firms()
    factor = np.random.default_rng(2).uniform(0.5, 1.5, N)
    shown = {**true, "turnover": true["turnover"] * factor, "employees": true["employees"] * factor}
    finding = ExactQuotients().measure(file(**shown), before=file(**true))
    pairs = list(zip(true["turnover"], true["employees"], strict=True))
    by_hand = [p == q for p, q in zip(attacked(shown["turnover"], shown["employees"]), pairs, strict=True)]
    assert finding.value == pytest.approx(np.mean(by_hand), abs=0.02)
    assert finding.value > 0.4
    assert finding.details["lowest_terms"] > 0.98
    assert finding.details["quotients"][0]["quotient"] == "turnover / employees"


def test_factors_of_their_own_and_numbers_that_were_not_changed_give_nothing():
    true = firms()
    rng = np.random.default_rng(3)
    apart = {name: true[name] * rng.uniform(0.5, 1.5, N) for name in ("turnover", "employees", "costs")}
    assert ExactQuotients().measure(file(**apart), before=file(**true)).value == 0
    assert ExactQuotients().measure(file(**true), before=file(**true)).value == 0


@pytest.mark.parametrize("scale", [1, 100])
def test_a_quotient_gives_both_terms_back_though_none_is_shown(scale):
    true = firms()
    shown = {"share": true["costs"] * scale / true["turnover"]}
    finding = ExactQuotients().measure(file(**shown), before=file(**true))
    assert finding.value > 0.3
    assert finding.details["quotients"][0]["quotient"] == "share"


def test_few_digits_give_nothing():
    true = firms()
    shown = {"share": np.round(true["costs"] / true["turnover"], 4)}
    assert ExactQuotients().measure(file(**shown), before=file(**true)).value == 0


def test_a_factor_of_a_unit_over_periods_gives_its_values_back():
    true = firms()
    factor = np.repeat(np.random.default_rng(4).uniform(0.5, 1.5, N // 2), 2)
    shown = file(unit=true["unit"], turnover=true["turnover"] * factor)
    assert ExactQuotients(columns=("turnover",)).measure(shown, before=file(**true)).value == 0
    finding = ExactQuotients(columns=("turnover",), unit=("unit",)).measure(shown, before=file(**true))
    assert finding.value > 0.2, "half of the records have one before them"


def test_amounts_in_hundreds_are_counted_in_hundreds():
    true = firms()
    true["turnover"] = np.rint(true["turnover"] / 100) * 100
    factor = np.random.default_rng(2).uniform(0.5, 1.5, N)
    shown = {name: true[name] * factor for name in ("turnover", "employees")}
    assert ExactQuotients().measure(file(**shown), before=file(**true)).value > 0.4


def test_gaps_zeros_and_broken_numbers_are_left_out():
    true = {"a": np.array([6.0, 0, np.nan, 8, 5.5, 9]), "b": np.array([7.0, 3, 4, 9, 2, 4])}
    shown = {name: v * 1.1 for name, v in true.items()}
    finding = ExactQuotients().measure(file(**shown), before=file(**true))
    assert finding.value == 0.5, (
        "12/7, 16/9 and 11/2 in halves; 18/4 has a common divisor, 0 and the gap have no quotient"
    )
    odd = {"a": np.sqrt(np.arange(2.0, 8)), "b": np.sqrt(np.arange(3.0, 9))}
    finding = ExactQuotients().measure(file(**odd), before=file(**odd))
    assert (finding.value, finding.trusted) == (0, False)


def test_what_is_needed_is_asked_for():
    with pytest.raises(BeforeNeeded):
        ExactQuotients().measure(file(a=[1.0]))
    with pytest.raises(EmptyData):
        ExactQuotients().measure(file(a=[]), before=file(a=[]))
