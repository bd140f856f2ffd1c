"""Merging categories: the largest contributions of what is put together, and the cheapest way to put together.

Source: Wettig (2002), 2.3.2 and 2.3.3 (L735-804): groups as small as possible, neighbours only where categories are ordered.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

Group = tuple[int, ...]
Price = tuple[float, ...]
"""Compared from the left; the first number is 0 where a group is safe."""

LONGEST = 40
"""Neighbours that are merged into one group at most."""
FEW = 9
"""Up to so many categories without order all ways to group them are looked at."""


class Merged(NamedTuple):
    """The largest contributions to every union of cells."""

    largest: Floats
    who: Ints
    known: Ints
    """Different contributors that are listed by number."""
    shared: Bools
    """Some contributor is listed in several of its parts."""
    netted: Floats
    """By how much the sum of sizes shrinks because contributions of one contributor cancel."""


def merge_largest(into: Ints, cells: int, largest: Floats, who: Ints) -> Merged:
    """Put the lists of cells together; `into` gives the union that each cell goes to. Contributors without a number (-1) stay apart."""
    part, slot = np.nonzero((who >= 0) | (largest != 0))
    cell, person, amount = into[part], who[part, slot], largest[part, slot]
    listed = np.bincount(cell, minlength=cells)
    person = np.where(person >= 0, person, np.iinfo(np.int64).max - np.arange(len(person)))
    order = np.lexsort((person, cell))
    cell, person, amount = cell[order], person[order], amount[order]
    first = np.flatnonzero(
        np.concatenate([[True], (np.diff(cell) != 0) | (np.diff(person) != 0)])[: len(cell)]
    )
    gross = np.bincount(cell, np.abs(amount), minlength=cells)
    cell, person = cell[first], person[first]
    amount = np.add.reduceat(amount, first) if len(first) else amount
    numbered = np.where(person < np.iinfo(np.int64).max - len(part), person, -1)
    out = _most(cell, amount, numbered, person, (cells, largest.shape[1]))
    known = np.bincount(cell[numbered >= 0], minlength=cells)
    netted = gross - np.bincount(cell, np.abs(amount), minlength=cells)
    return Merged(*out, known, np.bincount(cell, minlength=cells) < listed, np.maximum(netted, 0.0))


def _most(
    cell: Ints, amount: Floats, number: Ints, order_by: Ints, shape: tuple[int, int]
) -> tuple[Floats, Ints]:
    """The largest amounts of every cell without regard to sign, equal ones by contributor."""
    order = np.lexsort((order_by, -np.abs(amount), cell))
    cell = cell[order]
    rank = np.arange(len(cell)) - np.searchsorted(cell, cell)
    kept = rank < shape[1]
    largest, who = np.zeros(shape), np.full(shape, -1, dtype=np.int64)
    largest[cell[kept], rank[kept]] = amount[order][kept]
    who[cell[kept], rank[kept]] = number[order][kept]
    return largest, who


def cheapest_runs(size: int, price: Callable[[Group], Price]) -> list[Group] | None:
    """Neighbouring categories put into safe groups at the least price, exactly; None where no way is safe."""
    best: list[tuple[Price, list[Group]] | None] = [((), [])]
    for end in range(1, size + 1):
        ways = []
        for start in range(max(0, end - LONGEST), end):
            before, group = best[start], tuple(range(start, end))
            if before is not None and (own := price(group))[0] == 0:
                ways.append((_sum(before[0], own), [*before[1], group]))
        best.append(min(ways, default=None))
    found = best[size]
    return found[1] if found else None


def cheapest_sets(size: int, price: Callable[[Group], Price]) -> list[Group] | None:
    """Categories put into safe groups: exactly the cheapest way where they are few, else a good one; None where none is safe."""
    return _all_ways(size, price) if size <= FEW else _step_by_step(size, price)


def _all_ways(size: int, price: Callable[[Group], Price]) -> list[Group] | None:
    """The cheapest way for every subset, built from smaller ones; a group always holds the first category of its subset."""
    groups = [tuple(i for i in range(size) if mask >> i & 1) for mask in range(1 << size)]
    prices = [price(group) if group else () for group in groups]
    best: list[tuple[Price, list[Group]] | None] = [((), [])]
    for mask in range(1, 1 << size):
        first, ways = mask & -mask, []
        part = mask
        while part:
            before = best[mask ^ part]
            if part & first and before is not None and prices[part][0] == 0:
                ways.append((_sum(before[0], prices[part]), [*before[1], groups[part]]))
            part = (part - 1) & mask
        best.append(min(ways, default=None))
    found = best[-1]
    return found[1] if found else None


def _step_by_step(size: int, price: Callable[[Group], Price]) -> list[Group] | None:
    """Merge the worst group with the one that helps most, until all are safe."""
    prices: dict[Group, Price] = {(i,): price((i,)) for i in range(size)}
    while max(p[0] for p in prices.values()) > 0:
        worst = max(prices, key=lambda group: (prices[group][0], group))
        others = [group for group in prices if group != worst]
        if not others:
            return None
        ways = {other: price(tuple(sorted(worst + other))) for other in others}
        other = min(ways, key=lambda group: (ways[group], group))
        del prices[worst], prices[other]
        prices[tuple(sorted(worst + other))] = ways[other]
    return sorted(prices)


def _sum(a: Sequence[float], b: Sequence[float]) -> Price:
    return tuple(x + y for x, y in zip(a, b, strict=True)) if a else tuple(b)
