"""Attackers against microaggregated numbers. They know the originals and see the release, nothing else.

What is claimed: every shown combination stands in at least k records of its stratum. So whoever links by distance
finds k equally near records and must guess. What is not claimed: protection against one who knows all records of a
group but one; the last test shows that this attack works, as the card says.
"""

from __future__ import annotations

import numpy as np
import pytest

from tarnkappe.data.column import Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.randomness import public_stream as stream
from tarnkappe.spec import catalogue
from tarnkappe.spec.step import apply_step

N = 600


def originals(seed=1):
    rng = np.random.default_rng(seed)
    size = np.exp(1.4 * rng.normal(size=N))
    return np.column_stack([size * 1000, size * np.exp(0.4 * rng.normal(size=N)), rng.normal(size=N)])


def released(x, k):
    data = Microdata({f"x{j}": Column.numbers_of(x[:, j]) for j in range(x.shape[1])})
    step = catalogue["microdata.mdav"](columns=tuple(data.names), k=k)
    return apply_step(step, data, stream("any")).numbers(data.names)


def expected_hits(x, y):
    """Link every original to its nearest released record; where several are equally near, one of them by chance."""
    spread = x.std(axis=0)
    hits = 0.0
    for i in range(len(x)):
        d = (((y - x[i]) / spread) ** 2).sum(axis=1)
        near = np.flatnonzero(d == d.min())
        hits += (i in near) / len(near)
    return hits / len(x)


def test_the_attack_works_on_what_is_not_protected():
    x = originals()
    noisy = x * (1 + 1e-3 * np.random.default_rng(2).normal(size=x.shape))
    assert expected_hits(x, noisy) > 0.95


@pytest.mark.parametrize("k", [3, 5, 10])
def test_linkage_finds_at_most_one_in_k(k):
    x = originals()
    assert expected_hits(x, released(x, k)) <= 1 / k


@pytest.mark.parametrize("k", [3, 5])
def test_the_largest_firms_are_not_shown_as_they_are(k):
    """Outliers are what an attacker looks for first: none of the ten largest keeps a value of its own."""
    x = originals()
    y = released(x, k)
    for i in np.argsort(x[:, 0])[-10:]:
        assert (y == y[i]).all(axis=1).sum() >= k
        assert not np.isclose(y[i, 0], x[i, 0], rtol=1e-9)


def test_whoever_owns_all_but_one_of_a_group_finds_the_last():
    """The stated limit, and why: k times the mean minus the known values is the unknown one."""
    x = originals()
    y = released(x, 3)
    group = np.flatnonzero((y == y[0]).all(axis=1))
    victim, insiders = group[0], group[1:]
    guess = len(group) * y[victim] - x[insiders].sum(axis=0)
    np.testing.assert_allclose(guess, x[victim], rtol=1e-9)
    said = " ".join(t.en for t in catalogue["microdata.mdav"].does_not)
    assert "all but one of a group" in said
