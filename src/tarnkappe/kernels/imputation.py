"""Estimates for cells from the other columns of their records."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tarnkappe.kernels.standard import power_scale, standardised_within

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

FOLDS = 5
GOLDEN = (5**0.5 - 1) / 2
NEIGHBOURS = 5
MOST_LEVELS = 50
"""A category column with more values enters a regression with its most frequent ones."""


class Line(NamedTuple):
    """A fitted linear model."""

    weight: Floats
    residual: Floats
    """Of the records it was fitted on."""


def design(numbers: Floats, categories: list[Ints], of: Ints, strata: int) -> Floats:
    """Columns of a regression: a constant, numbers standardised in their stratum (gaps at its mean) and indicators of categories."""
    there = ~np.isnan(numbers)
    filled = np.where(there, numbers, 0.0)
    scaled = standardised_within(filled / power_scale(filled), there, of, strata)
    columns = [np.ones((len(numbers), 1)), scaled]
    for codes in categories:
        levels, counts = np.unique(codes, return_counts=True)
        kept = levels[np.argsort(-counts, kind="stable")][1 : MOST_LEVELS + 1]
        columns.append((codes[:, None] == kept[None, :]).astype(np.float64))
    return np.column_stack(columns)


def fitted(x: Floats, y: Floats) -> Line:
    """Least squares; collinear columns share their weight."""
    weight: Floats = np.linalg.lstsq(x, y, rcond=None)[0].astype(np.float64)
    return Line(weight, y - x @ weight)


def folds(n: int) -> Ints:
    """One of five parts for every place, evenly spread and without a period: the same for everybody who looks again."""
    return np.asarray(((np.arange(n) * GOLDEN) % 1 * FOLDS).astype(np.int64))


def explained(y: Floats, estimates: Floats) -> float:
    """R² of estimates made without the record itself; below 0 where the mean is the better estimate."""
    if len(y) < 2 * FOLDS or np.ptp(y) == 0:
        return 0.0
    off = y - estimates
    return float(1 - (off**2).sum() / ((y - y.mean()) ** 2).sum())


def guessed(codes: Ints, estimates: Ints) -> float:
    """The share of categories guessed rightly without the record itself, of those that the most frequent category does not guess.

    1 where all are guessed; 0 or less where nothing is gained over naming the most frequent one (Gottschalk 2002, G-M12).
    """
    if len(codes) < 2 * FOLDS:
        return 0.0
    usual = float(np.bincount(codes).max() / len(codes))
    right = float(np.mean(estimates == codes))
    return (right - usual) / (1 - usual) if usual < 1 else 0.0


def left_out(places: Ints, estimate: Callable[[Ints, Ints], NDArray[Any]]) -> NDArray[Any]:
    """Estimates of all places, each from the other folds.

    Parameters
    ----------
    places
        Two or more.
    estimate
        (places to learn from, places to estimate) -> estimates.
    """
    fold, out = folds(len(places)), np.zeros(len(places))
    for f in np.unique(fold):
        out[fold == f] = estimate(places[fold != f], places[fold == f])
    return out


def nearest(known: Floats, wanted: Floats, own: Ints | None, generator: np.random.Generator) -> Ints:
    """For every wanted number one of the five nearest known ones, drawn at random; chance decides between equals.

    Parameters
    ----------
    known, wanted
        Numbers.
    own
        The place of every wanted number among the known ones, which is passed over; None where it is not among them.
    """
    order = np.lexsort((generator.random(len(known)), known))
    line = known[order]
    first, last = np.searchsorted(line, wanted, "left"), np.searchsorted(line, wanted, "right")
    middle = first + (generator.random(len(wanted)) * (last - first + 1)).astype(np.int64)
    around = middle[:, None] + np.arange(
        -NEIGHBOURS - 1, NEIGHBOURS + 1
    )  # one more on each side: one may be the own
    inside = (around >= 0) & (around < len(line))
    around = np.clip(around, 0, len(line) - 1)
    away = np.where(inside, np.abs(line[around] - wanted[:, None]), np.inf)
    if own is not None:
        away[order[around] == own[:, None]] = np.inf
    near = np.argsort(away, axis=1, kind="stable")[:, :NEIGHBOURS]
    count = np.minimum(np.isfinite(away).sum(axis=1), NEIGHBOURS)
    drawn = near[np.arange(len(wanted)), (generator.random(len(wanted)) * count).astype(np.int64)]
    return np.asarray(order[around[np.arange(len(wanted)), drawn]])


def nearest_rows(known: Floats, wanted: Floats, own: Ints | None, generator: np.random.Generator) -> Ints:
    """For every wanted row the nearest known one (straight distance); chance decides between a few that are equally near.

    Parameters
    ----------
    known, wanted
        Rows of the same columns.
    own
        The place of every wanted row among the known ones, which is passed over; None where it is not among them.
    """
    from scipy.spatial import KDTree  # noqa: PLC0415 - loaded when first used

    order = generator.permutation(len(known))
    count = min(NEIGHBOURS + 1, len(known))
    apart, found = KDTree(known[order]).query(wanted, k=count)
    away, place = (np.asarray(part).reshape(len(wanted), count) for part in (apart, found))
    place = order[place]
    if own is not None:
        away = np.where(place == own[:, None], np.inf, away)
    least = away.min(axis=1, keepdims=True)
    draw = np.where(away <= least, generator.random(away.shape), np.inf)
    return np.asarray(place[np.arange(len(wanted)), draw.argmin(axis=1)])


def cell_donors(known: Ints, wanted: Ints, own: Ints | None, generator: np.random.Generator) -> Ints:
    """For every wanted record a random known one of the same group; of any group where it has no other.

    Parameters
    ----------
    known, wanted
        The groups of the known and of the wanted records; a group that no known record has stands for any.
    own
        The place of every wanted record among the known ones, which is passed over; None where it is not among them.
    """
    order = np.argsort(known, kind="stable")
    first, last = (np.searchsorted(known[order], wanted, side) for side in ("left", "right"))
    passed = 0 if own is None else 1
    alone = last - first <= passed
    first, last = np.where(alone, 0, first), np.where(alone, len(known), last)
    drawn = first + (generator.random(len(wanted)) * (last - first - passed)).astype(np.int64)
    if own is not None:
        place = np.empty(len(known), dtype=np.int64)
        place[order] = np.arange(len(known))
        drawn += drawn >= place[own]
    return np.asarray(order[drawn])
