"""Can a column be computed from others? By a linear formula, or as a product or quotient of two of them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tarnkappe.kernels.standard import power_scale

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

CLOSE = 1e-3
"""Computed to a thousandth is computed."""
MOST = 0.95
"""… for so many of the records."""
SAMPLE = 2000
"""Records looked at, evenly from the file: a formula that holds for the file holds for these."""
SPARE = 8
"""Records needed beyond the number of columns; with fewer, a formula fits by chance."""


class Formula(NamedTuple):
    """How a column follows from others."""

    kind: str
    """'linear', 'product' or 'quotient'."""
    columns: tuple[int, ...]


def recovered(target: Floats, others: Floats) -> Formula | None:
    """A formula that gives the target from the other columns; None if none of the kinds looked for does.

    Records in which a column is NaN are passed over. A constant target tells nothing and is not looked at.
    """
    there = (
        ~np.isnan(target) & ~np.isnan(others).any(axis=1) if others.size else np.zeros(len(target), np.bool_)
    )
    rows = np.flatnonzero(there)
    rows = rows[np.linspace(0, len(rows) - 1, min(SAMPLE, len(rows))).astype(np.int64)] if len(rows) else rows
    y, x = target[rows], others[rows]
    if len(rows) < SPARE or np.ptp(y / power_scale(y)) == 0:
        return None
    y, x = y / power_scale(y), x / power_scale(x)
    return _linear(y, x) or _pairwise(y, x)


def _linear(y: Floats, x: Floats) -> Formula | None:
    varies = np.flatnonzero(np.ptp(x, axis=0) > 0)
    if len(y) < len(varies) + 1 + SPARE:
        return None
    design = np.column_stack([np.ones(len(y)), x[:, varies]])
    weight, *_ = np.linalg.lstsq(design, y, rcond=None)
    if not _same(design @ weight, y):
        return None
    used = np.abs(weight[1:]) * np.abs(x[:, varies]).max(axis=0, initial=0.0) > CLOSE * np.abs(y).max()
    return Formula("linear", tuple(varies[used].tolist()))


def _pairwise(y: Floats, x: Floats) -> Formula | None:
    for a in range(x.shape[1]):
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            products, quotients = x[:, [a]] * x, x[:, [a]] / x
        for kind, made in (("product", products), ("quotient", quotients)):
            for b in range(x.shape[1]):
                if _proportional(y, made[:, b]):
                    return Formula(kind, (a, b))
    return None


def _proportional(y: Floats, z: Floats) -> bool:
    """Y is a constant times z, where z is not zero and finite in enough records."""
    usable = np.isfinite(z) & (z != 0) & (y != 0)
    if np.count_nonzero(usable) < max(SPARE, MOST * np.count_nonzero(y)):
        return False
    if np.ptp(z[usable]) == 0:
        return False
    factor = np.median(y[usable] / z[usable])
    return _same(np.where(np.isfinite(z), z, np.inf) * factor, y)


def _same(made: Floats, y: Floats) -> bool:
    with np.errstate(invalid="ignore"):
        hits = np.abs(made - y) <= CLOSE * np.abs(y) + 1e-12
    return bool(hits.mean() >= MOST)
