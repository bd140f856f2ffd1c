"""Found and learnt: the chance of being found by keys, weighed with the numbers that are learnt then."""

from __future__ import annotations

import numpy as np
import pytest

from tarnkappe.data.column import Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.errors.data import BeforeNeeded
from tarnkappe.risk.found_and_learnt import FoundAndLearnt
from tarnkappe.vocab import Role

KEYS = ["a"] * 2 + ["b"] * 4 + ["c"]
TRUE = np.array([10.0, 20.0, 30.0, 40.0, 50.0, 60.0, 70.0])


def file(numbers, keys=KEYS) -> Microdata:
    columns = {"k": Column.texts_of(keys), "x": Column.numbers_of(np.asarray(numbers, dtype=np.float64))}
    return Microdata(columns, roles={Role.KEY: ("k",), Role.NUMERIC: ("x",)})


def test_by_hand():
    """(1/f)(1 + d)/2 with f = 2, 2, 4, 4, 4, 4, 1; the interval is 10 % of the released value."""
    shown = TRUE * np.array([1.0, 1.5, 1.05, 2.0, 1.0, 0.5, 2.0])
    learnt = np.array([1, 0, 1, 0, 1, 0, 0])
    found = FoundAndLearnt(scale="value", width=0.1).measure(file(shown), before=file(TRUE))
    expected = np.mean(np.array([1 / 2, 1 / 2, 1 / 4, 1 / 4, 1 / 4, 1 / 4, 1]) * (1 + learnt) / 2)
    assert found.value == pytest.approx(expected)
    assert found.details["share_of_numbers_learnt"] == pytest.approx(3 / 7)
    assert found.baseline == pytest.approx(3 / 7), (
        "the original: three classes of seven persons, and all numbers"
    )


def test_coarser_keys_and_stronger_noise_both_lower_it():
    noise = np.random.default_rng(1).normal(size=7)
    risks = [
        FoundAndLearnt().measure(file(TRUE + size * noise, keys), before=file(TRUE)).value
        for size, keys in ((0, KEYS), (30, KEYS), (30, ["a"] * 7))
    ]
    assert risks == sorted(risks, reverse=True)
    assert len(set(risks)) == 3


def test_records_without_a_number_are_found_but_tell_none():
    before = file([np.nan, *TRUE[1:]])
    found = FoundAndLearnt().measure(before, before=before)
    assert found.per_record[0] == pytest.approx(1 / 4)


def test_it_needs_the_original():
    with pytest.raises(BeforeNeeded):
        FoundAndLearnt().measure(file(TRUE))
