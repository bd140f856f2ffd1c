"""Replacement: means beyond limits, and the rules that keep them from telling a unit."""

import numpy as np
import pytest

from tarnkappe.data.column import Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.errors.data import TooFewBeyond
from tarnkappe.errors.selection import TailDominated
from tarnkappe.methods.microdata.replace_tails import ReplaceTails
from tarnkappe.randomness import public_stream as stream
from tarnkappe.spec.step import apply_step
from tarnkappe.vocab import Role


def done(values, owners=None, **parameters):
    columns = {"x": Column.numbers_of(np.array(values))}
    roles = {}
    if owners:
        columns["o"], roles = Column.texts_of(owners), {Role.OWNER: ("o",)}
    method = ReplaceTails(columns=("x",), **parameters)
    return (
        apply_step(method, Microdata(columns, roles), stream("s" * 32, method.id))
        .column("x")
        .numbers()
        .tolist()
    )


def test_both_tails_become_their_own_mean():
    given = [1.0, 2.0, 3.0, 10.0, 11.0, 40.0, 50.0, 60.0, np.nan]
    np.testing.assert_array_equal(done(given, lower=5, upper=20), [2, 2, 2, 10, 11, 50, 50, 50, np.nan])


def test_receivers_are_told_in_which_strata_means_were_taken():
    method = ReplaceTails(columns=("x",), upper=20, within=("s",))
    nothing = Microdata({"x": Column.numbers_of(np.zeros(0))})
    told = {"columns": ["x"], "lower": None, "upper": 20, "within": ["s"], "rounded": []}
    assert method.tells(nothing, nothing) == told


def test_a_value_at_the_limit_is_left_and_an_empty_tail_changes_nothing():
    assert done([20.0, 30.0, 40.0, 50.0], upper=20) == [20, 40, 40, 40]
    assert done([1.0, 2.0], upper=20) == [1, 2]


def test_too_few_and_dominated_tails_are_refused():
    with pytest.raises(TooFewBeyond):
        done([1.0, 30.0, 40.0], upper=20)
    with pytest.raises(TooFewBeyond):
        done([30.0, 40.0, 50.0], owners=["a", "a", "b"], upper=20)
    with pytest.raises(TailDominated):  # rest of 25 is less than a tenth of 1000
        done([1000.0, 900.0, 25.0], upper=20, p=10)
    with pytest.raises(TailDominated):  # 900 of 1000
        done([900.0, 50.0, 50.0], upper=20, p=0, k=89)
    assert done([900.0, 50.0, 50.0], upper=20, p=0, k=90) == pytest.approx([1000 / 3] * 3)


def test_the_lower_tail_is_judged_by_how_far_below_the_limit_it_lies():
    """Of 99, 98 and 50 below 100 the last dominates, though it is the smallest number."""
    with pytest.raises(TailDominated):
        done([99.0, 98.0, 50.0, 200.0], lower=100)
    assert done([60.0, 50.0, 40.0, 200.0], lower=100) == [50, 50, 50, 200]


def test_whole_numbers_stay_whole_where_the_mean_is():
    method = ReplaceTails(columns=("x",), upper=20)
    data = Microdata({"x": Column.numbers_of(np.array([1, 30, 40, 50]))})
    assert method.apply(data, stream("s" * 32, method.id)).column("x").values.tolist() == [1, 40, 40, 40]


def strata(values, of, **parameters):
    method = ReplaceTails(columns=("x",), within=("g",), **parameters)
    data = Microdata({"x": Column.numbers_of(np.array(values)), "g": Column.texts_of(of)})
    return apply_step(method, data, stream("s" * 32, method.id)).column("x").values.tolist()


def test_every_stratum_has_its_own_means_and_is_judged_apart():
    values, of = [30.0, 40.0, 50.0, 1.0, 60.0, 70.0, 80.0], ["a", "a", "a", "a", "b", "b", "b"]
    assert strata(values, of, upper=20) == [40, 40, 40, 1, 70, 70, 70]
    with pytest.raises(TooFewBeyond):  # six in all, but one of them alone in its branch
        strata(values, ["a", "a", "a", "a", "b", "a", "a"], upper=20)
    with pytest.raises(TailDominated):
        strata([30.0, 40.0, 50.0, 1.0, 600.0, 1.0, 1.0], of, lower=-5, upper=0.5, k=60)


def test_values_between_the_limits_stay_exact_whatever_their_size():
    whole = 2**60 + np.arange(9) * 3 + 1
    far = 2**61 + np.array([0, 2**20, -(2**20)])
    method = ReplaceTails(columns=("x",), upper=float(2**60 + 2**30))
    data = Microdata({"x": Column.numbers_of(np.concatenate([whole, far]))})
    after = apply_step(method, data, stream("s" * 32, method.id)).column("x").values
    assert after[:9].tolist() == whole.tolist()
    assert after[9:].tolist() == [2**61] * 3
    assert done([-1.7e308, -1.6e308, -1.5e308], lower=1e308) == pytest.approx([-1.6e308] * 3)
