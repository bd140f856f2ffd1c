"""What cannot be estimated is refused with a code, and no number is shown."""

import json

import numpy as np
import pytest

import tarnkappe as tk
from correct.releasing import made, released
from correct.scenarios import alike, factors, firms, noise
from tarnkappe.correct import frequencies, model, moments, open_release
from tarnkappe.correct.release import Release, Step
from tarnkappe.errors import InputWrong, Refused
from tarnkappe.errors.correct import (
    Collinear,
    FormulaWrong,
    LogarithmUndefined,
    NoAbout,
    NoCorrection,
    NoRecords,
    NotPositiveDefinite,
    NotTold,
    OptionWrong,
    OutcomeWrong,
    TooFewRecords,
    TooManyCategories,
)
from tarnkappe.errors.data import ColumnMissing, NotFinite, WrongKind

C = tk.catalogue


def few(n=50, **more):
    return made(**firms(np.random.default_rng(1), n), **more)


def test_names_that_are_not_there():
    release = released(few())
    with pytest.raises(ColumnMissing, match="wages"):
        model(release, "y ~ wages")
    with pytest.raises(ColumnMissing):
        model(release, "wages ~ e")
    with pytest.raises(ColumnMissing):
        model(release, "y ~ e", weight="wages")
    with pytest.raises(ColumnMissing):
        model(release, "y ~ e", as_is=["wages"])
    with pytest.raises(ColumnMissing):
        moments(release, ["wages"])
    with pytest.raises(ColumnMissing):
        frequencies(release, "wages")
    with pytest.raises(FormulaWrong):
        model(release, "y on e")


@pytest.mark.parametrize(
    "control", [{"by": "exchange"}, {"by": "best-of"}, {"by": "all-columns", "alpha": 0.9}]
)
def test_directions_that_keep_standard_deviations_cannot_be_undone(control):
    """The factors depend on the values: what corrects others would give slopes that are off by a sixth."""
    step = C["microdata.controlled-noise"](columns=("e",), control=control)
    release = released(few(200), step)
    assert release.steps[0].facts["standard_deviations_kept"] is True
    with pytest.raises(NoCorrection, match="standard deviations"):
        model(release, "y ~ e")
    assert model(release, "y ~ e", as_is=["e"])["e"].estimate > 0
    means = C["microdata.controlled-noise"](columns=("e",), control={**control, "alpha": 1.0})
    assert model(released(few(200), means), "y ~ e")["e"].estimate > 0


def test_types():
    release = released(few(k=np.array(["a", "b", "c", "d", "e"] * 10)))
    with pytest.raises(OutcomeWrong, match="two values, and has 5"):
        model(release, "k ~ e")
    with pytest.raises(OutcomeWrong, match="0 or 1"):
        model(release, "y ~ e", family="logit")
    with pytest.raises(WrongKind):
        moments(release, ["k"])
    with pytest.raises(WrongKind):
        frequencies(release, "e")


def test_logarithms_that_do_not_exist():
    with pytest.raises(LogarithmUndefined) as problem:
        model(released(made(x=np.array([1.0, 0.0, -1.0, 2.0]), y=np.arange(4.0))), "y ~ log(x)")
    assert problem.value.facts["count"] == 2
    assert problem.value.facts["first"] == 2


def test_infinite_values():
    with pytest.raises(NotFinite):
        model(released(made(x=np.array([1.0, np.inf, -1.0, 2.0]), y=np.arange(4.0))), "y ~ x")


@pytest.mark.parametrize("n", [1, 2, 3])
def test_too_few_records(n):
    with pytest.raises(TooFewRecords):
        model(released(few(n)), "y ~ e + w")


def test_nothing_observed():
    with pytest.raises(TooFewRecords):
        model(released(made(x=np.full(5, np.nan), y=np.arange(5.0))), "y ~ x")
    with pytest.raises(TooFewRecords):
        frequencies(released(made(k=np.array([None, None], dtype=object))), "k")


def test_dependent_regressors():
    g = np.random.default_rng(1)
    x = g.normal(size=50)
    data = made(x=x, z=2 * x + 1, c=np.ones(50), k=np.array(["same"] * 50), y=g.normal(size=50))
    for formula in ("y ~ x + z", "y ~ c", "y ~ k", "y ~ x + c"):
        with pytest.raises(Collinear):
            model(released(data), formula)


def test_too_many_categories():
    data = made(k=np.array([str(i) for i in range(400)]), y=np.arange(400.0))
    with pytest.raises(TooManyCategories):
        model(released(data), "y ~ k")


def test_not_positive_definite():
    """More noise than signal, few records: corrected moments are impossible, and nothing is shown."""
    found = 0
    for seed in range(10):
        g = np.random.default_rng(seed)
        e = g.uniform(10, 10.5, 30)
        data = made(e=e, y=e + g.normal(0, 1, 30))
        try:
            model(released(data, factors("e", shared="nothing"), secret=str(seed)), "y ~ e")
        except NotPositiveDefinite as problem:
            found += 1
            assert problem.exit_code == 3
            assert "30" in problem.text("de")
    assert found > 0


@pytest.mark.parametrize(
    "step",
    [
        C["microdata.mdav"](columns=("e", "w"), k=3),
        C["microdata.rank-swap"](columns={"e": {"percent": 5}}),
        noise(signs="keep"),
        noise(treat="outliers"),
        C["microdata.log-noise"](columns=("e",), offset=1.0),
    ],
    ids=lambda s: s.id,
)
def test_no_correction_is_known(step):
    release = released(few(200), step)
    with pytest.raises(NoCorrection) as problem:
        model(release, "y ~ e")
    assert problem.value.exit_code == 3
    assert "--as-is e" in problem.value.text("en")
    found = model(release, "y ~ e", as_is=["e"])
    assert "may be biased" in found.notes[0].en
    assert "verzerrt" in found.notes[0].de


def test_one_noise_after_the_other():
    with pytest.raises(NoCorrection, match="one after the other"):
        model(released(few(200), noise(), factors("e", shared="nothing")), "y ~ e")


def test_a_ratio_of_masked_columns():
    step = C["microdata.ratio"](into={"q": {"of": "e", "over": "y"}}, leak="masked-later")
    exact = model(released(few(200), step, factors("y", shared="nothing")), "q ~ w")
    assert exact.corrected == ()
    with pytest.raises(NoCorrection, match="after values had been changed"):
        model(released(few(200), factors("e", "y", shared="nothing"), step), "q ~ w")


def test_rotation_keeps_moments_among_its_columns_only():
    release = released(few(200), C["microdata.rotate"](columns=("e", "y")))
    found = model(release, "y ~ e")
    assert found["e"].estimate == pytest.approx(model(released(few(200)), "y ~ e")["e"].estimate)
    with pytest.raises(NoCorrection, match="rotated together"):
        model(release, "y ~ e + w")


def without(release, *gone):
    steps = tuple(
        Step(s.number, s.method, s.title, {k: v for k, v in s.facts.items() if k not in gone})
        for s in release.steps
    )
    return Release(release.name, release.data, steps, release.treated)


@pytest.mark.parametrize(
    ("step", "fact"),
    [
        (factors("e", shared="factor"), "factor"),
        (factors("e", shared="factor"), "shared"),
        (noise(), "variance_ratio"),
        (alike(), "columns"),
        (C["microdata.round"](columns=("e",), base=1.0), "base"),
        (C["microdata.round"](columns=("e",), base=1.0, totals="keep"), "squared_change"),
        (C["microdata.band"](columns=("e",), into={"width": 1.0}, show="midpoint"), "classes"),
    ],
    ids=lambda x: x if isinstance(x, str) else x.id,
)
def test_facts_that_are_missing(step, fact):
    with pytest.raises(NotTold) as problem:
        model(without(released(few(100), step), fact), "y ~ e")
    assert problem.value.exit_code == 2
    assert "'e'" in problem.value.text("en")


def test_strata_that_are_gone():
    data = few(200, s=np.array(["a", "b"] * 100))
    release = released(data, noise(within=("s",)))
    gone = Release(release.name, release.data.without(["s"]), release.steps, release.treated)
    with pytest.raises(NotTold, match="strata"):
        model(gone, "y ~ e")


def test_flags_that_are_gone():
    release = released(few(200), C["microdata.top-bottom-code"](columns=("y",), upper={"share": 0.1}))
    gone = Release(release.name, release.data.without(["y_limit"]), release.steps, release.treated)
    with pytest.raises(NotTold, match="flags"):
        model(gone, "y ~ e")


def test_moments_of_what_is_known_in_part():
    release = released(few(200), C["microdata.top-bottom-code"](columns=("y",), upper={"share": 0.1}))
    with pytest.raises(NoCorrection, match="constant alone"):
        moments(release, ["y"])


@pytest.mark.parametrize(
    "options",
    [
        {"level": 1.0},
        {"level": 0.1},
        {"bootstrap": 5},
        {"family": "probit"},
        {"seed": -1},
        {"weight": "negative"},
    ],
    ids=str,
)
def test_options(options):
    release = released(few(n=50, negative=np.linspace(-1, 1, 50)))
    with pytest.raises(OptionWrong):
        model(release, "y ~ e", **options)


def test_folders(tmp_path):
    with pytest.raises(NoAbout):
        open_release(tmp_path / "nowhere")
    for content in ("", "{", "[]", '{"columns": 5}', "[" * 100_000):
        (tmp_path / "about.json").write_text(content)
        with pytest.raises(NoAbout):
            open_release(tmp_path)
    (tmp_path / "about.json").write_text(json.dumps({"columns": []}))
    with pytest.raises(NoRecords):
        open_release(tmp_path)
    (tmp_path / "about.json").write_text(json.dumps({"columns": [{"name": "x", "kind": "number"}]}))
    (tmp_path / "data.csv").write_text("other\n1\n")
    with pytest.raises(NoRecords):
        open_release(tmp_path)
    (tmp_path / "data.csv").write_text("x\n1\n2.5\n")
    assert len(open_release(str(tmp_path)).data) == 2


def test_codes_say_whose_fault_it_is():
    assert issubclass(NotTold, InputWrong)
    assert issubclass(Collinear, InputWrong)
    assert issubclass(NotPositiveDefinite, Refused)
    assert issubclass(NoCorrection, Refused)
