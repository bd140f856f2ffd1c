"""What receivers are told rests on enough contributors: records of one owner count once."""

from __future__ import annotations

import numpy as np
import pytest

from tarnkappe.data.column import Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.methods.microdata.controlled_noise import ControlledNoise
from tarnkappe.methods.microdata.factor_noise import FactorNoise
from tarnkappe.methods.microdata.local_suppression import LocalSuppression
from tarnkappe.methods.microdata.mdav import Mdav
from tarnkappe.methods.microdata.rank_average import RankAverage
from tarnkappe.methods.microdata.rank_swap import RankSwap
from tarnkappe.methods.microdata.spread_average import SpreadAverage
from tarnkappe.methods.microdata.suppress_at_risk import SuppressAtRisk
from tarnkappe.methods.microdata.suppress_cells import SuppressCells
from tarnkappe.randomness import public_stream as stream
from tarnkappe.spec.step import apply_step
from tarnkappe.vocab import Kind, Role


def owned(data, owners):
    """The same records, each with an owner; None where it is not known."""
    who = Column.texts_of([None if o is None else f"O{o}" for o in owners])
    return data.with_columns({"o": who}).with_roles({**data.roles, Role.OWNER: ("o",)})


def told(step, data):
    return step.tells(data, apply_step(step, data, stream("a secret", step.id)))


# -- suppressed cells --------------------------------------------------------------------------------------------------


def people():
    keys = list("aaaaaabbbbbbcccdef")
    return Microdata({"key": Column.texts_of(keys)}, {Role.KEY: ("key",)})


SUPPRESSING = [
    SuppressCells(columns=("key",), records=(16, 17, 18)),
    SuppressAtRisk(columns=("key",), threshold=0.4),
    LocalSuppression(k=3),
]


@pytest.mark.parametrize("step", SUPPRESSING, ids=lambda step: step.id)
def test_suppressed_cells_of_one_or_two_owners_are_not_counted(step):
    data, others = people(), list(range(15))
    assert told(step, data) == {"key": 3}
    assert told(step, owned(data, [*others, "X", "X", "X"])) == {}
    assert told(step, owned(data, [*others, "X", "X", "Y"])) == {}
    assert told(step, owned(data, [*others, "X", "Z", "Y"])) == {"key": 3}
    assert told(step, owned(data, [*others, "X", None, None])) == {"key": 3}
    assert told(step, owned(data, [0] * 15 + ["X", "X", "Y"])) == {}, "other records do not count"


@pytest.mark.parametrize("step", SUPPRESSING[1:], ids=lambda step: step.id)
def test_no_records_no_cells(step):
    nothing = people().take(np.zeros(0, dtype=np.int64))
    assert step.tells(nothing, nothing) == {}


# -- agreement and variance ----------------------------------------------------------------------------------------------


def numbers(n, seed=1):
    return Microdata({"x": Column.numbers_of(np.exp(np.random.default_rng(seed).normal(5, 1, n)))})


def even(n):
    return Microdata({"x": Column.numbers_of(np.arange(1.0, n + 1))})


def test_the_variance_left_is_told_of_thirty_owners():
    for by in ("owners", "records"):
        step = Mdav(columns=("x",), by=by)
        assert told(step, even(30))["variance_kept"]["x"] is not None
        assert told(step, even(29))["variance_kept"]["x"] is None
        for owners, enough in (
            (np.arange(60) % 30, True),
            (np.arange(60) % 29, False),
            ([*(np.arange(59) % 29), None], True),
            ([*(np.arange(59) % 28), None], False),
        ):
            found = told(step, owned(even(60), owners))["variance_kept"]["x"]
            assert (found is not None) is enough
    alone = told(Mdav(columns=("x",), by="records"), owned(even(60), [1] * 60))
    assert alone["variance_kept"] == {"x": None}


def test_the_variance_left_is_not_told_where_it_gives_the_largest_away():
    """An attacker who sorts the released values takes what the variance lost for the work of the giant, and finds his value."""
    x = np.r_[np.exp(np.random.default_rng(2).normal(size=998)), 300.0]
    giant, others = (
        Microdata({"x": Column.numbers_of(v)}) for v in (x, np.random.default_rng(3).uniform(size=1000))
    )
    step = RankAverage(columns=("x",), sizes="fixed")
    y = apply_step(step, giant, stream("any")).column("x").values
    lost = len(x) * (x.var() - x.var() * round(y.var() / x.var(), 3))
    assert y.max() + np.sqrt(lost * 2 / 3) == pytest.approx(300, rel=0.01), "what the attacker would do"
    assert told(step, giant)["variance_kept"] == {"x": None}
    assert told(step, others)["variance_kept"]["x"] is not None
    thirds = owned(others, [0 if i < 334 else i for i in range(1000)])
    assert told(step, thirds)["variance_kept"] == {"x": None}, "an owner of a third of the changes"
    assert told(SpreadAverage(columns=("x",), signs="free"), giant)["variance_kept"] == {"x": 1.0}


def test_the_agreement_of_ranks_is_told_of_fifty_owners():
    step, even = (
        RankSwap(columns={"x": {"percent": 10}}),
        Microdata({"x": Column.numbers_of(np.arange(200.0))}),
    )
    assert set(told(step, even.take(np.arange(50)))["correlation_with_the_original"]) == {"x"}
    for owners, names in (
        (np.arange(200) % 50, {"x"}),
        (np.arange(200) % 49, set()),
        (np.arange(200) % 3, set()),
    ):
        assert set(told(step, owned(even, owners))["correlation_with_the_original"]) == names


def test_the_agreement_of_ranks_is_not_told_where_one_has_most_of_the_variance():
    """A pair of records moves the agreement by twice the product of its scores over n: of a giant it would tell the value he got."""
    step = RankSwap(columns={"x": {"percent": 5}})
    x = np.random.default_rng(4).normal(size=200)
    for giant, names in ((3.0, {"x"}), (100.0, set())):
        data = Microdata({"x": Column.numbers_of(np.append(x, giant))})
        assert set(told(step, data)["correlation_with_the_original"]) == names
    large = np.where(np.arange(200) < 20, 20.0, x)  # twenty records, each with less than a tenth
    for owners, names in ((np.arange(200), {"x"}), (np.maximum(np.arange(200) - 19, 0), set())):
        data = owned(Microdata({"x": Column.numbers_of(large)}), owners)
        assert set(told(step, data)["correlation_with_the_original"]) == names


def test_units_that_move_as_a_whole_count_once_in_the_agreement():
    x = np.random.default_rng(4).normal(size=120)
    columns = {"year": Column.numbers_of(np.arange(120) % 2.0), "x": Column.numbers_of(x)}
    step = RankSwap(columns={"x": {"percent": 10}}, within=("year",), unit="firm")
    for firms, names in ((60, {"x"}), (40, set())):
        firm = Column.texts_of([f"{i // 2:02d}" for i in range(2 * firms)])
        data = Microdata(columns).take(np.arange(2 * firms)).with_columns({"firm": firm})
        assert set(told(step, data)["correlation_with_the_original"]) == names


# -- moments of factors --------------------------------------------------------------------------------------------------


def test_moments_of_factors_are_those_of_the_law_where_few_owners_have_them():
    step = ControlledNoise(columns=("x", "y"))
    law = {"factor": step.factors.moments(), "covariance": step.factors.covariances("sign")["covariance"]}
    data = numbers(60).with_columns({"y": numbers(60, 2).column("x")})

    def as_the_law(given):
        facts = told(step, given)
        return facts["factor"] == law["factor"], facts["within_record"]["covariance"] == law["covariance"]

    assert as_the_law(data) == (False, False)
    assert as_the_law(owned(data, range(60))) == (False, False)
    assert as_the_law(owned(data, np.arange(60) % 50)) == (False, False)
    assert as_the_law(owned(data, np.arange(60) % 49)) == (True, True)
    assert as_the_law(owned(data, [None] * 60)) == (False, False)
    nothing = data.take(np.zeros(0, dtype=np.int64))
    assert step.tells(nothing, nothing)["factor"] == law["factor"]


def test_moments_of_factors_where_only_whole_numbers_are_treated_and_rounded():
    """No factor is seen then: those of the law, also where records have owners."""
    heads = Microdata({"x": Column(Kind.INTEGER, np.arange(1, 301))})
    step = ControlledNoise(columns=("x",), whole="nearest")
    assert told(step, owned(heads, range(300)))["factor"] == step.factors.moments()


def test_moments_of_factors_are_those_that_came_out_where_totals_are_kept():
    """In strata of four a quarter of the variance is lost; of few owners the law is told."""
    data = Microdata(
        {
            "x": Column.numbers_of(np.exp(0.2 * np.random.default_rng(1).normal(size=4000))),
            "s": Column.texts_of([str(i // 4) for i in range(4000)]),
        }
    )
    step = FactorNoise(
        columns=("x",), factors={"law": "uniform"}, shared="nothing", totals="keep", within=("s",)
    )
    after = apply_step(step, data, stream("a secret", step.id))
    w, facts = after.column("x").values / data.column("x").values, step.tells(data, after)
    assert facts["factor"]["variance"] == pytest.approx(w.var(), abs=1e-6)
    assert facts["factor"]["mean_of_logarithm"] == pytest.approx(np.log(w).mean(), abs=1e-6)
    assert set(facts["factor"]) == set(step.factors.moments())
    assert facts["factor"]["variance"] < 0.85 * step.factors.variance
    few = data.take(np.arange(96))
    assert told(step, few)["factor"] == step.factors.moments()
