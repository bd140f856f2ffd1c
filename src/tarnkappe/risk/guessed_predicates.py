"""Predicates that an attacker makes from a release to single out one person."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tarnkappe.data.column import MISSING_CODE, SUPPRESSED_CODE, Bools, Floats, Ints
from tarnkappe.kernels.predicates import (
    AT_LEAST,
    AT_MOST,
    EQUAL,
    Index,
    Predicates,
    distinct,
    index,
    joined,
    matches,
)
from tarnkappe.risk.common_codes import CommonColumn

BATCHES = 500
"""So many times as many predicates as wanted are tried at most."""


@dataclass(frozen=True, slots=True, eq=False)
class Guesser:
    """The released columns, and draws from them."""

    codes: Ints
    """(columns, records)"""
    ordered: Bools
    """Which columns are numbers or dates."""
    middle: Floats
    """The median of every column; -1 where it has none."""
    found: Index
    draw: np.random.Generator

    @staticmethod
    def of(columns: list[CommonColumn], draw: np.random.Generator) -> Guesser:
        codes = np.array([column.codes[0] for column in columns])
        shown = [row[row >= 0] for row in codes]
        middle = np.array([np.median(row) if len(row) else -1.0 for row in shown])
        return Guesser(codes, np.array([c.ordered for c in columns]), middle, index(codes), draw)

    def extremes(self, wanted: int) -> tuple[Predicates, int]:
        """One column each: values that occur once, the smallest and the largest where they do, and a single missing value.

        Any `wanted` of them, each on another released record; and how many there are.
        """
        parts = [_alone(row, j, ordered=bool(self.ordered[j])) for j, row in enumerate(self.codes)]
        every = joined(parts)
        count = len(every.columns)
        kept, _ = self._on_others(every.take(self.draw.permutation(count)), np.zeros(0, dtype=np.int64))
        return kept.take(np.arange(min(wanted, len(kept.columns)))), count

    def conjunctions(self, wanted: int, size: int) -> tuple[Predicates, int]:
        """Some columns of a random released record: its categories, and its numbers as limits on the side away from the median.

        Only such as fit exactly one released record, each another one; and how many were tried.
        """
        wanted = min(wanted, self.codes.shape[1])
        kept, taken, tried = [], np.zeros(0, dtype=np.int64), 0
        while len(taken) < wanted and tried < BATCHES * wanted:
            part, taken = self._on_others(self._from_record(wanted, size), taken)
            kept.append(part)
            tried += wanted
        return joined(kept).take(np.arange(min(wanted, len(taken)))), tried

    def blind(self, wanted: int, size: int) -> Predicates:
        """Without regard to records: each condition from another record, limits on any side, and not held against the release."""
        return distinct(self._from_columns(wanted, size))

    def _on_others(self, tried: Predicates, taken: Ints) -> tuple[Predicates, Ints]:
        """Those that fit one released record, the first of each record, and none that is taken; and all that are taken now."""
        counts, record = matches(self.found, tried, 1)
        tried, record = tried.take(counts == 1), record[counts == 1]
        _, first = np.unique(record, return_index=True)
        first = np.sort(first[~np.isin(record[first], taken)])
        return tried.take(first), np.concatenate([taken, record[first]])

    def _from_record(self, count: int, size: int) -> Predicates:
        columns = self._columns(count, size)
        records = self.draw.integers(self.codes.shape[1], size=count)[:, None]
        codes = self.codes[columns, records]
        signs = np.where(codes > self.middle[columns], AT_LEAST, AT_MOST)
        return self._sensible(columns, signs, codes)

    def _from_columns(self, count: int, size: int) -> Predicates:
        columns = self._columns(count, size)
        codes = self.codes[columns, self.draw.integers(self.codes.shape[1], size=columns.shape)]
        return self._sensible(columns, self.draw.choice([AT_MOST, AT_LEAST], columns.shape), codes)

    def _sensible(self, columns: Ints, signs: Ints, codes: Ints) -> Predicates:
        """Categories and missing values are asked for as they are; what is suppressed cannot be asked for."""
        signs = np.where(self.ordered[columns] & (codes != MISSING_CODE), signs, EQUAL)
        return Predicates(columns, signs, codes).take((codes != SUPPRESSED_CODE).all(axis=1))

    def _columns(self, count: int, size: int) -> Ints:
        """For every predicate other columns, ascending."""
        most = len(self.codes)
        ranked = np.argsort(self.draw.random((count, most)), axis=1)[:, : min(size, most)]
        return np.sort(ranked, axis=1).astype(np.int64)


def _alone(codes: Ints, column: int, *, ordered: bool) -> Predicates:
    """Conditions on the values of one column that occur once, suppressed ones aside."""
    values, times = np.unique(codes[codes != SUPPRESSED_CODE], return_counts=True)
    once = values[times == 1]
    ends = values[values >= 0][[0, -1]] if ordered and (values >= 0).any() else np.zeros(0, dtype=np.int64)
    asked = np.concatenate([once, ends])
    signs = np.concatenate([np.full(len(once), EQUAL), np.array([AT_MOST, AT_LEAST])[: len(ends)]])
    return Predicates(
        *(part.astype(np.int64)[:, None] for part in (np.full(len(asked), column), signs, asked))
    )
