"""How far one step moved means and standard deviations."""

import numpy as np
import pytest

import tarnkappe as tk
from tarnkappe.data.moved import moved
from tarnkappe.randomness import public_stream as stream
from tarnkappe.vocab import Role
from utility.two_files import mixed, suppressed

X = np.random.default_rng(7).lognormal(3, 1, 60)


def file(**more):
    return mixed(x=X, y=X + 1, k=["a", "b"] * 30, **more)


def test_nothing_done_nothing_moved():
    data = file()
    assert moved(data, data) == {}


def test_only_what_the_step_changed_against_numpy():
    before = file()
    after = tk.catalogue["microdata.noise"](columns=("x",), variance_ratio=0.5).apply(before, stream("any"))
    new = after.column("x").numbers()
    found = moved(before, after)
    assert found.keys() == {"x"}
    assert found["x"] == pytest.approx({"mean": new.mean() / X.mean() - 1, "sd": new.std() / X.std() - 1})


def test_records_left_out_move_all():
    before = file()
    kept = np.flatnonzero(np.median(X) > X)
    found = moved(before, before.take(kept))
    assert found.keys() == {"x", "y"}
    assert found["x"]["mean"] == pytest.approx(X[kept].mean() / X.mean() - 1)


def test_weights_count_and_move_all_when_they_change():
    roles = {Role.WEIGHT: ("w",)}
    before = mixed(roles, x=X, w=np.ones(60))
    after = mixed(roles, x=X, w=np.arange(60.0))
    assert moved(before, after)["x"]["mean"] == pytest.approx(
        np.average(X, weights=np.arange(60)) / X.mean() - 1
    )


def test_guarded_and_few_are_not_told():
    before, after = mixed(x=X - X.mean(), c=np.ones(60)), mixed(x=2 * (X - X.mean()), c=np.full(60, 2.0))
    assert moved(before, after) == {"x": {"sd": pytest.approx(1.0)}, "c": {"mean": pytest.approx(1.0)}}
    few = np.arange(9)
    assert moved(before.take(few), after.take(few)) == {}


def test_it_never_stops_a_run():
    roles = {Role.WEIGHT: ("w",)}
    x = np.where(np.arange(60) == 3, np.inf, X)
    before, after = mixed(roles, x=x, w=-np.ones(60)), mixed(roles, x=2 * x, w=np.full(60, np.nan))
    assert moved(before, after)["x"]["mean"] == pytest.approx(1.0)
    assert moved(before, suppressed(before, "x", range(60))) == {}
    assert moved(before, mixed(z=X)) == {}
    assert moved(mixed(x=X), mixed(x=["a"] * 60)) == {}
    assert moved(before.take(np.arange(0)), before.take(np.arange(0))) == {}
