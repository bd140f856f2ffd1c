"""Made records attacked: parts and clones that keep letters of their parent's pseudonym, and clones beside round numbers."""

from __future__ import annotations

import numpy as np
import pytest

from tarnkappe.data.column import Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.randomness import public_stream as stream
from tarnkappe.spec import catalogue
from tarnkappe.spec.step import apply_step


def shape(name):
    """The letters of a pseudonym and where they stand."""
    return "".join(sign if sign.isalpha() else "." for sign in name)


def pseudonyms(n, seed=1):
    return ["".join(row) for row in np.random.default_rng(seed).choice(list("0123456789abcdef"), (n, 16))]


def test_parts_of_giants_do_not_carry_the_letters_of_their_name():
    g = np.random.default_rng(2)
    names = np.repeat(pseudonyms(60), 3)
    x = g.lognormal(5, 0.5, 180).round()
    x[:9] *= 100
    data = Microdata(
        {"firm": Column.texts_of(names.tolist()), "x": Column.numbers_of(x), "branch": Column.texts_of(["a"] * 180),
         "year": Column.numbers_of(np.tile([1, 2, 3], 60))},
        {"key": ("branch",), "period": ("year",)},
    )  # fmt: skip
    step = catalogue["microdata.split"](columns=("x",), above=2000.0, parts=3, jitter=0.3, unit="firm")
    shown = apply_step(step, data, stream("made", step.id)).column("firm").texts()
    new = sorted(set(shown) - set(names))
    assert len(new) >= 6
    old = {shape(name) for name in names}
    assert not [name for name in new if shape(name) in old]
    assert all(len(name) == 16 and set(name) <= set("0123456789abcdef") for name in new)


def test_clones_do_not_carry_the_letters_of_their_name():
    names = pseudonyms(40, seed=5)
    g = np.random.default_rng(6)
    keys = ["common"] * 36 + ["rare 1", "rare 2", "rare 3", "rare 4"]
    data = Microdata(
        {
            "unit": Column.texts_of(names),
            "k": Column.texts_of(keys),
            "x": Column.numbers_of(g.lognormal(8, 1, 40)),
        },
        {"key": ("k",)},
    )
    step = catalogue["microdata.clone"](k=3, columns=("x",), unit="unit")
    new = set(apply_step(step, data, stream("made", step.id)).column("unit").texts()) - set(names)
    assert len(new) == 8
    assert not {shape(name) for name in new} & {shape(name) for name in names}


@pytest.mark.parametrize(("unit", "share"), [(100, 1.0), (1000, 1.0), (100, 0.7), (0.5, 1.0), (0.01, 1.0)])
def test_whoever_keeps_the_round_numbers_does_not_keep_the_real_records(unit, share):
    """Incomes in hundreds: a clone must not be told by an income that nobody would report."""
    g = np.random.default_rng(7)
    income = np.maximum(np.rint(g.lognormal(8, 0.5, 600) / unit), 3) * unit
    income = np.where(g.random(600) < share, income, np.rint(g.lognormal(8, 0.5, 600)) + 0.0)
    income = np.round(income, 2)
    keys = [f"k{i // 20}" for i in range(560)] + [f"rare {i}" for i in range(40)]
    data = Microdata({"k": Column.texts_of(keys), "income": Column.numbers_of(income)}, {"key": ("k",)})
    step = catalogue["microdata.clone"](k=3, columns=("income",))
    after = apply_step(step, data, stream("made", step.id))
    made = after.rows < 0
    shown = after.column("income").values
    per = round(1 / unit) if unit < 1 else 1 / unit
    is_round = np.rint(shown * per) / per == shown
    assert made.sum() == 80
    assert abs(is_round[made].mean() - is_round[560:600].mean()) <= 0.15
    assert unit == 1000 or np.mean(shown[made] == np.repeat(income[560:], 2)) < 0.2
