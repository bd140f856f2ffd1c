import math

import numpy as np
import pytest
import statsmodels.api as sm

from tarnkappe.errors.data import BeforeNeeded, ColumnMissing
from tarnkappe.errors.models import ModelImpossible, PartUnfit
from tarnkappe.errors.release import ParameterWrong
from tarnkappe.spec.parameters import build
from tarnkappe.utility.contingency import Contingency
from tarnkappe.utility.moments import MomentsBeforeAfter
from tarnkappe.utility.prediction import Prediction, _held_back
from tarnkappe.utility.score import Score
from utility.two_files import mixed, renumbered, suppressed

N = 300
RNG = np.random.default_rng(8)
X = RNG.normal(size=N)
Z = RNG.normal(size=N)
Y = 2 * X - Z + RNG.normal(size=N)
KIND = [("high" if y > 1 else "low" if y < -1 else "middle") for y in Y]
OLD = mixed(x=X, z=Z, y=Y, kind=KIND)


# -- prediction ----------------------------------------------------------------------------------------------------------------


def test_the_same_file_predicts_as_well():
    found = Prediction(target="y", predictors=("x", "z")).measure(OLD, before=OLD)
    assert found.value == pytest.approx(0, abs=1e-12)
    assert Prediction(target="kind", predictors=("x", "z")).measure(OLD, before=OLD).value == 0


def test_linear_prediction_is_that_of_statsmodels():
    noisy = mixed(x=X + RNG.normal(size=N), z=Z, y=Y, kind=KIND)
    found = Prediction(target="y", predictors=("x", "z")).measure(noisy, before=OLD)
    held = _held_back(N, 0.3)
    test = np.column_stack([np.ones(N), X, Z])[held]
    errors = []
    for data in (OLD, noisy):
        x = np.column_stack([np.ones(N), *(data.column(n).numbers() for n in "xz")])[~held]
        errors.append(np.mean((test @ sm.OLS(Y[~held], x).fit().params - Y[held]) ** 2))
    guess = np.mean((Y[~held].mean() - Y[held]) ** 2)
    assert found.value == pytest.approx((errors[1] - errors[0]) / guess)
    assert found.details["trained_on_release"]["root_mean_squared_error"] == pytest.approx(
        math.sqrt(errors[1])
    )
    assert found.value > 0.05


def test_logistic_prediction_is_that_of_statsmodels():
    found = Prediction(target="kind", predictors=("x", "z")).measure(OLD, before=OLD)
    held = _held_back(N, 0.3)
    design = np.column_stack([np.ones(N), X, Z])
    words = sorted(set(KIND))
    scores = [
        design[held] @ sm.Logit((np.array(KIND) == w)[~held] * 1.0, design[~held]).fit(disp=0).params
        for w in words
    ]
    right = np.array(words)[np.argmax(scores, axis=0)] == np.array(KIND)[held]
    assert found.details["trained_on_original"]["accuracy"] == pytest.approx(right.mean())


def test_a_release_without_relations_is_worth_guessing():
    shuffled = mixed(x=RNG.permutation(X), z=RNG.permutation(Z), y=Y, kind=KIND)
    found = Prediction(target="y", predictors=("x", "z")).measure(shuffled, before=OLD)
    assert found.value == pytest.approx(0.8, abs=0.15)


def test_released_records_of_tested_persons_are_not_learnt_from():
    found = Prediction(target="y").measure(OLD, before=OLD)
    assert found.details["records"] == {"before": 210, "after": 210, "tested": 90}
    assert Prediction(target="y").measure(renumbered(OLD), before=OLD).details["records"]["after"] == N


def test_a_target_that_is_gone_leaves_guessing():
    for after in (OLD.without(["y"]), mixed(x=X, z=Z, y=KIND, kind=KIND)):
        found = Prediction(target="y", predictors=("x", "z")).measure(after, before=OLD)
        assert "y" in found.because.en
        power = 1 - found.details["trained_on_original"]["root_mean_squared_error"] ** 2 / (
            found.details["guess"]["root_mean_squared_error"] ** 2
        )
        assert found.value == pytest.approx(power)


def test_what_cannot_be_predicted_is_refused():
    with pytest.raises(BeforeNeeded):
        Prediction(target="y").measure(OLD)
    with pytest.raises(ColumnMissing):
        Prediction(target="yy").measure(OLD, before=OLD)
    few = OLD.take(np.arange(20))
    with pytest.raises(ModelImpossible, match="fewer"):
        Prediction(target="y").measure(few, before=few)
    constant = mixed(x=X, y=np.ones(N))
    with pytest.raises(ModelImpossible, match="vary"):
        Prediction(target="y").measure(constant, before=constant)
    many = mixed(x=X, y=[f"v{i}" for i in range(N)])
    with pytest.raises(ModelImpossible, match="categories"):
        Prediction(target="y").measure(many, before=many)


def test_gaps_in_the_target_are_not_learnt_from():
    found = Prediction(target="y").measure(suppressed(OLD, "y", range(250)), before=OLD)
    assert found.details["records"]["after"] < 60


# -- score ---------------------------------------------------------------------------------------------------------------------


A = ["a", "b"] * 30
FILE = mixed(a=A, x=np.arange(60.0) + 10)
HALF = mixed(a=["a"] * 30 + A[30:], x=(np.arange(60.0) + 10) * 1.05)


def score(*parts):
    return build(Score, {"analyses": list(parts)})


TABLES = {"use": "utility.contingency", "weight": 3, "parameters": {"columns": ["a"]}}
MEANS = {"use": "utility.moments", "weight": 1, "worst": 0.1}


def test_the_score_is_the_weighted_mean_of_what_is_kept():
    found = score(TABLES, MEANS).measure(HALF, before=FILE)
    tables = 1 - Contingency(columns=("a",)).measure(HALF, before=FILE).value
    means = 1 - MomentsBeforeAfter().measure(HALF, before=FILE).value / 0.1
    assert means == pytest.approx(0.5)
    assert found.value == pytest.approx((3 * tables + means) / 4)
    assert [p["kept"] for p in found.details["analyses"]] == pytest.approx([tables, means])
    assert score(TABLES, MEANS).measure(FILE, before=FILE).value == 1


def test_more_than_the_worst_is_nothing_left_and_not_less():
    worse = mixed(a=A, x=(np.arange(60.0) + 10) * 3)
    assert score(MEANS).measure(worse, before=FILE).value == 0


def test_a_part_without_value_leaves_no_score():
    found = score(TABLES, {"use": "utility.entropy", "worst": 1}).measure(renumbered(FILE), before=FILE)
    assert math.isnan(found.value)
    assert not found.trusted
    assert "utility.entropy" in found.because.en
    assert len(found.details["analyses"]) == 2


def test_a_part_that_does_not_fit_the_data_is_an_error():
    with pytest.raises(PartUnfit, match="Part 2"):
        score(TABLES, {"use": "utility.regression", "parameters": {"formula": "x ~ nothing"}}).measure(
            FILE, before=FILE
        )


@pytest.mark.parametrize(
    ("part", "why"),
    [
        ({"use": "utility.nothing"}, "no measure"),
        ({"use": "microdata.round"}, "no measure"),
        ({"use": "risk.k-anonymity"}, "no measure"),
        ({"use": "utility.moments"}, "worst"),
        ({"use": "utility.score", "parameters": {"analyses": [MEANS]}}, "itself"),
        ({"use": "utility.contingency", "parameters": {"collumns": ["a"]}}, "parameters"),
        ({"use": "utility.contingency", "weight": 0}, "greater"),
    ],
)
def test_wrong_parts_are_refused_when_the_plan_is_read(part, why):
    with pytest.raises(ParameterWrong, match=why):
        score(part)
