"""TV-G3 of the specification of Gottschalk (2002): one factor per enterprise keeps ratios; G-R07 and G-R08 on it."""

import numpy as np
import pytest

from tarnkappe.data.column import Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.risk.interval_disclosure import IntervalDisclosure
from tarnkappe.risk.ratio_attack import RatioAttack

NAMES = ("turnover", "employees", "research")


def file(x):
    return Microdata({name: Column.numbers_of(x[:, j].copy()) for j, name in enumerate(NAMES)})


def test_the_printed_firm():
    """Turnover 10, employees 50, research 0.5, factor 1.2 → 12, 60, 0.6: whoever knows the turnover has the rest."""
    x = np.vstack([[10, 50, 0.5], np.exp(np.random.default_rng(1).normal(size=(40, 3)))])
    y = x * np.append(1.2, np.random.default_rng(2).uniform(0.5, 1.5, 40))[:, None]
    assert y[0] == pytest.approx([12, 60, 0.6])
    found = RatioAttack(known=("turnover",), f=1e-6).measure(file(y), before=file(x))
    assert found.per_record[0] == found.value == 1
    assert found.details["ratios_kept"] == 1


@pytest.mark.parametrize("p", [0.05, 0.10, 0.15])
def test_share_inside_p_per_cent_of_uniform_factors(p):
    """G-R08 with U[0.5, 1.5]: |x - y| ≤ p·y for 1/(1+p) ≤ w ≤ 1/(1-p), of length 1/(1-p) - 1/(1+p)."""
    rng = np.random.default_rng(3)
    x = np.exp(rng.normal(size=(30_000, 3)))
    y = x * rng.uniform(0.5, 1.5, x.shape)
    found = IntervalDisclosure(scale="value", width=p, joint=False).measure(file(y), before=file(x))
    assert found.value == pytest.approx(1 / (1 - p) - 1 / (1 + p), abs=0.01)
    assert found.low < found.value < found.high
