"""Classes between cut points that every stratum has of its own."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tarnkappe.data.column import Column, Floats, Ints
from tarnkappe.data.intervals import Bands, Classes, Cuts, comparable, exact
from tarnkappe.data.strata import Strata
from tarnkappe.data.tellable import Shown, cuts_to_tell
from tarnkappe.kernels.class_means import block_limits
from tarnkappe.kernels.ranks import by_number
from tarnkappe.vocab import Kind

_LOWEST, _HIGHEST = Decimal("-Infinity"), Decimal("Infinity")


@dataclass(frozen=True, slots=True)
class StratumCuts:
    """Cut points, open at both ends. A stratum without any is one class."""

    points: Floats
    """Those of every stratum one after the other, ascending in each."""
    starts: Ints
    """Where those of each stratum begin; one more entry than there are strata."""

    @staticmethod
    def at_quantiles(column: Column, strata: Strata, who: Ints, count: int) -> StratumCuts:
        """Cut the values shown of every stratum into about equally large classes, at rounded points that part some of them.

        A point that is the value of one or two contributors, or near the values of so few, moves to the next one that is not; where there is none,
        it is left out.
        """
        x = column.numbers()
        there = np.flatnonzero(np.isfinite(x))
        order = there[np.lexsort((x[there], strata.of[there]))]
        x, who, sizes = x[order], who[order], np.bincount(strata.of[order], minlength=len(strata))
        first = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        points, starts = block_limits(x, first, count)
        of = np.repeat(np.arange(len(strata)), np.diff(starts))
        if column.kind is Kind.INTEGER:
            x = column.values[order]
        points, of = _tellable(points, of, x, who, first)
        parts = (x[first[of]] < points) & (points <= x[first[of + 1] - 1])
        return _of(points[parts], of[parts], len(strata))

    def classes(self, values: NDArray[Any], of: Ints) -> Classes:
        """The classes that the values lie in, those of all strata in ascending order of their limits; `of` is the stratum of every value."""
        different, number = np.unique(self.points, return_inverse=True)
        limits = [exact(p) for p in different.tolist()]
        count = len(limits) + 1
        below = np.searchsorted(comparable(limits, values.dtype), values, side="right")
        stratum = np.repeat(np.arange(len(self.starts) - 1), np.diff(self.starts))
        high = np.searchsorted(
            stratum * count + number + 1, of.astype(np.int64) * count + below, side="right"
        )
        ends = np.concatenate([[0], number + 1, [count]])
        from_ = np.where(high > self.starts[of], ends[high], 0)
        to = np.where(high < self.starts[of + 1], ends[high + 1], count)
        kinds, ids = np.unique(from_ * (count + 1) + to, return_inverse=True)
        at = [_LOWEST, *limits, _HIGHEST]
        pairs = tuple((at[k // (count + 1)], at[k % (count + 1)]) for k in kinds.tolist())
        return Classes(ids.ravel(), pairs, bool(np.issubdtype(values.dtype, np.integer)))

    def by_stratum(self) -> list[Floats]:
        """The points of every stratum."""
        return np.split(self.points, self.starts[1:-1])


Rule = Bands | Cuts | StratumCuts


def classes_by(rule: Rule, values: NDArray[Any], of: Ints) -> Classes:
    """The classes that the values lie in; `of` is the stratum of every value."""
    return rule.classes(values, of) if isinstance(rule, StratumCuts) else rule.classes(values)[0]


def merged(rule: Rule, column: Column, strata: Strata, who: Ints, at_least: int) -> StratumCuts:
    """The same classes with neighbours merged until each holds enough contributors among the records that its stratum shows (Gottschalk 2002, G-M01)."""
    from tarnkappe.kernels.merged_classes import class_begins  # noqa: PLC0415 - numba takes a while

    shown = column.observed
    found = classes_by(rule, column.values[shown], strata.of[shown])
    size = max(len(found.limits), 1)
    kinds, number = np.unique(strata.of[shown].astype(np.int64) * size + found.ids, return_inverse=True)
    starts = np.concatenate([[0], np.cumsum(np.bincount(number, minlength=len(kinds)))]).astype(np.int64)
    in_turn = who[shown][by_number(number, np.arange(len(number)))]
    begins = kinds[class_begins(kinds // size, starts, in_turn, at_least)]
    low = np.array([float(low) for low, _ in found.limits], dtype=np.float64)
    return _of(low[begins % size], begins // size, len(strata))


def _tellable(points: Floats, of: Ints, values: NDArray[Any], who: Ints, first: Ints) -> tuple[Floats, Ints]:
    """Points that may be told in place of others, ascending in every stratum; `first` is where the values of each begin."""
    moved: list[tuple[int, float]] = []
    for stratum in np.unique(of).tolist():
        here = slice(first[stratum], first[stratum + 1])
        there = points[of == stratum]
        found = cuts_to_tell(Shown(values[here], who[here]), there[np.isfinite(there)].tolist())
        moved += [(stratum, point) for point in found]
    return np.array([p for _, p in moved], dtype=np.float64), np.array([s for s, _ in moved], dtype=np.int64)


def _of(points: Floats, of: Ints, strata: int) -> StratumCuts:
    starts = np.concatenate([[0], np.cumsum(np.bincount(of, minlength=strata))]).astype(np.int64)
    return StratumCuts(points, starts)
