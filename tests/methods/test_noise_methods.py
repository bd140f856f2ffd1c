"""Noise methods as steps: every form on awkward data, gaps, strata, units, whole numbers, refusals."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tarnkappe.data import masked
from tarnkappe.data.column import MISSING, SUPPRESSED, Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.errors import TarnkappeError
from tarnkappe.errors.data import NotFinite, TooFewRecords, WrongKind
from tarnkappe.errors.masking import (
    GapsInControl,
    MomentsUndo,
    NothingFits,
    NotPositive,
    PeaksTooFarApart,
    ResultTooLarge,
    StillRecognised,
    TooFewComplete,
    TotalsUndo,
    UnitInSeveralStrata,
)
from tarnkappe.errors.release import ClaimBroken, ParameterWrong
from tarnkappe.kernels.white_noise import left_by_exact_moments
from tarnkappe.methods.microdata.factor_laws import MixtureFactors
from tarnkappe.randomness import public_stream as stream
from tarnkappe.spec import Holds, catalogue
from tarnkappe.spec.parameters import build
from tarnkappe.spec.step import apply_step
from tarnkappe.testing import example_data, variants
from tarnkappe.testing.strategies import microdata
from tarnkappe.testing.telling import as_json, attempt
from tarnkappe.vocab import Kind, Role

TWO = ("income", "wealth")
THREE = ("income", "wealth", "employees")
FORMS = {
    "noise": [
        {}, {"signs": "keep"}, {"treat": "outliers"}, {"whole": "nearest", "within": ("region",)},
        {"noise": {"law": "normal", "smallest": 0.5, "largest": 2.0}}, {"noise": {"law": "uniform"}, "signs": "keep"},
        {"unit": ("household",)}, {"unit": ("household",), "common": 0.9, "noise": {"law": "uniform", "smallest": 0.4}, "within": ("year",)},
    ],
    "correlated-noise": [
        {}, {"kim": "asymptotic"}, {"kim": "sample", "within": ("year",)}, {"kim": "realised"}, {"moments": "exact"},
        {"moments": "exact", "kim": "asymptotic"}, {"moments": "exact", "kim": "realised"}, {"whole": "total"},
        {"unit": "household", "moments": "exact", "kim": "asymptotic"}, {"unit": ("household", "year"), "kim": "sample"},
    ],
    "log-noise": [{"columns": ("income", "employees")}, {"columns": ("income",), "offset": 5.0, "unbiased": True}, {"columns": ("employees",), "whole": "total"}, {"columns": ("income", "employees"), "unit": ("household",), "unbiased": True}],
    "mixture-noise": [{"separation": 0.3}, {"kind": "yancey"}, {"kind": "roque", "separation": 0.9}, {"kind": "roque", "peak_spreads": (1, 1, 2, 2)}, {"separation": {"income": 0.3, "wealth": -0.2}}, {"mu_rule": "d", "within": ("year",)}, {"separation": 0.3, "unit": ("household",), "within": ("year",)}, {"kind": "yancey", "unit": ("household",), "common": 0.1}, {"kind": "roque", "unit": ("household",)}],
    "factor-noise": [
        {}, {"shared": "nothing"}, {"shared": "factor", "unit": ("household",)}, {"shared": "factor", "unit": ("household", "year")},
        {"factors": {"law": "normal", "s": 0.15, "smallest": 0.01, "largest": 0.6}}, {"factors": {"law": "uniform"}, "whole": "total"},
        {"factors": {"law": "log-normal", "s": 0.2}, "shared": "nothing"}, {"totals": "keep", "columns": ("employees",)}, {"totals": "keep", "columns": ("employees",), "whole": "total"},
        {"factors": {"law": "mixture", "f": 0.2, "s": 0.05, "smallest": 0.1}}, {"totals": "keep", "columns": ("income",), "within": ("year",)},
        {"factors": {"law": "normal", "s": {"tolerance": 0.05, "useful_share": 0.8}}},
    ],
    "controlled-noise": [
        {}, {"control": {"by": "all-columns", "alpha": 0.5, "first": "down"}}, {"unit": ("household",), "within": ("year",)},
        {"control": {"by": "one-column"}, "columns": ("w", "year")}, {"control": {"by": "exchange"}},
        {"control": {"by": "best-of", "runs": 5}}, {"factors": {"smallest": 0.05}, "control": {"by": "one-column", "column": "w"}, "columns": ("w", "income")},
    ],
    "rotate": [{"columns": ("income",), "too_small": "suppress"}, {"columns": ("income",), "unit": ("household",), "too_small": "suppress"}, {"within": ("sex",), "too_small": "suppress"}, {"columns": ("employees",), "whole": "total", "too_small": "suppress"}],
    "redraw": [{}, {"order": "random"}, {"choose": "ks", "zeros": "keep"}, {"columns": ("employees",), "whole": "nearest"}, {"families": ("gamma",), "columns": ("income",)}],
    "sullivan": [
        {"columns": ("income", "sex"), "unprotected": "suppress", "redraws": 5}, {"columns": ("income",), "variance_ratio": 2.0, "marginals": "exact", "unprotected": "suppress"},
        {"columns": ("sex", "region"), "unprotected": "suppress"}, {"columns": THREE, "unprotected": "suppress", "rank_limit": 3, "redraws": 5},
    ],
}  # fmt: skip
CASES = [
    (f"microdata.{id}", {"columns": THREE if id in ("factor-noise", "controlled-noise") else TWO, **form})
    for id, forms in FORMS.items()
    for form in forms
]
BASIC = {id: {"columns": ("x", "y")} for id in FORMS} | {
    "sullivan": {"columns": ("x", "y"), "unprotected": "suppress"}
}


def numbers(values, state=None):
    return Column(
        Kind.NUMBER, np.array(values, dtype=float), None if state is None else np.array(state, np.uint8)
    )


def whole(values):
    return Column(Kind.INTEGER, np.array(values, dtype=np.int64))


def done(id, data, secret="any", **parameters):
    return apply_step(build(catalogue[f"microdata.{id}"], parameters), data, stream(secret, id))


def firms(n=200, seed=1):
    rng = np.random.default_rng(seed)
    size = np.exp(rng.normal(size=n))
    return Microdata({
        "x": numbers(1000 * size), "y": numbers(size * np.exp(0.3 * rng.normal(size=n)) + 1),
        "heads": whole(np.ceil(20 * size)), "s": Column.texts_of(rng.choice(["a", "b"], n).tolist()),
        "firm": Column.texts_of([f"F{i // 4}" for i in range(n)]), "year": whole(np.arange(n) % 4),
    })  # fmt: skip


# -- all forms of all methods -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("id", "form"), CASES, ids=lambda v: str(v)[:60])
def test_every_form_holds_its_claims_on_the_example(id, form):
    before = example_data(200)
    step = build(catalogue[id], form)
    after = attempt(lambda: apply_step(step, before, stream("forms", id)), id)
    assert isinstance(after, Microdata), f"{id} {form}: {after}"
    as_json(step.tells(before, after), id)
    for name in step.columns:
        assert np.array_equal(before.column(name).missing, after.column(name).missing)
        assert not np.any(before.column(name).suppressed & after.column(name).observed)


@pytest.mark.parametrize(("id", "form"), CASES, ids=lambda v: str(v)[:60])
def test_every_form_answers_awkward_data(id, form):
    step = build(catalogue[id], form)
    for name, data in variants().items():
        attempt(
            lambda data=data: apply_step(step, data, stream("forms", id)),
            f"{id} {form} on data that is {name}",
        )


@pytest.mark.long
@pytest.mark.parametrize(("id", "form"), CASES, ids=lambda v: str(v)[:60])
@given(data=microdata())
@settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
def test_every_form_on_any_data(id, form, data):
    step = build(catalogue[id], form)
    attempt(lambda: apply_step(step, data, stream("forms", id)), f"{id} {form}")


@pytest.mark.parametrize("id", FORMS)
class TestAll:
    def test_gaps_stay_and_the_rest_changes(self, id):
        data = firms()
        state = np.zeros(200, dtype=np.uint8)
        state[5:15], state[20:30] = MISSING, SUPPRESSED
        data = data.with_columns({"x": replace(data.column("x"), state=state)})
        after = done(id, data, **BASIC[id])
        column = after.column("x")
        assert np.array_equal(column.missing, state == MISSING)
        assert np.all(column.suppressed[20:30])
        assert np.array_equal(column.values[20:30], data.column("x").values[20:30]), (
            "the true value stays underneath"
        )
        seen = column.observed
        assert np.all(column.values[seen] != data.column("x").values[seen])

    def test_another_secret_other_values(self, id):
        one, two = (done(id, firms(), secret, **BASIC[id]).column("x").values for secret in ("a", "b"))
        assert not np.array_equal(one, two)

    def test_text_is_refused(self, id):
        if id != "sullivan":
            with pytest.raises(WrongKind):
                done(id, firms(), **{**BASIC[id], "columns": ("s",)})

    def test_infinity_is_refused(self, id):
        data = firms().with_columns({"x": numbers([np.inf, *range(1, 200)])})
        with pytest.raises(NotFinite):
            done(id, data, **BASIC[id])

    def test_no_records(self, id):
        attempt(lambda: done(id, firms().take(np.arange(0)), **BASIC[id]), id)


@pytest.mark.parametrize(
    ("id", "parameters"),
    [
        ("noise", {"variance_ratio": 0}), ("noise", {"noise": {"law": "normal", "smallest": 0.9, "largest": 1.01}}),
        ("noise", {"noise": {"law": "triangular"}}), ("factor-noise", {"factors": {"law": "mixture", "f": 0.9, "s": 0.05}}),
        ("factor-noise", {"factors": {"law": "mixture", "f": 0.1, "smallest": 0.1}}), ("factor-noise", {"factors": {"law": "log-normal", "s": 0.1}}),
        ("factor-noise", {"factors": {"law": "normal", "s": 0.1, "smallest": 0.6, "largest": 0.5}}),
        ("factor-noise", {"factors": {"law": "uniform", "width": 0.2, "smallest": 0.3}}), ("mixture-noise", {"separation": 1}),
        ("mixture-noise", {"peak_shares": (1, 2, 1)}), ("mixture-noise", {"kind": "roque", "peak_shares": (1, 1)}),
        ("mixture-noise", {"kind": "roque", "peak_shares": (1, 1, 1, 1, 1)}), ("mixture-noise", {"kind": "roque", "peak_shares": (1, 0, 1)}),
        ("mixture-noise", {"kind": "roque", "peak_shares": (1, 2, 1), "peak_spreads": (1, 1, 1, 1)}), ("mixture-noise", {"kind": "roque", "peak_spreads": (1, 2, 1)}),
        ("controlled-noise", {"control": {"by": "one-column", "column": "s"}}), ("redraw", {"families": ()}), ("log-noise", {"offset": -1}),
    ],
)  # fmt: skip
def test_parameters_that_cannot_be(id, parameters):
    with pytest.raises(ParameterWrong):
        done(id, firms(), columns=("x", "y"), **parameters)


@pytest.mark.parametrize("id", ["noise", "correlated-noise", "factor-noise", "controlled-noise"])
def test_too_large_for_a_number_is_refused(id):
    data = Microdata({"x": numbers(np.where(np.arange(40) % 2, 1.79e308, 1.5e308))})
    with pytest.raises(ResultTooLarge):
        for k in range(20):
            done(id, data, f"secret {k}", columns=("x",))


# -- whole numbers ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "id",
    [
        "noise",
        "correlated-noise",
        "log-noise",
        "mixture-noise",
        "factor-noise",
        "controlled-noise",
        "rotate",
        "redraw",
    ],
)
def test_whole_numbers(id):
    data = firms()
    plain = done(id, data, columns=("heads", "x"))
    nearest = done(id, data, columns=("heads", "x"), whole="nearest")
    total = done(id, data, columns=("heads", "x"), whole="total", within=("s",))
    exact = done(id, data, columns=("heads", "x"), **({} if id == "factor-noise" else {"within": ("s",)}))
    assert plain.column("heads").kind is Kind.NUMBER
    assert nearest.column("heads").kind is total.column("heads").kind is Kind.INTEGER
    assert np.abs(nearest.column("heads").values - plain.column("heads").values).max() <= 0.5
    for s in ("a", "b"):
        rows = data.column("s").texts() == s
        moved = total.column("heads").values[rows].sum() - exact.column("heads").values[rows].sum()
        assert abs(moved) <= 0.5 + 1e-6
    assert np.array_equal(total.column("x").values, exact.column("x").values), (
        "numbers with decimals keep them"
    )


# -- additive -----------------------------------------------------------------------------------------------------------


def test_smallest_change_is_kept_in_every_stratum():
    data = firms(2000)
    after = done(
        "noise",
        data,
        columns=("x",),
        noise={"law": "normal", "smallest": 0.8},
        within=("s",),
        variance_ratio=0.04,
    )
    for s in ("a", "b"):
        rows = data.column("s").texts() == s
        x, y = data.column("x").values[rows], after.column("x").values[rows]
        assert np.abs(y - x).min() >= 0.8 * 0.2 * x.std() * (1 - 1e-9)
        assert np.abs(y - x).min() < 0.85 * 0.2 * x.std()


def test_a_stratum_of_one_is_not_left_alone():
    data = firms().with_columns({"s": Column.texts_of(["z", *["a"] * 199])})
    for id in ("noise", "correlated-noise"):
        assert (
            done(id, data, columns=("x",), within=("s",)).column("x").values[0] != data.column("x").values[0]
        )
    with pytest.raises(TooFewComplete):
        done("correlated-noise", data, columns=("x",), within=("s",), moments="exact")
    with pytest.raises(TooFewComplete):
        done("correlated-noise", data, columns=("x",), within=("s",), kim="sample")


def test_only_outliers():
    rng = np.random.default_rng(1)
    x = rng.normal(size=300)
    x[7] = 40
    after = done("noise", Microdata({"x": numbers(x)}), columns=("x",), treat="outliers").column("x").values
    changed = np.flatnonzero(after != x)
    assert 7 in changed
    assert len(changed) < 15


def test_signs_and_zeros():
    x = np.concatenate([np.zeros(50), np.linspace(-1, 1, 100)])
    after = (
        done("noise", Microdata({"x": numbers(x)}), columns=("x",), signs="keep", variance_ratio=4.0)
        .column("x")
        .values
    )
    assert np.array_equal(np.sign(after), np.sign(x))


def test_exact_moments_with_kim_give_the_covariance_back():
    data = firms()
    after = done(
        "correlated-noise", data, columns=("x", "y"), moments="exact", kim="asymptotic", variance_ratio=0.5
    )
    x, y = data.numbers(("x", "y")), after.numbers(("x", "y"))
    np.testing.assert_allclose(np.cov(y.T), np.cov(x.T), rtol=1e-9)
    np.testing.assert_allclose(y.mean(axis=0), x.mean(axis=0), rtol=1e-12)
    slope = [
        np.linalg.lstsq(np.column_stack([np.ones(200), v[:, 0]]), v[:, 1], rcond=None)[0] for v in (x, y)
    ]
    np.testing.assert_allclose(slope[0], slope[1], rtol=1e-8)


def test_exact_moments_that_would_give_a_giant_back_are_refused():
    """Noise that is uncorrelated with the data is 0 where one record makes up all that a column varies, in all columns of that record.

    With an outlier that leaves a fifth of the variance it is done, and so much is left over 400 draws.
    """
    rng = np.random.default_rng(1)
    x, y = rng.normal(size=(2, 60))
    giant = np.append(x[1:], 1e6)
    for within in ((), ("s",)):
        data = Microdata(
            {"x": numbers(giant), "y": numbers(y), "s": Column.texts_of(["a"] * 30 + ["b"] * 30)}
        )
        with pytest.raises(MomentsUndo) as refused:
            done("correlated-noise", data, columns=("x", "y"), moments="exact", within=within)
        assert refused.value.facts["count"] == 1
        done("correlated-noise", data, columns=("x", "y"), within=within)
    x[0] = 14.0
    data = Microdata({"x": numbers(x)})
    left = left_by_exact_moments(x[:, None])
    assert 0.15 < left[0] < 0.25
    step = build(
        catalogue["microdata.correlated-noise"], {"columns": ("x",), "moments": "exact", "variance_ratio": 1}
    )
    noise = np.array(
        [step.apply(data, stream("giant", step.id, k)).column("x").values - x for k in range(400)]
    )
    np.testing.assert_allclose(noise.var(axis=0) / x.var() / left, 59 / 58, atol=5 * np.sqrt(2 / 400))


@pytest.mark.parametrize("moments", ["expected", "exact"])
def test_realised_spreads_where_a_stratum_has_nothing_but_zeros_or_gaps(moments):
    """Zeros get noise of the size for the file, and gaps stay; where a column varies, its standard deviation comes out."""
    x = np.where(np.arange(80) < 20, 0.0, np.exp(np.random.default_rng(1).normal(size=80)))
    y = numbers(x + np.arange(80), np.where(np.arange(80) < 20, MISSING, 0))
    data = Microdata({"x": numbers(x), "y": y, "s": Column.texts_of([str(i // 20) for i in range(80)])})
    if moments == "exact":
        with pytest.raises(TooFewComplete):
            done("correlated-noise", data, columns=("x", "y"), kim="realised", moments=moments, within=("s",))
        return
    after = (
        done("correlated-noise", data, columns=("x", "y"), kim="realised", within=("s",)).column("x").values
    )
    assert np.all(after[:20] != 0)
    for first in (20, 40, 60):
        assert after[first : first + 20].std() == pytest.approx(x[first : first + 20].std(), rel=1e-9)


def test_kims_constant_for_samples_is_told_as_it_was_in_the_strata():
    """√((n - 1)/(n(1 + d) - 1)) of 40 strata of 5 is far from that of 200 records."""
    data = firms().with_columns({"s": Column.texts_of([str(i // 5) for i in range(200)])})
    step = build(
        catalogue["microdata.correlated-noise"],
        {"columns": ("x",), "kim": "sample", "variance_ratio": 0.5, "within": ("s",)},
    )
    told = step.tells(data, data)
    assert told["kim_a"] == pytest.approx(np.sqrt(4 / 6.5), abs=1e-6)
    assert told["covariances_multiplied_by"] == pytest.approx(1.5 * 4 / 6.5, abs=1e-6)
    assert step.tells(data.take(np.arange(0)), data)["covariances_multiplied_by"] >= 0


def test_restricted_noise_adds_noise():
    """Kim's transformation alone, without noise, is the fault of a well-known package."""
    data = firms()
    after = (
        done("correlated-noise", data, columns=("x",), kim="sample", variance_ratio=0.5).column("x").values
    )
    x = data.column("x").values
    assert np.corrcoef(x, after)[0, 1] == pytest.approx(1 / np.sqrt(1.5), abs=0.1)


def test_logarithms():
    data = firms().with_columns({"x": numbers([0, *np.arange(1.0, 200)])})
    assert done("log-noise", data, columns=("x",)).column("x").values[0] == 0
    assert done("log-noise", data, columns=("x",), offset=1.0).column("x").values[0] != 0
    with pytest.raises(NotPositive) as refused:
        done("log-noise", data.with_columns({"x": numbers([*np.arange(199.0), -3])}), columns=("x",))
    assert refused.value.facts["first"] == 200


def test_peaks_too_far_apart():
    with pytest.raises(PeaksTooFarApart) as refused:
        done("mixture-noise", firms(), columns=("x", "y"), separation=0.99)
    assert 0.7 < float(refused.value.facts["most"]) <= 0.99


def test_columns_with_separations_of_their_own():
    """Step 2 of N10 and footnote 16: μ₁ may be another in every column. Of columns that are nearly opposite, both can have high peaks if one goes
    against the other; of columns that are nearly alike, if one has hardly any. The covariance is d·Σ all the same, exactly for even numbers."""
    rng = np.random.default_rng(1)
    x = rng.normal(size=2000)
    data = Microdata({"x": numbers(x), "against": numbers(-x + 0.05 * rng.normal(size=2000))})
    steps = {"columns": ("x", "against"), "separation": 0.9, "variance_ratio": 0.3}
    with pytest.raises(PeaksTooFarApart):
        done("mixture-noise", data, **steps)
    after = done("mixture-noise", data, **{**steps, "separation": {"x": 0.9, "against": -0.9}})
    w = (
        (after.numbers(data.names) - data.numbers(data.names))
        / data.numbers(data.names).std(axis=0)
        / np.sqrt(0.3)
    )
    up = w[:, 0] > 0
    assert w[up].mean(axis=0) == pytest.approx([0.9, -0.9], abs=0.05)
    np.testing.assert_allclose(np.cov(w.T, ddof=0), np.corrcoef(data.numbers(data.names).T), atol=1e-9)
    little = done("mixture-noise", data, **{**steps, "separation": {"against": 0.001, "x": 0.02}})
    assert np.abs((little.numbers(data.names) - data.numbers(data.names)).mean(axis=0)).max() < 1e-12
    both = {"x": 0.3, "against": -0.3}
    for wrong in (
        {"kind": "yancey", "separation": both}, {"separation": {"x": 0.3}}, {"separation": {**both, "z": 0.3}},
        {"separation": {"x": 0.0, "against": 0.0}}, {"separation": {**both, "x": 1.0}},
    ):  # fmt: skip
        with pytest.raises(ParameterWrong):
            done("mixture-noise", data, **{**steps, **wrong})


def test_outliers_are_those_of_their_stratum():
    """Large firms among small ones are no outliers where they are a stratum; what lies far out among them is. Too few are judged by the file."""
    rng = np.random.default_rng(1)
    x = np.concatenate([rng.normal(10, 1, 1000), rng.normal(1000, 100, 100), [50.0, 3000.0, 5000.0]])
    s = ["small"] * 1000 + ["large"] * 100 + ["small", "large", "alone"]
    data = Microdata({"x": numbers(x), "s": Column.texts_of(s)})
    moved = done("noise", data, columns=("x",), treat="outliers", within=("s",)).column("x").values != x
    assert moved[-3:].all()
    assert moved[1000:1100].mean() < 0.1
    assert done("noise", data, columns=("x",), treat="outliers").column("x").values[1000:1100].tolist() != x[1000:1100].tolist()  # fmt: skip


@pytest.mark.parametrize("kind", ["hoehne", "roque", "yancey"])
@pytest.mark.parametrize("gaps", [1, 2])
def test_the_only_records_with_gaps_get_noise_as_large_as_others(kind, gaps):
    """Noise whose mean over one record is brought to zero is none at all."""
    data = firms(60)
    lacking = np.where(np.arange(60) < gaps, MISSING, 0)
    data = data.with_columns({"y": numbers(data.column("y").values, lacking)})
    x, sd = data.column("x").values, 0.3 * data.column("x").values.std()
    moved = np.array([
        (done("mixture-noise", data, f"{k}", columns=("x", "y"), kind=kind, variance_ratio=0.09).column("x").values - x)[0] / sd
        for k in range(200)
    ])  # fmt: skip
    assert 0.7 < (moved**2).mean() < 1.4  # the standard error is about a twelfth


# -- factors ------------------------------------------------------------------------------------------------------------


def factors(data, after, name):
    return after.column(name).values / data.column(name).values


def test_what_is_shared():
    data = firms()
    one = done("factor-noise", data, columns=("x", "y"), shared="factor", unit=("firm",))
    wx, wy = factors(data, one, "x"), factors(data, one, "y")
    np.testing.assert_allclose(wx, wy, rtol=0.042)
    np.testing.assert_allclose(wx.reshape(-1, 4), wx.reshape(-1, 4)[:, :1] * np.ones(4), rtol=0.042)
    assert len(np.unique([wx, wy])) == 400, "each has a small factor of its own beside the common one"
    wave = factors(
        data, done("factor-noise", data, columns=("x",), shared="factor", unit=("firm", "year")), "x"
    )
    assert len(np.unique(wave.round(9))) == 200
    both = done("factor-noise", data, columns=("x", "y"), unit=("firm",))
    wx, wy = factors(data, both, "x"), factors(data, both, "y")
    assert np.array_equal(wx > 1, wy > 1)
    assert np.all((wx > 1).reshape(-1, 4) == (wx > 1).reshape(-1, 4)[:, :1])
    assert len(np.unique(wx.round(9))) == 200
    free = done("factor-noise", data, columns=("x", "y"), shared="nothing")
    assert not np.array_equal(factors(data, free, "x") > 1, factors(data, free, "y") > 1)


def test_the_unit_may_be_an_identifier_given_as_it_is():
    data = firms().with_roles({Role.IDENTIFIER: ("firm",)})
    for id in ("factor-noise", "controlled-noise"):
        w = factors(data, done(id, data, columns=("x",), unit="firm"), "x") > 1
        assert np.mean(w.reshape(-1, 4) == w.reshape(-1, 4)[:, :1]) > 0.98


def test_a_record_without_unit_is_its_own():
    data = firms().with_columns({"firm": Column.texts_of([None] * 100 + ["A"] * 100)})
    w = factors(data, done("factor-noise", data, columns=("x",), shared="factor", unit=("firm",)), "x")
    assert np.ptp(w[:100]) > 0.2
    assert np.ptp(w[100:]) < 0.05


def test_totals_of_strata():
    data = firms()
    after = done("factor-noise", data, columns=("x", "y"), totals="keep", within=("s",))
    for s in ("a", "b"):
        rows = data.column("s").texts() == s
        for name in ("x", "y"):
            assert after.column(name).values[rows].sum() == pytest.approx(
                data.column(name).values[rows].sum(), rel=1e-12
            )


def test_totals_of_whole_numbers_are_kept_to_one_half_and_that_is_claimed(monkeypatch):
    data = Microdata(
        {
            "x": Column.numbers_of(np.random.default_rng(5).integers(1, 900, 200)),
            "s": Column.texts_of(["a", "b"] * 100),
        }
    )
    given = {"columns": ("x",), "totals": "keep", "whole": "total", "within": ("s",)}
    after = done("factor-noise", data, **given).column("x")
    assert after.kind is Kind.INTEGER
    for rows in (slice(0, None, 2), slice(1, None, 2)):
        assert after.values[rows].sum() == data.column("x").values[rows].sum()
    monkeypatch.setattr(masked, "whole_with_total", lambda x, *_: np.floor(x))
    with pytest.raises(ClaimBroken, match="to one half"):
        done("factor-noise", data, **given)


@pytest.mark.parametrize("x", [[1000.0, 1, 1, 1, 1], [5.0, 5, 0, 0, 0]])
def test_totals_that_would_undo_the_noise_are_refused(x):
    with pytest.raises(TotalsUndo):
        done("factor-noise", Microdata({"x": numbers(x)}), columns=("x",), totals="keep")


@pytest.mark.parametrize("shared", ["factor", "sign"])
def test_totals_of_strata_that_one_unit_makes_up_are_refused(shared):
    """Its records have one factor or direction: to keep their total takes the noise back, though no single value dominates."""
    data = firms()
    with pytest.raises(TotalsUndo):
        done("factor-noise", data.with_columns({"x": numbers(np.ones(200))}), columns=("x",), shared=shared, unit=("firm",), totals="keep", within=("firm",))  # fmt: skip
    done("factor-noise", data.with_columns({"x": numbers(np.ones(200))}), columns=("x",), shared=shared, unit=("firm",), totals="keep", within=("year",))  # fmt: skip


def test_totals_are_not_kept_where_all_went_the_same_way():
    """Three units with the same factor get their values back: that is refused, whatever the chance of it."""
    data, refused = Microdata({"x": numbers([10.0, 11, 12])}), 0
    for k in range(40):
        try:
            after = done("factor-noise", data, f"{k}", columns=("x",), factors={"law": "mixture", "f": 0.2, "s": 0.0}, totals="keep")  # fmt: skip
        except TotalsUndo:
            refused += 1
        else:
            assert np.abs(after.column("x").values / data.column("x").values - 1).max() > 0.01
    assert 1 <= refused <= 25  # one in four


def test_factors_are_positive_where_the_shift_is_large_and_a_smallest_change_is_asked_for():
    """1 - f lies nearer to 0 than f to the smallest change: then that is the limit of the spread."""
    law = MixtureFactors(f=0.6, s=0.09, smallest=0.01)
    spread = law.spreads(np.random.default_rng(1), (4_000_000, 1))
    assert np.abs(spread).max() <= 0.4
    assert law.most == pytest.approx(1.0)
    assert law.nodes().points.min() > 0
    assert law.variance == pytest.approx(0.36 + (spread**2).mean(), rel=2e-3)


def test_strata_that_nothing_is_kept_in_are_refused():
    with pytest.raises(ParameterWrong):
        build(catalogue["microdata.factor-noise"], {"columns": ("x",), "within": ("s",)})
    for form in ({"totals": "keep"}, {"whole": "total"}):
        build(catalogue["microdata.factor-noise"], {"columns": ("x",), "within": ("s",), **form})


# -- controlled ---------------------------------------------------------------------------------------------------------


def panel(waves=4, n=300, seed=1):
    """Firms that enter and leave; debts and gaps."""
    rng = np.random.default_rng(seed)
    firm, year = (v.ravel() for v in np.meshgrid(np.arange(n), np.arange(waves), indexing="ij"))
    size = np.exp(1.3 * rng.normal(size=n))[firm] * np.exp(0.1 * rng.normal(size=len(firm)))
    there = rng.random(len(firm)) < 0.8
    state = np.where(rng.random(len(firm)) < 0.05, MISSING, 0)
    profit = numbers(size * rng.normal(0.5, 1, size=len(firm)), state)
    data = Microdata(
        {"turnover": numbers(100 * size), "profit": profit, "firm": whole(firm), "year": whole(year)}
    )
    return data.take(there)


@pytest.mark.parametrize("control", [{"by": "all-columns"}, {"by": "exchange", "alpha": 0.7, "rounds": 20}])
def test_a_panel_keeps_every_wave(control):
    """Entries and exits, missing and negative values; all errors below a fifth of what noise without control gives."""
    data = panel()
    names = ("turnover", "profit")
    steps = {"unit": ("firm",), "within": ("year",), "columns": names, "factors": {"smallest": 0.02}}
    free, held = [], []
    for secret in range(8):
        for found, after in (
            (free, done("factor-noise", data, str(secret), columns=names, unit=("firm",))),
            (held, done("controlled-noise", data, str(secret), control=control, **steps)),
        ):
            for year in range(4):
                rows = data.column("year").values == year
                change = after.numbers(names)[rows] - data.numbers(names)[rows]
                found.append(np.nansum(change, axis=0) / np.nansum(np.abs(data.numbers(names)[rows]), axis=0))
        ratio = after.column("turnover").values / data.column("turnover").values > 1
        for firm in np.unique(data.column("firm").values):
            assert len(set(ratio[data.column("firm").values == firm])) == 1, "one direction in all waves"
    assert np.mean(np.abs(held)) < 0.2 * np.mean(np.abs(free))


@pytest.mark.parametrize(
    ("id", "form"),
    [
        ("factor-noise", {"shared": "factor"}),
        ("factor-noise", {"factors": {"law": "uniform"}}),
        ("factor-noise", {"factors": {"law": "mixture", "smallest": 0.02}}),
        ("controlled-noise", {"factors": {"smallest": 0.02}}),
        ("controlled-noise", {"factors": {"s": 0.0}, "control": {"by": "best-of"}}),
    ],
)  # fmt: skip
def test_claims_over_a_panel_are_seen_to_break(id, form):
    """A firm goes one way in all years, with one factor also by the same part: one record that goes the other way breaks the claim."""
    data, names = panel(), ("turnover", "profit")
    step = build(catalogue[f"microdata.{id}"], {"columns": names, "unit": ("firm",), **form})
    after = apply_step(step, data, stream("panel", id))
    year = data.column("year").values == 1
    back = 2 * data.numbers(names) - after.numbers(names)
    broken = after.with_numbers(names, np.where(year[:, None], back, after.numbers(names)))
    said = [c for c in (*step.preserves, *step.protects) if c.applies(step) and c.holds is Holds.ALWAYS]
    failed = [c.says.en for c in said if not c.check(step, data, broken)]
    assert len(failed) == 1
    assert all("of a unit" in text for text in failed)
    free = build(catalogue["microdata.factor-noise"], {"columns": names})
    assert not any("all go up" in c.says.en and c.applies(free) for c in free.protects), (
        "a spread may turn it"
    )


def test_standard_deviations_are_held_too():
    data = firms(400, seed=3)
    spread = {"mean only": {"alpha": 1.0}, "both": {"alpha": 0.3}}
    errors = {
        k: np.mean([abs(done("controlled-noise", data, str(i), columns=("x",), control={"by": "all-columns", **v}).column("x").values.std() / data.column("x").values.std() - 1) for i in range(12)])
        for k, v in spread.items()
    }  # fmt: skip
    assert errors["both"] < 0.5 * errors["mean only"]


def test_best_of_many_is_better_than_one():
    data = firms(60)
    gap = {
        runs: np.mean([abs(done("controlled-noise", data, str(i), columns=("x",), control={"by": "best-of", "runs": runs, "alpha": 1.0}).column("x").values.sum() / data.column("x").values.sum() - 1) for i in range(10)])
        for runs in (2, 100)
    }  # fmt: skip
    assert gap[100] < 0.2 * gap[2]


def test_the_largest_unit_goes_either_way():
    data = firms(50)
    top = np.argmax(data.column("x").values)
    ways = [
        factors(data, done("controlled-noise", data, str(i), columns=("x",)), "x")[top] > 1 for i in range(40)
    ]
    assert 5 < sum(ways) < 35
    first = {"by": "all-columns", "first": "down"}
    assert not any(
        factors(data, done("controlled-noise", data, str(i), columns=("x",), control=first), "x")[top] > 1
        for i in range(10)
    )


def test_one_column_needs_all_values_and_units_in_one_stratum():
    data = panel()
    steering = {"by": "one-column", "column": "profit"}
    with pytest.raises(GapsInControl):
        done("controlled-noise", data, columns=("turnover", "profit"), control=steering)
    with pytest.raises(UnitInSeveralStrata):
        done(
            "controlled-noise",
            data,
            columns=("turnover",),
            control={"by": "one-column"},
            unit=("firm",),
            within=("year",),
        )


# -- rotation, redraw, Sullivan -----------------------------------------------------------------------------------------


def test_rotation_by_stratum_and_too_few():
    data = firms().with_columns({"s": Column.texts_of(["z", "z", *["a"] * 198])})
    with pytest.raises(TooFewRecords):
        done("rotate", data, columns=("x",), within=("s",))
    after = done("rotate", data, columns=("x",), within=("s",), too_small="suppress")
    assert after.column("x").suppressed.tolist() == [True, True, *[False] * 198]


def test_rotation_keeps_regressions():
    data = firms()
    after = done("rotate", data, columns=("x", "y", "heads"))
    values = (v.numbers(("x", "y", "heads")) for v in (data, after))
    slopes = [
        np.linalg.lstsq(np.column_stack([np.ones(200), v[:, 1:]]), v[:, 0], rcond=None)[0] for v in values
    ]
    np.testing.assert_allclose(*slopes, rtol=1e-7)


def test_rotation_gives_no_small_stratum_back():
    """A hundred and fifty of four records, and a column in which all but twenty records are zero: nothing is what it was, to a millionth."""
    x = firms(600).column("x").values
    few = np.where(np.arange(600) < 20, x, 0.0)
    data = Microdata({"x": numbers(x), "few": numbers(few), "s": Column.texts_of([str(i // 4) for i in range(600)])})  # fmt: skip
    y = done("rotate", data, columns=("x",), within=("s",)).column("x").values
    assert np.abs(y / x - 1).min() > 1e-6
    assert np.abs(done("rotate", data, columns=("few",)).column("few").values - few).min() > 1e-6


def test_redraw():
    data = firms(2000)
    x, after = data.column("x").values, done("redraw", data, columns=("x",))
    y = after.column("x").values
    assert np.array_equal(np.argsort(x), np.argsort(y))
    assert np.log(y).mean() == pytest.approx(np.log(x).mean(), abs=0.1)
    assert np.log(y).std() == pytest.approx(np.log(x).std(), abs=0.08)
    loose = done("redraw", data, columns=("x",), order="random").column("x").values
    assert abs(np.corrcoef(np.argsort(np.argsort(x)), np.argsort(np.argsort(loose)))[0, 1]) < 0.1
    with pytest.raises(NothingFits):
        done("redraw", Microdata({"x": numbers(np.ones(20))}), columns=("x",))
    with pytest.raises(NothingFits):
        done("redraw", Microdata({"x": numbers(np.arange(-9.0, 9))}), columns=("x",), families=("gamma",))
    with pytest.raises(TooFewComplete):
        done("redraw", Microdata({"x": numbers(np.arange(4.0))}), columns=("x",))


def test_sullivan_keeps_marginals_and_correlation():
    data = firms(1500, seed=5)
    after = done(
        "sullivan",
        data,
        columns=("x", "y", "s"),
        marginals="exact",
        unprotected="suppress",
        variance_ratio=0.5,
    )
    seen = after.column("x").observed
    x, y = data.numbers(("x", "y")), after.numbers(("x", "y"))
    assert set(y[seen, 0]) <= set(x[:, 0])
    ranks = [
        np.corrcoef(np.argsort(np.argsort(v[seen, 0])), np.argsort(np.argsort(v[seen, 1])))[0, 1]
        for v in (x, y)
    ]
    assert ranks[1] == pytest.approx(ranks[0], abs=0.08)
    shares = [np.mean(v.column("s").texts()[seen] == "a") for v in (data, after)]
    assert shares[1] == pytest.approx(shares[0], abs=0.06)
    assert np.mean(after.column("s").texts()[seen] != data.column("s").texts()[seen]) > 0.02


def test_sullivan_keeps_whole_numbers_and_their_total_where_values_are_exact():
    data = firms()
    steps = {"columns": ("heads", "x"), "variance_ratio": 2.0, "rank_limit": 1}
    after = done("sullivan", data, marginals="exact", **steps).column("heads")
    assert after.kind is Kind.INTEGER
    assert after.values.sum() == data.column("heads").values.sum()
    assert done("sullivan", data, **steps).column("heads").kind is Kind.NUMBER


def test_sullivan_refuses_what_stays_recognisable():
    with pytest.raises(StillRecognised) as refused:
        done("sullivan", firms(), columns=("x", "y"), variance_ratio=1e-4, redraws=2)
    assert refused.value.facts["count"] > 50


def test_messages_tell_no_value():
    for id in FORMS:
        for data in (
            firms().take(np.arange(2)),
            firms().with_columns({"x": numbers(np.full(200, 987654321.0))}),
        ):
            try:
                done(id, data, **BASIC[id])
            except TarnkappeError as refused:
                assert "987" not in str(refused)


@given(st.integers(0, 10_000))
@settings(max_examples=30, deadline=None)
def test_controlled_total_moves_by_less_than_one_value(seed):
    rng = np.random.default_rng(seed)
    x = np.exp(rng.normal(size=rng.integers(1, 60)) * 2) * np.where(rng.random() < 0.5, 1, -1)
    data = Microdata({"x": numbers(x)})
    after = done(
        "controlled-noise",
        data,
        str(seed),
        columns=("x",),
        factors={"smallest": 0.03},
        control={"by": "one-column"},
    )
    change = after.column("x").values - x
    assert abs(change.sum()) <= np.abs(change).max() * (1 + 1e-9)


@pytest.mark.parametrize("id", ["factor-noise", "controlled-noise", "rotate"])
def test_a_giant_in_the_file_does_not_swallow_the_small(id):
    """1e300 beside 1e-65: on a common scale the small ones would be nothing."""
    x = np.array([4e-65, 1e-65, 2e-65, 3e-65, 1e300, 2e300, 3e300, 4e300])
    data = Microdata({"x": numbers(x), "s": Column.texts_of(list("aaaabbbb"))})
    y = (
        done(id, data, columns=("x",), **({} if id == "factor-noise" else {"within": ("s",)}))
        .column("x")
        .values
    )
    assert np.all(y != x)
    assert np.all(np.abs(y[:4]) < 1e-63)
    assert np.all(np.abs(y[:4]) > 1e-68)


@pytest.mark.parametrize(
    ("law", "said"),
    [
        ({"values": (0.5, 1.5), "shares": (0.5,)}, "one of shares for each"),
        ({"values": (0.5, 1.5), "shares": (0.5, 0.4)}, "adding up to 1"),
        ({"values": (0.5, 1.6), "shares": (0.5, 0.5)}, "mean 1"),
        ({"values": (0.5, 1.0, 1.5), "shares": (0.25, 0.5, 0.25)}, "factor of 1"),
        ({"values": (0.0, 2.0), "shares": (0.5, 0.5)}, "values"),
        ({"values": (0.5, 1.5), "shares": (0.5, 0.5), "shared": "sign"}, "cannot share a sign"),
    ],
)
def test_listed_factors_must_be_a_law_with_mean_1(law, said):
    shared = law.pop("shared", "nothing")
    with pytest.raises(ParameterWrong, match=said):
        build(
            catalogue["microdata.factor-noise"],
            {"columns": ("a",), "shared": shared, "factors": {"law": "table", **law}},
        )


def test_listed_factors_are_the_only_ones():
    """With their probabilities: 40,000 draws, five standard errors."""
    data = Microdata({"a": Column.numbers_of(np.full(40_000, 2.0))})
    factors = {"law": "table", "values": (0.5, 1.25), "shares": (1 / 3, 2 / 3)}
    step = build(
        catalogue["microdata.factor-noise"], {"columns": ("a",), "shared": "nothing", "factors": factors}
    )
    found, counts = np.unique(step.apply(data, stream("any")).column("a").values, return_counts=True)
    assert found.tolist() == [1.0, 2.5]
    assert abs(counts[0] / 40_000 - 1 / 3) < 5 * np.sqrt(2 / 9 / 40_000)


def test_more_columns_than_noise_can_hide_are_remarked():
    """Gottschalk 4.3: from the fifth column on; from the seventh on a linkage test is asked for. In both languages."""
    data = Microdata({f"x{j}": Column.numbers_of(np.arange(10.0) ** (j + 1)) for j in range(7)})
    for count, said in ((4, 0), (5, 1), (6, 1), (7, 2)):
        step = build(catalogue["microdata.correlated-noise"], {"columns": [f"x{j}" for j in range(count)]})
        remarks = step.remarks(data, data)
        assert len(remarks) == said
        assert [("risk.linkage" in r.en, "risk.linkage" in r.de) for r in remarks[1:]] == [(True, True)] * (
            said - 1
        )


def test_random_groups_need_no_columns_that_agree():
    rng = np.random.default_rng(1)
    data = Microdata({n: Column.numbers_of(rng.normal(size=200)) for n in "ab"})
    for id, said in (("mdav", 1), ("random-average", 0)):
        assert len(build(catalogue[f"microdata.{id}"], {"columns": ["a", "b"]}).remarks(data, data)) == said
