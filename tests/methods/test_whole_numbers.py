"""Whole numbers stay whole where that is asked for, and totals hardly move: averages, corrected variances, tails, outliers and estimates."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from methods.averaging_data import contributors_per_value, done, firms, numbers
from tarnkappe.data import masked
from tarnkappe.data.column import MISSING, SUPPRESSED, Column
from tarnkappe.data.masked import Whole
from tarnkappe.data.microdata import Microdata
from tarnkappe.errors.data import TooFewRecords
from tarnkappe.errors.masking import MomentsTell, NothingChanged, SpreadTooWide
from tarnkappe.errors.release import ClaimBroken, ParameterWrong
from tarnkappe.kernels.sorted_groups import distant_groups
from tarnkappe.methods.microdata import category_average, resample_average, restore_variance, safe_average
from tarnkappe.methods.microdata.whole_totals import WHOLE_KEPT
from tarnkappe.randomness import public_stream as stream
from tarnkappe.spec import catalogue
from tarnkappe.spec.parameters import build
from tarnkappe.spec.step import apply_step, broken_claims
from tarnkappe.vocab import Kind, Role

STEP = {"use": "microdata.mdav", "columns": ["staff", "turnover"], "within": ["branch"], "k": 5}
METHODS = {
    "safe-average": {},
    "spread-average": {"k": 6},
    "resample-average": {"samples": 2},
    "category-average": {},
    "restore-variance": {"step": STEP},
}
KEEPS_TOTALS = [name for name in METHODS if name != "resample-average"]


def staff_of(method, whole, data=None, secret="any", **more):
    """The whole numbers of a file after a method, by stratum."""
    given = {"columns": ["staff", "turnover"], "within": ["branch"], **METHODS[method], **more}
    return done(method, firms() if data is None else data, secret, whole=whole, **given).column("staff")


def exact_staff(method):
    """The same not rounded. Two values per group are shown so only where numbers are not whole: then parts of 1024 are, which multiply without error."""
    if method != "spread-average":
        return staff_of(method, "decimals")
    data = firms()
    parts = data.with_columns({"staff": numbers(data.column("staff").values / 1024)})
    return numbers(staff_of(method, "decimals", parts).values * 1024)


def by_branch(data, values):
    branches = data.column("branch").texts()
    return [values[branches == branch] for branch in "abc"]


# -- all of them ------------------------------------------------------------------------------------------------------


def test_every_method_that_rounds_promises_that_whole_numbers_stay_whole():
    rounding = [
        cls for cls in catalogue.methods() if (f := cls.model_fields.get("whole")) and f.annotation == Whole
    ]
    assert len(rounding) >= 22
    assert [cls.id for cls in rounding if WHOLE_KEPT not in cls.preserves] == []


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("whole", ["nearest", "total"])
def test_values_go_to_a_neighbouring_whole_number_and_equal_ones_stay_equal(method, whole):
    data = firms()
    exact, after = exact_staff(method), staff_of(method, whole)
    assert (exact.kind, after.kind) == (Kind.NUMBER, Kind.INTEGER)
    x, y = exact.values, after.values
    assert np.all((y == np.rint(x)) if whole == "nearest" else (y == np.floor(x)) | (y == np.ceil(x)))
    if method == "resample-average":
        return  # equal originals have values of their own
    for was, now in zip(by_branch(data, x), by_branch(data, y), strict=True):
        groups = np.unique(was, return_inverse=True)[1]
        assert all(len(set(now[groups == g].tolist())) == 1 for g in range(groups.max() + 1))


@pytest.mark.parametrize("method", METHODS)
def test_totals_of_strata_move_by_half_a_group_at_most(method):
    """`nearest` moves them farther: then the test could fail."""
    data, moved = firms(), {}
    exact = exact_staff(method).values
    for whole in ("nearest", "total"):
        pairs = list(
            zip(by_branch(data, exact), by_branch(data, staff_of(method, whole).values), strict=True)
        )
        moved[whole] = [abs(now.sum() - was.sum()) for was, now in pairs]
    group = [1 if method == "resample-average" else np.unique(x, return_counts=True)[1].max() for x in by_branch(data, exact)]  # fmt: skip
    assert all(m <= g / 2 + 1e-9 for m, g in zip(moved["total"], group, strict=True))
    assert sum(moved["total"]) < sum(moved["nearest"])


@pytest.mark.parametrize(
    ("method", "default"), [(m, "total" if m == "spread-average" else "decimals") for m in METHODS]
)
def test_decimals_and_columns_that_are_not_whole_are_left_alone(method, default):
    data = firms()
    plain = done(method, data, columns=["staff", "turnover"], within=["branch"], **METHODS[method])
    for whole in {default, "nearest", "total"}:
        after = done(
            method, data, columns=["staff", "turnover"], within=["branch"], whole=whole, **METHODS[method]
        )
        assert np.array_equal(after.column("turnover").values, plain.column("turnover").values)
    assert np.array_equal(plain.column("staff").values, staff_of(method, default).values)


@pytest.mark.parametrize("method", KEEPS_TOTALS)
@pytest.mark.parametrize("fault", [lambda x, *_: np.floor(x), lambda x, *_: np.rint(x) + 2])
def test_rounding_that_moves_totals_breaks_the_claim(method, fault, monkeypatch):
    staff_of(method, "total")
    monkeypatch.setattr(masked, "whole_groups", fault)
    with pytest.raises(ClaimBroken):
        staff_of(method, "total")


@pytest.mark.parametrize("method", METHODS)
def test_results_with_decimals_break_the_claim(method, monkeypatch):
    monkeypatch.setattr(masked, "whole_groups", lambda x, *_: x)
    with pytest.raises(ClaimBroken, match="whole numbers stay whole"):
        staff_of(method, "total")


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("whole", ["nearest", "total"])
def test_gaps_stay_and_hidden_numbers_are_as_they_were(method, whole):
    data = firms()
    state = np.zeros(len(data), np.uint8)
    state[::4], state[1::4] = SUPPRESSED, MISSING
    was = Column(Kind.INTEGER, data.column("staff").values, state)
    after = staff_of(method, whole, data.with_columns({"staff": was}))
    assert after.kind is Kind.INTEGER
    assert np.array_equal(after.state, state)
    assert np.array_equal(after.values[state == SUPPRESSED], was.values[state == SUPPRESSED])


@pytest.mark.parametrize("method", [m for m in METHODS if m != "restore-variance"])
@pytest.mark.parametrize(
    "x", [[7] * 12, [0] * 12, [-(2**61)] * 12, list(range(-6, 6)), [2**62, -(2**62)] * 6]
)
def test_awkward_whole_numbers_give_an_answer_or_a_code(method, x):
    data = Microdata({"x": Column.numbers_of(np.array(x))})
    for whole in ("nearest", "total"):
        try:
            after = done(method, data, columns=["x"], whole=whole, **METHODS[method]).column("x")
        except (TooFewRecords, SpreadTooWide, NothingChanged):
            continue
        assert np.all(after.values == np.rint(after.values.astype(float)))


# -- safety intervals -------------------------------------------------------------------------------------------------


@given(
    st.lists(st.integers(-3000, 3000), min_size=3, max_size=60),
    st.sampled_from([1.0, 5.0, 30.0]),
    st.sampled_from(["nearest", "total"]),
)
@settings(max_examples=80, deadline=None)
def test_rounded_means_keep_signs_and_intervals_for_any_values(values, safety, whole):
    """The claims are checked in the step; zeros, and only they, are shown as zero."""
    data = Microdata({"x": Column.numbers_of(np.array(values))})
    after = done(
        "safe-average", data, columns=["x"], safety=safety, too_small="suppress", whole=whole
    ).column("x")
    shown = after.observed
    assert np.array_equal(np.sign(np.array(values)[shown]), np.sign(after.values[shown]))


def bounds(v, g, off):
    """The certain interval of every rung of a ladder: Höhne's inequalities with a mean that may be off by rounding."""
    rungs = range(len(v))
    above = [v[i - 1] + off if i else np.inf for i in rungs]
    below = [v[i + 1] - off if i + 1 < len(v) else 0.0 for i in rungs]
    high = [min(above[i], g[i] * (v[i] + off) - (g[i] - 1) * below[i]) for i in rungs]
    low = [max(below[i], g[i] * (v[i] - off) - (g[i] - 1) * above[i]) for i in rungs]
    return low, high


@pytest.mark.parametrize("whole", ["nearest", "total"])
def test_rounding_narrows_no_interval(whole):
    """Every original lies in what follows from the rounded means, and that holds all that follows from the exact ones, where groups come together too."""
    off = {"nearest": 0.5, "total": 1.0}[whole]
    for seed in range(30):
        rng = np.random.default_rng(seed)
        x = np.ceil(rng.lognormal(rng.uniform(0, 7), 1, 80)).astype(np.int64)
        data = Microdata({"x": Column.numbers_of(x)})
        exact, shown = (
            done("safe-average", data, columns=["x"], whole=w).column("x").values for w in ("decimals", whole)
        )
        (v, g), (u, h) = (np.unique(-y, return_counts=True) for y in (exact, shown))
        (low, high), (below, above) = bounds(-v, g, 0.0), bounds(-u, h, off)
        for i, value in enumerate(-v):
            j = int(np.flatnonzero(-u == shown[exact == value][0])[0])
            assert below[j] <= low[i] + 1e-9
            assert above[j] >= high[i] - 1e-9
            assert above[j] - below[j] >= 0.05 * above[j] * (1 - 1e-9)
            inside = x[exact == value]
            assert np.all((inside >= below[j] - 1e-9) & (inside <= above[j] + 1e-9))


@pytest.mark.parametrize("whole", ["decimals", "nearest", "total"])
def test_groups_that_are_too_near_break_the_claims(whole, monkeypatch):
    """Large numbers, for which rounding is no excuse: groups of three as in individual ranking."""
    x = np.ceil(np.random.default_rng(1).lognormal(9, 1, 300)).astype(np.int64)
    data = Microdata({"x": Column.numbers_of(x)})
    done("safe-average", data, columns=["x"], whole=whole)
    monkeypatch.setattr(
        safe_average, "distant_groups", lambda x, who, starts, k, _: distant_groups(x, who, starts, k, 1.0)
    )
    with pytest.raises(ClaimBroken) as broken:
        done("safe-average", data, columns=["x"], whole=whole)
    assert "factor" in broken.value.text("en")
    step = catalogue["microdata.safe-average"](columns=("x",), whole=whole)
    near = step.apply(data, stream("s" * 32, step.id))
    assert any("required width" in claim.says.en for claim in broken_claims(step, data, near))


# -- two values per group ---------------------------------------------------------------------------------------------


@given(
    st.lists(st.integers(-20, 400), min_size=4, max_size=40),
    st.sampled_from(["fixed", "optimal", "records"]),
    st.sampled_from(["nearest", "total"]),
    st.booleans(),
)
@settings(max_examples=100, deadline=None)
def test_two_rounded_values_keep_their_claims_or_the_step_is_refused(values, grouping, whole, weighted):
    x = np.array(values)
    w = numbers(np.random.default_rng(len(x)).lognormal(0, 1, len(x)))
    data = Microdata(
        {"x": Column.numbers_of(x), "y": Column.numbers_of(x[::-1].copy()), "w": w}, {Role.WEIGHT: ("w",)}
    )
    given = {"grouping": grouping, "whole": whole, "weighted": weighted, "too_small": "suppress"}
    for signs in ("kept", "free"):
        try:
            after = done("spread-average", data, columns=["x", "y"], signs=signs, **given)
        except (SpreadTooWide, TooFewRecords):
            continue
        for name in ("x", "y"):
            was, now = data.column(name).values, after.column(name)
            shown = now.observed & ((now.values != 0) | (signs == "free"))
            assert signs == "free" or np.all((was * now.values >= 0)[now.observed])
            assert np.all(np.unique(now.values[shown], return_counts=True)[1] >= 2)


def test_the_standard_deviation_is_kept_to_within_one():
    data = firms()
    for whole in ("nearest", "total"):
        for was, now in zip(*(by_branch(data, v) for v in (data.column("staff").values, staff_of("spread-average", whole).values)), strict=True):  # fmt: skip
            assert abs(now.std() - was.std()) <= 0.5
    step = catalogue["microdata.spread-average"](columns=("staff",), whole="nearest")
    x = data.column("staff").values
    wrong = data.with_columns(
        {"staff": Column.numbers_of(np.rint(x.mean() + 1.2 * (x - x.mean())).astype(np.int64))}
    )
    assert any("standard deviation" in claim.says.en for claim in broken_claims(step, data, wrong))


def test_the_variance_that_rounding_left_is_told():
    data = firms()
    step = catalogue["microdata.spread-average"](columns=("staff", "turnover"), whole="nearest")
    small = data.with_columns({"staff": Column.numbers_of(np.random.default_rng(1).poisson(3, 240))})
    told = step.tells(small, apply_step(step, small, stream("s" * 32, step.id)))
    assert told["variance_kept"]["turnover"] == 1.0
    assert told["variance_kept"]["staff"] != 1.0
    assert told["rounded"] == ["staff"]
    plain = catalogue["microdata.spread-average"](columns=("staff", "turnover"))
    told = plain.tells(small, apply_step(plain, small, stream("s" * 32, plain.id)))
    assert told["variance_kept"]["turnover"] == 1.0
    assert told["rounded"] == ["staff"], "rounded where nothing is said"
    only = catalogue["microdata.spread-average"](columns=("turnover",), whole="decimals")
    after = apply_step(only, small, stream("s" * 32, only.id))
    assert only.tells(small, after) == {"variance_kept": {"turnover": 1.0}, "rounded": []}


@pytest.mark.parametrize("more", [{}, {"grouping": "optimal"}, {"grouping": "records"}, {"signs": "free"}])
def test_two_exact_values_are_refused_for_whole_numbers_however_they_are_held(more):
    """Columns that are not whole keep them."""
    data = firms()
    as_decimals = data.with_columns({"staff": numbers(data.column("staff").values)})
    for d in (data, as_decimals):
        with pytest.raises(MomentsTell, match="staff"):
            done("spread-average", d, columns=["turnover", "staff"], whole="decimals", **more)
    kept = done("spread-average", data, columns=["turnover"], whole="decimals", **more)
    rounding = done("spread-average", data, columns=["turnover"], **more)
    assert np.array_equal(kept.column("turnover").values, rounding.column("turnover").values)


# -- samples ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("whole", ["nearest", "total"])
def test_rounded_averages_of_samples_stay_in_order_and_within_limits(whole):
    """Few values, many of them equal, so that ties among the averages are common; the claims are checked in the step."""
    for i in range(30):
        x = np.random.default_rng(i).integers(0, 40, 60) ** 2
        data = Microdata({"x": Column.numbers_of(x)})
        exact, after = (done("resample-average", data, f"s{i}", columns=["x"], samples=4, whole=w).column("x").values for w in ("decimals", whole))  # fmt: skip
        assert x.min() <= after.min() <= after.max() <= x.max()
        assert all(after[x < v].max() <= after[x == v].min() for v in np.unique(x)[1:])
        assert whole == "nearest" or abs(after.sum() - exact.sum()) <= 0.5 + 1e-9


def test_a_column_that_rounding_brings_back_is_refused():
    """Two of three samples draw the only 2, one of four draws it twice: the averages at the upper end are 1.6 and 1.3."""
    data = Microdata({"x": Column.numbers_of(np.array([1] * 40 + [2]))})
    done("resample-average", data, columns=["x"], samples=400)
    for whole in ("nearest", "total"):
        with pytest.raises(NothingChanged):
            done("resample-average", data, columns=["x"], samples=400, whole=whole)


def test_averages_of_samples_out_of_order_break_the_claim(monkeypatch):
    honest = resample_average.whole_alike
    monkeypatch.setattr(resample_average, "whole_alike", lambda *given: honest(*given)[::-1])
    with pytest.raises(ClaimBroken, match="order"):
        staff_of("resample-average", "total")


# -- categories and numbers -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("aggregate", ["mean", "median"])
@pytest.mark.parametrize("weighted", [False, True])
def test_numbers_beside_categories(aggregate, weighted):
    data = firms()
    w = numbers(np.random.default_rng(3).lognormal(0, 1, len(data)))
    data = data.with_columns({"w": w}).with_roles({Role.WEIGHT: ("w",)})
    given = {"columns": ["staff", "branch"], "aggregate": aggregate, "weighted": weighted, "k": 4}
    after = done("category-average", data, **given, whole="total")
    assert after.column("staff").kind is Kind.INTEGER
    assert min(contributors_per_value(after, "staff", "branch")) >= 4
    exact, now = done("category-average", data, **given).column("staff").values, after.column("staff").values
    assert np.abs(now - exact).max() < 1
    counts = w.values if weighted else np.ones(len(data))
    assert abs(counts @ (now - exact)) <= (
        0.6 if weighted else 2
    )  # the lightest groups, or half of a group of four


def test_a_typical_record_is_not_rounded():
    with pytest.raises(ParameterWrong, match="whole goes with"):
        done("category-average", firms(), columns=["staff"], aggregate="medoid", whole="nearest")


def test_a_total_that_is_not_kept_beside_categories_breaks_the_claim(monkeypatch):
    honest = category_average.whole_alike
    monkeypatch.setattr(category_average, "whole_alike", lambda *given: honest(*given) + 1)
    with pytest.raises(ClaimBroken):
        staff_of("category-average", "total")


# -- variances brought back ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("whole", ["nearest", "total"])
@pytest.mark.parametrize("block", [None, 50])
def test_groups_of_k_stay_groups_of_k(whole, block):
    after = staff_of("restore-variance", whole, block=block)
    data = firms()
    assert min(contributors_per_value(data.with_columns({"staff": after}), "branch", "staff")) >= 5
    if block is None:
        for was, now in zip(by_branch(data, data.column("staff").values), by_branch(data, after.values), strict=True):  # fmt: skip
            assert abs(was.mean() - now.mean()) <= 0.5
            assert abs(was.std() - now.std()) <= 0.5


def test_decimals_that_the_step_made_are_rounded_again():
    """Noise leaves decimals in all records, also where blocks stay uncorrected; and nobody is told that variances there were not restored."""
    data = firms()
    noise = {"use": "microdata.noise", "columns": ["staff"], "signs": "free"}
    step = catalogue["microdata.restore-variance"](columns=("staff",), step=noise, whole="total")
    after = apply_step(step, data, stream("s" * 32, step.id))
    assert after.column("staff").kind is Kind.INTEGER
    assert abs(after.column("staff").values.sum() - data.column("staff").values.sum()) <= 1
    assert not any("were left" in said.en for said in step.remarks(data, after))
    assert step.tells(data, after)["rounded"] == ["staff"]


def test_what_the_step_fills_in_is_rounded_too():
    data = firms()
    state = np.zeros(len(data), np.uint8)
    state[::9] = MISSING
    data = data.with_columns({"staff": Column(Kind.INTEGER, data.column("staff").values, state)})
    for whole in ("nearest", "total"):
        restored = restore_variance.RestoreVariance(columns=("staff",), step={"use": "microdata.mdav", "columns": ["staff"]}, whole=whole)  # fmt: skip
        filled = restored._restored("staff", data, data.with_columns({"staff": numbers(np.arange(240) * 0.7)}), np.arange(240))  # fmt: skip
        assert filled.kind is Kind.INTEGER


def test_small_numbers_that_rounding_brings_back_are_refused():
    """After hardly any noise the nearest whole numbers are the originals."""
    x = np.array([1, 1, 1, 2, 5, 5, 5, 6] * 3)
    data = Microdata({"x": Column.numbers_of(x)})
    noise = {"use": "microdata.noise", "columns": ["x"], "variance_ratio": 0.0005, "signs": "free"}
    done("restore-variance", data, columns=["x"], step=noise)
    for whole in ("nearest", "total"):
        with pytest.raises(NothingChanged):
            done("restore-variance", data, columns=["x"], step=noise, whole=whole)


@pytest.mark.parametrize("fault", [lambda x, *_: x + 3, lambda x, *_: np.rint(x * 1.1)])
def test_moments_that_do_not_come_back_break_the_claim(fault, monkeypatch):
    monkeypatch.setattr(restore_variance, "whole_alike", lambda column, x, *given: fault(np.rint(x)))
    with pytest.raises(ClaimBroken):
        staff_of("restore-variance", "nearest")


# -- values that move alone ----------------------------------------------------------------------------------------------


def test_means_of_tails():
    """Both tails of both strata: each shows one whole number beyond its limit, and the total moves by half a tail at most."""
    rng = np.random.default_rng(8)
    x, s = rng.integers(0, 1000, 400), rng.choice(["a", "b"], 400)
    data = Microdata({"x": Column.numbers_of(x), "s": Column.texts_of(s.tolist())})
    for whole in ("decimals", "nearest", "total"):
        after = done(
            "replace-tails", data, columns=["x"], lower=99.5, upper=900.5, within=["s"], whole=whole
        ).column("x")
        assert after.kind is (Kind.NUMBER if whole == "decimals" else Kind.INTEGER)
        for stratum in "ab":
            mine, longest = s == stratum, 0
            for tail in (mine & (x < 99.5), mine & (x > 900.5)):
                longest = max(longest, tail.sum())
                assert len(set(after.values[tail].tolist())) == 1
                assert abs(after.values[tail][0] - x[tail].mean()) < 1
                assert np.all((after.values[tail] < 99.5) == (x[tail] < 99.5))
            assert whole == "nearest" or abs(after.values[mine].sum() - x[mine].sum()) <= longest / 2


def test_a_total_beside_tails_that_is_not_kept_breaks_the_claim(monkeypatch):
    """A unit too much in both tails is more than half of the longer one."""
    x = np.random.default_rng(8).integers(0, 1000, 400)
    data = Microdata({"x": Column.numbers_of(x)})
    monkeypatch.setattr(masked, "whole_groups", lambda x, *_: np.ceil(x) + 1)
    with pytest.raises(ClaimBroken, match="beyond a limit"):
        done("replace-tails", data, columns=["x"], lower=100, upper=900, whole="total")


def test_outliers_that_are_pulled_in():
    """They lie on the edge up to rounding; the others are as they were, and a record that is not pulled breaks the claim all the same."""
    rng = np.random.default_rng(9)
    z = rng.multivariate_normal([500, 900], [[2500, 2000], [2000, 2500]], 300)
    z[:6] += [[400, -400]]
    data = Microdata(
        {"x": Column.numbers_of(np.rint(z[:, 0]).astype(np.int64)), "y": Column.numbers_of(z[:, 1])}
    )
    for whole in ("nearest", "total"):
        step = catalogue["microdata.pull-in"](columns=("x", "y"), whole=whole)
        exact = done("pull-in", data, columns=["x", "y"]).column("x").values
        after = apply_step(step, data, stream("s" * 32, step.id))
        assert after.column("x").kind is Kind.INTEGER
        assert np.abs(after.column("x").values - exact).max() < 1
        assert whole == "nearest" or abs(after.column("x").values.sum() - exact.sum()) <= 0.5 + 1e-9
        assert any("farther out" in claim.says.en for claim in broken_claims(step, data, data))


@pytest.mark.parametrize("model", ["regression", "regression-residual", "mean", "hot-deck", "matching"])
def test_estimates_of_whole_numbers(model):
    data = firms(400)
    given = {
        "column": "staff",
        "predictors": ["branch"] if model in {"mean", "hot-deck"} else ["turnover"],
        "upper": 30.0,
        "model": model,
    }
    for whole in ("nearest", "total"):
        exact, after = (
            done("impute", data, **given, fit=-9.0, too_close="suppress", within=["branch"], whole=w).column(
                "staff"
            )
            for w in ("decimals", whole)
        )
        assert after.kind is Kind.INTEGER
        both = after.observed & exact.observed
        assert np.abs(after.values[both] - exact.values[both]).max() < 1
        cells = data.column("staff").values > 30
        true, shown = (
            data.column("staff").values[cells & after.observed],
            after.values[cells & after.observed],
        )
        assert np.all(np.abs(shown - true) >= 0.05 * true)


def test_estimates_with_decimals_break_the_claim(monkeypatch):
    given = {
        "column": "staff",
        "predictors": ["turnover"],
        "upper": 30.0,
        "model": "regression",
        "fit": -9.0,
        "too_close": "suppress",
    }
    monkeypatch.setattr(masked, "whole_groups", lambda x, *_: x)
    with pytest.raises(ClaimBroken, match="whole numbers stay whole"):
        done("impute", firms(400), **given, whole="total")


# -- whole numbers that a file holds as decimals -----------------------------------------------------------------------


@pytest.mark.parametrize("method", [*METHODS, "noise", "factor-noise", "mdav"])
@pytest.mark.parametrize("whole", ["nearest", "total"])
def test_whole_numbers_held_as_decimals_stay_whole_as_others_do(method, whole):
    """SPSS holds them in the format F8.2, pandas as floats; what is shown is the same as for whole numbers."""
    data = firms()
    as_decimals = data.with_columns({"staff": numbers(data.column("staff").values)})
    given = {"columns": ["staff", "turnover"], "within": ["branch"], **METHODS.get(method, {})}
    if method == "factor-noise":
        del given["within"]
    one, other = (done(method, d, whole=whole, **given).column("staff") for d in (data, as_decimals))
    assert (one.kind, other.kind) == (Kind.INTEGER, Kind.NUMBER)
    assert np.array_equal(one.values, other.values)
    told = build(catalogue[f"microdata.{method}"], {**given, "whole": whole}).tells(
        as_decimals, done(method, as_decimals, whole=whole, **given)
    )
    assert told["rounded"] == ["staff"]


def test_a_column_with_one_decimal_is_not_one_of_whole_numbers():
    assert masked.whole_valued(numbers([1, 2.0, np.nan], [0, 0, MISSING]))
    assert not masked.whole_valued(numbers([1, 2.5]))
    assert not masked.whole_valued(numbers([1, 2.0**60]))
    assert not masked.whole_valued(numbers([np.nan], [MISSING]))
