"""Höhne (2010), 1.2 and 4.2.2: the usefulness of hits (specification R05–R07, TV-05, and the shares under N13).

The keys are kept, so every unit is found, and the two-stage risk is the share of useful values of the noise alone. Tolerance: four
standard errors of a share among the 40,000 values drawn.
"""

import numpy as np
import pytest
from scipy.stats import norm

from tarnkappe.data.column import Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.risk.useful_hits import UsefulHits

UNITS, VALUES = 4000, 10


def risk(factors, f):
    names = tuple(f"x{j}" for j in range(VALUES))
    amounts = np.exp(np.random.default_rng(1).normal(size=(UNITS, VALUES)))
    columns = {"key": Column.numbers_of(np.arange(UNITS))}
    before = Microdata(columns | {n: Column.numbers_of(amounts[:, j]) for j, n in enumerate(names)})
    after = before.with_numbers(names, amounts * factors)
    found = UsefulHits(keys=("key",), columns=names, match="one-to-one", f=f).measure(after, before=before)
    assert found.details["hits"] == UNITS
    return found.value


def near(share):
    return pytest.approx(share, abs=4 * np.sqrt(share * (1 - share) / (UNITS * VALUES)))


@pytest.mark.parametrize(
    ("p", "f", "s"),
    [
        (0.5, 0.02, 0.02965),
        (0.5, 0.1, 0.14826),
        (0.8, 0.05, 0.03902),
        (0.9, 0.02, 0.01216),
        (0.9, 0.05, 0.03040),
    ],
)
def test_corrected_table_2(p, f, s):
    """With the standard deviation of the corrected Table 2 the attacker gets just the share p of useful values."""
    assert risk(1 + s * np.random.default_rng(2).normal(size=(UNITS, VALUES)), f) == near(p)


def test_printed_table_2_leaves_too_many_useful_values():
    """The printed 0,025 for p = 90 % and f = 5 % leaves about 96 %: above p, so not anonymous (R06)."""
    found = risk(1 + 0.025 * np.random.default_rng(2).normal(size=(UNITS, VALUES)), 0.05)
    assert found == near(2 * norm.cdf(0.05 / 0.025) - 1)
    assert found > 0.9


@pytest.mark.parametrize(("f", "share"), [(0.02, 0.0013), (0.05, 0.0228), (0.10, 0.3694), (0.15, 0.9088)])
def test_mixture_noise(f, share):
    """N13 with (0.11, 0.03): all values of a unit move the same way, so the shares of units hang together."""
    rng = np.random.default_rng(3)
    factors = 1 + 0.11 * rng.choice([-1, 1], size=(UNITS, 1)) + 0.03 * rng.normal(size=(UNITS, VALUES))
    assert risk(factors, f) == near(share)
