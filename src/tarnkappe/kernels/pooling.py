"""Contributions of several cells put together by contributor, from the largest contributions of each.

What a cell does not list is bounded: none of its further contributors adds more than the smallest listed one, nor more than
what is left of the cell. So the largest contributions to a pool are never taken too small.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tarnkappe.kernels.exact import added

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class Lists(NamedTuple):
    """Cells with their largest contributions."""

    largest: Floats
    """(cells, m) with their signs."""
    who: Ints
    """(cells, m); -1 for a contribution of somebody who has no part in any other."""
    unlisted: Floats
    """(cells,) what a contributor that the cell does not list adds at most; 0 where all are listed."""


class Pooled(NamedTuple):
    """Contributions to every pool."""

    largest: Floats
    """(pools, m) at least as large as the true ones, none negative, in descending order."""
    listed: Ints
    """How many contributors are listed."""
    size: Floats
    """Sum of the listed contributions without their signs, after merging."""
    complete: NDArray[np.bool_]
    """Whether all contributors are listed: then everything is exact."""


def pool(of: Ints, lists: Lists, ceiling: Lists) -> Pooled:
    """Merge the contributions of cells by contributor.

    Parameters
    ----------
    of
        The pool of every cell.
    lists
        The cells.
    ceiling
        For every pool a cell that contains it, if nothing is negative: nobody adds more to the pool than to that cell.
    """
    pools = len(ceiling.unlisted)
    unlisted = added(lists.unlisted, of, pools)
    entry = _entries(of, lists)
    starts = np.flatnonzero(_changes(entry.of) | _changes(entry.who))
    run = np.repeat(np.arange(len(starts)), np.diff(np.append(starts, len(entry.of))))
    into, who = entry.of[starts], entry.who[starts]
    known, here = np.abs(added(entry.amount, run, len(starts))), added(entry.unlisted, run, len(starts))
    # Who is named may also be among those whom the other cells of the pool do not list.
    most = known + np.where(who >= 0, np.maximum(unlisted[into] - here, 0.0), 0.0)
    most = np.minimum(most, np.where(who >= 0, _under(ceiling, into, who), np.inf))
    return Pooled(
        _ranked(into, most, np.minimum(unlisted, ceiling.unlisted), lists.largest.shape[1]),
        np.bincount(into, minlength=pools), added(known, into, pools), unlisted == 0,
    )  # fmt: skip


class _Entries(NamedTuple):
    """Listed contributions, those of one contributor to one pool side by side."""

    of: Ints
    who: Ints
    amount: Floats
    unlisted: Floats


def _entries(of: Ints, lists: Lists) -> _Entries:
    cells, m = lists.largest.shape
    who, amount = lists.who.ravel(), lists.largest.ravel()
    there = (who >= 0) | (amount != 0)
    who = np.where(who >= 0, who, -1 - np.arange(cells * m))  # somebody else each time
    found = _Entries(np.repeat(of, m), who, amount, np.repeat(lists.unlisted, m))
    order = np.flatnonzero(there)
    order = order[np.lexsort((found.who[order], found.of[order]))]
    return _Entries(found.of[order], found.who[order], found.amount[order], found.unlisted[order])


def _changes(values: Ints) -> NDArray[np.bool_]:
    return np.asarray(np.diff(values, prepend=values[:1] - 1) != 0)


def _under(ceiling: Lists, into: Ints, who: Ints) -> Floats:
    """What a contributor adds to the cell that contains a pool, at most."""
    same = ceiling.who[into] == who[:, None]
    listed = np.where(same, ceiling.largest[into], 0.0).sum(axis=1)
    return np.where(same.any(axis=1), listed, ceiling.unlisted[into])


def _ranked(into: Ints, most: Floats, unlisted: Floats, m: int) -> Floats:
    """The m largest of every pool; contributors that nobody lists may be among them."""
    pools = len(unlisted)
    into = np.concatenate([into, np.repeat(np.arange(pools), m)])
    most = np.concatenate([most, np.repeat(unlisted, m)])
    order = np.lexsort((-most, into))
    into, most = into[order], most[order]
    rank = np.arange(len(into)) - np.searchsorted(into, into)
    out, keep = np.zeros((pools, m)), rank < m
    out[into[keep], rank[keep]] = most[keep]
    return out
