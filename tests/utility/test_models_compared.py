import math
import warnings

import numpy as np
import pytest
import statsmodels.api as sm
import statsmodels.formula.api as smf
from hypothesis import given
from hypothesis import strategies as st

from tarnkappe.errors.data import BeforeNeeded, ColumnMissing, NotFinite
from tarnkappe.errors.models import ModelImpossible, NothingShared, PanelNeedsUnit
from tarnkappe.errors.release import ParameterWrong
from tarnkappe.kernels.estimates import Estimate
from tarnkappe.kernels.glm import Block, fit
from tarnkappe.spec.parameters import build
from tarnkappe.utility.compared_models import common
from tarnkappe.utility.mincer import Mincer
from tarnkappe.utility.propensity import Propensity
from tarnkappe.utility.regression import Regression
from tarnkappe.vocab import Role
from utility.two_files import mixed, renumbered, suppressed

N = 240


def frame(seed=3, n=N, shift=0.0):
    rng = np.random.default_rng(seed)
    region = rng.choice(["east", "north", "south"], n, p=[0.5, 0.3, 0.2])
    age = rng.integers(20, 65, n)
    school = rng.integers(8, 19, n).astype(float)
    income = np.exp(
        7 + 0.08 * school + 0.01 * age + 0.2 * (region == "south") + rng.normal(0, 0.4, n) + shift
    )
    return {
        "income": income,
        "age": age.astype(float),
        "school": school,
        "region": list(region),
        "unit": [f"u{i // 3}" for i in range(n)],
        "year": np.tile([2020, 2021, 2022], n)[:n],
        "ill": list(np.where(rng.random(n) < 0.2 + 0.01 * (age - 20), "yes", "no")),
        "claims": rng.poisson(np.exp(-1 + 0.03 * (age - 40))).astype(float),
        "w": rng.uniform(0.5, 3, n),
    }


OLD = mixed(**frame())
NEW = mixed(**frame(4))
PANDAS = __import__("pandas").DataFrame(frame())


def coefficients(found, side="before"):
    return {n: f[side]["estimate"] for n, f in found.details["coefficients"].items() if side in f}


def ends(found, name):
    return found.details["coefficients"][name]["before"]["low"], found.details["coefficients"][name][
        "before"
    ]["high"]


# -- against statsmodels ---------------------------------------------------------------------------------------------------


def test_least_squares_is_that_of_statsmodels():
    found = Regression(formula="log(income) ~ school + age + age**2 + region").measure(OLD, before=OLD)
    model = smf.ols(
        "lny ~ school + age + I(age**2) + C(region)", PANDAS.assign(lny=np.log(PANDAS.income))
    ).fit()
    assert found.value == 0
    got = coefficients(found)
    wanted = dict(
        zip(["constant", "region[2]", "region[3]", "school", "age", "age**2"], model.params, strict=True)
    )
    assert got == {n: pytest.approx(v, rel=1e-7) for n, v in wanted.items()}
    assert ends(found, "school") == pytest.approx(tuple(model.conf_int().loc["school"]), rel=1e-7)
    assert found.details["explained"]["before"] == pytest.approx(model.rsquared)


@pytest.mark.parametrize(
    ("formula", "family", "theirs"),
    [("ill ~ age + school", "logistic", sm.families.Binomial()), ("claims ~ age + school", "poisson", sm.families.Poisson())],
)  # fmt: skip
def test_glm_is_that_of_statsmodels(formula, family, theirs):
    data = PANDAS.assign(ill=(PANDAS.ill == "yes") * 1.0)
    model = smf.glm(formula, data, family=theirs).fit(tol=1e-12)
    found = Regression(formula=formula, family=family).measure(OLD, before=OLD)
    assert list(coefficients(found).values()) == pytest.approx(list(model.params), rel=1e-7)
    assert ends(found, "age") == pytest.approx(tuple(model.conf_int().loc["age"]), rel=1e-6)
    assert found.details["explained"]["before"] == pytest.approx(1 - model.deviance / model.null_deviance)


@pytest.mark.parametrize(
    ("formula", "family", "theirs"),
    [("income ~ age", None, sm.families.Gaussian()), ("claims ~ age", "poisson", sm.families.Poisson())],
)  # fmt: skip
def test_weighted_intervals_are_robust(formula, family, theirs):
    data = mixed({Role.WEIGHT: ("w",)}, **frame())
    found = Regression(formula=formula, family=family, weighted=True, confidence=0.9).measure(
        data, before=data
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = smf.glm(formula, PANDAS, family=theirs, var_weights=PANDAS.w).fit(cov_type="HC1", tol=1e-12)
        if family is None:
            model = smf.wls(formula, PANDAS, weights=PANDAS.w).fit(cov_type="HC1", use_t=True)
    wanted = tuple(model.conf_int(0.1).loc["age"])
    factor = 1.0 if family is None else math.sqrt(N / (N - 2))  # their GLM leaves out n/(n - k)
    middle = sum(wanted) / 2
    assert ends(found, "age") in (
        pytest.approx(wanted, rel=1e-6),
        pytest.approx(
            (middle - factor * (middle - wanted[0]), middle + factor * (wanted[1] - middle)), rel=1e-6
        ),
    )


def test_within_estimator_is_that_of_dummies_for_units():
    found = Regression(formula="income ~ school + age", effects="within", unit="unit").measure(
        OLD, before=OLD
    )
    dummies = smf.ols("income ~ school + age + C(unit)", PANDAS).fit()
    assert coefficients(found) == {n: pytest.approx(dummies.params[n]) for n in ("school", "age")}
    demeaned = PANDAS[["income", "school", "age"]] - PANDAS.groupby("unit")[
        ["income", "school", "age"]
    ].transform("mean")
    groups = np.unique(PANDAS.unit, return_inverse=True)[1]
    model = sm.OLS(demeaned.income, demeaned[["school", "age"]]).fit(
        cov_type="cluster", cov_kwds={"groups": groups, "df_correction": True}, use_t=True
    )
    assert ends(found, "age") == pytest.approx(tuple(model.conf_int().loc["age"]), rel=1e-6)


def test_first_differences_follow_the_periods():
    order = np.random.default_rng(1).permutation(N)
    data = OLD.take(order)
    found = Regression(
        formula="income ~ school + age", effects="differences", unit="unit", period="year"
    ).measure(data, before=data)
    d = PANDAS.sort_values(["unit", "year"])
    diff = d.groupby("unit")[["income", "school", "age"]].diff().dropna()
    model = sm.OLS(diff.income, diff[["school", "age"]]).fit()
    assert coefficients(found) == {n: pytest.approx(model.params[n]) for n in ("school", "age")}
    assert found.details["records"]["before"] == len(diff)


def test_panels_need_a_unit_and_a_linear_model():
    for wrong in (
        {"effects": "within"},
        {"effects": "differences", "unit": "unit"},
        {"effects": "within", "unit": "unit", "family": "poisson"},
    ):
        with pytest.raises(PanelNeedsUnit):
            Regression(formula="income ~ age", **wrong).measure(OLD, before=OLD)


# -- overlap (dav2025, D-U08) ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("new", "value"),
    [((2, 14), 0.7333333), ((2, 8), 0.8), ((12, 14), -0.6), ((0, 10), 1.0), ((10, 20), 0.0)],
)
def test_overlap_vectors(new, value):
    assert common(Estimate(5, 0, 10), Estimate(sum(new) / 2, *new)) == pytest.approx(value, abs=1e-7)


def test_intervals_without_width():
    assert common(Estimate(1, 1, 1), Estimate(1, 1, 1)) == 1
    assert common(Estimate(1, 1, 1), Estimate(2, 2, 2)) == 0


@given(st.lists(st.floats(-1e6, 1e6), min_size=4, max_size=4))
def test_overlap_is_symmetric_and_at_most_one(ends):
    a, b = Estimate(0, *sorted(ends[:2])), Estimate(0, *sorted(ends[2:]))
    assert common(a, b) == pytest.approx(common(b, a))
    assert common(a, b) <= 1 + 1e-12


# -- what a finding says ----------------------------------------------------------------------------------------------------


def test_changes_of_sign_and_significance():
    rng = np.random.default_rng(0)
    x = rng.normal(size=100)
    y = 2 * x + rng.normal(size=100)
    found = Regression(formula="y ~ x").measure(mixed(x=x, y=-y), before=mixed(x=x, y=y))
    figure = found.details["coefficients"]["x"]
    assert figure["sign_changed"]
    assert figure["significance_changed"]
    assert not figure["inside"]
    assert figure["overlap"] < 0
    assert found.value == 1
    assert found.details["sign_changed"] == 1 + (found.details["coefficients"]["constant"]["sign_changed"])


def test_models_that_become_impossible_are_told():
    model = Regression(formula="log(income) ~ school + region")
    gone = model.measure(OLD.without(["school"]), before=OLD)
    assert (gone.value, gone.details["possible"]) == (1.0, False)
    assert "school" in gone.because.en
    assert "school" in gone.because.de
    banded = dict(frame(), school=["8-12" if s < 13 else "13+" for s in frame()["school"]])
    assert "classes" in model.measure(mixed(**banded), before=OLD).because.en
    recoded = dict(frame(), region=["x" if r == "east" else "y" for r in frame()["region"]])
    assert "categories" in model.measure(mixed(**recoded), before=OLD).because.en
    constant = dict(frame(), school=np.full(N, 12.0))
    assert "depend" in model.measure(mixed(**constant), before=OLD).because.en


def test_a_category_that_is_gone_is_a_coefficient_that_is_lost():
    kept = [r if r != "south" else "north" for r in frame()["region"]]
    found = Regression(formula="log(income) ~ region").measure(
        mixed(**dict(frame(), region=kept)), before=OLD
    )
    assert found.details["coefficients_lost"] == 1
    assert found.value >= 0.5
    assert "1" in found.because.en


def test_models_that_the_original_does_not_allow_are_refused():
    for formula in ("income ~ school + age + year + region - 1", "region ~ age", "income ~ id"):
        data = mixed(**dict(frame(), age=frame()["school"] * 2)) if "age + year" in formula else OLD
        data = data.with_columns({"id": mixed(id=[f"i{i}" for i in range(N)]).column("id")})
        with pytest.raises(ModelImpossible):
            Regression(formula=formula).measure(data, before=data)
    with pytest.raises(ModelImpossible, match="negative"):
        negative = mixed(**dict(frame(), claims=-frame()["age"]))
        Regression(formula="claims ~ age", family="poisson").measure(negative, before=negative)
    with pytest.raises(ModelImpossible, match="two values"):
        Regression(formula="claims ~ age", family="logistic").measure(OLD, before=OLD)


def test_without_a_constant_every_category_has_a_coefficient():
    found = Regression(formula="income ~ region + age - 1").measure(OLD, before=OLD)
    model = smf.ols("income ~ C(region) + age - 1", PANDAS).fit()
    assert sorted(coefficients(found).values()) == pytest.approx(sorted(model.params))


def test_separated_outcomes_have_no_estimate():
    x = np.arange(40.0)
    data = mixed(x=x, y=(x > 20) * 1.0)
    with pytest.raises(ModelImpossible, match="maximum"):
        Regression(formula="y ~ x", family="logistic").measure(data, before=data)


def test_bad_formulas_and_columns():
    with pytest.raises(ParameterWrong, match="cannot be read at sign"):
        build(Regression, {"formula": "income ~~ age"})
    with pytest.raises(ColumnMissing):
        Regression(formula="income ~ agee").measure(OLD, before=OLD)
    with pytest.raises(BeforeNeeded):
        Regression(formula="income ~ age").measure(OLD)
    infinite = mixed(x=np.append(np.arange(20.0), np.inf), y=np.arange(21.0))
    with pytest.raises(NotFinite):
        Regression(formula="y ~ x").measure(infinite, before=infinite)


def test_few_records_of_a_category_are_not_shown():
    region = ["rare"] * 3 + frame()["region"][3:]
    data = mixed(**dict(frame(), region=region))
    found = Regression(formula="income ~ region").measure(data, before=data)
    assert found.details["coefficients_hidden"] == 1
    assert all(
        n in ("constant", "region[1]", "region[2]", "region[4]") for n in found.details["coefficients"]
    )


def test_gaps_and_values_without_logarithm_are_left_out():
    income = frame()["income"].copy()
    income[:5] = [0, -1, np.nan, 0, 0]
    data = mixed(**dict(frame(), income=income))
    found = Regression(formula="log(income) ~ age").measure(
        suppressed(data, "age", range(10, 14)), before=data
    )
    assert found.details["records"] == {"before": N - 5, "after": N - 9}


def test_mincer_is_a_regression():
    found = Mincer(target="income", schooling="school", experience="age", sex="ill").measure(NEW, before=OLD)
    same = Regression(formula="log(income) ~ school + age + age**2 + ill").measure(NEW, before=OLD)
    assert found.value == same.value
    assert found.details["coefficients"] == same.details["coefficients"]
    plain = Mincer(target="income", schooling="school", experience="age", sex="ill", kind="plain").measure(
        NEW, before=OLD
    )
    assert plain.details["model"] == "income ~ school + age + ill"


# -- propensity ----------------------------------------------------------------------------------------------------------------


def test_pmse_is_that_of_statsmodels():
    a, b = frame(3, 200), frame(4, 120, shift=0.3)
    found = Propensity(columns=("income", "age", "region")).measure(renumbered(mixed(**b)), before=mixed(**a))
    import pandas

    both = pandas.concat([pandas.DataFrame(a), pandas.DataFrame(b)], ignore_index=True)
    y = np.repeat([0.0, 1.0], [200, 120])
    model = smf.glm("y ~ income + age + C(region)", both.assign(y=y), family=sm.families.Binomial()).fit(
        tol=1e-12
    )
    c = 120 / 320
    pmse = np.mean((model.fittedvalues - c) ** 2)
    assert found.value == pytest.approx(pmse, rel=1e-8)
    k = len(model.params)
    expected = (k - 1) * (1 - c) ** 2 * c / 320
    assert found.baseline == pytest.approx(expected)
    sd = math.sqrt(2 * (k - 1)) * (1 - c) ** 2 * c / 320
    assert found.details["standardised"] == pytest.approx((pmse - expected) / sd)
    assert found.details["parameters"] == k


def test_the_null_distribution_is_that_of_chance():
    """Files assigned at random: mean and spread as the formula for a second sample says (power: 200 draws, 4 standard errors)."""
    data = mixed(**frame(5, 400))
    found = Propensity(columns=("income", "age", "region"), shuffles=200).measure(
        renumbered(data), before=data
    )
    shuffled = found.details["shuffled"]
    wanted = found.details["expected_of_sample"]
    assert abs(shuffled["mean"] - wanted) < 4 * shuffled["sd"] / math.sqrt(200) + 0.02 * wanted
    assert shuffled["sd"] == pytest.approx(found.details["sd"] * 2, rel=0.25)


def test_the_same_file_cannot_be_told_apart():
    assert Propensity(pairs=True).measure(OLD, before=OLD).value == pytest.approx(0, abs=1e-20)
    assert "240" in Propensity().measure(OLD, before=OLD).because.en


def test_files_that_share_no_value_are_told_apart_perfectly():
    found = Propensity(columns=("x",)).measure(
        mixed(x=np.arange(50.0) + 100), before=mixed(x=np.arange(50.0))
    )
    assert found.value == pytest.approx(0.25, abs=1e-4)


def test_noise_is_seen_with_squares_only():
    x = np.random.default_rng(2).normal(size=4000)
    noisy = x + np.random.default_rng(3).normal(size=4000)
    old, new = mixed(x=x), mixed(x=noisy)
    assert Propensity().measure(new, before=old).value < 1e-4
    assert Propensity(pairs=True).measure(new, before=old).value > 0.01


def test_missing_and_suppressed_are_categories():
    holes = suppressed(OLD, "region", range(60))
    assert Propensity(columns=("region",)).measure(holes, before=OLD).value > 0.02
    holes = suppressed(OLD, "income", range(60))
    assert Propensity(columns=("income",)).measure(holes, before=OLD).value > 0.02


def test_columns_that_are_gone_or_changed_are_told():
    banded = dict(frame(), age=["old" if a > 40 else "young" for a in frame()["age"]])
    found = Propensity().measure(mixed(**banded).without(["school"]), before=OLD)
    assert "age" in found.because.en
    assert "school" in found.because.en
    with pytest.raises(NothingShared):
        Propensity(columns=("school",)).measure(OLD.without(["school"]), before=OLD)
    with pytest.raises(ColumnMissing):
        Propensity(columns=("schol",)).measure(OLD, before=OLD)


def test_few_records_tell_nothing():
    found = Propensity().measure(OLD.take(np.arange(5)), before=OLD)
    assert math.isnan(found.value)
    assert not found.trusted


def test_too_many_products_are_left_out_and_told():
    rng = np.random.default_rng(0)
    data = mixed(**{f"c{i}": [str(v) for v in rng.integers(0, 9, 60)] for i in range(5)})
    found = Propensity(pairs=True).measure(data, before=data)
    assert "left out" in found.because.en


# -- the kernel ------------------------------------------------------------------------------------------------------------------


@given(st.integers(0, 10**6), st.sampled_from(["gaussian", "logistic", "poisson"]))
def test_a_fit_in_blocks_is_the_fit_as_a_whole(seed, family):
    rng = np.random.default_rng(seed)
    x = np.column_stack([np.ones(60), rng.normal(size=(60, 2))])
    y = {
        "gaussian": rng.normal(size=60),
        "logistic": rng.integers(0, 2, 60) * 1.0,
        "poisson": rng.poisson(2, 60) * 1.0,
    }[family]
    w = rng.uniform(0.5, 2, 60)
    whole = fit(lambda: [Block(x, y, w)], family)
    blocks = fit(lambda: [Block(x[:7], y[:7], w[:7]), Block(x[7:], y[7:], w[7:])], family)
    assert blocks.beta == pytest.approx(whole.beta, abs=1e-6)


def test_dependent_regressors_keep_the_fitted_values():
    rng = np.random.default_rng(1)
    x = np.column_stack([np.ones(50), rng.normal(size=50)])
    y = rng.normal(size=50)
    twice = np.column_stack([x, x[:, 1] * 3])
    one, other = (
        fit(lambda: [Block(x, y, np.ones(50))], "gaussian"),
        fit(lambda: [Block(twice, y, np.ones(50))], "gaussian"),
    )
    assert other.rank == 2
    assert twice @ other.beta == pytest.approx(x @ one.beta)
