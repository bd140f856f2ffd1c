"""Cloning and splitting: records that nobody reported."""

from collections import Counter

import numpy as np
import pytest

from tarnkappe.data.column import Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.errors.release import ParameterWrong
from tarnkappe.errors.selection import StillAlone
from tarnkappe.methods.microdata.clone import Clone
from tarnkappe.methods.microdata.split import Split
from tarnkappe.randomness import stream
from tarnkappe.spec.step import apply_step
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
    columns = {"key": Column.texts_of([f"k{i}" for i in range(n)]), "x": Column.numbers_of(np.full(n, 100.0)),
               "few": Column.numbers_of(np.full(n, 3)), "many": Column.numbers_of(np.full(n, -1000))}  # fmt: skip
    after = done(Clone(keys=("key",), k=2, columns=("x", "few", "many"), spread=0.1), Microdata(columns))
    x, few, many = (after.column(name).values[n:] for name in ("x", "few", "many"))
    assert (90 <= x.min() < 91) and (109 < x.max() <= 110)  # missed by chance once in 10^11
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
