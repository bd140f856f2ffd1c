"""Records that are treated together: strata, and within them the sets with the same gaps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tarnkappe.data.column import Column, Ints
from tarnkappe.data.microdata import Microdata
from tarnkappe.kernels.classes import Classes, classes, first_records
from tarnkappe.kernels.ranks import by_number, in_order


@dataclass(frozen=True)
class Strata:
    """A partition of the records into blocks, numbered in the order in which they first appear."""

    of: NDArray[Any]
    """The block of every record."""
    sizes: Ints

    def __len__(self) -> int:
        return len(self.sizes)

    @cached_property
    def order(self) -> Ints:
        """The records, those of one block together and in the order of the file."""
        return by_number(self.of.astype(np.int64), np.arange(len(self.of)))

    @cached_property
    def starts(self) -> Ints:
        """Where each block begins in `order`; one more entry than there are blocks."""
        return np.concatenate([[0], np.cumsum(self.sizes)]).astype(np.int64)

    def sorted_by(self, x: NDArray[Any]) -> Ints:
        """The records, those of one block together and by rising `x`; ties in the order of the file."""
        order = in_order(x)
        if len(self) == 1:
            return order
        return order[by_number(self.of[order].astype(np.int64), np.arange(len(order)))]

    def among(self, positions: Ints) -> Strata:
        """The same blocks with some of their records, in the order of the file; a block may have none."""
        if len(positions) == len(self.of):
            return self
        of = self.of[positions]
        return Strata(of, np.bincount(of, minlength=len(self)))

    def blocks(self) -> Iterator[Ints]:
        """The records of every block: for work whose cost is in the block, not in the number of blocks."""
        for first, last in zip(self.starts[:-1], self.starts[1:], strict=True):
            yield self.order[first:last]


def strata_of(data: Microdata, within: Sequence[str], same_gaps: Sequence[str] = ()) -> Strata:
    """Records that agree on the columns `within` and, where asked, have the same cells of `same_gaps` observed.

    Missing and suppressed are values of their own among the strata and different gaps: a release tells them apart.
    """
    one = (np.zeros(len(data), dtype=np.int64), 1)
    gaps = (c.state.astype(np.int64) for n in same_gaps if (c := data.column(n)).state is not None)
    found: Classes = classes([one, *(data.column(n).codes() for n in within), *((gap, 3) for gap in gaps)])
    return Strata(found.ids, found.sizes)


def ascending_strata(data: Microdata, within: Sequence[str]) -> Strata:
    """The same strata in ascending order of the columns `within`, which whoever has the records can repeat.

    Texts are ordered by their characters, numbers by size; suppressed cells come first, then missing ones.
    """
    strata = strata_of(data, within)
    if not within or not len(strata):
        return strata
    one = first_records(Classes(strata.of, strata.sizes))
    order = np.lexsort([_ranks(data.column(name))[one] for name in reversed(within)])
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    return Strata(place[strata.of], strata.sizes[order])


def _ranks(column: Column) -> Ints:
    """Numbers that sort as the texts of categories do, and as numbers themselves."""
    codes, count = column.codes()
    if column.categories is None or not count:
        return codes
    rank = np.empty(count, dtype=np.int64)
    rank[np.argsort(column.categories, kind="stable")] = np.arange(count)
    return np.where(codes < 0, codes, rank[np.maximum(codes, 0)])
