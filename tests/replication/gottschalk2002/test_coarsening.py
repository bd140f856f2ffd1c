"""Coarsening in Gottschalk (2002): truncation with an indicator, classes, intensities (specification 1.2 and 6.1).

Tolerance: the digits given there; normal data are its quantiles, so that nothing is left to chance.
"""

import numpy as np
import pytest
from scipy import stats

from tarnkappe.data.column import Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.methods.microdata.band import Band
from tarnkappe.methods.microdata.ratio import Ratio
from tarnkappe.methods.microdata.top_bottom_code import TopBottomCode
from tarnkappe.randomness import public_stream as stream
from tarnkappe.spec.step import apply_step

NORMAL = stats.norm.ppf((np.arange(400_000) + 0.5) / 400_000)


def done(method, **columns):
    data = Microdata({name: Column.numbers_of(np.asarray(x, dtype=float)) for name, x in columns.items()})
    return apply_step(method, data, stream("s" * 32, method.id))


def test_truncation_of_intensities():
    """TV-G2 (L274): limit 0.15; 0.25, 0.15, 0.10 become 0.15 flagged, 0.15 and 0.10 not; two more firms make the rule of three hold."""
    spent, turnover = [25e6, 15e6, 10e6, 40e6, 90e6], [100e6] * 5
    ratio = Ratio(into={"rd": {"of": "spent", "over": "turnover", "at_most": 1}}, leak="masked-later")
    intensities = done(ratio, spent=spent, turnover=turnover)
    after = apply_step(TopBottomCode(columns=("rd",), upper=0.15), intensities, stream("s" * 32))
    assert after.column("rd").values.tolist() == [0.15, 0.15, 0.10, 0.15, 0.15]
    assert after.column("rd_limit").texts().tolist() == ["upper", "none", "none", "upper", "upper"]


def test_the_mean_of_a_truncated_normal_column():
    """G-M02: N(0,1) cut at 1 has the mean -0.0833154706, and 0.1586552539 of it are censored."""
    after = done(TopBottomCode(columns=("x",), upper=1.0), x=NORMAL)
    assert after.column("x").values.mean() == pytest.approx(-0.0833154706, abs=1e-5)
    assert np.mean(after.column("x_limit").texts() == "upper") == pytest.approx(0.1586552539, abs=3e-6)


def test_midpoints_let_the_variance_grow_and_means_let_it_shrink():
    """G-M01: Var(x) + h²/12 with midpoints (Sheppard); with means what lies between the classes."""
    h, x = 0.5, NORMAL[np.abs(NORMAL) < 4]  # in the classes beyond lie too few for a mean
    midpoints = done(Band(columns=("x",), into={"width": h}, show="midpoint"), x=x).column("x").values
    assert midpoints.var() == pytest.approx(x.var() + h**2 / 12, rel=1e-4)
    means = done(Band(columns=("x",), into={"width": h}, show="mean"), x=x).column("x").values
    classes = np.floor(x / h)
    inside = sum(x[classes == c].var() * np.mean(classes == c) for c in np.unique(classes))
    assert means.var() == pytest.approx(x.var() - inside, rel=1e-9)
    assert means.var() < x.var() < midpoints.var()
