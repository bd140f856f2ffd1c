"""The original comes first at every door, and files that look swapped are noticed."""

import warnings
from inspect import signature

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tarnkappe as tk
from tarnkappe.data.column import Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.swapped import looks_swapped
from tarnkappe.errors import TarnkappeError
from tarnkappe.randomness import public_stream
from tarnkappe.spec import Measure, Method
from tarnkappe.testing import example_data

DATA = example_data()
TAKING = {
    "drop": {"use": "microdata.drop", "columns": ("wealth",)},
    "records": {"use": "microdata.suppress-records", "records": (1, 2)},
    "cells": {"use": "microdata.local-suppression", "keys": ("sex", "occupation"), "k": 3},
    "classes": {"use": "microdata.generalise", "columns": {"age": 1}},
    "coarse": {"use": "microdata.generalise", "columns": {"postcode": 1}},
    "averages": {"use": "microdata.mdav", "columns": ("income",), "k": 5},
}


def protected(step):
    parameters = {name: value for name, value in step.items() if name != "use"}
    after = tk.catalogue[step["use"]](**parameters).apply(DATA, public_stream("t"))
    plain = {n: Column(c.kind, c.values, c.state, c.categories) for n, c in after.columns.items()}
    return Microdata(
        plain, {r: tuple(n for n in names if n in plain) for r, names in DATA.roles.items() if r != "numeric"}
    )


@pytest.mark.parametrize("kind", TAKING)
def test_what_takes_away_shows_which_file_is_the_original(kind):
    after = protected(TAKING[kind])
    assert not looks_swapped(DATA, after)
    assert "look swapped" in looks_swapped(after, DATA).en
    assert "vertauscht" in looks_swapped(after, DATA).de


def test_no_method_makes_a_release_look_like_the_original():
    for cls in tk.catalogue.methods():
        if issubclass(cls, Method):
            try:
                after = cls(**cls.example).apply(DATA, public_stream("t"))
            except TarnkappeError:
                continue
            adds = (
                len(after) > len(DATA)
                or not set(after.names) <= set(DATA.names)
                or cls.id == "microdata.impute"
            )
            assert adds or not looks_swapped(DATA, after), cls.id


@given(st.integers(0, 50), st.floats(0.1, 10))
def test_noise_gives_no_sign(seed, spread):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=30).round(2)
    before = Microdata({"x": Column.numbers_of(x)})
    after = Microdata({"x": Column.numbers_of(x + spread * rng.normal(size=30))})
    assert not looks_swapped(before, after)
    assert not looks_swapped(after, before)


def test_every_door_of_python_takes_the_original_first():
    after = protected(TAKING["averages"])
    distance = tk.catalogue["utility.distance"](columns=("income",))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert distance(DATA, after).value == distance.measure(after=after, before=DATA).value
        assert (
            tk.catalogue["risk.uniques"]()(DATA).value == tk.catalogue["risk.uniques"]().measure(DATA).value
        )
    for door in (
        lambda: distance(after, DATA),
        lambda: tk.compare(after, DATA, ["sex"], ["income"]),
        lambda: tk.attacks(after, DATA, ["sex"], only=["risk.uniques"]),
    ):
        with pytest.warns(UserWarning, match="look swapped"):
            door()


def test_what_measures_declare_asks_for_the_original_by_its_name():
    """Two files one after the other would be taken in the other order than by every door."""
    for cls in tk.catalogue.measures():
        if issubclass(cls, Measure):
            before = signature(cls.measure).parameters["before"]
            assert before.kind is before.KEYWORD_ONLY, cls.id
