"""The best of many draws of controlled noise, where several are made of the same spreads."""

import numpy as np
import pytest

from reference import controlled as reference
from tarnkappe.data.strata import Strata
from tarnkappe.methods.microdata import directions
from tarnkappe.methods.microdata.controls import BestOf
from tarnkappe.methods.microdata.factor_laws import MixtureFactors


def undirected(n=4000, seed=1):
    """Two records of every unit, in two strata, with gaps."""
    rng = np.random.default_rng(seed)
    z = np.exp(1.5 * rng.normal(size=(n, 3)))
    z[rng.random(z.shape) < 0.1] = np.nan
    stratum = rng.integers(2, size=n)
    unit = rng.permutation(np.repeat(np.arange(n // 2), 2))
    return directions.Undirected(
        z, unit, n // 2, Strata(stratum, np.bincount(stratum)), MixtureFactors(f=0.1, s=0.02)
    )


@pytest.mark.parametrize(("runs", "parts"), [(8, 2), (3, 1), (9, 3)])
def test_the_best_draw_is_returned(runs, parts):
    """4000 records: four draws from the same spreads. What comes back has the objective that was least."""
    u = undirected()
    w, signs = directions.best_of(u, BestOf(by="best-of", runs=runs), np.random.default_rng(5))
    t, own = u.targets(0.5), np.random.default_rng(5).spawn(parts)
    numbers = [len(part) for part in np.array_split(np.arange(runs), parts)]
    costs = [directions._best_among(u, t, number, one)[0] for number, one in zip(numbers, own, strict=True)]
    y = reference.noisy(u.z, w, 0.1, u.unit, signs)
    assert reference.objective(u.z, y, u.strata.of, 0.5) == pytest.approx(min(costs), rel=1e-9)
    assert set(signs) == {-1.0, 1.0}


def test_the_best_of_draws_from_the_same_spreads():
    """Every draw spelled out and judged by the whole file: none is better than the one that is taken, and they do differ."""
    u = undirected(n=400)
    cost, best, draws = directions._best_among(u, u.targets(0.5), 12, np.random.default_rng(3))
    found = []
    for r in range(12):
        signs = np.empty(u.units)
        signs[u.unit] = directions.spelled(draws.ups, r)
        y = reference.noisy(u.z, directions.drawn(draws, r, u.strata.order), 0.1, u.unit, signs)
        found.append(reference.objective(u.z, y, u.strata.of, 0.5))
    assert (cost, best) == (pytest.approx(min(found), rel=1e-9), int(np.argmin(found)))
    assert max(found) > 1.5 * cost


def test_draws_from_the_same_spreads_are_draws():
    """Spread, mean and correlation of several draws: five standard errors of 12,000 numbers."""
    u = undirected()
    _, _, draws = directions._best_among(u, u.targets(0.5), 40, np.random.default_rng(2))
    all_w = [directions.drawn(draws, r, u.strata.order) for r in range(40)]
    noise = np.stack(
        [(directions.spelled(draws.ups, r)[:, None] * 0.1 + w).ravel() for r, w in enumerate(all_w)]
    )
    assert np.abs(noise.mean(axis=1)).max() < 5 * 0.1 / np.sqrt(2000), "two records of a unit go the same way"
    assert np.allclose([w.std() for w in all_w], 0.02, rtol=5 / np.sqrt(2 * 12_000))
    r = np.corrcoef(np.stack([w.ravel() for w in all_w]))
    assert np.abs(r - np.eye(40)).max() < 5 / np.sqrt(4000)
    assert np.abs(np.corrcoef(noise) - np.eye(40)).max() < 5 / np.sqrt(2000)
