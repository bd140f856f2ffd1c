"""Invariant PRAM without its matrix: memory and time grow with the records, whatever the number of values.

Values are numbered 0, 1, … over all blocks; a value belongs to one block, and records change within it. `u` holds the random
numbers of every record, one row per draw: records that share a column of `u` and a value share the result.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tarnkappe.kernels.transition import direct, even, proportional, two_stage

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

DRAWS = {"proportional": 2, "direct": 2, "two-stage": 4}
"""Rows of `u` that are needed."""


@dataclass(frozen=True)
class Values:
    """Which value each record has, and which block each value belongs to."""

    of: Ints
    """Value of every record."""
    counts: Ints
    """Records with each value."""
    block: Ints
    """Block of every value."""

    @cached_property
    def by_block(self) -> Ints:
        """The values, those of one block together."""
        return np.argsort(self.block, kind="stable")

    @cached_property
    def kinds(self) -> Ints:
        """Number of values in every block."""
        return np.bincount(self.block)

    @cached_property
    def total(self) -> Ints:
        """Number of records in every block."""
        return np.bincount(self.block, weights=self.counts).astype(np.int64)

    @cached_property
    def place(self) -> Ints:
        """Where a value stands among those of its block."""
        first = np.concatenate([[0], np.cumsum(self.kinds)[:-1]])
        out = np.empty(len(self.block), dtype=np.int64)
        out[self.by_block] = np.arange(len(self.block)) - np.repeat(first, self.kinds)
        return out

    @cached_property
    def before(self) -> Ints:
        """How many records have a value that stands before it in its block."""
        sums = np.cumsum(self.counts[self.by_block])
        first = np.concatenate([[0], np.cumsum(self.total)[:-1]])
        out = np.empty(len(self.block), dtype=np.int64)
        out[self.by_block] = sums - self.counts[self.by_block] - np.repeat(first, self.kinds)
        return out

    @cached_property
    def sorted_records(self) -> Ints:
        """The value of every record, sorted by block and value."""
        return np.repeat(self.by_block, self.counts[self.by_block])

    @cached_property
    def smallest(self) -> Ints:
        """The smallest count of every block."""
        first = np.concatenate([[0], np.cumsum(self.kinds)[:-1]]).astype(np.int64)
        out: Ints = np.minimum.reduceat(self.counts[self.by_block], first)
        return out

    def members(self, block: int) -> Ints:
        """The values of a block, in their order."""
        first = int(self.kinds[:block].sum())
        return self.by_block[first : first + int(self.kinds[block])]

    def other(self, value: Ints, u: Floats) -> Ints:
        """For every record another value of the block, all equally likely; the same where there is none."""
        kinds = self.kinds[self.block[value]]
        drawn = np.minimum((u * (kinds - 1)).astype(np.int64), np.maximum(kinds - 2, 0))
        drawn += drawn >= self.place[value]
        first = np.concatenate([[0], np.cumsum(self.kinds)[:-1]]).astype(np.int64)
        out: Ints = np.where(
            kinds > 1,
            self.by_block[np.minimum(first[self.block[value]] + drawn, len(self.by_block) - 1)],
            value,
        )
        return out

    def of_a_record(self, value: Ints, u: Floats, *, but_own: bool) -> Ints:
        """For every record the value of a random record of its block, of another value where `but_own`."""
        block = self.block[value]
        own = self.counts[value] * but_own
        among = self.total[block] - own
        drawn = np.minimum((u * among).astype(np.int64), np.maximum(among - 1, 0))
        drawn += own * (drawn >= self.before[value])
        first = np.concatenate([[0], np.cumsum(self.total)[:-1]]).astype(np.int64)
        found = self.sorted_records[np.minimum(first[block] + drawn, len(self.sorted_records) - 1)]
        out: Ints = np.where(among > 0, found, value)
        return out


def drawn_proportional(values: Values, alpha: float, u: Floats) -> Ints:
    """P02: with probability α the value of a random record of the block."""
    found = values.of_a_record(values.of, u[1], but_own=False)
    out: Ints = np.where(u[0] < alpha, found, values.of)
    return out


def drawn_direct(values: Values, alpha: float, u: Floats) -> Ints:
    """P03: away with probability α T_min/T_k, to each other value alike."""
    leave = alpha * values.smallest[values.block] / values.counts
    out: Ints = np.where(u[0] < leave[values.of], values.other(values.of, u[1]), values.of)
    return out


def drawn_two_stage(values: Values, alpha: float, u: Floats) -> Ints:
    """P04 with an even first stage; the second goes back in proportion to where a value may have come from."""
    first = np.where(u[0] < alpha, values.other(values.of, u[1]), values.of)
    back = values.of_a_record(first, u[3], but_own=True)
    out: Ints = np.where(u[2] < _stays_back(values, alpha)[first], first, back)
    return out


def _stays_back(values: Values, alpha: float) -> Floats:
    """Probability p←_ll of the second stage."""
    stay = (1 - alpha) * values.counts
    out: Floats = np.where(
        _arrivals(values, alpha) > 0, stay / np.maximum(_arrivals(values, alpha), 1e-300), 1.0
    )
    return out


def _arrivals(values: Values, alpha: float) -> Floats:
    """Expected number of records that have a value after the first stage."""
    kinds = values.kinds[values.block]
    each = np.where(kinds > 1, alpha / np.maximum(kinds - 1, 1), 0.0)
    stay = np.where(kinds > 1, 1 - alpha, 1.0)
    out: Floats = stay * values.counts + each * (values.total[values.block] - values.counts)
    return out


def staying(values: Values, mode: str, alpha: float) -> Floats:
    """The probability of every value to stay: the diagonal of the matrix."""
    if mode == "proportional":
        out: Floats = (1 - alpha) + alpha * values.counts / values.total[values.block]
        return out
    kinds = values.kinds[values.block]
    if mode == "direct":
        leave = alpha * values.smallest[values.block] / values.counts
        return np.where(kinds > 1, 1 - leave, 1.0)
    arrivals = _arrivals(values, alpha)
    each = alpha / np.maximum(kinds - 1, 1)
    through = np.bincount(values.block, weights=1 / arrivals)[values.block] - 1 / arrivals
    return np.where(kinds > 1, values.counts * ((1 - alpha) ** 2 / arrivals + each**2 * through), 1.0)


def matrix_of(counts: Ints | Floats, mode: str, alpha: float) -> Floats:
    """The matrix of one block from the counts of its values, for the people who correct estimates with it."""
    if mode == "proportional":
        return proportional(counts, alpha)
    if mode == "direct":
        return direct(counts, alpha)
    return two_stage(even(len(counts), alpha), counts)


DRAWN = {"proportional": drawn_proportional, "direct": drawn_direct, "two-stage": drawn_two_stage}
