"""Who moves, block by block: single records, or units whose records move together, place by place."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def in_turn(starts: Ints, some: Ints) -> Ints:
    """Positions in some stretches of a list, one stretch after the other; `starts` has one entry more than there are stretches."""
    sizes = starts[some + 1] - starts[some]
    out: Ints = np.repeat(starts[some] - (np.cumsum(sizes) - sizes), sizes) + np.arange(sizes.sum())
    return out


class Series(NamedTuple):
    """Movers of a block have equally many records; those of a mover stand together, and all movers in their order."""

    starts: Ints
    """Where the blocks of movers begin; one entry more than there are blocks."""
    places: Ints
    """Records of a mover of every block."""

    @property
    def single(self) -> bool:
        """Whether every mover is one record."""
        return bool((self.places == 1).all())

    @property
    def sizes(self) -> Ints:
        """Records of every mover."""
        return np.repeat(self.places, np.diff(self.starts))

    def rows(self, movers: Ints) -> Ints:
        """The records of some movers, one after the other."""
        return movers if self.single else in_turn(np.append(0, np.cumsum(self.sizes)), movers)

    def levels(self, z: Floats) -> Floats:
        """The mean of every column over the records of every mover."""
        if self.single:
            return z
        sizes = self.sizes
        begins = np.cumsum(sizes) - sizes
        out: Floats = np.add.reduceat(z, begins, axis=0) / sizes[:, None] if len(sizes) else z[:0]
        return out

    def every(self, step: int) -> Series:
        """One of so many movers."""
        return Series(-(-self.starts // step), self.places)

    def moved(self, z: Floats, source: Ints) -> Floats:
        """The values after every mover took the series of its source in each of the first columns."""
        now = z.copy()
        for j in range(source.shape[1]):
            now[:, j] = z[self.rows(source[:, j]), j]
        return now
