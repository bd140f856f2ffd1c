"""Bounds from camouflaged columns: the truth is inside, and no tighter bounds exist, by an independent program over all mixtures."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

import tarnkappe as tk
from correct.releasing import made, released
from tarnkappe.correct import bounds
from tarnkappe.errors.correct import NoCorrection, NotTold
from tarnkappe.errors.data import ColumnMissing

C = tk.catalogue


def firms(n=120, seed=1):
    g = np.random.default_rng(seed)
    return made(
        x=np.round(g.lognormal(5, 1, n) * g.choice([1, 1, -1, 0], n), 2), heads=g.integers(0, 40, n),
        s=g.choice(["a", "b"], n), w=g.uniform(0.5, 3, n),
    )  # fmt: skip


def programmed(y, group, c, slack):
    """Bounds of Σ c·x by one linear program over the mixtures of all groups."""
    numbers, at = np.unique(group, return_inverse=True)
    k = y.shape[1]
    cost = np.zeros((len(numbers), k))
    np.add.at(cost, at, c[:, None] * y)
    equal = np.kron(np.eye(len(numbers)), np.ones(k))
    ends = [
        linprog(s * cost.ravel(), A_eq=equal, b_eq=np.ones(len(numbers)), bounds=(0, None)).fun
        for s in (1, -1)
    ]
    room = slack * np.abs(c).sum()
    return ends[0] - room, -ends[1] + room


@settings(max_examples=10)
@given(st.integers(0, 10**6), st.sampled_from([4, 6]))
def test_sums_are_those_of_a_linear_program(seed, k):
    before = firms(40, seed)
    release = released(before, C["microdata.camouflage"](columns=("x",), vectors=k), secret=str(seed))
    data = release.data
    y = data.numbers([f"x_{j}" for j in range(1, k + 1)])
    w = before.column("w").numbers()
    for weight, c in ((None, np.ones(40)), ("w", w)):
        found = bounds(release, "x", weight=weight)["all"]
        low, high = programmed(y, data.column("camouflage").values, c, 0.0055)
        assert (found.low, found.high) == pytest.approx((low, high), rel=1e-6, abs=1e-6)
        assert found.low <= c @ before.column("x").numbers() <= found.high


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("by", [(), ("s",)])
def test_the_truth_lies_between_the_bounds(by, seed):
    before = firms(seed=seed)
    release = released(
        before, C["microdata.camouflage"](columns=("x", "heads"), within=("s",)), secret=str(seed)
    )
    for name in ("x", "heads"):
        x, s = before.column(name).numbers(), before.column("s").texts()
        for figure, of in (("sum", np.sum), ("mean", np.mean), ("smallest", np.min), ("largest", np.max)):
            found = bounds(release, name, figure, by)
            for answer in found.answers:
                mine = x if not by else x[s == answer.name]
                assert answer.low <= of(mine) <= answer.high
                assert answer.records == len(mine)


@settings(max_examples=10)
@given(st.integers(0, 10**6))
def test_the_least_largest_value_is_that_of_a_program(seed):
    before = firms(25, seed)
    release = released(before, C["microdata.camouflage"](columns=("x",), vectors=4), secret=str(seed))
    y, group = release.data.numbers(["x_1", "x_2", "x_3", "x_4"]), release.data.column("camouflage").values
    least = []
    for g in np.unique(group):
        rows = y[group == g]
        a = np.column_stack([rows, -np.ones(len(rows))])
        least.append(
            linprog(
                [0, 0, 0, 0, 1],
                a,
                np.zeros(len(rows)),
                [[1, 1, 1, 1, 0]],
                [1],
                [(0, None)] * 4 + [(None, None)],
            ).fun
        )
    found = bounds(release, "x", "largest")["all"]
    assert found.low == pytest.approx(max(least) - 0.0055, rel=1e-6, abs=1e-6)
    assert found.high == pytest.approx(y.max() + 0.0055)


def test_many_records_have_narrow_bounds():
    g = np.random.default_rng(3)
    before = made(x=g.lognormal(5, 1, 126 * 40))
    release = released(before, C["microdata.camouflage"](columns=("x",), vectors=10))
    found = bounds(release, "x")["all"]
    assert (found.high - found.low) / found.low < 0.05


def test_gaps_and_removed_records_are_left_out():
    x = np.array([1.5, np.nan, 30.25, 7.125] * 10)
    before = made(x=x)
    release = released(before, C["microdata.camouflage"](columns=("x",)), C["microdata.shuffle-rows"]())
    found = bounds(release, "x")
    assert found.left_out == 10
    assert found["all"].low <= np.nansum(x) <= found["all"].high
    assert "Sum of x" in str(found)
    assert found.as_json()["answers"][0]["records"] == 30


def test_what_cannot_be_answered_is_refused():
    before = firms()
    camouflage = C["microdata.camouflage"](columns=("x",))
    release = released(before, camouflage)
    with pytest.raises(ColumnMissing):
        bounds(release, "heads")
    later = released(before, camouflage, C["microdata.round"](columns=("x_1",), base=10.0))
    with pytest.raises(NoCorrection):
        bounds(later, "x")
    silent = type(release)(
        "silent",
        release.data,
        tuple(type(s)(s.number, s.method, s.title, {}) for s in release.steps),
        release.treated,
    )
    with pytest.raises(NotTold):
        bounds(silent, "x")
