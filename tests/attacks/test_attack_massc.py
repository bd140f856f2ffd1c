"""MASSC attacked by somebody who looks into the release: records that stand alone, and weights that mark them."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from tarnkappe import catalogue
from tarnkappe.data.column import Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.randomness import public_stream as stream
from tarnkappe.spec.step import apply_step

KEYS = ("region", "sex", "age")


def persons(seed, n=600):
    g = np.random.default_rng(seed)
    return Microdata(
        {
            "region": Column.texts_of(
                g.choice(list("abcdef"), n, p=[0.4, 0.2, 0.15, 0.1, 0.1, 0.05]).tolist()
            ),
            "sex": Column.texts_of(g.choice(["f", "m"], n).tolist()),
            "age": Column.numbers_of(18 + g.integers(0, 70, n)),
            "income": Column.numbers_of(g.lognormal(7, 1, n).round()),
        }
    )


def keys(data):
    return list(zip(*(data.column(name).texts() for name in KEYS), strict=True))


def looked(seed, **more):
    """For every released record that stands alone: its weight, the chance that it is the person sought, and the size of its true class."""
    data = persons(seed)
    step = catalogue["microdata.massc"](keys=KEYS, risk=0.2, substituted=0.1, **more)
    after = apply_step(step, data, stream(f"looked at {seed}"))
    was, now = keys(data), keys(after)
    often, shown = Counter(was), Counter(now)
    alone = [i for i, key in enumerate(now) if shown[key] == 1]
    right = np.array([(was[after.rows[i]] == now[i]) / often[now[i]] for i in alone])
    size = np.array([often[was[after.rows[i]]] for i in alone])
    return after.column("weight").values[alone], right, size, step.tells(data, after)


@pytest.mark.parametrize("more", [{}, {"keep": ("region", "sex")}], ids=["plain", "keep"])
@pytest.mark.parametrize("seed", range(4))
def test_no_weight_marks_uniques(seed, more):
    """Choosing by the weight finds uniques no better than not choosing: four standard deviations."""
    weight, _, size, _ = looked(seed, **more)
    unique = size == 1
    for value in np.unique(weight.round(9)):
        chosen = np.isclose(weight, value)
        if (count := np.count_nonzero(chosen)) >= 5:
            far = abs(unique[chosen].mean() - unique.mean())
            assert far <= 4 * np.sqrt(unique.mean() * (1 - unique.mean()) / count)


@pytest.mark.parametrize("seed", range(4))
def test_a_record_that_stands_alone_is_right_as_often_as_is_told(seed):
    weight, right, _, told = looked(seed)
    assert abs(right.mean() - told["right_when_alone"]) <= 0.005
    for value in np.unique(weight.round(9)):
        chosen = np.isclose(weight, value)
        assert right[chosen].mean() <= told["right_when_alone"] + 4 * 0.5 / np.sqrt(chosen.sum())
