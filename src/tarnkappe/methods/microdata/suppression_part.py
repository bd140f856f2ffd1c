"""A few records whose suppressed cells are chosen by an integer program, so that none could cost less."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy.sparse import csc_array, vstack

from tarnkappe.data.column import Bools, Floats, Ints
from tarnkappe.solve import Choice, Solver

EXACT = 2.0**50
"""Up to here whole numbers are added without losing a digit."""


class Classes(NamedTuple):
    """Records that agree in all keys and in what was suppressed before."""

    codes: Ints
    before: Bools
    counts: Ints
    of: Ints
    """The class of every record."""


@dataclass(frozen=True)
class Part:
    """Records that are treated apart from all others: those of one stratum."""

    codes: Ints
    """Records × keys; the true values, MISSING_CODE where there is none."""
    before: Bools
    """Cells that were suppressed before."""
    k: int
    levels: tuple[Floats, ...]
    """What a suppressed cell costs, by key; later levels count only where the earlier ones are equal."""

    @cached_property
    def classes(self) -> Classes:
        rows = np.column_stack([self.codes, self.before])
        _, first, of, counts = np.unique(
            rows, axis=0, return_index=True, return_inverse=True, return_counts=True
        )
        return Classes(self.codes[first], self.before[first], counts, of.reshape(-1))

    def price(self, hidden: Bools) -> tuple[Fraction, ...]:
        """What suppressed cells cost, level by level and exactly."""
        return self.price_of(np.count_nonzero(hidden & ~self.before, axis=0))

    def price_of(self, cells: Ints) -> tuple[Fraction, ...]:
        """What so many cells of each key cost."""
        pairs = (
            (Fraction(c) * n for c, n in zip(level.tolist(), cells.tolist(), strict=True))
            for level in self.levels
        )
        return tuple(sum(level, Fraction(0)) for level in pairs)

    @cached_property
    def one_level(self) -> Floats | None:
        """Costs that order all suppressions as the levels do; None where numbers would lose their last digits."""
        if len(self.levels) == 1:
            return self.levels[0]
        base = float(self.codes.size + 1)
        if base ** len(self.levels) > EXACT:
            return None
        return np.array(self.levels).T @ (base ** np.arange(len(self.levels))[::-1])

    def bound(self, hidden: Bools | None) -> float:
        """What suppressed cells cost as one number; inf where they do not count."""
        if self.one_level is None or hidden is None:
            return float(np.inf)
        return float(np.count_nonzero(hidden & ~self.before, axis=0) @ self.one_level)

    def cheaper(self, one: Bools | None, other: Bools | None) -> Bools | None:
        """The cheaper of two, the first of equals; None where neither is given."""
        if one is None or other is None:
            return other if one is None else one
        return other if self.price(other) < self.price(one) else one

    def better(self, found: Bools | None, hidden: Bools | None) -> Bools | None:
        """What was found, if it costs less than what is given or nothing is given."""
        return None if found is None or self.cheaper(hidden, found) is hidden else found


@dataclass(frozen=True)
class Offers:
    """What records of a class may suppress: one entry for each class and pattern."""

    of_class: Ints
    hidden: Bools
    """The pattern, with what was suppressed before: entries × keys."""

    def __len__(self) -> int:
        return len(self.of_class)

    def cells(self, part: Part) -> Bools:
        """The cells that are new."""
        out: Bools = self.hidden & ~part.classes.before[self.of_class]
        return out

    def kept(self, which: Bools) -> Offers:
        return Offers(self.of_class[which], self.hidden[which])


def cheapest(part: Part, offers: Offers, choice: Choice, solver: Solver) -> tuple[Bools | None, bool]:
    """What the records suppress where that costs least, level by level, and whether that is proven; None where nothing was found.

    The first columns of the choice are the offers, and their price is put in here. A level that could not be searched to its
    end is the last.
    """
    cells, point, proven = offers.cells(part), None, False
    for level in part.levels:
        price = np.zeros(choice.matrix.shape[1])
        price[: len(offers)] = cells @ level
        found = solver.choose(replace(choice, price=price))
        if found is None or found.point is None:
            proven = False
            break
        point, proven = found.point, found.proven
        if not proven:
            break
        choice = _no_dearer(choice, price, found.value)
    if point is None:
        return None, False
    return _shared_out(part, offers, point[: len(offers)].astype(np.int64)), proven


def _no_dearer(choice: Choice, price: Floats, value: float) -> Choice:
    """With the price of the best answer as a bound."""
    matrix = csc_array(vstack([choice.matrix, csc_array(price[np.newaxis])]))
    return replace(
        choice, matrix=matrix, low=np.append(choice.low, -np.inf), high=np.append(choice.high, value)
    )


def _shared_out(part: Part, offers: Offers, taken: Ints) -> Bools:
    """The patterns for the records of each class, in the order of the file; those that take no offer stay as they were."""
    out = part.before.copy()
    records = np.argsort(part.classes.of, kind="stable")
    after = np.cumsum(part.classes.counts)
    first = after - part.classes.counts
    for entry in np.flatnonzero(taken > 0):
        c = offers.of_class[entry]
        out[records[first[c] : first[c] + taken[entry]]] = offers.hidden[entry]
        first[c] += taken[entry]
    return out


class Rows(NamedTuple):
    """So many rows of a matrix, by its entries."""

    many: int
    row: Ints
    column: Ints
    value: Floats


def matrix_of(blocks: Sequence[Rows], columns: int) -> csc_array:
    """Blocks of rows, one below the other."""
    shifts = np.cumsum([0, *(b.many for b in blocks)])
    rows = np.concatenate([b.row + shift for b, shift in zip(blocks, shifts, strict=False)])
    places = (rows, np.concatenate([b.column for b in blocks]))
    return csc_array((np.concatenate([b.value for b in blocks]), places), shape=(int(shifts[-1]), columns))
