"""Table A.2 as properties: each method on simulated data, and whether means and variances are biased, and in which direction (specification 6.4)."""

import numpy as np
import pytest
from scipy.stats import ks_2samp

from tarnkappe.data.column import Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.randomness import public_stream
from tarnkappe.spec import catalogue
from tarnkappe.spec.effects import TABLE, Effect
from tarnkappe.spec.parameters import build
from tarnkappe.spec.step import apply_step
from tarnkappe.vocab import Kind, Role

UNBIASED, BIASED = 4.5, 6.0
"""t-values of the mean difference over the replications: below the first by chance but for one in 100,000; above the second never."""
SHORT, LONG = (1200, 20), (5000, 200)
PAIR = ["x", "y"]
"""Every method of the table on the columns x and y, and the direction of the bias where there is one: of the mean and of the variance."""
CASES = {
    "microdata.top-bottom-code": ({"columns": ["x"], "upper": {"share": 0.1}}, -1, -1),
    "microdata.age": ({"release": "2030-06-30", "lag": 12, "column": "year"}, 0, 0),
    "microdata.sample": ({"share": 0.5}, 0, 0),
    "microdata.cut-off": ({"column": "x", "lower": 2.0}, 1, -1),
    "microdata.half-swap": ({"columns": PAIR}, 0, 0),
    "microdata.rank-swap": ({"columns": {"x": {"percent": 10}}}, 0, 0),
    "microdata.swap": ({"columns": ["x"]}, 0, 0),
    "microdata.impute": ({"column": "x", "predictors": ["y"], "model": "regression", "apart": 0}, 0, -1),
    "microdata.axis-average": ({"columns": PAIR, "k": 10}, 0, -1),
    "microdata.cluster-average": ({"columns": PAIR, "k": 10}, 0, -1),
    "microdata.mdav": ({"columns": PAIR, "k": 10}, 0, -1),
    "microdata.rank-average": ({"columns": ["x"], "k": 10}, 0, -1),
    "microdata.noise": ({"columns": PAIR, "variance_ratio": 0.2}, 0, 1),
    "microdata.correlated-noise": ({"columns": PAIR, "variance_ratio": 0.2, "kim": "sample"}, 0, 0),
    "microdata.sullivan": ({"columns": PAIR, "redraws": 1000, "unprotected": "suppress"}, 0, 0),
    "microdata.factor-noise": ({"columns": PAIR}, 0, 1),
}
NO_NUMBER = {
    "microdata.band": {"columns": ["x"], "into": {"width": 1.0}},
    "microdata.generalise": {"columns": {"g": 0}},
    "microdata.drop": {"columns": ["x"]},
    "microdata.combine": {"into": {"s": {"x": 1, "y": 1}}, "leak": "masked-later"},
}
"""What is left is no number, or not there: means are not biased, but gone."""
RARE = {
    "microdata.local-suppression": {"keys": ["g", "h"], "k": 5},
    "microdata.suppress-cells": {"values": {"g": ["rare"]}},
    "microdata.suppress-at-risk": {"columns": ["g"], "keys": ["g", "h"]},
}
"""Rare values are the ones that go: the share of the rare category becomes smaller."""


def firms(n, seed):
    rng = np.random.default_rng(seed)
    x = rng.gamma(4.0, 1.0, n)
    columns = {
        "x": Column.numbers_of(x),
        "y": Column.numbers_of(1 + 2 * x + rng.normal(0, 1, n)),
        "year": Column(Kind.INTEGER, rng.integers(2027, 2031, n)),
        "g": Column.texts_of(np.where(rng.random(n) < 0.01, "rare", "usual").tolist()),
        "h": Column.texts_of(rng.choice(list("abcdefgh"), n).tolist()),
    }
    return Microdata(columns, {Role.NUMERIC: ("x", "y"), Role.KEY: ("g", "h")})


def replicated(id, parameters, figure, size):
    """The differences of a figure after and before, one of every data set with draws of its own."""
    n, times = size
    step = build(catalogue[id], parameters)
    out = []
    for number in range(times):
        data = firms(n, number)
        after = apply_step(step, data, public_stream(f"replication {number}", id))
        out.append(figure(after) - figure(data))
    return np.array(out)


def t_value(differences, scale):
    """The mean over its standard error; exact figures have none, and are off by rounding only."""
    error = differences.std(ddof=1) / np.sqrt(len(differences))
    if error < 1e-9 * scale:
        return 0.0 if abs(differences.mean()) < 1e-9 * scale else np.sign(differences.mean()) * np.inf
    return float(differences.mean() / error)


def moment(name, power):
    def figure(data):
        values = data.column(name).numbers()
        return float(np.nanmean(values) if power == 1 else np.nanvar(values))

    return figure


def row_of(id):
    return next(row for row in TABLE if id in row.here)


def agrees(id, size):
    parameters, *signs = CASES[id]
    for place, sign in enumerate(signs):
        effect = row_of(id).effects[place]
        assert (sign == 0) == (effect is Effect.UNBIASED), "the case says what the table says"
        assert effect is not Effect.SMALLER or sign == -1
        t = t_value(replicated(id, parameters, moment("x", place + 1), size), 4.0)
        if sign:
            assert sign * t > BIASED, f"{id}: t = {t:.1f}"
        else:
            assert abs(t) < UNBIASED, f"{id}: t = {t:.1f}"


@pytest.mark.parametrize("id", sorted(CASES))
def test_bias_of_means_and_variances(id):
    agrees(id, SHORT)


@pytest.mark.long
@pytest.mark.parametrize("id", sorted(CASES))
def test_bias_of_means_and_variances_in_200_replications(id):
    agrees(id, LONG)


def test_every_method_of_the_table_has_its_case():
    """Leaving out records by their numbers is systematic or not, as they are chosen: it is tested by itself."""
    known = {*CASES, *NO_NUMBER, *RARE, "microdata.suppress-records"}
    assert {id for row in TABLE for id in row.here} == known


def test_records_left_out_by_their_size_bias_all():
    n = 1200
    differences = []
    for number in range(10):
        data = firms(n, number)
        largest = np.argsort(-data.column("x").values)[:100] + 1
        step = build(
            catalogue["microdata.suppress-records"], {"records": sorted(largest.tolist()), "budget": 0.2}
        )
        after = apply_step(step, data, public_stream("s", step.id))
        differences.append([moment("x", p)(after) - moment("x", p)(data) for p in (1, 2)])
    assert np.all(np.array(differences) < 0)


@pytest.mark.parametrize("id", sorted(NO_NUMBER))
def test_what_is_left_is_no_number(id):
    from tarnkappe.data.hierarchy_builders import from_tree

    data = firms(400, 1)
    tree = from_tree("g", {"all": ["rare", "usual"]})
    data = data.with_columns({"g": Column.texts_of(data.column("g").texts().tolist(), hierarchy=tree)})
    after = apply_step(build(catalogue[id], NO_NUMBER[id]), data, public_stream("s", id))
    effects = row_of(id).effects
    if effects[0] is Effect.NONE:
        assert "x" not in after.names
        assert effects[2] is Effect.MIS_SPECIFIED
    else:
        treated = "x" if "x" in str(NO_NUMBER[id]) else "g"
        assert not after.column(treated).kind.is_number
        assert len(set(after.column(treated).texts())) < len(set(data.column(treated).texts()))


@pytest.mark.parametrize("id", sorted(RARE))
def test_rare_values_are_the_ones_that_go(id):
    def share(data):
        shown = data.column("g").texts()[data.column("g").observed]
        return float(np.mean(shown == "rare"))

    assert row_of(id).effects == (Effect.BIASED,) * 5
    found = replicated(id, RARE[id], share, (600, 8))
    assert np.all(found <= 0)
    assert found.mean() < -0.001


@pytest.mark.parametrize(
    "id", ["microdata.swap", "microdata.rank-swap", "microdata.half-swap", "microdata.sullivan"]
)
def test_distributions_of_single_columns_are_kept_where_the_text_says_so(id):
    """Against the print: swapping keeps univariate and loses multivariate distributions, Sullivan keeps univariate ones."""
    assert row_of(id).effects[3] is Effect.UNBIASED
    assert row_of(id).as_printed[3] is not Effect.UNBIASED
    data = firms(1200, 3)
    after = apply_step(build(catalogue[id], CASES[id][0]), data, public_stream("s", id))
    was, now = (np.sort(d.column("x").values) for d in (data, after))
    if id == "microdata.sullivan":  # drawn from the same distribution, not the same values
        assert ks_2samp(was, now).statistic < 0.05
    else:
        assert np.abs(was - now).max() <= 1e-9 * was.max()
    r = [np.corrcoef(d.column("x").values, d.column("y").values)[0, 1] for d in (data, after)]
    assert r[1] < r[0] - 0.001 or id == "microdata.half-swap"


def slope(columns):
    def figure(data):
        x, y = (data.column(n).numbers() for n in columns)
        return float(np.cov(x, y)[0, 1] / np.var(x, ddof=1))

    return figure


@pytest.mark.parametrize(
    ("id", "masked", "sign"),
    [
        ("microdata.noise", ["x"], -1),
        ("microdata.factor-noise", ["x"], -1),
        ("microdata.correlated-noise", ["x", "y"], 0),
        ("microdata.correlated-noise", ["x"], -1),
    ],
)
def test_slopes_are_attenuated_but_after_kim_among_columns_masked_together(id, masked, sign):
    """Against the print, with the text: Kim's transformation keeps the covariance matrix of what is masked together."""
    parameters = {**CASES[id][0], "columns": masked}
    t = t_value(replicated(id, parameters, slope(PAIR), SHORT), 2.0)
    assert sign * t > BIASED if sign else abs(t) < UNBIASED
