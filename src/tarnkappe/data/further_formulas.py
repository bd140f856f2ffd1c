"""Formulas for a column that are neither linear nor a product of two: products of several columns, of shares and odds, and sums with a product or ratio."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from tarnkappe.data.column import Bools, Floats, Ints

CLOSE, MOST = 1e-3, 0.95
"""Computed to a thousandth, for so many of the records, is computed."""
SPARE = 8
"""Records needed beyond the number of columns; with fewer, a formula fits by chance."""
ROWS = 1200
"""Records looked at, evenly from the file: half to find a formula, half to try it."""
THERE = 0.97
"""A column takes part in a product if it has a value other than zero in so many of the records."""
FEW_COLUMNS = 24
"""With more columns, sums with a product or ratio are not looked for: their number grows with the third power."""
SCREENED = 8
TINY = 1e-300


class Found(NamedTuple):
    """How a column follows from others, and what it would be in every record."""

    kind: str
    """'powers' or 'sum with a product'."""
    columns: tuple[int, ...]
    values: Floats


def further_formula(target: Floats, others: Floats) -> Found | None:
    """A product of powers of the columns, of one plus or minus them, or a sum with a product or ratio of two; None if none gives the target.

    So are found: three factors; the part ``total · q/(1 + q)`` of a total where q is the ratio of the parts; ``total · (1 − share)``;
    ``fixed + rate · amount``.
    """
    with np.errstate(all="ignore"):
        return _powers(target, others) or _with_product(target, others)


# -- products of several -----------------------------------------------------------------------------------------


class _Factor(NamedTuple):
    column: int
    plus: float
    sign: float

    def of(self, x: Floats) -> Floats:
        """The logarithm of the size of the factor."""
        values: Floats = np.log(np.abs(self.plus + self.sign * x[:, self.column]))
        return values


def _factors(x: Floats) -> Iterator[_Factor]:
    """Every column itself; of what may be a share, odds or percentages also the rest, and what it adds."""
    for j in range(x.shape[1]):
        known = np.abs(x[np.isfinite(x[:, j]), j])
        if not len(known):
            continue
        yield _Factor(j, 0.0, 1.0)
        middle = float(np.median(known))
        if 1e-3 <= middle <= 1e2:
            yield from (_Factor(j, 1.0, 1.0), _Factor(j, 1.0, -1.0))
        if 1.0 <= middle <= 1e3:
            yield from (_Factor(j, 100.0, 1.0), _Factor(j, 100.0, -1.0))


def _powers(y: Floats, x: Floats) -> Found | None:
    known = np.flatnonzero(np.isfinite(y) & (y != 0))
    if len(known) < 2 * SPARE:
        return None
    rows = known[_evenly(len(known), ROWS)]
    factors, logs = _usable(x, rows)
    if not factors:
        return None
    there = np.isfinite(logs).all(axis=1)
    a, b = logs[there], np.log(np.abs(y[rows[there]]))
    weights = _fitted(a, b)
    if weights is None:
        return None
    values = _product(x, factors, weights) * np.where(y < 0, -1.0, 1.0)
    told = [f.column for f, w in zip(factors, weights[1:], strict=True) if abs(w) > 0.05]
    return Found("powers", tuple(dict.fromkeys(told)), values)


def _usable(x: Floats, rows: Ints) -> tuple[list[_Factor], Floats]:
    """The factors that nearly all records have, those of them that differ from the ones before, and their logarithms."""
    part = x[rows]
    made = [(factor, factor.of(part)) for factor in _factors(part)]
    kept = [
        (f, v)
        for f, v in made
        if np.isfinite(v).mean() >= THERE and np.nanstd(np.where(np.isfinite(v), v, np.nan)) > 1e-9
    ]
    most = max(len(rows) // 4, 1)
    kept = sorted(kept, key=lambda one: (one[0].plus != 0, one[0].column))[:most]
    return [f for f, _ in kept], np.column_stack([v for _, v in kept]) if kept else np.zeros((len(rows), 0))


def _fitted(a: Floats, b: Floats) -> Floats | None:
    """Constant and powers by least squares in every other record, where the records between confirm them."""
    if len(b) < 2 * (a.shape[1] + 1 + SPARE) or np.ptp(b) == 0:
        return None
    middle = a.mean(axis=0)
    design = np.column_stack([np.ones(len(b)), a - middle])
    weights, *_ = np.linalg.lstsq(design[::2], b[::2], rcond=1e-12)
    off = np.abs(design[1::2] @ weights - b[1::2])
    if np.mean(off <= CLOSE) < MOST:
        return None
    weights[0] -= weights[1:] @ middle
    out: Floats = weights
    return out


def _product(x: Floats, factors: list[_Factor], weights: Floats) -> Floats:
    out: Floats = np.full(len(x), weights[0])
    for factor, weight in zip(factors, weights[1:], strict=True):
        if weight:
            out = out + weight * factor.of(x)
    return np.exp(out)


# -- sums with a product or ratio --------------------------------------------------------------------------------


def _with_product(y: Floats, x: Floats) -> Found | None:
    whole = np.flatnonzero(np.isfinite(x).mean(axis=0) >= THERE) if len(x) else np.zeros(0, dtype=np.int64)
    if not 2 <= len(whole) <= FEW_COLUMNS:
        return None
    known = np.flatnonzero(np.isfinite(y) & np.isfinite(x[:, whole]).all(axis=1))
    rows = known[_evenly(len(known), ROWS)]
    if len(rows) < 2 * (len(whole) + 2 + SPARE):
        return None
    for a, b, ratio in _screened(y[rows], x[np.ix_(rows, whole)]):
        columns = (int(whole[a]), int(whole[b]))
        extra = x[:, columns[0]] / x[:, columns[1]] if ratio else x[:, columns[0]] * x[:, columns[1]]
        if (found := _sum_with(y, x, whole, extra, rows)) is not None:
            used, values = found
            return Found("sum with a product", tuple(dict.fromkeys((*columns, *used))), values)
    return None


def _screened(y: Floats, x: Floats) -> list[tuple[int, int, bool]]:
    """The products and ratios that point in the direction in which the target is not yet explained by the columns themselves."""
    size = np.maximum(np.abs(x).max(axis=0), TINY)
    q, _ = np.linalg.qr(np.column_stack([np.ones(len(y)), x / size]))
    left = y - q @ (q.T @ y)
    if np.linalg.norm(left) <= 1e-9 * np.linalg.norm(y):
        return []
    found: list[tuple[float, int, int, bool]] = []
    for a in range(x.shape[1]):
        for ratio in (False, True):
            made = (x[:, [a]] / x) if ratio else (x[:, [a]] * x)
            usable = np.isfinite(made).all(axis=0)
            made = np.where(usable, made, 0.0) / np.maximum(
                np.abs(np.where(usable, made, 0.0)).max(axis=0), TINY
            )
            rest = made - q @ (q.T @ made)
            length = np.linalg.norm(rest, axis=0)
            alike = np.abs(rest.T @ left) / np.maximum(length * np.linalg.norm(left), TINY)
            alike[(length < 1e-9) | ~usable] = 0.0
            found += [(float(alike[b]), a, int(b), ratio) for b in np.flatnonzero(alike > 0.999)]
    found.sort(reverse=True)
    return [(a, b, ratio) for _, a, b, ratio in found[:SCREENED]]


def _sum_with(
    y: Floats, x: Floats, whole: Ints, extra: Floats, rows: Ints
) -> tuple[list[int], Floats] | None:
    """The sum of the columns and a product that gives the target, tried on the records to which it was not fitted."""
    design = np.column_stack([np.ones(len(y)), x[:, whole], extra])
    part = rows[np.isfinite(extra[rows])]
    size = np.maximum(np.abs(design[part]).max(axis=0), TINY)
    weights, *_ = np.linalg.lstsq(design[part[::2]] / size, y[part[::2]], rcond=None)
    values: Floats = (design / size) @ weights
    if not same_values(values[part[1::2]], y[part[1::2]]):
        return None
    telling = np.abs(weights[1:-1]) * np.median(np.abs(design[part, 1:-1] / size[1:-1]), axis=0)
    used = whole[telling > CLOSE * np.median(np.abs(y[part]))]
    return used.tolist(), values


def same_values(made: Floats, y: Floats, most: float = MOST) -> bool:
    """Whether numbers give others back: to a thousandth, in nearly all records."""
    return bool(len(y) > 0 and hits(made, y).mean() >= most)


def hits(made: Floats, y: Floats) -> Bools:
    """The records in which a number gives another back to a thousandth."""
    with np.errstate(invalid="ignore"):
        return np.asarray(np.abs(made - y) <= CLOSE * np.abs(y) + 1e-12)


def _evenly(count: int, most: int) -> Ints:
    return np.linspace(0, count - 1, min(count, most)).astype(np.int64)
