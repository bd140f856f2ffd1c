"""Columns that no role calls a quantity and that look like codes are not compared in silence."""

import numpy as np
import pytest

from tarnkappe import catalogue
from tarnkappe.data.column import Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.quantities import unsure
from tarnkappe.vocab import Role

MEASURES = [
    "utility.eigenvalues", "utility.components", "utility.correlations", "utility.covariances", "utility.moments", "utility.distance",
    "utility.attenuation", "utility.variances", "utility.squared-error",
]  # fmt: skip


def households(**roles):
    rng = np.random.default_rng(1)
    columns = {
        "home": Column.numbers_of(np.sort(rng.permutation(np.repeat(np.arange(40), 3))[:100])),
        "person": Column.numbers_of(rng.permutation(100) + 1),
        "urban": Column.numbers_of(rng.integers(1, 3, 100)),
        "income": Column.numbers_of(rng.lognormal(8, 1, 100)),
        "age": Column.numbers_of(rng.integers(18, 90, 100)),
        "wealth": Column.numbers_of(rng.integers(0, 10**6, 100)),
    }
    return Microdata(columns, roles)


@pytest.mark.parametrize("id", MEASURES)
def test_what_looks_like_a_code_is_named(id):
    data = households()
    said = catalogue[id]().measure(data, before=data).because
    for text in (said.en, said.de):
        assert "home, person, urban" in text
        assert "income" not in text.split("home, person, urban")[1]
    chosen = catalogue[id](columns=("urban", "income")).measure(data, before=data).because
    assert "urban" not in chosen.en


@pytest.mark.parametrize("id", MEASURES)
def test_roles_end_the_doubt(id):
    data = households(
        **{
            Role.IDENTIFIER: ("person",),
            Role.HOUSEHOLD: ("home",),
            Role.NUMERIC: ("urban", "income", "age", "wealth"),
        }
    )
    assert "urban" not in catalogue[id]().measure(data, before=data).because.en


def test_what_is_unsure():
    data = households()
    assert unsure(data, data.names) == ("home", "person", "urban")
    assert unsure(data.take(np.arange(9)), data.names) == ()


@pytest.mark.parametrize("id", MEASURES)
def test_figures_of_few_records_are_not_told_and_the_reason_is(id):
    few = households().take(np.arange(6))
    found = catalogue[id]().measure(few, before=few)
    assert np.isnan(found.value)
    assert not found.trusted
    assert "10" in found.because.en
    assert "10" in found.because.de
