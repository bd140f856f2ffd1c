"""D-M12: n = 20,000 and a correlation of 0.602; the literal procedure makes it 0.99995, the conditional draw keeps it."""

from __future__ import annotations

import numpy as np
import pytest

from tarnkappe.data.column import Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.methods.microdata.shuffle import Shuffle
from tarnkappe.randomness import public_stream as stream

N = 20_000


@pytest.fixture(scope="module")
def pair():
    rng = np.random.default_rng(7)
    s = rng.normal(size=N)
    x = 0.602 * s + np.sqrt(1 - 0.602**2) * rng.normal(size=N)
    return x, s


def literal(x, s):
    """The wording of the report: regress, predict, rank the predictions, give out the values by rank. No draw."""
    slope, level = np.polyfit(s, x, 1)
    out = np.empty(N)
    out[np.argsort(slope * s + level)] = np.sort(x)
    return out


def test_the_literal_wording_gives_the_column_away(pair):
    x, s = pair
    assert np.corrcoef(literal(x, s), s)[0, 1] > 0.999


def test_the_conditional_draw_keeps_the_correlation(pair):
    """The standard error of the correlation is 0.0045 and that of the draw the same: 0.03 is more than four of both."""
    x, s = pair
    data = Microdata({"x": Column.numbers_of(x), "s": Column.numbers_of(s)})
    y = Shuffle(columns=("x",), given=("s",)).apply(data, stream("any")).numbers(("x",))[:, 0]
    assert np.corrcoef(x, s)[0, 1] == pytest.approx(0.602, abs=0.02)
    assert np.corrcoef(y, s)[0, 1] == pytest.approx(np.corrcoef(x, s)[0, 1], abs=0.03)
    assert abs(np.corrcoef(y - 0.602 * s, x - 0.602 * s)[0, 1]) < 0.04
