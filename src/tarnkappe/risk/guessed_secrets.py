"""Guessing a secret value from released records, and when a guess is right."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tarnkappe.data.column import MISSING_CODE, SUPPRESSED_CODE, Bools, Floats, Ints
from tarnkappe.risk.common_codes import CommonColumn

if TYPE_CHECKING:
    from tarnkappe.kernels.gower_tree import Tree

NEAR_ZERO = 0.01
"""An amount below this part of the median amount counts as that part where a relative error is taken."""
_NOBODY = -3
"""No code: a guess that is never right."""


@dataclass(frozen=True, slots=True, eq=False)
class Category:
    """A secret that is guessed right if it is equal."""

    column: CommonColumn

    def usual(self, count: int) -> Ints:
        """The most frequent value of the release, for everybody; of equals the smallest code."""
        shown = self.column.codes[0][self.column.codes[0] != SUPPRESSED_CODE]
        common = np.argmax(np.bincount(shown + 1)) - 1 if len(shown) else _NOBODY
        return np.full(count, common, dtype=np.int64)

    def nearest(self, tree: Tree, cells: Ints, k: int) -> Ints:
        from tarnkappe.kernels.gower_tree import votes  # noqa: PLC0415 - numba is loaded when first used

        guess: Ints = votes(tree, cells, k, self.column.codes[0], int(self.usual(1)[0]))
        return guess

    def right(self, guess: NDArray[Any], truth: Ints) -> Bools:
        return np.asarray(guess == truth)


@dataclass(frozen=True, slots=True, eq=False)
class Number:
    """A secret that is guessed right if it is close; not-a-number is the guess that it is missing."""

    column: CommonColumn
    tolerance: float

    def usual(self, count: int) -> Floats:
        """The median of the release for everybody, or that the value is missing where most are."""
        gaps, numbers = self._gaps(), self._numbers(self.column.codes[0])
        present = numbers[~np.isnan(numbers)]
        missing = np.sum(gaps == 1) > np.sum(gaps == 0)
        return np.full(count, np.nan if missing or not len(present) else np.median(present))

    def nearest(self, tree: Tree, cells: Ints, k: int) -> Floats:
        from tarnkappe.kernels.gower_tree import middles, votes  # noqa: PLC0415 - numba is loaded when first used

        usual = float(self.usual(1)[0])
        missing = votes(tree, cells, k, self._gaps(), 0) == 1
        guess = middles(tree, cells, k, self._numbers(self.column.codes[0]), usual)
        return np.where(missing, np.nan, guess)

    def right(self, guess: NDArray[Any], truth: Ints) -> Bools:
        """Off by at most a part of the true amount, whatever its sign; the guess is not what the error is measured by."""
        true = self._numbers(truth)
        with np.errstate(over="ignore", invalid="ignore"):
            off = np.abs(guess - true)
        close = off <= self.tolerance * np.maximum(np.abs(true), self._floor())
        return np.asarray(close | (np.isnan(guess) & np.isnan(true)))

    def _floor(self) -> float:
        amounts = np.abs(self._numbers(self.column.codes[1]))
        amounts = amounts[~np.isnan(amounts)]
        return NEAR_ZERO * float(np.median(amounts)) if len(amounts) else 0.0

    def _numbers(self, codes: Ints) -> Floats:
        assert self.column.values is not None
        return np.append(self.column.values, [np.nan, np.nan])[codes]

    def _gaps(self) -> Ints:
        """1 where the released value is missing, 0 where there is one, no vote where it is suppressed."""
        codes = self.column.codes[0]
        return np.where(codes == SUPPRESSED_CODE, SUPPRESSED_CODE, codes == MISSING_CODE).astype(np.int64)
