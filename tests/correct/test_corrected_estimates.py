"""Corrected estimates: right on large files, covering at their level on small ones, and equal to others' where those exist.

Coverage: 120 files of 800 records each. Intervals of 95 % may cover two points less or 3.5 more (skewed data, few records); beyond
that a test fails by chance with a probability below one in a million per coefficient. Naive intervals of these models cover the
masked coefficients in fewer than half of the files, which the test would find with certainty.
"""

import numpy as np
import pytest
import statsmodels.api as sm

import tarnkappe as tk
from correct.releasing import made, released
from correct.scenarios import APPROXIMATE, SCENARIOS, alike, firms, groups, noise
from tarnkappe.correct import model
from tarnkappe.correct.release import Release, Step
from tarnkappe.errors import Refused
from tarnkappe.language import Text
from tarnkappe.vocab import Role

FAST, LONG = (120, 800), (3000, 2000)


def coverage(scenario, files, records, seed=5):
    """Share of the files whose intervals cover; at most a twentieth may be refused."""
    g = np.random.default_rng(seed)
    inside = []
    for _ in range(files):
        try:
            found = scenario.result(g, records)
        except Refused:
            continue
        inside.append([found[name].low <= true <= found[name].high for name, true in scenario.truth.items()])
    assert len(inside) >= 0.95 * files
    return np.mean(inside, axis=0)


def bounds(files, low=0.93, high=0.985):
    """4.9 standard errors beyond what is allowed: one in a million."""
    return low - 4.9 * np.sqrt(low * (1 - low) / files), min(
        high + 4.9 * np.sqrt(high * (1 - high) / files), 1.0
    )


@pytest.mark.parametrize("name", SCENARIOS)
def test_intervals_cover(name):
    low, high = bounds(FAST[0], high=1.0 if SCENARIOS[name].wide else 0.985)
    found = coverage(SCENARIOS[name], *FAST)
    assert np.all((found >= low) & (found <= high)), found


@pytest.mark.long
@pytest.mark.parametrize("name", SCENARIOS)
def test_intervals_cover_exactly(name):
    low, high = bounds(LONG[0], high=1.0 if SCENARIOS[name].wide else 0.985)
    found = coverage(SCENARIOS[name], *LONG)
    assert np.all((found >= low) & (found <= high)), found


@pytest.mark.long
@pytest.mark.parametrize("name", APPROXIMATE)
def test_intervals_of_simulation_cover(name):
    """SIMEX is an approximation: two points less than the level are allowed. The draws are the same every time (93.5 to 97 %), so there is no
    room beyond that: what the manual states is what is asserted."""
    found = coverage(APPROXIMATE[name], 400, 800)
    assert np.all((found >= 0.93) & (found <= 0.985)), found


@pytest.mark.parametrize("name", SCENARIOS)
def test_large_files(name):
    """Within five standard errors of the truth with 20,000 records."""
    found = SCENARIOS[name].result(np.random.default_rng(1), 20_000)
    for coefficient, true in SCENARIOS[name].truth.items():
        figure = found[coefficient]
        assert abs(figure.estimate - true) < 5 * figure.error, coefficient
        assert figure.error < 0.5


@pytest.mark.parametrize(
    "name", ["shared factor", "additive", "correlated", "PRAM, given", "top coded", "PRAM, outcome"]
)
def test_plain_analysis_is_biased(name):
    """What is corrected is worth correcting: some naive coefficient is ten standard errors off."""
    found = SCENARIOS[name].result(np.random.default_rng(1), 20_000)
    off = [abs(found[c].naive - true) / found[c].naive_error for c, true in SCENARIOS[name].truth.items()]
    assert max(off) > 10


# -- others' computations ---------------------------------------------------------------------------------------------


def frame(found):
    return [f.estimate for f in found.figures], [f.error for f in found.figures]


def test_without_protection_it_is_least_squares_with_hc1():
    data = firms(np.random.default_rng(2), 300)
    values, errors = frame(model(released(made(**data)), "y ~ e + w"))
    x = sm.add_constant(np.column_stack([data["e"], data["w"]]))
    other = sm.OLS(data["y"], x).fit(cov_type="HC1")
    assert values == pytest.approx(other.params)
    assert errors == pytest.approx(other.bse)
    found = model(released(made(**data)), "y ~ e + w")
    assert found.r2 == pytest.approx(other.rsquared)
    ends = sm.OLS(data["y"], x).fit(cov_type="HC1", use_t=True).conf_int(0.05)
    np.testing.assert_allclose([(f.low, f.high) for f in found.figures], ends)


def test_large_means_lose_no_digits():
    g = np.random.default_rng(2)
    year = 2e6 + g.normal(0, 1, 200)
    y = 3 * year + g.normal(0, 1, 200)
    values, errors = frame(model(released(made(t=year, y=y)), "y ~ t"))
    other = sm.OLS(y, sm.add_constant(year - 2e6)).fit(cov_type="HC1")
    assert values[1] == pytest.approx(other.params[1], rel=1e-9)
    assert errors[1] == pytest.approx(other.bse[1], rel=1e-6)


def test_weights_are_those_of_weighted_least_squares():
    data = firms(np.random.default_rng(3), 200)
    data["p"] = np.random.default_rng(4).uniform(0.5, 3, 200)
    values, errors = frame(model(released(made(**data)), "y ~ e", weight="p"))
    other = sm.WLS(data["y"], sm.add_constant(data["e"]), weights=data["p"]).fit(cov_type="HC1")
    assert values == pytest.approx(other.params)
    assert errors == pytest.approx(other.bse)


def test_logit_is_that_of_statsmodels():
    g = np.random.default_rng(3)
    x = g.normal(5, 2, 400)
    y = (g.random(400) < 1 / (1 + np.exp(2.5 - 0.5 * x))).astype(float)
    values, errors = frame(model(released(made(x=x, y=y)), "y ~ x", family="logit"))
    other = sm.Logit(y, sm.add_constant(x)).fit(disp=0, cov_type="HC1")
    assert values == pytest.approx(other.params, rel=1e-6)
    assert np.array(errors) * np.sqrt(398 / 400) == pytest.approx(
        other.bse, rel=1e-5
    )  # its HC1 has no n/(n - k)


def test_units_that_share_a_factor_are_clusters():
    g = np.random.default_rng(6)
    data = firms(g, 400)
    unit = np.array([f"u{i // 4}" for i in range(400)])
    step = tk.catalogue["microdata.factor-noise"](columns=("y",), shared="factor", unit=("u",))
    release = released(made(u=unit, **data), step)
    found = model(release, "y ~ e")
    x, y = sm.add_constant(data["e"]), release.data.column("y").numbers()
    other = sm.OLS(y, x).fit(cov_type="cluster", cov_kwds={"groups": np.arange(400) // 4})
    assert [f.error for f in found.figures] == pytest.approx(other.bse)


def test_units_that_share_noise_are_clusters():
    """Errors of the outcome that a unit has in common; and a release without the units says that it lacks them."""
    g = np.random.default_rng(6)
    data = firms(g, 400)
    unit = np.array([f"u{i // 4}" for i in range(400)])
    step = tk.catalogue["microdata.noise"](columns=("y",), unit=("u",), common=0.8)
    release = released(made(u=unit, **data), step)
    found = model(release, "y ~ e")
    x, y = sm.add_constant(data["e"]), release.data.column("y").numbers()
    other, alone = (
        sm.OLS(y, x).fit(cov_type="cluster", cov_kwds={"groups": groups}).bse
        for groups in (np.arange(400) // 4, np.arange(400))
    )
    assert [f.error for f in found.figures] == pytest.approx(other, rel=0.02)
    assert abs(alone[0] / other[0] - 1) > 0.05, "which is told from records that are counted one by one"
    assert not any("does not show units" in note.en for note in found.notes)
    nameless = released(made(u=unit, **data), step, tk.catalogue["microdata.drop"](columns=("u",)))
    assert any("does not show units" in note.en for note in model(nameless, "y ~ e").notes)


def test_categories_are_dummies():
    data = groups(np.random.default_rng(3), 300)
    values, _ = frame(model(released(made(**data)), "y ~ k + x"))
    x = np.column_stack([np.ones(300), data["k"] == "b", data["k"] == "c", data["x"]]).astype(float)
    assert values == pytest.approx(np.linalg.lstsq(x, data["y"], rcond=None)[0])
    values, _ = frame(model(released(made(**data)), "y ~ k + x - 1"))
    assert len(values) == 4


def test_errors_in_variables_by_hand():
    """β = (S_zz - D)⁻¹ S_zy with D = α/(1 + α)·s² (specification G-C04)."""
    release = released(made(**firms(np.random.default_rng(8), 500)), noise())
    z, y = release.data.numbers(("e", "w")), release.data.column("y").numbers()
    s = np.cov(np.column_stack([z, y]).T, ddof=0)
    d = np.diag(0.2 / 1.2 * np.diag(s)[:2])
    found = model(release, "y ~ e + w")
    assert [found["e"].estimate, found["w"].estimate] == pytest.approx(
        np.linalg.solve(s[:2, :2] - d, s[:2, 2])
    )


def test_noise_within_strata():
    """Two strata of very different spread: the noise of each is taken off its own variance."""
    g = np.random.default_rng(3)
    n = 40_000
    s = np.where(g.random(n) < 0.5, "big", "small")
    e = g.normal(0, 1, n) * np.where(s == "big", 10, 1)
    data = made(s=s, e=e, w=g.normal(0, 1, n), y=1 + 2 * e + g.normal(0, 1, n))
    release = released(
        data, tk.catalogue["microdata.noise"](columns=("e",), variance_ratio=0.5, within=("s",))
    )
    small = model(release, "y ~ e + s")
    assert abs(small["e"].estimate - 2) < 5 * small["e"].error
    assert small["e"].naive < 1.5


def test_records_with_gaps_do_not_move_the_noise():
    """The noise has its size from the whole file; a model on those without gaps must know that."""
    g = np.random.default_rng(3)
    n = 40_000
    e = g.normal(0, 1, n)
    other = np.where(np.abs(e) > 0.5, np.nan, 1.0)
    data = made(e=e, o=other + g.normal(0, 1, n), y=1 + 2 * e + g.normal(0, 1, n))
    release = released(data, tk.catalogue["microdata.noise"](columns=("e",), variance_ratio=0.1))
    found = model(release, "y ~ e + o")
    assert found.left_out > 20_000
    assert abs(found["e"].estimate - 2) < 5 * found["e"].error


def test_bootstrap_agrees_with_the_sandwich():
    release = released(made(**firms(np.random.default_rng(4), 1500)), SCENARIOS["shared factor"].steps[0])
    plain, drawn = (model(release, "y ~ e + w", bootstrap=b) for b in (0, 400))
    for one, two in zip(plain.figures, drawn.figures, strict=True):
        assert one.estimate == two.estimate
        assert two.error == pytest.approx(one.error, rel=0.25)
        assert two.low < two.estimate < two.high
    again = model(release, "y ~ e + w", bootstrap=400)
    assert again.figures == drawn.figures


def test_bootstrap_of_likelihoods():
    release = released(made(**firms(np.random.default_rng(4), 400)), SCENARIOS["top coded"].steps[0])
    plain, drawn = (model(release, "y ~ e", bootstrap=b) for b in (0, 100))
    assert drawn["e"].error == pytest.approx(plain["e"].error, rel=0.4)


def test_rounded_noise_is_rounded_noise():
    """Whole numbers that are masked and rounded again: the rounding is taken off as well."""
    g = np.random.default_rng(3)
    n = 100_000
    e = g.poisson(2, n)
    data = made(e=e, y=1 + 2 * e + g.normal(0, 1, n))
    release = released(
        data, tk.catalogue["microdata.noise"](columns=("e",), variance_ratio=0.3, whole="nearest")
    )
    found = model(release, "y ~ e")
    assert abs(found["e"].estimate - 2) < 5 * found["e"].error


def test_what_is_said():
    release = released(
        made({Role.WEIGHT: ("p",)}, p=np.ones(200), **firms(np.random.default_rng(4), 200)), alike()
    )
    found = model(release, "y ~ e + w")
    assert "0.2 times the variance" in found.corrected[0].en
    assert "0,2-Fachen" in found.corrected[0].de
    assert "--weight p" in found.notes[0].en
    assert "as released" in str(found)
    assert "<table>" in found._repr_html_()
    assert found.as_json()["figures"][0]["name"] == "constant"


def test_r2_that_is_no_share_is_not_shown_as_one():
    x1, x2 = np.array([0.5, 1.5, 3, 5, 7.5, 7.5, 5.25, 8]), np.array([0.0, 1, 0, 1, 1, 0, 1, 0])
    data = made(x1=x1, x2=x2, y=np.array([4.1, 6.3, 8.3, 10.4, 12.7, 13.7, 16.6, 17.9]))
    facts = {"columns": ["x1"], "factor": {"mean": 1.0, "variance": 1 / 12}, "shared": "nothing"}
    step = Step(1, "microdata.factor-noise", Text("noise", "Rauschen"), facts)
    found = model(Release("tiny", data, (step,), {"x1": (1,)}), "y ~ x1 + x2")
    assert found.r2 is None
    assert "no share" in " ".join(n.en for n in found.notes)
    assert "1.15" in " ".join(n.en for n in found.notes)
