"""Multivariate top coding against a plain attacker who looks for who stands out."""

import numpy as np
import pytest

from tarnkappe.data.column import Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.errors.masking import NoSpread, TooFewComplete
from tarnkappe.methods.microdata.pull_in import PullIn
from tarnkappe.randomness import public_stream as stream
from tarnkappe.spec.step import apply_step, broken_claims


def cloud(n=400):
    """Two columns that move together, and three records that do not: inconspicuous in each column alone."""
    rng = np.random.default_rng(1)
    shared = rng.normal(size=n)
    x = np.column_stack([shared, shared]) + 0.1 * rng.normal(size=(n, 2))
    x[:3] = [[1.5, -1.5], [-1.4, 1.4], [1.2, -1.3]]
    return 1000 + 10 * x


def as_data(x, **more):
    columns = {f"x{j}": Column.numbers_of(x[:, j].copy()) for j in range(x.shape[1])}
    return Microdata(columns | {n: Column.numbers_of(np.asarray(v)) for n, v in more.items()})


def done(data, **parameters):
    step = PullIn(**{"columns": ("x0", "x1"), **parameters})
    return apply_step(step, data, stream("none")).numbers(step.columns)


def test_who_stands_out_only_in_two_columns_together_is_pulled_in():
    x = cloud()
    y = done(as_data(x), beyond=0.001)
    moved = (x != y).any(axis=1)
    assert moved[:3].all() and moved.sum() < 8
    apart = np.abs(np.diff(x, axis=1))[:, 0], np.abs(np.diff(y, axis=1))[:, 0]
    assert apart[0][:3].min() > 20 and apart[1].max() < 10
    centre = x[3:].mean(axis=0)
    old, new = x[:3] - centre, y[:3] - centre
    assert np.allclose(old[:, 0] * new[:, 1], old[:, 1] * new[:, 0], atol=10)  # straight towards the centre
    assert (np.abs(new) < np.abs(old)).all()
    step = PullIn(columns=("x0", "x1"), beyond=0.001)
    ((_, shape),) = step.shapes(as_data(x), unit := step.unit_of(as_data(x)))
    assert np.allclose(shape.distances(unit.of(y[moved])), step.edge)  # to the edge, no farther


def test_a_normal_cloud_loses_about_the_share_asked_for():
    """4,000 records, a tenth beyond: 400 ± 19; six standard deviations and what the robust estimate adds."""
    x = np.random.default_rng(2).normal(size=(4000, 3)) * [1, 1e6, 1e-6] + [0, 5, 1]
    step = PullIn(columns=("x0", "x1", "x2"), beyond=0.1)
    assert 280 < step.far_out(as_data(x)).sum() < 520


def test_strata_gaps_and_whole_numbers():
    x = cloud()
    x[5, 1] = np.nan
    x[6] = [2000, np.nan]
    group = np.arange(400) % 2
    y = done(as_data(x, g=group), within=("g",))
    assert np.array_equal(np.isnan(x), np.isnan(y))
    assert y[6, 0] < 1100
    for g in (0, 1):
        alone = done(as_data(x[group == g]))
        assert np.allclose(alone, y[group == g], equal_nan=True)


def test_what_is_refused_and_what_is_noticed():
    with pytest.raises(NoSpread):
        done(as_data(np.column_stack([np.arange(20.0), np.ones(20)])))
    with pytest.raises(TooFewComplete):
        done(as_data(cloud(5)))
    data = as_data(cloud())
    step = PullIn(columns=("x0", "x1"))
    assert broken_claims(step, data, data)
    after = apply_step(step, data, stream("none"))
    shifted = after.with_numbers(step.columns, after.numbers(step.columns) * (1 - 1e-6))
    assert broken_claims(step, data, shifted)
    assert len(apply_step(step, data.take(np.arange(0)), stream("none"))) == 0


@pytest.mark.parametrize(("tiny", "huge"), [(1e-160, 1.0), (1e-300, 1e300), (1.0, 1.7e308), (1e-20, 1e300)])
def test_a_core_that_is_nothing_against_its_outlier(tiny, huge):
    """Squares of what lies between them cannot be written as numbers; still the outlier ends at the edge of the others."""
    x = np.random.default_rng(3).normal(size=(40, 2)) * [tiny, 1.0]
    x[0, 0] = huge
    data, step = as_data(x), PullIn(columns=("x0", "x1"))
    after = apply_step(step, data, stream("none"))
    assert not broken_claims(step, data, after)
    assert 0 < after.numbers(step.columns)[0, 0] < huge
    assert broken_claims(step, data, data)
