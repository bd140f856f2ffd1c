"""Outcomes at limits and in classes, against likelihoods written out and maximised by others."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import approx_fprime, minimize
from scipy.stats import norm

import tarnkappe as tk
from correct.releasing import made, released
from correct.scenarios import firms
from tarnkappe.correct import model
from tarnkappe.data.intervals import Cuts, limits_of
from tarnkappe.errors.correct import NotConverged, TooFewRecords
from tarnkappe.kernels.interval_likelihood import interval_fit

C = tk.catalogue


def log_likelihood(theta, x, low, high):
    """Written out with scipy: densities where exact, probabilities where not."""
    s, m = np.exp(theta[-1]), x @ theta[:-1]
    exact = low == high
    part = norm.logpdf(np.where(exact, low, 0.0), m, s)
    between = np.log(np.maximum(norm.cdf((high - m) / s) - norm.cdf((low - m) / s), 1e-300))
    return np.where(exact, part, between).sum()


@pytest.mark.parametrize("kind", ["upper", "both", "classes"])
def test_maximum_is_that_of_scipy(kind):
    g = np.random.default_rng(4)
    n = 400
    x = np.column_stack([np.ones(n), g.normal(10, 2, n)])
    y = 3 + 0.5 * x[:, 1] + g.normal(0, 1, n)
    low, high = y.copy(), y.copy()
    if kind != "classes":
        low, high = np.where(y > 9, 9, y), np.where(y > 9, np.inf, y)
    if kind == "both":
        low, high = np.where(y < 7, -np.inf, low), np.where(y < 7, 7, high)
    if kind == "classes":
        edges = np.array([-np.inf, 6, 7, 8, 9, np.inf])
        at = np.digitize(y, edges[1:-1])
        low, high = edges[at], edges[at + 1]
    found = interval_fit(x, low, high, np.ones(n))
    assert found.converged
    other = minimize(
        lambda t: -log_likelihood(t, x, low, high), [3, 0.5, 0.0], method="Nelder-Mead",
        options={"xatol": 1e-9, "fatol": 1e-10, "maxiter": 5000},
    )  # fmt: skip
    assert found.values == pytest.approx([*other.x[:2], np.exp(other.x[2])], abs=1e-4)

    def gradient(t):
        return approx_fprime(t, lambda u: log_likelihood(np.append(u[:2], np.log(u[2])), x, low, high), 1e-6)

    hessian = np.array(
        [(gradient(found.values + h) - gradient(found.values - h)) / 2e-4 for h in 1e-4 * np.eye(3)]
    )
    np.testing.assert_allclose(np.linalg.inv(-hessian), found.inverse, rtol=0.05, atol=1e-6)


def test_all_exact_is_least_squares():
    g = np.random.default_rng(4)
    x = np.column_stack([np.ones(50), g.normal(1e5, 1e3, 50)])
    y = x @ [5.0, 1e-3] + g.normal(0, 1, 50)
    found = interval_fit(x, y, y, np.ones(50))
    beta = np.linalg.lstsq(x, y, rcond=None)[0]
    assert found.values[:2] == pytest.approx(beta, rel=1e-6)
    assert found.values[2] == pytest.approx(np.sqrt(((y - x @ beta) ** 2).mean()), rel=1e-6)


def test_values_far_out_keep_their_digits():
    """A limit forty standard deviations away has a probability that is no float, but a logarithm."""
    x = np.ones((40, 1))
    y = np.linspace(-1, 1, 40)
    low, high = np.append(y[1:], 40.0), np.append(y[1:], np.inf)
    found = interval_fit(x, low, high, np.ones(40))
    assert np.isfinite(found.values).all()


@given(
    st.lists(st.integers(-1000, 1000), min_size=1, max_size=5, unique=True),
    st.lists(st.integers(-2000, 2000), min_size=1, max_size=20),
    st.booleans(),
)
def test_limits_of_classes_are_read_from_their_codes(points, values, whole):
    points = tuple(float(p) / (1 if whole else 8) for p in sorted(points))
    x = np.array(values) if whole else np.array(values, dtype=np.float64) / 7
    (classes,) = Cuts((points,)).classes(x)
    for code, (low, high) in zip(classes.codes(), classes.limits, strict=True):
        assert limits_of(code) == (float(low), float(high))


@pytest.mark.parametrize("code", ["", "abc", "18-", "<", "1-2-3", "18 - 35", "nan"])
def test_other_codes_are_no_classes(code):
    assert limits_of(code) is None


def big(n=3000):
    return firms(np.random.default_rng(2), n)


@pytest.mark.parametrize("show", ["class", "midpoint", "mean"])
def test_classes_however_they_are_shown(show):
    into = {"width": 4.0} if show == "midpoint" else {"cuts": [6, 10, 14, 18, 22, 26, 30]}
    release = released(made(**big()), C["microdata.band"](columns=("y",), into=into, show=show))
    found = model(release, "y ~ e + w")
    for name, true in {"constant": 1, "e": 2, "w": 3}.items():
        assert abs(found[name].estimate - true) < 5 * found[name].error
    assert found["e"].naive is None
    assert found.spread == pytest.approx(2, rel=0.1)


def test_mean_of_a_top_coded_column():
    """A model with a constant alone gives mean and spread."""
    y = np.random.default_rng(3).normal(10, 3, 4000)
    found = model(
        released(made(y=y), C["microdata.top-bottom-code"](columns=("y",), upper=12.0, lower=6.0)), "y ~ 1"
    )
    assert abs(found["constant"].estimate - 10) < 4 * found["constant"].error
    assert found.spread == pytest.approx(3, rel=0.06)


def test_logarithm_of_a_top_coded_column():
    g = np.random.default_rng(3)
    x = g.normal(0, 1, 4000)
    y = np.exp(1 + 0.5 * x + g.normal(0, 0.5, 4000))
    found = model(
        released(made(x=x, y=y), C["microdata.top-bottom-code"](columns=("y",), upper=4.0)), "log(y) ~ x"
    )
    assert abs(found["x"].estimate - 0.5) < 4 * found["x"].error


def test_a_regressor_at_its_limit_is_left_out():
    data = big()
    release = released(made(**data), C["microdata.top-bottom-code"](columns=("e",), upper=4.0))
    found = model(release, "y ~ e + w")
    assert found.left_out == np.count_nonzero(data["e"] > 4)


def test_nothing_varies():
    y = np.full(100, 3.0)
    with pytest.raises((NotConverged, TooFewRecords)):
        model(released(made(y=y), C["microdata.band"](columns=("y",), into={"cuts": [1, 10]})), "y ~ 1")


def test_separated_outcomes():
    x = np.arange(100.0)
    with pytest.raises(NotConverged):
        model(released(made(x=x, y=(x > 50).astype(float))), "y ~ x", family="logit")
