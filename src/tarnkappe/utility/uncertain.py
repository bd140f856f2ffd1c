"""How uncertain a loss is: between which values it would lie for other records of the same population."""

from __future__ import annotations

from abc import abstractmethod
from typing import NamedTuple

import numpy as np

from tarnkappe.data.column import Floats
from tarnkappe.kernels.jackknife import groups, half_width, moments_without, standard_error
from tarnkappe.kernels.moments import Moments, moments
from tarnkappe.utility.by_column import ByColumn, Ends, Sides

CONFIDENCE = 0.95
"""Probability with which the interval of a loss covers."""
UNKNOWN = Ends(None, None)


class Known(NamedTuple):
    """A figure and what it is without each group of records."""

    value: float
    without: Floats
    records: int


def ends(found: Known, confidence: float = CONFIDENCE) -> Ends:
    """The interval of the size of a figure; none where it cannot be told."""
    half = float(half_width(standard_error(found.without), confidence, found.records))
    low, high = found.value - half, found.value + half
    if not (np.isfinite(low) and np.isfinite(high)):
        return UNKNOWN
    return Ends(max(low, -high, 0.0) + 0.0, max(-low, high) + 0.0)


class OfMoments(ByColumn):
    """A loss that is a function of the first four moments before and after; its interval is that of the worst column."""

    @abstractmethod
    def changes(self, a: Moments, b: Moments) -> tuple[float, ...]:
        """The changes, with their signs, of which the largest in size is the loss."""

    def ends(self, sides: Sides, name: str) -> Ends:
        old, new = sides.samples(name, self.id)
        whole = self.changes(moments(*old), moments(*new))
        before = moments_without(old.x, old.w, groups(sides.before.rows))
        after = moments_without(new.x, new.w, groups(sides.after.rows))
        worst = int(np.nanargmax(np.abs(whole)))
        without = np.array([self.changes(a, b)[worst] for a, b in zip(before, after, strict=True)])
        return ends(Known(whole[worst], without, min(old.n, new.n)), self.level())

    def level(self) -> float:
        """Probability with which the interval covers."""
        return CONFIDENCE
