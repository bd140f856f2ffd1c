"""Records in the order of a column inside blocks, and how far ranks lie apart."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


MANY = 1000
"""From so many blocks on they are sorted in one go; a few large ones are quicker one by one."""


def in_order(values: NDArray[Any]) -> Ints:
    """Positions, the smallest value first and equal values in the order of the file; there is no NaN among them.

    Sorting without regard to ties is four times as fast; what is tied is then put right by sorting whole numbers.
    """
    order: Ints = np.argsort(values)
    found = values[order]
    rises = found[1:] > found[:-1]
    return order if rises.all() else by_number(np.append(0, np.cumsum(rises)), order)


def by_number(number: Ints, order: Ints) -> Ints:
    """`order`, which holds 0, 1, … once each, by ascending number and then by itself."""
    keys: Ints = number * np.int64(len(order))
    keys += order
    keys.sort()
    keys %= max(len(order), 1)
    return keys


def ascending(values: NDArray[Any], order: Ints, starts: Ints) -> Ints:
    """The records of `order` block by block, the smallest value first; equal values in any order.

    The order of equal values depends on their order in `order` and on nothing else: if that is random, it is, too.
    """
    found = values[order]
    if len(starts) > MANY:
        block = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
        out: Ints = order[np.lexsort((found, block))]
        return out
    out = np.empty_like(order)
    for first, last in pairwise(starts):
        out[first:last] = order[first:last][np.argsort(found[first:last])]
    return out


def ascending_at_random(values: NDArray[Any], by_chance: Floats) -> Ints:
    """All records, the smallest value first, equal values by ascending `by_chance`: only those are sorted twice."""
    order: Ints = np.argsort(values)
    found = values[order]
    same = found[1:] == found[:-1]
    tied = np.flatnonzero(np.append(False, same) | np.append(same, False)) if same.any() else order[:0]
    order[tied] = order[tied][np.lexsort((by_chance[order[tied]], found[tied]))]
    return order


def in_order_of_all(keys: Sequence[NDArray[Any]]) -> Ints:
    """Positions by the first key, where it is equal by the second, and so on; only what is tied in the first is sorted again."""
    first, *others = keys
    order: Ints = np.argsort(first)
    found = first[order]
    same = found[1:] == found[:-1]
    if others and same.any():
        tied = np.flatnonzero(np.append(False, same) | np.append(same, False))
        at = order[tied]
        order[tied] = at[np.lexsort([*(key[at] for key in reversed(others)), found[tied]])]
    return order


def sorted_within(values: NDArray[Any], order: Ints, starts: Ints) -> NDArray[Any]:
    """The values of `order` block by block, ascending in each."""
    found = values[order]
    if len(starts) > MANY:
        return found[np.lexsort((found, np.repeat(np.arange(len(starts) - 1), np.diff(starts))))]
    for first, last in pairwise(starts):
        found[first:last].sort()
    return found


def rank_distances(old: NDArray[Any], new: NDArray[Any], order: Ints, starts: Ints) -> Ints:
    """How many ranks the new value of every record lies from its old one inside its block; ties share all their ranks.

    Both columns must hold the same values, each as often, in every block.
    """
    by_old, by_new = ascending(old, order, starts), ascending(new, order, starts)
    first, last = _ends(old[by_old], np.repeat(np.arange(len(starts) - 1), np.diff(starts)))
    was_first, was_last = np.empty_like(first), np.empty_like(last)
    was_first[by_old], was_last[by_old] = first, last
    now_first, now_last = np.empty_like(first), np.empty_like(last)
    now_first[by_new], now_last[by_new] = first, last
    out: Ints = np.maximum(0, np.maximum(now_first - was_last, was_first - now_last))
    return out


def shared_within(values: NDArray[Any], order: Ints, starts: Ints) -> Ints:
    """Per block, how many records have a value that another record of the block has, too."""
    block = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    first, last = _ends(sorted_within(values, order, starts), block)
    out: Ints = np.bincount(block[first < last], minlength=len(starts) - 1)
    return out


def _ends(values: NDArray[Any], block: Ints) -> tuple[Ints, Ints]:
    """First and last place of the ties that every place of a sorted list belongs to."""
    new = np.ones(len(values), dtype=np.bool_)
    new[1:] = (values[1:] != values[:-1]) | (block[1:] != block[:-1])
    starts = np.flatnonzero(new)
    group = np.cumsum(new) - 1
    ends = np.append(starts[1:], len(values)) - 1
    return starts[group], ends[group]


def normal_scores(ranks: Floats, size: int) -> Floats:
    """Van der Waerden scores: the quantiles of the normal distribution at rank / (size + 1)."""
    from scipy.special import ndtri  # noqa: PLC0415 -- loaded when first used

    out: Floats = ndtri(ranks / (size + 1))
    return out


def mid_ranks(values: NDArray[Any], order: Ints | None = None) -> Floats:
    """Ranks 1 … n; equal values share their mean rank. `order` is the ascending order where it is known."""
    if order is None:
        order = np.argsort(values)
    out, found = np.empty(len(values)), values[order]
    if np.all(found[1:] != found[:-1]):
        out[order] = np.arange(1.0, len(values) + 1)
        return out
    first, last = _ends(found, np.zeros(len(values), dtype=np.int64))
    out[order] = (first + last) / 2 + 1
    return out
