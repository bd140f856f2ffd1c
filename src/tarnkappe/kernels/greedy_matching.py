"""One-to-one links, the nearest pair first: what a patient attacker without a solver does."""

from __future__ import annotations

import heapq

import numpy as np

from tarnkappe.kernels import mixed_tree
from tarnkappe.kernels.matching import FIRST, Floats, Ints, Pairs, Side
from tarnkappe.kernels.mixed_tree import Space, Tree


def greedy(one: Side, other: Side, blocks: int, space: Space) -> Pairs:
    """Link the two nearest records of all, take both away, and so on (lenz2003: greedy assignment).

    Exact: a pair is taken only when no free pair is nearer. Every record knows some candidates; when all of them are taken it asks for
    twice as many. Of equally near ones the first in the order of the points comes first.
    """
    search = _Search(one, other, blocks, space)
    heap = [(far, i, j) for i, (far, j) in enumerate(search.first()) if j >= 0]
    heapq.heapify(heap)
    left, free = one.times.tolist(), other.times.tolist()
    found: list[tuple[int, int, int]] = []
    while heap:
        _, i, j = heap[0]
        times = min(left[i], free[j])
        if times:
            found.append((i, j, times))
            left[i] -= times
            free[j] -= times
        further = search.further(i, free) if left[i] else None
        if further is None:
            heapq.heappop(heap)
        else:
            heapq.heapreplace(heap, (further[0], i, further[1]))
    pairs = np.array(found, dtype=np.int64).reshape(-1, 3)
    return Pairs(pairs[:, 0], pairs[:, 1], pairs[:, 2], optimal=False)


class _Search:
    """The candidates of every record, the nearest first."""

    def __init__(self, one: Side, other: Side, blocks: int, space: Space) -> None:
        self.one, self.space = one, space
        self.tree: Tree = other.tree(blocks, space)
        self.there: Ints = np.bincount(other.block, minlength=blocks)[one.block]
        wanted = np.minimum(FIRST, self.there)
        starts, found, far = mixed_tree.nearest(self.tree, one.points, one.block, space, wanted)
        ends = list(zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True))
        self.lists = [_ordered(found[a:b], far[a:b]) for a, b in ends]
        self.at = [0] * len(self.lists)

    def first(self) -> list[tuple[float, int]]:
        return [row[0] if row else (0.0, -1) for row in self.lists]

    def further(self, i: int, free: list[int]) -> tuple[float, int] | None:
        """The nearest candidate that is still free; nothing where none is left in the block."""
        while True:
            row = self.lists[i]
            for place in range(self.at[i], len(row)):
                if free[row[place][1]]:
                    self.at[i] = place
                    return row[place]
            if len(row) >= self.there[i]:
                return None
            self.at[i] = len(row)
            self.lists[i] = self._more(i, 2 * len(row))

    def _more(self, i: int, wanted: int) -> list[tuple[float, int]]:
        at = slice(i, i + 1)
        count = np.minimum(self.there[at], wanted)
        _, found, far = mixed_tree.nearest(
            self.tree, self.one.points[at], self.one.block[at], self.space, count
        )
        return _ordered(found, far)


def _ordered(found: Ints, far: Floats) -> list[tuple[float, int]]:
    return sorted(zip(far.tolist(), found.tolist(), strict=True))
