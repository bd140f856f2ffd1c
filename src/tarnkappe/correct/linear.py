"""Least squares from corrected moments."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from tarnkappe.correct.design import Design
from tarnkappe.data.column import Floats, Ints
from tarnkappe.errors.correct import Collinear, NotPositiveDefinite
from tarnkappe.kernels.corrected_moments import (
    SMALLEST,
    Rules,
    contributions,
    of_changes,
    of_proportion,
    sandwich,
    second_moments,
    smallest_eigenvalue,
    solved,
)
from tarnkappe.kernels.left_out import changes, few_enough, pieces, summed
from tarnkappe.language import listed

NEAR = 1e-5
"""Above this no regressor is near the others; below it products lose digits, and a decomposition of the columns decides."""
DEPENDENT = 1e-11
"""Regressors whose scaled moments have an eigenvalue below this depend on each other."""


@dataclass(frozen=True)
class Estimate:
    """Coefficients with their covariances."""

    names: tuple[str, ...]
    values: Floats
    covariance: Floats
    freedom: float = np.inf
    """Degrees of freedom of the intervals."""
    r2: float | None = None
    """In moment form: it is no share where the noise is large, and may then leave 0 … 1 (gottschalk2002, specification G-C01)."""
    spread: float | None = None
    """Standard deviation of the errors of the model, where it was estimated with the coefficients."""
    printed: Floats | None = None
    """Variances as gottschalk2002 computes them; they are no sampling variances."""
    left_out: Callable[[], Floats] | None = None
    """The covariances from leaving records out one by one."""
    influence: Callable[[], Floats] | None = None
    """What every record contributes to the coefficients, in large files: the sum of squares of this is their covariance."""
    again: Callable[[Floats], Floats] | None = None
    """The coefficients with records counted so many times."""

    @property
    def errors(self) -> Floats:
        return np.sqrt(np.maximum(np.diag(self.covariance), 0.0))


def least_squares(design: Design, z: Floats, rules: Rules, clusters: Ints | None = None) -> Estimate:
    """Solve the corrected normal equations; refuse where they have no safe solution."""
    shift = _shift(design, z, rules)
    moved = z - shift
    moments = second_moments(moved, design.weight, rules)
    smallest = smallest_eigenvalue(moments[:-1, :-1])
    if smallest <= SMALLEST:
        raise NotPositiveDefinite(count=len(design.names), smallest=f"{smallest:.2g}", records=design.records)
    beta, inverse = solved(moments)
    back = _back(shift, len(beta))
    values = back @ beta
    values[0] += shift[-1]
    residuals = design.weight @ (moved[:, -1] - moved[:, :-1] @ beta) ** 2
    spread = residuals / max(design.records - len(beta), 1)
    units = int(clusters.max()) + 1 if clusters is not None else design.records

    def covariance(*, careful: bool) -> Floats:
        found: Floats = back @ _covariance(design, moved, rules, beta, clusters, careful=careful) @ back.T
        return found

    return Estimate(
        design.names,
        values,
        covariance(careful=not rules.leave_regressors),
        freedom=max(units - (1 if clusters is not None else len(beta)), 1),
        r2=_r2(moments, beta, has_constant=design.has_constant),
        printed=back @ (spread * inverse) @ back.T,
        left_out=lambda: covariance(careful=True),
        influence=lambda: _scores(design, moved, rules, beta) @ inverse @ back.T,
        again=lambda times: _again(design, moved, rules, shift, times),
    )


def _covariance(
    design: Design, z: Floats, rules: Rules, beta: Floats, clusters: Ints | None, *, careful: bool
) -> Floats:
    """HC1, or the covariances from leaving out every record, to which HC1 tends in large files."""
    theta, scores = np.append(beta, -1.0), _scores(design, z, rules, beta)
    less = of_proportion(rules, theta)[:-1, :-1] if rules.shrinks else None
    _, inverse = solved(second_moments(z, design.weight, rules))
    if not careful or not few_enough(*z.shape):
        return sandwich(inverse, scores, clusters, design.records, less)
    matrices = summed(pieces(z, design.weight, rules)[:, :-1, :-1], clusters)
    units = len(matrices) if clusters is not None else design.records
    out: Floats = of_changes(changes(matrices, summed(scores, clusters), inverse), inverse, less)
    return (units - 1) / units * out


def _scores(design: Design, z: Floats, rules: Rules, beta: Floats) -> Floats:
    out: Floats = -contributions(z, design.weight, rules, np.append(beta, -1.0))[:, :-1]
    return out


def refuse_dependent(design: Design) -> None:
    """Regressors must not depend on each other, as released; in a model with a constant, apart from their means."""
    x = design.shown[design.used, :-1]
    raw = np.sqrt((x**2).sum(axis=0))
    if design.has_constant:
        x = x - np.append(0.0, x[:, 1:].mean(axis=0))
    size = np.sqrt((x**2).sum(axis=0))
    gone = ~(size > 1e-12 * raw)
    if not gone.any() and np.linalg.eigvalsh(x.T @ x / np.outer(size, size))[0] < NEAR:
        gone = np.abs(np.diag(np.linalg.qr(x / size, mode="r"))) < np.sqrt(DEPENDENT)
    if gone.any():
        raise Collinear(names=listed([n for n, bad in zip(design.names, gone, strict=True) if bad]))


def _shift(design: Design, z: Floats, rules: Rules) -> Floats:
    """Means of the columns that may be moved: without factors and estimated products, in a model with a constant."""
    shift = np.zeros(z.shape[1])
    if not design.has_constant:
        return shift
    fixed = {0, *(place for pair in rules.pairs for place in pair)}
    for j in range(1, z.shape[1]):
        if j not in fixed and (rules.divisor[j] == 1).all():
            shift[j] = design.weight @ z[:, j] / design.weight.sum()
    return shift


def _back(shift: Floats, count: int) -> Floats:
    """From coefficients of moved columns to those of the columns: only the constant changes."""
    out = np.eye(count)
    out[0] -= shift[:-1]
    return out


def _r2(moments: Floats, beta: Floats, *, has_constant: bool) -> float | None:
    """(β'X'y - nȳ²) / (Σy² - nȳ²), all from corrected moments."""
    if not has_constant:
        return None
    between = moments[0, -1] ** 2 / moments[0, 0]
    total = moments[-1, -1] - between
    return float((beta @ moments[:-1, -1] - between) / total) if total > 0 else None


def _again(design: Design, z: Floats, rules: Rules, shift: Floats, times: Floats) -> Floats:
    moments = second_moments(z, design.weight, rules, times)
    if smallest_eigenvalue(moments[:-1, :-1]) <= SMALLEST:
        return np.full(len(design.names), np.nan)
    beta, _ = solved(moments)
    values: Floats = _back(shift, len(beta)) @ beta
    values[0] += shift[-1]
    return values


def plain_least_squares(design: Design, clusters: Ints | None = None) -> Estimate:
    """Least squares with the values as they were released."""
    as_shown = replace(design, values=design.shown)
    return least_squares(as_shown, design.shown, Rules.plain(len(design.parts)), clusters)
