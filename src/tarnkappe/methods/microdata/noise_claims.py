"""Checks that several noise methods share."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from tarnkappe.data.column import Bools, Floats, Ints
from tarnkappe.data.masked import not_rounded, side_by_side
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.units import units_of
from tarnkappe.kernels.white_noise import covariance
from tarnkappe.language import Text
from tarnkappe.methods.microdata.unit_noise import FAR, UnitNoise
from tarnkappe.spec import Claim

EXACT = 1e-9
"""Rounding errors of sums over a file, in parts of its standard deviation."""
SMALL = 1e-280
"""Against a largest value of about 1: smaller ones lack digits for a ratio."""


def no_value_as_it_was(
    before: Microdata,
    after: Microdata,
    names: Sequence[str],
    treated: Callable[[tuple[str, ...]], Bools] | None = None,
) -> bool:
    """No treated cell holds its old number; without `treated`, no cell that is not zero does."""
    x, y = before.aligned_to(after).numbers(names), after.numbers(names)
    cells = x != 0 if treated is None else treated(tuple(names))
    return not np.any((x == y) & cells)


def sign_and_zero_kept(before: Microdata, after: Microdata, names: Sequence[str]) -> bool:
    x, y = before.aligned_to(after).numbers(names), after.numbers(names)
    return bool(np.all((np.sign(x) == np.sign(y)) | np.isnan(y)))


def one_way(before: Microdata, after: Microdata, names: Sequence[str], unit: Sequence[str]) -> bool:
    """The values of a unit all grow or all shrink, in all its records: over a panel, in all periods."""
    x, y = side_by_side(before, after, names)
    ids, count = units_of(before.aligned_to(after), unit)
    up, down = (
        np.bincount(ids[(moved & (x != 0)).any(axis=1)], minlength=count)
        for moved in (np.abs(y) > np.abs(x), np.abs(y) < np.abs(x))
    )
    return not np.any((up > 0) & (down > 0))


ONE_WAY = Claim(
    Text(
        "the values of a unit all go up or all go down, in all its records: averages over periods do not come near the truth "
        "(rounded columns excepted)",
        "die Werte einer Einheit steigen alle oder fallen alle, in allen ihren Datensätzen: Mittel über Perioden nähern sich nicht der "
        "Wahrheit (ausgenommen gerundete Spalten)",
    ),
    lambda m, before, after: one_way(before, after, not_rounded(before, m.columns, m.whole), m.unit),
)


def one_factor(x: Floats, y: Floats, reach: Floats, units: tuple[Ints, int], own: float) -> bool:
    """One number for each unit explains all its values, in all its records: ratios and growth rates stay, up to `own` and what sizes `x` were moved by."""
    ids, count = units
    low, high = np.full(count, -np.inf), np.full(count, np.inf)
    for j in range(x.shape[1]):
        used = (x[:, j] > reach[:, j]) & (x[:, j] > SMALL) & ~np.isnan(y[:, j])
        np.maximum.at(low, ids[used], y[used, j] / (x[used, j] + reach[used, j]) / (1 + own))
        np.minimum.at(high, ids[used], y[used, j] / (x[used, j] - reach[used, j]) / (1 - own))
    return bool(np.all(low <= high * (1 + EXACT)))


def means_near(m: UnitNoise, before: Microdata, after: Microdata, noise_sd: float) -> bool:
    """The mean of a column lies within six standard errors of the noise; `noise_sd` in its standard deviations.

    Units whose records have noise in common count as one.
    """
    x, y = side_by_side(before, after, m.columns)
    ids = units_of(before.aligned_to(after), m.unit)[0]
    for j in range(x.shape[1]):
        there = ~np.isnan(x[:, j])
        was, now = x[there, j], y[there, j]
        alike = float((np.bincount(ids[there]) ** 2).sum())
        if (
            abs(float((now - was).sum()))
            > FAR * noise_sd * float(was.std() if len(was) else 0.0) * alike**0.5
        ):
            return False
    return True


def same_means(x: Floats, y: Floats) -> bool:
    """Means up to rounding, in parts of the size of the values."""
    size = np.abs(x).mean(axis=0) + np.abs(y).mean(axis=0)
    return bool(np.all(np.abs(x.mean(axis=0) - y.mean(axis=0)) <= EXACT * size))


def same_covariances(x: Floats, y: Floats, times: float) -> bool:
    """The covariance of `y` is so many times that of `x`, up to rounding."""
    was, now = covariance(x), covariance(y)
    size = np.outer(was.sd, was.sd) * times + EXACT * np.outer(np.abs(x).max(axis=0), np.abs(x).max(axis=0))
    return bool(np.all(np.abs(now.matrix - times * was.matrix) <= 1e-6 * size))
