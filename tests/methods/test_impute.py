"""Imputation: which cells, from what, how far from the truth, and when it is refused."""

import numpy as np
import pytest

from tarnkappe.data.column import MISSING, Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.errors.data import NameTaken, TooFewContributors, ValueUnknown, WrongKind
from tarnkappe.errors.imputation import FitTooWeak, NothingToLearnFrom, TooCloseToTruth
from tarnkappe.errors.masking import NothingChanged, ResultTooLarge
from tarnkappe.errors.release import ParameterWrong
from tarnkappe.methods.microdata.impute import Impute
from tarnkappe.randomness import public_stream as stream
from tarnkappe.spec.step import apply_step
from tarnkappe.vocab import Role

RNG = np.random.default_rng(4)
N = 400
X = RNG.normal(10, 2, N)
Y = 50 + 3 * X + RNG.normal(0, 4, N)
GROUP = np.array(["a", "b", "c", "d"])[RNG.integers(0, 4, N)]


def data(**more):
    columns = {
        "x": Column.numbers_of(X),
        "y": Column.numbers_of(Y),
        "g": Column.texts_of(list(GROUP)),
    }
    return Microdata(columns | more)


def done(seed=0, given=None, **parameters):
    method = Impute(**({"column": "y", "predictors": ("x",), "apart": 0, "fit": -9} | parameters))
    return apply_step(method, given or data(), stream(f"secret {seed}", method.id)).column(method.column)


def test_only_chosen_cells_change():
    limit = float(np.quantile(Y, 0.9))
    new = done(upper=limit).numbers()
    assert np.array_equal(new[limit >= Y], Y[limit >= Y])
    assert np.all(new[limit < Y] != Y[limit < Y])
    assert np.all(new <= limit + 1e-9)  # donors lie within the limit


def test_regression_shrinks_the_variance_and_residuals_keep_it():
    """R² is 0.69: Var of the estimates is 0.69 of the truth; with residuals the ratio of variances over 200 files is 1 ± 0.02."""
    flat = done(model="regression").numbers()
    r2 = np.corrcoef(X, Y)[0, 1] ** 2
    assert flat.var() / Y.var() == pytest.approx(r2, rel=1e-9)
    assert np.corrcoef(X, flat)[0, 1] == pytest.approx(1)
    ratios = [done(seed, model="regression-residual").numbers().var() / Y.var() for seed in range(200)]
    assert np.mean(ratios) == pytest.approx(1, abs=0.02)


@pytest.mark.parametrize("model", ["mean", "regression", "regression-residual", "hot-deck", "matching"])
def test_the_mean_stays_about_right(model):
    means = [
        done(seed, model=model, predictors=("x",) if model != "mean" else ("g",)).numbers().mean()
        for seed in range(30)
    ]
    assert np.mean(means) == pytest.approx(Y.mean(), abs=4 * Y.std() / np.sqrt(N))


def test_nobody_gets_the_own_value_back_when_all_are_imputed():
    for model in ("hot-deck", "matching"):
        assert not np.any(done(model=model, predictors=("x",)).numbers() == Y)


def test_means_of_all_give_no_value_back():
    """A mean of the others would: in every group such means add up to the sum, and the sum less (n - 1) times the own mean is the value.

    Groups of fewer than three get the mean of the larger ones, of which their values are no part.
    """
    y, g = np.array([1.0, 2.0, 6.0, 10.0, 20.0, 7.0]), list("aaabbc")
    given = Microdata({"y": Column.numbers_of(y), "g": Column.texts_of(g)})
    new = done(given=given, predictors=("g",), model="mean").numbers()
    np.testing.assert_allclose(new, 3.0)
    for seed in range(20):
        rng = np.random.default_rng(seed)
        y, g = rng.normal(size=60), rng.integers(0, 6, 60)
        given = Microdata({"y": Column.numbers_of(y), "g": Column.numbers_of(g)})
        new = done(given=given, predictors=("g",), model="mean").numbers()
        for group in range(6):
            guess = new[g == group].sum() - ((g == group).sum() - 1) * new[g == group]
            assert np.mean(np.abs(guess - y[g == group]) < 1e-6) <= 0.5
    few = Microdata({"y": Column.numbers_of(np.array([1.0, 5.0, 9.0])), "g": Column.texts_of(list("abc"))})
    np.testing.assert_allclose(done(given=few, predictors=("g",), model="mean").numbers(), 5.0)


def test_means_of_all_count_owners():
    """Three records of one owner are no group of three."""
    columns = {
        "y": Column.numbers_of(np.array([1.0, 2, 6, 10, 20, 60])), "g": Column.texts_of(list("aaabbb")),
        "o": Column.texts_of(list("xxxuvw")),
    }  # fmt: skip
    for roles, means in (({}, [3, 30]), ({"owner": ("o",)}, [30, 30])):
        new = done(given=Microdata(columns, roles), predictors=("g",), model="mean").numbers()
        np.testing.assert_allclose(new, np.repeat(means, 3))


def test_means_come_from_those_who_stay():
    y, g = np.array([1.0, 2, 6, 10, 20]), list("aaabb")
    given = Microdata({"y": Column.numbers_of(y), "g": Column.texts_of(g)})
    new = done(given=given, predictors=("g",), model="mean", records=(1, 4)).numbers()
    np.testing.assert_allclose(new, [4, 2, 6, 20, 20])


def test_categories_by_mode_and_by_donor():
    c = Column.texts_of(["p", "p", "q", "r", "r", "q"])
    g = Column.texts_of(["a", "a", "a", "b", "b", "b"])
    given = Microdata({"c": c, "g": g})
    new = done(given=given, column="c", predictors=("g",), model="mean", records=(3, 6))
    assert new.texts().tolist() == ["p", "p", "p", "r", "r", "r"]
    new = done(given=given, column="c", predictors=("g",), model="hot-deck", records=(3, 6))
    assert new.texts().tolist() == ["p", "p", "p", "r", "r", "r"]
    with pytest.raises(WrongKind):
        done(given=given, column="c", predictors=("g",), model="regression")


def test_weak_dependence_and_estimates_at_the_truth_are_refused():
    with pytest.raises(FitTooWeak):
        done(given=data(x=Column.numbers_of(RNG.normal(0, 1, N))), fit=0.2)
    exact = data(y=Column.numbers_of(50 + 3 * X))
    with pytest.raises(TooCloseToTruth):
        done(given=exact, model="regression", apart=0.05)
    new = done(given=exact, model="regression", apart=0.05, too_close="suppress")
    assert new.suppressed.all()


def test_missing_and_suppressed_cells_are_never_imputed():
    y = Column.numbers_of(np.where(np.arange(N) < 5, np.nan, Y)).suppress(np.arange(N) == 7)
    new = done(given=data(y=y))
    assert new.missing[:5].all()
    assert new.suppressed[7]


def test_bad_requests():
    with pytest.raises(ValueUnknown):
        done(values=("12345",))
    with pytest.raises(NothingToLearnFrom):
        done(
            given=Microdata(
                {"y": Column.numbers_of(np.array([1.0, 2.0])), "x": Column.numbers_of(np.array([1.0, 2.0]))}
            )
        )
    with pytest.raises(ParameterWrong, match="itself"):
        Impute(column="y", predictors=("y",))


@pytest.mark.parametrize("model", ["mean", "hot-deck"])
def test_weak_dependence_is_refused_for_groups_too(model):
    """Numbers and categories that have nothing to do with the groups, and such as follow from them."""
    for column, given in (("y", data()), ("c", data(c=Column.texts_of(["p", "p", "q", "q"] * (N // 4))))):
        with pytest.raises(FitTooWeak):
            done(given=given, column=column, predictors=("g",), model=model, fit=0.2)
    mostly = np.where(np.arange(N) % 20 == 0, "e", GROUP)
    follows = {"y": Column.numbers_of(Y + 100.0 * (GROUP == "a")), "c": Column.texts_of(list(mostly))}
    for column in follows:
        assert len(done(given=data(**follows), column=column, predictors=("g",), model=model, fit=0.8)) == N


@pytest.mark.parametrize("model", ["mean", "hot-deck"])
def test_values_that_follow_from_the_predictors_are_not_given_back(model):
    given = data(c=Column.texts_of([f"{one}!" for one in GROUP]), z=Column.numbers_of(1.0 * (GROUP == "a")))
    for column in ("c", "z"):
        with pytest.raises(NothingChanged):
            done(given=given, column=column, predictors=("g",), model=model)


def test_the_report_says_how_much_is_explained():
    method = Impute(column="y", predictors=("x",), apart=0)
    (said,) = method.remarks(data(), data())
    r2 = np.corrcoef(X, Y)[0, 1] ** 2
    assert abs(int(said.en.split("explain ")[1].split("%")[0]) - 100 * r2) < 3


def test_the_fit_is_that_of_records_left_out():
    """Two hundred groups of two explain half of any noise in the records they were made of, and nothing in others."""
    given = Microdata({"y": Column.numbers_of(Y - 3 * X), "g": Column.numbers_of(np.arange(N) // 2)})
    for model in ("mean", "hot-deck"):
        with pytest.raises(FitTooWeak):
            done(given=given, predictors=("g",), model=model, fit=0.2)
    many = {f"x{j}": Column.numbers_of(RNG.normal(size=N)) for j in range(150)}
    with pytest.raises(FitTooWeak):
        done(
            given=Microdata(many | {"y": Column.numbers_of(Y)}),
            predictors=tuple(many),
            fit=0.2,
            model="regression",
        )


def test_estimates_keep_the_distance_that_is_asked_for():
    for others, apart, refused in (
        (104.0, 0.05, True),
        (96.0, 0.05, True),
        (106.0, 0.05, False),
        (104.0, 0.03, False),
    ):
        y = np.array([100.0, others, others, others, 1.0])
        given = Microdata({"y": Column.numbers_of(y), "g": Column.texts_of(list("aaaab"))})
        asked = {"given": given, "predictors": ("g",), "model": "mean", "records": (1,), "apart": apart}
        if refused:
            with pytest.raises(TooCloseToTruth):
                done(**asked)
        else:
            assert done(**asked).numbers()[0] == others


def test_donors_agree_in_the_predictors_and_are_never_the_record_itself():
    g = np.repeat(np.arange(40), 3)
    y = g * 1000.0 + np.tile([1.0, 2.0, 3.0], 40)
    given = Microdata({"y": Column.numbers_of(y), "g": Column.texts_of([f"g{i}" for i in g])})
    new = done(given=given, predictors=("g",), model="hot-deck").numbers()
    assert np.array_equal(new // 1000, g)
    assert not np.any(new == y)


def test_matches_are_among_the_five_nearest_also_where_all_are_imputed():
    """With a predictor that tells all, the value of one of the five nearest others."""
    x = np.sort(np.random.default_rng(1).normal(size=500))
    new = done(
        given=Microdata({"y": Column.numbers_of(x), "x": Column.numbers_of(x)}), model="matching"
    ).numbers()
    away = np.abs(np.searchsorted(x, new) - np.arange(500))
    assert away.min() == 1
    assert away.max() <= 5


def test_a_zero_that_stays_is_too_close():
    """Half of the donors are zeros: a zero in place of a zero tells the truth."""
    y = np.tile([0.0, 0.0, 1.0, 2.0], 100)
    with pytest.raises(TooCloseToTruth):
        done(given=data(y=Column.numbers_of(y)), model="hot-deck", predictors=("g",), apart=0.05)
    new = done(
        given=data(y=Column.numbers_of(y)),
        model="hot-deck",
        predictors=("g",),
        apart=0.05,
        too_close="suppress",
    )
    assert not np.any(new.observed & (new.values == y))
    assert new.observed.sum() > 100


def test_large_whole_numbers_that_are_not_chosen_stay_exact():
    y = 2**60 + np.arange(N) * 7 + 1
    new = done(given=data(y=Column.numbers_of(y)), records=(1, 2, 3), predictors=("g",), model="hot-deck")
    assert new.values.dtype == np.int64
    assert np.array_equal(new.values[3:], y[3:])


def test_estimates_beyond_all_numbers_are_refused():
    y = np.where(np.arange(N) % 2, 1.7e308, -1.7e308)
    with pytest.raises(ResultTooLarge):
        done(given=data(y=Column.numbers_of(y)), model="regression-residual")


def test_modes_of_all_give_no_value_back():
    """The mode of the others would: in a group tied between two values every record would show the one that it does not have."""
    c, g = list("ppqqq" + "pq" + "rs"), list("aaaaa" + "bb" + "cc")
    given = Microdata({"c": Column.texts_of(c), "g": Column.texts_of(g)})
    new = done(given=given, column="c", predictors=("g",), model="mean").texts()
    assert new.tolist() == ["q"] * 9  # the small groups get what the large one has most
    tied = Microdata({"c": Column.texts_of(list("ppqq")), "g": Column.texts_of(list("aaaa"))})
    assert len(set(done(given=tied, column="c", predictors=("g",), model="mean").texts())) == 1
    few = Microdata({"c": Column.texts_of(list("pqq")), "g": Column.texts_of(list("abc"))})
    assert done(given=few, column="c", predictors=("g",), model="mean").texts().tolist() == ["q"] * 3


def test_two_records_of_a_group_do_not_just_exchange_their_values():
    """Where the donor is known, so is the value: groups of fewer than three contributors take donors from all."""
    y, g = np.arange(40.0), np.repeat(np.arange(20), 2)
    given = Microdata({"y": Column.numbers_of(y), "g": Column.numbers_of(g)})
    new = done(given=given, predictors=("g",), model="hot-deck").numbers()
    partner = y.reshape(-1, 2)[:, ::-1].ravel()
    assert np.mean(new == partner) < 0.3
    assert not np.any(new == y)
    columns = {"y": Column.numbers_of(y), "g": Column.numbers_of(np.arange(40) // 20)}
    owned = Microdata({**columns, "o": Column.numbers_of(np.where(np.arange(40) < 20, np.arange(40) % 2, np.arange(40)))},
                      {"owner": ("o",)})  # fmt: skip
    new = done(given=owned, predictors=("g",), model="hot-deck").numbers()
    assert np.any(new[:20] >= 20)  # a group of two owners takes donors from all
    assert np.all(new[20:] >= 20)


@pytest.mark.parametrize("model", ["mean", "hot-deck", "matching", "regression"])
def test_a_stratum_of_two_owners_is_not_imputed_from_itself(model):
    columns = {"y": Column.numbers_of(np.arange(12.0) ** 2), "x": Column.numbers_of(np.arange(12.0)),
               "o": Column.numbers_of(np.arange(12) % 2)}  # fmt: skip
    with pytest.raises(TooFewContributors):
        done(given=Microdata(columns, {"owner": ("o",)}), predictors=("x",), model=model)
    done(given=Microdata(columns, {"owner": ("o",)}), predictors=("x",), model=model, records=(1, 2))


def test_a_lone_gap_left_by_an_estimate_that_was_too_close_is_reported():
    """Groups of two: the mean of a record's group is the other one's value, which one chosen record has too."""
    y, g = np.array([5.0, 5, 1, 8, 2, 9, 3, 7]), np.repeat(np.arange(4), 2)
    given = Microdata({"y": Column.numbers_of(y), "g": Column.numbers_of(g)})
    method = Impute(column="y", predictors=("g",), model="mean", fit=-9, too_close="suppress", records=(1, 3))
    after = apply_step(method, given, stream("any"))
    assert after.column("y").suppressed.tolist() == [True] + [False] * 7
    assert any("stands alone in y" in said.en for said in method.remarks(given, after))


# -- by stratum ----------------------------------------------------------------------------------------------------------


SLOPE = {"a": 3.0, "b": -2.0, "c": 0.5, "d": 8.0}
BY_GROUP = np.array([SLOPE[g] for g in GROUP]) * X + RNG.normal(0, 0.5, N)


def strata_data(**more):
    states = np.zeros(N, dtype=np.uint8)
    states[::17] = MISSING
    return data(
        z=Column.numbers_of(BY_GROUP, states), c=Column.texts_of([f"c{int(x) % 3}" for x in X]), **more
    )


@pytest.mark.parametrize("model", ["mean", "regression"])
@pytest.mark.parametrize("limits", [{"upper": 60.0}, {"records": (1, 2, 3, 50)}, {}])
def test_every_stratum_is_imputed_as_if_it_were_alone(model, limits):
    given = strata_data()
    predictors = ("c",) if model == "mean" else ("x", "c")
    asked = {"column": "z", "predictors": predictors, "model": model, **limits}
    together = done(given=given, within=("g",), **asked)
    for group in SLOPE:
        rows = np.flatnonzero(group == GROUP)
        alone = given.take(rows)
        if Impute(apart=0, fit=-9, **asked).chosen(alone).any():
            alone = apply_step(Impute(apart=0, fit=-9, **asked), alone, stream("any"))
        np.testing.assert_allclose(together.numbers()[rows], alone.column("z").numbers(), rtol=1e-9)


def test_categories_are_imputed_by_stratum():
    kinds = np.array(["p", "q", "r"])[RNG.integers(0, 3, N)]
    own = np.char.add(GROUP, kinds)  # every stratum has values of its own
    given = data(k=Column.texts_of(own.tolist()), c=Column.texts_of([f"c{int(x) % 3}" for x in X]))
    for model in ("mean", "hot-deck"):
        new = done(given=given, column="k", predictors=("c",), model=model, within=("g",)).texts()
        assert all(value.startswith(group) for value, group in zip(new, GROUP, strict=True))
        assert np.any(new != own)


@pytest.mark.parametrize("model", ["hot-deck", "matching"])
def test_donors_come_from_the_stratum(model):
    marked = np.round(BY_GROUP, 3) * 4 + np.array([list(SLOPE).index(g) for g in GROUP]) * 1e-6
    given = data(z=Column.numbers_of(marked), c=Column.texts_of([f"c{int(x) % 3}" for x in X]))
    predictors = ("c",) if model == "hot-deck" else ("x",)
    new = done(given=given, column="z", predictors=predictors, model=model, within=("g",)).numbers()
    for group in SLOPE:
        assert set(new[group == GROUP]) <= set(marked[group == GROUP])


def test_strata_explain_what_a_common_line_does_not():
    """Four slopes: one line explains a little, a line in every stratum nearly all."""
    given, asked = strata_data(), {"column": "z", "predictors": ("x",), "model": "regression", "fit": 0.9}
    with pytest.raises(FitTooWeak):
        done(given=given, **asked)
    done(given=given, within=("g",), **asked)


def test_a_stratum_with_too_little_to_learn_from():
    few = np.where(np.arange(N) < 2, "e", GROUP)
    given = data(f=Column.texts_of(few.tolist()))
    with pytest.raises(NothingToLearnFrom) as refused:
        done(given=given, within=("f",), model="regression")
    assert refused.value.facts["found"] == 2
    rest = done(
        given=given, within=("f",), model="regression", records=(10, 11, 12)
    )  # nothing is imputed in that stratum
    assert np.array_equal(rest.numbers()[:2], Y[:2])
    with pytest.raises(ParameterWrong, match="within"):
        Impute(column="y", predictors=("x",), within=("y",))


# -- nearest neighbours, and several draws -----------------------------------------------------------------------------


def test_the_nearest_record_gives_its_value():
    """Chosen cells take the value of the unchosen record nearest in the predictors, numbers and categories together."""
    limit = float(np.quantile(Y, 0.9))
    new = done(upper=limit, model="nearest", predictors=("x", "g")).numbers()
    for i in np.flatnonzero(limit < Y):
        apart = ((X - X[i]) / X.std()) ** 2 + 2 * (GROUP[i] != GROUP)
        apart[limit < Y] = np.inf
        alike = np.flatnonzero(np.isclose(apart, apart.min()))
        assert (
            new[i] in Y[alike] or apart[np.flatnonzero(new[i] == Y)[0]] < apart.min() + 1.01
        )  # the most frequent group has no column


def test_the_nearest_record_is_never_the_own_one():
    new = done(model="nearest", predictors=("x",)).numbers()
    order = np.argsort(X)
    place = np.empty(N, dtype=int)
    place[order] = np.arange(N)
    taken = np.array([np.flatnonzero(v == Y)[0] for v in new])
    assert np.all(np.abs(place[taken] - place) == 1)  # one of the two neighbours


def test_categories_are_taken_from_the_nearest_record_too():
    """Five of the thirty chosen records have the wrong kind for their size: all take that of the nearest."""
    size = np.where(np.arange(N) % 2, 0.0, 100.0) + RNG.normal(size=N)
    usual = np.where(size < 50, "small", "large")
    kind = np.where(np.arange(N) < 5, np.where(size < 50, "large", "small"), usual)
    given = Microdata({"kind": Column.texts_of(kind.tolist()), "size": Column.numbers_of(size)})
    chosen = {"column": "kind", "predictors": ("size",), "model": "nearest", "records": tuple(range(1, 31))}
    assert done(given=given, fit=0.9, **chosen).texts().tolist() == usual.tolist()
    noise = given.with_columns({"size": Column.numbers_of(RNG.normal(size=N))})
    with pytest.raises(FitTooWeak):
        done(given=noise, fit=0.5, **chosen)


MODELS = ["regression-residual", "hot-deck", "nearest", "matching"]


@pytest.mark.parametrize("model", MODELS)
def test_several_draws_are_columns_of_their_own(model):
    limit = float(np.quantile(Y, 0.7))
    method = Impute(
        column="y",
        predictors=("g",) if model == "hot-deck" else ("x",),
        upper=limit,
        model=model,
        draws=4,
        apart=0,
        fit=-9,
    )
    given = data().with_roles({Role.NUMERIC: ("y",)})
    after = apply_step(method, given, stream("secret", method.id))
    names = ("y", "y_2", "y_3", "y_4")
    assert after.role(Role.NUMERIC) == names
    drawn = after.numbers(names)
    assert np.all(drawn[limit >= Y] == Y[limit >= Y, None])
    differ = drawn[limit < Y].std(axis=1) > 0
    assert differ.mean() > 0.5
    assert method.tells(given, after)["imputations"] == list(names)


def test_bad_draws():
    for model in ("mean", "regression"):
        with pytest.raises(ParameterWrong):
            done(model=model, draws=2)
    with pytest.raises(NameTaken):
        done(given=data(y_2=Column.numbers_of(X)), draws=2)
