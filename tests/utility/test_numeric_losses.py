"""Numeric measures of utility: identity, known distortions, second computations, edge cases."""

import json
import math

import numpy as np
import pytest
import scipy.stats

from tarnkappe.data.column import Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.quantities import LEAST
from tarnkappe.errors.data import BeforeNeeded, ColumnMissing, NotFinite, NumbersNeeded, WrongKind
from tarnkappe.errors.utility import GroupsNeeded, PeriodNeeded
from tarnkappe.utility.attenuation import Attenuation
from tarnkappe.utility.components import Components
from tarnkappe.utility.confidence_overlap import ConfidenceOverlap
from tarnkappe.utility.covariances import Covariances
from tarnkappe.utility.distance import Distance
from tarnkappe.utility.distributions import Distributions
from tarnkappe.utility.eigenvalues import Eigenvalues
from tarnkappe.utility.growth import Growth
from tarnkappe.utility.inequality import Inequality
from tarnkappe.utility.lost_share import LostShare
from tarnkappe.utility.quantiles import Quantiles
from tarnkappe.utility.ratios import Ratios
from tarnkappe.utility.shape import Shape
from tarnkappe.utility.structure import Structure
from tarnkappe.utility.subgroups import Subgroups
from tarnkappe.utility.variances import Variances
from tarnkappe.vocab import Role

RNG = np.random.default_rng(7)
N = 60
X = RNG.lognormal(3, 1, size=N)
Y = X * 2 + RNG.normal(size=N)
COLUMNS = [Variances, Shape, Quantiles, ConfidenceOverlap, Distributions, Inequality]
PAIRS = [Covariances, Eigenvalues, Components, Ratios, Attenuation]
ALL = [*COLUMNS, *PAIRS, Distance, Structure]
KEYED = [lambda: Subgroups(fifths="x"), lambda: Growth(unit="u", period="t"), LostShare]
IDS = [
    "variances", "shape", "quantiles", "confidence-overlap", "distributions", "inequality", "distance", "covariances", "attenuation",
    "eigenvalues", "components", "structure", "ratios", "growth", "subgroups", "lost-share",
]  # fmt: skip


def numbers(roles=None, **columns):
    return Microdata({n: Column.numbers_of(np.asarray(c)) for n, c in columns.items()}, roles or {})


def panel(**columns):
    n = len(next(iter(columns.values())))
    return numbers(u=np.arange(n) // 2, t=np.arange(n) % 2, **columns)


def told(measure, after, before, *path):
    found = measure.measure(after, before=before).details
    for step in path:
        found = found[step]
    return found


# -- every measure -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("make", [*ALL, *KEYED])
def test_both_files_are_needed(make):
    with pytest.raises(BeforeNeeded):
        make().measure(panel(x=X, y=Y))


@pytest.mark.parametrize("make", [*ALL, *KEYED])
def test_equal_files_lose_nothing(make):
    found = make().measure(panel(x=X, y=Y), before=panel(x=X, y=Y))
    best = 1 if make is ConfidenceOverlap else 0
    assert found.value == pytest.approx(best, abs=1e-12)
    assert found.trusted


@pytest.mark.parametrize("make", [*ALL, *KEYED])
def test_a_strong_distortion_is_seen(make):
    """Reversed, squared and halved: no measure may take that for the original."""
    after = panel(x=X[::-1] ** 2, y=np.where(np.arange(N) % 2, 0.0, Y))
    if make is LostShare:
        after = after.take(np.arange(20))
    found = make().measure(after, before=panel(x=X, y=Y))
    assert found.value < 0.9 if make is ConfidenceOverlap else found.value > 0.05


@pytest.mark.parametrize("make", [*ALL, lambda: Subgroups(fifths="x")])
def test_order_and_units_of_measurement_do_not_matter(make):
    """Records in another order, and amounts in cents: the same losses."""
    before, after = panel(x=X, y=Y), panel(x=X * RNG.uniform(0.8, 1.2, N), y=Y + RNG.normal(size=N))
    first = make().measure(after, before=before).value
    order = RNG.permutation(N)
    assert make().measure(after.take(order), before=before).value == pytest.approx(first, rel=1e-9)
    if make is not Structure:
        cents = [
            numbers(**{n: d.numbers([n])[:, 0] * (100 if n in "xy" else 1) for n in d.names})
            for d in (after, before)
        ]
        assert make().measure(cents[0], before=cents[1]).value == pytest.approx(first, rel=1e-9)


@pytest.mark.parametrize("make", [*ALL, *KEYED])
def test_unknown_columns_and_infinite_numbers_are_refused(make):
    made, both = make(), panel(x=X, y=Y)
    with pytest.raises(ColumnMissing):
        made.model_copy(update={"columns": ("x", "z")}).measure(both, before=both)
    wrong = panel(x=np.append(X, [np.inf] * 2), y=np.append(Y, [1.0] * 2))
    with pytest.raises(NotFinite):
        made.measure(wrong, before=wrong)


@pytest.mark.parametrize("cls", ALL)
def test_files_without_numbers_are_refused(cls):
    words = Microdata({"a": Column.texts_of(["x"] * 20), "b": Column.texts_of(["y"] * 20)})
    with pytest.raises(NumbersNeeded):
        cls().measure(words, before=words)
    with pytest.raises(WrongKind):
        cls(columns=("a", "b")).measure(words, before=words)


@pytest.mark.parametrize("cls", [*COLUMNS, *PAIRS, Distance])
@pytest.mark.parametrize("rows", [0, 1, LEAST - 1])
def test_too_few_records_tell_nothing(cls, rows):
    few = numbers(x=X[:rows], y=Y[:rows])
    found = cls().measure(few, before=few)
    assert math.isnan(found.value)
    assert not found.trusted
    shown = json.dumps(found.as_json())
    assert not any(repr(float(v)) in shown for v in (*X[:rows], *Y[:rows]))


@pytest.mark.parametrize("cls", [*COLUMNS, *PAIRS, Distance])
def test_all_missing_tells_nothing(cls):
    nothing = numbers(x=np.full(20, np.nan), y=np.full(20, np.nan))
    found = cls().measure(nothing, before=nothing)
    assert math.isnan(found.value)
    assert not found.trusted
    assert found.because.de


@pytest.mark.parametrize("make", [*ALL, *KEYED])
def test_no_value_of_a_record_is_shown(make):
    rows = np.round(RNG.lognormal(8, 2, size=(40, 2)), 5)
    both = panel(x=rows[:, 0], y=rows[:, 1])
    shown = json.dumps(make().measure(both, before=both).as_json())
    assert not any(repr(float(v)) in shown for v in rows.ravel())


@pytest.mark.parametrize("cls", [*COLUMNS, *PAIRS, Distance, Structure])
def test_columns_that_became_classes_are_named(cls):
    after = numbers(x=X, y=Y).with_columns({"z": Column.texts_of(["a"] * N)})
    found = cls().measure(after, before=numbers(x=X, y=Y, z=Y, gone=Y))
    assert found.details["no_numbers_any_more"] == ("z", "gone")
    assert "z, gone" in found.because.de
    assert found.trusted


@pytest.mark.parametrize("cls", [*COLUMNS, Covariances, Eigenvalues, Components, Ratios])
def test_files_of_different_length_with_new_records(cls):
    before = numbers(x=X, y=Y)
    after = before.with_made(np.arange(N))
    value = cls().measure(after, before=before).value
    assert value > 0.7 if cls is ConfidenceOverlap else value == pytest.approx(0, abs=0.06)


@pytest.mark.parametrize("cls", [Distance, Attenuation])
def test_records_made_anew_cannot_be_compared_one_by_one(cls):
    before = numbers(x=X, y=Y)
    made = before.with_made(np.arange(N)).take(np.arange(N, 2 * N))
    found = cls().measure(made, before=before)
    assert not found.trusted
    assert math.isnan(found.value)
    assert found.details["records_left_out"] == 2 * N


@pytest.mark.parametrize(
    "cls", [Variances, Shape, Distributions, Inequality, Covariances, Eigenvalues, Components, Ratios]
)
def test_weights_count_like_copies(cls):
    """A record with the weight 3 counts like three records."""
    roles = {Role.WEIGHT: ("w",)}
    times = RNG.integers(1, 4, N)
    w = times.astype(float)
    a = X * RNG.uniform(0.5, 1.5, N)
    weighted = cls().measure(numbers(roles, x=a, y=Y, w=w), before=numbers(roles, x=X, y=Y, w=w))
    assert weighted.details["weighted"]
    copies = [numbers(x=np.repeat(v, times), y=np.repeat(Y, times)) for v in (a, X)]
    assert weighted.value == pytest.approx(
        cls().measure(copies[0], before=copies[1]).value, rel=1e-9, abs=1e-12
    )
    plain = cls(weighted=False).measure(numbers(roles, x=a, y=Y, w=w), before=numbers(roles, x=X, y=Y, w=w))
    assert plain.value == pytest.approx(cls().measure(numbers(x=a, y=Y), before=numbers(x=X, y=Y)).value)


# -- columns one by one ---------------------------------------------------------------------------------------------------


def test_standard_deviations():
    found = Variances().measure(numbers(x=X * 1.1, y=Y * 1.004), before=numbers(x=X, y=Y))
    assert found.value == pytest.approx(0.1)
    x, y = (found.details["columns"][n] for n in "xy")
    assert (x["verdict"], y["verdict"]) == ("unusable", "usable")
    assert x["variance_error"] == pytest.approx(0.21)
    assert "x" in found.because.en
    assert "unbrauchbar: x." in found.because.de
    assert 0 < x["uncertain_anyway"] < 2


def test_a_constant_that_varies_now_is_judged_by_its_size():
    found = Variances().measure(numbers(x=np.tile([2.0, 4.0], 10)), before=numbers(x=np.full(20, 3.0)))
    assert found.value == pytest.approx(1 / math.hypot(3, 1))
    assert found.details["columns"]["x"]["guarded_figures"] == 1


def test_shape_against_scipy():
    a = RNG.normal(size=N) ** 3
    found = told(Shape(), numbers(x=a), numbers(x=X), "columns", "x")
    assert found["skewness_after"] == pytest.approx(scipy.stats.skew(a))
    assert found["excess_before"] == pytest.approx(scipy.stats.kurtosis(X))
    assert found["range_change"] == pytest.approx(abs(np.ptp(a) / np.ptp(X) - 1))
    before, after = scipy.stats.kurtosis(X), scipy.stats.kurtosis(a)
    assert found["excess_change"] == pytest.approx(abs(after - before) / max(1, abs(before)))


def test_small_skewness_is_not_blown_up():
    even = np.tile(np.linspace(-1, 1, 20), 3)
    found = Shape().measure(numbers(x=even + 0.02 * RNG.normal(size=N)), before=numbers(x=even))
    assert found.value < 0.5
    assert found.details["columns"]["x"]["guarded_figures"] == 1


def test_quantiles_in_interquartile_ranges():
    x = np.arange(101.0)
    found = told(Quantiles(), numbers(x=x + 25), numbers(x=x), "columns", "x")
    assert found["moved_by"]["50%"] == pytest.approx(0.5)
    assert found["quantiles_after"]["25%"] == pytest.approx(50)
    mostly = np.where(np.arange(101) < 80, 0.0, 5.0)
    guarded = Quantiles(shares=(0.9,)).measure(numbers(x=mostly * 2), before=numbers(x=mostly))
    assert guarded.value == pytest.approx(5 / mostly.std())
    assert guarded.details["columns"]["x"]["guarded_figures"] == 1


def test_overlap_of_intervals():
    half = 1.959963984540054 * scipy.stats.sem(X)
    found = ConfidenceOverlap().measure(numbers(x=X + half), before=numbers(x=X))
    assert found.value == pytest.approx(0.5)
    assert told(
        ConfidenceOverlap(), numbers(x=X + 0.99 * half), numbers(x=X), "columns", "x", "inside_original"
    )
    apart = ConfidenceOverlap().measure(numbers(x=X + 4 * half), before=numbers(x=X))
    assert apart.value == pytest.approx(-1)
    figures = apart.details["columns"]["x"]
    assert (figures["overlap_cut"], figures["inside_original"]) == (0, False)
    both = ConfidenceOverlap().measure(numbers(x=X + half, y=X), before=numbers(x=X, y=X))
    assert both.value == pytest.approx(0.75)
    assert ConfidenceOverlap(statistic="sd").measure(
        numbers(x=X + half), before=numbers(x=X)
    ).value == pytest.approx(1)


def test_constants_have_no_interval():
    found = ConfidenceOverlap().measure(
        numbers(x=X, c=np.full(N, 2.0)), before=numbers(x=X, c=np.arange(float(N)))
    )
    assert "c" in found.because.en
    assert found.value == 1


def test_distances_of_distributions():
    after, before = numbers(x=X * 1.5, y=Y), numbers(x=X, y=Y)
    found = told(Distributions(), after, before, "columns", "x")
    assert found["largest_gap"] == pytest.approx(scipy.stats.ks_2samp(X, X * 1.5).statistic)
    assert found["way_to_move"] == pytest.approx(scipy.stats.wasserstein_distance(X, X * 1.5) / X.std())
    for kind, figure in (("wasserstein", "way_to_move"), ("hellinger", "hellinger")):
        assert Distributions(kind=kind).measure(after, before=before).value == found[figure]
        assert (
            Distributions(kind=kind, summary="mean").measure(after, before=before).value == found[figure] / 2
        )


def test_shuffled_columns_have_the_same_distributions():
    after = numbers(x=RNG.permutation(X), y=RNG.permutation(Y))
    assert Distributions().measure(after, before=numbers(x=X, y=Y)).value == 0
    assert Inequality().measure(after, before=numbers(x=X, y=Y)).value == pytest.approx(0, abs=1e-12)


def test_inequality():
    found = Inequality().measure(numbers(x=np.full(N, 3.0)), before=numbers(x=X))
    rank = np.arange(1, N + 1)
    gini = 2 * (rank * np.sort(X)).sum() / (N * X.sum()) - (N + 1) / N
    assert found.value == pytest.approx(gini)
    figures = found.details["columns"]["x"]
    assert figures["theil_after"] == pytest.approx(0, abs=1e-12)
    assert figures["gini_before"]["low"] < gini < figures["gini_before"]["high"]


def test_negative_values_are_warned_about_and_a_sum_of_zero_is_undefined():
    both = numbers(x=X - 5, y=Y - Y.sum())
    found = Inequality().measure(both, before=both)
    assert list(found.details["columns"]) == ["x"]
    assert "y" in found.because.en.split("Left out")[1]
    assert "Theil" in found.because.de
    assert math.isnan(found.details["columns"]["x"]["theil_before"])


# -- columns together ------------------------------------------------------------------------------------------------------


def test_covariances_by_hand():
    before, after = RNG.normal(size=(50, 3)), RNG.normal(size=(50, 3))
    a, b = (np.cov(v.T, bias=True) for v in (before, after))
    s = np.sqrt(np.diag(a))
    unit = np.outer(s, s)
    at = np.tril_indices(3)
    near = (np.abs(a) < 0.01 * unit)[at]
    by_hand = np.abs(a - b)[at] / np.where(near, unit[at], np.abs(a)[at])
    new, old = (numbers(**dict(zip("abc", v.T, strict=True))) for v in (after, before))
    found = Covariances().measure(new, before=old)
    assert found.value == pytest.approx(by_hand.mean())
    assert found.details["guarded"] == near.sum()
    assert found.details["mae"] == pytest.approx((np.abs(a - b) / unit)[at].mean())
    assert found.details["mse"] == pytest.approx((((a - b) / unit) ** 2)[at].mean())


def test_covariances_near_zero_are_guarded():
    u, v = np.tile([-1.0, 1, -1, 1], 10), np.tile([-1.0, -1, 1, 1], 10)
    found = Covariances().measure(numbers(u=u, v=v + 0.1 * u), before=numbers(u=u, v=v))
    assert found.details["guarded"] == 1
    assert found.value == pytest.approx((0 + 0.1 + 0.01) / 3)


def test_eigenvalues_of_correlations():
    after = numbers(x=X, y=RNG.normal(size=N))
    found = Eigenvalues().measure(after, before=numbers(x=X, y=Y))
    r, s = np.corrcoef(X, Y)[0, 1], np.corrcoef(X, after.numbers(["y"])[:, 0])[0, 1]
    assert found.value == pytest.approx(2 * (r - abs(s)))
    assert found.details["eigenvalues_before"] == pytest.approx([1 + r, 1 - r])


@pytest.mark.parametrize("cls", [Eigenvalues, Components])
def test_a_few_wild_records_do_not_turn_robust_axes(cls):
    z = RNG.multivariate_normal([0, 0, 0], [[1, 0.9, 0.2], [0.9, 1, 0.2], [0.2, 0.2, 1]], 500)
    wild = z.copy()
    wild[:10] = [30, -30, 40]
    before, after = (numbers(**dict(zip("abc", v.T, strict=True))) for v in (z, wild))
    plain, robust = (cls(robust=r).measure(after, before=before).value for r in (False, True))
    assert plain > 0.3
    assert robust < 0.1


def test_components_that_turned():
    z = RNG.normal(size=(400, 2))
    one, two = RNG.normal(size=(2, 400, 1)) * 3
    before = np.hstack([z[:, :1] + one, z[:, 1:] + one, two + 0 * z])
    after = np.hstack([before[:, 0:1], before[:, 2:3], before[:, 1:2]])
    new, old = (numbers(**{f"c{j}": v[:, j] for j in range(v.shape[1])}) for v in (after, before))
    found = Components(components=1).measure(new, before=old)
    assert 0.1 < found.value < 1
    assert found.details["angles"][0] > 10


def test_components_that_are_not_decided_are_marked():
    z = np.linalg.qr(RNG.normal(size=(400, 3)))[0]
    both = numbers(a=z[:, 0], b=z[:, 1], c=z[:, 2])
    found = Components(components=1).measure(both, before=both)
    assert not found.trusted
    assert "Zufall" in found.because.de


def test_ratios_by_hand():
    x, y = RNG.uniform(1, 2, (2, N))
    y[:7] = 0
    found = Ratios(over=("y",)).measure(numbers(x=x * 2, y=y), before=numbers(x=x, y=y))
    assert found.value == pytest.approx(1)
    assert found.details["ratios"] == 1
    row = found.details["worst_ratios"][0]
    assert row["ratio_before"] == pytest.approx((x[7:] / y[7:]).mean())
    assert row["ratio_after"] == pytest.approx(2 * row["ratio_before"])
    assert not Ratios(over=("z",)).measure(numbers(x=x, z=0 * x), before=numbers(x=x, z=0 * x)).trusted


# -- the same records ------------------------------------------------------------------------------------------------------


def test_every_norm_by_hand():
    before, after = RNG.normal(5, 1, (30, 2)), RNG.normal(5, 1, (30, 2))
    files = [
        Microdata({"a": Column.numbers_of(v[:, 0]), "b": Column.numbers_of(v[:, 1])}) for v in (after, before)
    ]
    moved = np.abs(after - before) / before.std(axis=0, ddof=1)
    by_hand = {
        "il1s": (moved / np.sqrt(2)).mean(),
        "mean-variation": (np.abs(after - before) / np.abs(before)).mean(),
        "mae": moved.mean(),
        "mse": (moved**2).mean(),
        "l1": moved.sum(axis=1).mean(),
        "l2": np.sqrt((moved**2).sum(axis=1)).mean(),
    }
    for norm, value in by_hand.items():
        assert Distance(norm=norm).measure(files[0], before=files[1]).value == pytest.approx(value)


def test_gaps_constants_and_shared_records():
    gaps = X.copy()
    gaps[:5] = np.nan
    after = numbers(x=gaps + 1, c=np.full(N, 9.0)).take(np.arange(N - 10)[::-1])
    found = Distance(norm="mae").measure(after, before=numbers(x=X, c=np.full(N, 3.0)))
    assert found.details["columns"]["x"]["cells_compared"] == N - 15
    assert found.value == pytest.approx(1 / X[: N - 10].std(ddof=1))
    assert "c" in found.because.en
    assert found.details["records_left_out"] == 10


# -- structure, panels, groups, losses ----------------------------------------------------------------------------------------


def test_structure_counts_every_sort_of_cell():
    before = np.array([0, 0, -1, 5, 50, 60, np.nan, 7, 8, 9.0])
    after = Column.numbers_of(np.array([0, 2, 1, 5, -50, 0, np.nan, 7, 8, 9.0])).suppress(np.arange(10) == 9)
    found = Structure(lower={"x": 6.0}).measure(Microdata({"x": after}), before=numbers(x=before))
    counts = {
        n: (f["before"], f["after"]) for n, f in found.details["columns"]["x"].items() if isinstance(f, dict)
    }
    assert counts == {
        "cells_missing": (1, 1), "cells_suppressed": (0, 1), "cells_negative": (1, 1), "cells_zero": (2, 2), "below_cut_off": (1, 3),
    }  # fmt: skip
    figures = found.details["columns"]["x"]
    assert (figures["sign_changes"], figures["zeros_lost"], figures["zeros_new"]) == (2, 1, 1)
    assert found.value == pytest.approx(0.3)


def test_new_negative_numbers_are_told():
    found = Structure().measure(numbers(pay=X - X.mean()), before=numbers(pay=X))
    assert "negative Zahlen" in found.because.de
    assert "pay" in found.because.en
    with pytest.raises(ColumnMissing):
        Structure(lower={"salary": 1.0}).measure(numbers(pay=X), before=numbers(pay=X))


def test_empty_files_have_no_structure():
    assert not Structure().measure(numbers(x=X[:0]), before=numbers(x=X)).trusted


def test_growth_needs_a_period():
    both = numbers(x=X, u=np.arange(N) // 2)
    with pytest.raises(PeriodNeeded):
        Growth(unit="u").measure(both, before=both)
    with pytest.raises(ColumnMissing):
        Growth(unit="u", period="when").measure(both, before=both)


def test_growth_by_hand_in_any_order():
    before, after = panel(x=X), panel(x=X * RNG.uniform(0.9, 1.1, N))
    x, y = (d.numbers(["x"])[:, 0].reshape(-1, 2) for d in (before, after))
    rates = [(v[:, 1] - v[:, 0]) / v.mean(axis=1) for v in (x, y)]
    found = Growth(unit="u", period="t").measure(after.take(RNG.permutation(N)), before=before)
    assert found.value == pytest.approx(np.abs(rates[0] - rates[1]).mean())
    assert found.details["columns"]["x"]["turned"] == pytest.approx((rates[0] * rates[1] < 0).mean())
    with_role = before.with_roles({Role.PERIOD: ("t",)})
    assert Growth(unit="u").measure(after, before=with_role).value == pytest.approx(found.value)


def test_periods_may_be_words():
    words = ["2000-I" if t else "1999-IV" for t in np.arange(N) % 2]
    before, after = (
        numbers(x=v, u=np.arange(N) // 2).with_columns({"t": Column.texts_of(words)})
        for v in (X, X[::-1].copy())
    )
    numbered = panel(x=X), panel(x=X[::-1].copy())
    swapped = [d.with_columns({"t": Column.numbers_of(d.numbers(["t"])[:, 0])}) for d in numbered]
    expected = Growth(unit="u", period="t").measure(swapped[1], before=swapped[0]).value
    assert Growth(unit="u", period="t").measure(after, before=before).value == pytest.approx(expected)


def test_no_panel_is_not_trusted():
    both = numbers(x=X, u=np.arange(N), t=np.zeros(N))
    assert not Growth(unit="u", period="t").measure(both, before=both).trusted


def groups(values, sizes=(30, 20, 10)):
    codes = np.repeat(["Rhein", "Main", "Donau"], sizes).tolist()
    return numbers(x=values).with_columns({"g": Column.texts_of(codes)})


def test_the_group_that_suffers_is_found():
    before = groups(X)
    changed = X.copy()
    changed[50:] *= 1.5
    found = Subgroups(within=("g",)).measure(groups(changed), before=before)
    assert found.value == pytest.approx(1 / 3)
    worst = found.details["worst_groups"][0]
    assert (worst["group"], worst["records"]) == (3, 10)
    assert worst["largest_error"] == pytest.approx(0.5)
    assert np.allclose(found.per_record, np.repeat([0, 0.5], [50, 10]))
    assert Subgroups(within=("g",), bound=0.6).measure(groups(changed), before=before).value == 0
    assert "Donau" not in json.dumps(found.as_json())


def test_small_groups_are_not_shown_and_lost_ones_count():
    before = groups(X, (36, 15, 9))
    found = Subgroups(within=("g",)).measure(before.take(np.arange(36)), before=before)
    assert found.value == pytest.approx(1 / 2)
    figures = found.details["columns"]["x"][0]
    assert (figures["lost"], figures["too_small"], figures["figures_compared"]) == (1, 1, 2)


@pytest.mark.parametrize(("statistic", "error"), [("mean", 0.0), ("sd", 1.0), ("total", 0.0), ("count", 0.0)])
def test_statistics_of_groups(statistic, error):
    before = groups(X)
    means = np.repeat([X[:30].mean(), X[30:50].mean(), X[50:].mean()], (30, 20, 10))
    found = Subgroups(within=("g",), statistic=statistic).measure(
        groups(means + 2 * (X - means)), before=before
    )
    assert found.details["worst_groups"][0]["largest_error"] == pytest.approx(error, abs=1e-9)


def test_small_firms_are_looked_at_apart():
    x = np.arange(1.0, 101)
    changed = np.where(x <= 20, x * 0.7, x)
    found = Subgroups(columns=("y",), fifths="x").measure(numbers(x=x, y=changed), before=numbers(x=x, y=x))
    assert found.value == pytest.approx(0.2)
    assert found.details["worst_groups"][0]["group"] == 1


def test_groups_are_needed():
    with pytest.raises(GroupsNeeded):
        Subgroups().measure(numbers(x=X), before=numbers(x=X))
    keyed = groups(X).with_roles({Role.KEY: ("g",)})
    assert Subgroups().measure(keyed, before=keyed).details["groups"] == 3


def test_lost_amounts():
    w = RNG.uniform(1, 2, N)
    before = numbers({Role.WEIGHT: ("w",)}, x=X, y=-Y, w=w)
    kept = np.arange(N) >= 12
    hidden = before.with_columns({"x": before.column("x").suppress(np.arange(N) >= 40)})
    found = LostShare().measure(hidden.take(np.flatnonzero(kept)[::-1]), before=before)
    figures = found.details["columns"]
    gone = ~kept | (np.arange(N) >= 40)
    assert figures["x"]["share_lost"] == pytest.approx((w * X)[gone].sum() / (w * X).sum())
    assert figures["y"]["share_lost"] == pytest.approx((w * Y)[~kept].sum() / (w * Y).sum())
    assert found.details["share_lost"]["records"] == pytest.approx(w[~kept].sum() / w.sum())
    assert found.value == figures["x"]["share_lost"]
    plain = LostShare(weighted=False).measure(before.take(kept), before=before)
    assert plain.details["share_lost"]["records"] == 0.2


def test_a_share_of_few_values_is_not_told():
    before = numbers(x=X)
    found = LostShare().measure(before.take(np.arange(1, N)), before=before)
    assert found.details["columns"]["x"] == {"values_lost": 1, "share_lost": None}
    assert found.value == pytest.approx(1 / N)
    assert "x" in found.because.de


def test_a_column_that_is_gone_is_lost_and_classes_are_not():
    before = numbers(x=X, y=Y)
    after = before.without(["x"]).with_columns({"y": Column.texts_of(["a"] * N)})
    found = LostShare().measure(after, before=before)
    assert [found.details["columns"][n]["share_lost"] for n in "xy"] == [1, 0]


def test_infinite_numbers_in_the_release_alone_are_refused():
    wrong = X.copy()
    wrong[3] = np.inf
    for make in (*ALL, lambda: Subgroups(fifths="x"), lambda: Growth(unit="u", period="t")):
        with pytest.raises(NotFinite):
            make().measure(panel(x=wrong, y=Y), before=panel(x=X, y=Y))


def test_records_drawn_twice_are_compared_with_their_one_original():
    before = numbers(x=X)
    found = Distance().measure(before.take(np.repeat(np.arange(N), 2)), before=before)
    assert found.value == 0
    assert (found.details["records_compared"], found.details["records_left_out"]) == (2 * N, 0)
