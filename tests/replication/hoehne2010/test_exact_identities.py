"""Höhne (2010): identities that hold to the last digits, on the methods themselves (specification 5.12).

Theorem 4, the split of groups and footnote 10 stand in test_variance_kept.py and test_univariate_averages.py.
"""

import numpy as np
import pytest

from tarnkappe.data.column import Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.randomness import public_stream
from tarnkappe.spec import catalogue
from tarnkappe.spec.parameters import build
from tarnkappe.spec.step import apply_step
from tarnkappe.utility.squared_error import SquaredError

NAMES = ("x", "y", "z")
RNG = np.random.default_rng(12)
SIZE = RNG.normal(size=400)
X = np.exp(np.column_stack([SIZE, 0.7 * SIZE + RNG.normal(0, 0.5, 400), RNG.normal(size=400)]))
KINDS = RNG.choice(list("aaaabbbcd"), 400)


def data():
    columns = {n: Column.numbers_of(X[:, j]) for j, n in enumerate(NAMES)}
    return Microdata({**columns, "kind": Column.texts_of(KINDS.tolist())})


def masked(id, **parameters):
    step = build(catalogue[f"microdata.{id}"], {"columns": NAMES, **parameters})
    return apply_step(step, data(), public_stream("any", step.id)).numbers(NAMES)


def test_exact_moments_of_noise():
    """N11: means exactly, covariances exactly 1 + d times."""
    y = masked("correlated-noise", moments="exact", variance_ratio=0.2)
    np.testing.assert_allclose(y.mean(axis=0), X.mean(axis=0), rtol=1e-10)
    np.testing.assert_allclose(np.cov(y.T), 1.2 * np.cov(X.T), rtol=1e-9)


@pytest.mark.parametrize(
    "noise",
    [{"use": "microdata.noise", "columns": NAMES}, {"use": "microdata.rank-average", "columns": NAMES}],
)
def test_kim_after_any_method(noise):
    """M13: mean and standard deviation as they were."""
    y = masked("restore-variance", step=noise)
    np.testing.assert_allclose(y.mean(axis=0), X.mean(axis=0), rtol=1e-10)
    np.testing.assert_allclose(y.std(axis=0), X.std(axis=0), rtol=1e-10)


@pytest.mark.parametrize("grouping", ["fixed", "optimal", "records"])
def test_groups_keep_their_mean_and_spread(grouping):
    """M15 to M17: the column has its mean and its standard deviation, and in groups of neighbours each group has."""
    y = masked("spread-average", grouping=grouping, signs="free")
    np.testing.assert_allclose(y.mean(axis=0), X.mean(axis=0), rtol=1e-10)
    np.testing.assert_allclose(y.std(axis=0), X.std(axis=0), rtol=1e-10)
    if grouping == "fixed":
        for j in range(3):
            order = np.argsort(X[:, j], kind="stable")
            was, now = (v[order, j].reshape(-1, 4) for v in (X, y))
            np.testing.assert_allclose(now.mean(axis=1), was.mean(axis=1), rtol=1e-10)
            np.testing.assert_allclose(now.std(axis=1), was.std(axis=1), rtol=1e-9)


def test_one_factor_keeps_every_ratio():
    """N12: x_ij / x_ik stays, but for the small factor that every value has of its own so that whole numbers do not come back."""
    y = masked("factor-noise", shared="factor", own=0.01)
    np.testing.assert_allclose(y[:, :1] / y[:, 1:], X[:, :1] / X[:, 1:], rtol=0.021)


@pytest.mark.parametrize("mode", ["proportional", "two-stage"])
def test_invariant_pram_keeps_expected_frequencies(mode):
    """P04: RᵗT = T for the matrix that receivers are told."""
    step = build(catalogue["microdata.pram"], {"columns": ["kind"], "alpha": 0.4, "mode": mode})
    after = apply_step(step, data(), public_stream("any", step.id))
    matrix = np.array(step.tells(data(), after)["treated"][0]["strata"][0]["matrix"])
    counts = np.array([np.count_nonzero(v == KINDS) for v in sorted(set(KINDS))], dtype=float)
    np.testing.assert_allclose(matrix.sum(axis=1), 1, rtol=1e-9)
    np.testing.assert_allclose(matrix.T @ counts, counts, rtol=1e-9)


@pytest.mark.parametrize(("id", "more"), [("rank-average", {"k": 5}), ("safe-average", {})])
def test_every_original_lies_between_neighbouring_means(id, more):
    """M05 and M12: order bounds."""
    y = masked(id, **more)
    for j in range(3):
        means = np.unique(y[:, j])
        for value, shown in zip(X[:, j], y[:, j], strict=True):
            at = int(np.searchsorted(means, shown))
            below = means[at - 1] if at else -np.inf
            above = means[at + 1] if at + 1 < len(means) else np.inf
            assert below <= value <= above


@pytest.mark.parametrize(
    ("id", "more"),
    [
        ("swap", {}),
        ("half-swap", {}),
        ("rank-swap", {"columns": {n: {"percent": 10} for n in NAMES}}),
        ("shuffle-rows", {"columns": ()}),
    ],
)
def test_exchanges_keep_the_multiset_of_every_column(id, more):
    """S01 to S03."""
    if id == "shuffle-rows":
        step = build(catalogue["microdata.shuffle-rows"], {})
        y = apply_step(step, data(), public_stream("any", step.id)).numbers(NAMES)
    else:
        y = masked(id, **more)
    assert np.array_equal(np.sort(y, axis=0), np.sort(X, axis=0))


def test_larger_groups_never_lose_less():
    """(2.2.6-5): splitting a group never worsens the loss, so the optimum of k = 3 is not above that of k = 6."""
    losses = []
    for k in (3, 6, 12):
        step = build(catalogue["microdata.rank-average"], {"columns": ["x"], "k": k, "sizes": "optimal"})
        after = apply_step(step, data(), public_stream("any", step.id))
        losses.append(SquaredError(columns=("x",)).measure(after, before=data()).value)
    assert losses == sorted(losses)
