"""Scatter and main axis of a cloud of points that a few wild points do not turn.

Sources: rousseeuw1999 (minimum covariance determinant by concentration steps, here from fixed starts, so that nothing is random);
croux2005 (principal axis by projection pursuit: the direction in which a robust spread is largest).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaincinv

Floats = NDArray[np.float64]

STEPS = 50
SMALL = 1e-10
"""Directions with less than this part of the largest variance count as flat."""
TINY = 1e-100
"""A column of which half lies nearer together than this part of its width has no spread: its squares would overflow."""
CUT = 0.975
"""Share of a normal cloud that lies near its core."""
CANDIDATES, SAMPLE, CORE = 250, 20_000, 100_000
"""Directions that are tried, records on which they are judged, and records of which the core is sought; at equal distances in the file."""


def main_axis(scatter: Floats) -> Floats:
    """Eigenvector of the largest eigenvalue; its largest entry is positive."""
    axis: Floats = np.linalg.eigh(scatter)[1][:, -1]
    return _signed(axis)


def covariance(x: Floats) -> Floats:
    """Covariance matrix with divisor n."""
    centred = x - x.mean(axis=0)
    out: Floats = centred.T @ centred / len(x)
    return out


def core_scatter(x: Floats) -> Floats:
    """Covariance of the core of the points: of the half with the least determinant, then of all that lie near it."""
    return core(x)[1]


def core(x: Floats) -> tuple[Floats, Floats]:
    """Centre and covariance of the core of the points."""
    x = _every(x, CORE)
    n, p = x.shape
    half = (n + p + 1) // 2
    if n <= 2 * p or half >= n:
        return x.mean(axis=0), covariance(x)
    best = min((_concentrated(x, start, half) for start in _starts(x, half)), key=_log_det)
    distance = _mahalanobis(x, *best)
    cut = (
        gammaincinv(p / 2, CUT) * np.median(distance) / gammaincinv(p / 2, 0.5)
    )  # quantiles of χ², twice each
    near = distance <= cut
    return (x[near].mean(axis=0), covariance(x[near])) if near.sum() > p else best


def whitening(scatter: Floats) -> Floats:
    """Matrix that makes the scatter the identity; flat directions get weight 0."""
    values, vectors = np.linalg.eigh(scatter)
    top = max(float(values[-1]), 0.0) if len(values) else 0.0
    kept = values > SMALL * top
    weight = np.where(kept, 1 / np.sqrt(np.where(kept, values, 1.0)), 0.0)
    out: Floats = vectors * weight
    return out


def _every(x: Floats, most: int) -> Floats:
    """At most so many rows, at equal distances."""
    return x if len(x) <= most else x[np.linspace(0, len(x) - 1, most).astype(np.int64)]


def _starts(x: Floats, half: int) -> list[NDArray[np.intp]]:
    """Halves to begin with: nearest to the median by columns, and after taking the length of all points away."""
    middle = np.median(x, axis=0)
    apart = np.abs(x - middle)
    spread = np.median(apart, axis=0)
    scaled = (x - middle) / np.where(spread > TINY * apart.max(axis=0), spread, 1.0)
    length = np.sqrt((scaled**2).sum(axis=1))
    signs = scaled / np.where(length > 0, length, 1.0)[:, None]
    turned = scaled @ np.linalg.eigh(covariance(signs))[1]
    wide = np.median(np.abs(turned - np.median(turned, axis=0)), axis=0)
    with np.errstate(over="ignore"):  # infinitely far
        by_sign = ((turned / np.where(wide > 0, wide, 1.0)) ** 2).sum(axis=1)
    return [np.argsort(d, kind="stable")[:half] for d in (length, by_sign)]


def _concentrated(x: Floats, rows: NDArray[np.intp], half: int) -> tuple[Floats, Floats]:
    """Take the half nearest to the centre of the half, until it stays."""
    last = np.inf
    for _ in range(STEPS):
        centre, scatter = x[rows].mean(axis=0), covariance(x[rows])
        now = _log_det((centre, scatter))
        if now >= last - 1e-12 or now == -np.inf:
            break
        last = now
        rows = np.argpartition(_mahalanobis(x, centre, scatter), half - 1)[:half]
    return centre, scatter


def _log_det(found: tuple[Floats, Floats]) -> float:
    with np.errstate(divide="ignore"):  # flat
        sign, log = np.linalg.slogdet(found[1])
    return float(log) if sign > 0 else -np.inf


def _mahalanobis(x: Floats, centre: Floats, scatter: Floats) -> Floats:
    with np.errstate(over="ignore"):  # infinitely far
        out: Floats = (((x - centre) @ whitening(scatter)) ** 2).sum(axis=1)
    return out


def pursuit_axis(x: Floats) -> Floats:
    """The direction in which the points spread most, by their median absolute deviation.

    Directions through points of the cloud are tried first, then the best one is turned towards every column in ever smaller steps.
    """
    centred = _every(x - np.median(x, axis=0), SAMPLE)
    tried = centred[:: max(1, len(centred) // CANDIDATES)]
    length = np.sqrt((tried**2).sum(axis=1))
    directions = [*np.eye(x.shape[1]), *(tried[length > 0] / length[length > 0, None])]
    best = max(directions, key=lambda a: _spread(centred @ a))
    for angle in np.pi / 4 / 2.0 ** np.arange(10):
        for j in range(x.shape[1]):
            turned = [best, *(_turned(best, j, a) for a in (-angle, angle))]
            best = max(turned, key=lambda a: _spread(centred @ a))
    return _signed(best)


def _spread(y: Floats) -> float:
    """Median absolute deviation; where half of the values agree, a hint of the standard deviation decides."""
    return float(np.median(np.abs(y - np.median(y))) + SMALL * y.std())


def _turned(axis: Floats, column: int, angle: float) -> Floats:
    out = np.cos(angle) * axis
    out[column] += np.sin(angle)
    length = np.sqrt((out**2).sum())
    return out / length if length > 0 else axis


def _signed(axis: Floats) -> Floats:
    out: Floats = axis * (1.0 if axis[np.argmax(np.abs(axis))] >= 0 else -1.0)
    return out
