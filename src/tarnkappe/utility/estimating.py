"""Estimates of a model on one file: coefficients, intervals and how much is explained."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.special import ndtri, stdtrit

from tarnkappe.data.column import Floats, Ints
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.quantities import LEAST
from tarnkappe.data.units import units_of
from tarnkappe.kernels.corrected_moments import sandwich
from tarnkappe.kernels.glm import Block, Family, Fit, deviance, fit, mean
from tarnkappe.kernels.panel_effects import first_differences, within
from tarnkappe.kernels.standard import power_scale
from tarnkappe.language import Text
from tarnkappe.utility.model_matrix import CONSTANT, FEW, Design

Effects = Literal["none", "within", "differences"]
_DEPENDENT = Text("the regressors depend on each other", "die Regressoren hängen voneinander ab")
_NO_MAXIMUM = Text(
    "the likelihood has no maximum: the regressors separate the outcomes",
    "die Likelihood hat kein Maximum: Die Regressoren trennen die Ergebnisse",
)
_NO_PANEL = Text(
    "too few units have two records or more", "zu wenige Einheiten haben mindestens zwei Datensätze"
)


@dataclass(frozen=True, slots=True)
class Setting:
    """How a model is estimated."""

    family: Family
    effects: Effects
    unit: tuple[str, ...]
    period: str | None
    confidence: float


@dataclass(frozen=True, slots=True)
class Estimates:
    """What a model says about one file."""

    names: tuple[str, ...]
    beta: Floats
    low: Floats
    high: Floats
    explained: float
    records: int
    rare: frozenset[str]


@dataclass(frozen=True, slots=True)
class _Problem:
    """The matrix that is estimated, after a panel estimator has taken out its part."""

    x: Floats
    y: Floats
    w: Floats
    clusters: Ints | None
    freedom: float


def estimated(found: Design, data: Microdata, w: Floats | None, setting: Setting) -> Estimates | Text:
    """Estimate, or say why it is not possible."""
    if setting.effects != "none" and CONSTANT in found.names:
        found = found.but(CONSTANT)
    problem = _problem(found, data, w, setting)
    if isinstance(problem, Text):
        return problem
    x_scale, y_scale = power_scale(problem.x), _outcome_scale(problem, setting.family)
    x, y = problem.x / x_scale, problem.y / y_scale

    def blocks() -> list[Block]:
        return [Block(x, y, problem.w)]

    model = fit(blocks, setting.family)
    if model.rank < x.shape[1]:
        return _DEPENDENT
    if not model.converged or (setting.family != "gaussian" and np.abs(x @ model.beta).max(initial=0.0) > 25):
        return _NO_MAXIMUM
    error = np.sqrt(np.maximum(np.diag(_covariance(model, x, y, problem, setting.family)), 0.0))
    half = error * _quantile(setting, problem.freedom)
    with np.errstate(over="ignore", under="ignore"):
        beta, half = model.beta * y_scale / x_scale, half * y_scale / x_scale
    explained = _explained(model, y, problem.w, setting.family)
    return Estimates(found.names, beta, beta - half, beta + half, explained, len(y), found.rare)


def _problem(found: Design, data: Microdata, w: Floats | None, setting: Setting) -> _Problem | Text:
    weight = np.ones(len(found.y)) if w is None else w[found.rows]
    if setting.effects == "none":
        used = weight > 0
        freedom = float(used.sum() - len(found.names))
        robust = None if w is None else np.arange(int(used.sum()), dtype=np.int64)
        if freedom < LEAST:
            return FEW
        return _Problem(found.x[used], found.y[used], weight[used], robust, freedom)
    units = units_of(data, setting.unit)[0][found.rows]
    units = np.unique(units, return_inverse=True)[1].ravel().astype(np.int64)
    both = np.column_stack([found.x, found.y])
    if setting.effects == "within":
        several = np.bincount(units)[units] > 1
        units = np.unique(units[several], return_inverse=True)[1].ravel().astype(np.int64)
        both = within(both[several], units) if several.any() else both[:0]
    else:
        both, units = first_differences(both, units, _periods(data, setting.period)[found.rows])
        units = np.unique(units, return_inverse=True)[1].ravel().astype(np.int64)
    count = int(units.max(initial=-1)) + 1
    if count < LEAST or len(both) < len(found.names) + LEAST:
        return _NO_PANEL
    return _Problem(both[:, :-1], both[:, -1], np.ones(len(both)), units, count - 1.0)


def _periods(data: Microdata, name: str | None) -> Floats:
    """Periods in their order."""
    column = data.column(name or "")
    codes, _ = column.codes()
    return np.where(codes < 0, np.nan, codes.astype(np.float64))


def _outcome_scale(problem: _Problem, family: Family) -> float:
    return float(power_scale(problem.y[:, None])[0]) if family == "gaussian" else 1.0


def _covariance(model: Fit, x: Floats, y: Floats, problem: _Problem, family: Family) -> Floats:
    """From the model; robust (HC1) with weights, robust against correlation within units for panels."""
    if problem.clusters is None:
        spread = model.deviance / problem.freedom if family == "gaussian" else 1.0
        return model.inverse * spread
    left = problem.w * (y - mean(family, x @ model.beta))
    singles = int(problem.clusters.max()) + 1 == len(y)
    return sandwich(model.inverse, x * left[:, None], None if singles else problem.clusters, len(y))


def _quantile(setting: Setting, freedom: float) -> float:
    upper = 0.5 + setting.confidence / 2
    normal = setting.family != "gaussian"
    return float(ndtri(upper)) if normal else float(stdtrit(freedom, upper))


def _explained(model: Fit, y: Floats, w: Floats, family: Family) -> float:
    """Share of the deviance that the model explains beyond the mean: R², for other families McFadden's."""
    middle = np.full(len(y), float(w @ y / w.sum()))
    whole = deviance(family, y, middle, w)
    return 1 - model.deviance / whole if whole > 0 else float("nan")
