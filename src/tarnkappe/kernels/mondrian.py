"""Mondrian: records split into small blocks of neighbours (LeFevre, DeWitt and Ramakrishnan 2006)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class Sensitive(NamedTuple):
    """What the sensitive values of a block must fulfil."""

    kinds: Ints
    """A number per record, 0, 1, …, in their order where they have one; -1 where the value tells nothing."""
    variety: float
    """Least number of different values, or of equally frequent ones that would be as mixed."""
    entropy: bool
    """Whether the second is meant: exp(H)."""
    below: Floats
    """For every kind, and for one more, the share of the smaller kinds in the whole file."""
    added: Floats
    """The sums of `below` before every place."""
    closeness: float
    """Largest distance from the values of the whole file."""
    ordered: bool
    """Whether the distance counts the values that lie between two values."""
    units: Ints
    """The unit of every record where units are counted, not records; else empty."""


def sensitive(
    kinds: Ints,
    variety: float = 1,
    closeness: float = 1,
    *,
    entropy: bool = False,
    ordered: bool = False,
    units: Ints | None = None,
) -> Sensitive:
    """What is asked of a block, with the shares of all kinds in the whole file."""
    counts = np.bincount(kinds[kinds >= 0], minlength=1)
    below = np.concatenate([[0.0], np.cumsum(counts) / max(int(counts.sum()), 1)])
    added = np.concatenate([[0.0], np.cumsum(below)])
    own = np.zeros(0, dtype=np.int64) if units is None else units.astype(np.int64)
    return Sensitive(
        kinds.astype(np.int64), float(variety), entropy, below, added, float(closeness), ordered, own
    )


@njit(cache=True)
def blocks(places: Ints, start: Ints, k: int, asked: Sensitive) -> Ints:
    """The block of every record.

    A block is split at the median of the key with the largest range, related to the range of the whole key, as long as both
    halves have k records (k units where these are counted) and sensitive values as `asked`; where that key cannot be split, the next one is tried.

    Parameters
    ----------
    places
        Records × keys: the place of every value in the order of its key.
    start
        A number per record; records with different numbers never come together.
    """
    n = len(places)
    order = np.argsort(start, kind="mergesort")
    label = np.empty(n, dtype=np.int64)
    widths = _ranges(places, order, 0, n)
    waiting = _pieces(start, order)
    found = 0
    while len(waiting):
        a, b = waiting.pop()
        middle = _split(places, order, (a, b), k, widths, asked) if b - a >= 2 * k else a
        if middle == a:
            label[order[a:b]] = found
            found += 1
        else:
            waiting.append((a, middle))
            waiting.append((middle, b))
    return label


@njit(cache=True)
def _pieces(start: Ints, order: Ints) -> list[tuple[int, int]]:
    """Where records with equal numbers begin and end."""
    pieces = [(0, 0) for _ in range(0)]
    begin = 0
    for i in range(1, len(order) + 1):
        if i == len(order) or start[order[i]] != start[order[begin]]:
            pieces.append((begin, i))
            begin = i
    return pieces


@njit(cache=True)
def _ranges(places: Ints, order: Ints, a: int, b: int) -> Floats:
    """The range of every key among the records at the places a … b - 1 of the order."""
    out = np.zeros(places.shape[1])
    for j in range(places.shape[1]):
        if b > a:
            low = high = places[order[a], j]
            for i in range(a + 1, b):
                low, high = min(low, places[order[i], j]), max(high, places[order[i], j])
            out[j] = high - low
    return out


@njit(cache=True)
def _split(places: Ints, order: Ints, ends: tuple[int, int], k: int, widths: Floats, asked: Sensitive) -> int:
    """Put the lower half of a block before the upper; where the upper begins, or where the block does if it stays whole."""
    a, b = ends
    relative = _ranges(places, order, a, b) / np.maximum(widths, 1)
    while relative.max() > 0:
        j = np.argmax(relative)
        relative[j] = 0
        values = np.sort(places[order[a:b], j])
        for cut in (values[(b - a) // 2], values[(b - a) // 2] + 1):  # ties at the median go up, then down
            lower = places[order[a:b], j] < cut
            middle = a + int(np.count_nonzero(lower))
            if min(middle - a, b - middle) < k:
                continue
            parted = np.concatenate((order[a:b][lower], order[a:b][~lower]))
            if min(_units(parted[: middle - a], asked), _units(parted[middle - a :], asked)) < k:
                continue
            if fulfils(parted[: middle - a], asked) and fulfils(parted[middle - a :], asked):
                order[a:b] = parted
                return middle
    return a


@njit(cache=True)
def _units(records: Ints, asked: Sensitive) -> int:
    """How many units some records are of; each is one where no units are counted."""
    if not len(asked.units):
        return len(records)
    ordered = np.sort(asked.units[records])
    return 1 + int(np.count_nonzero(ordered[1:] != ordered[:-1]))


@njit(cache=True)
def fulfils(records: Ints, asked: Sensitive) -> bool:
    """Whether the sensitive values of some records are varied enough and near enough to those of the whole file."""
    if asked.variety <= 1 and asked.closeness >= 1:
        return True
    kinds, counts = _counted(asked.kinds[records])
    shares = counts / max(counts.sum(), 1)
    if asked.entropy:
        varied = np.exp(-np.sum(shares * np.log(shares)))  # entropy l-diversity: exp(H) at least l
        if varied < asked.variety * (1 - 1e-12):
            return False
    elif len(kinds) < asked.variety:
        return False
    if asked.closeness >= 1 or not len(kinds):
        return True
    far = _ordered_distance(kinds, shares, asked) if asked.ordered else _equal_distance(kinds, shares, asked)
    return bool(far <= asked.closeness + 1e-12)


@njit(cache=True)
def fulfilled(label: Ints, size: int, asked: Sensitive) -> Bools:
    """The same for each of `size` blocks."""
    order = np.argsort(label, kind="mergesort")
    ends = np.searchsorted(label[order], np.arange(size + 1))
    out = np.zeros(size, dtype=np.bool_)
    for b in range(size):
        out[b] = fulfils(order[ends[b] : ends[b + 1]], asked)
    return out


@njit(cache=True)
def _counted(kinds: Ints) -> tuple[Ints, Floats]:
    """The kinds that occur, in their order, and how often; those that tell nothing are left out."""
    ordered = np.sort(kinds[kinds >= 0])
    first = np.ones(len(ordered), dtype=np.bool_)
    first[1:] = ordered[1:] != ordered[:-1]
    at = np.append(np.flatnonzero(first), len(ordered))
    return ordered[first], np.diff(at).astype(np.float64)


@njit(cache=True)
def _equal_distance(kinds: Ints, shares: Floats, asked: Sensitive) -> float:
    """Half the sum of the differences of the shares, which is the sum of those above."""
    whole = asked.below[kinds + 1] - asked.below[kinds]
    return float(np.sum(np.maximum(shares - whole, 0.0)))


@njit(cache=True)
def _ordered_distance(kinds: Ints, shares: Floats, asked: Sensitive) -> float:
    """The sum of |P_i - Q_i| over all kinds but the last, related to their number less one; P, Q are cumulated shares.

    Between two kinds that occur P stays the same and Q rises, so the sum has two parts with a known sum each.
    """
    last = len(asked.below) - 2  # the place of the largest kind
    if last < 1:
        return 0.0
    far, so_far, begin = 0.0, 0.0, 0
    for i in range(len(kinds) + 1):
        end = kinds[i] if i < len(kinds) else last
        if end > begin:  # kinds begin … end - 1, where Q is `below` one place on
            a, b = begin + 1, end + 1
            x = a + np.searchsorted(asked.below[a:b], so_far)
            far += so_far * (x - a) - (asked.added[x] - asked.added[a])
            far += asked.added[b] - asked.added[x] - so_far * (b - x)
            begin = end
        if i < len(kinds):
            so_far += shares[i]
    return far / last
