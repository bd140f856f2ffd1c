"""Cloning and splitting: records that nobody reported."""

import re
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from tarnkappe.data.column import Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.new_names import names_of_their_own, with_new_names
from tarnkappe.errors.data import WrongKind
from tarnkappe.errors.release import ParameterWrong
from tarnkappe.errors.selection import StillAlone
from tarnkappe.methods.microdata.clone import Clone
from tarnkappe.methods.microdata.split import Split
from tarnkappe.randomness import public_stream as stream
from tarnkappe.spec.step import apply_step, broken_claims
from tarnkappe.vocab import Kind, Role


def data():
    return Microdata(
        {
            "key": Column.texts_of(["a", "a", "a", "b", "b", "c", None]),
            "x": Column.numbers_of(np.array([1.0, 2.0, 3.0, 40.0, np.nan, 600.0, 7.0])),
            "n": Column.numbers_of(np.array([2**61 + 1, 2, 3, 4, 5, 6, 7])),
            "w": Column.numbers_of(np.full(7, 6.0)),
        },
        {Role.KEY: ("key",), Role.WEIGHT: ("w",)},
    )


def done(method, given=None, secret="s" * 32):
    return apply_step(method, given or data(), stream(secret, method.id))


def test_clones_fill_small_classes_and_share_weights():
    after = done(Clone(k=3, columns=("x", "n")))
    assert Counter(after.column("key").texts().tolist()) == {"a": 3, "b": 3, "c": 3, None: 3}
    assert after.rows.tolist() == [0, 1, 2, 3, 4, 5, 6, -1, -2, -3, -4, -5]
    by_class = Counter()
    for key, w in zip(after.column("key").texts(), after.column("w").numbers(), strict=True):
        by_class[key] += w
    assert by_class == {"a": 18, "b": 12, "c": 6, None: 6}
    assert after.column("n").values[0] == 2**61 + 1
    x = after.column("x").numbers()
    assert np.all((np.abs(x[8:10] / 600 - 1) <= 0.1) & (x[8:10] != 600))


def test_later_steps_can_follow_the_made_records():
    first = done(Clone(k=3, columns=("x",)))
    again = done(Clone(k=4, columns=("x",)), first)
    old, new = first.paired(again)
    assert len(old) == len(first) == len(new)
    assert len(set(again.rows.tolist())) == len(again)
    old, new = data().paired(again)
    assert len(old) == len(new) == 7


def test_parts_add_up_and_nobody_sees_the_large_one():
    given = data().with_columns({"key": Column.texts_of(["a"] * 7)})
    after = done(Split(columns=("x", "n"), above=100, parts=3), given)
    x = after.column("x").numbers()
    assert np.nansum(x) == pytest.approx(653)
    assert np.nanmax(x) < 400
    assert sorted(after.rows.tolist()) == [-2, -1, 0, 1, 2, 3, 4, 5, 6]
    parts = after.column("n").values[[5, 7, 8]]
    assert parts.sum() == 6
    assert after.column("n").values[0] == 2**61 + 1


def test_a_unit_whose_parts_stand_alone_is_not_split():
    with pytest.raises(StillAlone):
        done(Split(columns=("x",), above=100, parts=3))


def test_nothing_large_nothing_done():
    after = done(Split(columns=("x",), above=1e6))
    assert after.rows.tolist() == list(range(7))


def test_keys_and_shared_weights_do_not_differ_in_clones():
    with pytest.raises(ParameterWrong, match="a key cannot differ"):
        Clone(keys=("n",), columns=("n",))
    roles = data().with_roles({Role.KEY: ("n",), Role.WEIGHT: ("w",)})
    with pytest.raises(ParameterWrong, match="a key cannot differ"):
        done(Clone(columns=("n",)), roles)
    with pytest.raises(ParameterWrong, match="weight"):
        done(Clone(columns=("w",)))
    assert len(done(Clone(columns=("w",), share_weights=False))) == 12


def test_what_would_be_a_gain_of_information_varies_in_clones():
    """Else all records of a class that clones fill would have one diagnosis (Höhne 2010, L554: vary categories that would be a gain)."""
    n = 400
    found = np.array(["flu", "gout", "acne"])[np.arange(n) % 3]
    state = np.where(np.arange(n) % 5 == 0, 1, 0).astype(np.uint8)
    given = Microdata(
        {"key": Column.texts_of([f"k{i}" for i in range(n)]), "d": Column.coded(np.arange(n) % 3, np.unique(found), state)}
    )  # fmt: skip
    after = done(Clone(keys=("key",), k=2, vary=("d",)), given)
    old, new = after.column("d").texts()[:n], after.column("d").texts()[n:]
    assert [a is None for a in old] == [b is None for b in new]
    told = np.array([a == b for a, b in zip(old, new, strict=True) if a is not None])
    assert 0.25 < told.mean() < 0.42  # a third by chance; 320 clones, three standard errors are 0.08
    assert done(Clone(keys=("key",), k=2), given).column("d").texts()[n:].tolist() == old.tolist()
    for wrong in ({"keys": ("key",), "vary": ("key",)}, {"columns": ("x",), "vary": ("x",)}):
        with pytest.raises(ParameterWrong, match="vary must name neither"):
            Clone(**wrong)
    for wrong in ("key", "w"):
        with pytest.raises(ParameterWrong, match="vary must name neither"):
            done(Clone(vary=(wrong,)))


def test_factors_of_clones_reach_from_end_to_end_and_whole_numbers_are_rounded():
    n = 500
    columns = {"key": Column.texts_of([f"k{i}" for i in range(n)]), "x": Column.numbers_of(np.full(n, 100.03712)),
               "few": Column.numbers_of(np.full(n, 3)), "many": Column.numbers_of(np.full(n, -1000))}  # fmt: skip
    after = done(Clone(keys=("key",), k=2, columns=("x", "few", "many"), spread=0.1), Microdata(columns))
    x, few, many = (after.column(name).values[n:] for name in ("x", "few", "many"))
    assert (90 <= x.min() < 91.1) and (109 < x.max() <= 110.1)  # missed by chance once in 10^11
    assert np.all(few == 3)
    assert after.column("many").kind is Kind.INTEGER and np.all(np.abs(many + 1000) <= 100)


def test_jitter_hides_which_parts_belong_together_by_their_ratios():
    n = 30
    columns = {
        "key": Column.texts_of(["a"] * n),
        "x": Column.numbers_of(np.full(n, 900.0)),
        "y": Column.numbers_of(np.arange(1.0, n + 1)),
    }
    given = Microdata(columns, {Role.KEY: ("key",)})

    def parts_found(jitter):
        after = done(Split(columns=("x", "y"), above=100, parts=3, jitter=jitter), given)
        x, y = after.numbers(("x", "y")).T
        own = np.concatenate([np.arange(n), np.repeat(np.arange(n), 2)])
        np.testing.assert_allclose(np.bincount(own, y), np.arange(1, n + 1))
        np.testing.assert_allclose(np.bincount(own, x), 900)
        near = np.abs((y / x)[:, None] / (y / x)[None] - 1) + 2.0 * np.eye(len(x))
        return np.mean(own[near.argmin(axis=1)] == own)

    assert parts_found(0.0) == 1
    assert parts_found(0.5) < 0.2


def test_large_losses_are_split_too_and_other_units_of_the_owner_hide_nobody():
    columns = {"key": Column.texts_of(["a"] * 4), "x": Column.numbers_of(np.array([-600.0, 1, 2, 3]))}
    given = Microdata(columns, {Role.KEY: ("key",)})
    after = done(Split(columns=("x",), above=100, parts=3), given)
    assert len(after) == 6 and after.column("x").values.min() > -400
    owned = Microdata(
        {**columns, "o": Column.texts_of(list("uuvv"))}, {Role.KEY: ("key",), Role.OWNER: ("o",)}
    )
    with pytest.raises(StillAlone):
        done(Split(columns=("x",), above=100, parts=3), owned)


# -- units over periods ------------------------------------------------------------------------------------------------


def firms():
    """Six firms over three years, one there in two; the last alone in its branch, the first large in one year."""
    firm = [
        "F10",
        "F10",
        "F10",
        "F11",
        "F11",
        "F11",
        "F12",
        "F12",
        "F12",
        "F13",
        "F13",
        "F14",
        "F14",
        "F14",
        "G7",
        "G7",
        "G7",
        None,
    ]
    year = [1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 3, 1, 2, 3, 1, 2, 3, 2]
    branch = ["a"] * 14 + ["b"] * 3 + ["a"]
    x = np.array([90, 200, 80, 10, 11, 12, 20, 21, 22, 30, 31, 40, 41, 42, 50, 60, np.nan, 5.0])
    return Microdata(
        {
            "firm": Column.texts_of(firm),
            "number": Column.numbers_of(np.array([7, 7, 7, 8, 8, 8, 9, 9, 9, 10, 10, 11, 11, 11, 12, 12, 12, 13])),
            "year": Column.numbers_of(np.array(year)),
            "branch": Column.texts_of(branch),
            "x": Column.numbers_of(x),
            "n": Column.numbers_of(np.arange(100, 118)),
            "grade": Column.texts_of([*"pqrstu", *"pqrstu", *"pqrstu"]),
        },
        {Role.KEY: ("branch", "year"), Role.PERIOD: ("year",)},
    )  # fmt: skip


def by_name(after, made, unit):
    """Of every artificial unit its records, by year."""
    names = np.array([str(t) for t in after.column(unit).texts()])
    years = after.column("year").values
    return {
        name: {int(years[i]): i for i in np.flatnonzero(made & (names == name))} for name in set(names[made])
    }


@pytest.mark.parametrize("unit", ["firm", "number"])
def test_clones_of_a_unit_are_a_unit(unit):
    """G7 is alone in its branch in all three years: two firms like it are there in all three, each with one factor."""
    given = firms()
    given = given.with_columns({"x": Column.numbers_of(given.column("x").numbers() * (1 + 1e-7))})
    method = Clone(columns=("x",), vary=("grade",), unit=unit)
    after = done(method, given)
    made = ~np.isin(after.rows, given.rows)
    units = by_name(after, made, unit)
    assert len(units) == 2
    x, old = after.column("x").numbers(), given.column("x").numbers()
    for records in units.values():
        assert sorted(records) == [1, 2, 3]
        assert x[records[2]] / x[records[1]] == pytest.approx(60 / 50), "growth is that of the unit"
        assert np.isnan(x[records[3]])
        assert abs(x[records[1]] / 50 - 1) <= 0.1 + 1e-6
        assert x[records[1]] != 50
        assert len({after.column("grade").texts()[i] for i in records.values()}) == 1
    assert not set(after.column(unit).take(made).texts()) & set(given.column(unit).texts())
    assert np.array_equal(x[:18], old, equal_nan=True)


def test_a_unit_is_cloned_as_often_as_the_record_that_needs_it_most():
    given = firms()
    branch = given.column("branch").texts().copy()
    branch[0] = "c"  # F10 changed its branch after the first year
    given = given.with_columns({"branch": Column.texts_of(branch.tolist())})
    after = done(Clone(columns=("x",), unit="firm", k=3), given)
    made = ~np.isin(after.rows, given.rows)
    units = by_name(after, made, "firm")
    assert Counter(len(records) for records in units.values()) == {3: 4}, "two of F10 and two of G7"
    assert not set(units) & set(given.column("firm").texts())


def test_a_clone_that_is_taken_for_a_real_unit_breaks_the_claim():
    given = firms()
    method = Clone(columns=("x",), unit="firm")
    after = done(method, given)
    assert not broken_claims(method, given, after)
    firm = after.column("firm")
    named = firm.values.copy()
    named[-1] = 0  # the last made record under the name of a real firm
    wrong = after.with_columns({"firm": replace(firm, values=named)})
    assert any("name of its own" in c.says.en for c in broken_claims(method, given, wrong))
    short = after.take(np.arange(len(after) - 1))
    assert any("all periods" in c.says.en for c in broken_claims(method, given, short))


@pytest.mark.parametrize("unit", ["firm", "number"])
def test_a_large_unit_is_split_alike_in_all_years(unit):
    """F10 is large in the second year only, and is split in all three by the same shares."""
    given = firms()
    method = Split(columns=("x", "n"), above=100, parts=3, keys=("year",), unit=unit)
    after = done(method, given)
    made = ~np.isin(after.rows, given.rows)
    units = by_name(after, made, unit)
    assert len(units) == 2
    x = after.column("x").numbers()
    for records in units.values():
        assert sorted(records) == [1, 2, 3]
        shares = [x[records[y]] / size for y, size in ((1, 90), (2, 200), (3, 80))]
        np.testing.assert_allclose(shares, shares[0])
    np.testing.assert_allclose(x[:3] / [90, 200, 80], x[0] / 90)
    for year, size in ((1, 90), (2, 200), (3, 80)):
        assert x[year - 1] + sum(x[records[year]] for records in units.values()) == pytest.approx(size)
    assert np.array_equal(x[3:18], given.column("x").numbers()[3:], equal_nan=True)
    assert after.column("n").values[:3].sum() + after.column("n").values[made].sum() == 100 + 101 + 102
    assert not broken_claims(method, given, after)
    y = x.copy()
    y[2] *= 1.01
    assert any(
        "series" in c.says.en for c in broken_claims(method, given, after.with_numbers(("x",), y[:, None]))
    )


def test_without_a_unit_records_are_split_one_by_one():
    after = done(Split(columns=("x",), above=100, keys=("year",)), firms())
    assert len(after) == 20
    assert after.column("firm").texts()[-1] == "F10"


def test_a_unit_needs_names_and_is_no_key():
    for method in (Clone(unit="x"), Split(columns=("n",), above=110, unit="x", keys=("year",))):
        with pytest.raises(WrongKind, match="names or whole numbers"):
            done(method, firms())
    with pytest.raises(ParameterWrong, match="names of their own"):
        done(Clone(unit="branch"), firms())
    with pytest.raises(ParameterWrong, match="names of their own"):
        Split(columns=("x",), above=1.0, unit="x")


class TestNewNames:
    def test_texts_look_alike_and_are_unused(self):
        column = Column.texts_of([f"F{i:02d}" for i in range(90)] + ["F03"] * 30)
        of = np.arange(30) // 3
        made = with_new_names(column, np.arange(90, 120), of, np.random.default_rng(1))
        texts = made.texts()
        fresh = texts[90:].reshape(10, 3)
        assert (fresh == fresh[:, :1]).all()
        assert len(set(fresh[:, 0])) == 10
        assert not set(fresh[:, 0]) & set(texts[:90])
        assert all(re.fullmatch(r"F\d{2,3}", name) for name in fresh[:, 0])
        assert names_of_their_own(made, np.arange(120) >= 90)
        assert not names_of_their_own(column, np.arange(120) >= 90)

    def test_names_without_digits_keep_nothing_of_the_one_that_stood_there(self):
        column = Column.texts_of(["Müller", "Maier", "Müller", None])
        made = with_new_names(column, np.array([2, 3]), np.array([0, 1]), np.random.default_rng(1))
        assert len(made.texts()[2]) >= 6 and made.texts()[2] not in column.texts()
        assert made.texts()[3] is None

    def test_numbers_are_drawn_among_unused_ones(self):
        column = Column.numbers_of(np.arange(1000, 1100))
        made = with_new_names(column, np.arange(50, 100), np.arange(50), np.random.default_rng(1))
        assert len(set(made.values.tolist())) == 100
        assert made.values[50:].min() > 1099
        assert made.values.max() <= 1000 + 2 * 150
        sparse = Column.numbers_of(np.arange(100) * 10**6)
        made = with_new_names(sparse, np.array([99]), np.array([0]), np.random.default_rng(1))
        assert 0 < made.values[99] < 99 * 10**6
        assert made.values[99] % 10**6


def test_clones_of_records_whose_name_is_suppressed():
    """Such a record is a unit of its own: it is cloned alone, and shows no name afterwards either."""
    given = firms()
    hidden = np.zeros(len(given), dtype=bool)
    hidden[[14, 16]] = True
    given = given.with_columns({"firm": given.column("firm").suppress(hidden)})
    method = Clone(columns=("x",), unit="firm")
    after = done(method, given)
    assert not broken_claims(method, given, after)
    made = ~np.isin(after.rows, given.rows)
    assert Counter(after.column("firm").suppressed[made].tolist()) == {True: 4, False: 2}
