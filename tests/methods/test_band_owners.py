"""Classes and means rest on contributors: records of one owner count once."""

from __future__ import annotations

from collections import defaultdict
from contextlib import suppress

import numpy as np
import pytest

from tarnkappe.data.column import MISSING, OBSERVED, SUPPRESSED, Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.errors import TarnkappeError
from tarnkappe.errors.data import NothingToUse
from tarnkappe.errors.hierarchy import ClassesNone, ClassTooSmall
from tarnkappe.methods.microdata.band import Band
from tarnkappe.randomness import public_stream as stream
from tarnkappe.spec.step import apply_step, broken_claims
from tarnkappe.vocab import Role

STREAM = stream("for tests only")


def firms(values, owners, strata=None, state=None):
    columns = {
        "x": Column.numbers_of(np.array(values), None if state is None else np.array(state, dtype=np.uint8)),
        "o": Column.texts_of(list(owners)),
        "r": Column.texts_of(list(strata) if strata is not None else ["all"] * len(values)),
    }
    return Microdata(columns, {Role.OWNER: ("o",)})


def done(data, **parameters):
    return apply_step(Band(columns=("x",), **parameters), data, STREAM).column("x").texts().tolist()


def without_owners(data):
    return data.with_roles({})


# -- means -------------------------------------------------------------------------------------------------------------


def test_a_mean_of_two_owners_is_refused():
    data = firms([1.0, 2, 3, 4, 11, 12, 13], "AABBCDE")
    with pytest.raises(ClassTooSmall) as caught:
        done(data, into={"width": 10}, show="mean")
    assert caught.value.facts["count"] == 1
    assert caught.value.exit_code == 3
    assert "3 contributors" in caught.value.what.en and "3 Beitragende" in caught.value.what.de
    assert done(without_owners(data), into={"width": 10}, show="mean") == ["2.5"] * 4 + ["12.0"] * 3
    assert done(firms([1.0, 2, 3, 4, 11, 12, 13], "AABFCDE"), into={"width": 10}, show="mean")[0] == "2.5"


def test_a_record_without_an_owner_is_a_contributor_of_its_own():
    data = firms([1.0, 2, 3, 4], ["A", "A", None, None])
    assert done(data, into={"width": 10}, show="mean") == ["2.5"] * 4
    with pytest.raises(ClassTooSmall):
        done(data.take(np.arange(3)), into={"width": 10}, show="mean")


def test_a_hidden_owner_is_still_one():
    data = firms([1.0, 2, 3, 4], "AAAB")
    hidden = data.with_columns({"o": data.column("o").suppress(np.array([True, True, True, True]))})
    with pytest.raises(ClassTooSmall):
        done(hidden, into={"width": 10}, show="mean")


def test_only_records_that_show_a_value_count():
    state = [OBSERVED, OBSERVED, SUPPRESSED, MISSING, OBSERVED]
    data = firms([1.0, 2, 3, 0, 4], "ABCDB", state=state)
    with pytest.raises(ClassTooSmall):
        done(data, into={"width": 10}, show="mean")


# -- quantiles ---------------------------------------------------------------------------------------------------------


def test_a_quantile_class_of_two_owners_is_refused():
    values = np.arange(1.0, 13)
    with pytest.raises(ClassesNone):
        done(firms(values, "ABCABDEDEDED"), into={"quantiles": 2})
    assert done(firms(values, "ABCABDEFDEFD"), into={"quantiles": 2}) == ["<6.5"] * 6 + [">=6.5"] * 6
    owners = "ABCDEDEDEFGHIJK"
    merged = done(firms(np.arange(1.0, 16), owners), into={"quantiles": 5, "at_least": 3})
    assert merged == ["<9.5"] * 9 + ["9.5-<12.5"] * 3 + [">=12.5"] * 3


@pytest.mark.parametrize(
    ("into", "show", "error"),
    [
        ({"quantiles": 2}, "class", ClassesNone),
        ({"quantiles": 2, "at_least": 3}, "class", ClassesNone),
        ({"width": 2, "at_least": 3}, "class", ClassesNone),
        ({"cuts": [1003, 1006], "at_least": 3}, "mean", ClassesNone),
        ({"width": 100}, "mean", ClassTooSmall),
    ],
)
def test_all_of_one_owner(into, show, error):
    data = firms(1000 + np.arange(12.0), "A" * 12)
    with pytest.raises(error) as caught:
        done(data, into=into, show=show)
    said = caught.value.text("en") + caught.value.text("de")
    assert "contributors" in caught.value.what.en and "Beitragende" in caught.value.what.de
    assert not any(str(1000 + i) in said for i in range(12)) and "'A'" not in said
    assert len(done(without_owners(data), into=into, show=show)) == 12


def test_classes_of_given_limits_promise_nothing():
    assert done(firms([1.0, 2, 11], "AAA"), into={"width": 10}) == ["0-<10", "0-<10", "10-<20"]


# -- merged classes ----------------------------------------------------------------------------------------------------


def merged_by_definition(values, owners, width, at_least):
    """From below: a class begins where those gathered, and those from it on, are enough owners."""
    members = defaultdict(set)
    for value, owner in zip(values, owners, strict=True):
        members[width * int(value // width)].add(owner)
    limits, gathered, lows = [], set(), sorted(members)
    for i, low in enumerate(lows):
        if len(gathered) >= at_least and len(set().union(*(members[k] for k in lows[i:]))) >= at_least:
            limits.append(float(low))
            gathered = set()
        gathered |= members[low]
    return limits


@pytest.mark.parametrize("tied", [False, True])
def test_merged_classes_are_those_of_each_stratum_by_owners(tied):
    g = np.random.default_rng(8)
    for _ in range(30):
        n, at_least = int(g.integers(60, 160)), int(g.integers(3, 6))
        values = np.round(np.exp(g.normal(3, 1, n)), -1 if tied else 3)
        owners = [f"O{o}" if o else None for o in g.integers(0, 25, n)]
        strata = g.choice(["a", "b", None], n)
        data = firms(values, owners, strata)
        step = Band(columns=("x",), into={"width": 10, "at_least": at_least}, show="mean", within=("r",))
        want = []
        for name in (None, "a", "b"):
            here = np.flatnonzero(strata == name)
            want.append(merged_by_definition(values[here], [owners[i] or i for i in here], 10, at_least))
        assert any(want)
        assert step.tells(data, data)["classes"]["x"]["limits_by_stratum"] == want
        with suppress(ClassTooSmall):  # a stratum of two owners has no mean
            apply_step(step, data, STREAM)


def test_an_owner_in_two_neighbouring_classes_counts_once_where_they_meet():
    into = {"width": 10, "at_least": 3}
    data = firms([1.0, 2, 11, 12, 21, 22, 31, 32, 33], "ABABACDEF")
    assert done(data, into=into) == ["<30"] * 6 + [">=30"] * 3, "A and B alone fill the two lowest classes"
    assert done(without_owners(data), into=into) == ["<20"] * 4 + [">=20"] * 5
    data = firms([1.0, 2, 3, 11, 12, 13], "ABCABC")
    assert done(data, into=into) == ["<10"] * 3 + [">=10"] * 3, (
        "who stands in two classes counts in each of them"
    )


# -- strata ------------------------------------------------------------------------------------------------------------


def test_every_stratum_has_contributors_of_its_own():
    values, strata = [1.0, 2, 3, 1, 2, 3], "aaabbb"
    step = {"into": {"width": 10}, "show": "mean", "within": ("r",)}
    assert done(firms(values, "ABCABC", strata), **step) == ["2.0"] * 6, "the same owners in both strata"
    with pytest.raises(ClassTooSmall) as caught:
        done(firms(values, "ABCDDE", strata), **step)
    assert caught.value.facts["count"] == 1


def test_a_stratum_of_two_owners_is_one_class():
    values = [*range(1, 13), *range(1, 13)]
    data = firms(np.array(values, dtype=float), [*"ABCDEFABCDEF", *"GHGHGHGHGHGH"], "a" * 12 + "b" * 12)
    texts = done(data, into={"width": 3, "at_least": 3}, within=("r",))
    assert set(texts[12:]) == {"Total"} and "Total" not in texts[:12]
    assert set(done(data, into={"quantiles": 2}, within=("r",))[12:]) == {"Total"}
    with pytest.raises(ClassTooSmall):
        done(data, into={"width": 3, "at_least": 3}, within=("r",), show="mean")


# -- claims ------------------------------------------------------------------------------------------------------------


def test_claims_count_owners_too():
    data = firms([1.0, 2, 3, 4, 11, 12, 13], "AABBCDE")

    def broken(into, show, *new):
        column = Column.numbers_of(np.array(new)) if show == "mean" else Column.texts_of(list(new))
        step = Band(columns=("x",), into=into, show=show)
        return {c.says.en for c in broken_claims(step, data, data.with_columns({"x": column}))}

    three = "every class that is made from the data, and every mean, rests on three contributors or more of its stratum"
    enough = "every merged class holds at_least contributors or more of its stratum, unless it is the only one there"
    means = (2.5,) * 4 + (12.0,) * 3
    assert three in broken({"width": 10}, "mean", *means)
    data = firms([1.0, 2, 3, 4, 11, 12, 13], "AABFCDE")
    assert broken({"width": 10}, "mean", *means) == set()
    classes = ("<10",) * 4 + (">=10",) * 3
    assert broken({"width": 10, "at_least": 3}, "class", *classes) == set()
    data = firms([1.0, 2, 3, 4, 11, 12, 13, 14], "ABFGCDEH")
    assert broken({"cuts": [4, 10], "at_least": 4}, "class", *["<10"] * 4, *[">=10"] * 4) == set()
    finer = ("<4", "<4", "<4", ">=4", ">=4", ">=4", ">=4", ">=4")
    assert enough in broken({"cuts": [4, 10], "at_least": 4}, "class", *finer)


def test_random_data_is_banded_or_refused_with_a_code():
    g = np.random.default_rng(11)
    seen = set()
    for _ in range(300):
        n = int(g.integers(0, 40))
        x = g.choice([-2.0, 0.0, 0.5, 1e300, 3.0, *g.normal(0, 1, 12)], n)
        owners = [f"O{o}" if o else None for o in g.integers(0, g.integers(1, 20), n)]
        data = firms(x, owners, g.choice(["a", None], n), g.choice([0, 0, 0, 1, 2], n))
        into = [{"quantiles": 3}, {"quantiles": 4, "at_least": 3}, {"cuts": [0, 1], "at_least": 4}][
            g.integers(3)
        ]
        show = str(g.choice(["class", "mean"]))
        try:
            apply_step(Band(columns=("x",), into=into, show=show, within=("r",)), data, STREAM)
            seen.add("done")
        except TarnkappeError as problem:
            assert problem.exit_code in (2, 3)
            assert problem.code != "run.claim-broken"
            seen.add(problem.code)
    assert {"done", "classes.too-small", "classes.none"} <= seen


def test_nothing():
    with pytest.raises(NothingToUse):
        done(firms(np.zeros(0), ""), into={"quantiles": 2})
    with pytest.raises(ClassesNone):
        done(firms(np.zeros(0), ""), into={"width": 2, "at_least": 3})
    assert done(firms(np.zeros(0), ""), into={"width": 2}, show="mean") == []
