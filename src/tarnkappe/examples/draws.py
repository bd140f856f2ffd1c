"""Draws for example data: the same for a given seed on every platform and with every numpy.

Only the raw integers of the bit generator are used, which numpy promises to keep; all the rest is made from
them by inversion. These draws are public: nothing here may protect data (`tarnkappe.randomness` is for that).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtri

from tarnkappe.data.column import Bools, Floats, Ints

_SMALL_MEAN = 30.0
"""Above this mean a Poisson count is drawn from its normal approximation."""


@dataclass(frozen=True, slots=True)
class Draws:
    """A stream for each purpose, so that one more column leaves the others as they are."""

    seed: int
    example: str

    def uniform(self, purpose: str, n: int) -> Floats:
        """Numbers strictly between 0 and 1."""
        entropy = list(f"{self.example}/{purpose}/{self.seed}".encode())
        raw = np.random.PCG64DXSM(np.random.SeedSequence(entropy)).random_raw(n)
        return ((raw >> np.uint64(12)).astype(np.float64) + 0.5) * 2.0**-52

    def normal(self, purpose: str, n: int) -> Floats:
        return np.asarray(ndtri(self.uniform(purpose, n)))

    def chance(self, purpose: str, share: ArrayLike, n: int) -> Bools:
        """True with the given probability, one for all or one for each."""
        return np.asarray(self.uniform(purpose, n) < np.asarray(share))

    def whole(self, purpose: str, low: ArrayLike, high: ArrayLike, n: int) -> Ints:
        """Whole numbers from `low` to `high`, both included."""
        first, last = np.asarray(low), np.asarray(high)
        steps = np.floor(self.uniform(purpose, n) * (last - first + 1)).astype(np.int64)
        return np.asarray(first + steps)

    def pick(self, purpose: str, weights: ArrayLike, n: int) -> Ints:
        """Positions in `weights`, each as often as its weight says."""
        one_row = np.asarray(weights, dtype=np.float64)[None, :]
        return self.pick_by(purpose, one_row, np.zeros(n, dtype=np.int64))

    def pick_by(self, purpose: str, weights: Floats, row: Ints) -> Ints:
        """As `pick`, with a row of weights for each record."""
        rows, outcomes = weights.shape
        steps = np.cumsum(weights, axis=1)
        steps /= steps[:, -1:]
        ladder = (steps + np.arange(rows)[:, None]).ravel()
        found = np.searchsorted(ladder, row + self.uniform(purpose, len(row)), side="right")
        return np.asarray(np.clip(found - row * outcomes, 0, outcomes - 1))

    def order(self, purpose: str, n: int) -> Ints:
        """The numbers 0 … n-1 in random order."""
        return np.argsort(self.uniform(purpose, n), kind="stable").astype(np.int64)

    def counts(self, purpose: str, mean: Floats) -> Ints:
        """Poisson counts with the given means."""
        u = self.uniform(purpose, len(mean))
        large = mean > _SMALL_MEAN
        out = np.zeros(len(mean), dtype=np.int64)
        near = mean[large] + np.sqrt(mean[large]) * ndtri(u[large])
        out[large] = np.maximum(0, np.rint(near)).astype(np.int64)
        out[~large] = _poisson(u[~large], mean[~large])
        return out


def _poisson(u: Floats, mean: Floats) -> Ints:
    """Invert the distribution function: the smallest k with F(k) >= u."""
    k = np.zeros(len(mean), dtype=np.int64)
    term = np.exp(-mean)
    below = term.copy()
    higher = u > below
    while higher.any():
        k += higher
        term = np.where(higher, term * mean / np.maximum(k, 1), term)
        below = np.where(higher, below + term, below)
        higher = (u > below) & (term > 2.0**-60)  # rounding may keep the sum below u for ever
    return k
