"""TV-04 and part 5.8: the windows after Moore."""

from __future__ import annotations

import numpy as np
import pytest

from tarnkappe.data.column import Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.methods.microdata.rank_swap import RankSwap, Window, moore_percent
from tarnkappe.randomness import public_stream as stream

COLUMN = np.array([1200.0, *range(1210, 1301, 10), 1490.0])


@pytest.mark.parametrize(
    ("way", "percent"),
    [
        ({"correlation": 0.9}, 11.2444),
        ({"correlation": 0.99}, 3.5558),
        ({"change": 0.01}, 7.1514),
        ({"change": 0.02}, 14.3028),
    ],
)
def test_windows_of_the_column_of_table_1(way, percent):
    assert len(COLUMN) == 12
    assert moore_percent(Window(**way), COLUMN) == pytest.approx(percent, abs=5e-5)


def kse_like(n=200_000):
    """Values with σ/mean = 11.998 and range/σ = 82.06, as the printed table implies."""
    mean, sigma = 1.0, 11.998
    span = 82.06 * sigma
    x = np.zeros(n)
    x[0] = span
    left_mean = (n * mean - span) / (n - 1)
    left_square = (n * (sigma**2 + mean**2) - span**2) / (n - 1)
    # the others take two values, 0 and v, with the mean and the mean square that are left
    v = left_square / left_mean
    count = left_mean / v * (n - 1)
    whole = int(count)
    x[1 : whole + 1] = v
    x[whole + 1] = (count - whole) * v
    return x


@pytest.mark.parametrize(
    ("kept", "change", "percent", "records"), [(0.9, 3.286, 0.545, 92), (0.99, 1.039, 0.172, 29)]
)
def test_the_printed_table(kept, change, percent, records):
    x = kse_like()
    assert x.std() / x.mean() == pytest.approx(11.998, rel=1e-4)
    assert np.ptp(x) / x.std() == pytest.approx(82.06, rel=1e-4)
    assert moore_percent(Window(correlation=kept), x) == pytest.approx(percent, abs=5e-4)
    assert moore_percent(Window(change=change), x) == pytest.approx(percent, abs=5e-4)
    assert round(percent / 100 * 16_824) == records


@pytest.mark.parametrize(("kept", "reached"), [(0.9, 0.938), (0.99, 0.9935)])
def test_the_correlation_that_remains_on_even_values(kept, reached):
    """The figures of the specification for 10,000 even values; over seeds they vary by less than 0.001."""
    x = np.random.default_rng(1).random(10_000)
    data = Microdata({"x": Column.numbers_of(x)})
    y = (
        RankSwap(columns={"x": {"correlation": kept}}, partner="next")
        .apply(data, stream("any"))
        .numbers(("x",))[:, 0]
    )
    assert np.corrcoef(x, y)[0, 1] ** 2 == pytest.approx(reached, abs=0.005)


def test_moores_law_of_attenuation():
    """E R(xᵃ, yᵃ) = R(x, xᵃ) R(y, yᵃ) R(x, y), up to the bend at the ends of the scale (below 0.03 here, 40 seeds)."""
    rng = np.random.default_rng(2)
    x = rng.normal(size=2000)
    y = 0.7 * x + np.sqrt(1 - 0.49) * rng.normal(size=2000)
    data = Microdata({"x": Column.numbers_of(x), "y": Column.numbers_of(y)})
    step = RankSwap(columns={"x": {"percent": 30}, "y": {"percent": 20}})
    law, found = [], []
    for seed in range(40):
        a = step.apply(data, stream(f"seed {seed}")).numbers(("x", "y"))
        own = np.corrcoef(x, a[:, 0])[0, 1] * np.corrcoef(y, a[:, 1])[0, 1]
        law.append(own * np.corrcoef(x, y)[0, 1])
        found.append(np.corrcoef(a.T)[0, 1])
    assert np.corrcoef(x, y)[0, 1] - np.mean(found) > 0.1
    assert abs(np.mean(found) - np.mean(law)) < 0.03
