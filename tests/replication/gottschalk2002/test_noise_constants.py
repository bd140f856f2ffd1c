"""Noise in Gottschalk (2002): Kim's constants, moments of U[0.5, 1.5], the shared factor (specification 1.2 and 6.1).

Tolerance: the digits given there.
"""

import numpy as np
import pytest

from tarnkappe.data.column import Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.kernels.moments import pearson
from tarnkappe.methods.microdata.correlated_noise import CorrelatedNoise
from tarnkappe.methods.microdata.factor_laws import UniformFactors
from tarnkappe.methods.microdata.factor_noise import FactorNoise
from tarnkappe.methods.microdata.noise import Noise
from tarnkappe.randomness import public_stream as stream
from tarnkappe.spec.step import apply_step


@pytest.mark.parametrize(
    ("kim", "n", "a"),
    [("asymptotic", 100, 0.9534625892), ("sample", 100, 0.9530251207), ("sample", 1000, 0.9534192096)],
)
def test_kims_constant(kim, n, a):
    step = CorrelatedNoise(columns=("x",), variance_ratio=0.1, kim=kim)
    assert float(step.constant(n)) == pytest.approx(a, abs=5e-11)


def test_moments_of_the_uniform_factor():
    """TV-G1 and 1.2: E(ε²) = 13/12, and what users of ratios and logarithms need."""
    told = UniformFactors(law="uniform").moments()
    expected = {
        "mean": 1, "variance": 1 / 12, "raw_moment_2": 13 / 12, "raw_moment_3": 1.25, "raw_moment_4": 1.5125,
        "mean_of_inverse": 1.0986122887, "mean_of_logarithm": -0.0452287476, "variance_of_logarithm": 0.0947882794,
    }  # fmt: skip
    assert told == pytest.approx(expected, abs=1e-9)


def test_shared_factor():
    """TV-G3: turnover and employees of a firm are multiplied alike, so turnover per head stays, to what every value has of its own."""
    data = Microdata(
        {
            "turnover": Column.numbers_of(np.array([1000.0])),
            "employees": Column.numbers_of(np.array([5000.0])),
        }
    )
    step = FactorNoise(columns=("turnover", "employees"), factors={"law": "uniform"}, shared="factor")
    turnover, employees = apply_step(step, data, stream("any")).numbers(("turnover", "employees"))[0]
    assert turnover / employees == pytest.approx(0.2, rel=0.043)
    assert 0.48 <= turnover / 1000 <= 1.54


@pytest.mark.parametrize(("masked", "r"), [(("a", "b"), 0.5), (("a",), 0.6 / np.sqrt(1.2))])
def test_correlation_shrinks(masked, r):
    """G-M15: α = 0.2, ρ = 0.6 gives 0.5 with both masked; five standard errors of a correlation of 200,000 records."""
    n = 200_000
    z = np.random.default_rng(1).normal(size=(n, 2))
    x = np.stack([z[:, 0], 0.6 * z[:, 0] + 0.8 * z[:, 1]], axis=1)
    data = Microdata({"a": Column.numbers_of(x[:, 0]), "b": Column.numbers_of(x[:, 1])})
    y = apply_step(Noise(columns=masked, variance_ratio=0.2), data, stream("any")).numbers(("a", "b"))
    assert pearson(y)[0, 1] == pytest.approx(r, abs=5 / np.sqrt(n))


def test_kim_keeps_correlations_with_its_own_and_tells_the_constant_for_others():
    """G-M16: Cov(y, w) = a·Cov(x, w) with a column that is not masked."""
    n = 200_000
    rng = np.random.default_rng(2)
    x = rng.normal(size=(n, 2))
    w = x[:, 0] + rng.normal(size=n)
    data = Microdata(
        {"a": Column.numbers_of(x[:, 0]), "b": Column.numbers_of(x[:, 1]), "w": Column.numbers_of(w)}
    )
    step = CorrelatedNoise(columns=("a", "b"), variance_ratio=0.5, kim="asymptotic")
    after = apply_step(step, data, stream("any"))
    y = after.numbers(("a",))[:, 0]
    a = step.tells(data, after)["kim_a"]
    assert np.cov(y, w)[0, 1] / np.cov(x[:, 0], w)[0, 1] == pytest.approx(a, abs=0.02)
