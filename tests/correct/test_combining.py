"""Combining rules against the specification's vector, and by simulation."""

import numpy as np
import pytest

import tarnkappe as tk
from correct.releasing import made, released
from tarnkappe.correct import combined, model
from tarnkappe.correct.combining import RULES, Several, imputations
from tarnkappe.errors.correct import OptionWrong, SeveralDiffer

Q = np.array([[1.0], [1.2], [0.9], [1.1], [0.8]])
U = np.array([[0.04], [0.05], [0.045], [0.05], [0.04]])


@pytest.mark.parametrize(
    ("rule", "variance"),
    [
        ("partially-synthetic", 0.05),
        ("imputed", 0.075),
        ("synthetic-simple", 0.054),
        ("synthetic-proper", 0.063),
        ("as-original", 0.045),
    ],
)
def test_vector_of_the_specification(rule, variance):
    """DAV (2025), specification 4.2."""
    several = Several(Q, U)
    assert several.mean[0] == pytest.approx(1.0)
    found, freedom = RULES[rule][0](several)
    assert found[0] == pytest.approx(variance)
    if rule == "partially-synthetic":
        assert freedom[0] == pytest.approx(400)


def test_fully_synthetic_falls_back_where_it_would_be_negative():
    """(1 + 1/m) b - ū = -0.015 there: (k/n) ū instead."""
    found, _ = RULES["fully-synthetic"][0](Several(Q, U, ratio=0.5))
    assert found[0] == pytest.approx(0.0225)
    wide, _ = RULES["fully-synthetic"][0](Several(Q * 3, U))
    assert wide[0] == pytest.approx(1.2 * 0.225 - 0.045)


def test_what_the_original_would_show_scales_with_its_records():
    """ū k/n: files of half as many records have twice the variance of the original."""
    found, freedom = RULES["as-original"][0](Several(Q, U, ratio=0.5))
    assert found[0] == pytest.approx(0.0225)
    assert np.isinf(freedom[0])
    g = np.random.default_rng(5)
    x = g.normal(size=400)
    y = 1 + 2 * x + g.normal(size=400)
    fits = np.polyfit(x, y, 1), (y - np.polyval(np.polyfit(x, y, 1), x)).std()
    files = []
    for _ in range(20):
        new = g.choice(x, 200)
        files.append(released(made(x=new, y=np.polyval(fits[0], new) + g.normal(0, fits[1], 200))))
    as_original = combined(files, "y ~ x", "as-original", original_records=400)["x"]
    truth = model(released(made(x=x, y=y)), "y ~ x")["x"]
    assert as_original.error == pytest.approx(truth.error, rel=0.2)
    assert as_original.estimate == pytest.approx(truth.estimate, abs=0.06)


def imputed(g, n=300, m=5):
    """Files whose missing y were drawn from a model, with its parameters drawn (proper imputation)."""
    x = g.normal(0, 1, n)
    y = 1 + 2 * x + g.normal(0, 1, n)
    gone = g.random(n) < 0.3
    a = np.column_stack([np.ones(n), x])[~gone]
    beta = np.linalg.lstsq(a, y[~gone], rcond=None)[0]
    rest = ((y[~gone] - a @ beta) ** 2).sum()
    files = []
    for _ in range(m):
        s = np.sqrt(rest / g.chisquare(len(a) - 2))
        drawn = g.multivariate_normal(beta, s**2 * np.linalg.inv(a.T @ a))
        fresh = np.column_stack([np.ones(n), x]) @ drawn + g.normal(0, s, n)
        files.append(released(made(x=x, y=np.where(gone, fresh, y))))
    return files


def test_imputed_files_cover():
    """200 originals: 95 % intervals cover in at least 0.87 (less than one in a million by chance); one file alone does less well."""
    g = np.random.default_rng(3)
    inside, width = [], []
    for _ in range(200):
        files = imputed(g)
        found = combined(files, "y ~ x", "imputed")
        inside.append(
            [found["constant"].low <= 1 <= found["constant"].high, found["x"].low <= 2 <= found["x"].high]
        )
        width.append(found["x"].error / model(files[0], "y ~ x")["x"].error)
    assert np.mean(inside, axis=0).min() > 0.87
    assert np.mean(width) > 1.1


def test_files_must_be_alike():
    g = np.random.default_rng(3)
    one = released(made(k=np.array(["a", "b"] * 20), y=g.normal(size=40)))
    two = released(made(k=np.array(["a", "c"] * 20), y=g.normal(size=40)))
    with pytest.raises(SeveralDiffer, match="k\\[b\\], k\\[c\\]"):
        combined([one, two], "y ~ k", "imputed")
    with pytest.raises(OptionWrong):
        combined([one], "y ~ k", "imputed")
    with pytest.raises(OptionWrong):
        combined([one, one], "y ~ k", "anyhow")
    with pytest.raises(OptionWrong):
        combined([one, one], "y ~ k", "imputed", original_records=0)
    assert (
        combined([one], "y ~ k", "synthetic-simple")["constant"].error > model(one, "y ~ k")["constant"].error
    )


def test_a_release_with_several_imputations_is_several_files():
    """Rubin's rules over the draws of microdata.impute: intervals cover, those of one imputation alone do not."""
    g = np.random.default_rng(9)
    inside = {"imputed": [], "alone": []}
    step = tk.catalogue["microdata.impute"](
        column="y",
        predictors=("x", "z"),
        records=tuple(range(1, 151)),
        model="regression-residual",
        draws=8,
        apart=0,
    )
    for number in range(60):
        x, z = g.normal(size=(2, 300))
        y = 1 + 2 * x + z + g.normal(size=300)
        release = released(made(x=x, y=y, z=z), step, secret=f"secret {number}")
        found = combined([release], "y ~ x + z", "imputed", as_is=["y"])["x"]
        alone = model(release, "y ~ x + z", as_is=["y"])["x"]
        inside["imputed"].append(found.low <= 2 <= found.high)
        inside["alone"].append(alone.low <= 2 <= alone.high)
        assert found.error > alone.error * 0.9
    assert np.mean(inside["imputed"]) >= 0.88
    assert np.mean(inside["imputed"]) > np.mean(inside["alone"])
    assert len(imputations(release)) == 8
    assert imputations(release)[3].data.names == ("x", "y", "z")
