"""The masking simulator against Gottschalk's first study, its own computation by hand, and bad input."""

import json

import numpy as np
import pytest
import scipy.stats
import statsmodels.api as sm

import tarnkappe as tk
from correct.releasing import made
from correct.scenarios import firms, groups
from tarnkappe.correct import model, simulate
from tarnkappe.correct.result import short
from tarnkappe.correct.simulation import protected
from tarnkappe.errors.correct import FormulaWrong, OptionWrong
from tarnkappe.errors.data import ColumnMissing
from tarnkappe.vocab import Role

FACTORS = tk.catalogue["microdata.factor-noise"](columns=("e",), factors={"law": "uniform"}, shared="nothing")
DATA = made(**firms(np.random.default_rng(3), 400))


def test_masking_biases_and_correcting_does_not():
    """Relations of table 2 (specification 6.3): one data set, 60 draws of the factor."""
    found = simulate(DATA, [FACTORS], "y ~ e + w", 60)
    row = found["e"]
    assert row.masked.p < 1e-6
    assert row.masked.bias < 0
    assert row.corrected.p > 1e-4
    assert abs(row.corrected.bias) < abs(row.masked.bias) / 4
    assert found.replications == row.masked.replications == 60
    assert {(r.name, r.what) for r in found.rows} == {
        *((n, w) for n in ("constant", "e", "w") for w in ("estimate", "variance")), ("R²", "estimate")
    }  # fmt: skip


def test_figures_by_hand():
    """Every replication released and estimated here, summarised by scipy and numpy."""
    found = simulate(DATA, [FACTORS], "y ~ e + w", 12, seed=5)
    x = np.column_stack([np.ones(400), DATA.numbers(["e", "w"])])
    original = sm.OLS(DATA.column("y").numbers(), x).fit(cov_type="HC1")
    masked, corrected = [], []
    for number in range(12):
        release = protected(DATA, [FACTORS], "simulation 5", number)
        x[:, 1] = release.data.column("e").numbers()
        masked.append(sm.OLS(DATA.column("y").numbers(), x).fit(cov_type="HC1"))
        corrected.append(model(release, "y ~ e + w")["e"].estimate)
    row, values = found["e"], np.array([one.params[1] for one in masked])
    assert row.original == pytest.approx(original.params[1])
    assert row.error == pytest.approx(original.bse[1])
    assert (row.masked.mean, row.masked.sd) == pytest.approx((values.mean(), values.std(ddof=1)))
    assert (row.masked.low, row.masked.median, row.masked.high) == pytest.approx(
        tuple(np.quantile(values, [0, 0.5, 1]))
    )
    test = scipy.stats.ttest_1samp(values, original.params[1])
    assert (row.masked.t, row.masked.p) == pytest.approx((test.statistic, test.pvalue))
    assert row.corrected.bias == pytest.approx(np.mean(corrected) - original.params[1])
    variance = next(r for r in found.rows if r.name == "e" and r.what == "variance")
    assert variance.masked.mean == pytest.approx(np.mean([one.bse[1] ** 2 for one in masked]))
    assert found["R²"].masked.mean == pytest.approx(np.mean([one.rsquared for one in masked]))


def test_the_same_seed_the_same_figures():
    one, two, other = (simulate(DATA, [FACTORS], "y ~ e", 3, seed=s) for s in (1, 1, 2))
    assert one == two != other


def test_without_correction_the_masked_estimates_are_told():
    found = simulate(DATA, [tk.catalogue["microdata.mdav"](columns=("e", "w"), k=5)], "y ~ e", 5)
    assert found["e"].corrected is None
    assert found["e"].masked.replications == 1  # nothing random
    assert found["e"].masked.p is None
    assert "no estimate corrected" in found.notes[1].en
    assert "random numbers" in found.notes[0].en
    assert "–" in str(found)


def test_columns_that_vanish():
    found = simulate(DATA, [tk.catalogue["microdata.drop"](columns=("e",))], "y ~ e", 5)
    assert found["e"].masked is None
    assert len(found.notes) == 3


def test_categories_and_several_steps():
    data = made(**groups(np.random.default_rng(2), 600))
    steps = [
        tk.catalogue["microdata.pram"](columns=("k",), alpha=0.3),
        tk.catalogue["microdata.noise"](columns=("x",), variance_ratio=0.2),
    ]
    found = simulate(data, steps, "y ~ k + x", 20)
    assert abs(found["k[c]"].corrected.bias) < abs(found["k[c]"].masked.bias)
    assert len(found.steps) == 2
    assert json.loads(json.dumps(found.as_json(), allow_nan=False))["rows"][0]["masked"]["replications"] == 20
    assert "<table>" in found._repr_html_()


def test_no_record_is_shown():
    """Nothing but coefficients: no value of the data stands in what comes out."""
    text = json.dumps(simulate(DATA, [FACTORS], "y ~ e", 3).as_json()) + str(
        simulate(DATA, [FACTORS], "y ~ e", 3)
    )
    assert not any(f"{v:.6g}" in text for v in DATA.column("e").numbers())


def test_bad_input():
    with pytest.raises(OptionWrong):
        simulate(DATA, [FACTORS], "y ~ e", 1)
    with pytest.raises(FormulaWrong):
        simulate(DATA, [FACTORS], "y ~", 5)
    with pytest.raises(ColumnMissing):
        simulate(DATA, [FACTORS], "y ~ nothing", 5)
    owned = made({Role.IDENTIFIER: ("e",)}, **firms(np.random.default_rng(3), 50))
    with pytest.raises(tk.errors.TarnkappeError):
        simulate(owned, [FACTORS], "y ~ w", 5)


@pytest.mark.parametrize(
    ("value", "shown"),
    [(0.0, "0"), (2.5e-7, "2.500e-07"), (-2.5e-7, "-2.500e-07"), (1e-4, "0.0001"), (2.5e12, "2.500e+12")],
)
def test_numbers_that_fit_into_a_table(value, shown):
    assert short(value, "en") == shown
    assert short(value, "de") == shown.replace(".", ",")
