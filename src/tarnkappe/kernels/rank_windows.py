"""Undo an exchange by rank: the released record must lie, in every column, within a window of ranks around the true value.

Source: nin2008 (rank swapping record linkage: the sets of possible records of several columns are intersected).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
Places = NDArray[np.int32]

UNKNOWN = -1


class Ranks(NamedTuple):
    """First and last rank, among the released values, of true and of released values; -1 where there is none."""

    true_first: Ints
    true_last: Ints
    shown_first: Ints
    shown_last: Ints

    @property
    def moved(self) -> Ints:
        """How many ranks lie between true and released value; 0 where either is unknown. Ties share all their ranks."""
        apart = np.maximum(self.shown_first - self.true_last, self.true_first - self.shown_last)
        known = (self.true_first != UNKNOWN) & (self.shown_first != UNKNOWN)
        return np.where(known, np.maximum(apart, 0), 0)


def ranks(x: Floats, y: Floats) -> Ranks:
    """Ranks of two columns, gaps as NaN; a true value that is not among the released ones has the rank it would take."""
    ordered = np.sort(y[~np.isnan(y)])
    true, shown = (_places(ordered, v) for v in (x, y))
    return Ranks(*true, *shown)


class Found(NamedTuple):
    """Per target: how many released records fit, how many lie nearest among them, and whether the own one is among either."""

    fitting: Ints
    fits: Bools
    nearest: Ints
    is_nearest: Bools


def fitting(found: list[Ranks], windows: Ints, targets: Ints) -> Found:
    """Look for every target among all released records; columns unknown on either side do not tell records apart."""
    found = [found[j] for j in np.argsort(windows, kind="stable")]
    order = np.argsort(found[0].shown_first, kind="stable")
    true = _side_by_side([(r.true_first, r.true_last) for r in found], targets)
    shown = _side_by_side([(r.shown_first, r.shown_last) for r in found], order)
    return Found(*_search(true, shown, np.sort(windows), targets, order))


def _side_by_side(ends: list[tuple[Ints, Ints]], rows: Ints) -> Places:
    """(rows, columns, first and last rank), in the order in which they are read."""
    return np.ascontiguousarray(
        np.stack([np.stack(pair, axis=1)[rows] for pair in ends], axis=1), dtype=np.int32
    )


def _places(ordered: Floats, values: Floats) -> tuple[Ints, Ints]:
    first = np.searchsorted(ordered, values, side="left")
    last = np.maximum(np.searchsorted(ordered, values, side="right") - 1, first)
    gap = np.isnan(values)
    return np.where(gap, UNKNOWN, first), np.where(gap, UNKNOWN, last)


@njit(cache=True)
def _search(
    true: Places, shown: Places, windows: Ints, targets: Ints, order: Ints
) -> tuple[Ints, Bools, Ints, Bools]:
    """Walk the window of the narrowest column, the first, and with it those that show nothing there, which stand in front."""
    n = len(shown)
    firsts = shown[:, 0, 0].copy()
    gaps = np.searchsorted(firsts, 0)
    widest = 0
    for r in range(gaps, n):
        widest = max(widest, shown[r, 0, 1] - shown[r, 0, 0])
    count = np.zeros(len(targets), np.int64)
    fits = np.zeros(len(targets), np.bool_)
    nearest = np.zeros(len(targets), np.int64)
    is_nearest = np.zeros(len(targets), np.bool_)
    for t in range(len(targets)):
        low, high = gaps, n
        if true[t, 0, 0] != UNKNOWN:
            low = max(gaps, np.searchsorted(firsts, true[t, 0, 0] - windows[0] - widest))
            high = np.searchsorted(firsts, true[t, 0, 1] + windows[0], side="right")
        least = np.inf
        for part in range(2):
            start, end = (0, gaps) if part == 0 else (low, high)
            for r in range(start, end):
                apart = _apart(true[t], shown[r], windows)
                if apart < 0:
                    continue
                count[t] += 1
                own = order[r] == targets[t]
                fits[t] |= own
                if apart < least - 1e-12:
                    least, nearest[t], is_nearest[t] = apart, 1, own
                elif apart <= least + 1e-12:
                    nearest[t] += 1
                    is_nearest[t] |= own
    return count, fits, nearest, is_nearest


@njit(cache=True, inline="always")
def _apart(true: Places, shown: Places, windows: Ints) -> float:
    """Sum over columns of the squared moves in parts of the window; -1 where one goes beyond it."""
    total = 0.0
    for j in range(len(windows)):
        if true[j, 0] == UNKNOWN or shown[j, 0] == UNKNOWN:
            continue
        moved = max(0, shown[j, 0] - true[j, 1], true[j, 0] - shown[j, 1])
        if moved > windows[j]:
            return -1.0
        total += (moved / (windows[j] + 1)) ** 2
    return total
