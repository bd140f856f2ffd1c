"""Ways a file is protected, the model that is then estimated, and its true coefficients."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

import tarnkappe as tk
from correct.releasing import made, released
from tarnkappe.correct import model

C = tk.catalogue
BETA = {"constant": 1.0, "e": 2.0, "w": 3.0}
LOGS = {"constant": 1.0, "log(e)": 2.0, "log(w)": 3.0}


def firms(g, n):
    """Skewed, correlated regressors; y = 1 + 2 e + 3 w + u."""
    e = np.exp(g.normal(1, 0.5, n))
    w = 0.5 * e + g.normal(1, 1, n)
    return {"e": e, "w": w, "y": 1 + 2 * e + 3 * w + g.normal(0, 2, n)}


def logs(g, n):
    """The same in logarithms: ln y = 1 + 2 ln e + 3 ln w + u."""
    a = g.normal(0, 0.5, n)
    b = 0.5 * a + g.normal(0, 0.4, n)
    return {"e": np.exp(a), "w": np.exp(b), "y": np.exp(1 + 2 * a + 3 * b + g.normal(0, 0.5, n))}


def parabola(g, n):
    """y = 1 + 2 e + 3 e² + u."""
    e = g.normal(1, 1, n)
    return {"e": e, "y": 1 + 2 * e + 3 * e**2 + g.normal(0, 2, n)}


def waves(g, n):
    """Firms in four waves, alike from wave to wave; y = 1 + 2 e + 3 w + u, where u too is partly that of the firm."""
    firm = np.arange(n) // 4
    a, b, c = (g.normal(size=(3, n // 4 + 1)) * 0.8)[:, firm] + 0.6 * g.normal(size=(3, n))
    e = np.exp(1 + 0.5 * a)
    w = 0.5 * e + 1 + b
    return {"e": e, "w": w, "y": 1 + 2 * e + 3 * w + 2 * c, "firm": np.array([f"f{i}" for i in firm])}


def parabola_of_units(g, n):
    """The parabola, with four records a firm."""
    return {**parabola(g, n), "firm": np.array([f"f{i // 4}" for i in range(n)])}


def groups(g, n):
    """A category with effects 2 and 3, related to a number with effect 1."""
    a = g.choice(["a", "b", "c"], n, p=[0.5, 0.3, 0.2])
    x = g.normal(0, 1, n) + (a == "b")
    return {"k": a, "x": x, "y": 1 + 2 * (a == "b") + 3 * (a == "c") + x + g.normal(0, 1, n)}


def choices(g, n):
    """A binary outcome: logit = -1 + 1 x."""
    x = g.normal(0, 1, n)
    yes = g.random(n) < 1 / (1 + np.exp(1 - x))
    return {"x": x, "c": np.where(yes, "yes", "no")}


def positive_choices(g, n):
    """The same with a positive regressor: logit = -2 + 1 x."""
    x = np.exp(g.normal(0.5, 0.4, n))
    return {"x": x, "c": np.where(g.random(n) < 1 / (1 + np.exp(2 - x)), "yes", "no")}


def two_choices(g, n):
    """Two correlated regressors: logit = -1 + 1 x + 0.5 z."""
    x = g.normal(0, 1, n)
    z = 0.5 * x + g.normal(0, 1, n)
    return {"x": x, "z": z, "c": np.where(g.random(n) < 1 / (1 + np.exp(1 - x - 0.5 * z)), "yes", "no")}


def in_threes(g, n):
    """Firms in strata of three, or four."""
    return {**firms(g, n), "s": (np.arange(n) % (n // 3)).astype(str)}


def noise(**more):
    return C["microdata.noise"](columns=("e", "w"), variance_ratio=0.2, **more)


def factors(*columns, shared, law="uniform"):
    more = {"law": "uniform", "width": 0.4} if law == "uniform" else {"law": law}
    return C["microdata.factor-noise"](columns=columns, factors=more, shared=shared)


def alike(id="microdata.correlated-noise", **more):
    return C[id](columns=("e", "w"), variance_ratio=0.2, **more)


MATRIX = {"a": {"a": 0.8, "b": 0.1, "c": 0.1}, "b": {"a": 0.2, "b": 0.8}, "c": {"b": 0.3, "c": 0.7}}


@dataclass(frozen=True)
class Scenario:
    data: Callable
    steps: tuple
    formula: str
    truth: dict
    options: dict
    wide: bool
    """Directions that balance each other, and noise whose mean is exactly zero, leave less error than the factors would have by chance: intervals may cover too often."""

    def result(self, g, n, **options):
        release = released(made(**self.data(g, n)), *self.steps, secret=str(g.integers(1 << 62)))
        return model(release, self.formula, **{**self.options, **options})


def scenario(data, *steps, formula="y ~ e + w", truth=BETA, wide=False, **options):
    return Scenario(data, steps, formula, truth, options, wide)


GROUPS = {"constant": 1.0, "k[b]": 2.0, "k[c]": 3.0, "x": 1.0}
SCENARIOS = {
    "nothing": scenario(firms),
    "factors": scenario(firms, factors("e", "w", shared="nothing")),
    "shared factor": scenario(firms, factors("e", "w", shared="factor")),
    "shared factor, outcome too": scenario(firms, factors("e", "w", "y", shared="factor")),
    "shared sign": scenario(firms, factors("e", "w", "y", shared="sign", law="mixture")),
    "chosen directions": scenario(
        firms, C["microdata.controlled-noise"](columns=("e", "w", "y"), factors={"f": 0.25, "s": 0.07})
    ),
    "chosen directions, logarithms": scenario(
        logs, C["microdata.controlled-noise"](columns=("e", "w", "y"), factors={"f": 0.25, "s": 0.04}),
        formula="log(y) ~ log(e) + log(w)", truth=LOGS, wide=True,
    ),
    "additive": scenario(firms, noise()),
    "additive, uniform, outcome too": scenario(
        firms, C["microdata.noise"](columns=("e", "y"), variance_ratio=0.2, noise={"law": "uniform"})
    ),
    "correlated": scenario(firms, alike()),
    "additive, units": scenario(waves, C["microdata.noise"](columns=("e", "w"), variance_ratio=0.2, unit="firm", common=0.9)),
    "mixture, units": scenario(waves, alike("microdata.mixture-noise", unit="firm", common=0.8), wide=True),
    "Kim": scenario(firms, alike(kim="sample")),
    "mixture": scenario(firms, alike("microdata.mixture-noise")),
    "rounded": scenario(firms, C["microdata.round"](columns=("e", "w"), base=1.0)),
    "rounded, totals kept": scenario(
        in_threes, C["microdata.round"](columns=("e", "w"), base=1.0, totals="keep", within=("s",))
    ),
    "logarithms of factors": scenario(
        logs, factors("e", "w", "y", shared="factor"), formula="log(y) ~ log(e) + log(w)", truth=LOGS
    ),
    "noise on logarithms": scenario(
        logs,
        C["microdata.log-noise"](columns=("e", "w"), variance_ratio=0.2, unbiased=True),
        formula="log(y) ~ log(e) + log(w)",
        truth=LOGS,
    ),
    "square of factors": scenario(
        parabola, factors("e", shared="nothing", law="mixture"), formula="y ~ e + e**2",
        truth={"constant": 1.0, "e": 2.0, "e**2": 3.0},
    ),
    "PRAM, given": scenario(
        groups, C["microdata.pram"](columns=("k",), mode="given", matrix=MATRIX), formula="y ~ k + x", truth=GROUPS
    ),
    "PRAM, proportional": scenario(
        groups, C["microdata.pram"](columns=("k",), alpha=0.3), formula="y ~ k + x", truth=GROUPS
    ),
    "PRAM, outcome": scenario(
        choices, C["microdata.pram"](columns=("c",), alpha=0.3), formula="c ~ x", truth={"constant": -1.0, "x": 1.0}
    ),
    "top coded": scenario(firms, C["microdata.top-bottom-code"](columns=("y",), upper=22.0)),
    "top coded regressor": scenario(firms, C["microdata.top-bottom-code"](columns=("e",), upper=4.0)),
    "classes": scenario(firms, C["microdata.band"](columns=("y",), into={"cuts": [5, 10, 15, 20, 25]})),
    "midpoints": scenario(firms, C["microdata.band"](columns=("e",), into={"width": 1.0}, show="midpoint")),
}  # fmt: skip
"""Corrections that hold as the number of records grows."""
APPROXIMATE = {
    "SIMEX, square of noise": scenario(
        parabola, C["microdata.noise"](columns=("e",), variance_ratio=0.05), formula="y ~ e + e**2",
        truth={"constant": 1.0, "e": 2.0, "e**2": 3.0},
    ),
    "SIMEX, logit": scenario(
        choices, C["microdata.noise"](columns=("x",), variance_ratio=0.1), formula="c ~ x",
        truth={"constant": -1.0, "x": 1.0},
    ),
    "SIMEX, top coded": scenario(
        firms, C["microdata.top-bottom-code"](columns=("y",), upper=22.0),
        C["microdata.noise"](columns=("e", "w"), variance_ratio=0.05),
    ),
    "SIMEX, factors and limits": scenario(
        firms, C["microdata.top-bottom-code"](columns=("y",), upper=22.0), factors("e", "w", shared="factor", law="mixture"),
    ),
    "SIMEX, logit of factors": scenario(
        positive_choices, factors("x", shared="nothing"), formula="c ~ x", truth={"constant": -2.0, "x": 1.0},
    ),
    "SIMEX, logit, correlated": scenario(
        two_choices, C["microdata.correlated-noise"](columns=("x", "z"), variance_ratio=0.1), formula="c ~ x + z",
        truth={"constant": -1.0, "x": 1.0, "z": 0.5},
    ),
    "SIMEX, numbers with noise on logarithms": scenario(
        firms, C["microdata.log-noise"](columns=("e",), variance_ratio=0.1, unbiased=True), formula="y ~ e + w",
    ),
    "SIMEX, square, units": scenario(
        parabola_of_units, C["microdata.noise"](columns=("e",), variance_ratio=0.05, unit="firm", common=0.9), formula="y ~ e + e**2",
        truth={"constant": 1.0, "e": 2.0, "e**2": 3.0},
    ),
    "SIMEX, square after Kim": scenario(
        parabola, C["microdata.correlated-noise"](columns=("e",), variance_ratio=0.05, kim="sample"), formula="y ~ e + e**2",
        truth={"constant": 1.0, "e": 2.0, "e**2": 3.0},
    ),
}  # fmt: skip
"""Corrections by simulation and extrapolation."""
