"""Normal regression of an outcome known only up to an interval: Tobit and regression on classes.

log L = Σ ln φ over exact outcomes + Σ ln [Φ(upper) - Φ(lower)] over the others (gottschalk2002, specification G-C02, G-C03). With
γ = β/σ and h = 1/σ it is concave (olsen1978), so Newton steps from anywhere end at the one maximum, if there is one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_ndtr

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

ROUNDS = 200
_LOG_ROOT = 0.5 * np.log(2 * np.pi)


@dataclass(frozen=True)
class Fit:
    """Estimates with what their variance is made of; the last parameter is σ where there is one."""

    values: Floats
    scores: Floats
    """What every record adds to the gradient at the estimates."""
    inverse: Floats
    """Inverse of the negative second derivatives."""
    converged: bool


@dataclass(frozen=True)
class _Step:
    value: float
    scores: Floats
    hessian: Floats


def interval_fit(x: Floats, low: Floats, high: Floats, weight: Floats) -> Fit:
    """β and σ for outcomes in [low, high]; exact where both agree, open where infinite."""
    unit, size = _scale(low, high), np.sqrt((x**2).mean(axis=0))
    size = np.where(size > 0, size, 1.0)
    z, lo, hi = x / size, low / unit, high / unit
    point = _start(z, lo, hi, weight)
    found, last, done = _climb(point, z, lo, hi, weight)
    return _in_words(found, last, size, unit, converged=done)


def _scale(low: Floats, high: Floats) -> float:
    known = np.concatenate([low[np.isfinite(low)], high[np.isfinite(high)]])
    spread = float(known.std()) if len(known) else 0.0
    return spread or float(np.abs(known).max(initial=0.0)) or 1.0


def _start(x: Floats, low: Floats, high: Floats, weight: Floats) -> Floats:
    """Least squares on what is known of the outcome; of one that is open at both ends nothing is."""
    below, above = np.isfinite(low), np.isfinite(high)
    near = np.where(below, low, np.where(above, high, 0.0))
    middle = (near + np.where(above, high, near)) / 2
    weight = np.where(below | above, weight, 0.0)
    root = np.sqrt(weight)
    beta = np.linalg.lstsq(x * root[:, None], middle * root, rcond=None)[0]
    spread = float(np.sqrt((weight @ (middle - x @ beta) ** 2) / (weight.sum() or 1.0))) or 1.0
    return np.append(beta / spread, 1 / spread)


def _climb(point: Floats, x: Floats, low: Floats, high: Floats, weight: Floats) -> tuple[Floats, _Step, bool]:
    """Newton steps, halved until the likelihood grows and h stays positive."""
    here = _step(point, x, low, high, weight)
    for _ in range(ROUNDS):
        try:
            move = np.linalg.solve(-here.hessian, here.scores.sum(axis=0))
        except np.linalg.LinAlgError:
            return point, here, False
        gain = float(here.scores.sum(axis=0) @ move)
        if not np.isfinite(gain) or gain < 0:
            return point, here, False
        if gain < 1e-12 * max(1.0, abs(here.value) * 1e-6):
            return point, here, True
        for _ in range(60):
            new = point + move
            if new[-1] > 0:
                there = _step(new, x, low, high, weight)
                if np.isfinite(there.value) and there.value >= here.value - 1e-12 * abs(here.value):
                    break
            move = move / 2
        else:
            return point, here, False
        point, here = new, there
    return point, here, False


def _step(point: Floats, x: Floats, low: Floats, high: Floats, weight: Floats) -> _Step:
    """Likelihood, gradients of the records and second derivatives in (γ, h)."""
    h, q = float(point[-1]), x @ point[:-1]
    exact = low == high
    value = np.empty(len(x))
    by_q, by_h, qq, qh, hh = (np.empty(len(x)) for _ in range(5))
    e = np.where(exact, low, 0.0) * h - q
    value[exact] = (np.log(h) - e**2 / 2 - _LOG_ROOT)[exact]
    y = np.where(exact, low, 0.0)
    by_q[exact], by_h[exact] = e[exact], (1 / h - e * y)[exact]
    qq[exact], qh[exact], hh[exact] = -1.0, y[exact], (-1 / h**2 - y**2)[exact]
    rest = ~exact
    if rest.any():
        parts = _between(low[rest], high[rest], h, q[rest])
        value[rest], by_q[rest], by_h[rest], qq[rest], qh[rest], hh[rest] = parts
    scores = np.column_stack([x * by_q[:, None], by_h]) * weight[:, None]
    xx = (x * (qq * weight)[:, None]).T @ x
    xh = x.T @ (qh * weight)
    hessian = np.block([[xx, xh[:, None]], [xh[None, :], np.array([[hh @ weight]])]])
    return _Step(float(weight @ value), scores, hessian)


def _between(low: Floats, high: Floats, h: float, q: Floats) -> tuple[Floats, ...]:
    """The value ln [Φ(b) - Φ(a)] with a = h·low - q, b = h·high - q, and its derivatives."""
    l, u = np.where(np.isinf(low), 0.0, low), np.where(np.isinf(high), 0.0, high)  # noqa: E741
    a, b = np.where(np.isinf(low), -np.inf, h * l - q), np.where(np.isinf(high), np.inf, h * u - q)
    value = _log_difference(a, b)
    ra, rb = _ratio(a, value), _ratio(b, value)
    faa = np.where(np.isinf(a), 0.0, np.where(np.isinf(a), 0.0, a) * ra - ra**2)
    fbb = np.where(np.isinf(b), 0.0, -np.where(np.isinf(b), 0.0, b) * rb - rb**2)
    fab = ra * rb
    by_q, by_h = ra - rb, u * rb - l * ra
    qq = faa + 2 * fab + fbb
    qh = -(l * faa + (l + u) * fab + u * fbb)
    hh = l**2 * faa + 2 * l * u * fab + u**2 * fbb
    return value, by_q, by_h, qq, qh, hh


def _log_difference(a: Floats, b: Floats) -> Floats:
    """The value ln [Φ(b) - Φ(a)], taken in the lower tail, where the difference keeps its digits."""
    flip = a > 0
    lo, hi = np.where(flip, -b, a), np.where(flip, -a, b)
    top, bottom = log_ndtr(hi), log_ndtr(lo)
    with np.errstate(divide="ignore", invalid="ignore"):
        out: Floats = top + np.log(-np.expm1(np.minimum(bottom - top, -1e-300)))
    return out


def _ratio(at: Floats, log_difference: Floats) -> Floats:
    """φ(at) over the difference; 0 at infinity."""
    finite = np.where(np.isinf(at), 0.0, at)
    out: Floats = np.where(np.isinf(at), 0.0, np.exp(-(finite**2) / 2 - _LOG_ROOT - log_difference))
    return out


def _in_words(point: Floats, last: _Step, size: Floats, unit: float, *, converged: bool) -> Fit:
    """From (γ, h) of scaled columns to (β, σ): β = γ/h, σ = 1/h."""
    h = float(point[-1])
    beta, sigma = point[:-1] / h, 1 / h
    k = len(beta)
    jacobian = np.zeros((k + 1, k + 1))
    jacobian[:k, :k] = np.eye(k) / h
    jacobian[:k, k] = -beta / h
    jacobian[k, k] = -1 / h**2
    jacobian = np.append(unit / size, unit)[:, None] * jacobian
    values = np.append(beta * unit / size, sigma * unit)
    back = np.linalg.inv(jacobian)
    inverse = jacobian @ np.linalg.pinv(-last.hessian) @ jacobian.T
    return Fit(values, last.scores @ back, inverse, converged)
