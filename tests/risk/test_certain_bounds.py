import numpy as np
import pytest

from tarnkappe.data.column import Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.errors.data import BeforeNeeded, EmptyData
from tarnkappe.kernels.order_bounds import order_bounds
from tarnkappe.randomness import public_stream as stream
from tarnkappe.risk.certain_bounds import CertainBounds
from tarnkappe.spec import catalogue
from tarnkappe.spec.step import apply_step


def data(x, **more):
    return Microdata({"x": Column.numbers_of(np.asarray(x, dtype=float))} | more)


def turnover(n=1500, seed=3):
    return np.exp(10 + 1.5 * np.random.default_rng(seed).normal(size=n))


def released(method, x, **parameters):
    return apply_step(catalogue[f"microdata.{method}"](columns=("x",), **parameters), data(x), stream("any"))


@pytest.mark.parametrize("seed", range(20))
def test_no_admissible_values_lie_beyond_the_bounds(seed):
    """By trying: sorted groups of whole numbers with the same means never leave the bounds, and some reach them."""
    rng = np.random.default_rng(seed)
    x = np.sort(rng.integers(0, 30, 9).astype(float))
    y = x.reshape(3, 3).mean(axis=1).repeat(3)
    low, high = order_bounds(y)
    assert np.all((low <= x + 1e-9) & (x <= high + 1e-9))
    if len(np.unique(y)) == 3:
        means = y[::3]
        for _ in range(2000):
            z = np.sort(rng.uniform(low.min(), min(high.max(), 200), 9)).reshape(3, 3)
            z = z - z.mean(axis=1, keepdims=True) + means[:, None]
            flat = z.ravel()
            if flat.min() >= 0 and np.all(np.diff(flat) >= 0):
                assert np.all((low <= flat + 1e-9) & (flat <= high + 1e-9))


def test_individual_ranking_is_opened_and_safety_intervals_hold():
    x = turnover()
    open_ = CertainBounds().measure(released("rank-average", x), before=data(x))
    assert open_.value > 0.8
    assert open_.details["valid"] == 1
    safe = CertainBounds().measure(released("safe-average", x, safety=5.0), before=data(x))
    assert safe.details["valid"] == 1
    assert safe.value == 0
    assert CertainBounds(f=0.2).measure(released("safe-average", x, safety=5.0), before=data(x)).value > 0.8
    assert safe.baseline > 0.9, "most averages are near, but nobody knows which"


def test_noise_has_no_certain_bounds():
    x = turnover()
    found = CertainBounds().measure(released("factor-noise", x), before=data(x))
    assert found.details["valid"] < 0.1
    assert found.value < 0.02


def test_a_copy_strata_gaps_and_bad_input():
    x = turnover(40)
    assert CertainBounds().measure(data(x), before=data(x)).value == 1
    s = Column.texts_of(["a", "b"] * 20)
    y = x.copy()
    y[::2] = y[::2].mean()
    found = CertainBounds(columns=("x",), within=("s",)).measure(data(y, s=s), before=data(x, s=s))
    assert found.details["worst_strata"][0]["share"] == 1
    assert found.value == pytest.approx(0.5, abs=0.1)
    hidden = data(x).with_columns({"x": data(x).column("x").suppress(np.arange(40) < 20)})
    assert CertainBounds().measure(hidden, before=data(x)).value == 0.5
    with pytest.raises(BeforeNeeded):
        CertainBounds().measure(data(x))
    with pytest.raises(EmptyData):
        CertainBounds().measure(data(x[:0]), before=data(x))
    assert [len(end) for end in order_bounds(np.array([]))] == [0, 0]
    low, high = order_bounds(np.array([-1.0, -1]))
    assert (low[0], high[0]) == (-np.inf, np.inf)
