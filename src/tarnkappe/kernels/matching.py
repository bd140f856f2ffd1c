"""Links between two files of records: by the nearest, greedily, or so that the total distance is least."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from tarnkappe.kernels import mixed_tree
from tarnkappe.kernels.mixed_tree import Space, Tree
from tarnkappe.kernels.transport import Edges, Market, route

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

FIRST = 8
"""Candidates of every record; of those for which they do not suffice, twice as many."""
ROUNDS = 100
"""So often the candidates are renewed before the search is ended unproven."""
ALL_PAIRS = 4_000_000
"""Blocks with at most so many pairs, as 2,000 × 2,000, are computed whole."""


@dataclass(frozen=True, eq=False)
class Side:
    """Different points of one file; records with the same values in the same block are one point."""

    points: Floats
    times: Ints
    block: Ints

    def tree(self, blocks: int, space: Space) -> Tree:
        order = np.argsort(self.block, kind="stable")
        starts = np.concatenate([[0], np.cumsum(np.bincount(self.block, minlength=blocks))]).astype(np.int64)
        planted: Tree = mixed_tree.plant(self.points, self.times, order, starts, space)
        return planted

    def among(self, chosen: Bools) -> Side:
        return Side(self.points[chosen], self.times[chosen], self.block[chosen])


@dataclass(frozen=True, eq=False)
class Pairs:
    """How many records of which point of the one file are assigned to which point of the other."""

    one: Ints
    other: Ints
    times: Ints
    optimal: bool
    """Proven to have the least total distance."""

    def turned(self) -> Pairs:
        return replace(self, one=self.other, other=self.one)


def assignment(one: Side, other: Side, blocks: int, space: Space) -> Pairs:
    """Assign records one to one within blocks so that the total distance is least; of the side that has more some are left over.

    In blocks of at most `ALL_PAIRS` pairs all are computed and scipy finds the assignment; larger blocks, and those where every record has
    few candidates anyway, are solved with candidates. Both ways are exact.
    """
    sizes = [np.bincount(side.block, weights=side.times, minlength=blocks) for side in (one, other)]
    different = np.bincount(other.block, minlength=blocks)
    whole = (different > FIRST) & (sizes[0] * sizes[1] <= ALL_PAIRS) & (sizes[0] > 0)
    fewer = sizes[0] <= sizes[1]
    parts = [
        _part(one, other, fewer & ~whole, space),
        _part(other, one, ~fewer & ~whole, space).turned(),
        *(_all_pairs(one, other, whole, space) if whole.any() else ()),
    ]
    one_of, other_of, times = (
        np.concatenate([getattr(part, name) for part in parts]) for name in ("one", "other", "times")
    )
    return Pairs(one_of, other_of, times, optimal=all(part.optimal for part in parts))


def _all_pairs(one: Side, other: Side, whole: Bools, space: Space) -> Iterator[Pairs]:
    """Block after block, every record for itself; pairs of the same two points are counted together."""
    tree = other.tree(len(whole), space)
    rows, columns = ((np.argsort(side.block, kind="stable"), side) for side in (one, other))
    ends = [np.searchsorted(side.block[order], np.arange(len(whole) + 1)) for order, side in (rows, columns)]
    for b in np.flatnonzero(whole):
        mine, theirs = (
            order[end[b] : end[b + 1]] for (order, _), end in zip((rows, columns), ends, strict=True)
        )
        far = mixed_tree.all_lengths(tree, one.points[mine], theirs, space)
        at = (
            np.repeat(np.arange(len(mine)), one.times[mine]),
            np.repeat(np.arange(len(theirs)), other.times[theirs]),
        )
        picked = linear_sum_assignment(far[np.ix_(*at)])
        key = at[0][picked[0]] * len(theirs) + at[1][picked[1]]
        pair, times = np.unique(key, return_counts=True)
        yield Pairs(mine[pair // len(theirs)], theirs[pair % len(theirs)], times, optimal=True)


def _part(one: Side, other: Side, chosen: Bools, space: Space) -> Pairs:
    """The blocks where `one` has fewer records."""
    rows, columns = (np.flatnonzero(chosen[side.block]) for side in (one, other))
    if not len(rows):
        nothing = np.zeros(0, dtype=np.int64)
        return Pairs(nothing, nothing, nothing, optimal=True)
    found = cheapest(one.among(chosen[one.block]), other.among(chosen[other.block]), len(chosen), space)
    return replace(found, one=rows[found.one], other=columns[found.other])


def cheapest(one: Side, other: Side, blocks: int, space: Space) -> Pairs:
    """The assignment of least total distance where no block of `one` has more records than `other`.

    Exact: it ends when no record could gain from a candidate it does not know (see `transport`). If that does not happen in `ROUNDS`
    rounds, what was found so far is returned, without the records that still look for a partner, and not called optimal.
    """
    tree = other.tree(blocks, space)
    there = np.bincount(other.block, minlength=blocks)[one.block]
    wanted = np.minimum(FIRST, there)
    edges, beyond = _candidates(tree, one, space, wanted, there)
    market = Market(
        one.times.copy(), beyond, np.zeros_like(one.times), other.times.copy(), edges.cost[edges.starts[:-1]], np.zeros(len(other.times))
    )  # fmt: skip
    for _ in range(ROUNDS):
        worth = market.worth.copy()
        route(edges, market)
        short = market.left > 0
        if not short.any():
            break
        wanted = np.where(short, np.minimum(2 * wanted, there), wanted)
        stale = short | (market.worth != worth)
        mixed_tree.reprice(tree, market.price)
        fresh, market.beyond[stale] = _candidates(tree, one.among(stale), space, wanted[stale], there[stale])
        edges = _joined(edges, fresh, stale, len(other.times))
        market.supply[:] = market.left
        market.left[:] = 0
    used = edges.flow > 0
    rows = _rows(edges)
    return Pairs(rows[used], edges.column[used], edges.flow[used], optimal=not market.left.any())


def _candidates(tree: Tree, one: Side, space: Space, wanted: Ints, there: Ints) -> tuple[Edges, Floats]:
    """The best columns of every row at the prices of the moment, and what any other costs at least with its price."""
    starts, found, far = mixed_tree.nearest(tree, one.points, one.block, space, wanted)
    cost = mixed_tree.lengths(tree, one.points, space, starts, found)
    beyond = np.where(wanted < there, far[starts[1:] - 1], np.inf)
    return Edges(starts, found, cost, np.zeros(len(found), dtype=np.int64)), beyond


def _rows(edges: Edges) -> Ints:
    return np.repeat(np.arange(len(edges.starts) - 1), np.diff(edges.starts))


def _joined(old: Edges, fresh: Edges, stale: Bools, columns: int) -> Edges:
    """New candidates for the rows that are stale, and of their old ones those that are in use; the others keep theirs."""
    rows = _rows(old), np.flatnonzero(stale)[_rows(fresh)]
    kept = ~stale[rows[0]] | (old.flow > 0)
    row = np.concatenate([rows[0][kept], rows[1]])
    column, cost, flow = (
        np.concatenate([was[kept], new]) for was, new in zip(old[1:], fresh[1:], strict=True)
    )
    first = np.unique(row * columns + column, return_index=True)[
        1
    ]  # the old one comes first, with what flows
    starts = np.searchsorted(row[first], np.arange(len(old.starts))).astype(np.int64)
    return Edges(starts, column[first], cost[first], flow[first])
