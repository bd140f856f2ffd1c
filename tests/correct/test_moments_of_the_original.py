"""Means, variances and correlations: closed formulas, coverage, and the printed vector."""

import numpy as np
import pytest

import tarnkappe as tk
from correct.releasing import made, released
from correct.scenarios import alike, factors, firms, noise
from tarnkappe.correct import frequencies, moments
from tarnkappe.correct.release import Release, Step
from tarnkappe.errors.correct import NoCorrection
from tarnkappe.language import Text

E = np.exp(1.125)
V = np.exp(2.25) * (np.exp(0.25) - 1)
TRUTH = (E, 0.5 * E + 1, V, 0.25 * V + 1, 0.5 * V / np.sqrt(V * (0.25 * V + 1)))
"""Means and variances of e and w, and their correlation, in `firms`."""


def test_without_protection_they_are_the_plain_ones():
    data = firms(np.random.default_rng(1), 300)
    found = moments(released(made(**data)), ["e", "w"])
    values = [f.estimate for f in found.figures]
    r = np.corrcoef(data["e"], data["w"])[0, 1]
    assert values == pytest.approx([data["e"].mean(), data["w"].mean(), data["e"].var(), data["w"].var(), r])
    assert found["mean(e)"].error == pytest.approx(data["e"].std() / np.sqrt(300))
    assert all(f.naive == pytest.approx(f.estimate) for f in found.figures)


def test_formula_of_the_book():
    """V̂(X) = [V(XW) - V(W)·E(XW)²]/(1 + V(W)) (Höhne 2010, N18)."""
    x = np.random.default_rng(2).lognormal(3, 1, 500)
    facts = {"columns": ["x"], "factor": {"mean": 1.0, "variance": 0.013}, "shared": "nothing"}
    step = Step(1, "microdata.factor-noise", Text("noise", "Rauschen"), facts)
    found = moments(Release("x", made(x=x), (step,), {"x": (1,)}), ["x"])
    assert found["variance(x)"].estimate == pytest.approx((x.var() - 0.013 * x.mean() ** 2) / 1.013)


def test_formulas_of_additive_noise():
    """s²/(1 + α) and r·√((1 + α)(1 + α)) (specification G-C04); proportional noise leaves r as it is."""
    release = released(made(**firms(np.random.default_rng(1), 300)), noise())
    z = release.data.numbers(("e", "w"))
    found = moments(release, ["e", "w"])
    assert found["variance(e)"].estimate == pytest.approx(z[:, 0].var() / 1.2)
    assert found["correlation(e, w)"].estimate == pytest.approx(np.corrcoef(z.T)[0, 1] * 1.2)
    release = released(made(**firms(np.random.default_rng(1), 300)), alike())
    assert moments(release, ["e", "w"])["correlation(e, w)"].estimate == pytest.approx(
        np.corrcoef(release.data.numbers(("e", "w")).T)[0, 1]
    )


@pytest.mark.parametrize("noisy", [False, True])
@pytest.mark.parametrize("whole", [False, True])
@pytest.mark.parametrize("m", [3, 10, 60_000])
def test_rounding_with_totals_kept(m, whole, noisy):
    """In strata of three the errors have 1.22 twelfths of the squared base, with ties as well: a twelfth alone would leave the variance too large."""
    g = np.random.default_rng(m)
    x = g.poisson(100, 60_000) if whole else g.normal(50, 10, 60_000)
    noise = (tk.catalogue["microdata.noise"](columns=("x",), variance_ratio=0.01),) if noisy else ()
    step = tk.catalogue["microdata.round"](columns=("x",), base=10.0, totals="keep", within=("s",))
    release = released(made(x=x, s=(np.arange(60_000) // m).astype(str)), *noise, step)
    found = moments(release, ["x"])
    shown = release.data.column("x").values
    part = release.steps[-1].facts["squared_change"]["x"]
    grown = 1.01 if noisy else 1.0
    assert found["variance(x)"].estimate == pytest.approx(
        x.var(), abs=1.2
    )  # five standard errors: of x and rounding, and of x and noise
    if m == 3:
        assert shown.var() / grown - 100 / 12 - x.var() > 1.4
    if not noisy:
        assert found["variance(x)"].estimate == pytest.approx(shown.var() - 100 * part)
        assert f"{part:.3f}"[:4] in found.corrected[0].en and "with totals kept" in found.corrected[0].en


STEPS = {
    "additive": noise(),
    "correlated": alike(),
    "Kim": alike(kim="sample"),
    "shared factor": factors("e", "w", shared="factor"),
    "shared sign": factors("e", "w", shared="sign", law="mixture"),
}


@pytest.mark.parametrize("name", STEPS)
def test_intervals_cover(name):
    """150 files of 800 records, 95 % intervals of 5 figures; below 0.80 a coverage of 0.92 falls less than once in a million.

    Variances of skewed data are estimated with intervals that cover a little less than their level.
    """
    g = np.random.default_rng(5)
    inside = []
    for _ in range(150):
        release = released(made(**firms(g, 800)), STEPS[name], secret=str(g.integers(1 << 62)))
        found = moments(release, ["e", "w"])
        inside.append([f.low <= true <= f.high for f, true in zip(found.figures, TRUTH, strict=True)])
    assert np.mean(inside, axis=0).min() > 0.80


def test_weights():
    data = firms(np.random.default_rng(1), 200)
    data["p"] = np.tile([1.0, 3.0], 100)
    found = moments(released(made(**data)), ["e"], weight="p")
    assert found["mean(e)"].estimate == pytest.approx(np.average(data["e"], weights=data["p"]))
    assert tk.correct.moments is moments


@pytest.mark.parametrize(
    ("id", "chosen"),
    [
        ("swap", {"columns": ("e", "k")}),
        ("half-swap", {"columns": ("e", "k"), "order": {"k": ("a", "b", "c")}}),
        ("rank-swap", {"columns": {n: {"percent": 20} for n in "ek"}, "order": {"k": ("a", "b", "c")}}),
        ("shuffle", {"columns": ("e", "k"), "given": ("w",)}),
        ("covariance-swap", {"columns": ("e", "w"), "tolerance": 0.5}),
    ],
)
def test_a_column_that_was_exchanged_is_right_by_itself(id, chosen):
    """Its values are all there; beside other columns, weights among them, they stand at the wrong records."""
    g = np.random.default_rng(7)
    data = {**firms(g, 300), "k": g.choice(list("abc"), 300, p=[0.5, 0.3, 0.2])}
    release = released(made(**data), tk.catalogue[f"microdata.{id}"](**chosen))
    found = moments(release, ["e"])
    assert found["mean(e)"].estimate == pytest.approx(data["e"].mean())
    assert found["variance(e)"].estimate == pytest.approx(data["e"].var())
    assert "by itself" in found.corrected[0].en
    if "k" in chosen["columns"]:
        counts = frequencies(release, "k")
        assert [counts[a].estimate for a in "abc"] == [np.count_nonzero(data["k"] == a) for a in "abc"]
        with pytest.raises(NoCorrection, match="relations"):
            frequencies(release, "k", target="population", weight="w")
    for several, weight in ((["e", "w"], None), (["e"], "y")):
        with pytest.raises(NoCorrection, match="relations"):
            moments(release, several, weight=weight)
