"""Intervals of losses and of the figures behind them: second computations, identity, and coverage by simulation."""

import math

import numpy as np
import pytest
import scipy.stats

from tarnkappe.data.column import Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.kernels.covariances import correlations_of, covariances, covariances_of
from tarnkappe.kernels.inequality import gini, gini_without
from tarnkappe.kernels.jackknife import GROUPS, groups, moments_without, pairs_without
from tarnkappe.kernels.moments import moments
from tarnkappe.utility.confidence_overlap import ConfidenceOverlap
from tarnkappe.utility.correlations import Correlations
from tarnkappe.utility.covariances import Covariances
from tarnkappe.utility.distance import Distance
from tarnkappe.utility.inequality import Inequality
from tarnkappe.utility.moments import MomentsBeforeAfter
from tarnkappe.utility.prediction import Prediction
from tarnkappe.utility.quantiles import Quantiles
from tarnkappe.utility.ratios import Ratios
from tarnkappe.utility.shape import Shape
from tarnkappe.utility.variances import Variances

STATISTICS = (
    "mean", "sd", "variance", "quantiles", "skewness", "excess", "covariances", "correlations", "rank-correlations",
)  # fmt: skip
WITH_INTERVAL = [
    MomentsBeforeAfter, Variances, Shape, Quantiles, Covariances, Correlations, Ratios, Inequality, Distance,
    lambda: Distance(norm="mse"), lambda: Distance(norm="l2"), lambda: Prediction(target="y"),
]  # fmt: skip
DRAW = np.random.default_rng(11)


def numbers(**columns):
    return Microdata({n: Column.numbers_of(np.asarray(c)) for n, c in columns.items()})


def renumbered(data):
    return Microdata(data.columns, data.roles, rows=-1 - np.arange(len(data), dtype=np.int64))


def skewed(n, draw=DRAW):
    x = draw.gamma(9, size=n)
    return x, x + draw.gamma(4, size=n)


@pytest.mark.parametrize("make", WITH_INTERVAL)
def test_equal_files_have_no_uncertain_loss(make):
    x, y = skewed(120)
    found = make().measure(numbers(x=x, y=y), before=numbers(x=x, y=y))
    assert (found.low, found.high) == pytest.approx((0, 0), abs=1e-12)


@pytest.mark.parametrize("make", WITH_INTERVAL)
def test_the_value_lies_in_its_interval_and_other_records_widen_it(make):
    x, y = skewed(200)
    before = numbers(x=x, y=y)
    after = numbers(x=1.1 * x + 2 * DRAW.gamma(2, size=200), y=y + DRAW.normal(size=200))
    same = make().measure(after, before=before)
    assert same.low < same.value < same.high or same.low == 0
    assert same.low <= same.value <= same.high
    if not isinstance(make(), Distance | Prediction):
        other = make().measure(renumbered(after), before=before)
        assert other.high - other.low != same.high - same.low


@pytest.mark.parametrize("make", [MomentsBeforeAfter, Quantiles, Inequality, Correlations])
def test_too_few_or_constant_values_have_no_interval(make):
    found = make().measure(
        numbers(x=np.ones(30), y=np.ones(30)), before=numbers(x=np.ones(30), y=np.ones(30))
    )
    assert (found.low, found.high) in {(None, None), (0.0, 0.0)}


def test_figures_without_a_group_are_those_of_the_other_records():
    x, y = skewed(300)
    x[::7] = np.nan
    w, group = DRAW.random(300), groups(np.arange(300))
    table = np.column_stack([x, y])
    four = moments_without(x, w, group)
    pairs = pairs_without(table, w, group, 1.0, covariances_of)
    plain = pairs_without(table, None, group, 1.0, correlations_of)
    coefficients = gini_without(y, w, group, GROUPS)
    for g in (0, 7, GROUPS - 1):
        left = group != g
        assert four[g][1:] == pytest.approx(moments(x[left], w[left])[1:], rel=1e-9)
        assert pairs[g] == pytest.approx(covariances(table[left], w[left]), rel=1e-9)
        both = left & ~np.isnan(x)
        assert plain[g][0, 1] == pytest.approx(np.corrcoef(x[both], y[both])[0, 1], rel=1e-9)
        assert coefficients[g] == pytest.approx(gini(y[left], w[left]), rel=1e-9)


def test_a_record_is_in_the_same_group_of_both_files_whatever_its_place():
    rows = np.arange(5000)
    order = DRAW.permutation(5000)
    assert (groups(rows)[order] == groups(rows[order])).all()
    counts = np.bincount(groups(rows), minlength=GROUPS)
    assert scipy.stats.chisquare(counts).pvalue > 0.001
    assert not (groups(-1 - rows) == groups(rows)).all()


@pytest.mark.parametrize("statistic", STATISTICS)
def test_equal_files_share_all_of_their_intervals(statistic):
    x, y = skewed(120)
    found = ConfidenceOverlap(statistic=statistic).measure(numbers(x=x, y=y), before=numbers(x=x, y=y))
    assert found.value == 1
    assert all(f["inside_original"] for f in found.details["columns"].values())


@pytest.mark.parametrize(
    ("statistic", "figure"),
    [
        ("variance", np.var),
        ("skewness", scipy.stats.skew),
        ("excess", scipy.stats.kurtosis),
        ("quantiles", lambda x: np.quantile(x, 0.5)),
    ],
)
def test_intervals_of_columns_are_as_wide_as_those_of_the_bootstrap(statistic, figure):
    x = np.random.default_rng(3).gamma(20, size=2000)
    shown = (
        ConfidenceOverlap(statistic=statistic).measure(numbers(x=x), before=numbers(x=x)).details["columns"]
    )
    interval = shown["x (50%)" if statistic == "quantiles" else "x"]["interval_before"]
    draw = np.random.default_rng(4)
    drawn = np.std([figure(draw.choice(x, 2000)) for _ in range(300)])
    assert interval["value"] == pytest.approx(figure(x), rel=0.01, abs=0.01)
    assert (interval["high"] - interval["low"]) / 2 / 1.96 == pytest.approx(drawn, rel=0.2)


@pytest.mark.parametrize(
    ("statistic", "figure"),
    [
        ("covariances", lambda x, y: np.cov(x, y, ddof=0)[0, 1]),
        ("correlations", lambda x, y: np.corrcoef(x, y)[0, 1]),
        ("rank-correlations", lambda x, y: scipy.stats.spearmanr(x, y).statistic),
    ],
)
def test_intervals_of_pairs_are_as_wide_as_those_of_the_bootstrap(statistic, figure):
    x, y = skewed(1000, np.random.default_rng(5))
    shown = ConfidenceOverlap(statistic=statistic).measure(numbers(x=x, y=y), before=numbers(x=x, y=y))
    interval = shown.details["columns"]["x × y"]["interval_before"]
    draw = np.random.default_rng(6)
    drawn = np.std([figure(x[i], y[i]) for i in draw.integers(0, 1000, (300, 1000))])
    assert interval["value"] == pytest.approx(figure(x, y), rel=1e-9)
    assert (interval["high"] - interval["low"]) / 2 / 1.96 == pytest.approx(drawn, rel=0.35)


def test_a_stronger_relation_has_another_interval():
    x, y = skewed(2000)
    after = numbers(x=x, y=DRAW.permutation(y))
    for statistic in ("covariances", "correlations", "rank-correlations"):
        assert ConfidenceOverlap(statistic=statistic).measure(after, before=numbers(x=x, y=y)).value < 0


def _drawn(n, draw):
    """A sample of a population in which all losses are known: y is x and a fifth, with noise."""
    x = draw.gamma(9, size=n)
    return x, 1.2 * x + draw.normal(0, 1.5, size=n)


TRUE_SD = math.sqrt(1.2**2 * 9 + 1.5**2) / 3 - 1
KNOWN = [
    (MomentsBeforeAfter, 0.2),
    (Variances, TRUE_SD),
    *((lambda n=n: Distance(norm=n), n) for n in ("il1s", "mse", "l2")),
]


@pytest.mark.parametrize(("make", "truth"), KNOWN)
def test_intervals_cover_the_loss_of_the_population(make, truth):
    draw = np.random.default_rng(8)
    if isinstance(truth, str):
        x, y = _drawn(400_000, draw)
        truth = make().measure(numbers(x=y), before=numbers(x=x)).value
    covered = []
    for _ in range(150):
        x, y = _drawn(300, draw)
        found = make().measure(numbers(x=y), before=numbers(x=x))
        covered.append(found.low <= truth <= found.high)
    assert 0.89 <= np.mean(covered) <= 0.995


def test_intervals_of_correlations_and_quantiles_cover():
    draw = np.random.default_rng(9)
    covered = {"correlations": [], "quantiles": [], "gini": []}
    big, noisy = _drawn(400_000, draw)
    third = draw.normal(size=400_000) + big
    truth = {
        "correlations": abs(np.corrcoef(big, third)[0, 1] - np.corrcoef(noisy, third)[0, 1]),
        "quantiles": abs(np.median(noisy) - np.median(big)) / np.ptp(np.quantile(big, [0.25, 0.75])),
        "gini": abs(gini(noisy) - gini(big)),
    }
    for _ in range(120):
        x, y = _drawn(400, draw)
        z = draw.normal(size=400) + x
        before, after = numbers(x=x, z=z), numbers(x=y, z=z)
        found = Correlations().measure(after, before=before)
        covered["correlations"].append(found.low <= truth["correlations"] <= found.high)
        for name, measure in (("quantiles", Quantiles(shares=(0.5,))), ("gini", Inequality())):
            low, high = measure.ends(measure.sides(after, before), "x")
            covered[name].append(low <= truth[name] <= high)
    assert {name: 0.88 <= np.mean(c) <= 1 for name, c in covered.items()} == dict.fromkeys(covered, True)
