"""Groups joined until the mean of every column rests on enough contributors whose value is not zero, or on none.

Of a group with one value besides zeros, the mean times the size of the group is that value; of one with two, each of the two knows the other.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]


class Members(NamedTuple):
    """The records that were grouped."""

    x: Floats
    """Where they lie: groups near to each other are joined."""
    other: Bools
    """Records × columns: where the value is not zero."""
    who: Ints
    """The contributor of every record, from 0 on."""
    block: Ints
    """Records that may come together, from 0 on."""


class Joined(NamedTuple):
    """Groups after joining."""

    labels: Ints
    """The group of every record, 0, 1, … in the order that the groups had; -1 where it had none."""
    few: Bools
    """Groups × columns: where all of the block has too few values that are not zero, so that no joining helps."""


def joined_groups(members: Members, labels: Ints, least: int, *, in_line: bool = False) -> Joined:
    """Join groups of one block until every column of a group has 0, or `least` or more, contributors with another value than zero.

    A group that has too few is joined with the nearest one that has any in the same column. With `in_line` groups are numbered in their order on a
    line, and all between two that are joined are joined with them, so that groups stay runs.
    """
    grouped = np.flatnonzero(labels >= 0)
    if not len(grouped):
        return Joined(labels, np.zeros((0, members.other.shape[1]), dtype=np.bool_))
    x, other = members.x[grouped], members.other[grouped]
    who, block = members.who[grouped], members.block[grouped]
    of = labels[grouped]
    hopeless = _too_few(_contributors(other, who, block), least)
    while True:
        of = np.unique(of, return_inverse=True)[1].astype(np.int64)
        count = _contributors(other, who, of)
        home = np.zeros(len(count), dtype=np.int64)
        home[of] = block
        few = _too_few(count, least)
        if not (few & ~hopeless[home]).any():
            break
        parent = (
            _runs(count, home, hopeless, least)
            if in_line
            else _nearest(_centres(x, of), count, home, hopeless, least)
        )
        of = parent[of]
    out = np.full(len(labels), -1, dtype=np.int64)
    out[grouped] = of
    return Joined(out, few)


def _too_few(count: Ints, least: int) -> Bools:
    few: Bools = (count > 0) & (count < least)
    return few


def _contributors(other: Bools, who: Ints, of: Ints) -> Ints:
    """Group × column: contributors who have a value that is not zero."""
    return _counted(other, who, of, np.lexsort((who, of)))


@njit(cache=True, nogil=True)
def _counted(other: Bools, who: Ints, of: Ints, order: Ints) -> Ints:
    n, p = other.shape
    count = np.zeros((of.max() + 1 if n else 0, p), np.int64)
    counted_at = np.full(p, -1, np.int64)
    begin = 0
    for at in range(n):
        i = order[at]
        if at > 0 and (of[i] != of[order[begin]] or who[i] != who[order[begin]]):
            begin = at
        for j in range(p):
            if other[i, j] and counted_at[j] < begin:
                counted_at[j] = at
                count[of[i], j] += 1
    return count


def _centres(x: Floats, of: Ints) -> Floats:
    sizes = np.bincount(of)
    return np.stack([np.bincount(of, column) / sizes for column in x.T], axis=1)


def _nearest(centre: Floats, count: Ints, home: Ints, hopeless: Bools, least: int) -> Ints:
    """For every group the one that it is joined with; itself where it stays.

    Groups are sought along the diagonal of the space: no two are nearer to each other than on it.
    """
    along = centre.sum(axis=1) / np.sqrt(max(centre.shape[1], 1))
    order = np.lexsort((along, home))
    starts = np.flatnonzero(np.append(True, np.diff(home[order]) != 0))
    parent: Ints = _joined_nearest(
        centre, along, count, hopeless[home[order[starts]]], (order, np.append(starts, len(order))), least
    )
    return parent


@njit(cache=True, nogil=True)
def _joined_nearest(
    centre: Floats, along: Floats, count: Ints, hopeless: Bools, blocks: tuple[Ints, Ints], least: int
) -> Ints:
    order, starts = blocks
    count = count.copy()
    parent = np.arange(len(centre))
    for b in range(len(starts) - 1):
        here = order[starts[b] : starts[b + 1]]
        for j in range(count.shape[1]):
            if hopeless[b, j]:
                continue
            having = np.array([g for g in here if parent[g] == g and count[g, j] > 0])
            for at in range(len(having)):
                g = having[at]
                if count[g, j] < least:
                    near = _nearest_in(having, at, centre, along, parent)
                    if near >= 0:
                        parent[g] = near
                        count[near] += count[g]
    for g in range(len(parent)):
        while parent[parent[g]] != parent[g]:
            parent[g] = parent[parent[g]]
    return parent


@njit(cache=True, nogil=True)
def _nearest_in(having: Ints, at: int, centre: Floats, along: Floats, parent: Ints) -> int:
    """The group nearest to one of those that are ordered along a line, among those that still stand for themselves; -1 where there is none."""
    g = having[at]
    best, least = -1, np.inf
    for step in (1, -1):
        other = at + step
        while 0 <= other < len(having):
            h = having[other]
            other += step
            if (along[h] - along[g]) ** 2 >= least:
                break
            if parent[h] != h:
                continue
            far = 0.0
            for c in range(centre.shape[1]):
                far += (centre[h, c] - centre[g, c]) ** 2
            if far < least:
                best, least = h, far
    return best


@njit(cache=True, nogil=True)
def _runs(count: Ints, home: Ints, hopeless: Bools, least: int) -> Ints:
    """For every group of a line the number of the run that it belongs to."""
    groups = len(count)
    with_next = np.zeros(groups, np.bool_)
    for g in range(groups):
        b = home[g]
        for j in range(count.shape[1]):
            if hopeless[b, j] or count[g, j] == 0 or count[g, j] >= least:
                continue
            up, down = g + 1, g - 1
            while up < groups and home[up] == b and count[up, j] == 0:
                up += 1
            while down >= 0 and home[down] == b and count[down, j] == 0:
                down -= 1
            above, below = up < groups and home[up] == b, down >= 0 and home[down] == b
            if above and (not below or up - g <= g - down):
                with_next[g:up] = True
            elif below:
                with_next[down:g] = True
    run = np.zeros(groups, np.int64)
    for g in range(1, groups):
        run[g] = run[g - 1] + (not with_next[g - 1])
    return run
