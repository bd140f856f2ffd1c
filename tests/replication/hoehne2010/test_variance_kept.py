"""Höhne (2010), 3.3.3 and appendix 2: what variance-preserving microaggregation does to correlations.

Simulation of figures 9 to 11 with bivariate normal data, correlation 0.7, groups of four: our specification (5.11) gives the standard
deviation of the change of r as 0.0061 for n = 120 (2,500 files). Here 400 files: the standard error of that figure is 3.5 %, so a band of
± 18 % is five standard errors; a variance of the change that is wrong by half would be caught. For n = 12 (0.093) and rank correlations (0.0016, 0.057) the
changes have longer tails, and the band is ± 25 %.
"""

from __future__ import annotations

import numpy as np
import pytest

from tarnkappe.data.column import Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.kernels.ranks import mid_ranks
from tarnkappe.methods.microdata.spread_average import SpreadAverage
from tarnkappe.randomness import public_stream as stream


def masked(x, **parameters):
    data = Microdata({"x": Column.numbers_of(x[:, 0]), "y": Column.numbers_of(x[:, 1])})
    step = SpreadAverage(columns=("x", "y"), **{"signs": "free", **parameters})
    return step.apply(data, stream("any")).numbers(("x", "y"))


def cloud(rng, n):
    x = rng.normal(size=(n, 2))
    x[:, 1] = 0.7 * x[:, 0] + np.sqrt(1 - 0.49) * x[:, 1]
    return x


def correlation(x):
    return float(np.corrcoef(x.T)[0, 1])


def tied_ranks(x):
    return np.stack([mid_ranks(column) for column in x.T], axis=1)


@pytest.mark.parametrize(
    ("n", "sd", "band", "mean", "nearer", "sd_of_ranks"),
    [(120, 0.0061, 0.18, -0.0024, 0.92, 0.0016), (12, 0.093, 0.25, -0.045, 0.66, 0.057)],
)
def test_simulation_of_correlations(n, sd, band, mean, nearer, sd_of_ranks):
    rng = np.random.default_rng(20101)
    changes, errors, of_ranks = [], [], []
    for _ in range(400):
        x = cloud(rng, n)
        y = masked(x)
        changes.append(correlation(y) - correlation(x))
        errors.append(abs(correlation(x) - 0.7))
        of_ranks.append(correlation(tied_ranks(y)) - correlation(tied_ranks(x)))
    assert np.std(changes) == pytest.approx(sd, rel=band)
    assert np.mean(changes) == pytest.approx(mean, abs=5 * sd / 20)
    assert np.mean(np.abs(changes) < errors) == pytest.approx(nearer, abs=0.1)
    assert np.std(of_ranks) == pytest.approx(sd_of_ranks, rel=0.25)


@pytest.mark.parametrize("grouping", ["fixed", "optimal", "records"])
def test_theorem_4_holds_exactly(grouping):
    """COV(a_j, a_k) = R_j R_k COV(o_j, o_k) + Σe(a_k - mean)/n + Σf(a_j - mean)/n - Σef/n for any method that keeps means and variances."""
    x = np.exp(cloud(np.random.default_rng(5), 300))
    y = masked(x, grouping=grouping)
    o, a = x - x.mean(axis=0), y - y.mean(axis=0)
    np.testing.assert_allclose(a.std(axis=0), o.std(axis=0), rtol=1e-10)
    r = (o * a).mean(axis=0) / o.std(axis=0) ** 2
    rest = a - r * o
    e, f = rest.T
    right = (
        r[0] * r[1] * (o[:, 0] * o[:, 1]).mean()
        + (e * a[:, 1]).mean()
        + (f * a[:, 0]).mean()
        - (e * f).mean()
    )
    assert (a[:, 0] * a[:, 1]).mean() == pytest.approx(right, rel=1e-10)


def test_splitting_a_group_never_worsens_and_gains_as_stated():
    """(2.2.6-5): the gain of a split is Σ |A| (mean - mean A)² + |B| (mean - mean B)²."""
    rng = np.random.default_rng(6)
    for _ in range(50):
        x = np.exp(rng.normal(size=(10, 2)))
        a, b = x[: (cut := rng.integers(3, 8))], x[cut:]
        loss = lambda g: ((g - g.mean(axis=0)) ** 2).sum()  # noqa: E731
        gain = sum(len(part) * ((x.mean(axis=0) - part.mean(axis=0)) ** 2).sum() for part in (a, b))
        assert loss(x) - loss(a) - loss(b) == pytest.approx(gain)
