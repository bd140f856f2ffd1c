"""How much noise is enough: linkage rates against a second computation, and where the plateau begins."""

from __future__ import annotations

import numpy as np
import pytest

import tarnkappe as tk
from tarnkappe.data.column import Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.errors.release import ParameterWrong
from tarnkappe.plan.plateau import _begin
from tarnkappe.randomness import public_stream as stream

NOISE = tk.catalogue["microdata.correlated-noise"]
LINKAGE = tk.catalogue["risk.linkage"]


def points(n=120, columns="ab", seed=1):
    x = np.random.default_rng(seed).normal(size=(n, len(columns)))
    return Microdata({name: Column.numbers_of(x[:, j]) for j, name in enumerate(columns)})


def test_rates_are_those_of_a_plain_search_for_the_nearest():
    data, ratios = points(columns="a"), (0.001, 0.1, 5.0)
    found = tk.plateau(data, NOISE(columns=("a",), kim="asymptotic"), ratios=ratios, runs=3)
    x = data.column("a").values
    for ratio, rate, error in zip(ratios, found.rates, found.errors, strict=True):
        step = NOISE(columns=("a",), kim="asymptotic", variance_ratio=ratio)
        hits = []
        for run in range(3):
            y = step.apply(data, stream("plateau", step.id, run)).column("a").values
            hits.append((np.abs(x[:, None] - y).argmin(axis=1) == np.arange(len(x))).mean())
        assert rate == pytest.approx(np.mean(hits))
        assert error == pytest.approx(np.std(hits, ddof=1) / np.sqrt(3))
    assert found.by_chance == pytest.approx(1 / 120)


@pytest.mark.parametrize("kim", ["no", "asymptotic"])
def test_the_rate_falls_and_then_no_longer(kim):
    """Little noise hides nobody; once chance is all that is left, more noise cannot help, with Kim's transformation or without."""
    found = tk.plateau(points(), NOISE(columns=("a", "b"), kim=kim), ratios=(1e-6, 0.03, 1, 30, 1000))
    assert found.rates[0] > 0.95
    assert found.rates[0] > found.rates[1] > found.rates[2]
    assert found.begins in (1, 30)
    beyond = [rate for ratio, rate in zip(found.ratios, found.rates, strict=True) if ratio >= found.begins]
    assert beyond[0] - min(beyond) < 0.05
    assert max(beyond) < 0.1


def test_no_plateau_where_the_rate_still_falls():
    found = tk.plateau(points(), NOISE(columns=("a", "b")), ratios=(1e-6, 0.03, 1))
    assert found.begins is None


@pytest.mark.parametrize(
    ("means", "first"),
    [((0.9, 0.5, 0.1, 0.1), 2), ((0.9, 0.5, 0.3, 0.1), 3), ((0.2, 0.2, 0.2, 0.2), 0), ((0.9, 0.1, 0.5, 0.095), 1),
     ((0.115, 0.11, 0.105, 0.09), 3), ((0.115, 0.098, 0.105, 0.09), 1)],
)  # fmt: skip
def test_where_it_begins(means, first):
    """At the first rate that lies above no later one by more than 0.01."""
    assert _begin(np.array([means, means]), 0.01) == first


def test_what_may_be_chance_does_not_count_as_a_fall():
    rates = np.array([[0.30, 0.10], [0.10, 0.20], [0.20, 0.15]])
    assert _begin(rates, 0.01) == 0
    assert _begin(np.array([[0.30, 0.24], [0.20, 0.15], [0.20, 0.15]]), 0.01) == 1


def test_another_attacker_and_another_noise():
    """An attacker who knows less finds fewer; any noise with a variance_ratio will do."""
    data, ratios = points(), (0.01, 0.1)
    noise = tk.catalogue["microdata.noise"](columns=("a", "b"))
    all_known, one_known = (
        tk.plateau(data, noise, attack, ratios) for attack in (None, LINKAGE(keys=("a",)))
    )
    assert one_known.rates[0] < all_known.rates[0]
    assert tk.plateau(data, noise, ratios=ratios) == all_known


@pytest.mark.parametrize(
    "wrong",
    [{"ratios": (0.1,)}, {"ratios": (0.1, 0.1)}, {"ratios": (0, 1)}, {"ratios": (0.1, float("nan"))}, {"runs": 1},
     {"tolerance": -0.1}, {"tolerance": 1}, {"noise": tk.catalogue["microdata.mdav"](columns=("a",))}],
)  # fmt: skip
def test_what_cannot_be_tried_is_refused(wrong):
    with pytest.raises(ParameterWrong):
        tk.plateau(**{"data": points(20), "noise": NOISE(columns=("a",)), **wrong})
