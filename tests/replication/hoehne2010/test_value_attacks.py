"""Numbers of Höhne (2010) on what an attacker learns of single values: TV-08, TV-05 by attack, and R15 of the specification."""

import numpy as np
import pytest
from scipy.special import ndtr

from tarnkappe.data.column import Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.kernels.order_bounds import order_bounds
from tarnkappe.randomness import public_stream as stream
from tarnkappe.risk.certain_bounds import CertainBounds
from tarnkappe.risk.ratio_attack import RatioAttack
from tarnkappe.risk.value_disclosure import ValueDisclosure
from tarnkappe.spec import catalogue
from tarnkappe.spec.step import apply_step

NAMES = ("turnover", "wages", "investment")


def firms(n=20_000):
    x = np.exp(8 + np.random.default_rng(7).normal(size=(n, 3)))
    return Microdata({name: Column.numbers_of(x[:, j].copy()) for j, name in enumerate(NAMES)})


def test_certain_bounds_as_printed():
    """TV-08 (3.2, rules 3.2-3 to 3.2-5)."""
    low, high = order_bounds(np.repeat([100_000.0, 99_000.0, 90_000.0], 3))
    assert high.tolist() == [102_000.0] * 3 + [100_000.0] * 3 + [99_000.0] * 3
    assert low.tolist() == [99_000.0] * 3 + [97_000.0] * 3 + [72_000.0] * 3


def test_which_neighbours_are_unsafe_at_five_per_cent():
    """TV-09: a lower mean above 98.36 % (98.3 %) of the upper one is unsafe; 3.2-5 gives 3/(3-S) = 1.016949."""

    def lower_width(p):
        low, high = order_bounds(np.repeat([10.0, 100.0 / p, 100.0], 3))
        return (high - low)[3] / high[3]

    assert lower_width(1.0168) < 0.05 < lower_width(1.0171)


@pytest.mark.parametrize(
    ("s", "f", "expected"),
    [(0.03, 0.05, 0.757), (0.03, 0.10, 0.977), (0.05, 0.05, 0.519), (0.07, 0.05, 0.386)],
)
def test_one_known_value_against_mixture_noise(s, f, expected):
    """R15: 75.7 % within 5 % and 97.7 % within 10 % for (0.11, 0.03); s = 0.05 → 51.9 %, s = 0.07 → 38.6 %."""
    data = firms()
    law = {"law": "mixture", "f": 0.11, "s": s}
    step = catalogue["microdata.factor-noise"](columns=NAMES, factors=law)
    after = apply_step(step, data, stream("replication"))
    for measure in (RatioAttack(f=f), ValueDisclosure(f=f)):
        assert measure.measure(after, before=data).value == pytest.approx(expected, abs=0.02)


@pytest.mark.parametrize(("f", "expected"), [(0.05, 0.023), (0.10, 0.369)])
def test_without_that_knowledge(f, expected):
    """R15: 2.3 % within 5 % and 36.9 % within 10 % by the released values alone."""
    data = firms()
    law = {"law": "mixture", "f": 0.11, "s": 0.03}
    after = apply_step(
        catalogue["microdata.factor-noise"](columns=NAMES, factors=law), data, stream("replication")
    )
    assert RatioAttack(f=f).measure(after, before=data).baseline == pytest.approx(expected, abs=0.01)


@pytest.mark.parametrize("p", [0.5, 0.8, 0.9])
def test_share_of_useful_values_of_normal_factors(p):
    """R07: a share 2Φ(f/s) - 1 of the values is useful; with s = f/Φ⁻¹((1+p)/2) it is p (4.2.2, table 2)."""
    f, s = 0.05, 0.05 / {0.5: 0.6745, 0.8: 1.2816, 0.9: 1.6449}[p]
    data = firms()
    law = {"law": "normal", "s": s, "smallest": 0, "largest": 0.9}
    step = catalogue["microdata.factor-noise"](columns=NAMES, factors=law, shared="nothing")
    found = ValueDisclosure(f=f).measure(apply_step(step, data, stream("replication")), before=data)
    assert 2 * ndtr(f / s) - 1 == pytest.approx(p, abs=1e-3)
    assert found.details["ways"]["as_released"] == pytest.approx(p, abs=0.01)


def test_row_constant_factors_give_everything_away():
    """Equation 4.2-4: one known value, and all others follow, to what every value has of its own."""
    data = firms(500)
    law = {"law": "normal", "s": 0.15, "smallest": 0.01, "largest": 0.6}
    step = catalogue["microdata.factor-noise"](columns=NAMES, factors=law, shared="factor", own=0.01)
    found = RatioAttack(f=0.0205).measure(apply_step(step, data, stream("replication")), before=data)
    assert found.value == 1
    assert found.baseline < 0.2


def test_bounds_of_neighbouring_means_as_a_measure():
    """The groups of TV-08: the second is enclosed within 3 %, the first and the third within 3 % and 27 %."""
    x = np.array([101_000, 100_000, 99_000, 99_500, 99_000, 98_500, 95_000, 90_000, 85_000.0])
    before = Microdata({"x": Column.numbers_of(x)})
    after = Microdata({"x": Column.numbers_of(np.repeat([100_000.0, 99_000.0, 90_000.0], 3))})
    found = CertainBounds().measure(after, before=before)
    assert found.value == pytest.approx(6 / 9)
    assert found.details["valid"] == 1
    assert not found.trusted, "nine values"
