"""Contributions of several cells put together by contributor, from the largest contributions of each.

What a cell does not list is bounded: none of its further contributors adds more than the smallest listed one, nor more than
what is left of the cell. So the largest contributions to a pool are never taken too small.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class Lists(NamedTuple):
    """Cells with their largest contributions."""

    pool: Ints
    """The pool that every cell goes into."""
    largest: Floats
    """(cells, m) with their signs."""
    who: Ints
    """(cells, m); -1 for a contribution of somebody else than all others."""
    unlisted: Floats
    """(cells,) what a contributor that the cell does not list adds at most."""


class Pooled(NamedTuple):
    """Contributions to every pool."""

    largest: Floats
    """(pools, m) at least as large as the true ones, none negative, in descending order."""
    listed: Ints
    """Contributors that are listed anywhere in the pool."""
    size: Floats
    """Sum of the listed contributions without their signs, after merging."""
    unlisted: Floats
    """What a contributor that no cell of the pool lists adds at most."""


def pool(lists: Lists, pools: int) -> Pooled:
    """Merge the contributions of the cells of every pool by contributor."""
    unlisted = np.bincount(lists.pool, weights=lists.unlisted, minlength=pools)
    of, who, amount, instead = _flattened(lists)
    order = np.lexsort((who, of))
    of, who, amount, instead = of[order], who[order], amount[order], instead[order]
    first = np.flatnonzero(_starts(of, who))
    of, known = of[first], np.abs(_summed(amount, first))
    # A contributor may also be among those that the other cells of the pool do not list.
    most = known + np.maximum(unlisted[of] - _summed(instead, first), 0.0)
    return Pooled(
        _ranked(of, most, unlisted, lists.largest.shape[1]), np.bincount(of, minlength=pools),
        np.bincount(of, weights=known, minlength=pools), unlisted,
    )  # fmt: skip


def _flattened(lists: Lists) -> tuple[Ints, Ints, Floats, Floats]:
    """One entry per listed contribution: pool, contributor, amount, and what the cell bounds for those it does not list."""
    cells, m = lists.largest.shape
    there = ((lists.who >= 0) | (lists.largest != 0)).ravel()
    nameless = -1 - np.arange(cells * m)
    who = np.where(lists.who.ravel() >= 0, lists.who.ravel(), nameless)
    of, instead = np.repeat(lists.pool, m), np.repeat(lists.unlisted, m)
    return of[there], who[there], lists.largest.ravel()[there], instead[there]


def _starts(of: Ints, who: Ints) -> Bools:
    new = np.ones(len(of), dtype=np.bool_)
    new[1:] = (of[1:] != of[:-1]) | (who[1:] != who[:-1])
    return new


def _summed(values: Floats, first: Ints) -> Floats:
    return np.add.reduceat(values, first) if len(first) else np.zeros(0)


def _ranked(of: Ints, most: Floats, unlisted: Floats, m: int) -> Floats:
    """The m largest of every pool; contributors that nobody lists may be among them."""
    pools = len(unlisted)
    of = np.concatenate([of, np.repeat(np.arange(pools), m)])
    most = np.concatenate([most, np.repeat(unlisted, m)])
    order = np.lexsort((-most, of))
    of, most = of[order], most[order]
    rank = np.arange(len(of)) - np.searchsorted(of, of)
    out = np.zeros((pools, m))
    keep = rank < m
    out[of[keep], rank[keep]] = most[keep]
    return out
