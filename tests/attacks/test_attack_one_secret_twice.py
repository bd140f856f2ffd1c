"""Two releases made with one secret: no linear combination of them may give the originals back, and no draw may be seen twice."""

from __future__ import annotations

import numpy as np
import pytest

from tarnkappe.data.column import Column
from tarnkappe.data.digest import digest_of
from tarnkappe.data.microdata import Microdata
from tarnkappe.plan.progress import Progress
from tarnkappe.plan.run import apply_steps
from tarnkappe.randomness import Secret
from tarnkappe.spec import catalogue

SECRET = Secret("one", bytes(range(32)))
INCOME = np.random.default_rng(1).lognormal(8, 0.5, 400).round()


def persons(n=400):
    return Microdata(
        {
            "id": Column.texts_of([f"P{i}" for i in range(n)]),
            "income": Column.numbers_of(INCOME[:n]),
        },
        {"numeric": ("income",)},
    )


def released(data, id="microdata.noise", **parameters):
    steps = [(catalogue[id](**parameters), False)]
    return apply_steps(steps, data, SECRET, Progress())[0]


def noise(data, ratio):
    return released(data, columns=("income",), variance_ratio=ratio).column("income").numbers()


def test_two_levels_of_noise_do_not_cancel():
    """With the same draws y = x + a·z, so a suitable difference of two releases is x itself."""
    mild, strong = noise(persons(), 0.1), noise(persons(), 0.4)
    guessed = 2 * mild - strong
    found = np.abs(guessed - INCOME) <= 0.01 * INCOME
    assert found.mean() < 0.1
    assert abs(np.corrcoef(mild - INCOME, strong - INCOME)[0, 1]) < 0.2


def test_the_next_edition_has_draws_of_its_own():
    """Whoever is in both editions must not get the same noise from the same place."""
    first, second = noise(persons(), 0.1), noise(persons(397), 0.1)
    assert abs(np.corrcoef(first[:397] - INCOME[:397], second - INCOME[:397])[0, 1]) < 0.2


def test_one_changed_cell_changes_all_draws():
    other = persons().with_columns({"income": Column.numbers_of(np.append(INCOME[:-1], 1.0))})
    first, second = noise(persons(), 0.1), noise(other, 0.1)
    assert not np.isclose(first[:-1], second[:-1]).any()


def test_the_same_run_gives_the_same_bytes():
    assert noise(persons(), 0.1).tobytes() == noise(persons(), 0.1).tobytes()


@pytest.mark.parametrize("lasting", [True, False])
def test_names_last_over_editions_only_where_that_is_asked_for(lasting):
    first, second = (
        released(persons(n), "microdata.pseudonymise", columns=("id",), lasting=lasting).column("id").texts()
        for n in (400, 397)
    )
    same = np.array_equal(first[:397], second)
    assert same is lasting
    assert len(set(first) & set(second)) == (397 if lasting else 0)


def test_a_fingerprint_is_of_the_cells():
    data = persons()
    assert digest_of(data) == digest_of(persons())
    assert digest_of(data) != digest_of(
        data.with_columns({"id": data.column("id").suppress(np.arange(400) == 3)})
    )
    assert digest_of(data) != digest_of(persons(399))
    moved = Microdata({"a": Column.texts_of(["x", "y"]), "b": Column.texts_of(["z"] * 2)})
    other = Microdata({"b": Column.texts_of(["x", "y"]), "a": Column.texts_of(["z"] * 2)})
    assert digest_of(moved) != digest_of(other)
