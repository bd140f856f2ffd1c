"""Microaggregation as a step: what all its methods share, and what each does apart."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from methods.averaging_data import contributors_per_value, done, firms, numbers
from tarnkappe.data import masked
from tarnkappe.data.column import MISSING, SUPPRESSED, Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.errors.calibration import WeightNotPositive
from tarnkappe.errors.data import NotFinite, TooFewRecords, WrongKind
from tarnkappe.errors.masking import NothingChanged, WeightsNeeded
from tarnkappe.errors.release import ClaimBroken, ParameterWrong
from tarnkappe.methods.microdata import averaging
from tarnkappe.randomness import public_stream as stream
from tarnkappe.spec import Holds, catalogue
from tarnkappe.spec.step import apply_step
from tarnkappe.vocab import Kind, Role

TOGETHER = ("mdav", "axis-average", "cluster-average", "random-average")
ALL = (*TOGETHER, "rank-average", "safe-average", "spread-average")
AVERAGES = (*TOGETHER, "rank-average")
NUMERIC = ("turnover", "wages")


def least(method, data, owner=None):
    sets = [NUMERIC] if method in TOGETHER else [(n,) for n in NUMERIC]
    return min(min(contributors_per_value(data, "branch", *names, owner=owner)) for names in sets)


@pytest.mark.parametrize("method", AVERAGES)
def test_groups_of_k_and_totals_in_every_stratum(method):
    data = firms()
    after = done(method, data, columns=NUMERIC, k=4, within=["branch"])
    assert least(method, after) >= 4
    for branch in "abc":
        inside = data.column("branch").texts() == branch
        for name in NUMERIC:
            was, now = (d.column(name).values[inside].sum() for d in (data, after))
            assert now == pytest.approx(was, rel=1e-12)


def weighted_firms(n=240):
    data = firms(n)
    weights = np.random.default_rng(9).lognormal(2, 0.8, n)
    return Microdata({**data.columns, "w": numbers(weights)}, {Role.WEIGHT: ("w",)})


@pytest.mark.parametrize("method", AVERAGES)
def test_weighted_totals_in_every_stratum(method):
    """The weighted ones stay, the others move; the groups are the same."""
    data = weighted_firms()
    plain = done(method, data, columns=NUMERIC, k=4, within=["branch"])
    after = done(method, data, columns=NUMERIC, k=4, within=["branch"], weighted=True)
    assert least(method, after) >= 4
    w = data.column("w").values
    for branch in "abc":
        inside = data.column("branch").texts() == branch
        for name in NUMERIC:
            was, now, without = (d.column(name).values[inside] for d in (data, after, plain))
            assert w[inside] @ now == pytest.approx(w[inside] @ was, rel=1e-12)
            assert now.sum() != pytest.approx(was.sum(), rel=1e-6)
            for value in np.unique(without):
                group = without == value
                assert now[group] == pytest.approx(
                    np.average(was[group], weights=w[inside][group]), rel=1e-12
                )


@pytest.mark.parametrize("method", AVERAGES)
@pytest.mark.parametrize("aggregate", ["mean", "median"])
def test_equal_weights_change_nothing(method, aggregate):
    data = weighted_firms().with_columns({"w": numbers(np.full(240, 7.3))})
    given = {"columns": NUMERIC, "within": ["branch"], "aggregate": aggregate}
    plain, after = (done(method, data, **given, weighted=weighted) for weighted in (False, True))
    np.testing.assert_allclose(after.numbers(NUMERIC), plain.numbers(NUMERIC), rtol=1e-13)


@pytest.mark.parametrize("method", AVERAGES)
def test_weighted_means_that_are_not_weighted_break_the_claim(method, monkeypatch):
    honest = averaging.group_averages
    monkeypatch.setattr(averaging, "group_averages", lambda x, labels, weights: honest(x, labels))
    with pytest.raises(ClaimBroken):
        done(method, weighted_firms(), columns=NUMERIC, weighted=True)


def test_weighted_medians_and_draws_with_replacement():
    data = Microdata({"x": numbers([1, 2, 3, 9.0]), "w": numbers([1, 1, 1, 5.0])}, {Role.WEIGHT: ("w",)})
    given = {"columns": ["x"], "k": 4, "weighted": True}
    assert done("mdav", data, **given, aggregate="median").column("x").values.tolist() == [9.0] * 4
    drawn = done("random-average", data, **given, replacement=True).column("x").values
    assert drawn.tolist() == pytest.approx([51 / 8] * 4)


def test_whole_numbers_with_the_weighted_total():
    """Values so far apart that no two groups come to share one: then only half the weight of a group may be missing."""
    data = weighted_firms()
    x = np.random.default_rng(4).permutation(240) * 1001
    data = data.with_columns({"staff": Column.numbers_of(x)})
    after = done("rank-average", data, columns=["staff"], whole="total", weighted=True, sizes="fixed")
    w, now = data.column("w").values, after.column("staff").values
    heaviest = max(w[now == value].sum() for value in np.unique(now))
    assert len(np.unique(now)) == 80
    assert abs(w @ now - w @ x) <= heaviest / 2


@pytest.mark.parametrize("method", AVERAGES)
def test_whole_numbers_lie_beside_their_means_whatever_the_weights(method):
    """One record in twenty weighs a million times as much as the others: what its group is off by must not be made up for in a light one."""
    data = weighted_firms()
    w = np.where(np.random.default_rng(2).random(240) < 0.05, 1e6, 1.0)
    data = data.with_columns({"w": numbers(w)})
    given = {"columns": ["staff", "turnover"], "weighted": True, "within": ["branch"]}
    exact, after = (
        done(method, data, **given, whole=whole).column("staff") for whole in ("decimals", "total")
    )
    assert after.kind is Kind.INTEGER
    assert np.abs(after.values - exact.values).max() < 1


@pytest.mark.parametrize("weighted", [False, True])
def test_whole_numbers_with_the_total_stay_in_order(weighted):
    """Between two whole numbers lies one mean of sorted groups at most, so whichever neighbour each takes, none passes another."""
    for seed in range(20):
        rng = np.random.default_rng(seed)
        x, w = rng.integers(0, 8, 24) ** 2, rng.lognormal(0, 2, 24)
        data = Microdata({"x": Column.numbers_of(x), "w": numbers(w)}, {Role.WEIGHT: ("w",)})
        after = done("rank-average", data, columns=["x"], whole="total", weighted=weighted).column("x").values
        assert weighted or abs(int(after.sum()) - int(x.sum())) <= 2
        assert all(after[x < v].max() <= after[x == v].min() for v in np.unique(x)[1:])


@pytest.mark.parametrize("method", AVERAGES)
def test_weights_that_cannot_be_used_are_refused(method):
    data = weighted_firms(20)
    with pytest.raises(WeightsNeeded):
        done(method, firms(20), columns=NUMERIC, weighted=True)
    for wrong in (0.0, -1.0, np.nan):
        w = data.column("w").values.copy()
        w[3] = wrong
        bad = data.with_columns({"w": numbers(np.nan_to_num(w), np.isnan(w))})
        with pytest.raises(WeightNotPositive) as refused:
            done(method, bad, columns=NUMERIC, weighted=True)
        assert refused.value.facts["first"] == 4


@pytest.mark.parametrize("method", AVERAGES)
def test_where_there_are_owners_they_are_counted(method):
    data = firms(owners=40)
    after = done(method, data, columns=NUMERIC, k=3, within=["branch"])
    assert least(method, after, owner="group") >= 3
    plain = done(method, data, columns=NUMERIC, k=3, within=["branch"], by="records")
    assert least(method, plain, owner="group") < 3


@pytest.mark.parametrize("method", ALL)
def test_gaps_stay_and_do_not_count(method):
    rng = np.random.default_rng(2)
    state = np.where(rng.random(90) < 0.3, rng.choice([MISSING, SUPPRESSED], 90), 0).astype(np.uint8)
    x = np.where(state > 0, 9e9, rng.random(90) + 1)
    data = Microdata({"x": numbers(x, state), "y": numbers(rng.random(90) + 1)})
    after = done(method, data, columns=["x", "y"], k=4)
    assert np.array_equal(after.column("x").state, state)
    assert np.nanmax(after.column("x").numbers()) <= 3


@pytest.mark.parametrize("method", ALL)
def test_a_small_stratum_is_refused_or_suppressed(method):
    data = Microdata({"x": numbers(np.arange(1, 11.0)), "s": Column.texts_of(list("aaaaaaaabb"))})
    with pytest.raises(TooFewRecords):
        done(method, data, columns=["x"], k=4, within=["s"])
    after = done(method, data, columns=["x"], k=4, within=["s"], too_small="suppress")
    assert after.column("x").suppressed.tolist() == [False] * 8 + [True] * 2


@pytest.mark.parametrize("method", ALL)
def test_refusals(method):
    data = firms(20)
    with pytest.raises(TooFewRecords):
        done(method, data.take(np.arange(3)), columns=["turnover"], k=4)
    with pytest.raises(WrongKind):
        done(method, data, columns=["branch"], k=4)
    with pytest.raises(NotFinite):
        done(method, Microdata({"x": numbers([1, np.inf, 3, 4, 5])}), columns=["x"], k=4)
    with pytest.raises(ParameterWrong):
        done(method, data, columns=["turnover"], k=2)


@pytest.mark.parametrize("method", ALL)
def test_constant_columns_stay(method):
    data = Microdata({"x": numbers([0.1] * 9), "y": numbers([1.0, 2, 3, 4, 5, 6, 7, 8, 9])})
    after = done(method, data, columns=["x", "y"], k=4)
    assert (after.column("x").values == 0.1).all()


@pytest.mark.parametrize("method", AVERAGES)
def test_medians(method):
    data = Microdata({"x": numbers([1, 2, 3, 1e6])})
    assert done(method, data, columns=["x"], k=4, aggregate="median").column("x").values.tolist() == [2.5] * 4


@pytest.mark.parametrize("method", AVERAGES)
@pytest.mark.parametrize("whole", ["nearest", "total"])
def test_whole_numbers(method, whole):
    data = firms()
    after = done(method, data, columns=["staff", "turnover"], whole=whole, within=["branch"])
    staff = after.column("staff")
    assert staff.kind is Kind.INTEGER
    assert after.column("turnover").kind is Kind.NUMBER
    assert not np.all(after.column("turnover").values == np.rint(after.column("turnover").values))
    for branch in "abc":
        inside = data.column("branch").texts() == branch
        moved = abs(int(staff.values[inside].sum()) - int(data.column("staff").values[inside].sum()))
        assert whole == "nearest" or moved <= 5 / 2  # groups of three to five, or with owners more


@pytest.mark.parametrize("method", AVERAGES)
@pytest.mark.parametrize("fault", [lambda x, *_: np.floor(x), lambda x, *_: np.rint(x) + (x > x.mean())])
def test_whole_numbers_that_move_the_total_break_the_claim(method, fault, monkeypatch):
    done(method, firms(), columns=["staff", "turnover"], whole="total")
    monkeypatch.setattr(masked, "whole_groups", fault)
    with pytest.raises(ClaimBroken):
        done(method, firms(), columns=["staff", "turnover"], whole="total")


@pytest.mark.parametrize("axis", ["first", "sum", "component", "core", "pursuit", "influence"])
@pytest.mark.parametrize("clusters", [1, 3])
def test_every_axis(axis, clusters):
    data = firms()
    after = done("axis-average", data, columns=NUMERIC, axis=axis, clusters=clusters)
    x, y = data.numbers(NUMERIC), after.numbers(NUMERIC)
    lost = ((x - y) ** 2).sum(axis=0) / ((x - x.mean(axis=0)) ** 2).sum(axis=0)
    assert lost.max() < 0.2


@pytest.mark.parametrize("axis", ["first", "sum", "component"])
def test_axes_of_the_book_against_the_plain_way(axis):
    """Höhne (2010), 2.2.6 (M02 to M04): sort by a column, by the sum of z-scores or by the first component of the standardised data; groups of k."""
    rng = np.random.default_rng(12)
    size = rng.normal(size=99)
    x = np.column_stack(
        [1e6 * (size + 0.5 * rng.normal(size=99)), size + rng.normal(size=99), rng.normal(size=99)]
    )
    z = (x - x.mean(axis=0)) / x.std(axis=0)
    along = {"first": x[:, 0], "sum": z.sum(axis=1), "component": z @ np.linalg.eigh(z.T @ z)[1][:, -1]}[axis]
    expected = np.empty_like(x)
    for group in np.argsort(along).reshape(33, 3):
        expected[group] = x[group].mean(axis=0)
    names = ["a", "b", "c"]
    data = Microdata({n: numbers(x[:, j]) for j, n in enumerate(names)})
    after = done("axis-average", data, columns=names, axis=axis, sizes="fixed").numbers(names)
    np.testing.assert_allclose(after, expected, rtol=1e-9)


def test_records_stay_in_the_order_of_the_file():
    """Groups of k as they stand, the last one takes the rest; strata apart."""
    data = Microdata({"x": numbers([9, 1, 5, 0, 7, 2, 4, 30.0])})
    after = done("axis-average", data, columns=["x"], axis="file", sizes="fixed")
    assert after.column("x").values.tolist() == [5.0] * 3 + [8.6] * 5
    apart = data.with_columns({"s": Column.texts_of(list("abababab"))})
    after = done("axis-average", apart, columns=["x"], axis="file", sizes="fixed", within=["s"], k=4)
    assert after.column("x").values.tolist() == [6.25, 8.25] * 4


@pytest.mark.parametrize("axis", ["component", "core", "pursuit"])
def test_six_records_are_two_groups_along_any_axis(axis):
    data = Microdata({"x": numbers([1, 11, 2, 12, 3, 13]), "y": numbers([2, 21, 5, 25, 5, 26])})
    after = done("axis-average", data, columns=["x", "y"], axis=axis)
    assert after.column("x").values.tolist() == [2, 12] * 3


def test_sorting_gains_over_the_order_of_the_file():
    data = firms()
    x = data.numbers(NUMERIC)

    def lost(axis):
        y = done("axis-average", data, columns=NUMERIC, axis=axis, sizes="fixed").numbers(NUMERIC)
        return (((x - y) / x.std(axis=0)) ** 2).sum()

    assert lost("component") < 0.5 * lost("file")


def test_every_cluster_is_sorted_by_the_column_in_which_it_stands_out():
    """One cluster far out in x, one in y, one in neither; in the first two the other column does not tell the groups."""
    rng = np.random.default_rng(4)
    x, y = rng.random(120), rng.random(120)
    x[:20] += 100
    y[20:40] -= 100
    data = Microdata({"x": numbers(x), "y": numbers(y)})
    after = done(
        "axis-average", data, columns=["x", "y"], k=4, clusters=3, axis="influence", sizes="fixed"
    ).numbers(["x", "y"])
    for rows, by in ((np.arange(20), x), (np.arange(20, 40), y)):
        for group in rows[np.argsort(by[rows])].reshape(5, 4):
            np.testing.assert_allclose(after[group], [[x[group].mean(), y[group].mean()]] * 4, rtol=1e-12)


def test_where_no_column_stands_out_the_first_one_sorts():
    data = firms()
    by_first = done("axis-average", data, columns=NUMERIC, axis="first")
    assert np.array_equal(
        done("axis-average", data, columns=NUMERIC, axis="influence").numbers(NUMERIC),
        by_first.numbers(NUMERIC),
    )


def test_optimal_sizes_lose_no_more_than_fixed_ones():
    data = firms()
    for method in ("rank-average", "axis-average"):
        losses = {}
        for sizes in ("optimal", "fixed"):
            x = data.numbers(NUMERIC)
            y = done(method, data, columns=NUMERIC, sizes=sizes).numbers(NUMERIC)
            losses[sizes] = (((x - y) / x.std(axis=0)) ** 2).sum()
        assert losses["optimal"] <= losses["fixed"] * (1 + 1e-12)


@pytest.mark.parametrize("grouping", ["centre", "pair", "ward"])
def test_every_grouping_is_about_as_good_as_mdav(grouping):
    data = firms()
    x = data.numbers(NUMERIC)

    def lost(y):
        return (((x - y) / x.std(axis=0)) ** 2).sum()

    ours = lost(done("cluster-average", data, columns=NUMERIC, grouping=grouping).numbers(NUMERIC))
    assert ours < 1.6 * lost(done("mdav", data, columns=NUMERIC).numbers(NUMERIC))


def test_robust_distances_do_not_depend_on_how_columns_are_mixed():
    """Mahalanobis distances: turnover and wages, or their sum and difference, give the same groups."""
    rng = np.random.default_rng(8)
    x = rng.normal(size=(200, 2))
    turned = x @ np.array([[1.0, 1.0], [1.0, -1.0]])
    groups = []
    for z in (x, turned):
        data = Microdata({"a": numbers(z[:, 0]), "b": numbers(z[:, 1])})
        y = done("cluster-average", data, columns=["a", "b"], distance="robust").numbers(("a", "b"))
        groups.append(np.unique(np.round(y, 9), axis=0, return_inverse=True)[1].ravel())
    same = (groups[0][:, None] == groups[0]) == (groups[1][:, None] == groups[1])
    assert same.mean() > 0.995


def test_gain_is_not_for_ward_and_leftover_for_pairs_only():
    for wrong in (
        {"grouping": "ward", "gain": 0.2},
        {"leftover": "absorb"},
        {"grouping": "ward", "leftover": "absorb"},
    ):
        with pytest.raises(ParameterWrong):
            done("cluster-average", firms(), columns=NUMERIC, **wrong)


@pytest.mark.parametrize(
    ("x", "leftover", "sizes"),
    [
        ([0, 1, 2, 5, 98, 99, 100], "apart", [4, 3]),  # one is left: it joins the nearest group
        ([0, 1, 2, 40, 45, 50, 98, 99, 100], "apart", [3, 3, 3]),
        ([0, 1, 2, 40, 45, 60, 98, 99, 100], "absorb", [5, 4]),  # footnote 9: the last two groups are larger
    ],
)
def test_what_pairs_leave(x, leftover, sizes):
    """Höhne (2010), 3.1 with footnote 9 (M07, errata E-09)."""
    data = Microdata({"x": numbers(x)})
    after = (
        done("cluster-average", data, columns=["x"], grouping="pair", leftover=leftover).column("x").values
    )
    assert np.unique(after, return_counts=True)[1].tolist() == sizes


# -- random groups --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("replacement", [False, True])
def test_random_groups_keep_correlations_and_a_kth_of_the_variance(replacement):
    """Over 200 secrets: the mean correlation within 5 standard errors, the mean variance ratio within 5 % of 1/k; a ratio wrong by 10 % fails."""
    rng = np.random.default_rng(4)
    x = rng.normal(size=(600, 2)) @ np.array([[1.0, 0.6], [0.0, 0.8]])
    data = Microdata({"a": numbers(x[:, 0]), "b": numbers(x[:, 1])})
    correlations, ratios, means = [], [], []
    for i in range(200):
        y = done("random-average", data, f"secret {i}", columns=["a", "b"], replacement=replacement).numbers(
            ("a", "b")
        )
        correlations.append(np.corrcoef(y.T)[0, 1])
        ratios.append(y.var(axis=0).mean() / x.var(axis=0).mean())
        means.append(y.mean(axis=0) - x.mean(axis=0))
    error = np.std(correlations) / np.sqrt(200)
    assert np.mean(correlations) == pytest.approx(np.corrcoef(x.T)[0, 1], abs=5 * error + 0.002)
    assert np.mean(ratios) == pytest.approx(1 / 3, rel=0.03)
    limit = 5 / np.sqrt(200 * 600 / 3 * 3)
    assert np.all(np.abs(np.mean(means, axis=0)) <= (limit if replacement else 1e-12))


def test_no_mean_is_one_contributors_value():
    """With replacement a group never draws one owner twice: with three owners each mean holds all three."""
    data = firms(30, owners=3)
    group = np.unique(data.column("group").texts(), return_inverse=True)[1]
    data = data.with_columns({"turnover": numbers(10.0 ** (3 * group))})
    after = done("random-average", data, columns=["turnover"], replacement=True)
    np.testing.assert_allclose(after.column("turnover").values, (1 + 1e3 + 1e6) / 3)


# -- safety intervals -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["safe-average", "spread-average"])
def test_too_few_values_of_one_sign_are_refused_in_these_words(method):
    data = Microdata({"x": numbers([-2.0, -1, 0, 5, 6, 7, 8, 9])})
    with pytest.raises(TooFewRecords, match="values of one sign") as refused:
        done(method, data, columns=["x"], k=4)
    assert "eines Vorzeichens" in refused.value.text("de")
    after = done(method, data, columns=["x"], k=4, too_small="suppress").column("x")
    assert after.suppressed.tolist() == [True] * 2 + [False] * 6


def test_signs_are_apart_and_zeros_stay():
    x = [-100.0, -90, -80, 0, 0, 5, 6, 7, 8]
    after = done("safe-average", Microdata({"x": numbers(x)}), columns=["x"]).column("x").values
    assert after.tolist() == [-90.0] * 3 + [0, 0] + [6.5] * 4


@given(st.lists(st.integers(-300, 300), min_size=3, max_size=60), st.sampled_from([1.0, 5.0, 30.0]))
@settings(max_examples=60, deadline=None)
def test_intervals_are_wide_enough_for_any_values(values, safety):
    """The claim is checked in the step; here only that it never has to be broken."""
    done(
        "safe-average", Microdata({"x": numbers(values)}), columns=["x"], safety=safety, too_small="suppress"
    )


# -- samples --------------------------------------------------------------------------------------------------------------


def test_resampling_against_the_plain_way():
    """Sort every bootstrap sample and average; the draws are the same."""
    rng = np.random.default_rng(6)
    x = rng.exponential(size=200)
    data = Microdata({"x": numbers(x)})
    after = done("resample-average", data, columns=["x"], samples=400).column("x").values
    means = np.sort(rng.choice(x, (4000, 200)), axis=1).mean(axis=0)
    spread = np.sort(rng.choice(x, (400, 200)), axis=1).std(axis=0) / 20
    assert np.all(np.abs(np.sort(after) - means) <= 6 * spread + 1e-9)
    assert np.array_equal(np.argsort(after, kind="stable"), np.argsort(x, kind="stable"))


def test_resampling_keeps_the_mean_on_average():
    """Over 300 secrets: within five standard errors of the mean."""
    x = np.random.default_rng(7).exponential(size=50)
    data = Microdata({"x": numbers(x)})
    means = [
        done("resample-average", data, f"s{i}", columns=["x"], samples=2).column("x").values.mean()
        for i in range(300)
    ]
    assert np.mean(means) == pytest.approx(x.mean(), abs=5 * x.std() / np.sqrt(50 * 2 * 300))
    assert np.std(means) == pytest.approx(x.std() / np.sqrt(100), rel=0.25)


def test_resampling_by_stratum_and_small_ones():
    data = firms()
    after = done("resample-average", data, columns=["turnover"], within=["branch"])
    for branch in "abc":
        inside = data.column("branch").texts() == branch
        assert after.column("turnover").values[inside].max() <= data.column("turnover").values[inside].max()
    with pytest.raises(TooFewRecords):
        done("resample-average", data.take(np.arange(9)), columns=["turnover"])


def test_resampling_refuses_to_change_nothing():
    """Of two values one each: a sample can be the values themselves. Then the step is refused, not released."""
    data = Microdata({"x": numbers([1.0] * 40 + [2.0])})
    outcomes = set()
    for i in range(40):
        try:
            done("resample-average", data, f"s{i}", columns=["x"], samples=1)
            outcomes.add("changed")
        except NothingChanged:
            outcomes.add("refused")
    assert outcomes == {"changed", "refused"}


# -- claims ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", AVERAGES)
def test_a_planted_fault_in_the_means_breaks_a_claim(method, monkeypatch):
    honest = averaging.group_averages
    monkeypatch.setattr(averaging, "group_averages", lambda *given: honest(*given) * 1.001)
    with pytest.raises(ClaimBroken):
        done(method, firms(), columns=NUMERIC)


def test_the_share_of_the_variance_that_is_left_is_told():
    from tarnkappe.spec import catalogue

    data = firms()
    data = data.with_columns({"turnover": numbers(np.random.default_rng(1).random(240))})
    step = catalogue["microdata.mdav"](columns=("turnover",), k=10)
    after = done("mdav", data, columns=["turnover"], k=10)
    was, now = (d.column("turnover").values.var() for d in (data, after))
    assert step.tells(data, after)["variance_kept"]["turnover"] == round(now / was, 3) < 1
    few = data.take(np.arange(20))
    assert step.tells(few, done("mdav", few, columns=["turnover"], k=10)) == {
        "variance_kept": {"turnover": None},
        "rounded": [],
    }


def test_random_groups_promise_correlations_in_the_whole_file_only():
    """Two strata far apart: averages within them keep the difference and lose the rest, so the correlation of all records grows."""
    rng = np.random.default_rng(0)
    far = np.repeat([0.0, 5.0], 1500)
    columns = {n: Column.numbers_of(far + rng.normal(size=3000)) for n in ("a", "b")}
    data = Microdata(columns | {"g": Column.texts_of([str(v) for v in far])})
    for within, kept in (((), True), (("g",), False)):
        method = catalogue["microdata.random-average"](columns=("a", "b"), within=within)
        (said,) = [c for c in method.preserves if c.holds is Holds.ON_AVERAGE]
        assert said.applies(method) is kept
        assert said.check(method, data, apply_step(method, data, stream("s" * 32, method.id))) is kept


@pytest.mark.parametrize("method", ["rank-average", "resample-average"])
def test_values_from_one_end_of_all_numbers_to_the_other(method):
    """Differences between them are too large for a number; warnings are errors here."""
    x = np.concatenate([np.full(12, -1.7e308), np.linspace(-1, 1, 12) * 1.6e308, np.full(12, 1.7e308)])
    after = done(method, Microdata({"x": numbers(x)}), columns=["x"]).column("x").values
    assert np.isfinite(after).all()
    assert np.all(after[1:] >= after[:-1])
