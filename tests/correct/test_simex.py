"""Simulation and extrapolation: what its curve gives in theory, a second implementation, and all kinds of error and model.

Both implementations draw their own noise: they may differ by four standard errors of the draws of the other (ours are in pairs and vary less).
"""

import numpy as np
import pytest

from correct.releasing import made, released
from correct.scenarios import APPROXIMATE, C, parabola, scenario
from reference.simex import simex
from tarnkappe.correct import model
from tarnkappe.correct.design import design_of
from tarnkappe.correct.linear import plain_least_squares
from tarnkappe.correct.simex import simulated
from tarnkappe.correct.source import Source
from tarnkappe.data.formula import parse_formula
from tarnkappe.errors.correct import NoCorrection, OptionWrong

N = 1500


def release_of(name, n=N, seed=1):
    one = APPROXIMATE[name]
    g = np.random.default_rng(seed)
    return released(made(**one.data(g, n)), *one.steps, secret="simex"), one.formula


def compare(name, fit, disturb, draws=120):
    """Ours against theirs for one release; the difference must be small beside what the correction changes."""
    release, formula = release_of(name)
    found = model(release, formula)
    ours, plain = (np.array([getattr(f, what) for f in found.figures]) for what in ("estimate", "naive"))
    theirs, chance = simex(lambda x: fit(release, x), lambda a, g: disturb(release, a, g), draws)
    assert np.all(np.abs(ours - theirs) < 4 * chance)
    assert 4 * chance[1] < np.abs(ours - plain)[1]


def numbers(release, *names):
    return release.data.numbers(names)


def logit(release, x):
    """Newton's method, as in the books."""
    yes = (release.data.column("c").texts() == "yes").astype(float)
    x = np.column_stack([np.ones(len(x)), x])
    beta = np.zeros(x.shape[1])
    for _ in range(7):
        p = 1 / (1 + np.exp(-x @ beta))
        beta += np.linalg.solve((x * (p * (1 - p))[:, None]).T @ x, x.T @ (yes - p))
    return beta


def test_the_curve_through_the_true_one():
    """In the linear model β(λ) = β/(1 + (1 + λ) d): a polynomial of third degree misses it by a known amount, and so must we."""
    g = np.random.default_rng(2)
    n, d = 8_000, 0.5
    x = g.normal(0, 1, n)
    release = released(
        made(x=x, y=2 * x + g.normal(0, 0.1, n)), C["microdata.noise"](columns=("x",), variance_ratio=d)
    )
    formula = parse_formula("y ~ x")
    source = Source.of(release, formula.columns)

    def fit(disturbed):
        return plain_least_squares(design_of(formula, disturbed))

    found = simulated(source, (source.stories["x"].error,), fit, np.random.default_rng(1))
    at = np.array([0, 0.5, 1, 1.5, 2])
    expected = np.polyval(np.polyfit(at, 2 / (1 + (1 + at) * d), 3), -1)
    assert 1.8 < expected < 1.95  # it does not take all of the bias away
    assert found.values[1] == pytest.approx(expected, abs=0.04)


def test_logit():
    def disturb(release, amount, g):
        x = numbers(release, "x")
        return x + np.sqrt(amount * 0.1 / 1.1) * x.std() * g.standard_normal(x.shape)

    compare("SIMEX, logit", logit, disturb)


def test_logit_with_correlated_noise():
    def disturb(release, amount, g):
        x = numbers(release, "x", "z")
        return x + g.multivariate_normal([0, 0], amount * 0.1 / 1.1 * np.cov(x.T), len(x))

    compare("SIMEX, logit, correlated", logit, disturb)


def test_logit_of_factors():
    """Factors of mean 1: more of them have the same moments on the log scale."""
    step = APPROXIMATE["SIMEX, logit of factors"].steps[0]
    many = np.log(1 + np.random.default_rng(3).uniform(-0.4, 0.4, 200_000))
    assert step.factors.width == 0.4

    def disturb(release, amount, g):
        x = numbers(release, "x")
        return x * np.exp(amount * many.mean() + np.sqrt(amount) * many.std() * g.standard_normal(x.shape))

    compare("SIMEX, logit of factors", logit, disturb)


def test_square_of_noise():
    def fit(release, x):
        return np.linalg.lstsq(
            np.column_stack([np.ones(len(x)), x, x**2]), numbers(release, "y")[:, 0], rcond=None
        )[0]

    def disturb(release, amount, g):
        x = numbers(release, "e")[:, 0]
        return x + np.sqrt(amount * 0.05 / 1.05) * x.std() * g.standard_normal(x.shape)

    compare("SIMEX, square of noise", fit, disturb, 1200)


def test_numbers_with_noise_on_logarithms():
    def fit(release, x):
        return np.linalg.lstsq(
            np.column_stack([np.ones(len(x)), x, numbers(release, "w")]),
            numbers(release, "y")[:, 0],
            rcond=None,
        )[0]

    def disturb(release, amount, g):
        z = np.log(numbers(release, "e")[:, 0])
        variance = amount * 0.1 / 1.1 * z.var()
        return np.exp(z + np.sqrt(variance) * g.standard_normal(z.shape) - variance / 2)

    compare("SIMEX, numbers with noise on logarithms", fit, disturb, 300)


@pytest.mark.parametrize("name", APPROXIMATE)
def test_most_of_the_bias_is_gone(name):
    """Two thirds of the bias of every coefficient, or all but 3.5 standard errors."""
    found = APPROXIMATE[name].result(np.random.default_rng(4), 1_000)
    for coefficient, true in APPROXIMATE[name].truth.items():
        figure = found[coefficient]
        assert abs(figure.estimate - true) < max(abs(figure.naive - true) / 3, 3.5 * figure.error), (
            coefficient
        )
    assert "SIMEX" in " ".join(line.en for line in found.corrected)


def test_more_noise_than_data():
    """Standard errors that the parabola carries below 0 are refused, not shown."""
    one = scenario(
        parabola, C["microdata.noise"](columns=("e",), variance_ratio=1.0), formula="y ~ e + e**2", truth={}
    )
    found = one.result(np.random.default_rng(1), 300)
    assert all(f.error > 0 for f in found.figures)


def test_refusals():
    release, formula = release_of("SIMEX, logit", 200)
    with pytest.raises(OptionWrong):
        model(release, formula, bootstrap=100)
    g = np.random.default_rng(1)
    x = np.exp(g.normal(0, 1, 200))
    data = made(x=x, y=np.log(x) + g.normal(0, 1, 200))
    masked = released(data, C["microdata.noise"](columns=("x",), variance_ratio=0.001))
    positive = masked.data.column("x").numbers().min() > 0
    with pytest.raises(NoCorrection if positive else Exception):
        model(masked, "y ~ log(x)")


def test_the_seed_repeats():
    release, formula = release_of("SIMEX, square of noise", 100)
    one, two, other = (model(release, formula, seed=s)["e"].estimate for s in (1, 1, 2))
    assert one == two != other
