import numpy as np
import pytest

from tarnkappe.data.column import Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.errors.data import NotFinite
from tarnkappe.errors.exchange import CorrelationsMissed, NoPartner
from tarnkappe.kernels.annealing import anneal
from tarnkappe.kernels.exchange import round_robin
from tarnkappe.kernels.series import Series
from tarnkappe.methods.microdata.covariance_swap import CovarianceSwap
from tarnkappe.methods.microdata.swap import Swap
from tarnkappe.randomness import public_stream as stream
from tarnkappe.spec.step import apply_step, broken_claims


def firms(n=400, seed=1):
    rng = np.random.default_rng(seed)
    size = rng.normal(size=(n, 1))
    return np.exp(0.5 * (size + 0.6 * rng.normal(size=(n, 3))))


def as_data(x, **more):
    columns = {f"x{j}": Column.numbers_of(x[:, j]) for j in range(x.shape[1])}
    return Microdata(columns | {n: Column.numbers_of(np.asarray(v, dtype=float)) for n, v in more.items()})


def off(x, y):
    return np.abs(np.corrcoef(x.T) - np.corrcoef(y.T)).sum() / x.shape[1] ** 2


def test_correlations_stay_and_every_record_has_foreign_values():
    x = firms()
    step = CovarianceSwap(columns=("x0", "x1", "x2"))
    y = apply_step(step, as_data(x), stream("any")).numbers(step.columns)
    assert off(x, y) <= 0.01
    assert (x != y).all()
    assert np.array_equal(np.sort(x, axis=0), np.sort(y, axis=0))
    plain = apply_step(Swap(columns=step.columns), as_data(x), stream("any")).numbers(step.columns)
    assert off(x, plain) > 0.3


def test_correlations_with_kept_columns_stay():
    x = firms()
    step = CovarianceSwap(columns=("x0", "x1"), keep=("x2",), tolerance=0.005)
    after = apply_step(step, as_data(x), stream("any"))
    y = after.numbers(("x0", "x1", "x2"))
    assert np.array_equal(x[:, 2], y[:, 2])
    assert off(x, y) <= 0.005


def test_groups_shares_and_gaps():
    x = firms()
    x[::11, 1] = np.nan
    group = np.arange(400) % 4
    step = CovarianceSwap(columns=("x0", "x1", "x2"), within=("g",), share=0.5, tolerance=0.02)
    y = apply_step(step, as_data(x, g=group), stream("any")).numbers(step.columns)
    assert np.array_equal(np.isnan(x), np.isnan(y))
    changed = np.nan_to_num(x) != np.nan_to_num(y)
    assert 0.5 <= changed[:, 0].mean() < 0.6
    for g in range(4):
        assert np.array_equal(np.sort(x[group == g], axis=0), np.sort(y[group == g], axis=0), equal_nan=True)


def test_a_goal_that_is_not_reached_is_refused():
    step = CovarianceSwap(columns=("x0", "x1", "x2"), tolerance=1e-6, steps=1)
    with pytest.raises(CorrelationsMissed) as caught:
        apply_step(step, as_data(firms()), stream("any"))
    assert caught.value.exit_code == 3


def test_two_records_can_only_change_places():
    x = np.array([[1.0, 2.0], [3.0, 5.0]])
    step = CovarianceSwap(columns=("x0", "x1"), too_small="leave")
    assert apply_step(step, as_data(x), stream("any")).numbers(step.columns).tolist() == [[3, 5], [1, 2]]


def test_bad_input_and_constants():
    with pytest.raises(NoPartner):
        apply_step(CovarianceSwap(columns=("x0",)), as_data(firms(1)), stream("any"))
    with pytest.raises(NotFinite):
        apply_step(CovarianceSwap(columns=("x0",)), as_data(np.array([[np.inf], [1.0]])), stream("any"))
    flat = np.column_stack([np.ones(20), np.arange(20.0)])
    y = apply_step(CovarianceSwap(columns=("x0", "x1")), as_data(flat), stream("any")).numbers(("x0", "x1"))
    assert (y[:, 0] == 1).all() and (y[:, 1] != np.arange(20)).all()


def test_broken_correlations_are_noticed():
    x = firms()
    step = CovarianceSwap(columns=("x0", "x1", "x2"))
    plain = apply_step(Swap(columns=step.columns), as_data(x), stream("any"))
    assert [c.says.en[:7] for c in broken_claims(step, as_data(x), plain)] == ["all cor"]


@pytest.mark.parametrize("seed", range(5))
def test_the_kernel_counts_right(seed):
    """After any number of steps the sources are a permutation without a fixed point, and the measure is below the goal if it says so."""
    rng = np.random.default_rng(seed)
    z = rng.normal(size=(60, 4)) @ rng.normal(size=(4, 4))
    z = (z - z.mean(axis=0)) / z.std(axis=0)
    starts = np.array([0, 20, 60])
    source = np.stack([round_robin(np.arange(60), starts, np.diff(starts)) for _ in range(3)], axis=1)
    single = Series(starts, np.array([1, 1]))
    taken = anneal(z, source, single, 0.5, 20_000, np.random.Generator(np.random.PCG64(seed)))
    for j in range(3):
        assert np.array_equal(np.sort(source[:, j]), np.arange(60))
        assert (source[:, j] != np.arange(60)).all()
        assert ((source[:, j] < 20) == (np.arange(60) < 20)).all()
    now = z.copy()
    for j in range(3):
        now[:, j] = z[source[:, j], j]
    assert (np.abs(now.T @ now - z.T @ z).sum() / 60 <= 0.5 + 1e-9) == (taken < 20_000)
