import json
import math

import numpy as np
import pytest

from tarnkappe.data.column import Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.quantities import LEAST
from tarnkappe.errors.data import (
    BeforeNeeded,
    ColumnMissing,
    NotFinite,
    NumbersNeeded,
    WeightsWrong,
    WrongKind,
)
from tarnkappe.utility.changed import Changed
from tarnkappe.utility.correlations import Correlations
from tarnkappe.utility.moments import MomentsBeforeAfter
from tarnkappe.vocab import Kind, Role

ALL = [MomentsBeforeAfter, Correlations, Changed]
RNG = np.random.default_rng(7)
X = RNG.lognormal(3, 1, size=40)
Y = X * 2 + RNG.normal(size=40)


def numbers(roles=None, **columns):
    return Microdata({n: Column.numbers_of(np.asarray(c)) for n, c in columns.items()}, roles or {})


def texts(**columns):
    return Microdata({n: Column.texts_of(c) for n, c in columns.items()})


# -- every measure -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("cls", ALL)
def test_both_files_are_needed(cls):
    with pytest.raises(BeforeNeeded):
        cls().measure(numbers(x=X, y=Y))


@pytest.mark.parametrize("cls", ALL)
def test_equal_files_lose_nothing(cls):
    both = numbers(x=X, y=Y)
    found = cls().measure(both, before=both)
    assert found.value == 0
    assert found.trusted


@pytest.mark.parametrize("cls", [MomentsBeforeAfter, Correlations])
def test_files_without_numbers_are_refused(cls):
    with pytest.raises(NumbersNeeded):
        cls().measure(texts(a=["x"]), before=texts(a=["x"]))
    with pytest.raises(WrongKind):
        cls(columns=("a", "b")).measure(texts(a=["x"], b=["y"]), before=texts(a=["x"], b=["y"]))


@pytest.mark.parametrize("cls", ALL)
def test_unknown_columns_are_refused(cls):
    with pytest.raises(ColumnMissing):
        cls(columns=("x", "z")).measure(numbers(x=X), before=numbers(x=X))


@pytest.mark.parametrize("cls", [MomentsBeforeAfter, Correlations])
def test_infinite_numbers_are_refused(cls):
    wrong = numbers(x=np.append(X, np.inf), y=np.append(Y, 1))
    with pytest.raises(NotFinite):
        cls().measure(wrong, before=wrong)


@pytest.mark.parametrize("cls", [MomentsBeforeAfter, Correlations])
@pytest.mark.parametrize("rows", [0, 1, LEAST - 1])
def test_too_few_records_tell_nothing(cls, rows):
    few = numbers(x=X[:rows], y=Y[:rows])
    found = cls().measure(few, before=few)
    assert math.isnan(found.value)
    assert not found.trusted
    assert "x" in found.because.en
    shown = json.dumps(found.as_json())
    assert not any(repr(float(v)) in shown for v in (*X[:rows], *Y[:rows]))


@pytest.mark.parametrize("cls", [MomentsBeforeAfter, Correlations])
def test_all_missing_tells_nothing(cls):
    nothing = numbers(x=np.full(20, np.nan), y=np.full(20, np.nan))
    found = cls().measure(nothing, before=nothing)
    assert math.isnan(found.value)
    assert not found.trusted


@pytest.mark.parametrize("cls", [MomentsBeforeAfter, Correlations])
def test_no_value_of_a_record_is_shown(cls):
    """Neither the extremes nor a median that would be somebody's value."""
    rows = np.round(RNG.lognormal(8, 2, size=(41, 2)), 5)
    both = numbers(x=rows[:, 0], y=rows[:, 1])
    shown = json.dumps(cls().measure(both, before=both).as_json())
    assert not any(repr(float(v)) in shown for v in rows.ravel())


# -- moments -----------------------------------------------------------------------------------------------------------


def test_the_value_is_the_largest_relative_error_of_a_mean():
    found = MomentsBeforeAfter().measure(numbers(x=X * 1.1, y=Y * 0.7), before=numbers(x=X, y=Y))
    assert found.value == pytest.approx(0.3)
    errors = found.details["columns"]["y"]["error"]
    assert errors["mean"] == pytest.approx(-0.3)
    assert errors["sd"] == pytest.approx(-0.3)
    assert errors["skewness"] == pytest.approx(0, abs=1e-9)
    assert errors["excess"] == pytest.approx(0, abs=1e-9)


def test_zero_means_are_compared_in_units_of_the_size():
    before = np.tile([-1.0, 1.0], 10)
    found = MomentsBeforeAfter().measure(numbers(x=before + 0.5), before=numbers(x=before))
    assert found.value == pytest.approx(0.5)
    assert found.details["columns"]["x"]["guarded"][0] == "mean"


def test_a_mean_near_zero_does_not_blow_the_error_up():
    """Balances of ±1000 with a mean of 0.5: a shift by 10 is a hundredth of their size, not twenty times the mean."""
    x = np.tile([-1000.0, 1000.0], 50) + 0.5
    found = MomentsBeforeAfter().measure(numbers(x=x + 10), before=numbers(x=x))
    assert found.value == pytest.approx(0.01, rel=1e-3)
    assert "mean" in found.details["columns"]["x"]["guarded"]


def test_constants():
    before, after = numbers(x=np.full(20, 3.0)), numbers(x=np.tile([2.0, 4.0], 10))
    found = MomentsBeforeAfter().measure(after, before=before).details["columns"]["x"]
    assert found["error"]["mean"] == 0
    assert found["error"]["sd"] == pytest.approx(1 / 3)
    assert found["guarded"] == ["sd"]
    assert math.isnan(found["error"]["skewness"])
    zeros = numbers(x=np.zeros(20))
    assert MomentsBeforeAfter().measure(zeros, before=zeros).value == 0
    assert MomentsBeforeAfter().measure(numbers(x=np.ones(20)), before=zeros).value == pytest.approx(1)


def test_available_cases_and_removed_records():
    gaps = X.copy()
    gaps[:5] = np.nan
    found = MomentsBeforeAfter().measure(numbers(x=gaps[:30]), before=numbers(x=X)).details["columns"]["x"]
    assert (found["after"]["n"], found["after"]["not_observed"]) == (25, 5)
    assert found["after"]["mean"] == pytest.approx(X[5:30].mean())
    assert found["before"]["mean"] == pytest.approx(X.mean())


def test_suppressed_cells_are_left_out():
    hidden = Microdata({"x": Column.numbers_of(X).suppress(np.arange(40) < 20)})
    found = MomentsBeforeAfter().measure(hidden, before=numbers(x=X)).details["columns"]["x"]
    assert found["after"]["mean"] == pytest.approx(X[20:].mean())


def test_weights_are_used_where_both_files_have_them():
    w = np.arange(40.0)
    roles = {Role.WEIGHT: ("w",)}
    weighted = MomentsBeforeAfter().measure(
        numbers(roles, x=X, w=w), before=numbers(roles, x=X, w=np.ones(40))
    )
    assert weighted.details["weighted"]
    assert weighted.value == pytest.approx(abs(np.average(X, weights=w) / X.mean() - 1))
    for measure, after in (
        (MomentsBeforeAfter(weighted=False), numbers(roles, x=X, w=w)),
        (MomentsBeforeAfter(), numbers(x=X)),
    ):
        plain = measure.measure(after, before=numbers(roles, x=X, w=np.ones(40)))
        assert not plain.details["weighted"]
        assert plain.value == 0
    assert "w" not in weighted.details["columns"]


def test_wrong_weights_are_refused():
    for bad in (-1.0, np.nan):
        w = np.ones(40)
        w[3] = bad
        wrong = numbers({Role.WEIGHT: ("w",)}, x=X, w=w)
        with pytest.raises(WeightsWrong) as caught:
            MomentsBeforeAfter().measure(wrong, before=wrong)
        assert caught.value.facts == {"name": "w", "count": 1, "first": 4}
        assert MomentsBeforeAfter(weighted=False).measure(wrong, before=wrong).value == 0


def test_codes_are_no_quantities():
    roles = {Role.HOUSEHOLD: ("h",), Role.PERIOD: ("t",), Role.IDENTIFIER: ("id",), Role.NUMERIC: ("x",)}
    both = numbers(roles, x=X, h=np.arange(40), t=np.arange(40), id=np.arange(40))
    assert list(MomentsBeforeAfter().measure(both, before=both).details["columns"]) == ["x"]


def test_columns_that_hold_no_numbers_any_more_are_named():
    after = numbers(x=X).with_columns({"y": Column.texts_of(["a"] * 40)})
    found = MomentsBeforeAfter().measure(after, before=numbers(x=X, y=Y, z=Y))
    assert found.details["no_numbers_any_more"] == ("y", "z")
    assert "y, z" in found.because.de
    assert found.trusted


# -- correlations -------------------------------------------------------------------------------------------------------


def test_mean_absolute_difference_over_pairs():
    before, after = RNG.normal(size=(50, 3)), RNG.normal(size=(50, 3))
    found = Correlations().measure(
        numbers(**dict(zip("abc", after.T, strict=True))),
        before=numbers(**dict(zip("abc", before.T, strict=True))),
    )
    apart = np.abs(np.corrcoef(after.T) - np.corrcoef(before.T))[np.tril_indices(3, -1)]
    assert found.value == pytest.approx(apart.mean())
    assert np.allclose(found.details["pearson"]["before"], np.corrcoef(before.T))
    assert found.details["mean_difference"]["pearson"] == found.value


def test_ranks_do_not_see_monotone_changes():
    found = Correlations().measure(numbers(x=np.exp(X / 20), y=Y), before=numbers(x=X, y=Y))
    assert found.value > 0.05
    assert found.details["mean_difference"]["spearman"] == pytest.approx(0, abs=1e-12)


def test_constant_columns_have_empty_entries_and_a_reason():
    both = numbers(x=X, y=Y, c=np.ones(40))
    found = Correlations().measure(both, before=both)
    assert found.value == 0
    assert found.trusted
    assert "c" in found.because.en
    assert found.as_json()["details"]["pearson"]["before"][2] == [None, None, None]
    lone = numbers(x=X, c=np.ones(40))
    assert not Correlations().measure(lone, before=lone).trusted


def test_one_numeric_column_has_no_pair():
    with pytest.raises(NumbersNeeded) as caught:
        Correlations().measure(numbers(x=X), before=numbers(x=X))
    assert (caught.value.facts["needed"], caught.value.facts["found"]) == (2, 1)


# -- changed cells ------------------------------------------------------------------------------------------------------


def cells(found, name):
    return {part: told["cells"] for part, told in found.details["columns"][name].items()}


def test_every_cell_counts_once_by_what_happened_to_it():
    before = Microdata({"p": Column.texts_of(["a", "b", "c", None, None, "f"])})
    after = Microdata({"p": Column.texts_of(["a", "x", "c", "d", None, None])})
    after = after.with_columns({"p": after.column("p").suppress(np.arange(6) == 2)})
    found = Changed().measure(after, before=before)
    assert cells(found, "p") == {"changed": 1, "suppressed": 1, "made_missing": 1, "filled": 1}
    assert found.value == pytest.approx(4 / 6)
    assert found.per_record.tolist() == [0, 1, 1, 1, 0, 1]


def test_records_are_aligned_before_they_are_compared():
    before = numbers(x=X, y=Y)
    order = RNG.permutation(40)[:25]
    found = Changed().measure(before.take(order), before=before)
    assert found.value == 0
    assert found.details["records"] == {"shared": 25, "gone": 15, "new": 0}


def test_new_records_are_left_out():
    before = numbers(x=X).take(np.arange(30))
    found = Changed().measure(numbers(x=X), before=before)
    assert found.details["records"] == {"shared": 30, "gone": 0, "new": 10}
    assert found.value == 0
    assert found.per_record is None


@pytest.mark.parametrize(
    ("before", "after", "changed"),
    [
        (Column.texts_of(["a", "b", "c"]), Column.texts_of(["z", "b", "a"]), [1, 0, 1]),
        (Column.texts_of(["3", "5", "x"]), Column.numbers_of(np.array([3, 4, 4])), [0, 1, 1]),
        (Column.numbers_of(np.array([31, 8, 8])), Column.texts_of(["30-39", "8", "0-9"]), [1, 0, 1]),
        (Column.numbers_of(np.array([1, 2, 3])), Column.numbers_of(np.array([1.0, 2.5, 3.0])), [0, 1, 0]),
        (Column.numbers_of(np.array([0.0, 1.0])), Column.numbers_of(np.array([-0.0, 1.0000001])), [0, 1]),
        (
            Column.numbers_of(np.array([2**62, 2**62])),
            Column.numbers_of(np.array([2**62, 2**62 + 1])),
            [0, 1],
        ),
        (
            Column(Kind.DATE, np.array([0, 1], dtype=np.int32)),
            Column.texts_of(["1970-01-01", "1970"]),
            [0, 1],
        ),
    ],
)
def test_values_are_compared_whatever_their_kind(before, after, changed):
    found = Changed().measure(Microdata({"p": after}), before=Microdata({"p": before}))
    assert found.per_record.tolist() == changed


def test_identifiers_and_columns_that_are_gone_are_not_compared():
    before = Microdata(
        {
            "id": Column.texts_of(["a", "b"]),
            "p": Column.texts_of(["x", "y"]),
            "q": Column.texts_of(["x", "y"]),
        },
        {Role.IDENTIFIER: ("id",)},
    )
    after = before.without(["q"]).with_columns(
        {"id": Column.texts_of(["9", "8"]), "r": Column.texts_of(["x", "y"])}
    )
    found = Changed().measure(after, before=before)
    assert list(found.details["columns"]) == ["p"]
    assert (found.details["columns_gone"], found.details["columns_new"]) == (["q"], ["r"])


def test_nothing_in_common_is_not_trusted():
    for after, before in (
        (texts(a=["x"]), texts(b=["x"])),
        (texts(a=[]), texts(a=["x"])),
    ):
        found = Changed().measure(after, before=before)
        assert math.isnan(found.value)
        assert not found.trusted


def test_one_record_and_all_missing():
    assert Changed().measure(texts(a=["x"]), before=texts(a=["y"])).value == 1
    assert Changed().measure(texts(a=[None]), before=texts(a=[None])).value == 0
