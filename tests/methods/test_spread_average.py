"""Averages that keep the variance: signs, zeros, strata, records, refusals."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from methods.averaging_data import done, firms, numbers
from tarnkappe.data.microdata import Microdata
from tarnkappe.errors.data import TooFewRecords
from tarnkappe.errors.masking import ResultTooLarge, SpreadTooWide, WeightsNeeded
from tarnkappe.errors.release import ClaimBroken, ParameterWrong
from tarnkappe.methods.microdata import spread_average
from tarnkappe.vocab import Role

NUMERIC = ("turnover", "wages")


@pytest.mark.parametrize("grouping", ["fixed", "optimal", "records"])
def test_mean_and_variance_of_every_stratum(grouping):
    data = firms()
    after = done(
        "spread-average", data, columns=NUMERIC, grouping=grouping, within=["branch"], k=6, signs="free"
    )
    for branch in "abc":
        inside = data.column("branch").texts() == branch
        for name in NUMERIC:
            was, now = (d.column(name).values[inside] for d in (data, after))
            assert now.mean() == pytest.approx(was.mean(), rel=1e-11)
            assert now.std() == pytest.approx(was.std(), rel=1e-9)
            assert not np.isclose(was, now, rtol=1e-12).any()


def test_a_group_of_two_values_is_shown_as_it_was_and_that_is_said():
    """Mean and variance of 1, 1, 5, 5 leave no other two values: no claim may say that what is shown is no mean of its records."""
    x = [1.0, 1, 5, 5, 7, 7, 9, 9]
    step = spread_average.SpreadAverage(columns=("x",))
    after = done("spread-average", Microdata({"x": numbers(x)}), columns=["x"])
    assert after.column("x").values.tolist() == x
    assert not any("no mean" in claim.says.en for claim in step.protects)
    assert any("two different values" in said.en for said in step.does_not)


@pytest.mark.parametrize("grouping", ["fixed", "optimal", "records"])
def test_records_with_gaps_are_grouped_apart(grouping):
    """What is missing counts for nothing, also where signs are free: the others keep their mean and variance, none comes near zero."""
    rng = np.random.default_rng(4)
    x, y = 50 + rng.normal(size=(2, 60))
    state = np.repeat([1, 2, 0], [7, 8, 45])
    data = Microdata({"x": numbers(x, state), "y": numbers(y)})
    shown = done("spread-average", data, columns=["x", "y"], grouping=grouping, signs="free").column("x")
    assert np.array_equal(shown.state, state)
    assert shown.values[15:].min() > 40
    assert shown.values[15:].std() == pytest.approx(x[15:].std(), rel=1e-9)


def test_signs_and_zeros():
    rng = np.random.default_rng(1)
    x = np.concatenate([-np.exp(rng.normal(size=40)), np.zeros(7), np.exp(rng.normal(size=60))])
    y = done("spread-average", Microdata({"x": numbers(x)}), columns=["x"]).column("x").values
    assert np.array_equal(np.sign(x), np.sign(y))
    for part in (slice(0, 40), slice(47, None)):
        assert y[part].std() == pytest.approx(x[part].std(), rel=1e-10)


def test_negative_values_are_the_mirror_of_positive_ones():
    x = np.exp(1.5 * np.random.default_rng(2).normal(size=50))
    up, down = (
        done("spread-average", Microdata({"x": numbers(v)}), columns=["x"]).column("x").values
        for v in (x, -x)
    )
    np.testing.assert_allclose(up, -down)


def test_a_giant_is_refused_by_name_and_count_only():
    data = Microdata({"x": numbers([1.0, 1, 1, 1, 1, 1, 1, 987654321.0])})
    with pytest.raises(SpreadTooWide) as refused:
        done("spread-average", data, columns=["x"])
    assert refused.value.facts == {"name": "x", "count": 8}
    free = done("spread-average", data, columns=["x"], signs="free").column("x").values
    assert free.min() < 0
    two = Microdata({n: data.column("x") for n in ("x", "y")})
    with pytest.raises(SpreadTooWide):
        done("spread-average", two, columns=["x", "y"], grouping="records")


def test_a_lowest_group_that_is_too_skewed_joins_the_one_above():
    x = [0.001, 0.001, 0.001, 10, 11, 12, 13, 14]
    y = done("spread-average", Microdata({"x": numbers(x)}), columns=["x"]).column("x").values
    assert y.min() >= 0
    assert len(set(y)) == 2
    assert y.std() == pytest.approx(np.std(x))


@given(
    st.lists(st.integers(-20, 400), min_size=4, max_size=40),
    st.sampled_from(["fixed", "optimal", "records"]),
    st.integers(4, 7),
)
@settings(max_examples=60, deadline=None)
def test_claims_hold_or_the_step_is_refused(values, grouping, k):
    data = Microdata({"x": numbers(values), "y": numbers(values[::-1])})
    for signs in ("kept", "free"):
        try:
            done(
                "spread-average",
                data,
                columns=["x", "y"],
                grouping=grouping,
                k=k,
                signs=signs,
                too_small="suppress",
            )
        except (SpreadTooWide, TooFewRecords) as refused:
            assert signs == "kept" or len(values) < k, refused


def test_each_column_decides_which_half_is_the_upper_one():
    """Two columns against each other: their correlation stays far from +1 within groups."""
    rng = np.random.default_rng(3)
    x = rng.normal(size=400)
    data = Microdata({"a": numbers(x), "b": numbers(-x + 0.05 * rng.normal(size=400))})
    y = done("spread-average", data, columns=["a", "b"], grouping="records", signs="free").numbers(("a", "b"))
    assert np.corrcoef(y.T)[0, 1] == pytest.approx(np.corrcoef(data.numbers(("a", "b")).T)[0, 1], abs=0.01)


@pytest.mark.parametrize(
    "wrong",
    [
        {"k": 3},
        {"upper_part": 1},
        {"upper_part": 3},
        {"upper_part": 2, "grouping": "records"},
        {"signs": "any"},
    ],
)
def test_parameters_out_of_bounds(wrong):
    with pytest.raises(ParameterWrong):
        done("spread-average", firms(), columns=NUMERIC, **wrong)


@pytest.mark.parametrize(
    "fault", [lambda y: y * 1.0001, lambda y: y + 1e-3 * (np.arange(len(y)) % 2 * 2 - 1) * y.std()]
)
def test_a_planted_fault_breaks_a_claim(monkeypatch, fault):
    honest = spread_average.spread_sorted
    monkeypatch.setattr(spread_average, "spread_sorted", lambda *given: (fault(honest(*given)[0]), 0))
    with pytest.raises(ClaimBroken):
        done("spread-average", firms(), columns=["turnover"])


def weighted(data, w):
    return replace(data, columns={**data.columns, "w": numbers(w)}, roles={**data.roles, Role.WEIGHT: ("w",)})


@pytest.mark.parametrize("grouping", ["fixed", "optimal", "records"])
@pytest.mark.parametrize("signs", ["free", "kept"])
def test_weighted_mean_and_variance_of_every_stratum(grouping, signs):
    data = firms()
    w = np.random.default_rng(5).uniform(0.5, 4, len(data))
    after = done(
        "spread-average", weighted(data, w), columns=NUMERIC[:1], grouping=grouping, within=["branch"], k=6, signs=signs, weighted=True
    )  # fmt: skip
    for branch in "abc":
        inside = data.column("branch").texts() == branch
        was, now = (d.column(NUMERIC[0]).values[inside] for d in (data, after))
        mean = np.average(was, weights=w[inside])
        assert np.average(now, weights=w[inside]) == pytest.approx(mean, rel=1e-11)
        spreads = [np.average((v - mean) ** 2, weights=w[inside]) for v in (was, now)]
        assert spreads[1] == pytest.approx(spreads[0], rel=1e-9)
        assert signs == "free" or np.all(np.sign(was) == np.sign(now))


def test_equal_weights_are_no_weights():
    data = firms()
    plain = done("spread-average", data, columns=NUMERIC, k=6, signs="free")
    same = done(
        "spread-average",
        weighted(data, np.full(len(data), 7.0)),
        columns=NUMERIC,
        k=6,
        signs="free",
        weighted=True,
    )
    for name in NUMERIC:
        np.testing.assert_allclose(plain.column(name).values, same.column(name).values)


def test_weights_are_needed_where_they_count():
    with pytest.raises(WeightsNeeded):
        done("spread-average", firms(), columns=NUMERIC, weighted=True)


def test_equal_values_stay_whatever_their_weights():
    """Weighted means of equal values are off in the last digit; their spread must not become the root of a negative number."""
    w = np.random.default_rng(3).uniform(0.1, 9, 60)
    data = weighted(Microdata({"x": numbers(np.repeat([0.1, 39.7], 30))}), w)
    for grouping in ("fixed", "optimal"):
        y = (
            done("spread-average", data, columns=["x"], k=5, grouping=grouping, signs="free", weighted=True)
            .column("x")
            .values
        )
        assert np.array_equal(y, np.repeat([0.1, 39.7], 30))


def test_upper_values_beyond_all_numbers_are_refused():
    """Six values of which one pair is at the end of all numbers: the upper value would lie beyond."""
    x = np.array([0.1, 0.2, 0.3, 0.4, 1.2, 1.7, 1.7, 1.79]) * 1e308
    for more in ({"columns": ["x"], "upper_part": 2}, {"columns": ["x", "y"], "grouping": "records"}):
        with pytest.raises(ResultTooLarge):
            done(
                "spread-average",
                Microdata({"x": numbers(x), "y": numbers(x)}),
                k=8 if "upper_part" in more else 4,
                signs="free",
                **more,
            )
